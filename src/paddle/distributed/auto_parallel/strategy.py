"""The settings of ``fleet.auto.Engine``."""

from ...core.addresses import lookup as _lookup
from .model import Strategy as _Strategy


class Strategy(_Strategy):
    """Settings of an ``Engine``: those of ``dist.Strategy`` and more, which can be set afterwards.

    ``recompute.enable`` keeps less memory and changes no value. What would change how a model is computed or tuned (``qat``,
    ``tuning``, auto_mode "full") is refused by the Engine.

    >>> from paddle.distributed.fleet import auto
    >>> strategy = auto.Strategy()
    >>> strategy.sharding.enable, strategy.sharding.stage = True, 2
    >>> strategy.auto_mode, strategy.sharding.degree
    ('semi', 8)
    """

    _PLAIN = {"auto_mode": "semi", "gradient_scale": True, "use_cache": True, "return_numpy": True, "all_ranks": False,
              "split_data": True, "seed": None, "reinit": False}
    _DEFAULTS = {**_Strategy._DEFAULTS,
                 "recompute": {"enable": False, "checkpoints": [], "no_recompute_segments": [], "sr": 0,
                               "refined_ops_patterns": [], "enable_tuning": False},
                 "qat": {"enable": False, "channel_wise_abs_max": True, "weight_bits": 8, "activation_bits": 8,
                         "not_quant_pattern": ["skip_quant"], "algo": None},
                 "tuning": {"enable": False, "profile_start_step": 1, "profile_end_step": 1, "run_after_tuning": True}}

    def __init__(self, config=None):
        plain = {k: v for k, v in config.items() if k in self._PLAIN} if isinstance(config, dict) else {}
        super().__init__({k: v for k, v in config.items() if k not in plain} if isinstance(config, dict) else config)
        for name, value in {**self._PLAIN, **plain}.items():
            setattr(self, name, value)


__getattr__ = _lookup(__name__)
