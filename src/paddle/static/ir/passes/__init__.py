"""Passes: small rewrites of a Graph before it is made into a Plan. Each is a function of a Graph, in a file of its own.

``FLAGS_static_disabled_passes`` names passes to leave out everywhere (with commas between them; ``all`` for all).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....core import flags
from . import (
    channel_blocks,
    common_subexpressions,
    constants,
    dead_code,
    early_shapes,
    early_slices,
    expand_batch_norm,
    expand_rnn,
    fold_batch_norm,
    fold_linear,
    fuse_conv,
    fuse_elementwise,
    fuse_linear,
    group_updates,
    identity,
    keep_runs,
    known_shapes,
    pool_index,
    quantized,
    running_sums,
    transposes,
    unread_outputs,
)

if TYPE_CHECKING:
    from ..graph import Graph

flags.define("FLAGS_static_disabled_passes", "", "passes that programs are run without, e.g. 'fuse_conv,constants' or 'all'")

PASSES = {  # name -> pass, in the order in which they run
    "quantized": quantized.run,
    "fold_batch_norm": fold_batch_norm.run,
    "identity": identity.run,
    "expand_batch_norm": expand_batch_norm.run,
    "expand_rnn": expand_rnn.run,
    "transposes": transposes.run,
    "common_subexpressions": common_subexpressions.run,
    "fuse_conv": fuse_conv.run,
    "fuse_linear": fuse_linear.run,
    "fold_linear": fold_linear.run,
    "early_slices": early_slices.run,
    "channel_blocks": channel_blocks.run,
    "constants": constants.run,
    "pool_index": pool_index.run,
    "keep_runs": keep_runs.run,
    "known_shapes": known_shapes.run,
    "unread_outputs": unread_outputs.run,
    "running_sums": running_sums.run,
    "fuse_elementwise": fuse_elementwise.run,
    "group_updates": group_updates.run,
    "early_shapes": early_shapes.run,
    "dead_code": dead_code.run,  # what the others left behind
}


# for programs whose parameters are constants
FROZEN = ("quantized", "fold_batch_norm", "fold_linear", "early_slices", "channel_blocks")


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
    for name, run in PASSES.items():
        if name not in skip:
            run(graph)
    return graph
