"""Settings of 2.6's bytecode translator that are taken from the environment."""

import contextlib

from ....core.addresses import lookup as _lookup
from ....utils.environments import EnvironmentVariableGuard, IntegerEnvironmentVariable

# Paddle runs a piece of a program with fewer operators than this eagerly; here a traced function is one program of any size,
# with the same results.
ENV_MIN_GRAPH_SIZE = IntegerEnvironmentVariable("MIN_GRAPH_SIZE", 10)


@contextlib.contextmanager
def min_graph_size_guard(value):
    """Set ``MIN_GRAPH_SIZE`` in a block. It tunes Paddle's translator; results do not depend on it."""
    with EnvironmentVariableGuard(ENV_MIN_GRAPH_SIZE, value):
        yield


__getattr__ = _lookup(__name__)
