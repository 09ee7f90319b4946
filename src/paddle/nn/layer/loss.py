"""Loss layers."""

from ...core.addresses import lookup as _lookup
from ...core.context import context
from ...core.docstrings import documented_like
from ...core.errors import check_choice
from ..functional.activation import log_softmax
from ..functional.cross_entropy import cross_entropy
from ..functional.loss import nll_loss
from .function_layer import FunctionLayer

__all__ = ["BCELoss", "BCEWithLogitsLoss", "CosineEmbeddingLoss", "CrossEntropyLoss", "GaussianNLLLoss",
           "HingeEmbeddingLoss", "KLDivLoss", "L1Loss", "MSELoss", "MarginRankingLoss", "MultiLabelSoftMarginLoss",
           "MultiMarginLoss", "NLLLoss", "PoissonNLLLoss", "SmoothL1Loss", "SoftMarginLoss", "TripletMarginLoss",
           "TripletMarginWithDistanceLoss"]


class _Loss(FunctionLayer):
    def __init__(self, name, **settings):
        if self.checked:
            check_choice(settings["reduction"], ("sum", "mean", "none"), type(self).__name__, "reduction")
        super().__init__(name, **settings)

    def forward(self, input, label):
        return self._call(input, label)

    checked = True  # is a wrong ``reduction`` an error at once, not at the first call?


class CrossEntropyLoss(_Loss):
    """Cross entropy between logits and labels: -log softmax(input)[label]. Called with (input, label).

    Args:
        weight (Tensor or None): factor of each class, [C]; None is 1.
        ignore_index (int): label of rows that do not count.
        reduction ('mean', 'sum' or 'none'): how the elementwise losses are reduced. 'mean' divides by the weights of the rows
            that count.
        soft_label (bool): labels are distributions of the shape of the input.
        axis (int): where the classes are.
        use_softmax (bool): False if the input has probabilities already.
        label_smoothing (float): fraction of the uniform distribution that is mixed into the labels.
    Shape:
        input [N, C], or [N, C, ...] with ``axis=1``; label [N] or [N, 1] of class numbers.
    Raises:
        ValueError: the shapes are incompatible, or ``reduction`` is unknown.
        IndexError: a label is neither a class index nor ``ignore_index``.

    >>> round(float(paddle.nn.CrossEntropyLoss()(paddle.zeros([3, 2]), paddle.to_tensor([0, 1, 1]))), 4)
    0.6931
    """

    checked = False

    def __init__(self, weight=None, ignore_index=-100, reduction="mean", soft_label=False, axis=-1, use_softmax=True,
                 label_smoothing=0.0, name=None):
        super().__init__(name, weight=weight, ignore_index=ignore_index, reduction=reduction, soft_label=soft_label, axis=axis,
                         use_softmax=use_softmax, label_smoothing=label_smoothing)

    def forward(self, input, label):
        if context.rules.meanings == "alpha" and len(input.shape) > 2:  # there: softmax along the last axis, classes along the 2nd
            given = self._given()
            return nll_loss(log_softmax(input, -1), label, given["weight"], given["ignore_index"], given["reduction"])
        return cross_entropy(input, label, **self._given())


class MSELoss(_Loss, function="mse_loss"):
    """The mean squared error (input - label) ** 2. Called with (input, label).

    Args:
        reduction ('mean', 'sum' or 'none'): how the elementwise losses are reduced.
    Returns:
        0-D Tensor, or of the shape of the input for 'none'.
    Raises:
        ValueError: the shapes are incompatible, or ``reduction`` is unknown.

    >>> round(float(paddle.nn.MSELoss()(paddle.zeros([2]), paddle.ones([2]))), 4)
    1.0
    """

    def __init__(self, reduction="mean", name=None):
        super().__init__(name, reduction=reduction)


@documented_like(MSELoss)
class L1Loss(_Loss, function="l1_loss"):
    """The mean absolute error |input - label|. Called with (input, label).

    >>> round(float(paddle.nn.L1Loss()(paddle.zeros([2]), paddle.ones([2]))), 4)
    1.0
    """

    def __init__(self, reduction="mean", name=None):
        super().__init__(name, reduction=reduction)


@documented_like(MSELoss)
class SmoothL1Loss(_Loss, function="smooth_l1_loss", checked=False):
    """Huber's loss: 0.5 * d ** 2 where |d| < delta, else delta * (|d| - 0.5 * delta), with d = input - label. Called with (input,
    label).

    Args:
        delta (float): where the quadratic part ends.
        is_huber (bool): False divides by ``delta``, as PyTorch's loss of this name (Paddle 3).

    >>> round(float(paddle.nn.SmoothL1Loss()(paddle.zeros([2]), paddle.ones([2]))), 4)
    0.5
    """

    def __init__(self, reduction="mean", delta=1.0, name=None, *, is_huber=True):
        super().__init__(name, reduction=reduction, delta=delta, **({} if is_huber else {"is_huber": False}))


