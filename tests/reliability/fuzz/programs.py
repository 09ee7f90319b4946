"""Random programs run in four ways: eagerly, by the Executor, by to_static, eagerly without C. Values and gradients must agree.

Sizes are such that kernels are used, and constants are the small numbers that programs have, which passes may take for something
else. A program is a list of (function, operand, operand, constant), drawn by its number: a find is repeated by it.
"""

import random

import numpy as np

import paddle
import paddle.nn.functional as F
from paddle import static

CONSTANTS = (0.0, -0.0, 1.0, 2.0, -1.0, 0.5, 3.0, 4.0, 5.0)
SHAPE = (64, 48)
UNARY = (
    lambda x, c: paddle.tanh(x), lambda x, c: F.relu(x), lambda x, c: F.sigmoid(x), lambda x, c: paddle.sin(x),
    lambda x, c: paddle.abs(x), lambda x, c: F.gelu(x), lambda x, c: F.silu(x), lambda x, c: paddle.square(x),
    lambda x, c: paddle.exp(-x * x), lambda x, c: F.leaky_relu(x, c), lambda x, c: paddle.clip(x, -1.0, c + 2),
    lambda x, c: F.elu(x, abs(c) + 1.0), lambda x, c: F.softplus(x), lambda x, c: paddle.scale(x, c, 1.0 - c),
    lambda x, c: paddle.sqrt(paddle.abs(x) + 1.0), lambda x, c: -x, lambda x, c: x ** 2, lambda x, c: F.hardswish(x),
    lambda x, c: F.celu(x, 1.0), lambda x, c: paddle.sign(x) * x, lambda x, c: F.softmax(x, -1),
    lambda x, c: x - x.mean(-1, keepdim=True), lambda x, c: x.sum(0, keepdim=True) * 0.01 + x,
    lambda x, c: x.transpose([1, 0]).reshape(SHAPE), lambda x, c: F.layer_norm(x, [SHAPE[1]]),
    lambda x, c: paddle.cast(paddle.cast(x, "float64"), "float32"), lambda x, c: paddle.concat([x[:3], x[3:]], 0),
    lambda x, c: x[::-1], lambda x, c: paddle.where(x > c, x, x * 2.0), lambda x, c: paddle.maximum(x, paddle.full_like(x, c)),
    lambda x, c: paddle.cumsum(x, -1) * 0.1)
ARITHMETIC = (lambda x, c: x + c, lambda x, c: x + c, lambda x, c: x * c, lambda x, c: c - x, lambda x, c: x / (c or 7.0))
BINARY = (
    lambda a, b, c: a + b, lambda a, b, c: a - b, lambda a, b, c: a * b, lambda a, b, c: a / (b * b + 1.0),
    lambda a, b, c: paddle.maximum(a, b), lambda a, b, c: paddle.minimum(a, b), lambda a, b, c: a + b * c,
    lambda a, b, c: paddle.where(a > b, a, b), lambda a, b, c: a @ b.transpose([1, 0]) @ b * 0.01)


def draw(seed, number):
    """(steps, arrays) of a program."""
    rng = random.Random(f"programs {seed} {number}")
    inputs, steps = rng.randrange(1, 4), []
    for k in range(rng.randrange(2, 14)):
        function = rng.choice(rng.choice((UNARY, BINARY, ARITHMETIC)))
        operands = [rng.randrange(inputs + k if rng.random() < 0.5 else inputs) for _ in range(2)]
        steps.append((function, *operands, rng.choice(CONSTANTS)))
    numbers = np.random.RandomState(rng.randrange(1 << 30))
    return steps, [numbers.randn(*SHAPE).astype("float32") for _ in range(inputs)]


def compute(steps, inputs):
    """The result of the last step and a sum of all, of tensors of whatever kind."""
    values = list(inputs)
    for function, a, b, constant in steps:
        values.append(function(values[a], values[b], constant) if function in BINARY else function(values[a], constant))
    return values[-1], sum(value * (k + 1) for k, value in enumerate(values[len(inputs):]))


def eager(steps, arrays, function=compute):
    """(results, gradients of their sum)."""
    inputs = [paddle.to_tensor(a, stop_gradient=False) for a in arrays]
    results = function(steps, inputs)
    gradients = paddle.grad(sum(r.sum() for r in results), inputs, allow_unused=True)
    return [r.numpy() for r in results], [None if g is None else g.numpy() for g in gradients]


def executed(steps, arrays):
    """The same by a Program, run until it has become a routine."""
    paddle.enable_static()
    try:
        main = static.Program()
        with static.program_guard(main, static.Program()):
            inputs = [static.data(f"x{k}", SHAPE, "float32") for k in range(len(arrays))]
            for x in inputs:
                x.stop_gradient = False
            results = compute(steps, inputs)
            gradients = static.gradients([r.sum() for r in results], inputs)
            feed, fetched = {f"x{k}": a for k, a in enumerate(arrays)}, [*results, *[g for g in gradients if g is not None]]
            for _ in range(3):
                found = static.Executor().run(main, feed=feed, fetch_list=fetched)
    finally:
        paddle.disable_static()
    rest = iter(found[len(results):])
    return found[:len(results)], [None if g is None else next(rest) for g in gradients]


def translated(steps, arrays):
    """The same by to_static, called twice."""
    function = paddle.jit.to_static(lambda *inputs: compute(steps, inputs), full_graph=True)
    for _ in range(2):
        found = eager(steps, arrays, lambda _, inputs: function(*inputs))
    return found


def without_c(steps, arrays):
    """Eagerly, by Python and NumPy."""
    before = paddle.get_flags("FLAGS_use_fast_kernels")
    paddle.set_flags({"FLAGS_use_fast_kernels": 0})
    try:
        return eager(steps, arrays)
    finally:
        paddle.set_flags(before)


WAYS = (executed, translated, without_c)


def attack(seed, number):
    """Run a program in every way; AssertionError if two disagree by more than rounding. Returns "run" or "left out"."""
    steps, arrays = draw(seed, number)
    expected, gradients = eager(steps, arrays)
    known = [*expected, *[g for g in gradients if g is not None]]
    if not all(np.isfinite(a).all() and np.abs(a).max() < 1e4 for a in known):
        return "left out"
    for way in WAYS:
        found, slopes = way(steps, arrays)
        pairs = [*zip(found, expected), *[(g, w) for g, w in zip(slopes, gradients) if g is not None and w is not None]]
        for k, (got, wanted) in enumerate(pairs):
            np.testing.assert_allclose(got, wanted, rtol=5e-4, atol=5e-4 * max(1.0, np.abs(wanted).max()),
                                       err_msg=f"programs.attack({seed}, {number}): {way.__name__}, value {k}")
    return "run"
