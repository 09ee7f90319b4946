"""How arguments of translated functions are bound, named and looked up."""

import numpy as np
import pytest

import paddle
from paddle.static import InputSpec


def total(a, b, c=1):
    return (a["x"] + a["y"] + b[0] + b[1]["z"]) * c


def spec(*shape):
    return InputSpec(list(shape), "float32")


def test_inputs_have_the_names_of_keys_and_places():
    function = paddle.jit.to_static(total, input_spec=[{"x": spec(2), "y": spec(2)}, [spec(2), {"z": spec(2)}]])
    assert [v.name for v in function.inputs] == ["x", "y", "b_0", "z"]
    both = paddle.jit.to_static(lambda p, q: p["x"] + q["x"], input_spec=[{"x": spec(2)}, {"x": spec(2)}])
    assert [v.name for v in both.inputs] == ["x", "q_x"]


def test_programs_are_kept_and_counted():
    function = paddle.jit.to_static(lambda a, b: a + b)
    assert len(function.program_cache) == function.get_traced_count() == 0
    with pytest.raises(AssertionError, match="no program"):
        function.program_cache.last()
    first = function.get_concrete_program(spec(-1, 3), spec(3))[0]
    assert function.get_concrete_program(spec(-1, 3), spec(3))[0] is first
    assert function.get_concrete_program(spec(-1, 4), spec(4))[0] is not first
    assert len(function.program_cache) == 2 and function.program_cache.concrete_programs()[0] is first
    x = np.ones([3], "float32")
    for pair in ((x, x), (paddle.to_tensor(x), x), (x, paddle.to_tensor(x))):  # one program for arrays and tensors
        assert function(*pair).tolist() == [2.0, 2.0, 2.0]
        assert function.get_traced_count() == 3


def test_what_does_not_fit_is_refused():
    x = paddle.ones([2])
    function = paddle.jit.to_static(lambda a, b=2: a * b, input_spec=[spec(2)])
    with pytest.raises(ValueError, match="no argument 'other'"):
        function(x, other=3)
    with pytest.raises(ValueError, match="needs a value for 'b'"):
        paddle.jit.to_static(lambda a, b: a + b).get_concrete_program(spec(2))
    with pytest.raises(ValueError, match="input_spec has 3 entries"):
        paddle.jit.to_static(lambda *a: a[0], input_spec=[spec(2)] * 3)(x)
    paddle.enable_static()
    try:
        with pytest.raises(RuntimeError, match="only available in dynamic mode"):
            function.concrete_program
    finally:
        paddle.disable_static()


def test_a_list_of_several_types_becomes_a_tensor_as_eagerly():
    def join(x):
        return paddle.to_tensor([x, x * 0.5, 2]), paddle.to_tensor([x, 2.5], dtype="int32")
    x = paddle.to_tensor(3, dtype="int64")
    a, b = paddle.jit.to_static(join, full_graph=True)(x)
    assert (a.dtype, a.tolist()) == (paddle.float32, [3.0, 1.5, 2.0]) == (join(x)[0].dtype, join(x)[0].tolist())
    assert (b.dtype, b.tolist()) == (paddle.int32, [3, 2])
