"""paddle.cuda, paddle.device and the modules that can be called, as Paddle 3.3.1's CPU build has them."""

import numpy as np
import pytest

import paddle


def test_no_accelerator_is_there():
    cuda = paddle.cuda
    assert (cuda.is_available(), cuda.device_count(), cuda.current_device(), cuda.is_initialized()) == (False, 0, 0, False)
    assert not paddle.device.is_available() and paddle.device.device_count() == 0
    assert paddle.device.is_current_stream_capturing() is False
    assert cuda.is_bf16_supported() and paddle.device.xpu.device_count() == 0
    for function in (cuda.memory_allocated, cuda.get_device_name, cuda.mem_get_info, paddle.device.max_memory_reserved,
                     paddle.device.cuda.memory_summary, paddle.device.xpu.memory_total, cuda.empty_cache):
        with pytest.raises(ValueError, match="no accelerator"):
            function()
    with pytest.raises(RuntimeError, match="no accelerator"):
        cuda.ipc_collect()
    with pytest.raises(ValueError, match="device"):
        paddle.device.device("toaster")
    with paddle.device.device("cpu"), paddle.cuda.stream(None):
        pass


def test_seeds_and_states_are_the_cpus():
    paddle.cuda.manual_seed(7)
    assert paddle.random.initial_seed() == 7
    state = paddle.device.get_rng_state()
    first = paddle.rand([3]).tolist()
    paddle.device.set_rng_state(state)
    assert paddle.rand([3]).tolist() == first


def test_modules_can_be_called():
    x = paddle.tensor([1.0, 2.0], dtype="float64", requires_grad=True)
    assert x.dtype == "float64" and not x.stop_gradient and x.tolist() == [1.0, 2.0]
    assert paddle.device("cpu") == "cpu" and paddle.tensor.math.add is not None and paddle.get_default_device() == "cpu"
    assert paddle.cuda.FloatTensor([1]).tolist() == [1.0]


def test_modules_named_after_pytorchs():
    x = paddle.to_tensor([3.0, 4.0])
    assert float(paddle.functional.norm(x)) == 5.0
    np.testing.assert_allclose(paddle.special.logsumexp(x).numpy(), np.log(np.exp([3.0, 4.0]).sum()), rtol=1e-6)
    assert paddle.autograd.Function is paddle.autograd.PyLayer


def test_optimizers_zero_grad():
    layer = paddle.nn.Linear(2, 2)
    optimizer = paddle.optimizer.SGD(0.1, parameters=layer.parameters())
    layer(x := paddle.ones([1, 2])).sum().backward()
    optimizer.zero_grad()
    assert layer.weight.grad is None and x.stop_gradient
    optimizer.load_state_dict(optimizer.state_dict())
