"""Pruners of fluid.contrib.slim: they work on the arrays of parameters, programs they leave alone."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

__all__ = ["Pruner", "StructurePruner"]


class Pruner:
    """Base of pruners (1.x; successor: none)."""

    def prune(self, param: Any) -> Any:
        """What remains of a parameter; subclasses that prune whole parameters at once define it."""
        raise NotImplementedError(f"{type(self).__name__} defines no prune()")


class StructurePruner(Pruner):
    """Cuts whole slices off parameters along an axis, such as filters of convolutions: those that the criterion finds smallest
    (1.x; successor: none).

    Args:
        pruning_axis: {name of a parameter: axis}; "*" stands for all that are not named. None where every call says its axis.
        criterions: {name of a parameter: "l1_norm"}, the sum of absolute values of a slice; "*" as above.
    """

    def __init__(self, pruning_axis: Mapping[str, int] | None, criterions: Mapping[str, str]):
        self.pruning_axis = pruning_axis
        self.criterions = criterions

    def cal_pruned_idx(self, name: str, param: np.ndarray, ratio: float, axis: int | None = None) -> np.ndarray:
        """Indices of the slices to cut off, the smallest first: ``ratio`` of all, rounded to a whole number.

        Args:
            axis: the axis; that of ``pruning_axis`` where it is None.
        """
        criterion = _setting("criterions", self.criterions, name)
        if criterion != "l1_norm":
            raise ValueError(f"the criterion of {name!r} is {criterion!r}; there is 'l1_norm' only")
        if not 0 <= ratio <= 1:
            raise ValueError(f"ratio is {ratio}; a share of the slices lies between 0 and 1")
        if axis is None:
            axis = _setting("pruning_axis", self.pruning_axis, name)
        slices = np.moveaxis(param, axis, 0)
        sums = np.abs(slices).sum(axis=tuple(range(1, slices.ndim)))
        return sums.argsort()[:int(round(len(sums) * ratio))]

    def prune_tensor(self, tensor: np.ndarray, pruned_idx: Sequence[int] | np.ndarray, pruned_axis: int,
                     lazy: bool = False) -> np.ndarray:
        """A new array without the slices ``pruned_idx`` of an axis, or, with ``lazy``, with zeros in their place."""
        kept = np.ones(np.shape(tensor)[pruned_axis], bool)
        kept[np.asarray(pruned_idx, int)] = False
        if not lazy:
            return np.compress(kept, tensor, axis=pruned_axis)
        pruned = np.array(tensor)
        np.moveaxis(pruned, pruned_axis, 0)[~kept] = 0
        return pruned


def _setting(what: str, settings: Mapping[str, Any] | None, name: str) -> Any:
    """The entry of a parameter, or the one for all."""
    for key in (name, "*"):
        if settings and key in settings:
            return settings[key]
    raise KeyError(f"{what} has neither {name!r} nor '*'")
