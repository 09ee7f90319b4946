"""fluid.lod_tensor: arrays with sequence lengths."""

import numpy as np

from ..core.addresses import lookup as _lookup
from ..core.errors import ArgumentError
from .core import LoDTensor

__all__ = ["create_lod_tensor", "create_random_int_lodtensor"]


def create_lod_tensor(data, recursive_seq_lens, place=None):
    """A LoDTensor from an array, a list of sequences or another LoDTensor (1.x; successor: padded tensors)."""
    if isinstance(data, list):
        lengths = [len(sequence) for sequence in data]
        if recursive_seq_lens and list(recursive_seq_lens[-1]) != lengths:
            raise ArgumentError(f"create_lod_tensor(): recursive_seq_lens {recursive_seq_lens[-1]} are not the lengths {lengths}")
        data = np.concatenate([np.asarray(s).reshape(len(s), -1) for s in data]).astype("int64")
    made = LoDTensor(np.array(data))
    made.set_recursive_sequence_lengths(recursive_seq_lens)
    return made


def create_random_int_lodtensor(recursive_seq_lens, base_shape, place, low, high):
    """A LoDTensor of random integers in [low, high] (1.x; successor: paddle.randint)."""
    rows = sum(recursive_seq_lens[-1])
    return create_lod_tensor(np.random.randint(low, high + 1, [rows, *base_shape]).astype("int64"), recursive_seq_lens, place)


__getattr__ = _lookup(__name__)
