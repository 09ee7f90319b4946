"""fleet 1.x in collective mode: programs whose gradients are averaged over ranks by operators of their own."""

from .....core.errors import describe
from .....distributed.fleet.fleet import Fleet
from .....distributed.fleet.programs import ProgramOptimizer
from .....distributed.fleet.roles import PaddleCloudRoleMaker
from .....distributed.fleet.strategy import DistributedStrategy as ModernStrategy
from .....static import BuildStrategy, CompiledProgram, ExecutionStrategy, default_main_program, default_startup_program
from .... import io
from ....contrib import mixed_precision
from ....optimizer import RecomputeOptimizer

__all__ = ["Collective", "CollectiveOptimizer", "DistributedStrategy", "TrainStatus", "fleet"]


class TrainStatus:
    """How far training came: the number of the last epoch, -1 before the first. (1.x; successor: a number of one's own)"""

    def __init__(self, epoch_no=-1):
        self._epoch_no = epoch_no

    def next(self):
        """The number of the next epoch."""
        return self._epoch_no + 1

    def __eq__(self, other):
        return isinstance(other, TrainStatus) and self._epoch_no == other._epoch_no

    def __hash__(self):
        return hash(self._epoch_no)


class DistributedStrategy(BuildStrategy):
    """Settings of a collective job. (1.x; successor: paddle.distributed.fleet.DistributedStrategy)

    Gradients are averaged after backward, in both modes (``"nccl2"`` and ``"collective"``). ``forward_recompute`` and ``use_amp``
    wrap the optimizer; local SGD and classifiers cut over ranks raise when the optimizer is made.
    """

    _DEFAULTS = {**BuildStrategy._DEFAULTS, "use_local_sgd": False, "use_dist_fc": False, "forward_recompute": False,
                 "use_amp": False, "dist_fc_config": None, "mode": "nccl2", "collective_mode": None, "recompute_checkpoints": (),
                 "amp_loss_scaling": 2**15, "exec_strategy": None}

    def __init__(self):
        super().__init__()
        self.exec_strategy = ExecutionStrategy()

    def check(self):
        """Raise for what is not supported."""
        for name in ("use_local_sgd", "use_dist_fc"):
            if getattr(self, name):
                raise NotImplementedError(f"fleet.collective.DistributedStrategy.{name} is not supported")
        if self.collective_mode not in (None, "grad_allreduce"):
            raise NotImplementedError(f"fleet.collective.DistributedStrategy.collective_mode={self.collective_mode!r} is not "
                                      "supported; 'grad_allreduce' is")


class CollectiveOptimizer(ProgramOptimizer):
    """An optimizer of a collective job. (1.x; successor: paddle.distributed.fleet.distributed_optimizer)"""

    def __init__(self, optimizer, strategy=None):
        strategy = strategy or DistributedStrategy()
        if not isinstance(strategy, DistributedStrategy):
            raise TypeError(f"CollectiveOptimizer(): strategy must be a DistributedStrategy, got {describe(strategy)}")
        strategy.check()
        if strategy.forward_recompute:
            if not isinstance(strategy.recompute_checkpoints, (list, tuple)):
                raise ValueError("CollectiveOptimizer(): recompute_checkpoints must be a list, got "
                                 f"{describe(strategy.recompute_checkpoints)}")
            optimizer = RecomputeOptimizer(optimizer)
            optimizer._set_checkpoints(list(strategy.recompute_checkpoints))
        if strategy.use_amp:
            optimizer = mixed_precision.decorate(optimizer, init_loss_scaling=strategy.amp_loss_scaling,
                                                 use_dynamic_loss_scaling=True)
        self._strategy = strategy
        super().__init__(optimizer, ModernStrategy())

    def minimize(self, loss, startup_program=None, parameter_list=None, no_grad_set=None):
        """Add backward, averages over ranks and updates to the program, which becomes ``fleet.main_program``."""
        if loss is None:
            raise ValueError("CollectiveOptimizer.minimize(): loss must be a Variable, got None")
        result = super().minimize(loss, startup_program, parameter_list, no_grad_set)
        fleet._origin_program = loss.block.program
        fleet.main_program = CompiledProgram(fleet._origin_program, self._strategy)
        fleet.startup_program = startup_program or default_startup_program()
        return result


class Collective(Fleet):
    """The workers of a collective job. (1.x; successor: paddle.distributed.fleet)

    ``main_program`` and ``startup_program`` are there after ``minimize`` of the distributed optimizer.
    """

    def __init__(self):
        super().__init__()
        self.main_program = self.startup_program = self._origin_program = None

    def init(self, role_maker=None):
        """Join the other workers, by default those of the launcher."""
        return super().init(role_maker or PaddleCloudRoleMaker(is_collective=True))

    def distributed_optimizer(self, optimizer, strategy=None):
        """The optimizer with averages over all workers."""
        self._ready("distributed_optimizer")
        self._optimizer = CollectiveOptimizer(optimizer, strategy)
        return self._optimizer

    def split_files(self, files):
        """This worker's part of a list of files."""
        return self.util.get_file_shard(files)

    def run_worker(self, main_programs=None, scopes=None):
        """Refused: a collective worker runs its program with an Executor."""
        raise NotImplementedError("fleet.run_worker(): parameter servers are not supported; an Executor runs fleet.main_program")

    def init_server(self, model_dir=None):
        """Refused: there is no parameter server."""
        raise NotImplementedError("fleet.init_server(): parameter servers are not supported")

    def run_server(self):
        """Refused: there is no parameter server."""
        raise NotImplementedError("fleet.run_server(): parameter servers are not supported")

    def save_inference_model(self, executor, dirname, feeded_var_names=None, target_vars=None, main_program=None,
                             export_for_deployment=True):
        """``fluid.io.save_inference_model`` of the main program."""
        program = main_program or self._origin_program or default_main_program()
        return io.save_inference_model(dirname, feeded_var_names, target_vars, executor, program,
                                       export_for_deployment=export_for_deployment)

    def save_persistables(self, executor, dirname, main_program=None, filename=None):
        """``fluid.io.save_persistables`` of the main program."""
        io.save_persistables(executor, dirname, main_program or self._origin_program or default_main_program(), filename)


fleet = Collective()
