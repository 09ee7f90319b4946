"""fluid.executor: Executor with the scope helpers, and ParallelExecutor as one process."""

from ..core.addresses import lookup as _lookup
from ..core.context import changed
from ..static import Executor as ModernExecutor
from ..static import global_scope, scope_guard  # noqa: F401
from ..static.program.program import default_main_program
from . import state


class Executor(ModernExecutor):
    """Runs programs by the rules of fluid: lenient feeds, and fetched arrays of one element that convert to numbers (1.x;
    successor: paddle.static.Executor)."""

    def run(self, *args, **kwargs):
        """Run a program once and return the fetched values; see paddle.static.Executor.run."""
        with changed(own_rules=state.rules_of_fluid()):
            return super().run(*args, **kwargs)


class ParallelExecutor:
    """Runs a program on all threads of one process (1.x; successor: paddle.static.Executor)."""

    def __init__(self, use_cuda, loss_name=None, main_program=None, share_vars_from=None, exec_strategy=None,
                 build_strategy=None, num_trainers=1, trainer_id=0, scope=None):
        if num_trainers != 1:
            raise NotImplementedError("ParallelExecutor(): several trainers run through paddle.distributed.launch")
        self._program, self._scope, self._executor = main_program or default_main_program(), scope, Executor()

    @property
    def device_count(self):
        """1: one process."""
        return 1

    def run(self, fetch_list, feed=None, feed_dict=None, return_numpy=True):
        """Run the program once."""
        return self._executor.run(self._program, feed if feed is not None else feed_dict, fetch_list, scope=self._scope,
                                  return_numpy=return_numpy)

    def drop_local_exe_scopes(self):
        """Nothing is kept between runs."""


__getattr__ = _lookup(__name__)
