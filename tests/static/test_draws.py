"""Programs draw as often as they say: two equal calls that draw numbers are not one."""

import numpy as np
import pytest

import paddle
from paddle import static
from paddle.nn import functional as F
from paddle.ops.nn.attention import dot_attention
from paddle.ops.random import sampling as random

DRAWS = {
    "rrelu": lambda x: F.rrelu(x - 2),
    "gumbel_softmax": F.gumbel_softmax,
    "dropout": F.dropout,
    "bernoulli": lambda x: paddle.bernoulli(x / 2),
    "poisson": lambda x: paddle.poisson(x * 9),
    "multinomial": lambda x: paddle.multinomial(x, 8),
    "cauchy": random.cauchy,
    "geometric": lambda x: random.geometric(x, x / 2),
    "uniform": random.uniform_random_inplace,
    "normal": random.gaussian_inplace,
    "exponential": random.exponential,
    "attention": lambda x: dot_attention(*[x.reshape([1, 1, 16, 4])] * 3, dropout=0.5)[0],
    "public attention": lambda x: F.scaled_dot_product_attention(*[x.reshape([1, 16, 1, 4])] * 3, dropout_p=0.5),
}
X = np.linspace(0.5, 1.5, 64, dtype="float32")


@pytest.mark.parametrize("name", DRAWS)
def test_equal_draws_of_a_program_differ(name):
    paddle.seed(1)
    main = static.Program()
    with static.program_guard(main, static.Program()):
        x = static.data("x", [64])
        outs = [DRAWS[name](x), DRAWS[name](x)]
    first, second = static.Executor().run(main, feed={"x": X}, fetch_list=outs)
    assert not np.array_equal(first, second)


@pytest.mark.parametrize("name", DRAWS)
def test_equal_draws_of_a_translated_function_differ(name):
    paddle.seed(1)
    first, second = paddle.jit.to_static(lambda x: (DRAWS[name](x), DRAWS[name](x)))(paddle.to_tensor(X))
    assert not np.array_equal(first.numpy(), second.numpy())
