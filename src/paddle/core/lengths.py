"""Sequence lengths (LoD) of values: how the rows of an array are shared out among sequences, level by level."""

from __future__ import annotations

from typing import Any

import numpy as np

from .tensor import Tensor


class SequenceLengths:
    """What a value with ``_lengths`` and ``_rows()`` (how many rows it has; None: not known yet) tells of its sequences."""

    def recursive_sequence_lengths(self: Any) -> list[list[int]]:
        """Lengths of the sequences, level by level."""
        return [list(level) for level in self._lengths]

    def set_recursive_sequence_lengths(self: Any, lengths: Any) -> None:
        """Set the lengths of the sequences; those of each level must add up to the entries of the next, at last the rows."""
        lengths = [[int(n) for n in level] for level in lengths]
        problem = _problem(lengths, self._rows())
        if problem:
            raise ValueError(f"set_recursive_sequence_lengths(): {problem}")
        self._lengths = lengths

    def has_valid_recursive_sequence_lengths(self: Any) -> bool:
        """Do the lengths of each level add up to the entries of the next, at last the rows?"""
        return _problem(self._lengths, self._rows()) is None

    def lod(self: Any) -> list[list[int]]:
        """Offsets of the sequences, level by level."""
        return [[0, *np.cumsum(level).tolist()] for level in self._lengths]

    def set_lod(self: Any, lod: Any) -> None:
        """Set the offsets of the sequences."""
        self.set_recursive_sequence_lengths([np.diff(level).tolist() for level in lod])


def _problem(lengths: Any, rows: int | None) -> str | None:
    sizes = [len(level) for level in lengths[1:]] + ([] if rows is None else [rows])
    for level, size in zip(lengths, sizes):
        if sum(level) != size or min(level, default=0) < 0:
            return f"lengths {level} add up to {sum(level)}, there are {size} rows or sequences to share out"
    return None


class Held(SequenceLengths):
    """The sequences of a dynamic tensor (``tensor.value().get_tensor()``): no function reads them, ``trace_op`` does."""

    def _rows(self: Any) -> int | None:
        return len(self._data) if self._data.size else None

    @property
    def _lengths(self: Any) -> Any:
        """The lengths; none where none were set."""
        return () if self._meta is None or self._meta.lengths is None else self._meta.lengths

    @_lengths.setter
    def _lengths(self: Any, lengths: Any) -> None:
        self.meta().lengths = lengths


for _kind in (SequenceLengths, Held):
    for _name, _value in vars(_kind).items():
        if not _name.startswith("__"):
            setattr(Tensor, _name, _value)
