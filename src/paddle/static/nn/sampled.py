"""Layers that know only some classes or only sums of what they saw: nce and data_norm."""

import numpy as np

from ...nn.activations import activate
from ...nn.initializer import Constant, XavierUniform
from ...nn.param_attr import ParamAttr
from ...ops.loss import nce as nce_ops
from ...ops.loss import sampled_softmax
from ...tensor.functions import assign
from .parameters import Parameters, check_input

__all__ = ["nce", "data_norm"]


def nce(input, label, num_total_classes, sample_weight=None, param_attr=None, bias_attr=None, num_neg_samples=None, name=None,
        sampler="uniform", custom_dist=None, seed=0, is_sparse=False):
    """Noise-contrastive estimation with a new weight and bias: the mean loss of each row's label among drawn classes, [N, 1].

    Args:
        sampler: 'uniform', 'log_uniform', or 'custom_dist', whose probabilities are ``custom_dist``.
        is_sparse: of no effect: gradients are dense.
    """
    check_input(input, "nce")
    if sampler not in nce_ops.SAMPLERS or (sampler == "custom_dist") != (custom_dist is not None):
        raise ValueError(f"nce(): sampler must be one of {', '.join(nce_ops.SAMPLERS)}, the last one with custom_dist, "
                         f"got {sampler!r}")
    with Parameters("nce", name, input.dtype) as make:
        w = make(param_attr, [num_total_classes, input.shape[1]], default=XavierUniform())
        b = make(bias_attr, [num_total_classes, 1], is_bias=True)
        distribution = [None] * 3
        if custom_dist is not None:
            chances = np.asarray(custom_dist, "float32")
            if chances.shape != (num_total_classes,):
                raise ValueError(f"nce(): custom_dist must have {num_total_classes} probabilities, got shape {list(chances.shape)}")
            distribution = [assign(a) for a in (chances, *nce_ops.alias_table(chances))]
        drawn = 10 if num_neg_samples is None else int(num_neg_samples)
        cost = nce_ops.nce(input, label, w, b, sample_weight, *distribution, int(num_total_classes), drawn,
                           nce_ops.SAMPLERS.index(sampler),
                           int(seed), bool(is_sparse))[0]
    return cost / float(drawn + 1)


def data_norm(input, act=None, epsilon=1e-05, param_attr=None, data_layout="NCHW", in_place=False, name=None,
              moving_mean_name=None, moving_variance_name=None, do_model_average_for_mean_and_var=True, slot_dim=-1,
              sync_stats=False, summary_decay_rate=0.9999999, enable_scale_and_shift=False):
    """Columns normalised by sums kept in parameters: counts, sums and sums of squares, trained like others.

    Args:
        param_attr: dict of first values: 'batch_size' (1e4), 'batch_sum' (0), 'batch_square' (1e4), 'scale_w', 'bias'.
        slot_dim, sync_stats: not supported (parameter servers).
        in_place, moving_mean_name, moving_variance_name, do_model_average_for_mean_and_var, summary_decay_rate: of no effect.
    """
    check_input(input, "data_norm")
    given = {"batch_size": 1e4, "batch_sum": 0.0, "batch_square": 1e4, "scale_w": 1.0, "bias": 0.0}
    if isinstance(param_attr, dict):
        given.update(param_attr)
    with Parameters("data_norm", name or "dn", input.dtype) as make:  # 2.6 names them so

        def column(first, suffix):
            attr = ParamAttr(name=f"{make.name}.{suffix}", initializer=Constant(float(given[first])))
            return make(attr, [input.shape[-1]])
        sums = column("batch_size", "batch_size"), column("batch_sum", "batch_sum"), column("batch_square", "batch_square_sum")
        scale, shift = (column("scale_w", "scale_w"), column("bias", "bias")) if enable_scale_and_shift else (None, None)
        out = sampled_softmax.data_norm(scale, shift, input, *sums, float(epsilon), int(slot_dim), float(summary_decay_rate),
                                        bool(enable_scale_and_shift), data_layout, bool(sync_stats))
        return activate(out, act, "data_norm")
