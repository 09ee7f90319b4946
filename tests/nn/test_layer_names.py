"""A layer's parts may have any name that Paddle's Layer leaves free."""

import numpy as np
import pytest

import paddle
from paddle import nn

PADDLES_OWN = {"_apply", "_build_once", "_built", "_dygraph_call_func", "_obtain_parameters_buffers", "_set_op_attrs",
               "_startup_program", "_state_dict_impl", "_to_impl", "_transform"}


def test_private_names_are_those_of_paddle():
    ours = {name for name in vars(nn.Layer) if name.startswith("_") and not name.startswith("__")}
    assert ours - PADDLES_OWN <= {"_tensors_are_buffers", "_repr_html_"}


@pytest.mark.parametrize("name", ["_state", "_cast", "_note", "_register", "_named_members", "_members", "_value"])
def test_parts_of_these_names_are_found(name):
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            setattr(self, name, nn.Linear(2, 3))

        def forward(self, x):
            return getattr(self, name)(x)

    net = Net()
    assert net(paddle.ones([1, 2])).shape == [1, 3]
    assert list(net.state_dict()) == [f"{name}.weight", f"{name}.bias"]
    net.to(dtype="float64")
    assert all(p.dtype == paddle.float64 for p in net.parameters())
    again = Net()
    again.set_state_dict({key: value.astype("float32") for key, value in net.state_dict().items()}, strict=True)
    np.testing.assert_array_equal(getattr(again, name).weight.numpy(), getattr(net, name).weight.numpy().astype("float32"))
