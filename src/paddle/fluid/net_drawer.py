"""fluid.net_drawer: programs as graphs (1.x; successor: `python -m paddle show --html`)."""

from ..core.errors import check_type
from ..static import Program

__all__ = ["draw_graph"]

_STYLES = {"graph_attr": {"rankdir": "TB"}, "edge_attr": {},
           "node_attr": {"shape": "oval", "color": "#0F9D58", "style": "filled", "fontcolor": "#FFFFFF"}}


def draw_graph(startup_program, main_program, filename="program.gv", **styles):
    """Write the operators of two programs' first blocks as a graph in the language of Graphviz; an arrow is a variable that one
    writes and another reads, variables that nobody writes come from ``Feed``.

    Args:
        startup_program, main_program (Program): drawn one after the other.
        filename (str): where to.
        styles: ``graph_attr``, ``node_attr``, ``edge_attr``, dicts of Graphviz' attributes.
    Returns:
        str: the text that was written.
    """
    for name, value in styles.items():
        if name not in _STYLES:
            raise TypeError(f"draw_graph(): takes {', '.join(_STYLES)}, got {name}")
        check_type(value, dict, "draw_graph", name)
    lines = ["digraph G {"]
    for kind, style in _STYLES.items():
        words = ", ".join(f'{key}="{value}"' for key, value in {**style, **styles.get(kind, {})}.items())
        lines.append(f"  {kind.removesuffix('_attr')} [{words}];")
    writers = {}
    for program, argument in ((startup_program, "startup_program"), (main_program, "main_program")):
        check_type(program, Program, "draw_graph", argument)
        for number, op in enumerate(program.global_block().ops):
            node = f"{op.type}_{number}" + (" (startup)" if program is startup_program else "")
            lines.append(f'  "{node}" [label="{op.type}"];')
            lines += [f'  "{writers.get(name, "Feed")}" -> "{node}" [label="{slot}({name})"];'
                      for slot in op.input_names for name in op.input(slot)]
            writers |= dict.fromkeys(op.output_arg_names, node)
    text = "\n".join([*lines, "}", ""])
    with open(filename, "w", encoding="utf8") as file:
        file.write(text)
    return text