@documented_like(MSELoss)
class BCELoss(_Loss, function="binary_cross_entropy"):
    """Binary cross entropy of probabilities: -label * log(input) - (1 - label) * log(1 - input). Called with (input, label).

    Args:
        weight (Tensor or None): factor on each loss, broadcast.

    >>> round(float(paddle.nn.BCELoss()(paddle.ones([2]), paddle.ones([2]))), 4)
    0.0
    """

    def __init__(self, weight=None, reduction="mean", name=None):
        super().__init__(name, weight=weight, reduction=reduction)


@documented_like(BCELoss)
class BCEWithLogitsLoss(_Loss, function="binary_cross_entropy_with_logits"):
    """Binary cross entropy of logits: that of sigmoid(logit), computed without overflow. Called with (logit, label).

    Args:
        pos_weight (Tensor or None): factor on the loss of positive labels, one per class.

    >>> round(float(paddle.nn.BCEWithLogitsLoss()(paddle.zeros([2]), paddle.ones([2]))), 4)
    0.6931
    """

    def __init__(self, weight=None, reduction="mean", pos_weight=None, name=None):
        super().__init__(name, weight=weight, reduction=reduction, pos_weight=pos_weight)

    def forward(self, logit, label):
        return self._call(logit, label)


@documented_like(MSELoss)
class NLLLoss(_Loss, function="nll_loss", prefix="_"):
    """Negative log likelihood: -input[row, label[row]] of log-probabilities. Called with (input, label).

    Args:
        weight (Tensor or None): factor of each class, [C]; None is 1.
        ignore_index (int): label of rows that do not count.
    Raises:
        ValueError: the shapes are incompatible, or ``reduction`` is unknown.
        IndexError: a label is neither a class index nor ``ignore_index``.

    >>> round(float(paddle.nn.NLLLoss()(paddle.to_tensor([[-1., -2.]]), paddle.to_tensor([1]))), 4)
    2.0
    """

    def __init__(self, weight=None, ignore_index=-100, reduction="mean", name=None):
        super().__init__(name, weight=weight, ignore_index=ignore_index, reduction=reduction)


@documented_like(MSELoss)
class KLDivLoss(_Loss, function="kl_div", checked=False):
    """Kullback-Leibler divergence label * (log(label) - input) of log-probabilities from a distribution.

    Called with (input, label).

    >>> round(float(paddle.nn.KLDivLoss()(paddle.zeros([2]), paddle.ones([2]))), 4)
    0.0
    """

    def __init__(self, reduction="mean", name=None, *, log_target=False):
        super().__init__(name, reduction=reduction, **({"log_target": True} if log_target else {}))


class MarginRankingLoss(_Loss, function="margin_ranking_loss"):
    """max(0, -label * (input - other) + margin); see ``nn.functional.margin_ranking_loss``. Called with (input, other, label).

    Args:
        margin (float): distance from which there is no loss.
        reduction ('mean', 'sum' or 'none'): how the elementwise losses are reduced.

    >>> round(float(paddle.nn.MarginRankingLoss()(paddle.ones([1]), paddle.ones([1]) * 3, paddle.ones([1]))), 4)
    2.0
    """

    def __init__(self, margin=0.0, reduction="mean", name=None):
        super().__init__(name, margin=margin, reduction=reduction)

    def forward(self, input, other, label):
        return self._call(input, other, label)


@documented_like(MarginRankingLoss)
class HingeEmbeddingLoss(_Loss, function="hinge_embedding_loss", checked=False):
    """input for label 1, max(0, margin - input) for label -1;
    see ``nn.functional.hinge_embedding_loss``. Called with (input, label).

    >>> round(float(paddle.nn.HingeEmbeddingLoss()(paddle.to_tensor([0.25]), paddle.to_tensor([-1.]))), 4)
    0.75
    """

    def __init__(self, margin=1.0, reduction="mean", name=None):
        super().__init__(name, margin=margin, reduction=reduction)


@documented_like(MarginRankingLoss)
class CosineEmbeddingLoss(_Loss, function="cosine_embedding_loss"):
    """Loss on the cosine of two vectors; see ``nn.functional.cosine_embedding_loss``. Called with (input1, input2, label).

    >>> round(float(paddle.nn.CosineEmbeddingLoss()(paddle.ones([1, 2]), paddle.ones([1, 2]), paddle.to_tensor([-1]))), 4)
    1.0
    """

    def __init__(self, margin=0, reduction="mean", name=None):
        if not -1 <= margin <= 1:
            raise ValueError(f"CosineEmbeddingLoss(): margin must be in [-1, 1], got {margin}")
        super().__init__(name, margin=margin, reduction=reduction)

    def forward(self, input1, input2, label):
        return self._call(input1, input2, label)


@documented_like(MarginRankingLoss)
class SoftMarginLoss(_Loss, function="soft_margin_loss"):
    """log(1 + exp(-label * input)); see ``nn.functional.soft_margin_loss``. Called with (input, label).

    >>> round(float(paddle.nn.SoftMarginLoss()(paddle.zeros([1]), paddle.ones([1]))), 4)
    0.6931
    """

    def __init__(self, reduction="mean", name=None):
        super().__init__(name, reduction=reduction)


