"""Decorators of readers that need no more than one thread beside the caller's."""

import itertools
import random
from collections.abc import Callable

from .pump import Pump

__all__ = ["ComposeNotAligned", "batch", "buffered", "cache", "chain", "compose", "firstn", "map_readers", "shuffle"]


class ComposeNotAligned(ValueError):
    """Readers put together by `compose` have different numbers of samples."""


def batch(reader: Callable, batch_size: int, drop_last: bool = False) -> Callable:
    """A reader of lists of `batch_size` samples; the last may be shorter, or is left out with `drop_last`.

    >>> list(paddle.reader.batch(lambda: iter(range(5)), 2)())
    [[0, 1], [2, 3], [4]]
    """
    size = int(batch_size) if isinstance(batch_size, float) else batch_size  # as in Paddle: a quotient such as 32 / places
    _positive("batch", "batch_size", size)

    def batches():
        source = iter(reader())
        while group := list(itertools.islice(source, int(size))):
            if len(group) == size or not drop_last:
                yield group

    return batches


def cache(reader: Callable) -> Callable:
    """A reader that runs `reader` once, here and now, and gives its samples from memory ever after.

    >>> kept = paddle.reader.cache(lambda: iter("abc"))
    >>> list(kept()), list(kept())
    (['a', 'b', 'c'], ['a', 'b', 'c'])
    """
    samples = tuple(reader())
    return lambda: iter(samples)


def map_readers(func: Callable, *readers: Callable) -> Callable:
    """A reader of func(a, b, ...) with one sample of each reader; ends with the shortest.

    >>> list(paddle.reader.map_readers(lambda a, b: a * b, lambda: iter([2, 3]), lambda: iter([5, 7]))())
    [10, 21]
    """
    return lambda: map(func, *(reader() for reader in readers))


def shuffle(reader: Callable, buf_size: int) -> Callable:
    """A reader of the same samples in random order within stretches of `buf_size`.

    The order comes from Python's `random`: `random.seed` makes it repeatable.
    """
    _positive("shuffle", "buf_size", buf_size, 0)

    def shuffled():
        source = iter(reader())
        while stretch := list(itertools.islice(source, max(int(buf_size), 1))):
            random.shuffle(stretch)
            yield from stretch

    return shuffled


def chain(*readers: Callable) -> Callable:
    """A reader of all samples of the first reader, then of the second, and so on.

    >>> list(paddle.reader.chain(lambda: iter([0, 1]), lambda: iter([7]))())
    [0, 1, 7]
    """
    return lambda: itertools.chain.from_iterable(reader() for reader in readers)


def compose(*readers: Callable, check_alignment: bool = True) -> Callable:
    """A reader of tuples made of one sample of each reader, tuples among them opened up.

    Raises:
        ComposeNotAligned: while reading, when one reader ends before another; with `check_alignment=False` the rest
            is left out instead.

    >>> list(paddle.reader.compose(lambda: iter([(1, 2)]), lambda: iter([3]), lambda: iter([(4, 5)]))())
    [(1, 2, 3, 4, 5)]
    """
    missing = object()

    def composed():
        for row in itertools.zip_longest(*(reader() for reader in readers), fillvalue=missing):
            if any(sample is missing for sample in row):
                if check_alignment:
                    raise ComposeNotAligned("compose(): the readers have different numbers of samples")
                return
            yield tuple(itertools.chain.from_iterable(s if isinstance(s, tuple) else (s,) for s in row))

    return composed


def buffered(reader: Callable, size: int) -> Callable:
    """A reader that reads up to `size` samples ahead in a thread of its own; 0: all of them."""
    _positive("buffered", "size", size, 0)

    def ahead():
        with Pump(int(size), workers=1) as pump:
            pump.start(lambda: pump.put_all(reader()))
            yield from pump

    return ahead


def firstn(reader: Callable, n: int) -> Callable:
    """A reader of the first `n` samples.

    >>> list(paddle.reader.firstn(lambda: iter(range(100)), 3)())
    [0, 1, 2]
    """
    return lambda: itertools.islice(reader(), n)


def _positive(function: str, argument: str, value, least: int = 1) -> None:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{function}(): {argument} must be an int, got {type(value).__name__}")
    if value < least:
        raise ValueError(f"{function}(): {argument} must be {'positive' if least else 'at least 0'}, got {value}")
