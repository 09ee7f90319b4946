"""From samples to a batch, and from arrays to Tensors."""

import numbers
from collections.abc import Mapping, Sequence

import numpy as np

from ...core.errors import describe
from ...core.tensor import Tensor, wrap
from ...tensor.functions import to_tensor

__all__ = ["default_collate_fn", "default_convert_fn"]


def default_collate_fn(batch):
    """Put samples of one form together, field by field.

    Arrays, Tensors and numbers are stacked along a new first dimension; strings and bytes stay a list; lists, tuples
    and dicts are collated field by field, to any depth, lists and tuples becoming lists.

    >>> paddle.io.default_collate_fn([(1.5, {"id": 7}), (2.5, {"id": 8})])
    [array([1.5, 2.5]), {'id': array([7, 8])}]
    """
    first = batch[0]
    if isinstance(first, np.ndarray):
        return _stack(batch)
    if isinstance(first, (bool, numbers.Number, np.generic)):
        return _checked_numbers(batch)
    if isinstance(first, Tensor):
        _same_type(batch, Tensor)
        return wrap(_stack([sample._data for sample in batch]))
    if isinstance(first, (str, bytes)):
        return list(batch)
    if isinstance(first, Mapping):
        return {key: default_collate_fn([_field(sample, key, first) for sample in batch]) for key in first}
    if isinstance(first, Sequence):
        sizes = {len(sample) for sample in batch}
        if len(sizes) > 1:
            raise ValueError("default_collate_fn(): samples of one batch must have the same number of fields, got "
                             f"{' and '.join(map(str, sorted(sizes)))}")
        return [default_collate_fn(field) for field in zip(*batch)]
    raise TypeError("default_collate_fn(): samples must be made of arrays, Tensors, numbers, strings, dicts, lists and "
                    f"tuples, got {type(first).__module__}.{type(first).__qualname__}; convert it in the dataset "
                    "(images: with transforms.ToTensor()) or give the DataLoader a collate_fn")


def listed_collate_fn(batch):
    """default_collate_fn as it was up to 2.0: of samples that are single arrays it makes a list of one field."""
    made = default_collate_fn(batch)
    return [made] if isinstance(batch[0], np.ndarray) else made


def default_convert_fn(batch):
    """Make every array in a nest of lists, tuples and dicts a Tensor over the same memory; the rest is unchanged.

    >>> paddle.io.default_convert_fn({"id": 7})
    {'id': 7}
    """
    kind = type(batch)
    if kind is np.ndarray:
        return _to_tensor(batch)
    if kind is list or kind is tuple:
        return [default_convert_fn(field) for field in batch]
    if isinstance(batch, (str, bytes, Tensor)):
        return batch
    if isinstance(batch, np.ndarray):
        return _to_tensor(np.asarray(batch))
    if isinstance(batch, Mapping):
        return {key: default_convert_fn(field) for key, field in batch.items()}
    if isinstance(batch, Sequence):
        return [default_convert_fn(field) for field in batch]
    return batch


_AS_THEY_ARE = "?bhilqBefdFD"  # NumPy's codes of the types that Tensors have


def _to_tensor(array):
    if array.dtype.char in _AS_THEY_ARE and array.dtype.isnative:
        return wrap(array if array.flags.c_contiguous else np.ascontiguousarray(array))
    if array.dtype.kind in "OSUMmV" and array.dtype.name != "bfloat16":
        return array  # text and objects have no Tensor form
    return to_tensor(array)


def _stack(arrays):
    """np.stack without its cost per array."""
    shape = arrays[0].shape
    try:
        if not shape:
            stacked = np.array(arrays)
            if stacked.ndim == 1 and stacked.dtype.kind in ("biufc" if arrays[0].dtype.kind in "biufc" else "SU"):
                return stacked
        elif list(map(len, arrays)).count(shape[0]) == len(arrays):  # concatenate compares the other dimensions
            return np.concatenate(arrays).reshape((len(arrays), *shape))
    except (TypeError, ValueError):
        pass
    _same_type(arrays, np.ndarray)
    shapes = sorted({array.shape for array in arrays})
    if len(shapes) > 1:
        raise ValueError("default_collate_fn(): samples of one batch must have one shape, got "
                         f"{' and '.join(str(list(s)) for s in shapes)}; pad or crop them in the "
                         "dataset or in a collate_fn")
    return np.stack(arrays)


def _checked_numbers(batch):
    try:
        array = np.array(batch)
        if array.ndim == 1 and array.dtype.kind in "biufc":
            return array
    except ValueError:  # numbers beside arrays
        pass
    _same_type(batch, (bool, numbers.Number, np.generic))
    raise TypeError(f"default_collate_fn(): numbers {describe(list(batch))} do not fit one dtype")


def _same_type(batch, kind):
    for sample in batch:
        if not isinstance(sample, kind):
            raise TypeError("default_collate_fn(): samples of one batch must be of one type, got "
                            f"{type(batch[0]).__name__} and {type(sample).__name__}")


def _field(sample, key, first):
    try:
        return sample[key]
    except (KeyError, TypeError, IndexError):
        have = sorted(map(str, sample)) if isinstance(sample, Mapping) else type(sample).__name__
        raise KeyError(f"default_collate_fn(): a sample lacks the field {key!r} of the first; "
                       f"it has {have}, the first has {sorted(map(str, first))}") from None
