"""fluid.executor: Executor with the scope helpers, and ParallelExecutor as one process."""

import numpy as np

from ..base.executor import FetchHandler  # noqa: F401
from ..core.addresses import lookup as _lookup
from ..core.context import changed
from ..core.errors import describe
from ..static import CompiledProgram, global_scope, scope_guard  # noqa: F401
from ..static import Executor as ModernExecutor
from ..static.feeds import _as_lodtensor  # noqa: F401
from ..static.program.program import default_main_program
from . import state


def as_numpy(tensor):
    """The array of a LoDTensor, or the list of those of several; one with sequence lengths has no array of its own (1.x;
    successor: numpy.array)."""
    if isinstance(tensor, (list, tuple)):
        return [as_numpy(one) for one in tensor]
    if getattr(tensor, "lod", None) is not None and tensor.lod():
        raise RuntimeError("as_numpy(): the tensor has sequence lengths, which an array can't hold; use return_numpy=False")
    return np.array(tensor)


def _fetch_var(name, scope=None, return_numpy=True):
    """The value of a variable of a scope (1.x; successor: Scope.find_var)."""
    if not isinstance(name, str):
        raise TypeError(f"_fetch_var(): name must be a str, got {describe(name)}")
    found = (global_scope() if scope is None else scope).find_var(name)
    if found is None:
        raise ValueError(f"_fetch_var(): the scope has no variable {name!r}; a persistable one has a value after a run")
    tensor = found.get_tensor()
    return as_numpy(tensor) if return_numpy else tensor


class Executor(ModernExecutor):
    """Runs programs by the rules of fluid: lenient feeds, and fetched arrays of one element that convert to numbers (1.x;
    successor: paddle.static.Executor)."""

    def run(self, *args, **kwargs):
        """Run a program once and return the fetched values; see paddle.static.Executor.run."""
        with changed(own_rules=state.rules_of_fluid()):
            return super().run(*args, **kwargs)


class ParallelExecutor:
    """Runs a program on as many places as the environment variable CPU_NUM says, which divide every batch (1.x; successor:
    paddle.DataParallel).

    With ``num_trainers`` above 1, on ranks of ``paddle.distributed.launch``, gradients are averaged over them too.
    """

    def __init__(self, use_cuda, loss_name=None, main_program=None, share_vars_from=None, exec_strategy=None,
                 build_strategy=None, num_trainers=1, trainer_id=0, scope=None):
        self._scope, self._executor = scope, Executor()
        self._compiled = CompiledProgram(main_program or default_main_program()).with_data_parallel(
            loss_name, build_strategy, exec_strategy, share_vars_from and share_vars_from._compiled)
        if num_trainers != 1:
            from ..distributed.fleet.programs import average_gradients, check_trainers  # one process needs nothing of it
            from ..distributed.group import init_parallel_env  # only a job of several processes needs the room
            check_trainers("ParallelExecutor", num_trainers, trainer_id)
            init_parallel_env()
            average_gradients(self._compiled._program)

    @property
    def device_count(self):
        """How many places there are."""
        return self._compiled.place_count

    def run(self, fetch_list, feed=None, feed_dict=None, return_numpy=True):
        """Run the program once; see paddle.static.Executor.run."""
        return self._executor.run(self._compiled, feed if feed is not None else feed_dict, fetch_list, scope=self._scope,
                                  return_numpy=return_numpy)

    def drop_local_exe_scopes(self):
        """Nothing but what places have for themselves is kept between runs."""


__getattr__ = _lookup(__name__)
