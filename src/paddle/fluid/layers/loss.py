"""fluid.layers: losses, one value per row unless said otherwise."""

from ...core.addresses import lookup as _lookup
from ...nn import functional as F
from ...nn import initializer as inits
from ...tensor import functions as tensor
from ...utils import naming
from ..state import fluid_call
from .common import at_least_1d, need_variables
from .nn import helper_parameter
from .tensor import assign

__all__ = ["smooth_l1", "huber_loss", "rank_loss", "margin_rank_loss", "bpr_loss", "kldiv_loss", "log_loss", "mse_loss",
           "dice_loss", "npair_loss", "center_loss", "teacher_student_sigmoid_loss", "hsigmoid", "cos_sim"]


@fluid_call
def smooth_l1(x, y, inside_weight=None, outside_weight=None, sigma=None):
    """Smooth L1 distance of rows, [N, 1] (1.x; successor: paddle.nn.functional.smooth_l1_loss)."""
    s2 = float(sigma or 1.0) ** 2
    d = (x - y) if inside_weight is None else (x - y) * inside_weight
    a = d.abs()
    loss = tensor.where(a < 1.0 / s2, d * d * (0.5 * s2), a - 0.5 / s2)
    loss = loss if outside_weight is None else loss * outside_weight
    return loss.flatten(1).sum(1, keepdim=True)


@fluid_call
def huber_loss(input, label, delta):
    """0.5 * d^2 up to delta, linear beyond, element by element (1.x; successor: paddle.nn.functional.smooth_l1_loss)."""
    a = (label - input).abs()
    return tensor.where(a <= delta, a * a * 0.5, a * delta - 0.5 * delta * delta)


@fluid_call
def rank_loss(label, left, right, name=None):
    """log(1 + exp(left - right)) - label * (left - right) (1.x; successor: compose it from paddle functions)."""
    d = left - right
    return F.softplus(d) - label * d


@fluid_call
def margin_rank_loss(label, left, right, margin=0.1, name=None):
    """max(0, -label * (left - right) + margin) (1.x; successor: paddle.nn.functional.margin_ranking_loss)."""
    return F.relu(margin - label * (left - right))


@fluid_call
def bpr_loss(input, label, name=None):
    """Bayesian personalised ranking: mean of -log sigmoid(positive - negative), [N, 1] (1.x; successor: compose it)."""
    classes = input.shape[-1]
    positive = tensor.take_along_axis(input, label, -1)
    is_label = F.one_hot(label.squeeze(-1), classes)
    return ((1.0 - is_label) * F.softplus(input - positive)).sum(-1, keepdim=True) / float(classes - 1)


@fluid_call
def kldiv_loss(x, target, reduction="mean", name=None):
    """Kullback-Leibler divergence of log-probabilities x from target (1.x; successor: paddle.nn.functional.kl_div)."""
    return at_least_1d(F.kl_div(x, target, reduction))


@fluid_call
def log_loss(input, label, epsilon=1e-4, name=None):
    """Negative log likelihood of probabilities, element by element (1.x; successor: paddle.nn.functional.log_loss)."""
    return F.log_loss(input, label, epsilon)


@fluid_call
def mse_loss(input, label):
    """Mean squared error, of shape [1] (1.x; successor: paddle.nn.functional.mse_loss)."""
    need_variables("mse_loss", input=input, label=label)
    return at_least_1d(F.mse_loss(input, label))


@fluid_call
def dice_loss(input, label, epsilon=1e-5, name=None):
    """1 - dice coefficient, of shape [1] (1.x; successor: paddle.nn.functional.dice_loss)."""
    return at_least_1d(F.dice_loss(input, label, epsilon))


@fluid_call
def npair_loss(anchor, positive, labels, l2_reg=0.002):
    """N-pair loss, of shape [1] (1.x; successor: paddle.nn.functional.npair_loss)."""
    return at_least_1d(F.npair_loss(anchor, positive, labels, l2_reg))


@fluid_call
def teacher_student_sigmoid_loss(input, label, soft_max_up_bound=15.0, soft_max_lower_bound=-15.0):
    """Click loss with a teacher's score in the label (1.x; successor: none, compose it).

    A label below -1 is no click without score, below 0 a click without score, below 1 no click with its score, else a click
    with the score beyond 1.
    """
    x = tensor.clip(input, soft_max_lower_bound, soft_max_up_bound)
    no_click, click = F.softplus(x), F.softplus(x) - x
    return tensor.where(label < -1.0, no_click, tensor.where(label < 0.0, click, tensor.where(
        label < 1.0, no_click + F.softplus(x) - x * label, click + F.softplus(x) - x * (label - 1.0))))


@fluid_call
def cos_sim(X, Y):
    """Cosine of rows, [N, 1] (1.x; successor: paddle.nn.functional.cosine_similarity)."""
    return (X * Y).sum(-1, keepdim=True) / ((X * X).sum(-1, keepdim=True).sqrt() * (Y * Y).sum(-1, keepdim=True).sqrt())


@fluid_call
def center_loss(input, label, num_classes, alpha, param_attr, update_center=True):
    """Half the squared distance of rows to the centers of their classes, [N, 1]; eager calls move the centers by ``alpha``
    (1.x; successor: none, compose it)."""
    with naming.owner("center_loss") as kind:
        centers = helper_parameter(kind, param_attr, [num_classes, input.shape[1]], input.dtype,
                                   default=inits.Constant(0.0))
        centers.stop_gradient = True
        ids = label.flatten()
        d = input - tensor.gather(centers, ids)
        if update_center:
            rows = F.one_hot(ids, num_classes)
            moved = tensor.matmul(rows, d.detach(), transpose_x=True) / (rows.sum(0).unsqueeze(-1) + 1.0)
            assign(centers + moved * alpha, centers)
        return (d * d).sum(1, keepdim=True) * 0.5


@fluid_call
def hsigmoid(input, label, num_classes, param_attr=None, bias_attr=None, name=None, path_table=None, path_code=None,
             is_custom=False, is_sparse=False):
    """Hierarchical sigmoid over a binary tree of classes, [N, 1] (1.x; successor: paddle.nn.functional.hsigmoid_loss)."""
    if is_custom and (path_table is None or path_code is None):
        raise ValueError("hsigmoid(): is_custom=True needs path_table and path_code")
    with naming.owner("hierarchical_sigmoid", name) as kind:
        rows = num_classes if is_custom else num_classes - 1
        w = helper_parameter(kind, param_attr, [rows, input.shape[1]], input.dtype)
        b = helper_parameter(kind, bias_attr, [rows, 1], input.dtype, is_bias=True)
        if len(label.shape) > 1 and label.shape[1] != 1:  # the kernels of 1.x read one label for each row, in the order of memory
            label = label.flatten()[:tensor.shape(input)[0]]
        return F.hsigmoid_loss(input, label, num_classes, w, b, path_table, path_code, is_sparse)


__getattr__ = _lookup(__name__)
