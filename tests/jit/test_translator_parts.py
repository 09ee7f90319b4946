"""Parts of Paddle's translator that programs import: answers recorded from Paddle 2.6.2 for the same texts."""

import numpy as np
import pytest

import paddle
from paddle.jit.dy2static import Call, utils, utils_helper
from paddle.jit.dy2static.loop_transformer import NameVisitor
from paddle.utils import gast

TEXTS = ["""
def f(x, n):
    s = 0
    for i in range(n):
        if i > 2:
            s = s + last
        last = x[i]
    return s
""", """
def f(self, items):
    out = []
    for a, b in zip(items, self.names):
        c = helper(a)
        out.append(c + b)
        self.count = self.count + 1
        net.total += c
    else:
        done = True
    return out, done
""", """
def f(x):
    def g(y):
        while y < 3:
            y += 1
        return y
    w = 0
    while g(x) < 5:
        x = g(x) + 1
        w += 1
        d = {}
        d[w] = x
        del w
        w = 3
    return w
"""]
LOOPS = [[("i last n s", "last")], [("a b done items", "done")], [("w x", ""), ("y", "")]]
SCOPES = [  # (bound here, all that changes, what grows) of functions, loops and branches, from the outside inwards
    [("i last s", "i last s", ""), ("i last s", "i last s", ""), ("s", "s", "")],
    [("a b c done out", "a b c done net.total out self.count", "out"), ("a b c done", "a b c done net.total self.count", "out")],
    [("d w", "d w x", ""), ("", "y", ""), ("d w x", "d w x", ""), ("y", "y", "")]]


def joined(*sets):
    return tuple(" ".join(sorted(names)) for names in sets)


def nodes(tree, *kinds):
    return [node for node in gast.walk(tree) if isinstance(node, kinds)]


@pytest.mark.parametrize("text, expected", list(zip(TEXTS, LOOPS)))
def test_names_that_loops_carry(text, expected):
    tree = gast.parse(text)
    visitor = NameVisitor(tree)
    assert [joined(*visitor.get_loop_var_names(node)) for node in nodes(tree, gast.For, gast.While)] == expected


@pytest.mark.parametrize("text, expected", list(zip(TEXTS, SCOPES)))
def test_names_of_scopes(text, expected):
    tree = gast.parse(text)
    utils.FunctionNameLivenessAnalysis(tree)
    scopes = [node.pd_scope for node in nodes(tree, gast.FunctionDef, gast.For, gast.While, gast.If)]
    assert [joined(s.existed_vars(), s.modified_vars(), s.push_pop_vars) for s in scopes] == expected


def test_global_names_of_a_scope():
    tree = gast.parse("def f(x):\n  a = []\n  def g():\n    a.append(x)\n    b.append(x)\n  return g")
    utils.FunctionNameLivenessAnalysis(tree)
    inner = nodes(tree, gast.FunctionDef)[1].pd_scope
    assert inner.variadic_length_vars() == {"a"} and inner.is_global_var("b") and inner.is_local_var("a")


def test_a_function_of_a_tree_keeps_closure_and_defaults():
    factor = 3

    def f(x, y=2):
        return x * y * factor
    made, file = utils.ast_to_func(gast.parse("def f(x, y=0):\n  return x + y + factor"), f)
    assert made(1) == 1 + 2 + 3 and file == __file__


def test_getter_and_setter():
    values = [1, 2, 3, 4, 5]

    def store(new):
        values[:] = new
    helper = utils.GetterSetterHelper(lambda: values, store, ["a", "b", "e"], ["d", "f", "e"], None)
    assert helper.union() == ["a", "b", "d", "e", "f"] and helper.get(["f", "a"]) == (5, 1) and helper.get(None) == ()
    helper.set(["f", "e"], [12, 10])
    helper.set(None, None)
    assert values == [1, 2, 3, 10, 12]
    with pytest.raises(ValueError, match="no name 'z'"):
        helper.get(["z"])


def test_declared_sizes_change_in_a_loop():
    def grow(turns):
        mask, row = paddle.ones([2, 2]), paddle.ones([1, 2])
        utils_helper.set_dynamic_shape(mask, [-1, 2])
        for _ in range(turns):
            mask = paddle.concat([mask, row], axis=0)
            if mask.shape[0] == 5:
                break
        return mask
    out = paddle.jit.to_static(grow, full_graph=True)(paddle.to_tensor(10))
    np.testing.assert_array_equal(out.numpy(), np.ones((5, 2), "float32"))


@pytest.mark.parametrize("call", [
    lambda: NameVisitor("x = 1"), lambda: NameVisitor(gast.parse("x")).get_loop_var_names(gast.parse("x")),
    lambda: utils.FunctionNameLivenessAnalysis(3), lambda: utils.ast_to_func("x", abs),
    lambda: utils.ast_to_func(gast.parse("x = 1"), abs), lambda: utils_helper.set_dynamic_shape(3, [1])])
def test_other_things_are_refused(call):
    with pytest.raises(TypeError):
        call()


def test_the_length_of_selected_rows_counts_the_rows():
    paddle.enable_static()
    try:
        main = paddle.static.Program()
        with paddle.static.program_guard(main), paddle.static.scope_guard(paddle.static.Scope()):
            kind = paddle.base.core.VarDesc.VarType.SELECTED_ROWS
            rows = main.global_block().create_var(name="rows", dtype="float32", shape=[-1], persistable=True, type=kind)
            merged = paddle.nn.clip.merge_selected_rows(rows)
            lengths = [Call(len)(rows), Call(len)(merged)]
            value = paddle.static.global_scope().var("rows").get_selected_rows()
            value.set_rows([0, 2, 2, 4, 19])
            value.set_height(20)
            value.get_tensor().set(np.ones((5, 2), "float32"), paddle.CPUPlace())
            assert [int(n) for n in paddle.static.Executor().run(main, fetch_list=lengths)] == [5, 4]  # as real Paddle has it
    finally:
        paddle.disable_static()
