"""fluid.embedding and fluid.one_hot of 1.6: ids without a trailing axis of size 1."""

from ..core.addresses import lookup as _lookup
from ..nn import functional as F
from ..ops.nn.embedding import one_hot as one_hot_op
from ..utils import naming
from .layers.nn import helper_parameter
from .state import fluid_call

__all__ = ["embedding", "one_hot"]


@fluid_call
def embedding(input, size, is_sparse=False, is_distributed=False, padding_idx=None, param_attr=None, dtype="float32"):
    """Rows of a table of its own by id (1.x; successor: paddle.static.nn.embedding)."""
    with naming.owner("embedding") as kind:
        return F.embedding(input, helper_parameter(kind, param_attr, list(size), dtype), padding_idx, is_sparse)


@fluid_call
def one_hot(input, depth, allow_out_of_range=False):
    """One-hot rows (1.x; successor: paddle.nn.functional.one_hot)."""
    return one_hot_op(input, depth=int(depth), allow_out_of_range=allow_out_of_range)


__getattr__ = _lookup(__name__)
