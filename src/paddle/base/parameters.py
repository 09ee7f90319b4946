"""EagerParamBase: Paddle's own name of a parameter of dynamic code, which is made from its sizes and its type."""

import numpy as np

from ..core import dtype as dtypes
from ..core.errors import describe
from ..core.tensor import Parameter, Tensor
from ..utils import unique_name


class _Kind(type(Parameter)):
    def __instancecheck__(cls, value):
        return isinstance(value, Parameter) if cls is EagerParamBase else super().__instancecheck__(value)

    def __subclasscheck__(cls, kind):
        return issubclass(kind, Parameter) if cls is EagerParamBase else super().__subclasscheck__(kind)


class EagerParamBase(Parameter, metaclass=_Kind):
    """A parameter of zeros, to be filled by the program. All parameters are instances of this class.

    Args:
        shape (list or tuple): its sizes.
        dtype: its element type.
        name, trainable, optimize_attr, regularizer, do_model_average, need_clip: as in ``paddle.ParamAttr``; ``optimize_attr`` is a
            dict with the factor ``'learning_rate'``.
        is_distributed (bool): whether it is a part of a parameter that processes share.
        lod_level (int): 0, parameters have no levels of sequences.

    >>> p = paddle.base.framework.EagerParamBase(shape=[2, 3], dtype="float32")
    >>> p.shape, p.stop_gradient, isinstance(paddle.nn.Linear(2, 2).weight, paddle.base.framework.EagerParamBase)
    ([2, 3], False, True)
    """

    def __init__(self, shape, dtype, *, name=None, trainable=True, optimize_attr=None, regularizer=None, do_model_average=None,
                 need_clip=True, is_distributed=False, lod_level=0):
        sizes = shape.tolist() if isinstance(shape, (Tensor, np.ndarray)) else shape
        if not isinstance(sizes, (list, tuple)) or any(n < 0 for n in sizes):
            raise ValueError(f"EagerParamBase(): shape must be a list of sizes that are not negative, got {describe(shape)}")
        if dtype is None:
            raise ValueError("EagerParamBase(): dtype must be an element type, got None")
        if lod_level:
            raise ValueError(f"EagerParamBase(): lod_level must be 0, got {lod_level}")
        array = np.zeros([int(n) for n in sizes], dtypes.to_numpy(dtype))
        super().__init__(array, name or unique_name.generate("_eager_param_base"), trainable, 1.0, regularizer, need_clip,
                         do_model_average)
        if optimize_attr is not None:
            self.optimize_attr = optimize_attr
        self.is_distributed = is_distributed

    @classmethod
    def from_tensor(cls, tensor, **settings):
        """A parameter that shares a tensor's memory (see ``Parameter.from_tensor``)."""
        return Parameter.from_tensor(tensor, **settings)
