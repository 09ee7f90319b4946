"""paddle.special: functions under the name of the module that PyTorch has them in."""

from .nn.functional.activation import softmax
from .tensor.reduction import logsumexp
from .tensor.unary import expm1

__all__ = ["expm1", "logsumexp", "softmax"]
