"""Optimizers over tensors that are no parameters, and states of a model that was built anew; values of Paddle 2.6.2."""

import warnings

import numpy as np
import pytest

import paddle

AFTER_ONE_STEP = {"SGD": -0.1, "Adam": -0.1, "Momentum": -0.1, "AdamW": -0.1, "Adagrad": -0.1, "RMSProp": -0.44721, "Lamb": -0.1,
                  "Adamax": -0.1, "Adadelta": -0.00045}


@pytest.mark.parametrize("name", AFTER_ONE_STEP)
def test_plain_tensors_are_updated(name):
    x = paddle.zeros([2])
    x.stop_gradient = False
    optimizer = getattr(paddle.optimizer, name)(0.1, parameters=[x])
    (x + 1).sum().backward()
    optimizer.step()
    np.testing.assert_allclose(x.numpy(), AFTER_ONE_STEP[name], atol=1e-5)


def test_plain_tensors_are_clipped_and_decayed():
    x = paddle.zeros([2])
    x.stop_gradient = False
    optimizer = paddle.optimizer.SGD(0.1, parameters=[x], weight_decay=0.1, grad_clip=paddle.nn.ClipGradByNorm(0.5))
    (x + 1).sum().backward()
    optimizer.step()
    np.testing.assert_allclose(x.numpy(), -0.03536, atol=1e-5)


def trained(*sizes):
    net = paddle.nn.Linear(*sizes)
    optimizer = paddle.optimizer.Adam(0.1, parameters=net.parameters())
    for _ in range(3):
        (net(paddle.ones([1, sizes[0]])) ** 2).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
    return net, optimizer


def test_states_go_to_a_model_built_anew():
    net, optimizer = trained(2, 3)
    again, other = trained(2, 3)
    again.set_state_dict(net.state_dict())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        other.set_state_dict(optimizer.state_dict())
    for model, stepper in ((net, optimizer), (again, other)):
        model(paddle.ones([1, 2])).sum().backward()
        stepper.step()
    np.testing.assert_array_equal(net.weight.numpy(), again.weight.numpy())


def test_states_of_another_model_are_refused_with_a_warning():
    _, optimizer = trained(2, 3)
    with pytest.warns(UserWarning, match="belong to no parameter"):
        trained(3, 3)[1].set_state_dict(optimizer.state_dict())
