"""One policy for devices that are not there: a single warning, then the CPU; an error where FLAGS_strict_device is set."""

import warnings

import pytest

import paddle
from paddle.core import place as places

ASKS = {"CUDAPlace": lambda: paddle.CUDAPlace(0), "set_device": lambda: paddle.set_device("gpu"),
        "set_device npu": lambda: paddle.set_device("npu:1"), "device.set_device": lambda: paddle.device.set_device("gpu:0"),
        "Tensor.cuda": lambda: paddle.ones([2]).cuda(), "Tensor.to": lambda: paddle.ones([2]).to("cuda"),
        "Tensor.to(0)": lambda: paddle.ones([2]).cuda(0), "Layer.to": lambda: paddle.nn.Linear(2, 2).to("cuda:0"),
        "Layer.cuda": lambda: paddle.nn.Linear(2, 2).cuda(), "Layer.xpu": lambda: paddle.nn.Linear(2, 2).xpu(1),
        "to_tensor": lambda: paddle.to_tensor([1.0], place="gpu:0"), "Executor": lambda: paddle.static.Executor("gpu"),
        "device": lambda: paddle.device.device("cuda:0"), "Config": lambda: paddle.inference.Config().enable_use_gpu(100, 0)}


@pytest.fixture(autouse=True)
def unwarned(monkeypatch):
    monkeypatch.setattr(places, "_warned", False)


@pytest.mark.parametrize("name", ASKS)
def test_one_warning_then_the_cpu(name):
    with pytest.warns(UserWarning, match="the CPU is used instead"):
        ASKS[name]()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ASKS[name]()


@pytest.mark.parametrize("name", ASKS)
def test_an_error_if_the_program_wants_that(name):
    paddle.set_flags({"FLAGS_strict_device": True})
    try:
        with pytest.raises(RuntimeError, match="FLAGS_strict_device"):
            ASKS[name]()
    finally:
        paddle.set_flags({"FLAGS_strict_device": False})


def test_what_is_returned_works():
    with pytest.warns(UserWarning):
        x = paddle.to_tensor([1.0, 2.0]).cuda()
    layer = paddle.nn.Linear(2, 1).cuda()
    assert paddle.set_device("gpu") == paddle.CPUPlace() and paddle.get_device() == "cpu"
    assert layer(x).shape == [1] and x.place == paddle.CPUPlace() and x.to("cuda", "float64").dtype == "float64"
