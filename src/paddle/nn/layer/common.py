"""Linear and other layers that fit no family."""

from ...core import place as places
from ...core.addresses import lookup as _lookup
from ...core.context import context
from ...core.docstrings import documented_like
from ...core.generation import construction
from .. import functional as F
from ..functional.common import linear_with
from . import pairs
from .function_layer import FunctionLayer
from .layers import Layer

__all__ = ["Linear", "Identity", "Flatten", "Embedding", "Dropout", "Dropout2D", "Dropout3D", "AlphaDropout",
           "CosineSimilarity", "PairwiseDistance"]


@construction("paddle.imperative.layers.Linear", alpha_only={"act", "dtype", "input_dim", "output_dim", "param_attr"},
              only_modern={"in_features", "name", "out_features", "weight_attr"})
class Linear(Layer):
    """y = x @ weight + bias, on the last axis of x.

    Args:
        in_features, out_features (int): sizes of the last axis before and after.
        weight_attr, bias_attr (ParamAttr, None or False): initialiser, name and settings of the parameters (None: the usual
            ones); ``bias_attr=False`` leaves the bias out.
    Shape:
        x [..., in_features] gives [..., out_features]; weight is [in_features, out_features] (PyTorch's is the transpose), bias
        [out_features].
        Weights begin as XavierUniform, the bias as zeros.
    Raises:
        ValueError: the last axis of x is not ``in_features`` long.

    >>> paddle.nn.Linear(3, 2)(paddle.ones([4, 3])).shape
    [4, 2]
    """

    def __init__(self, in_features, out_features, weight_attr=None, bias_attr=None, name=None):
        super().__init__()
        self._in_features, self._out_features, self.name = in_features, out_features, name
        self._weight_attr, self._bias_attr = weight_attr, bias_attr
        self.weight = self.create_parameter([in_features, out_features], weight_attr)
        self.bias = self.create_parameter([out_features], bias_attr, is_bias=True)

    def forward(self, input):
        return F.linear(input, self.weight, self.bias, self.name)

    def extra_repr(self):
        name = f", name={self.name}" if self.name else ""
        return f"in_features={self._in_features}, out_features={self._out_features}, dtype={self._dtype}{name}"


@pairs.takes(Linear.forward, "relu", "gelu", "gelu_tanh", recorded=False)
def _linear_with(layer, x, act):
    return linear_with(x, layer.weight, layer.bias, act)


class Identity(Layer):
    """Hands its input on.

    >>> paddle.nn.Identity()(paddle.ones([2])).tolist()
    [1.0, 1.0]
    """

    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, input):
        return input


class Flatten(Layer):
    """The axes from ``start_axis`` to ``stop_axis`` joined into one.

    Args:
        start_axis, stop_axis (int, 1 and -1): the first and the last axis that are joined, both included.
    Shape:
        [N, 3, 4] becomes [N, 12] with the defaults.
    Raises:
        ValueError: the axis is out of range, or ``start_axis`` is after ``stop_axis``.

    >>> paddle.nn.Flatten()(paddle.ones([2, 3, 4])).shape
    [2, 12]
    """

    def __init__(self, start_axis=1, stop_axis=-1):
        super().__init__()
        self.start_axis, self.stop_axis = start_axis, stop_axis

    def forward(self, input):
        return input.flatten(self.start_axis, self.stop_axis)


@construction("paddle.imperative.layers.Embedding", alpha_only={"is_distributed", "is_sparse", "param_attr", "size"},
              only_modern={"embedding_dim", "name", "num_embeddings", "sparse", "weight_attr"}, again={"dtype"})
