"""import torch, while paddle.enable_compat is on."""

import importlib
import sys
import types

import numpy as np
import pytest

import paddle


@pytest.fixture(autouse=True)
def unchanged():
    before = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "torch"}
    yield
    paddle.disable_compat()
    assert {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "torch"} == before


def test_names_and_meanings():
    with paddle.use_compat_guard():
        import torch
        import torch.nn.functional as F
        from torch import nn
        assert torch.sin is paddle.sin and torch.max is paddle.compat.max and torch.relu is paddle.nn.functional.relu
        assert nn.Linear is paddle.compat.nn.Linear and nn.Module is paddle.nn.Layer and F.gelu is paddle.nn.functional.gelu
        values, places = torch.max(torch.tensor([[1.0, 3.0], [4.0, 2.0]]), dim=1)
        assert values.tolist() == [3, 4] and places.tolist() == [1, 0]
        with pytest.raises(ModuleNotFoundError, match=r"torch\.nowhere"):
            importlib.import_module("torch.nowhere")
        with pytest.raises(AttributeError):
            torch.no_such_function  # noqa: B018


def test_a_module_of_pytorchs_style_learns():
    with paddle.use_compat_guard():
        import torch

        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = torch.nn.Linear(2, 1)

            def forward(self, x):
                return self.inner(x)

        net = Net()
        assert list(net.inner.weight.shape) == [1, 2]
        loss = net(torch.ones(3, 2)).pow(2).sum()
        loss.backward()
        assert net.inner.weight.grad is not None


def test_off_again():
    paddle.enable_compat()
    paddle.enable_compat()
    assert importlib.import_module("torch").ones is paddle.ones
    paddle.disable_compat()
    assert getattr(sys.modules.get("torch"), "ones", None) is not paddle.ones
    with paddle.use_compat_guard():
        with paddle.compat.use_torch_proxy_guard(enable=False):
            assert "torch" not in sys.modules or not hasattr(sys.modules["torch"], "_ours")
        assert importlib.import_module("torch").sin is paddle.sin


def test_what_was_imported_before_comes_back(monkeypatch):
    mine = types.ModuleType("torch")
    monkeypatch.setitem(sys.modules, "torch", mine)
    with pytest.warns(UserWarning, match="imported already"):
        paddle.enable_compat()
    assert importlib.import_module("torch").sin is paddle.sin
    paddle.disable_compat()
    assert sys.modules["torch"] is mine
    monkeypatch.undo()


def test_blocked_modules(tmp_path, monkeypatch):
    (tmp_path / "wants_torch_itself.py").write_text("try:\n    import torch\nexcept ImportError:\n    torch = None\n")
    monkeypatch.syspath_prepend(tmp_path)
    with paddle.use_compat_guard():
        paddle.compat.extend_torch_proxy_blocked_modules(["wants_torch_itself"])
        found = importlib.import_module("wants_torch_itself").torch
        assert found is None or not hasattr(found, "_ours")
    monkeypatch.delitem(sys.modules, "wants_torch_itself")
    for name in [name for name in sys.modules if name.partition(".")[0] == "torch"]:
        monkeypatch.delitem(sys.modules, name)


def test_refusals():
    with pytest.raises(NotImplementedError, match="scope"):
        paddle.enable_compat(scope={"mine"})
    with pytest.raises(ValueError, match="backend"):
        paddle.enable_compat(backend="jax")
    with pytest.raises(TypeError, match="blocked_modules"):
        paddle.compat.extend_torch_proxy_blocked_modules([3])


def test_results_go_where_they_are_wanted():
    x, out = paddle.to_tensor([[5.0, 1.0, 3.0], [2.0, 4.0, 6.0]]), (paddle.zeros([1]), paddle.zeros([1], "int64"))
    for function, expected in ((paddle.compat.median, [3, 4]), (paddle.compat.max, [5, 6]), (paddle.compat.nanmedian, [3, 4])):
        values, _ = function(x, 1, out=out)
        assert out[0].tolist() == expected == values.tolist()
    one = paddle.zeros([1])
    paddle.compat.median(x, out=one)
    assert float(one) == 3


def test_tensors_of_a_file(tmp_path):
    path = str(tmp_path / "numbers")
    np.arange(20, dtype="float32").tofile(path)
    storage = paddle.MmapStorage(path, 80)
    first = storage.get_slice("float32", 0, 20).reshape([4, 5])
    assert first.tolist() == np.arange(20).reshape(4, 5).tolist() and storage.get_slice("float32", 1, 9, 4).tolist() == [1, 5]
    first[0, 0] = 7
    assert np.fromfile(path, "float32")[0] == 0 and storage.get_slice(stop=4).dtype == paddle.uint8
    for call, message in ((lambda: paddle.MmapStorage(path, 81), "has 80 bytes"), (lambda: storage.get_slice(step=0), "step"),
                          (lambda: storage.get_slice("float32", 0, 21), "stop")):
        with pytest.raises(ValueError, match=message):
            call()
