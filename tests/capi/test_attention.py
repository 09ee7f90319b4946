"""Attention and linear layers that are put together: the values of their parts, in every form that exporters write."""

import math

import numpy as np
import pytest
from capi.library import LIBRARY, POINTER, Model
from capi.test_models import export

import paddle
from paddle import nn
from paddle.nn.functional import dropout, softmax
from paddle.static import InputSpec

draw = np.random.RandomState(3)
Q, K, V = (draw.randn(*sizes).astype("float32") for sizes in ((2, 3, 5, 4), (2, 3, 7, 4), (2, 3, 7, 6)))
MASK = draw.randn(2, 1, 5, 7).astype("float32")


def turned(x, order=(0, 2, 1, 3)):
    return paddle.transpose(x, list(order))


def scores(q, k):
    return paddle.matmul(q, k, transpose_y=True)


def root(q):
    return paddle.full([1], math.sqrt(4), "float32")


# by name: what is computed of (q, k, v, mask), the factor of the scores, is there a mask, the number of operators with passes
FORMS = {
    "plain": (lambda q, k, v, m: softmax(scores(q, k)) @ v, 1, False, 1),
    "query scaled": (lambda q, k, v, m: softmax(scores(q * 0.5, k)) @ v, 0.5, False, 1),
    "scores scaled, mask": (lambda q, k, v, m: softmax(scores(q, k) * 0.5 + m) @ v, 0.5, True, 1),
    "scaled twice": (lambda q, k, v, m: softmax(scores(q * 2.0, k) * 0.3 + m) @ v, 0.6, True, 1),
    "divided": (lambda q, k, v, m: softmax(scores(q, k) / root(q)) @ v, 0.5, False, 1),
    "times a constant": (lambda q, k, v, m: softmax(scores(q, k) * root(q)) @ v, 2, False, 1),
    "dropout": (lambda q, k, v, m: dropout(softmax(scores(q, k)), 0.3, training=False) @ v, 1, False, 1),
    "axis 3": (lambda q, k, v, m: softmax(scores(q, k), 3) @ v, 1, False, 1),
    "heads behind": (lambda q, k, v, m: turned(softmax(scores(turned(turned(q)), turned(turned(k)))) @ turned(turned(v))),
                     1, False, 4),
    "keys turned": (lambda q, k, v, m: softmax(q @ turned(k, (0, 1, 3, 2)) + m) @ v, 1, True, 1),
    "keys turned twice": (lambda q, k, v, m: softmax(q @ turned(turned(k), (0, 2, 3, 1))) @ v, 1, False, 2),
    # not, or not all of it
    "keys of other axes": (lambda q, k, v, m: softmax(q @ turned(turned(k, (0, 1, 3, 2)), (0, 1, 2, 3))) @ v, 1, False, None),
    "a shift": (lambda q, k, v, m: softmax(paddle.scale(scores(q, k), 0.5, 1.0)) @ v, 0.5, False, 4),
    "weights on the right": (lambda q, k, v, m: scores(turned(v, (0, 1, 3, 2)), softmax(scores(q, k))), 1, False, 4),
    "three axes": (lambda q, k, v, m: (softmax(scores(q[0], k[0])) @ v[0]).unsqueeze(0), 1, False, None),
    "mask in front": (lambda q, k, v, m: softmax(m + scores(q, k)) @ v, 1, True, 4),
    "mask of two axes": (lambda q, k, v, m: softmax(scores(q, k) + m[0, 0]) @ v, 1, True, None),
    "relu of scores": (lambda q, k, v, m: softmax(nn.functional.relu(scores(q, k))) @ v, None, False, 3),
    "scaled query read twice": (lambda q, k, v, m: (lambda s: softmax(scores(s, k)) @ v + 0.0 * s.sum())(q * 0.5),
                                0.5, False, None),
}


class Form(nn.Layer):
    def __init__(self, form):
        super().__init__()
        self.form = form

    def forward(self, q, k, v, mask):
        return self.form(q, k, v, mask)


def wanted(q, k, v, mask, factor):
    q, k, v = (x.astype("float64") for x in (q, k, v))
    s = q @ k.swapaxes(-1, -2)
    s = np.maximum(s, 0) if factor is None else s * factor
    s = s if mask is None else s + mask
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ v


def operators(capfd, files, arrays):
    """How many operators a run has, feeds and fetches aside, as the profile of a configuration says."""
    config = LIBRARY.PD_ConfigCreate()
    LIBRARY.PD_ConfigEnableProfile.argtypes = [POINTER]
    LIBRARY.PD_ConfigSetModelBuffer(config, files[0], len(files[0]), files[1], len(files[1]))
    LIBRARY.PD_ConfigEnableProfile(config)
    model = object.__new__(Model)
    model.predictor = LIBRARY.PD_PredictorCreate(config)
    full = Model(clone_of=model)
    capfd.readouterr()
    outs = full(*arrays[:len(full.inputs)])
    return int(capfd.readouterr().err.split("run of ")[1].split()[0]) - len(full.inputs) - len(outs)


SPECS = [InputSpec([None, *x.shape[1:2], None, x.shape[3]], "float32", name) for x, name in zip((Q, K, V), "qkv")]


