"""Einstein's summation; ops/linalg/einsum.py takes equations apart."""

import string

from ..core.errors import ArgumentError
from ..core.op import Symbolic
from ..ops.linalg import einsum as einsum_ops
from .convert import as_tensor, cast, common_dtype, numpy_dtype
from .creation import eye

__all__ = ["einsum"]


def einsum(equation, *operands):
    """Multiply tensors and sum over axes as an equation says: each operand's axes are named by letters.

    A letter that the result does not name is summed over; a letter twice in one operand means its diagonal; ``...`` stands
    for any axes, which broadcast; a letter twice in the result puts values on a diagonal of zeros.
    Without ``->`` the result has the letters that occur once, in the order of the alphabet.

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
        raise ArgumentError("einsum(): at least one operand is needed")
    items = [as_tensor(x, "einsum", "operands") for x in operands]
    kind = numpy_dtype(items[0])
    for x in items[1:]:
        kind = common_dtype(kind, numpy_dtype(x))
    equation, items = _with_diagonals(equation, [cast(x, kind) for x in items], kind)
    symbolic = any(isinstance(x, Symbolic) for x in items)
    return einsum_ops.record(equation, items) if symbolic else einsum_ops.contract(equation, items)


def _with_diagonals(equation, items, kind):
    """The same with no letter twice in the result: a copy has a letter of its own, and an identity matrix joins the two."""
    left, arrow, right = equation.replace(" ", "").partition("->") if isinstance(equation, str) else ("", "", "")
    letters = right.replace("...", "")
    if len(set(letters)) == len(letters):
        return equation, items
    spare, terms, out = iter(sorted(set(string.ascii_letters) - set(left))), left.split(","), ""
    for ch in right:
        term = next((k for k, term in enumerate(terms[:len(items)]) if ch in term), None)
        if ch != "." and ch in out and term is not None:
            before, dots, after = terms[term].partition("...")
            axis = before.index(ch) if ch in before else after.index(ch) - len(after)
            size = items[term].shape[axis]
            if size < 0:
                raise ValueError(f"einsum(): the result {right!r} of {equation!r} names {ch!r} twice, whose size is not known")
            copy = next(spare)
            terms, items = [*terms, ch + copy], [*items, eye(size, dtype=kind.name)]
            ch = copy
        out += ch
    return f"{','.join(terms)}->{out}", items
