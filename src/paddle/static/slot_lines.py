"""Writing lines with slots (see slots.py): programs that datasets run as their pipe command derive from these classes."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from ..core.addresses import lookup as _lookup
from ..core.errors import describe

__all__ = ["DataGenerator", "MultiSlotDataGenerator", "MultiSlotStringDataGenerator"]


class DataGenerator:
    """Makes lines of slots out of lines of text: a subclass says how, in ``generate_sample``."""

    def __init__(self) -> None:
        self.batch_size_ = 32
        self.kinds: list[tuple[str, str]] | None = None  # of the first line's slots: (name, "uint64" or "float")

    def set_batch(self, batch_size: int) -> None:
        """How many samples ``generate_batch`` gets at once."""
        if isinstance(batch_size, bool) or not isinstance(batch_size, int) or batch_size < 1:
            raise ValueError(f"set_batch(): batch_size must be a positive int, got {describe(batch_size)}")
        self.batch_size_ = batch_size

    def run_from_stdin(self) -> None:
        """Write what becomes of the lines of the standard input to the standard output."""
        self._write(sys.stdin)

    def run_from_memory(self) -> None:
        """Write the samples that ``generate_sample(None)`` gives to the standard output."""
        self._write([None])

    def _write(self, lines: Iterable[Any]) -> None:
        samples = (sample for line in lines for sample in self.generate_sample(line)() if sample is not None)
        while batch := list(itertools.islice(samples, self.batch_size_)):
            for sample in self.generate_batch(batch)():
                sys.stdout.write(self._gen_str(sample))

    def generate_sample(self, line: Any) -> Any:
        """A function that yields the samples of a line: lists of pairs (name, values). Every subclass defines it."""
        raise NotImplementedError(f"{type(self).__name__} must define generate_sample(line)")

    def generate_batch(self, samples: list) -> Any:
        """A function that yields samples made of a batch of them; these themselves unless a subclass says otherwise."""
        def same() -> Iterator[Any]:
            yield from samples
        return same

    def _gen_str(self, sample: Any) -> str:
        raise NotImplementedError(f"{type(self).__name__}: MultiSlotDataGenerator writes lines of slots")


def _pairs(sample: Any, function: str) -> list:
    sample = list(sample) if isinstance(sample, (zip, list, tuple)) else sample
    if not isinstance(sample, list):
        raise ValueError(f"{function}: a sample must be a list of pairs (name, values), got {describe(sample)}")
    return sample


class MultiSlotStringDataGenerator(DataGenerator):
    """Writes values that are texts already, as they are."""

    def _gen_str(self, sample: Any) -> str:
        return " ".join(" ".join([str(len(values)), *values]) for _, values in _pairs(sample, type(self).__name__)) + "\n"


class MultiSlotDataGenerator(DataGenerator):
    """Writes ints and floats; every sample must have the slots of the first one, and none may be empty."""

    def _gen_str(self, sample: Any) -> str:
        parts, names = [], []
        for name, values in _pairs(sample, type(self).__name__):
            if not isinstance(name, str) or not isinstance(values, list) or not values:
                raise ValueError(f"{type(self).__name__}: a slot is a name with a list of values, got {name!r}: {describe(values)}")
            wrong = next((v for v in values if isinstance(v, bool) or not isinstance(v, (int, float))), None)
            if wrong is not None:
                raise ValueError(f"{type(self).__name__}: slot {name!r} must hold ints or floats, got {describe(wrong)}")
            names.append((name, "float" if any(isinstance(v, float) for v in values) else "uint64"))
            parts.append(" ".join(map(str, [len(values), *values])))
        if self.kinds is None:
            self.kinds = names
        if [n for n, _ in names] != [n for n, _ in self.kinds]:
            raise ValueError(f"{type(self).__name__}: the slots are {[n for n, _ in self.kinds]}, a sample has "
                             f"{[n for n, _ in names]}")
        return " ".join(parts) + "\n"


__getattr__ = _lookup(__name__)
