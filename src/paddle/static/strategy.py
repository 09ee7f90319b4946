"""CompiledProgram and its strategies: which passes the Executor applies."""

import weakref

from ..core.errors import check_type, suggest
from ..core.place import CPUPlace
from ..core.place import convert as convert_place
from .ir import passes
from .program.parameters import cpu_places
from .program.program import GRAD, Program
from .shares import Shares


class _Settings:
    """Named settings with defaults; unknown names raise."""

    _DEFAULTS = {}

    def __init__(self):
        self.__dict__.update(self._DEFAULTS)

    def __setattr__(self, name, value):
        if name not in self._DEFAULTS:
            raise AttributeError(f"{type(self).__name__} has no setting {name!r}{suggest(name, self._DEFAULTS)}")
        self.__dict__[name] = value

    def __repr__(self):
        changed = {k: v for k, v in self.__dict__.items() if v != self._DEFAULTS[k]}
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in changed.items())})"


class BuildStrategy(_Settings):
    """Which rewrites a program gets before it runs.

    ``disabled_passes`` names passes (``paddle.static.ir.passes.names()``) to leave out. Of Paddle's settings these have a meaning
    here: ``fuse_elewise_add_act_ops``, ``fuse_gemm_epilogue``, ``fuse_all_optimizer_ops``, ``enable_auto_fusion``,
    ``enable_inplace`` and ``memory_optimize`` turn the passes off when set to False. The others concern GPUs or several
    devices and say nothing to one CPU.

    >>> strategy = paddle.static.BuildStrategy()
    >>> strategy.fuse_all_optimizer_ops = False
    """

    class ReduceStrategy:
        """How gradients of several devices meet; the sum is the same."""

        AllReduce, Reduce, _NoReduce = 0, 1, 2

    class GradientScaleStrategy:
        """How the loss of several places is scaled: by their number, not at all, or by the gradient that is fed for it."""

        CoeffNumDevice, One, Customized = 0, 1, 2

    _PASSES = {"fuse_elewise_add_act_ops": ("fuse_linear", "fuse_conv"), "fuse_gemm_epilogue": ("fuse_linear",),
               "fuse_all_optimizer_ops": ("group_updates",), "enable_auto_fusion": ("fuse_elementwise",),
               "enable_inplace": ("group_updates",), "memory_optimize": ()}
    _DEFAULTS = {
        **dict.fromkeys(_PASSES), "disabled_passes": (), "reduce_strategy": 0, "gradient_scale_strategy": 0,
        "debug_graphviz_path": "", "enable_sequential_execution": False, "remove_unnecessary_lock": True,
        "cache_runtime_context": False, "fuse_bn_act_ops": False, "fuse_bn_add_act_ops": True, "fuse_broadcast_ops": None,
        "fuse_all_reduce_ops": None, "fuse_relu_depthwise_conv": False, "fused_attention": False, "fused_feedforward": False,
        "fuse_adamw": False, "sync_batch_norm": False, "enable_addto": False, "enable_backward_optimizer_op_deps": True,
        "allow_cuda_graph_capture": False, "build_cinn_pass": False, "fix_op_run_order": False, "sequential_run": False,
        "async_mode": False, "is_distribution": False, "num_trainers": 1, "trainer_id": 0, "trainers_endpoints": [],
        "nccl_comm_num": 1, "bkcl_comm_num": 1, "use_hierarchical_allreduce": False,
        "hierarchical_allreduce_inter_nranks": 0, "mkldnn_enabled_op_types": set()}

    def skipped(self):
        """Names of the passes to leave out."""
        chosen = set(self.disabled_passes)
        unknown = chosen - set(passes.names())
        if unknown:
            raise ValueError(f"BuildStrategy: there is no pass {sorted(unknown)[0]!r}; passes: {', '.join(passes.names())}")
        for setting, names in self._PASSES.items():
            if getattr(self, setting) is False:
                chosen.update(names)
        return tuple(sorted(chosen))


