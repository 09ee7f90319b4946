"""A picture of a program:  python -m paddle.static.draw MODEL [-o PICTURE]

MODEL is a ``.pdmodel`` or ``.json`` file, a prefix of one, or the folder of a model; PICTURE ends in ``.svg`` or ``.html``.
"""

import argparse
import html
import os
import sys

from . import model_files
from .program.program import Program
from .program.transform import sub_blocks

_COLOURS = {"conv": "#dbe9f6", "pool": "#e3f3e1", "matmul": "#dbe9f6", "mul": "#dbe9f6", "fc": "#dbe9f6", "norm": "#f5e8d9",
            "relu": "#f8e1e7", "softmax": "#f8e1e7", "sigmoid": "#f8e1e7", "tanh": "#f8e1e7", "gelu": "#f8e1e7",
            "while": "#ece3f6", "conditional": "#ece3f6", "grad": "#eeeeee", "feed": "#fff7cc", "fetch": "#fff7cc"}
_ATTRS = {"strides", "paddings", "groups", "ksize", "pooling_type", "axis", "shape", "epsilon", "dropout_prob", "scale", "bias",
          "trans_x", "trans_y", "col"}  # worth a line in the picture ...
_ORDINARY = (False, 0, -1, 1, [0, 0], [1, 1])  # ... unless they are as usual
_WIDTH, _LINE, _GAP_X, _GAP_Y, _MARGIN = 190, 15, 30, 46, 24


class Box:
    """One operator: its lines of text and where it is."""

    def __init__(self, op, lines):
        self.op, self.lines, self.layer, self.x, self.y = op, lines, 0, 0.0, 0.0
        self.height = _LINE * len(lines) + 12
        self.sources = []  # (Box, variable name)


def boxes_of(block):
    """Boxes of a block's operators, each knowing where its inputs come from."""
    made, boxes = {}, []
    for op in block.ops:
        box = Box(op, _text(block, op))
        for name in op.input_arg_names:
            if name in made and (made[name], name) not in box.sources:
                box.sources.append((made[name], name))
        for name in op.output_arg_names:
            if name != "fetch":
                made[name] = box
        boxes.append(box)
    return boxes


def _text(block, op):
    lines = [op.type]
    for name in op.input_arg_names:
        var = block.find(name)
        if var is not None and var.persistable and var.kind == 7:
            lines.append(f"{_short(name, 20)} {list(var.shape)}")
    lines += [_short(f"{k}={v}", 30) for k, v in sorted(op.attrs.items()) if k in _ATTRS and v not in _ORDINARY]
    lines += [f"block {b.idx}" for b in sub_blocks(op)]
    return lines


def _short(text, n):
    return text if len(text) <= n else text[:n - 1] + "…"


def lay_out(boxes):
    """Give every box a layer (below all it reads) and a place; returns (width, height)."""
    for box in boxes:
        box.layer = 1 + max((s.layer for s, _ in box.sources), default=-1)
    layers = {}
    for box in boxes:
        layers.setdefault(box.layer, []).append(box)
    y, widest = _MARGIN, max((len(row) for row in layers.values()), default=1)
    width = widest * (_WIDTH + _GAP_X) - _GAP_X + 2 * _MARGIN
    for k in sorted(layers):
        row = layers[k]
        centre = {id(b): _barycentre(b, width) for b in row}
        row.sort(key=lambda b: centre[id(b)])
        span = len(row) * (_WIDTH + _GAP_X) - _GAP_X
        middle = sum(centre.values()) / len(row)
        left = min(max(middle - span / 2, _MARGIN), max(width - _MARGIN - span, _MARGIN))
        for n, box in enumerate(row):
            box.x, box.y = left + n * (_WIDTH + _GAP_X), y
        y += max(b.height for b in row) + _GAP_Y
    return width, y - _GAP_Y + _MARGIN


def _barycentre(box, width):
    if not box.sources:
        return width / 2
    return sum(s.x + _WIDTH / 2 for s, _ in box.sources) / len(box.sources)


def _colour(op_type):
    return next((c for word, c in _COLOURS.items() if word in op_type.lower()), "#ffffff")


