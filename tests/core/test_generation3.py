"""What Paddle 3 means by calls that 2.6 has too: results recorded from 2.6.2 and 3.3.1, each under its own rules."""

import numpy as np
import pytest

import paddle
from paddle.core import generation as core_generation

F = paddle.nn.functional


@pytest.fixture(params=["2.6", "3"])
def generation(request):
    paddle.set_generation(request.param)
    return request.param


def gradient(function, values):
    x = paddle.to_tensor(values, stop_gradient=False)
    function(x).sum().backward()
    return x.grad.tolist()


def both(function, values):
    x, y = (paddle.to_tensor(values, stop_gradient=False) for _ in range(2))
    function(x, y).sum().backward()
    return x.grad.tolist(), y.grad.tolist()


def described(x):
    return x.dtype.name, x.tolist()


def norms(p):
    """Of two matrices, as they were recorded: to four decimals."""
    x = paddle.arange(24, dtype="float32").reshape([2, 3, 4]) - 12
    return pytest.approx(paddle.linalg.norm(x, p, [1, 2]).tolist(), abs=6e-5)


INTS = [1, 5]
SHARES = [1, 0, 0, 0, 0], [np.float32(1 / 3), 0, np.float32(1 / 3), 0, np.float32(1 / 3)]


def TRUTHS():
    return paddle.to_tensor([True, False])


ROWS = [  # what, 2.6.2, 3.3.1
    (lambda: paddle.shape(paddle.ones([2, 3])).dtype.name, "int32", "int64"),
    (lambda: bool((paddle.uniform([1000]) < 0).any()), True, False),
    (lambda: bool((paddle.uniform([1000], min=-1.0) < 0).any()), True, True),
    (lambda: bool((paddle.zeros([1000]).uniform_() < 0).any()), True, False),
    (lambda: paddle.round(paddle.to_tensor([0.5, 1.5, 2.5, -0.5, -1.5])).tolist(), [1, 2, 3, -1, -2], [0, 2, 2, 0, -2]),
    (lambda: paddle.cumsum(paddle.to_tensor([1, 2], "int32")).dtype.name, "int32", "int64"),
    (lambda: paddle.quantile(paddle.to_tensor([1.0, 2.0]), 0.5).dtype.name, "float64", "float32"),
    (lambda: paddle.nanquantile(paddle.to_tensor([1.0, 2.0]), 0.5).dtype.name, "float64", "float32"),
    (lambda: list(paddle.nonzero(paddle.to_tensor([1, 0, 2]), as_tuple=True)[0].shape), [2, 1], [2]),
    (lambda: list(paddle.where(paddle.to_tensor([True, False, True]))[0].shape), [2, 1], [2]),
    (lambda: described(paddle.clip(paddle.to_tensor(INTS), 1.5, 3.5)), ("int64", [1, 3]), ("float32", [1.5, 3.5])),
    (lambda: paddle.full([2], True).dtype.name, "float32", "bool"),
    (lambda: described(paddle.to_tensor([True, False]) + 1), ("bool", [True, True]), ("int64", [2, 1])),
    (lambda: (paddle.ones([2]) + paddle.to_tensor(1.0, "float64")).dtype.name, "float64", "float32"),
    (lambda: gradient(paddle.max, [2.0, 1.0, 2.0]), [1, 0, 1], [0.5, 0, 0.5]),
    (lambda: gradient(paddle.min, [1.0, 1.0, 2.0]), [1, 1, 0], [0.5, 0.5, 0]),
    (lambda: both(paddle.maximum, [2.0]), ([0], [1]), ([0.5], [0.5])),
    (lambda: both(paddle.minimum, [2.0]), ([0], [1]), ([0.5], [0.5])),
    (lambda: gradient(lambda x: paddle.clip(x, 1.0, 3.0), [1.0, 2.0, 3.0, 4.0]), [0, 1, 0, 0], [1, 1, 1, 0]),
    (lambda: repr(paddle.ones([2, 3]).shape), "[2, 3]", "paddle.Size([2, 3])"),
    (lambda: str(paddle.ones([2])).partition(", place")[0], *2 * ["Tensor(shape=[2], dtype=float32"]),
    (lambda: paddle.where(paddle.to_tensor([True]), 1.0, 2.0).dtype.name, "float64", "float32"),
    (lambda: paddle.__version__, "2.6.2", "3.3.1"),
    (lambda: paddle.version.full_version, "2.6.2", "3.3.1"),
    (lambda: (paddle.version.major, paddle.version.minor, paddle.version.patch), ("2", "6", "2"), ("3", "3", "1")),
    (lambda: paddle.utils.require_version("2.0", "3.3.1"), None, None),
    (lambda: paddle.inference.get_version().split()[1], "2.6.2", "3.3.1"),
    (lambda: paddle.get_flags("FLAGS_enable_pir_api"), {"FLAGS_enable_pir_api": False}, {"FLAGS_enable_pir_api": True}),
    (lambda: gradient(paddle.median, [3.0, 1.0, 3.0, 2.0, 3.0]), *SHARES),
    (lambda: gradient(paddle.nanmedian, [3.0, 1.0, 3.0, 2.0, 3.0]), *SHARES),
    (lambda: gradient(paddle.median, [2.0, 1.0, 2.0]), [1, 0, 0], [0.5, 0, 0.5]),
    (lambda: gradient(paddle.nanmedian, [1.0, float("nan"), 2.0, 2.0]), [0, 0, 1, 0], [0, 0, 0.5, 0.5]),
    (lambda: gradient(paddle.median, [1.0, 2.0, 3.0, 4.0]), *2 * [[0, 0.5, 0.5, 0]]),
    (lambda: gradient(lambda x: paddle.median(x, 1, True), [[1.0, 2.0, 2.0], [3.0, 1.0, 0.0]]),
     [[0, 1, 0], [0, 1, 0]], [[0, 0.5, 0.5], [0, 1, 0]]),
    (lambda: described(TRUTHS() / paddle.to_tensor([True, True])), ("float32", [1, 0]), ("bool", [True, False])),
    (lambda: described(TRUTHS() / True), ("float32", [1, 0]), ("bool", [True, False])),
    (lambda: described(TRUTHS() / 2), *2 * [("float32", [0.5, 0])]),
    (lambda: described(paddle.divide(TRUTHS(), paddle.to_tensor([True, True])))[1], [True, False], [True, False]),
    (lambda: paddle.mul(paddle.to_tensor([[1, 2], [3, 4]]), paddle.to_tensor([[5, 6], [7, 8]])).tolist(),
     [[19, 22], [43, 50]], [[5, 12], [21, 32]]),
    (lambda: paddle.linalg.matrix_rank(paddle.eye(2)).dtype.name, "int32", "int64"),
    (lambda: norms(1), [78, 66], [24, 21]),
    (lambda: norms(-1), [0.3222, 0], [15, 12]),
    (lambda: norms(2), [25.4951, 22.4944], [25.4368, 22.4093]),
    (lambda: norms(float("inf")), [12, 11], [42, 38]),
    (lambda: norms(float("-inf")), [1, 0], [10, 6]),
    (lambda: norms("nuc"), *2 * [[27.1594, 24.3646]]),
    (lambda: list(paddle.linalg.norm(paddle.ones([2, 3, 4]), 2, [0, 2], keepdim=True).shape), *2 * [[1, 3, 1]]),
    (lambda: list(paddle.linalg.lu(paddle.eye(3), get_infos=True)[2].shape), [1], []),
    (lambda: list(paddle.linalg.lu(paddle.ones([2, 3, 3]) + paddle.eye(3), get_infos=True)[2].shape), *2 * [[2]]),
    (lambda: repr(paddle.nn.Dropout(0.5)), "Dropout(p=0.5, axis=None, mode=upscale_in_train)",
     "Dropout(p=0.5, axis=None, mode=upscale_in_train, inplace=False)"),
]


