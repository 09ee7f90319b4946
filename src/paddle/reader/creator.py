"""Readers over what is at hand: an array, the lines of a file."""

import os
from collections.abc import Callable

import numpy as np

__all__ = ["np_array", "text_file"]


def np_array(x) -> Callable:
    """A reader of the rows of an array: along its first axis.

    >>> [int(row.sum()) for row in paddle.reader.creator.np_array(np.arange(6).reshape(3, 2))()]
    [1, 5, 9]
    """
    array = np.asarray(x)
    if array.ndim == 0:
        raise ValueError("np_array(): x must have at least one dimension, got a single number")
    return lambda: iter(array)


def text_file(path: str | os.PathLike) -> Callable:
    """A reader of the lines of a text file, without their line ends."""

    def reader():
        with open(path, encoding="utf-8") as file:
            for line in file:
                yield line.rstrip("\r\n")

    return reader