def block_svg(block, top):
    """(svg elements of a block drawn below ``top``, width, height)."""
    boxes = boxes_of(block)
    width, height = lay_out(boxes)
    parts = []
    if block.idx:
        parts.append(f'<text x="{_MARGIN}" y="{top + 14}" class="title">block {block.idx}</text>')
    edges, labels = [], []
    for box in boxes:
        for source, name in box.sources:
            edges.append(_edge(source, box, top))
            var = block.find(name)
            if var is not None and var.shape:
                x, y = (source.x + box.x) / 2 + _WIDTH / 2, (source.y + source.height + box.y) / 2 + top
                labels.append(f'<text x="{x + 4:.0f}" y="{y + 3:.0f}" class="shape">{list(var.shape)}</text>')
    for box in boxes:
        y = box.y + top
        parts.append(f'<rect x="{box.x:.0f}" y="{y:.0f}" width="{_WIDTH}" height="{box.height}" rx="5" '
                     f'fill="{_colour(box.op.type)}"><title>{html.escape(str(box.op))}</title></rect>')
        for k, line in enumerate(box.lines):
            x, kind = box.x + _WIDTH / 2, "op" if k == 0 else "detail"
            parts.append(f'<text x="{x:.0f}" y="{y + 16 + k * _LINE:.0f}" class="{kind}">{html.escape(line)}</text>')
    return [*edges, *parts, *labels], width, height


def _edge(a, b, top):
    x1, y1, x2, y2 = a.x + _WIDTH / 2, a.y + a.height + top, b.x + _WIDTH / 2, b.y + top
    middle = (y1 + y2) / 2
    return f'<path d="M{x1:.0f},{y1:.0f} C{x1:.0f},{middle:.0f} {x2:.0f},{middle:.0f} {x2:.0f},{y2:.0f}"/>'


_STYLE = ("rect{stroke:#5b6770;stroke-width:1}path{fill:none;stroke:#9aa5ad;stroke-width:1.2}"
          "text{font-family:Helvetica,Arial,sans-serif;font-size:11px;text-anchor:middle;fill:#222}"
          ".op{font-weight:bold;font-size:12px}.detail{fill:#555}.shape{fill:#8a949b;font-size:10px;text-anchor:start}"
          ".title{font-weight:bold;font-size:13px;text-anchor:start}")


def to_svg(blocks):
    """The picture of blocks as SVG text."""
    parts, width, top = [], 0, 0
    for block in blocks:
        drawn, w, h = block_svg(block, top)
        parts += drawn
        width, top = max(width, w), top + h + _GAP_Y
    size = f'width="{width:.0f}" height="{top:.0f}" viewBox="0 0 {width:.0f} {top:.0f}"'
    return (f'<svg xmlns="http://www.w3.org/2000/svg" {size}>'
            f"<style>{_STYLE}</style>{''.join(parts)}</svg>\n")


def draw(program, path):
    """Write the picture of a program to a ``.svg`` or ``.html`` file; returns its path."""
    if not isinstance(program, Program):
        raise TypeError(f"draw(): program must be a Program, got {type(program).__name__}")
    return write(program.blocks, path)


def write(blocks, path):
    """Write the picture of blocks to a ``.svg`` or ``.html`` file; returns its path."""
    text = to_svg(blocks)
    if os.fspath(path).endswith(".html"):
        text = f'<!doctype html><meta charset="utf-8"><title>{html.escape(os.path.basename(path))}</title>{text}'
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def read_program(model):
    """The program of a program file, a prefix, or a folder; operators of ``.pdmodel`` files that can't run here are drawn too."""
    if os.path.isdir(model):
        return model_files.read_program(model_files.of_folder(model, function="draw"), "draw", check=False)
    path = model if os.path.isfile(model) else model_files.of_prefix(model)
    if path is None:
        raise FileNotFoundError(f"draw: there is no model {model!r}")
    return model_files.read_program(path, "draw", check=False)


def main(arguments=None):
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m paddle.static.draw", description="Draw a program as SVG or HTML.")
    parser.add_argument("model", help=".pdmodel or .json file, prefix of one, or folder of a model")
    parser.add_argument("-o", "--output", help="picture (.svg or .html); default: beside the model")
    given = parser.parse_args(arguments)
    base = given.model.rstrip("/")
    output = given.output or model_files.split_ending(base)[0] + ".svg"
    try:
        draw(read_program(base), output)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    print(output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