@pytest.mark.parametrize("number", range(len(ROWS)))
def test_each_generation_has_its_result(number, generation):
    function, older, newer = ROWS[number]
    assert function() == (older if generation == "2.6" else newer)


def test_even_medians_and_nan():
    paddle.set_generation("3")
    assert gradient(paddle.median, [2.0, 2.0, 2.0, 2.0]) == [0.25, 0.25, 0.25, 0.25]
    assert gradient(paddle.median, [1.0, float("nan"), 2.0]) == [0, 1, 0]
    assert np.isnan(paddle.median(paddle.to_tensor([1.0, float("nan"), 2.0], stop_gradient=False)).item())
    x = np.random.RandomState(0).randint(0, 4, [5, 6, 7]).astype("float32") / 3
    for axis in (None, 0, 1, -1):
        for function, wanted in ((paddle.median, np.median), (paddle.nanmedian, np.nanmedian)):
            np.testing.assert_array_equal(function(paddle.to_tensor(x, stop_gradient=False), axis).numpy(), wanted(x, axis))


def test_tensors_of_lists_and_sizes(generation):
    if generation == "2.6":
        assert described(paddle.Tensor([1, 2])) == ("int64", [1, 2])
        return
    for value in ([1, 2], (1, 2)):
        assert described(paddle.Tensor(value)) == ("float32", [1, 2])
    assert described(paddle.Tensor([True])) == ("float32", [1])
    assert described(paddle.Tensor(np.array([1, 2]))) == described(paddle.Tensor(paddle.to_tensor([1, 2]))) == ("int64", [1, 2])
    for sizes in ((2, 3), (3,), (0,), (1, 2, 1, 2, 1, 2)):
        x = paddle.Tensor(*sizes)
        assert (tuple(x.shape), x.dtype.name, x.stop_gradient) == (sizes, "float32", True)
    assert list(paddle.Tensor().shape) == [0]
    for sizes in ((2, True), (-1,), (2, "int64"), (2, 3, None, False)):
        with pytest.raises(TypeError, match="sizes must be ints"):
            paddle.Tensor(*sizes)


