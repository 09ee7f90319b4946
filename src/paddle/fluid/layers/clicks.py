"""fluid.layers: functions of click-through models, and similarity focus."""

from ...core.context import context
from ...core.errors import check_type, describe
from ...core.op import Symbolic
from ...core.tensor import Tensor
from ...ops.legacy import clicks
from ...ops.nn import embedding as rows
from ...static.program.variable import SELECTED_ROWS
from ..state import fluid_call

__all__ = ["continuous_value_model", "hash", "filter_by_instag", "similarity_focus", "merge_selected_rows",
           "get_tensor_from_selected_rows"]


@fluid_call
def continuous_value_model(input, cvm, use_cvm=True):
    """Shows and clicks in the first two columns as logarithms, or left out (1.x; successor: compose it from paddle.log)."""
    return clicks.cvm(input, cvm, use_cvm=bool(use_cvm))


@fluid_call
def hash(input, hash_size, num_hash=1, name=None):
    """Rows of ids as ``num_hash`` numbers below ``hash_size`` (1.x; successor: none)."""
    return clicks.hash_ids(input, int(num_hash), int(hash_size))


@fluid_call
def filter_by_instag(ins, ins_tag, filter_tag, is_lod, out_val_if_empty=0):
    """[instances with a wanted tag, their loss weights] (1.x; successor: paddle.masked_select)."""
    return list(clicks.filter_by_instag(ins, ins_tag, filter_tag, is_lod=bool(is_lod), out_val_if_empty=int(out_val_if_empty))[:2])


@fluid_call
def similarity_focus(input, axis, indexes, name=None):
    """Ones at the largest values of chosen slices that share no row and no column (1.x; successor: none)."""
    return clicks.similarity_focus(input, int(axis), [int(k) for k in indexes])


@fluid_call
def merge_selected_rows(x, name=None):
    """The gradient of an embedding with rows of one id added up (1.x; successor: paddle.nn.clip.merge_selected_rows)."""
    return rows.merge_selected_rows(x)


@fluid_call
def get_tensor_from_selected_rows(x, name=None):
    """The values of the gradient of an embedding (1.x; successor: paddle.nn.clip.get_tensor_from_selected_rows)."""
    check_type(x, (Symbolic, Tensor), "get_tensor_from_selected_rows", "x")
    if context.rules.checks and isinstance(x, Symbolic) and x.kind != SELECTED_ROWS:
        raise TypeError(f"get_tensor_from_selected_rows(): x must be selected rows, got {describe(x)}")
    return rows.get_tensor_from_selected_rows(x)
