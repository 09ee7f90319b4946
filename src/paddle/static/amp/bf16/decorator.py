"""Optimizers for programs in bfloat16."""

from ..decorator import OptimizerWithMixedPrecision
from .amp_lists import AutoMixedPrecisionListsBF16
from .amp_utils import GUARD, caster_of


def decorate_bf16(optimizer, amp_lists=None, use_pure_bf16=False, use_bf16_guard=None):
    """An optimizer that rewrites the program for bfloat16 before it adds gradients; parameters stay in float32.

    Args:
        optimizer: the optimizer.
        amp_lists: AutoMixedPrecisionListsBF16, or AutoMixedPrecisionLists.
        use_pure_bf16: all operators but those of the list of float32, rather than those of the list of bfloat16.
        use_bf16_guard: only those added inside ``bf16_guard``; as ``use_pure_bf16`` for None.

    >>> sgd = paddle.static.amp.bf16.decorate_bf16(paddle.optimizer.SGD(0.1, paddle.nn.Linear(2, 1).parameters()))
    >>> hasattr(sgd, "minimize")
    True
    """
    lists = amp_lists or AutoMixedPrecisionListsBF16()
    guard = GUARD if (use_pure_bf16 if use_bf16_guard is None else use_bf16_guard) else None
    level = "O2" if use_pure_bf16 else "O1"
    return OptimizerWithMixedPrecision(optimizer, lists, {"level": level, "dtype": "bfloat16"}, caster_of(lists, level), guard)