def test_the_flag_of_new_files_can_be_set(generation, tmp_path):
    flag = core_generation.PIR_API
    try:
        paddle.set_flags({"FLAGS_enable_pir_api": generation == "2.6"})
        assert paddle.get_flags("FLAGS_enable_pir_api") == {"FLAGS_enable_pir_api": generation == "2.6"}
        paddle.jit.save(paddle.nn.Linear(2, 2), str(tmp_path / "m"), input_spec=[paddle.static.InputSpec([1, 2])])
        assert (tmp_path / ("m.json" if generation == "2.6" else "m.pdmodel")).exists()
    finally:
        flag.value = None


def test_show_prints_the_generations_version(generation, capsys):
    paddle.version.show()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == ("full_version: 2.6.2" if generation == "2.6" else "full_version: 3.3.1")
    assert ("cinn: False" in lines) == ("cuda_archs: []" in lines) == (generation == "3")


def test_arguments_that_changed_places(generation):
    if generation == "2.6":
        assert paddle.nn.Dropout(0.5, 1).axis == 1
        return
    assert paddle.nn.Dropout(0.5, True).axis is None
    x = paddle.ones([2])
    F.dropout(x, 1.0, None, True, False)
    assert x.tolist() == [1.0, 1.0]
    F.dropout(x, 1.0, None, True, True)
    assert x.tolist() == [0.0, 0.0]
    table = paddle.nn.Embedding(4, 2, None, 0.5)
    table.weight.set_value(paddle.ones([4, 2]))
    assert float(table(paddle.to_tensor([1])).norm()) == pytest.approx(0.5, abs=1e-5)


@pytest.mark.parametrize("make, x", [
    (lambda **more: paddle.nn.Conv1D(2, 3, 1, **more), lambda: paddle.ones([1, 2, 4], "float64")),
    (lambda **more: paddle.nn.Conv2D(2, 3, 1, 2, 1, **more), lambda: paddle.ones([1, 2, 4, 4], "float64")),
    (lambda **more: paddle.nn.Conv3D(2, 3, 1, device="cpu", **more), lambda: paddle.ones([1, 2, 4, 4, 4], "float64")),
    (lambda **more: paddle.nn.Embedding(4, 2, **more), lambda: paddle.to_tensor([1, 2])),
    (lambda **more: paddle.nn.LayerNorm(4, **more), lambda: paddle.ones([2, 4], "float64")),
    (lambda **more: paddle.nn.GroupNorm(1, 2, **more), lambda: paddle.ones([1, 2, 4, 4], "float64"))])
def test_layers_of_an_element_type(make, x):
    paddle.set_generation("3")
    layer = make(dtype="float64")
    assert {p.dtype.name for p in layer.parameters()} == {"float64"} and layer._dtype == "float64"
    assert layer(x()).dtype.name == "float64"
    assert {p.dtype.name for p in make().parameters()} == {"float32"}
    with pytest.raises((TypeError, ValueError), match="dtype"):
        make(dtype="no_such")


def test_models_are_saved_in_the_generations_format(generation, tmp_path):
    layer = paddle.nn.Linear(2, 2)
    paddle.jit.save(layer, str(tmp_path / "m"), input_spec=[paddle.static.InputSpec([1, 2])])
    assert (tmp_path / ("m.pdmodel" if generation == "2.6" else "m.json")).exists()
    x = paddle.ones([1, 2])
    np.testing.assert_allclose(paddle.jit.load(str(tmp_path / "m"))(x).numpy(), layer(x).numpy(), rtol=1e-6)


def test_a_small_network_trains_under_either(generation):
    paddle.seed(1)
    net = paddle.nn.Sequential(paddle.nn.Conv2D(1, 2, 3), paddle.nn.BatchNorm2D(2), paddle.nn.MaxPool2D(2), paddle.nn.Flatten(),
                               paddle.nn.Dropout(0.1), paddle.nn.Linear(18, 4))
    optimizer = paddle.optimizer.Adam(0.01, parameters=net.parameters())
    losses = []
    for _ in range(10):
        loss = F.cross_entropy(net(paddle.ones([4, 1, 8, 8])), paddle.to_tensor([1, 1, 1, 1]))
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    assert losses[-1] < losses[0]


def test_shapes_of_variables(generation):
    with paddle.static.program_guard(paddle.static.Program()):
        shape = paddle.static.Program().global_block().new_var(name="x", shape=[-1, 3], dtype="float32").shape
    if generation == "3":
        assert repr(shape) == "paddle.Size([-1, 3])" and shape[1:] + [2] == (3, 2) and shape == (-1, 3)
    else:
        assert shape == (-1, 3) and repr(shape) == "(-1, 3)"
