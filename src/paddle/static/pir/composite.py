"""Operators of ``.json`` programs that are made of several operators here, as functions of the public API."""

from __future__ import annotations

from ...nn import functional
from ...serialization.errors import FormatError, UnsupportedError
from ...utils import naming
from ..program.program import program_guard


def _functional():
    return functional


def _paddle():
    import paddle
    return paddle


def _masked_fill(x, mask, value):
    paddle = _paddle()
    return paddle.where(paddle.broadcast_to(mask, x.shape) if -1 not in x.shape else mask, value, x)


def _swiglu(x, y):
    if y is None:
        x, y = _paddle().chunk(x, 2, axis=-1)
    return _functional().silu(x) * y


def _kldiv_loss(x, label, reduction, log_target=False):
    if log_target:
        paddle = _paddle()
        loss = paddle.exp(label) * (label - x)
        if reduction == "batchmean":
            return paddle.sum(loss) / paddle.cast(paddle.shape(x)[0], x.dtype)
        return {"none": lambda v: v, "mean": paddle.mean, "sum": paddle.sum}[reduction](loss)
    return _functional().kl_div(x, label, reduction)


def _median(x, axis, keepdim, mode):
    if mode != "avg":
        raise UnsupportedError(f"pd_op.median: mode {mode!r} is not supported")
    return _paddle().median(x, None if not axis else axis[0] if len(axis) == 1 else axis, keepdim)


FUNCTIONS = {
    "gumbel_softmax": lambda x, temperature, hard, axis: _functional().gumbel_softmax(x, temperature, hard, axis),
    "kldiv_loss": _kldiv_loss,
    "masked_fill": _masked_fill,
    "median": _median,
    "swiglu": _swiglu,
}  # name -> function of operands (Variables or None) and attributes, in the order of the operator table


def expand(importer, block, op, row) -> None:
    """Append what an operation is made of; its first result is the function's, further ones can't be used."""
    program = importer.program
    operands = [None if number == 0 else block._var_recursive(importer.names[number]) for number in op.operands]
    attrs = []
    for spec in row.attributes:
        if spec.name not in op.attrs:
            raise FormatError(f"{op.label}: the attribute {spec.name} is missing")
        attrs.append(op.get(spec.name))
    before = program.current_block_idx
    own = importer.fresh(row.name).removesuffix("_0")  # names that neither the file's nor other expanded operators have
    with program_guard(program), naming.apart(own):
        program.current_block_idx = block.idx
        try:
            result = FUNCTIONS[row.name.rstrip("_")](*operands, *attrs)
        except (TypeError, ValueError) as error:
            raise error if isinstance(error, FormatError) else FormatError(f"{op.label}: {error}") from error
        finally:
            program.current_block_idx = before
    importer.bind(op.results[0][0], result.name, op.results[0][1])
