"""Compares a network's values and gradients in float32 with those in float64."""

import numpy as np

import paddle


def tensors(found):
    """The float tensors of a nested result."""
    if isinstance(found, paddle.Tensor):
        return [found] if found.dtype.is_floating else []
    if isinstance(found, dict):
        found = found.values()
    return [t for part in found or () for t in tensors(part)] if not isinstance(found, (str, int, float)) else []


def run(net, x):
    """Values, and gradients of the mean of their squares, by the parameters' names."""
    outputs = tensors(net(x))
    sum((o.astype("float64") ** 2).mean() for o in outputs).backward()
    return [o.numpy() for o in outputs], {n: p.grad.numpy() for n, p in net.named_parameters() if p.grad is not None}


def distance(found, expected):
    """The largest difference relative to the largest value."""
    return float(np.abs(found - expected).max() / (np.abs(expected).max() + 1e-6))


def compare(name, build, x):
    """The distances of values and of gradients between float32 and float64, within 1e-5 and 1e-3."""
    paddle.seed(1)
    single = build()
    paddle.set_default_dtype("float64")
    double = build()
    paddle.set_default_dtype("float32")
    double.set_state_dict({k: v.astype("float64") if v.dtype.is_floating else v for k, v in single.state_dict().items()})
    for part in (single, double):
        part.eval()
    values, gradients = run(single, paddle.to_tensor(x))
    expected, slopes = run(double, paddle.to_tensor(x.astype("float64") if x.dtype.kind == "f" else x))
    ahead = max(distance(a, b) for a, b in zip(values, expected))
    back = max(distance(gradients[n], slopes[n]) for n in slopes)
    assert gradients.keys() == slopes.keys() and ahead < 1e-4 and back < 1e-3, (name, ahead, back)
    return ahead, back
