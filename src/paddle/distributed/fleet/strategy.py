"""DistributedStrategy: how training is to be distributed. What is not supported can be noted, and fleet refuses it by name."""

# name -> value when nothing was set. These have an effect.
SETTINGS = {
    "find_unused_parameters": False,
    "fp16_allreduce": False,
    "fuse_all_reduce_ops": True,
    "fuse_grad_size_in_MB": 32,
    "last_comm_group_size_MB": 1,
    "gradient_merge": False,
    "sharding": False,
    "sync_batch_norm": False,
    "pipeline": False,
    "tensor_parallel": False,
    "amp": False,
    "lamb": False,
    "recompute": False,
}
OF_PROGRAMS = ("amp", "lamb", "recompute")  # switches that act on static programs, as in Paddle
CONFIGS = {
    "gradient_merge_configs": {"k_steps": 1, "avg": True},
    "sharding_configs": {"stage": 1},
    "pipeline_configs": {"accumulate_steps": 1, "micro_batch_size": 1, "schedule_mode": "1F1B", "p2p_cache_shape": True,
                         "enable_partial_send_recv": True},
    "amp_configs": {"init_loss_scaling": 32768.0, "incr_every_n_steps": 1000, "decr_every_n_nan_or_inf": 2, "incr_ratio": 2.0,
                    "decr_ratio": 0.8, "use_dynamic_loss_scaling": True, "custom_white_list": [], "custom_black_list": [],
                    "custom_black_varnames": [], "use_pure_fp16": False, "use_pure_bf16": False, "use_fp16_guard": True},
    "lamb_configs": {"lamb_weight_decay": 0.01, "exclude_from_weight_decay": []},
    "recompute_configs": {"checkpoints": []},
    "tensor_parallel_configs": {"tensor_parallel_degree": 1, "tensor_init_seed": -1},
    "hybrid_configs": {"dp_degree": -1, "mp_degree": 1, "pp_degree": 1, "sharding_degree": 1, "sep_degree": 1,
                       "order": ["dp", "pp", "sharding", "sep", "mp"], "mp_configs": {}, "pp_configs": {},
                       "sharding_configs": {}},
}
# Settings within hybrid_configs: (default, does another value change what is computed or left behind?). Such a value raises; the
# others tune how Paddle's GPUs overlap and fuse, which does not change results and does not apply here.
NESTED = {
    "mp_configs": {"sync_param": (True, False), "sync_grad": (False, True), "sync_moment": (False, True),
                   "sync_mode": ("broadcast", True), "mp_async_allreduce": (False, False), "mp_skip_c_identity": (False, False),
                   "mp_fused_linear_param_grad_add": (False, False), "need_broadcast_data": (True, False),
                   "recompute_allgather": (False, False), "sp_async_reduce_scatter": (False, False)},
    "pp_configs": {"dp_comm_overlap": (False, False), "delay_scale_loss": (False, False), "enable_timer": (False, True),
                   "sharding_comm_overlap": (False, False), "profiling": (False, True), "best_unbalanced_scheduler": (False, True),
                   "release_gradients": (False, True), "overlap_p2p_comm": (True, False), "clear_every_step_cache": (False, False)},
    "sharding_configs": {"tensor_fusion": (False, False), "accumulate_steps": (1, False), "comm_overlap": (False, False),
                         "split_param": (False, False), "fuse_optimizer": (True, False)},
}
# How Paddle's GPUs talk and choose kernels: results do not depend on it, and none of it applies here.
TUNING = {"build_strategy": None, "execution_strategy": None, "sync_nccl_allreduce": True, "nccl_comm_num": 1,
          "use_hierarchical_allreduce": False, "hierarchical_allreduce_inter_nranks": 1, "fuse_grad_size_in_num": 8,
          "fuse_grad_merge": False, "without_graph_optimization": True, "cudnn_exhaustive_search": False,
          "conv_workspace_size_limit": 512, "cudnn_batchnorm_spatial_persistent": False,
          "split_data": True}  # the last is read with semi_auto only
# Switches that fleet refuses when they are on; what is in <name>_configs counts with the switch only.
UNSUPPORTED = ("a_sync", "adam_d2sum", "adaptive_localsgd", "asp", "auto", "auto_search", "dgc", "elastic", "heter_ccl_mode",
               "is_fl_ps_mode", "lars", "localsgd", "qat", "semi_auto", "sparse_table", "with_coordinator")


