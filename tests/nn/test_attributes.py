"""Layers, optimizers and schedules keep their settings as attributes of Paddle's names, and what is set there counts."""

import json
import pathlib

import numpy as np
import pytest
from nn import attribute_cases

import paddle

nn = paddle.nn
RECORDED = json.loads((pathlib.Path(__file__).parent / "recorded_attributes.json").read_text())
# attributes that are no settings: Paddle's choice of kernels, its caches and the books of its optimizers
INTERNAL = {"_use_cudnn", "_use_mkldnn", "_op_type", "_channel_dim", "_updated_padding", "_padding_algorithm", "_fuse_with_relu",
            "_reversed_padding_repeated_twice", "_remote_prefetch", "_is_distributed", "_flat_weight", "_all_weights",
            "could_use_cudnn", "state_components", "_accumulators_holder", "_already_create_accumulater", "_auxiliary_vars",
            "_default_dict", "_dtype", "_learning_rate_map", "_master_grads", "_opti_name_list", "_param_device_map", "_param_dict",
            "_use_multi_tensor", "helper", "_params_name", "_used_master_weights", "_numel_cache", "_params", "state",
            "_regularization_method", "_regularization_coeff", "_lr_config", "_step_config", "_steps_size", "anneal_func",
            "_master_grad", "_activation_fn", "_activation", "_gate_activation", "_in_place"}
OTHERS = {("optimizer Adamax", "type"), ("optimizer LBFGS", "_learning_rate"), ("optimizer AdamW", "_weight_decay"),
          ("optimizer AdamW", "_apply_decay_param_fun"), ("optimizer LBFGS", "learning_rate")}


def test_every_object_is_recorded():
    assert list(RECORDED) == list(attribute_cases.CASES)
    assert INTERNAL <= {name for row in RECORDED.values() for name in row}


@pytest.mark.parametrize("case", RECORDED)
def test_attributes_are_those_of_paddle(case):
    made = attribute_cases.CASES[case]()
    wanted = {name: value for name, value in RECORDED[case].items() if name not in INTERNAL and (case, name) not in OTHERS}
    assert {name: attribute_cases.plain(getattr(made, name, "absent")) for name in wanted} == wanted


X = np.arange(16, dtype="float32").reshape(1, 1, 4, 4)


@pytest.mark.parametrize(("layer", "name", "value", "same_as"), [
    (lambda: nn.Dropout(0.9), "p", 0.0, lambda: nn.Dropout(0.0)),
    (lambda: nn.Softmax(), "_axis", 2, lambda: nn.Softmax(2)),
    (lambda: nn.MaxPool2D(2), "ksize", 3, lambda: nn.MaxPool2D(3)),
    (lambda: nn.MaxPool2D(2), "stride", 1, lambda: nn.MaxPool2D(2, 1)),
    (lambda: nn.AvgPool2D(2), "divisor", 3, lambda: nn.AvgPool2D(2, divisor_override=3)),
    (lambda: nn.AdaptiveAvgPool2D(2), "_output_size", 1, lambda: nn.AdaptiveAvgPool2D(1)),
    (lambda: nn.LeakyReLU(), "_negative_slope", 2.0, lambda: nn.LeakyReLU(2.0)),
    (lambda: nn.Softplus(), "_beta", 2.0, lambda: nn.Softplus(2.0)),
    (lambda: nn.PixelUnshuffle(2), "_downscale_factor", 4, lambda: nn.PixelUnshuffle(4)),
    (lambda: nn.LocalResponseNorm(3), "k", 2.0, lambda: nn.LocalResponseNorm(3, k=2.0)),
    (lambda: nn.Pad2D(1), "_mode", "reflect", lambda: nn.Pad2D(1, mode="reflect")),
    (lambda: nn.Flatten(), "start_axis", 2, lambda: nn.Flatten(2)),
])
def test_a_changed_setting_counts(layer, name, value, same_as):
    made, x = layer(), paddle.to_tensor(X - 5)
    made(x)
    setattr(made, name, value)
    assert made(x).numpy().tolist() == same_as()(x).numpy().tolist()


def test_a_changed_setting_counts_in_losses():
    loss, x = nn.CrossEntropyLoss(), paddle.to_tensor([[1.0, 2.0], [3.0, 1.0]])
    loss.reduction = "none"
    assert loss(x, paddle.to_tensor([0, 1])).shape == [2]
    squares = nn.MSELoss()
    squares.reduction = "sum"
    assert float(squares(x, x + 1.0)) == 4.0


def test_a_changed_setting_counts_in_a_translated_layer():
    net = paddle.jit.to_static(nn.Sequential(nn.Dropout(0.9)))
    net[0].p = 0.0
    assert net(paddle.ones([4])).tolist() == [1.0] * 4
    net[0].p = 1.0
    assert net(paddle.ones([4])).tolist() == [0.0] * 4


@pytest.mark.parametrize("make", [
    lambda: nn.BCELoss(reduction="x"), lambda: nn.SoftMarginLoss("x"), lambda: nn.L1Loss("x"), lambda: nn.MSELoss("x"),
    lambda: nn.NLLLoss(reduction="x"), lambda: nn.MultiMarginLoss(reduction="x"), lambda: nn.ChannelShuffle(-1),
    lambda: nn.PixelUnshuffle(-1), lambda: nn.GaussianNLLLoss(reduction="x")])
def test_wrong_settings_raise_at_once(make):
    with pytest.raises(ValueError, match="reduction|positive"):
        make()


def test_parameters_take_attributes_of_a_program():
    weight = nn.Linear(2, 2).weight
    weight.mine = 3
    assert weight.mine == 3
    with pytest.raises(AttributeError):
        paddle.ones([2]).mine = 3


def test_margin_of_cosines_is_checked_when_the_layer_is_made():
    for margin in (2, -1.5):
        with pytest.raises(ValueError, match="CosineEmbeddingLoss.*margin"):
            paddle.nn.CosineEmbeddingLoss(margin=margin)