class Embedding(Layer):
    """A table of rows that are looked up by index.

    Args:
        num_embeddings, embedding_dim (int): rows and columns of the table.
        padding_idx (int or None): index whose row is zeros and is not trained; a negative one counts from the end.
        sparse (bool): the gradient of the table is one of the rows that were looked up, and so are updates.
        weight_attr (ParamAttr or None): of the table, which begins as XavierUniform; an initialiser ``Assign(array)`` gives it
            values.
        max_norm, norm_type (float or None): rows that are looked up are scaled down to this norm of order ``norm_type`` (Paddle
            3).
        scale_grad_by_freq (bool): divide gradients by how often a row was looked up (Paddle 3).
        _weight (Tensor or None): the table's first values (Paddle 3).
        _freeze (bool): the table is not trained (Paddle 3).
        device, dtype (str or None): device, and data type of the table (Paddle 3).
    Shape:
        Integers of any shape [...] give [..., embedding_dim].
    Raises:
        IndexError: an index is outside the table.

    >>> paddle.nn.Embedding(10, 3)(paddle.to_tensor([[1, 2]])).shape
    [1, 2, 3]
    """

    def __init__(self, num_embeddings, embedding_dim, padding_idx=None, sparse=False, weight_attr=None, name=None, *, max_norm=None,
                 norm_type=2.0, scale_grad_by_freq=False, _weight=None, _freeze=False, device=None, dtype=None):
        super().__init__(dtype=dtype or "float32")
        if device is not None:
            places.convert(device, "Embedding")
        if context.rules.inplace_second and not isinstance(sparse, bool):  # the fourth argument of Paddle 3
            max_norm, sparse = sparse, False
        self._further = {} if max_norm is None and not scale_grad_by_freq else {
            "max_norm": max_norm, "norm_type": norm_type, "scale_grad_by_freq": scale_grad_by_freq}
        if num_embeddings <= 0 or embedding_dim <= 0:
            raise ValueError(f"Embedding(): sizes must be positive, got {num_embeddings} and {embedding_dim}")
        if padding_idx is not None and not -num_embeddings <= padding_idx < num_embeddings:
            raise ValueError(f"Embedding(): padding_idx must be in [{-num_embeddings}, {num_embeddings}), got {padding_idx}")
        self._num_embeddings, self._embedding_dim, self._sparse, self._name = num_embeddings, embedding_dim, sparse, name
        self._padding_idx = None if padding_idx is None else padding_idx % num_embeddings
        self._size, self._weight_attr = [num_embeddings, embedding_dim], weight_attr
        self.weight = self.create_parameter(self._size, weight_attr, dtype)
        if self._padding_idx is not None and hasattr(self.weight, "_data"):
            self.weight.writable()[self._padding_idx] = 0
        if _weight is not None:
            if list(_weight.shape) != self._size:
                raise ValueError(f"Embedding(): _weight must have shape {self._size}, got {list(_weight.shape)}")
            self.weight.set_value(_weight)
        if _freeze:
            self.weight.stop_gradient = True

    def forward(self, x):
        return F.embedding(x, self.weight, self._padding_idx, sparse=self._sparse, name=self._name, **self._further)

    def extra_repr(self):
        text = f"{self._num_embeddings}, {self._embedding_dim}"
        if self._padding_idx is not None:
            text += f", padding_idx={self._padding_idx}"
        return text + f", sparse={self._sparse}" + (f", name={self._name}" if self._name else "")


class _Dropout(FunctionLayer):
    def forward(self, input):
        return getattr(F, self.function)(input, training=self.training, **self._given())

    def extra_repr(self):
        return ", ".join(f"{k}={v}" for k, v in self._given().items())


@construction("paddle.imperative.layers.Dropout", alpha_only={"dropout_implementation", "is_test", "seed"},
              only_modern={"axis", "mode", "name"})
