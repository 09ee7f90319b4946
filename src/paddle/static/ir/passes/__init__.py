"""Passes: small rewrites of a Graph before it is made into a Plan. Each is the function ``run`` of a Graph, in a file of its own,
which is imported when a graph has something for it.

``FLAGS_static_disabled_passes`` names passes to leave out everywhere (with commas between them; ``all`` for all).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ....core import flags
from ....core.addresses import late, names_of
from ..nodes.op import GradCall
from . import dead_code

if TYPE_CHECKING:
    from ..graph import Graph

flags.define("FLAGS_static_disabled_passes", "", "passes that programs are run without, e.g. 'fuse_conv,constants' or 'all'")


def _types(*types: str) -> Callable[[Graph], bool]:
    """Has a graph operators of these types?"""
    return lambda graph: any(node.type in types for node in graph.nodes)


def _gradients(graph: Graph) -> bool:
    """Has a graph gradients?"""
    return any(isinstance(node.call, GradCall) for node in graph.nodes)


def _always(graph: Graph) -> bool:
    return True


PASSES = {  # name -> is there something to do in a graph? In the order in which they run
    "quantized": _types(
        "dequantize_linear", "fake_quantize_dequantize_moving_average_abs_max", "fake_quantize_dequantize_abs_max",
        "fake_channel_wise_quantize_dequantize_abs_max", "fake_dequantize_max_abs", "fake_channel_wise_dequantize_max_abs"),
    "fold_batch_norm": _types("batch_norm"),
    "identity": _always,
    "expand_batch_norm": _types("batch_norm"),
    "expand_rnn": _types("rnn"),
    "transposes": _types("transpose2"),
    "common_subexpressions": _always,
    "fuse_conv": _types("conv2d", "depthwise_conv2d"),
    "fuse_linear": _types("matmul_v2"),
    "fold_linear": _types("linear_act"),
    "early_slices": _types("slice"),
    "fuse_attention": _types("softmax"),
    "whole_products": _types("on_grid"),
    "merge_linear": _types("linear_act"),
    "product_ends": _types("linear_act"),
    "channel_blocks": _types("conv_bias_act", "conv_add_act"),
    "constants": _always,
    "pool_index": _gradients,
    "keep_runs": _gradients,
    "known_shapes": lambda graph: graph.exact,
    "unread_outputs": _gradients,
    "running_sums": _types("sum"),
    "fuse_elementwise": _always,
    "group_updates": lambda graph: any(getattr(getattr(node.call, "op", None), "group", None) for node in graph.nodes),
    "early_shapes": _always,
    "dead_code": _always,  # what the others left behind
}
__getattr__, __dir__ = late(__name__, names_of({".": PASSES}, __name__))
# for programs whose parameters are constants
FROZEN = ("quantized", "fold_batch_norm", "fold_linear", "early_slices", "fuse_attention", "whole_products", "merge_linear",
          "channel_blocks")


def names() -> list[Any]:
    """The passes in the order in which they run.

    >>> from paddle.static.ir import passes
    >>> 'fuse_conv' in passes.names()
    True
    """
    return list(PASSES)


def disabled() -> tuple[Any, ...]:
    """Names of the passes that the flag turns off."""
    if not flags.value("FLAGS_static_disabled_passes"):
        return ()
    chosen = [name.strip() for name in flags.value("FLAGS_static_disabled_passes").split(",") if name.strip()]
    if "all" in chosen:
        return tuple(names())
    unknown = [name for name in chosen if name not in names()]
    if unknown:
        raise ValueError(f"FLAGS_static_disabled_passes: there is no pass {unknown[0]!r}; passes: {', '.join(names())}")
    return tuple(sorted(chosen))


def apply(graph: Graph, skip: set[Any] | tuple[Any, ...] = (), frozen: bool = False) -> Graph:
    """Run all passes but those named in ``skip`` or disabled by the flag on a Graph, which changes.

    ``frozen``: parameters are constants of the graph.
    """
    skip = {*skip, *disabled(), *(() if frozen else FROZEN)}
    dead_code.run(graph)  # in any case: it decides which inputs must be fed
    for name, concerns in PASSES.items():
        if name not in skip and concerns(graph):
            importlib.import_module("." + name, __name__).run(graph)
    return graph