@pytest.mark.parametrize("name", FORMS)
def test_forms(tmp_path, capfd, name):
    form, factor, masked, count = FORMS[name]
    net = Form(form)
    net.eval()
    files = export(net, tmp_path, *SPECS, InputSpec([None, 1, 5, 7], "float32", "m"))
    expected = wanted(Q, K, V, MASK if masked else None, factor) if name != "mask of two axes" else wanted(Q, K, V, MASK[0], factor)
    if name == "heads behind":
        expected = expected.swapaxes(1, 2)
    if name == "weights on the right":
        expected = expected.swapaxes(2, 3)
    if name == "three axes":
        expected = expected[:1]
    results = []
    for optimize in (True, False):
        model = Model(*files, optimize=optimize)
        arrays = [{"q": Q, "k": K, "v": V, "m": MASK}[n] for n in model.inputs]
        results += model(*arrays)
        np.testing.assert_allclose(results[-1], expected, rtol=1e-4, atol=1e-5)
    if count is not None:
        assert operators(capfd, files, arrays) == count


@pytest.mark.parametrize("sizes", ["one batch of keys", "mask of every head", "mask of one row", "mask of a larger batch",
                                   "no queries", "other keys than values"])
def test_sizes_that_only_a_run_tells(tmp_path, sizes):
    """What the kernel doesn't take is computed by the parts."""
    net = Form(FORMS["scores scaled, mask"][0])
    files = export(net, tmp_path, *SPECS, InputSpec([None, None, None, None], "float32", "m"))
    q, k, v, mask = Q, K, V, MASK
    if sizes == "one batch of keys":
        k, v = k[:1], v[:1]
    elif sizes == "mask of every head":
        mask = draw.randn(2, 3, 5, 7).astype("float32")
    elif sizes == "mask of one row":
        mask = draw.randn(1, 3, 1, 7).astype("float32")
    elif sizes == "mask of a larger batch":
        q, k, v = q[:1], k[:1], v[:1]
    elif sizes == "no queries":
        q, mask = q[:, :, :0], mask[:, :, :0]
    elif sizes == "other keys than values":
        with pytest.raises(Exception, match="matmul_v2"):
            Model(*files)(q, k, v[:, :, :3], mask)
        return
    for optimize in (True, False):
        got, = Model(*files, optimize=optimize)(q, k, v, mask)
        if q.size:
            np.testing.assert_allclose(got, wanted(q, k, v, mask, 0.5), rtol=1e-4, atol=1e-5)
        assert got.shape == (2, 3, q.shape[2], 6)


def test_double_precision(tmp_path):
    specs = [InputSpec(list(x.shape), "float64", n) for x, n in zip((Q, K, V, MASK), "qkvm")]
    files = export(Form(FORMS["scores scaled, mask"][0]), tmp_path, *specs)
    arrays = [x.astype("float64") for x in (Q, K, V, MASK)]
    for optimize in (True, False):
        got, = Model(*files, optimize=optimize)(*arrays)
        np.testing.assert_allclose(got, wanted(*arrays, 0.5), rtol=1e-12)


def test_a_query_that_sees_no_key(tmp_path):
    """NaN, as in Paddle 2.6.2: softmax of nothing but minus infinity."""
    files = export(Form(FORMS["scores scaled, mask"][0]), tmp_path, *SPECS, InputSpec([None, 1, 5, 7], "float32", "m"))
    mask = MASK.copy()
    mask[1, 0, 2] = -np.inf
    for optimize in (True, False):
        got, = Model(*files, optimize=optimize)(Q, K, V, mask)
        assert np.isnan(got[1, :, 2]).all() and np.isfinite(got[0]).all() and np.isnan(got).sum() == 3 * 6


# ---- linear layers ----
class Chain(nn.Layer):
    """Linear layers with nothing between them, or something."""

    def __init__(self, between=None, widths=(12, 9, 7, 3), bias=True):
        super().__init__()
        self.layers = nn.LayerList([nn.Linear(i, o, bias_attr=None if bias else False) for i, o in zip(widths, widths[1:])])
        self.between = between

    def forward(self, x):
        for layer in self.layers:
            x = layer(x) if self.between is None else self.between(layer(x))
        return x


@pytest.mark.parametrize("make, count", [
    (Chain, 1), (lambda: Chain(bias=False), 1), (lambda: Chain(nn.functional.relu), 3), (lambda: Chain(nn.functional.gelu), 3),
    (lambda: Chain(widths=(20, 2, 20)), 2)], ids=["chain", "no bias", "relu", "gelu", "one product would be more work"])
@pytest.mark.parametrize("sizes", [(5, 12), (2, 3, 12)])
def test_linear_layers_behind_each_other(tmp_path, capfd, make, count, sizes):
    paddle.seed(2)
    net = make()
    sizes = (*sizes[:-1], net.layers[0].weight.shape[0])
    files = export(net, tmp_path, InputSpec([None, *sizes[1:]], "float32"))
    x = draw.randn(*sizes).astype("float32")
    expected = net(paddle.to_tensor(x)).numpy()
    for optimize in (True, False):
        got, = Model(*files, optimize=optimize)(x)
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)
    assert operators(capfd, files, [x]) == count
