"""Wrong arguments, one at a time, to every public function that an OpCase calls: what is raised names the function."""

import pathlib
import re
import sys

import numpy as np
import pytest

import paddle

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "ops"))

import opcase  # noqa: E402

ROOMS = ("paddle.", "paddle.linalg.", "paddle.fft.", "paddle.signal.")
CASES = {case.path: case for case in opcase.load_cases()
         if isinstance(case.path, str) and case.path.rpartition(".")[0] + "." in ROOMS}
REFUSALS = (TypeError, ValueError, IndexError, NotImplementedError)


def wrong_values(right):
    """Values that a function may refuse in place of the right one."""
    if isinstance(right, np.ndarray):
        others = [np.real(right).astype(kind) for kind in ("int64", "bool", "complex64") if right.dtype != kind]
        return [object(), "text", None, {}, [[1.0], [1.0, 2.0]], *others, np.zeros((0, 3), right.dtype),
                np.zeros([n + 1 for n in right.shape], right.dtype)]
    if isinstance(right, bool):
        return []
    return [object(), "text", {}, 99, -99, 2 ** 70, 1.5, 1j, [99], ["a"], [None], None, np.array([1.5, 2.5])]


def calls(case):
    """The case's arguments with one of them replaced."""
    arrays = case.arrays("float32")
    for k, right in enumerate(arrays):
        for wrong in wrong_values(right):
            yield arrays[:k] + [wrong] + arrays[k + 1:], case.attrs
    for key, right in case.attrs.items():
        for wrong in wrong_values(right):
            yield arrays, {**case.attrs, key: wrong}


def tensors(value):
    if isinstance(value, list):
        return [tensors(v) for v in value]
    return paddle.to_tensor(value) if isinstance(value, np.ndarray) else value


@pytest.mark.parametrize("path", sorted(CASES))
def test_errors_name_the_function(path):
    case = CASES[path]
    name = path.rpartition(".")[2]
    with np.errstate(all="ignore"):
        for args, attrs in calls(case):
            try:
                case.fn(*tensors(args), **tensors_in(attrs))
            except REFUSALS as error:
                assert re.match(rf"{name}\(", str(error)), f"{path}{args} {attrs}: {type(error).__name__}: {error}"


def tensors_in(attrs):
    return {key: tensors(value) for key, value in attrs.items()}


def test_no_such_axis_is_both_kinds_of_error():
    x = paddle.ones([2, 3])
    for call in (lambda: paddle.logcumsumexp(x, axis=-3), lambda: paddle.sum(x, axis=2)):
        for kind in (ValueError, IndexError):
            with pytest.raises(kind, match="axis"):
                call()


def test_moveaxis_of_lists_that_do_not_match():
    x = paddle.zeros([2, 3])
    for kind in (AssertionError, ValueError):
        with pytest.raises(kind, match="as many axes"):
            paddle.moveaxis(x, [0], [0, 1])
    with pytest.raises(ValueError, match="twice"):
        paddle.moveaxis(x, [0, 0], [0, 1])
    with pytest.raises(ValueError, match="twice"):
        paddle.moveaxis(x, [0, 1], [1, 1])
