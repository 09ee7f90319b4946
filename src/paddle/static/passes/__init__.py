"""Passes: small rewrites of a Graph before it is made into a Plan. Each is a function of a Graph, in a file of its own."""

from . import common_subexpressions, constants, dead_code, fuse_conv, fuse_linear, group_updates, identity, pool_index

PASSES = {  # name -> pass, in the order in which they run
    "dead_code": dead_code.run,
    "identity": identity.run,
    "common_subexpressions": common_subexpressions.run,
    "constants": constants.run,
    "fuse_conv": fuse_conv.run,
    "fuse_linear": fuse_linear.run,
    "pool_index": pool_index.run,
    "group_updates": group_updates.run,
    "dead_code_again": dead_code.run,
}


def names():
    """The passes in the order in which they run.

    >>> from paddle.static import passes
    >>> 'dead_code' in passes.names()
    True
    """
    return list(PASSES)


def apply(graph, skip=()):
    """Run all passes but those named in ``skip`` on a Graph, which changes."""
    for name, run in PASSES.items():
        if name not in skip:
            run(graph)
    return graph
