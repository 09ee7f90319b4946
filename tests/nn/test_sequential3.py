"""Sequential grows in place, as in Paddle 3: orders and names recorded from 3.3.1."""

import pytest

import paddle
from paddle import nn


def described(layers):
    return [type(layer).__name__ for layer in layers], list(layers._sub_layers)


def test_append_extend_insert():
    net = nn.Sequential(nn.ReLU(), nn.Tanh())
    assert net.insert(1, nn.GELU()) is net
    assert described(net) == (["ReLU", "GELU", "Tanh"], ["0", "1", "2"])
    net.insert(-1, nn.Silu())
    assert described(net) == (["ReLU", "GELU", "Silu", "Tanh"], ["0", "1", "2", "3"])
    net.insert(4, nn.ELU())
    assert described(net) == (["ReLU", "GELU", "Silu", "Tanh", "ELU"], ["0", "1", "2", "3", "4"])
    net = nn.Sequential(("a", nn.ReLU()))
    assert net.append(nn.Linear(2, 3)) is net and described(net)[1] == ["a", "1"]
    assert net.extend(nn.Sequential(nn.Tanh())) is net and described(net)[1] == ["a", "1", "2"]
    assert list(net(paddle.ones([1, 2])).shape) == [1, 3] and len(net.parameters()) == 2


def test_a_name_is_never_taken_twice():
    net = nn.Sequential(nn.ReLU(), nn.Tanh())
    del net[0]
    assert described(net.append(nn.GELU())) == (["Tanh", "GELU"], ["1", "2"])


def test_what_is_refused():
    net = nn.Sequential(nn.ReLU(), nn.Tanh())
    for index in (7, -9, "0"):
        with pytest.raises(IndexError, match="out of range for 2 layers"):
            net.insert(index, nn.ELU())
    with pytest.raises(TypeError, match="module must be a Layer"):
        net.insert(0, 3)
    with pytest.raises((TypeError, AssertionError)):
        net.append(3)
    assert described(net) == (["ReLU", "Tanh"], ["0", "1"])
    with pytest.raises(ValueError, match="numbers for names"):
        nn.Sequential(("a", nn.ReLU())).insert(0, nn.Tanh())
