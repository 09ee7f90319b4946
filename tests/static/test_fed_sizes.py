"""Programs that are fed other sizes than their variables declare: what functions compute holds for what is fed."""

import numpy as np
import pytest

import paddle
from paddle.nn import functional as F

DECLARED, FED = [2, 3, 8, 8], np.random.RandomState(0).rand(2, 3, 10, 12).astype("float32")
FUNCTIONS = {
    "var": lambda x: paddle.var(x, 3), "std of all": paddle.std, "std": lambda x: paddle.std(x, [2, 3], False, True),
    "median": lambda x: paddle.median(x, 3), "median of all": paddle.median, "median kept": lambda x: paddle.median(x, 2, True),
    "quantile": lambda x: paddle.quantile(x, [0.2, 0.7], 3), "nanquantile": lambda x: paddle.nanquantile(x, 0.3, [2, 3], True),
    "nanmedian": lambda x: paddle.nanmedian(x, 3), "cov": lambda x: paddle.linalg.cov(x[0, 0]),
    "corrcoef": lambda x: paddle.linalg.corrcoef(x[0, 0]), "local response": lambda x: F.local_response_norm(x, 3),
    "irfft": lambda x: paddle.fft.irfft(paddle.fft.rfft(x)), "irfft2": lambda x: paddle.fft.irfft2(paddle.fft.rfft2(x)),
    "fftshift": paddle.fft.fftshift, "ifftshift": lambda x: paddle.fft.ifftshift(x, [2]),
    "stft": lambda x: paddle.as_real(paddle.signal.stft(paddle.flatten(x, 1), 16)),
    "stft of one": lambda x: paddle.as_real(paddle.signal.stft(x[0, 0, 0], 4, pad_mode="constant")),
    "istft": lambda x: paddle.signal.istft(paddle.signal.stft(paddle.flatten(x, 1), 16), 16),
    "interpolate": lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), "flatten": lambda x: paddle.flatten(x, 2),
    "adaptive": lambda x: F.adaptive_avg_pool2d(x, 3), "split": lambda x: paddle.split(x, 2, 3)[1],
    "instance norm": F.instance_norm, "trapezoid": lambda x: paddle.trapezoid(x, axis=3), "diff": lambda x: paddle.diff(x, axis=3),
    "cross entropy": lambda x: F.cross_entropy(x, paddle.argmax(x, 1), axis=1), "dice": lambda x: F.dice_loss(
        F.softmax(x.transpose([0, 2, 3, 1])), paddle.argmax(x, 1).unsqueeze(-1)),
}


def program(function):
    """A program of a function of x, whose fed size nobody checks, as with fluid.layers.data and in predictors."""
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup):
        x = paddle.static.data("x", DECLARED, "float32")
        x.need_check_feed = False
        y = function(x)
    paddle.static.Executor().run(startup)
    return main, x, y


def run(main, fetched):
    return paddle.static.Executor().run(main, {"x": FED}, [fetched])[0]


@pytest.fixture
def static():
    paddle.enable_static()
    yield
    paddle.disable_static()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_of_what_is_fed(name, static):
    main, _, y = program(FUNCTIONS[name])
    got = run(main, y)
    paddle.disable_static()
    expected = FUNCTIONS[name](paddle.to_tensor(FED)).numpy()
    assert (got.shape, got.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)


def test_local_response_norm_can_be_saved(static, tmp_path):
    main, x, y = program(FUNCTIONS["local response"])
    paddle.static.save_inference_model(str(tmp_path / "model"), [x], [y], paddle.static.Executor(), program=main)
    predictor = paddle.inference.create_predictor(paddle.inference.Config(str(tmp_path / "model.pdmodel"), ""))
    np.testing.assert_allclose(predictor.run([FED])[0], run(main, y), rtol=1e-6)


def test_an_unrolled_cell_refuses_another_number_of_steps(static):
    cell = lambda x: paddle.nn.RNN(paddle.nn.SimpleRNNCell(8, 4))(x[0])[0]
    main, _, y = program(lambda x: cell(x[:, :, :, :8]))
    with pytest.raises(ValueError, match="num is 8"):
        run(main, y)


@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
def test_take_by_operators_that_files_have(mode, static, tmp_path):
    places = np.array([[0, -1], [5, 719]] if mode == "raise" else [[0, -1], [5, 9999]])
    main, x, y = program(lambda x: paddle.take(x, paddle.assign(places), mode))
    paddle.static.save_inference_model(str(tmp_path / "model"), [x], [y], paddle.static.Executor(), program=main)
    np.testing.assert_array_equal(run(main, y), np.take(FED, places, mode=mode))
