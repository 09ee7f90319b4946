"""fluid.transpiler: changes of whole programs. Memory is planned by the Executor here; parameter servers are refused."""

import warnings

from ...core.addresses import lookup as _lookup
from ...core.errors import describe
from ...static.program.program import Program

__all__ = ["memory_optimize", "release_memory", "DistributeTranspiler", "DistributeTranspilerConfig", "HashName", "RoundRobin"]


def memory_optimize(input_program, skip_opt_set=None, print_log=False, level=0, skip_grads=True):
    """Nothing to do: the Executor plans memory itself, as from 1.6 on (1.x; successor: none needed)."""
    _noted(input_program, "memory_optimize")


def release_memory(input_program, skip_opt_set=None):
    """Nothing to do: the Executor plans memory itself, as from 1.6 on (1.x; successor: none needed)."""
    _noted(input_program, "release_memory")


def _noted(program, function):
    if not isinstance(program, Program):
        raise TypeError(f"{function}(): input_program must be a Program, got {describe(program)}")
    warnings.warn(f"{function}() changes nothing: the Executor plans memory by itself", stacklevel=3)


class DistributeTranspilerConfig:
    """Settings of DistributeTranspiler (1.x; successor: paddle.distributed.fleet.DistributedStrategy)."""

    slice_var_up, split_method, min_block_size, mode, sync_mode = True, None, 8192, "pserver", True


class DistributeTranspiler:
    """Refused: it made programs for parameter servers (1.x; successor: paddle.distributed.launch with paddle.DataParallel)."""

    def __init__(self, config=None):
        raise NotImplementedError("DistributeTranspiler(): parameter servers are not supported; run several processes with "
                                  "paddle.distributed.launch and paddle.DataParallel")


class _Dispatcher:
    """Which of several servers holds which variable."""

    def __init__(self, pserver_endpoints):
        self._eps, self._step = list(pserver_endpoints), 0

    @property
    def eps(self):
        """The servers."""
        return self._eps

    def reset(self):
        """Begin with the first server again."""
        self._step = 0


class HashName(_Dispatcher):
    """Servers by the variables' names (1.x; successor: none)."""

    def dispatch(self, varlist):
        """The server of each variable; the same name gives the same one in every process."""
        return [self._eps[sum(var.name.encode()) % len(self._eps)] for var in varlist]


class RoundRobin(_Dispatcher):
    """One server after the other (1.x; successor: none)."""

    def dispatch(self, varlist):
        """The server of each variable."""
        found = []
        for _ in varlist:
            found.append(self._eps[self._step % len(self._eps)])
            self._step += 1
        return found


__getattr__ = _lookup(__name__)