class Dropout(_Dropout, function="dropout"):
    """Set elements to 0 with probability p in training; after ``eval()`` nothing is dropped.

    Args:
        p (float or int): probability, from 0 to 1.
        axis (int, list or None): axes along which the choice is made, shared over the others; None for all axes.
        mode (str): 'upscale_in_train' divides what is kept by 1 - p; 'downscale_in_infer' multiplies by 1 - p after ``eval()``
            instead.
        inplace (bool): write the result over x (Paddle 3).
    Returns:
        Tensor of the shape of x.
    Raises:
        ValueError: called with ``p`` that is not a number from 0 to 1, with another ``mode``, or an axis out of range.

    >>> layer = paddle.nn.Dropout(0.5).eval()
    >>> layer(paddle.ones([2])).tolist()
    [1.0, 1.0]
    """

    def __init__(self, p=0.5, axis=None, mode="upscale_in_train", name=None, *, inplace=False):
        if context.rules.inplace_second and isinstance(axis, bool):  # the second argument of Paddle 3
            axis, inplace = None, axis
        super().__init__(name, p=p, axis=axis, mode=mode, **({"inplace": True} if inplace else {}))
        self.inplace = bool(inplace)

    def extra_repr(self):
        shown = super().extra_repr()
        return f"{shown}, inplace=False" if context.rules.inplace_second and not self.inplace else shown


class Dropout2D(_Dropout, function="dropout2d"):
    """Set whole channels of [N, C, H, W] to 0 with probability p in training.

    Args:
        p (float): probability of being dropped.
        data_format (str): channels second, as in 'NCHW', or last, as in 'NHWC', with a letter for each axis of x.

    >>> paddle.nn.Dropout2D()(paddle.ones([1, 2, 2, 2])).shape
    [1, 2, 2, 2]
    """

    def __init__(self, p=0.5, data_format="NCHW", name=None):
        super().__init__(name, p=p, data_format=data_format)


@documented_like(Dropout2D)
class Dropout3D(_Dropout, function="dropout3d"):
    """Set whole channels of [N, C, D, H, W] to 0 with probability p in training.

    >>> paddle.nn.Dropout3D()(paddle.ones([1, 2, 2, 2, 2])).shape
    [1, 2, 2, 2, 2]
    """

    def __init__(self, p=0.5, data_format="NCDHW", name=None):
        super().__init__(name, p=p, data_format=data_format)


class AlphaDropout(_Dropout, function="alpha_dropout"):
    """Dropout for SELU networks.

    >>> paddle.nn.AlphaDropout()(paddle.ones([2])).shape
    [2]
    """

    def __init__(self, p=0.5, name=None):
        super().__init__(name, p=p)


class CosineSimilarity(Layer):
    """Cosine of the angle between two tensors along an axis.

    Args:
        axis (int): the axis of the vectors.
        eps (float): the least product of the norms that is divided by.
    Shape:
        Two tensors of shapes that broadcast give that shape without the axis.
    Raises:
        ValueError: the shapes do not broadcast together, or the axis is out of range.
        TypeError: an operand is not a Tensor, array, list or number.

    >>> paddle.nn.CosineSimilarity()(paddle.ones([1, 2]), paddle.ones([1, 2])).shape
    [1]
    """

    def __init__(self, axis=1, eps=1e-8):
        super().__init__()
        self._axis, self._eps = axis, eps

    def forward(self, x1, x2):
        return F.cosine_similarity(x1, x2, self._axis, self._eps)

    def extra_repr(self):
        return f"axis={self._axis}, eps={self._eps}"


class PairwiseDistance(Layer):
    """p-norm of x - y along the last axis.

    >>> paddle.nn.PairwiseDistance()(paddle.ones([1, 2]), paddle.ones([1, 2])).shape
    [1]
    """

    def __init__(self, p=2.0, epsilon=1e-6, keepdim=False, name=None):
        super().__init__()
        self.p, self.epsilon, self.keepdim, self.name = p, epsilon, keepdim, name

    def forward(self, x, y):
        return F.pairwise_distance(x, y, self.p, self.epsilon, self.keepdim, self.name)

    def extra_repr(self):
        text = f"p={self.p}" + (f", epsilon={self.epsilon}" if self.epsilon != 1e-6 else "")
        return text + (", keepdim=True" if self.keepdim else "") + (f", name={self.name}" if self.name else "")


__getattr__ = _lookup(__name__)
