"""fluid.transpiler: changes of whole programs. Memory is planned by the Executor here; parameter servers are refused."""

import warnings

from ...core.addresses import lookup as _lookup
from ...core.errors import describe
from ...distributed.env import ParallelEnv
from ...distributed.fleet.programs import average_gradients, check_trainers, share_parameters
from ...distributed.group import init_parallel_env
from ...static.program.program import Program, default_main_program, default_startup_program
from .inference_transpiler import InferenceTranspiler

__all__ = ["memory_optimize", "release_memory", "DistributeTranspiler", "DistributeTranspilerConfig", "HashName", "RoundRobin",
           "InferenceTranspiler"]


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
    collective_mode, print_log, wait_port, nccl_comm_num = None, False, True, 1
    use_hierarchical_allreduce, hierarchical_allreduce_inter_nranks = False, 0


class DistributeTranspiler:
    """Makes a program one of several ranks' (1.x; successor: paddle.distributed.fleet).

    Modes ``"collective"`` (gradients are averaged by operators of the program) and ``"nccl2"`` (averaged when the program runs
    through ``CompiledProgram.with_data_parallel`` or ``ParallelExecutor``). Programs for parameter servers are refused.
    """

    def __init__(self, config=None):
        self.config = config or DistributeTranspilerConfig()
        if self.config.mode not in ("collective", "nccl2"):
            raise NotImplementedError(f"DistributeTranspiler(): mode {self.config.mode!r} makes programs for parameter servers, "
                                      "which are not supported; 'collective' and 'nccl2' are")
        if self.config.collective_mode not in (None, "grad_allreduce"):
            raise NotImplementedError(f"DistributeTranspiler(): collective_mode {self.config.collective_mode!r} is not supported; "
                                      "'grad_allreduce' is")

    def transpile(self, trainer_id, program=None, pservers="127.0.0.1:6174", trainers=1, sync_mode=True, startup_program=None,
                  current_endpoint="127.0.0.1:6174"):
        """Change the main and the startup program; ranks are those of ``paddle.distributed.launch``.

        Args:
            trainer_id, trainers: number of this rank, and of all (or their endpoints, joined by commas).
            pservers, sync_mode, current_endpoint: of parameter servers, and of a network that the launcher has set up.
        """
        check_trainers("DistributeTranspiler.transpile", trainers, trainer_id)
        init_parallel_env()
        self._program = program or default_main_program()
        startup = startup_program or default_startup_program()
        if self.config.mode == "collective":
            average_gradients(self._program, startup)
        else:
            self._program._trainers_endpoints = ParallelEnv().trainer_endpoints
            share_parameters(self._program, startup)

    def get_trainer_program(self, wait_port=True):
        """The main program of this rank."""
        return self._program

    def get_pserver_program(self, endpoint):
        """Refused: there is no parameter server."""
        raise NotImplementedError(f"get_pserver_program({endpoint!r}): parameter servers are not supported")


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
