"""Operators of Paddle 1.x programs as those that came after them, which ``.json`` files know."""

from __future__ import annotations

from ..ir.lower import ByType
from ..program.program import Operator
from ..program.transform import clone

_RENAMED = {"reshape": "reshape2", "transpose": "transpose2", "squeeze": "squeeze2", "unsqueeze": "unsqueeze2", "top_k": "top_k_v2",
            "fill_zeros_like": "fill_any_like", "minus": "elementwise_sub", "conditional_block_infer": "conditional_block"}
_REWRITES = ByType()
rewrites = _REWRITES.of  # decorator: the function returns the operators that stand for one of this type


def upgraded(program):
    """A copy of a program without operators of 1.x that have a successor."""
    new = clone(program)
    new.captured = dict(program.captured)
    for block in new.blocks:
        ops = []
        for op in block.ops:
            rewrite = _REWRITES.get(op.type)
            if rewrite is not None:
                ops += rewrite(block, op)
                continue
            if op.type in _RENAMED:
                op.type = _RENAMED[op.type]
            ops.append(op)
        block.ops = ops
    return new


def _between(block, like: str, shape, suffix: str) -> str:
    var = block._var_recursive(like)
    return block.new_var(name=f"{like}.{suffix}", shape=shape, dtype=var.dtype, stop_gradient=var.stop_gradient).name


def _made(block, op, kind, inputs, outputs, attrs) -> Operator:
    return Operator(block, kind, inputs, outputs, attrs, op.where)


def _product(sizes) -> int:
    total = 1
    for n in sizes:
        total = -1 if n < 0 or total < 0 else total * n
    return total


@rewrites("matmul")
def _matmul(block, op):
    out = op.output("Out")[0]
    alpha = op.attrs.get("alpha", 1.0)
    target = out if alpha == 1.0 else _between(block, out, block._var_recursive(out).shape, "matmul")
    made = [_made(block, op, "matmul_v2", op.inputs, {"Out": [target]},
                  {"trans_x": op.attrs.get("transpose_X", False), "trans_y": op.attrs.get("transpose_Y", False)})]
    if alpha != 1.0:
        made.append(_made(block, op, "scale", {"X": [target]}, {"Out": [out]},
                          {"scale": alpha, "bias": 0.0, "bias_after_scale": True}))
    return made


@rewrites("mul")
def _mul(block, op):
    """The product of two tensors as matrices: the axes before a given one are rows, the others columns."""
    x, y, out = op.input("X")[0], op.input("Y")[0], op.output("Out")[0]
    shapes = [block._var_recursive(n).shape for n in (x, y)]
    rows = [op.attrs.get("x_num_col_dims", 1), op.attrs.get("y_num_col_dims", 1)]
    if len(shapes[0]) == rows[0] + 1 and len(shapes[1]) == 2 and rows[1] == 1:
        return [_made(block, op, "matmul_v2", op.inputs, op.outputs, {"trans_x": False, "trans_y": False})]
    made, names = [], []
    for name, shape, n in zip((x, y), shapes, rows):
        flat = _between(block, name, [_product(shape[:n]), _product(shape[n:])], f"matrix_of_{out}")
        columns = _product(shape[n:])
        made.append(_made(block, op, "reshape2", {"X": [name]}, {"Out": [flat]},
                          {"shape": [-1, columns] if columns >= 0 else [_product(shape[:n]), -1]}))
        names.append(flat)
    sizes = [*shapes[0][:rows[0]], *shapes[1][rows[1]:]]
    if sum(n < 0 for n in sizes) > 1:
        raise NotImplementedError(f"operator mul: the product of {list(shapes[0])} and {list(shapes[1])}, of which several sizes "
                                  "are not known, can't be written to a .json program")
    product = _between(block, out, [_product(sizes[:rows[0]]), _product(sizes[rows[0]:])], "matrix")
    made.append(_made(block, op, "matmul_v2", {"X": names[:1], "Y": names[1:]}, {"Out": [product]},
                      {"trans_x": False, "trans_y": False}))
    made.append(_made(block, op, "reshape2", {"X": [product]}, {"Out": [out]}, {"shape": sizes}))
    return made


@rewrites("lookup_table")
def _lookup_table(block, op):
    ids = op.input("Ids")[0]
    flat = _between(block, ids, block._var_recursive(ids).shape[:-1], f"ids_of_{op.output('Out')[0]}")
    return [_made(block, op, "squeeze2", {"X": [ids]}, {"Out": [flat]}, {"axes": [-1]}),
            _made(block, op, "lookup_table_v2", {**op.inputs, "Ids": [flat]}, op.outputs,
                  {"padding_idx": op.attrs.get("padding_idx", -1)})]


@rewrites("flatten2")
def _flatten2(block, op):
    """The axes before a given one are rows, the others columns."""
    x, out, axis = op.input("X")[0], op.output("Out")[0], op.attrs.get("axis", 1)
    shape = block._var_recursive(x).shape
    rows, columns = _product(shape[:axis]), _product(shape[axis:])
    if rows < 0 and columns < 0:
        raise NotImplementedError(f"operator {op.type}: sizes of {list(shape)} are not known on both sides of axis {axis}")
    return [_made(block, op, "reshape2", {"X": [x]}, {"Out": [out]}, {"shape": [rows, columns]})]


_REWRITES["flatten"] = _flatten2
