"""Settings of 2.6's bytecode translator that are taken from the environment."""

import contextlib

from ....core.addresses import lookup as _lookup
from ....utils.environments import BooleanEnvironmentVariable, EnvironmentVariableGuard, IntegerEnvironmentVariable

# Paddle runs a piece of a program with fewer operators than this eagerly; here a traced function is one program of any size,
# with the same results.
ENV_MIN_GRAPH_SIZE = IntegerEnvironmentVariable("MIN_GRAPH_SIZE", 10)


# Paddle raises errors of its own translator where this is set; errors here are always raised.
ENV_STRICT_MODE = BooleanEnvironmentVariable("STRICT_MODE", False)
# Paddle measures whether a translated function is quicker than the eager one; here it is taken in any case.
ENV_COST_MODEL = BooleanEnvironmentVariable("COST_MODEL", False)
# Paddle's translator takes ``while`` and ``for`` over tensors apart from other code; here they are always translated.
ENV_SOT_WITH_CONTROL_FLOW = BooleanEnvironmentVariable("SOT_WITH_CONTROL_FLOW", True)


def _guard(variable):
    @contextlib.contextmanager
    def guard(value):
        with EnvironmentVariableGuard(variable, value):
            yield

    guard.__doc__ = f"Set ``{variable.name}`` in a block. It tunes Paddle's translator; results do not depend on it."
    return guard


min_graph_size_guard = _guard(ENV_MIN_GRAPH_SIZE)
strict_mode_guard = _guard(ENV_STRICT_MODE)
cost_model_guard = _guard(ENV_COST_MODEL)
with_control_flow_guard = _guard(ENV_SOT_WITH_CONTROL_FLOW)

__getattr__ = _lookup(__name__)
