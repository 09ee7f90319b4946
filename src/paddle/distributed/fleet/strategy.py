"""DistributedStrategy: how training is to be distributed. What is not supported cannot be switched on."""

# name -> value when nothing was set. These have an effect.
SETTINGS = {
    "find_unused_parameters": False,
    "fuse_all_reduce_ops": True,
    "fuse_grad_size_in_MB": 32,
    "last_comm_group_size_MB": 1,
    "gradient_merge": False,
    "sharding": False,
    "sync_batch_norm": False,
}
CONFIGS = {
    "gradient_merge_configs": {"k_steps": 1, "avg": True},
    "sharding_configs": {"stage": 1},
    "hybrid_configs": {"dp_degree": -1, "mp_degree": 1, "pp_degree": 1, "sharding_degree": 1, "sep_degree": 1},
}
# Switches of Paddle that name something else than data parallelism, or another engine's tuning.
UNSUPPORTED = ("a_sync", "adaptive_localsgd", "amp", "asp", "auto", "auto_search", "dgc", "elastic",
               "fp16_allreduce", "fuse_grad_merge", "heter_ccl_mode", "is_fl_ps_mode", "lamb", "lars", "localsgd",
               "pipeline", "qat", "recompute", "semi_auto", "sparse_table", "tensor_parallel", "use_hierarchical_allreduce",
               "with_coordinator")


class DistributedStrategy:
    """Settings of ``fleet.init``, as attributes.

    Supported: ``find_unused_parameters``, ``fuse_grad_size_in_MB``, ``fuse_all_reduce_ops``, ``last_comm_group_size_MB``,
    ``gradient_merge`` (with ``gradient_merge_configs``), ``sharding`` (stage 1), ``sync_batch_norm``, ``hybrid_configs`` with
    data parallelism only. Switching anything else on raises NotImplementedError.

    >>> import paddle
    >>> strategy = paddle.distributed.fleet.DistributedStrategy()
    >>> strategy.find_unused_parameters = True
    """

    def __init__(self):
        self.__dict__.update(SETTINGS)
        self.__dict__.update({name: dict(value) for name, value in CONFIGS.items()})

    def __setattr__(self, name, value):
        if name in SETTINGS:
            wanted = type(SETTINGS[name])
            if not isinstance(value, (int, float) if wanted is int else wanted):
                raise TypeError(f"DistributedStrategy.{name} must be {wanted.__name__}, got {type(value).__name__}")
            self.__dict__[name] = value
        elif name in CONFIGS:
            self._configure(name, value)
        elif name in UNSUPPORTED:
            if value:
                raise NotImplementedError(f"DistributedStrategy.{name} is not supported; data parallelism is")
        elif name.removesuffix("_configs") in UNSUPPORTED:
            raise NotImplementedError(f"DistributedStrategy.{name} is not supported; data parallelism is")
        else:
            raise AttributeError(f"DistributedStrategy has no setting {name!r}; known: {', '.join([*SETTINGS, *CONFIGS])}")

    def __getattr__(self, name):
        if name in UNSUPPORTED:
            return False
        raise AttributeError(f"DistributedStrategy has no setting {name!r}")

    def _configure(self, name, value):
        if not isinstance(value, dict):
            raise TypeError(f"DistributedStrategy.{name} must be a dict, got {type(value).__name__}")
        unknown = sorted(set(value) - set(CONFIGS[name]))
        if unknown:
            raise ValueError(f"DistributedStrategy.{name}: unknown {', '.join(unknown)}; known: {', '.join(CONFIGS[name])}")
        merged = {**self.__dict__[name], **value}
        if name == "hybrid_configs":
            for key in ("mp_degree", "pp_degree", "sharding_degree", "sep_degree"):
                if merged[key] not in (1, 0, -1):
                    raise NotImplementedError(f"DistributedStrategy.hybrid_configs: {key}={merged[key]} is not supported; "
                                              "data parallelism (dp_degree) is")
        if name == "sharding_configs" and merged["stage"] != 1:
            raise NotImplementedError(f"DistributedStrategy.sharding_configs: stage {merged['stage']} is not supported, "
                                      "1 is")
        if name == "gradient_merge_configs" and merged["k_steps"] < 1:
            raise ValueError(f"DistributedStrategy.gradient_merge_configs: k_steps must be positive, got "
                             f"{merged['k_steps']}")
        self.__dict__[name] = merged

    def __repr__(self):
        return "DistributedStrategy(" + ", ".join(f"{k}={v!r}" for k, v in sorted(self.__dict__.items())) + ")"