class DistributedStrategy:
    """Settings of ``fleet.init``, as attributes.

    Supported: ``find_unused_parameters``, ``fp16_allreduce`` (where only batches are cut), ``fuse_grad_size_in_MB``,
    ``fuse_all_reduce_ops``, ``last_comm_group_size_MB``, ``gradient_merge`` (with ``gradient_merge_configs``), ``sharding``
    (stage 1), ``sync_batch_norm``, ``hybrid_configs``, ``pipeline_configs``, ``tensor_parallel_configs``. With anything else
    switched on, ``fleet.init`` and ``fleet.distributed_optimizer`` raise NotImplementedError. Settings that tune GPUs
    (``nccl_comm_num``, ``cudnn_exhaustive_search`` ...) are kept and change nothing.

    ``pipeline`` and ``tensor_parallel`` are switches of static programs; eager training follows ``hybrid_configs``. ``amp``,
    ``lamb`` and ``recompute`` (each with its ``_configs``) act on static programs, too; in eager training they warn.

    >>> strategy = paddle.distributed.fleet.DistributedStrategy()
    >>> strategy.find_unused_parameters = True
    """

    def __init__(self):
        self.__dict__.update({**SETTINGS, **TUNING, **dict.fromkeys(UNSUPPORTED, False)})
        self.__dict__.update({name: dict(value) for name, value in CONFIGS.items()})
        _check_hybrid(self.hybrid_configs, {})

    def __setattr__(self, name, value):
        if name in SETTINGS:
            wanted = type(SETTINGS[name])
            if not isinstance(value, (int, float) if wanted is int else wanted):
                raise TypeError(f"DistributedStrategy.{name} must be {wanted.__name__}, got {type(value).__name__}")
            self.__dict__[name] = value
        elif name in CONFIGS:
            self._configure(name, value)
        elif name in TUNING or name in UNSUPPORTED:
            wanted = bool if name in UNSUPPORTED else type(TUNING[name])
            if TUNING.get(name, False) is not None and not isinstance(value, wanted):
                raise TypeError(f"DistributedStrategy.{name} must be {wanted.__name__}, got {type(value).__name__}")
            self.__dict__[name] = value
        elif name.removesuffix("_configs") in UNSUPPORTED:
            if not isinstance(value, dict):
                raise TypeError(f"DistributedStrategy.{name} must be a dict, got {type(value).__name__}")
            self.__dict__[name] = dict(value)
        else:
            raise AttributeError(f"DistributedStrategy has no setting {name!r}; known: {', '.join([*SETTINGS, *CONFIGS])}")

    def __getattr__(self, name):
        if name != name.removesuffix("_configs") and name.removesuffix("_configs") in UNSUPPORTED:
            return {}
        raise AttributeError(f"DistributedStrategy has no setting {name!r}")

    def unsupported(self):
        """Names of what is switched on and not supported."""
        return [name for name in UNSUPPORTED if self.__dict__[name]]

    def _configure(self, name, value):
        if not isinstance(value, dict):
            raise TypeError(f"DistributedStrategy.{name} must be a dict, got {type(value).__name__}")
        unknown = sorted(set(value) - set(CONFIGS[name]))
        if unknown:
            raise ValueError(f"DistributedStrategy.{name}: unknown {', '.join(unknown)}; known: {', '.join(CONFIGS[name])}")
        merged = {**self.__dict__[name], **value}
        if name == "hybrid_configs":
            _check_hybrid(merged, value)
        if name == "pipeline_configs":
            _check_pipeline(merged)
        if name == "sharding_configs" and merged["stage"] != 1:
            raise NotImplementedError(f"DistributedStrategy.sharding_configs: stage {merged['stage']} is not supported, "
                                      "1 is")
        if name == "gradient_merge_configs" and merged["k_steps"] < 1:
            raise ValueError(f"DistributedStrategy.gradient_merge_configs: k_steps must be positive, got "
                             f"{merged['k_steps']}")
        self.__dict__[name] = merged

    def __repr__(self):
        return "DistributedStrategy(" + ", ".join(f"{k}={v!r}" for k, v in sorted(self.__dict__.items())) + ")"


def _check_hybrid(merged, given):
    """Check the degrees and the settings within; fills the settings up with their defaults."""
    for key in ("dp_degree", "mp_degree", "pp_degree", "sharding_degree", "sep_degree"):
        if not isinstance(merged[key], int) or merged[key] < -1:
            raise ValueError(f"DistributedStrategy.hybrid_configs: {key} must be a number of ranks or -1, got {merged[key]!r}")
    if sorted(merged["order"]) != sorted(CONFIGS["hybrid_configs"]["order"]):
        raise ValueError(f"DistributedStrategy.hybrid_configs: order must name dp, pp, sharding, sep and mp once each, got "
                         f"{merged['order']!r}")
    for key, known in NESTED.items():
        settings = given.get(key, {})
        unknown = sorted(set(settings) - set(known))
        if unknown:
            raise ValueError(f"DistributedStrategy.hybrid_configs: {key} has no {', '.join(unknown)}; known: {', '.join(known)}")
        for name, value in settings.items():
            default, fixed = known[name]
            if fixed and value != default:
                raise NotImplementedError(f"DistributedStrategy.hybrid_configs: {key}[{name!r}]={value!r} is not supported")
        merged[key] = Settings({**{name: default for name, (default, _) in known.items()}, **merged[key]})


def _check_pipeline(merged):
    for key in ("accumulate_steps", "micro_batch_size"):
        if not isinstance(merged[key], int) or merged[key] < 1:
            raise ValueError(f"DistributedStrategy.pipeline_configs: {key} must be a positive number, got {merged[key]!r}")
    if merged["schedule_mode"] not in ("1F1B", "F-then-B"):
        raise ValueError(f"DistributedStrategy.pipeline_configs: schedule_mode must be '1F1B' or 'F-then-B', got "
                         f"{merged['schedule_mode']!r}")


class Settings(dict):
    """A dict whose entries are attributes too, as programs read the settings within hybrid_configs."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"hybrid_configs: no setting {name!r}; there are {', '.join(self)}") from None
