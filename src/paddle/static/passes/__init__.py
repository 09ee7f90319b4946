"""Passes: small rewrites of a Graph before it is made into a Plan. Each is a function of a Graph, in a file of its own."""

from . import dead_code

PASSES = {  # name -> pass, in the order in which they run
    "dead_code": dead_code.run,
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
