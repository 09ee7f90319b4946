"""fluid.layers: the functions that 1.x programs build networks from, static outside a guard, eager inside."""

from ...core.addresses import find as _find_address
from . import (
    beams,
    blocks,
    cells,
    clicks,
    control_flow,
    decoders,
    detection,
    device,
    distributions,
    image,
    learning_rate_scheduler,
    loss,
    misc,
    nn,
    proposals,
    rank_table,
    readers,
    recurrent,
    sampled,
    sequence,
    ssd,
    tensor,
    tensors,
    utils,  # noqa: F401
)
from .common import activate  # noqa: F401
from .ops import TABLE, find

_HELPERS = ("fluid_call", "dim_arg", "elementwise", "reduction", "helper_parameter", "at_least_1d", "activate", "as_variable",
            "need_variables", "RankTable", "rows_where", "single")


def _functions(module):
    """The public functions and classes that a module of this folder defines."""
    names = getattr(module, "__all__", None) or [
        n for n, v in vars(module).items() if callable(v) and getattr(v, "__module__", "").startswith("paddle.fluid")]
    return {n: vars(module)[n] for n in names if not n.startswith("_") and n not in _HELPERS}


_OWN = {}
for _module in (tensor, nn, loss, image, misc, control_flow, learning_rate_scheduler, sequence, rank_table, recurrent,
                blocks, beams, sampled, readers, cells, decoders, detection, proposals, ssd, clicks, device, tensors,
                distributions):
    _OWN.update(_functions(_module))
globals().update(_OWN)
__all__ = sorted({*_OWN, *TABLE})


def __getattr__(name):
    found = find(name)
    if found is None:
        return _find_address(__name__, name, __all__)
    globals()[name] = found
    return found


def __dir__():
    return __all__
