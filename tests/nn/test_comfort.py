"""What a notebook and a newcomer see: layers and programs as HTML, a warning for layers in a plain list and for lopsided losses."""

import warnings

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.nn import functional as F


def test_layers_in_html():
    net = nn.Sequential(nn.Linear(2, 3), nn.Sequential(nn.ReLU()))
    net[0].bias.stop_gradient = True
    text = net._repr_html_()
    assert "9 parameters, 3 frozen" in text and text.count("<details") == text.count("</details>") == 2
    assert "<b>0</b> <code>Linear(in_features=2, out_features=3, dtype=float32)</code>" in text


def test_programs_in_html_and_text():
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        with paddle.utils.unique_name.guard():
            paddle.enable_static()
            try:
                x = paddle.static.data("a<b", [2])
                F.relu(x) > 0.5  # noqa: B015
            finally:
                paddle.disable_static()
    text = main._repr_html_()
    assert "<svg" in text and "a&lt;b" in text and "a<b" not in text
    assert "fp32_values=[0.5]" in str(main)
    assert "<svg" not in paddle.static.Program()._repr_html_()


@pytest.mark.parametrize("kind", [list, tuple])
def test_a_plain_list_of_layers_warns(kind):
    class Plain(nn.Layer):
        def __init__(self):
            super().__init__()
            self.layers = kind([nn.Linear(1, 1), nn.Linear(1, 1)])

    class Registered(nn.Layer):
        def __init__(self):
            super().__init__()
            self.layers = kind([self.add_sublayer(f"l{k}", nn.Linear(1, 1)) for k in range(2)])
            self.numbers, self.none, self.good = [1, 2], [], nn.LayerList([nn.Linear(1, 1)])
    with pytest.warns(UserWarning, match="Plain.layers is a plain .* of the 2 layers .* use paddle.nn.LayerList"):
        Plain()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(Registered().parameters()) == 6


@pytest.mark.parametrize("loss", [F.mse_loss, F.l1_loss, F.smooth_l1_loss])
def test_losses_of_a_column_and_a_row_warn(loss):
    with pytest.warns(UserWarning, match=r"input \[4, 1\] and label \[4\] are broadcast to \[4, 4\]"):
        loss(paddle.ones([4, 1]), paddle.ones([4]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for a, b in (([4, 1], [4, 1]), ([4], []), ([1], [4, 1]), ([3, 4], [4]), ([4, 1], [1]), ([2, 4], [2, 1])):
            loss(paddle.ones(a), paddle.ones(b))


@pytest.mark.parametrize("call, kind, message", [
    (lambda: nn.LSTM(3, 4)(paddle.ones([2, 3])),
     ValueError, r"LSTM\(\): inputs must have 3 dimensions, \[batch, time, 3\], got shape \[2, 3\]"),
    (lambda: nn.GRU(3, 4, time_major=True)(paddle.ones([3])),
     ValueError, r"GRU\(\): inputs must .* \[time, batch, 3\], got shape \[3\]"),
    (lambda: nn.GRU(3, 4)(paddle.ones([2, 5, 3]), paddle.ones([2, 4])), ValueError,
     r"GRU\(\): initial_states must have the shape \[1, batch, 4\] .*, got \[2, 4\]"),
    (lambda: nn.LSTM(3, 4)(paddle.ones([2, 5, 3]), paddle.ones([1, 2, 4])),
     ValueError, r"must be a pair \(h, c\) of Tensors, got 1"),
    (lambda: F.cross_entropy(paddle.to_tensor([1, 2]), paddle.ones([2, 3])),
     TypeError, "are input and label swapped"),
    (lambda: F.cross_entropy(paddle.ones([4, 3]), paddle.ones([5], "int64")),
     ValueError, r"^cross_entropy\(\): label must have shape"),
    (lambda: F.cross_entropy(paddle.ones([2, 3]), paddle.to_tensor([1, 7])),
     IndexError, r"^cross_entropy\(\): label 7 is out of range"),
    (lambda: paddle.ones([2, 3])[5], IndexError, r"^Tensor.__getitem__\(\): index 5 is out of bounds for axis 0 with size 2"),
])
def test_messages_name_what_was_called(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


def test_a_dict_of_layers_refuses_what_is_no_collection():
    with pytest.raises(AssertionError, match="LayerDict.update"):
        paddle.nn.LayerDict().update(1)


def test_a_class_may_give_another_state_dict_and_undo_that_when_it_loads():
    class Transposed(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.linear = paddle.nn.Linear(3, 4)

        def state_dict(self, *args, **kwargs):
            state = super().state_dict(*args, **kwargs)
            state["linear.kernel"] = state.pop("linear.weight").t()
            return state

        def set_state_dict(self, state_dict, use_structured_name=True):
            state_dict["linear.weight"] = state_dict.pop("linear.kernel").t()
            return super().set_state_dict(state_dict)

    a, b = Transposed(), Transposed()
    assert b.set_state_dict(a.state_dict()) == ([], [])
    np.testing.assert_array_equal(a.linear.weight.numpy(), b.linear.weight.numpy())
