"""paddle.utils.gast: trees whose parameters are names."""

import ast

from paddle.utils import gast

SOURCE = '''
@decorated
def f(a, /, b: int, *rest, c=1, **more) -> str:
    try:
        return (lambda x: x + b)(a)
    except ValueError as e:
        raise e
    with open(*rest) as g:
        g.write(c, **more)
'''


def test_a_tree_there_and_back_is_pythons_own():
    tree = gast.parse(SOURCE)
    assert ast.dump(gast.gast_to_ast(tree)) == ast.dump(ast.parse(SOURCE))
    assert gast.unparse(tree) == ast.unparse(ast.parse(SOURCE))


def test_transformers_meet_parameters_as_names():
    class Rename(gast.NodeTransformer):
        def visit_Name(self, node):
            node.id += "_" if isinstance(node.ctx, gast.Param) else ""
            return node

    tree = Rename().visit(gast.parse("def f(a: int, *b, **c): return a"))
    assert gast.unparse(tree) == "def f(a_: int, *b_, **c_):\n    return a"
    given = [n for n in gast.walk(tree) if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Param)]
    assert given[0].annotation.id == "int" and given[1].annotation is None
