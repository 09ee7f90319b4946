"""Einstein's summation; ops/linalg/einsum.py takes equations apart."""

from ..core.op import Symbolic
from ..ops.linalg import einsum as einsum_ops
from .convert import as_tensor, cast, common_dtype, numpy_dtype

__all__ = ["einsum"]


def einsum(equation, *operands):
    """Multiply tensors and sum over axes as an equation says: each operand's axes are named by letters.

    A letter that the result does not name is summed over; a letter twice in one operand means its diagonal; ``...`` stands
    for any axes, which broadcast. Without ``->`` the result has the letters that occur once, in the order of the alphabet.

    Args:
        equation: such as ``'bij,bjk->bik'``.
        operands: Tensors.

    >>> x = paddle.to_tensor([[1., 2.], [3., 4.]])
    >>> paddle.einsum('ij,jk->ik', x, x).tolist()
    [[7.0, 10.0], [15.0, 22.0]]
    >>> float(paddle.einsum('ii->', x))
    5.0
    """
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = operands[0]
    if not operands:
        raise ValueError("einsum(): at least one operand is needed")
    items = [as_tensor(x, "einsum", "operands") for x in operands]
    kind = numpy_dtype(items[0])
    for x in items[1:]:
        kind = common_dtype(kind, numpy_dtype(x))
    items = [cast(x, kind) for x in items]
    symbolic = any(isinstance(x, Symbolic) for x in items)
    return einsum_ops.record(equation, items) if symbolic else einsum_ops.contract(equation, items)