class MultiLabelSoftMarginLoss(_Loss, function="multi_label_soft_margin_loss"):
    """Mean binary cross entropy over the classes;
    see ``nn.functional.multi_label_soft_margin_loss``. Called with (input, label).

    Args:
        weight (Tensor or None): factor on each loss, or on each class; None is 1.
        reduction ('mean', 'sum' or 'none'): how the elementwise losses are reduced.
    Shape:
        [N, C] and [N, C] give a 0-D tensor, or [N] for 'none'.
    Raises:
        ValueError: the shapes are incompatible, or ``reduction`` is unknown.

    >>> round(float(paddle.nn.MultiLabelSoftMarginLoss()(paddle.zeros([1, 2]), paddle.ones([1, 2]))), 4)
    0.6931
    """

    def __init__(self, weight=None, reduction="mean", name=None):
        super().__init__(name, weight=weight, reduction=reduction)


class MultiMarginLoss(_Loss, function="multi_margin_loss"):
    """Margin loss between the label's class and the others;
    see ``nn.functional.multi_margin_loss``. Called with (input, label).

    Args:
        p (float): the exponent of the norm.
        margin (float): distance from which there is no loss.
        weight (Tensor or None): factor on each loss, or on each class; None is 1.
        reduction ('mean', 'sum' or 'none'): how the elementwise losses are reduced.

    >>> round(float(paddle.nn.MultiMarginLoss()(paddle.to_tensor([[0., 0.]]), paddle.to_tensor([0]))), 4)
    0.5
    """

    def __init__(self, p=1, margin=1.0, weight=None, reduction="mean", name=None):
        super().__init__(name, p=p, margin=margin, weight=weight, reduction=reduction)


class PoissonNLLLoss(_Loss, function="poisson_nll_loss", prefix="_"):
    """Negative log likelihood of a Poisson distribution; see ``nn.functional.poisson_nll_loss``. Called with (input, label).

    Args:
        log_input (bool): the input is a logarithm.
        full (bool): add the constant terms too.
        epsilon (float): avoids log(0) and division by zero.
        reduction ('mean', 'sum' or 'none'): how the elementwise losses are reduced.

    >>> round(float(paddle.nn.PoissonNLLLoss()(paddle.zeros([1]), paddle.ones([1]))), 4)
    1.0
    """

    def __init__(self, log_input=True, full=False, epsilon=1e-8, reduction="mean", name=None):
        super().__init__(name, log_input=log_input, full=full, epsilon=epsilon, reduction=reduction)


@documented_like(PoissonNLLLoss)
class GaussianNLLLoss(_Loss, function="gaussian_nll_loss"):
    """Negative log likelihood of a normal distribution;
    see ``nn.functional.gaussian_nll_loss``. Called with (input, label, variance).

    >>> round(float(paddle.nn.GaussianNLLLoss()(paddle.ones([1]), paddle.ones([1]), paddle.ones([1]))), 4)
    0.0
    """

    def __init__(self, full=False, epsilon=1e-6, reduction="mean", name=None):
        super().__init__(name, full=full, epsilon=epsilon, reduction=reduction)

    def forward(self, input, label, variance):
        return self._call(input, label, variance)


@documented_like(MultiMarginLoss)
class TripletMarginLoss(_Loss, function="triplet_margin_loss"):
    """max(0, d(input, positive) - d(input, negative) + margin);
    see ``nn.functional.triplet_margin_loss``. Called with (input, positive, negative).

    Args:
        epsilon (float): avoids log(0) and division by zero.
        swap (bool): take the smaller of both distances to the negative one.

    >>> round(float(paddle.nn.TripletMarginLoss()(paddle.zeros([1, 2]), paddle.zeros([1, 2]), paddle.zeros([1, 2]))), 4)
    1.0
    """

    def __init__(self, margin=1.0, p=2.0, epsilon=1e-6, swap=False, reduction="mean", name=None):
        super().__init__(name, margin=margin, p=p, epsilon=epsilon, swap=swap, reduction=reduction)

    def forward(self, input, positive, negative):
        return self._call(input, positive, negative)


@documented_like(TripletMarginLoss)
class TripletMarginWithDistanceLoss(_Loss, function="triplet_margin_with_distance_loss"):
    """Triplet loss with a custom distance;
    see ``nn.functional.triplet_margin_with_distance_loss``. Called with (input, positive, negative).

    Args:
        distance_function (function or None): distance of two samples; the 2-norm for None.

    >>> loss = paddle.nn.TripletMarginWithDistanceLoss()
    >>> round(float(loss(paddle.zeros([1, 2]), paddle.zeros([1, 2]), paddle.zeros([1, 2]))), 4)
    1.0
    """

    def __init__(self, distance_function=None, margin=1.0, swap=False, reduction="mean", name=None):
        super().__init__(name, distance_function=distance_function, margin=margin, swap=swap, reduction=reduction)

    def forward(self, input, positive, negative):
        return self._call(input, positive, negative)


__getattr__ = _lookup(__name__)
