"""Static programs on several ranks: gradients are averaged by operators of the program itself."""

from ...static.optimize import append_gradients, append_updates
from ...static.program import program as program_module
from ..group import get_world_size
from ..ops import c_allreduce_sum


class ProgramOptimizer:
    """An optimizer whose ``minimize`` adds the averaging over ranks between backward and updates.

    The startup program ends with every parameter taking rank 0's value.
    """

    def __init__(self, optimizer, strategy):
        for name in ("sharding", "gradient_merge"):
            if getattr(strategy, name):
                raise NotImplementedError(f"fleet.distributed_optimizer(): strategy.{name} is not supported in static programs")
        self._inner = optimizer

    def __getattr__(self, name):
        return getattr(self._inner, name)

    def minimize(self, loss, startup_program=None, parameters=None, no_grad_set=None):
        """Add backward, averages and updates; returns (update operators, pairs of parameter and gradient)."""
        if get_world_size() < 2:
            return self._inner.minimize(loss, startup_program, parameters, no_grad_set)
        startup = startup_program or program_module.default_startup_program()
        pairs = append_gradients(self._inner, loss, startup, parameters, no_grad_set)
        if not pairs:
            raise ValueError(f"minimize(): the loss {loss.name} depends on no trainable parameter")
        program = loss.block.program
        with program_module.program_guard(program, startup):
            pairs = [(p, c_allreduce_sum(g) * (1.0 / get_world_size())) for p, g in pairs]
        block = startup.global_block()
        for p in program.all_parameters():
            block.append_op("c_broadcast", {"X": block.var(p.name)}, {"Out": block.var(p.name)}, {"root": 0, "ring_id": 0})
        return append_updates(self._inner, pairs, startup), pairs
