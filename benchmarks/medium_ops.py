"""Operators of medium sizes for single_ops.py (``--group medium``): activations, losses, arithmetic, reductions, random numbers.

An entry is as in single_ops.py: (operands, ours, PyTorch's).
"""

SIZE = (256, 1024)
ONE, TWO, POSITIVE = {"x": SIZE}, {"x": SIZE, "y": SIZE}, {"x": ("positive", SIZE, 0)}
BOTH_POSITIVE = {"x": ("positive", SIZE, 0), "y": ("positive", SIZE, 0)}


def _functional(name, operands, theirs=None, **options):
    """A function of nn.functional under one name, or two."""
    return (operands, lambda p, *t: getattr(p.nn.functional, name)(*t, **options),
            lambda m, *t: getattr(m.nn.functional, theirs or name)(*t, **options))


def _plain(name, operands, theirs=None):
    return operands, lambda p, *t: getattr(p, name)(*t), lambda m, *t: getattr(m, theirs or name)(*t)


ACTIVATIONS = ["elu", "selu", "celu", "softplus", "mish", "hardtanh", "hardsigmoid", "hardshrink", "softshrink", "softsign",
               "tanhshrink", "relu6", "glu"]
UNARY = ["log", "log1p", "expm1", "reciprocal", "sign", "floor", "round", "lgamma", "digamma"]
MEDIUM = {
    **{name: _functional(name, ONE) for name in ACTIVATIONS},
    "log_sigmoid": _functional("log_sigmoid", ONE, "logsigmoid"),
    "prelu": _functional("prelu", {"x": (16, 32, 32, 32), "w": (32,)}),
    **{name: _plain(name, POSITIVE) for name in UNARY},
    **{name: _plain(name, BOTH_POSITIVE, theirs) for name, theirs in (
        ("remainder", None), ("floor_divide", None), ("divide", "div"), ("multiply", "mul"), ("subtract", "sub"))},
    "smooth_l1_loss": _functional("smooth_l1_loss", TWO),
    "bce of logits": _functional("binary_cross_entropy_with_logits", {"x": SIZE, "y": ("positive", SIZE, 0)}),
    "kl_div": _functional("kl_div", {"x": SIZE, "y": ("positive", SIZE, 0)}, reduction="sum"),
    "cross entropy of pixels": ({"x": (4, 21, 64, 64), "i": ("int", (4, 64, 64), 21)},
                                lambda p, x, i: p.nn.functional.cross_entropy(x, i, axis=1),
                                lambda m, x, i: m.nn.functional.cross_entropy(x, i)),
    "cross entropy, soft labels": ({"x": SIZE, "y": ("positive", SIZE, 0)},
                                   lambda p, x, y: p.nn.functional.cross_entropy(x, y.detach(), soft_label=True),
                                   lambda m, x, y: m.nn.functional.cross_entropy(x, y.detach())),
    "nll_loss": _functional("nll_loss", {"x": SIZE, "i": ("int", SIZE[:1], SIZE[1])}),
    "ctc_loss": ({"x": (50, 16, 40), "i": ("int", (16, 10), 39), "t": ("int", (16,), 1), "n": ("int", (16,), 1)},
                 lambda p, x, i, t, n: p.nn.functional.ctc_loss(x, i + 1, t + 50, n + 10),
                 lambda m, x, i, t, n: m.nn.functional.ctc_loss(m.log_softmax(x, -1), i + 1, t + 50, n + 10)),
    "prod": _plain("prod", ONE),
    "prod over last": (ONE, lambda p, x: p.prod(x, 1), lambda m, x: m.prod(x, 1)),
    "norm": (ONE, lambda p, x: p.linalg.norm(x), lambda m, x: m.linalg.norm(x)),
    "norm over last": (ONE, lambda p, x: p.linalg.norm(x, 2, 1), lambda m, x: m.linalg.norm(x, 2, 1)),
    "logsumexp": (ONE, lambda p, x: p.logsumexp(x, 1), lambda m, x: m.logsumexp(x, 1)),
    "dot": _plain("dot", {"x": (100_000,), "y": (100_000,)}),
    "randn": ({}, lambda p: p.randn(SIZE), lambda m: m.randn(SIZE)),
    "multinomial": ({"w": ("positive", (256, 100), 0)}, lambda p, w: p.multinomial(w, 4, True),
                    lambda m, w: m.multinomial(w, 4, True)),
    "int64 sum": ({"i": ("int", SIZE, 10)}, lambda p, i: p.sum(i, 1), lambda m, i: m.sum(i, 1)),
    "int64 matmul": ({"i": ("int", (64, 64), 10), "j": ("int", (64, 64), 10)}, lambda p, i, j: i @ j, lambda m, i, j: i @ j),
}
NO_GRADIENT = {"remainder", "floor_divide", "randn", "multinomial", "int64 sum", "int64 matmul"}