class ExecutionStrategy(_Settings):
    """How several devices or threads share the work of a program; of no effect here, where kernels use all threads.

    >>> strategy = paddle.static.ExecutionStrategy(); strategy.num_threads = 2
    """

    _DEFAULTS = {"num_threads": 0, "num_iteration_per_drop_scope": 100, "num_iteration_per_run": 1, "allow_op_delay": False,
                 "use_thread_barrier": False, "use_cuda": False, "use_experimental_executor": False, "_dry_run": False,
                 "_use_device": 0}


class CompiledProgram:
    """A program with a BuildStrategy, for ``Executor.run``.

    >>> compiled = paddle.static.CompiledProgram(paddle.static.Program())
    """

    def __init__(self, program_or_graph, build_strategy=None):
        if hasattr(program_or_graph, "to_program"):  # a core.Graph
            program_or_graph = program_or_graph.to_program()
        check_type(program_or_graph, Program, "CompiledProgram", "program_or_graph")
        if build_strategy is not None:
            check_type(build_strategy, BuildStrategy, "CompiledProgram", "build_strategy")
        self._program, self._build_strategy = program_or_graph, build_strategy or BuildStrategy()
        self._seed, self._source, self._shares = None, None, None
        self.place_count, self._parallel, self._bound = 1, False, None

    _is_data_parallel = property(lambda self: self._parallel, doc="Was it told to run on several places? (1.5 to 2.4)")
    _places = property(lambda self: [CPUPlace()] * self.place_count if self._parallel else None, doc="The places it was given.")

    def skipped_passes(self):
        """Names of the passes that the strategy leaves out."""
        return self._build_strategy.skipped()

    def with_data_parallel(self, loss_name=None, build_strategy=None, exec_strategy=None, share_vars_from=None, places=None):
        """The program on several places, which divide every batch (1.x to 2.4; successor: paddle.DataParallel).

        Each place runs its share; the gradients are averaged (``gradient_scale_strategy`` ``One`` adds them up); what is fetched
        has the values of all places, one behind the other. On a CPU the places take turns, so one place is as fast. With
        ``build_strategy.num_trainers`` above 1, or after ``DistributeTranspiler.transpile``, gradients are averaged over the
        ranks of the launcher too.

        Args:
            loss_name: name of the loss, if the program trains.
            build_strategy, exec_strategy: see BuildStrategy, ExecutionStrategy.
            share_vars_from: the CompiledProgram that trains, to use what its places have for themselves (statistics of norms).
            places: the places; as many as the environment variable CPU_NUM says for None.
        """
        if share_vars_from is not None:
            check_type(share_vars_from, CompiledProgram, "CompiledProgram.with_data_parallel", "share_vars_from")
        places = cpu_places() if places is None else places if isinstance(places, (list, tuple)) else [places]
        for place in places:
            convert_place(place, "CompiledProgram.with_data_parallel")
        if build_strategy is not None:
            self._build_strategy = build_strategy
        self.place_count, self._parallel, self._source = len(places), True, share_vars_from
        if loss_name is not None and self._build_strategy.gradient_scale_strategy == 0:  # CoeffNumDevice
            self._seed = loss_name + GRAD
        endpoints = getattr(self._program, "_trainers_endpoints", None) or []
        if max(self._build_strategy.num_trainers, len(endpoints)) > 1:
            from ..distributed.fleet.programs import average_gradients  # programs of one process need nothing of it
            average_gradients(self._program)
        return self

    def _compile(self, scope, place):
        """Bind the program to the scope and place of its first run: another one, or a source of variables that is not bound,
        raises ValueError."""
        if self._bound is None:
            if self._source is not None and not (self._source._parallel and self._source._bound):
                raise ValueError("CompiledProgram: share_vars_from must be a program with_data_parallel() that has run")
            self._bound = weakref.ref(scope), place
        bound, there = self._bound
        if bound() is not scope or there != place:
            raise ValueError(f"CompiledProgram: it has run in another {'place' if bound() is scope else 'scope'}; compile it anew")
        return self

    def shares(self):
        """The program cut for its places, anew if it has changed."""
        if self._shares is None or self._shares.version != (self._program.id, self._program.version):
            self._shares = Shares(self._program, self.place_count, self._seed, self._source and self._source.shares())
        return self._shares
