"""LBFGS honours what every optimizer takes; its path is compared with Paddle's in tests/oracle."""

import numpy as np

import paddle
from paddle import nn, optimizer


def one_step(**settings):
    layer = nn.Sequential(nn.Linear(2, 1, weight_attr=nn.initializer.Assign(np.array([[3.0], [-4.0]], "float32")),
                                    bias_attr=False), nn.BatchNorm1D(1))
    layer.eval()
    opt = optimizer.LBFGS(1.0, max_iter=1, parameters=layer.parameters(), **settings)

    def closure():
        opt.clear_grad()
        loss = (layer[0].weight * paddle.to_tensor([[30.0], [40.0]])).sum()
        loss.backward()
        return loss
    opt.step(closure)
    return layer[0].weight.numpy().ravel(), layer[1]._variance.numpy()


def test_gradients_are_clipped_before_the_direction_is_taken():
    # The first step is min(1, 1 / |g|_1) * -g: with g of norm 0.1 that is -g itself.
    weight, _ = one_step(grad_clip=nn.ClipGradByGlobalNorm(0.1))
    np.testing.assert_allclose(weight, [3.0 - 0.06, -4.0 - 0.08], rtol=1e-6)


def test_decay_adds_to_the_gradient_of_what_is_trained():
    weight, variance = one_step(weight_decay=10.0)
    g = np.array([30.0, 40.0]) + 10.0 * np.array([3.0, -4.0])
    np.testing.assert_allclose(weight, np.array([3.0, -4.0]) - g / (np.abs(g).sum() + 10.0 * 1), rtol=1e-5)
    np.testing.assert_array_equal(variance, [1.0])
