"""paddle.device, sysconfig, cpp_extension and LazyGuard behave as a CPU build's (answers taken from real 2.6.2's CPU wheel)."""

import numpy as np
import pytest

import paddle
from paddle.utils import cpp_extension


def test_answers_of_a_cpu_build():
    device = paddle.device
    assert device.get_device() == "cpu" and repr(device.set_device("cpu")) == "Place(cpu)"
    assert device.get_cudnn_version() is None and device.cuda.device_count() == 0 and device.cuda.empty_cache() is None
    assert device.get_all_device_type() == device.get_available_device() == device.get_available_custom_device() == []
    for name in ("cuda", "rocm", "xpu", "ipu", "cinn"):
        assert getattr(device, f"is_compiled_with_{name}")() is False
    assert device.is_compiled_with_distribute() is True and device.is_compiled_with_custom_device("npu") is False
    assert paddle.is_compiled_with_cuda() is False and paddle.get_device() == "cpu"
    assert paddle.version.xpu_xccl() == "False"


@pytest.mark.parametrize("name", ["memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved",
                                  "get_device_properties", "get_device_name", "get_device_capability"])
def test_asking_about_a_gpu(name):
    with pytest.raises(ValueError, match=name):
        getattr(paddle.device.cuda, name)()


@pytest.mark.parametrize("call, kind", [
    (lambda: paddle.device.cuda.Stream(), RuntimeError), (lambda: paddle.device.cuda.Event(), RuntimeError),
    (lambda: paddle.device.cuda.synchronize(), RuntimeError), (lambda: paddle.device.cuda.current_stream(), RuntimeError),
    (lambda: paddle.device.xpu.synchronize(), RuntimeError), (lambda: paddle.device.Stream(), TypeError),
    (lambda: paddle.device.Event(), TypeError), (lambda: paddle.device.current_stream(), TypeError),
    (lambda: paddle.device.synchronize(), TypeError), (lambda: paddle.device.set_device("gpu:x"), ValueError),
    (lambda: paddle.device.set_device("toaster"), ValueError), (lambda: paddle.device.set_device(3), TypeError),
    (lambda: cpp_extension.load("x", []), NotImplementedError), (lambda: cpp_extension.setup(), NotImplementedError),
    (lambda: paddle.to_tensor([1.0]).values(), TypeError), (lambda: paddle.to_tensor([1.0]).to_dense(), TypeError),
])
def test_what_is_not_here_says_so(call, kind):
    with pytest.raises(kind, match=r"\(\)"):
        call()


def test_attributes_of_tensors_in_one_place():
    x = paddle.to_tensor([1.0], stop_gradient=False)
    assert x.num_shard is x.dist_attr is x.placements is x.process_mesh is None and x.grad_ is None
    y = x.exp()
    assert y.grad_fn.name() == "ExpGradNode" and [f.name() for f in y.grad_fn.next_functions] == ["GradNodeAccumulation"]
    assert x.grad_fn.next_functions == [None] and paddle.ones([1]).exp().grad_fn is None and y.grad_fn == y.grad_fn
    assert [f.name() for f in paddle.concat([x, y]).grad_fn.next_functions] == ["GradNodeAccumulation", "ExpGradNode"]
    assert x.get_selected_rows() is None and x.is_same_shape(y)


def test_lazy_guard_leaves_parameters_to_be_filled():
    with paddle.LazyGuard():
        layer = paddle.nn.Linear(3, 4)
    assert not layer.weight.numpy().any()
    for p in layer.parameters():
        p.initialize()
    assert layer.weight.numpy().any() and np.isfinite(layer.weight.numpy()).all()
    with pytest.raises(RuntimeError, match="initialize"):
        layer.weight.initialize()
    assert paddle.nn.Linear(3, 4).weight.numpy().any()


def test_device_of_a_tensor_and_seed_of_all():
    assert paddle.device.get_device(paddle.ones([1])) == -1 and paddle.device.get_device(None) == "cpu"
    paddle.device.manual_seed_all(5)
    first = paddle.rand([3]).tolist()
    paddle.seed(5)
    assert paddle.rand([3]).tolist() == first
