"""Weights that are kept packed: the same numbers, and never those of before a change."""

import gc

import numpy as np
import pytest

import paddle
from paddle.core.context import process
from paddle.kernels import packing, thresholds

pytestmark = pytest.mark.skipif(process.native is None, reason="kernels pack weights")

LAYERS = {"linear": (lambda: paddle.nn.Linear(256, 300), (40, 256)),
          "deep linear": (lambda: paddle.nn.Linear(256, 300), (2, 30, 256)),
          "3x3": (lambda: paddle.nn.Conv2D(48, 64, 3, padding=1), (2, 48, 17, 15)),
          "3x3 with stride": (lambda: paddle.nn.Conv2D(48, 64, 3, stride=2), (1, 48, 17, 15)),
          "1x1": (lambda: paddle.nn.Conv2D(256, 128, 1), (1, 256, 7, 7))}


def floats(*shape, seed=0):
    return np.random.RandomState(seed).randn(*shape).astype("float32")


@pytest.fixture(params=LAYERS)
def made(request):
    make, shape = LAYERS[request.param]
    paddle.seed(1)
    return make(), paddle.to_tensor(floats(*shape))


def used(layer, x, times=5):
    with paddle.no_grad():
        return [layer(x).numpy() for _ in range(times)]


def recorded(layer, x):
    """What a call that records gives, which packs nothing."""
    return layer(x).numpy()


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=2e-5)


def is_packed(tensor):
    use = packing._known.get(id(tensor._data))
    return use is not None and bool(use.ready)


def test_the_same_numbers(made):
    layer, x = made
    expected = recorded(layer, x)
    for found in used(layer, x):
        close(found, expected)
    assert is_packed(layer.weight) and not layer.weight._data.flags.writeable


def assigned(weight, value):
    weight.set_value(value)


def in_place(weight, value):
    weight.zero_()
    weight.add_(value)


def by_index(weight, value):
    weight[:] = value


def through_a_view(weight, value):
    weight.reshape([-1])[:] = value.reshape([-1])


def through_a_view_of_before(view, value):
    view[:] = value.reshape([-1])


def replaced(weight, value):
    weight.replace(np.array(value.numpy()))


@pytest.mark.parametrize("change", [assigned, in_place, by_index, through_a_view, through_a_view_of_before, replaced])
def test_a_changed_weight(made, change):
    layer, x = made
    weight = layer.weight
    with paddle.no_grad():
        view = weight.reshape([-1]) if change is through_a_view_of_before else None
        used(layer, x)
        value = paddle.to_tensor(floats(*weight.shape, seed=7))
        change(weight if view is None else view, value)
    np.testing.assert_array_equal(weight.numpy(), value.numpy())
    expected = recorded(layer, x)
    for found in used(layer, x):
        close(found, expected)


@pytest.mark.parametrize("optimizer", ["SGD", "Adam", "Lamb"])
def test_training_between(made, optimizer):
    """Evaluation, a step, evaluation: as without packing."""
    layer, x = made
    results = []
    start = {name: p.numpy() for name, p in layer.state_dict().items()}
    for on in (True, False):
        layer.set_state_dict(start)
        paddle.set_flags({"FLAGS_keep_packed_weights": on})
        try:
            steps = getattr(paddle.optimizer, optimizer)(0.1, parameters=layer.parameters())
            seen = []
            for _ in range(2):
                seen.append(used(layer, x)[-1])
                (layer(x) ** 2).mean().backward()
                steps.step()
                steps.clear_grad()
            results.append([*seen, used(layer, x)[-1]])
        finally:
            paddle.set_flags({"FLAGS_keep_packed_weights": True})
    for a, b in zip(*results):
        close(a, b)
    assert abs(results[0][0] - results[0][2]).max() > 1e-3


def test_a_static_program_that_trains_the_weight():
    layer = paddle.nn.Linear(256, 300)
    x = paddle.to_tensor(floats(40, 256))
    step = paddle.jit.to_static(lambda x: (layer(x) ** 2).mean())
    optimizer = paddle.optimizer.SGD(0.5, parameters=layer.parameters())
    for _ in range(4):
        used(layer, x)
        step(x).backward()
        optimizer.step()
        optimizer.clear_grad()
        close(used(layer, x, 1)[0], recorded(layer, x))


def test_alternating_with_recorded_calls_packs_nothing(made):
    layer, x = made
    for _ in range(6):
        used(layer, x, 2)
        recorded(layer, x)
    assert not is_packed(layer.weight) and layer.weight._data.flags.writeable


def test_what_others_may_write_into_is_not_packed():
    layer, x = paddle.nn.Linear(256, 300), paddle.to_tensor(floats(40, 256))
    used(layer, x)
    shared = np.from_dlpack(paddle.utils.dlpack.to_dlpack(layer.weight))
    used(layer, x)
    assert not is_packed(layer.weight)
    shared[:] = floats(256, 300, seed=3)
    close(used(layer, x, 1)[0], recorded(layer, x))


def test_memory_goes_with_the_weight_and_is_bounded(monkeypatch):
    before = packing._held
    layer, x = paddle.nn.Linear(256, 300), paddle.to_tensor(floats(40, 256))
    used(layer, x)
    assert packing._held >= before + layer.weight._data.nbytes
    del layer
    gc.collect()
    assert packing._held == before
    monkeypatch.setattr(thresholds, "PACKED_BYTES", before + 1000)
    layer = paddle.nn.Linear(256, 300)
    close(used(layer, x)[-1], recorded(layer, x))
    assert packing._held == before and layer.weight._data.flags.writeable


def test_another_instruction_set(made):
    layer, x = made
    expected = used(layer, x)[-1]
    before = process.native.isa()
    try:
        process.native.set_isa("base")
        close(used(layer, x, 1)[0], expected)
    finally:
        process.native.set_isa(before)
