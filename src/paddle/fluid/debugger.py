"""fluid.debugger: programs as text and as graphs (1.x; successor: print(program), `python -m paddle draw`)."""

from ..core.errors import describe

__all__ = ["pprint_program_codes", "pprint_block_codes", "draw_block_graphviz"]


def pprint_program_codes(program, show_backward=False):
    """The text of a program: a line for every variable and operator; gradients only with ``show_backward``."""
    return "\n\n".join(pprint_block_codes(block, show_backward) for block in program.blocks)


def pprint_block_codes(block, show_backward=False):
    """The text of a block."""
    def shown(name):
        return show_backward or "@GRAD" not in name
    variables = [str(var) for name, var in block.vars.items() if shown(name)]
    operators = [str(op) for op in block.ops if all(map(shown, [*op.input_arg_names, *op.output_arg_names]))]
    return "\n".join([f"# block {block.idx}", *variables, "", *operators])


def draw_block_graphviz(block, highlights=None, path="./temp.dot"):
    """Write a block as a graph in the language of Graphviz, operators as boxes, variables as circles; those of ``highlights``
    (names) are red."""
    if highlights is not None and not isinstance(highlights, (list, tuple, set)):
        raise TypeError(f"draw_block_graphviz(): highlights must be a list of names, got {describe(highlights)}")
    marked = set(highlights or ())
    lines = ["digraph G {"]
    for name, var in block.vars.items():
        shape = "" if var.shape is None else f"\\n{list(var.shape)}"
        colour = ", color=red" if name in marked else ""
        lines.append(f'  "{name}" [shape=ellipse, label="{name}{shape}"{colour}];')
    for k, op in enumerate(block.ops):
        lines.append(f'  "op {k}" [shape=box, label="{op.type}"{", color=red" if op.type in marked else ""}];')
        lines += [f'  "{name}" -> "op {k}";' for name in op.input_arg_names]
        lines += [f'  "op {k}" -> "{name}";' for name in op.output_arg_names]
    with open(path, "w", encoding="utf8") as file:
        file.write("\n".join([*lines, "}", ""]))
