"""Random tensors: shapes, types, ranges and moments; same seed, same values."""

import numpy as np
from opcase import OpCase, bad, const, f, i

import paddle

NO = {"grad": False, "rejects_text": False, "method": False}


def seeded(fn):
    """The function with the global seed set before each call."""
    def run(*args, **kwargs):
        paddle.seed(11)
        value = paddle
        for part in fn.split("."):
            value = getattr(value, part)
        return value(*args, **kwargs)
    run.__name__ = fn.rpartition(".")[2]
    return run


def moments(mean, std, tol=0.1, dtype="float32"):
    def check(out, *inputs):
        a = out.numpy()
        return a.dtype == dtype and abs(a.mean() - mean) < tol and abs(a.std() - std) < tol
    return check


def within(low, high):
    return lambda out, *inputs: bool(((out.numpy() >= low) & (out.numpy() < high)).all()) and len(np.unique(out.numpy())) > 3


def redrawn(x, lam):
    """A tensor of the tape drawn anew: what it was does not count, so its gradient is zero."""
    paddle.seed(11)
    return (x * 2.0).exponential_(lam)


MANY = [50, 60]
CASES = [
    OpCase(seeded("uniform"), [MANY], min=2.0, max=4.0, check=moments(3, 2 / 12 ** 0.5), **NO,
           errors=[bad(TypeError, [2], dtype="int32"), bad(ValueError, [-1])]),
    OpCase(seeded("rand"), [MANY], check=within(0, 1), **NO, more=[[[20]]]),
    OpCase(seeded("randn"), [MANY], dtype="float64", check=moments(0, 1, dtype="float64"), **NO),
    OpCase(seeded("standard_normal"), [MANY], check=moments(0, 1), **NO),
    OpCase(seeded("tensor.random.gaussian"), [MANY], mean=1.0, std=3.0, check=moments(1, 3, 0.2), **NO),
    OpCase(seeded("normal"), [1.0, 2.0], shape=MANY, check=moments(1, 2, 0.2), **NO),
    OpCase(seeded("log_normal"), [0.0, 0.5], shape=MANY, check=moments(np.exp(0.125), 0.6, 0.1), **NO),
    OpCase(seeded("randint"), [2, 9], shape=MANY, check=within(2, 9), **NO,
           errors=[bad(ValueError, 3, 3), bad(ValueError, 0), bad(TypeError, 0, 3, dtype="float32")]),
    OpCase(seeded("randint_like"), [i(30, 40, dtype="int32")], low=2, high=9, check=lambda out, x:
           within(2, 9)(out) and out.numpy().dtype == x.dtype, **NO),
    OpCase(seeded("rand_like"), [f(30, 40)], check=lambda out, x: within(0, 1)(out) and out.numpy().dtype == x.dtype,
           **NO),
    OpCase(seeded("randn_like"), [f(50, 60)], check=lambda out, x: moments(0, 1, dtype=x.dtype)(out), **NO),
    OpCase(seeded("randperm"), [20], check=lambda out, n: sorted(out.tolist()) == list(range(20)) != out.tolist(), **NO,
           errors=[bad(ValueError, -1), bad(TypeError, 2.5)]),
    OpCase(seeded("bernoulli"), [const(np.full(MANY, 0.3))], check=lambda out, x: abs(out.numpy().mean() - 0.3) < 0.05,
           **NO,
           errors=[bad(ValueError, const([1.5]))]),
    OpCase(seeded("poisson"), [const(np.full(MANY, 4.0))], check=lambda out, x: moments(4, 2, 0.2, x.dtype)(out), **{**NO, "grad": True},
           errors=[bad(ValueError, const([-1.0]))]),
    OpCase(seeded("binomial"), [const(np.full(MANY, 10)), const(np.full(MANY, 0.3))], check=lambda out, n, p:
           moments(3, 2.1 ** 0.5, 0.2, "int64")(out), **NO, errors=[bad(ValueError, i(1), const([2.0])),
                                                                    bad(ValueError, const([-1]), f(1, low=0))]),
    OpCase(seeded("multinomial"), [const([0.1, 0.0, 0.9])], num_samples=1000, replacement=True,
           check=lambda out, x:
           abs((out.numpy() == 2).mean() - 0.9) < 0.05 and not (out.numpy() == 1).any(), **NO,
           errors=[bad(ValueError, const([0.5, 0.5]), num_samples=3), bad(ValueError, const([-1.0, 1.0])),
                   bad(ValueError, const([0.0])),
                   bad(ValueError, f(2, 2, 2, low=0)), bad(ValueError, const([1.0]), num_samples=0)]),
    OpCase(seeded("multinomial"), [const([[0.1, 0.0, 0.9], [1.0, 1.0, 1.0]])], num_samples=2,
           check=lambda out, x:
           sorted(out.numpy()[0].tolist()) == [0, 2] and len(set(out.numpy()[1].tolist())) == 2, **NO),
    OpCase("truncated_gaussian_random", [], shape=MANY, mean=1.0, std=2.0, seed=3, check=lambda out:
           np.abs(out.numpy() - 1).max() <= 4 and abs(out.numpy().std() - 1.76) < 0.1, **NO),
    OpCase(seeded("Tensor.top_p_sampling"), [const([[0.1, 0.4, 0.5]] * 200), const(np.full(200, 0.6))],
           check=lambda out, x, p:
           set(out[1].numpy().ravel().tolist()) == {1, 2}, **NO, errors=[bad(ValueError, f(3, low=0), const([0.5]))]),
    OpCase(seeded("Tensor.uniform_"), [f(30, 40)], min=0.0, max=1.0, check=within(0, 1), **NO),
    OpCase(seeded("Tensor.normal_"), [const(np.zeros(MANY))], mean=1.0, std=2.0, check=lambda out,
           x: moments(1, 2, 0.2, x.dtype)(out), **NO),
    OpCase(seeded("Tensor.bernoulli_"), [f(50, 60)], p=0.2, check=lambda out, x: abs(out.numpy().mean() - 0.2) < 0.05,
           **NO),
    OpCase(seeded("Tensor.exponential_"), [f(50, 60)], lam=2.0, check=lambda out,
           x: moments(0.5, 0.5, 0.05, x.dtype)(out), **NO,
           errors=[bad(ValueError, f(2), lam=0.0)]),
    OpCase(redrawn, [f(50, 60)], lam=2.0, check=lambda out, x: moments(0.5, 0.5, 0.05, x.dtype)(out), **{**NO, "grad": True}),
    OpCase(seeded("Tensor.cauchy_"), [f(50, 60)], loc=1.0, scale=2.0, check=lambda out,
           x: abs(np.median(out.numpy()) - 1) < 0.2, **NO),
    OpCase(seeded("Tensor.geometric_"), [f(50, 60)], probs=0.5, check=lambda out,
           x: abs(np.floor(out.numpy()).mean() - 1) < 0.2, **NO,
           errors=[bad(ValueError, f(2), probs=0.0)]),
    OpCase(seeded("Tensor.log_normal_"), [f(50, 60)], mean=0.0, std=0.5, check=lambda out,
           x: moments(np.exp(0.125), 0.6, 0.1, x.dtype)(out), **NO),
]
