"""Small parts of core that programs rarely touch: places, arguments of ops, seeds, gradients that don't fit."""

import numpy as np
import pytest

import paddle
from paddle.core import place as places
from paddle.core.attributes import exactly
from paddle.core.op import BY_NAME, op
from paddle.core.tensor import ZERO


def test_places_compare_and_print():
    cpu, pinned = paddle.CPUPlace(), paddle.CUDAPinnedPlace()
    assert cpu == paddle.CPUPlace() and hash(cpu) == hash(paddle.CPUPlace()) and cpu != pinned
    assert cpu._equals(paddle.CPUPlace()) and not cpu._equals(pinned) and cpu.is_cpu_place() and not pinned.is_cpu_place()
    assert pinned.is_cuda_pinned_place() and not cpu.is_gpu_place() and not cpu.is_xpu_place() and not cpu.is_custom_place()
    assert repr(pinned) == "Place(gpu_pinned)"
    with pytest.raises(RuntimeError, match="no XPU"):
        places.XPUPinnedPlace()


@pytest.mark.parametrize("text, shown", [("gpu", "Place(gpu:0)"), ("gpu:1", "Place(gpu:1)"), ("xpu:2", "Place(xpu:2)"),
                                         ("npu:3", "Place(npu:3)")])
@pytest.mark.filterwarnings("ignore:.*no such device in this CPU build")  # said once in a process
def test_places_of_devices_that_are_not_there(text, shown):
    made = places.convert(text, "test")
    assert repr(made) == shown and made.device_id == int(text.partition(":")[2] or 0)
    paddle.set_flags({"FLAGS_strict_device": True})
    try:
        with pytest.raises(RuntimeError, match="FLAGS_strict_device is set"):
            places.convert(text, "test")
    finally:
        paddle.set_flags({"FLAGS_strict_device": False})


def test_arguments_of_ops_are_counted_and_named():
    relu, x = BY_NAME["leaky_relu"], paddle.ones([2])
    for args, kwargs, text in [((x, 0.1, 3), {}, "takes 2 arguments but 3 were given"),
                               ((x,), {"x": x}, "two values for argument 'x'"),
                               ((x,), {"slope": 1}, "unexpected argument 'slope'"),
                               ((), {"negative_slope": 1}, "misses its argument 'x'")]:
        with pytest.raises(TypeError, match=text):
            relu(*args, **kwargs)
    assert repr(relu).startswith("<op leaky_relu: leaky_relu(X")


def test_declarations_that_are_wrong():
    with pytest.raises(ValueError, match="family must be one of"):
        op("test(X) -> Out", family="no such family")
    with pytest.raises(TypeError, match="2 slots but only 1 parameters"):
        op("test(X, Y) -> Out", family="same")(lambda x: x)
    with pytest.raises(ValueError, match="declared twice"):
        op("leaky_relu(X) -> Out", family="same")(BY_NAME["leaky_relu"].fn)


def test_gradients_that_do_not_fit():
    x = paddle.ones([2, 3])
    x.stop_gradient = False
    y = x * 2
    with pytest.raises(TypeError, match=r"a gradient must be a Tensor or None, got"):
        paddle.grad(y, x, grad_outputs=["text"])
    with pytest.raises(ValueError, match=r"the gradient's shape \[3\] is not that of its tensor"):
        paddle.grad(y, x, grad_outputs=[paddle.ones([3])])
    with pytest.raises(ValueError, match="only_inputs=False is not supported"):
        paddle.grad(y, x, only_inputs=False)
    with pytest.raises(RuntimeError, match="an input has stop_gradient=True"):
        paddle.grad(y, paddle.ones([2]))
    with pytest.raises(NotImplementedError, match="dump_backward_graph_path"):
        paddle.grad(y, x, dump_backward_graph_path="x")
    assert repr(ZERO) == "<cleared gradient>"


def test_seeds_and_states_of_generators():
    with pytest.raises(TypeError, match=r"seed\(\): seed must be an int, got 'a'"):
        paddle.seed("a")
    state = paddle.get_rng_state()
    paddle.seed(7)
    first = paddle.rand([3]).numpy()
    paddle.seed(7)
    np.testing.assert_array_equal(first, paddle.rand([3]).numpy())
    paddle.set_rng_state(state)
    again = paddle.get_rng_state()
    assert len(again) == len(state)


def test_generators_are_decorated_by_modes_of_gradients():
    @paddle.no_grad()
    def steps():
        yield paddle.is_grad_enabled()
        yield paddle.is_grad_enabled()
    found = steps()
    assert next(found) is False and paddle.is_grad_enabled()
    assert list(found) == [False]

    @paddle.set_grad_enabled(False)
    def off():
        return paddle.is_grad_enabled()
    assert paddle.is_grad_enabled() and off() is False and paddle.is_grad_enabled()


def test_keys_of_numbers_tell_types_and_zeros_apart():
    values = [0, 0.0, -0.0, False, 1, 1.0, True, 0j, complex(-0.0, 0.0), complex(1, -0.0), float("nan"), "0.0"]
    assert len({exactly(v) for v in values}) == len(values)
    assert exactly(float("nan")) == exactly(float("nan")) and exactly(2.5) == exactly(2.5)


def test_filled_with_zeros_of_both_signs():
    for value in (0.0, -0.0, np.float32(-0.0), complex(-0.0, 0.0)):
        made = paddle.full([2], value, "complex64" if isinstance(value, complex) else "float32").numpy()
        assert np.signbit(made.real).all() == np.signbit(value.real) and not np.signbit(made.imag).any()
    assert paddle.full([2], False).tolist() == [False, False] and paddle.full([2], 0).tolist() == [0.0, 0.0]


def test_trainable_is_true_or_false():
    weight = paddle.nn.Linear(2, 2).weight
    weight.trainable = False
    assert weight.stop_gradient
    with pytest.raises(ValueError, match="True or False"):
        weight.trainable = "1"
