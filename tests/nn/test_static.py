"""Functions and layers in static programs whose batch size is known only when they run."""

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F

R = np.random.RandomState(0)
SCORES, CLASSES = R.rand(4, 2, 3).astype("float32"), np.array([[1, 2], [2, 1]], "int32")
LENGTHS, WORDS = np.array([4, 3], "int64"), np.array([2, 1], "int64")
FEATURES, LABEL = R.rand(3, 4).astype("float32") - 0.5, np.array([0, 3, 2], "int64")
JOINT, TREE = R.rand(2, 4, 3, 4).astype("float32"), R.rand(4, 4).astype("float32")
ROWS = R.permutation(42).reshape(2, 3, 7).astype("float32")
HEADS = [R.rand(2, 3, 2, 4).astype("float32") for _ in range(3)]

CALLS = {
    "ctc": (lambda s, c, n, w: F.ctc_loss(s, c, n, w), [SCORES, CLASSES, LENGTHS, WORDS], 1),
    "ctc_none": (lambda s, c, n, w: F.ctc_loss(s, c, n, w, reduction="none", norm_by_times=True),
                 [SCORES, CLASSES, LENGTHS, WORDS], 1),
    "rnnt": (lambda j, c, n, w: F.rnnt_loss(j, c, n, w), [JOINT, CLASSES, LENGTHS.astype("int32"), WORDS.astype("int32")], 0),
    "hsigmoid": (lambda x, k: F.hsigmoid_loss(x, k, 5, paddle.to_tensor(TREE) if paddle.in_dynamic_mode()
                                              else paddle.static.data("tree", [4, 4])), [FEATURES, LABEL], 0),
    "margin": (lambda x, k: F.margin_cross_entropy(x, k, margin2=0.3, scale=4.0), [FEATURES, LABEL], 0),
    "batchmean": (lambda x: F.kl_div(x, F.softmax(x), reduction="batchmean"), [FEATURES], 0),
    "mask": (lambda x: paddle.add_n([y.astype("float32") for y in F.max_pool1d(x, 3, 2, 1, return_mask=True)]), [ROWS], 0),
    "mask_ceil": (lambda x: paddle.add_n([y.astype("float32") for y in F.max_pool1d(x, 4, return_mask=True, ceil_mode=True)]),
                  [ROWS], 0),
    "mask_same": (lambda x: paddle.add_n([y.astype("float32") for y in F.max_pool1d(x, 2, padding="SAME", return_mask=True)]),
                  [ROWS], 0),
    "attention": (lambda q, k, v: F.scaled_dot_product_attention(q, k, v), HEADS, 0),
    "attention_causal": (lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), HEADS, 0),
}


def in_program(call, arrays, batch_axis):
    paddle.enable_static()
    try:
        main = paddle.static.Program()
        with paddle.static.program_guard(main, paddle.static.Program()):
            inputs = []
            for number, a in enumerate(arrays):
                shape = list(a.shape)
                shape[batch_axis if number == 0 else 0] = -1
                inputs.append(paddle.static.data(f"x{number}", shape, a.dtype.name))
            inputs[0].stop_gradient = False
            out = call(*inputs)
            (grad,) = paddle.static.gradients([out.sum()], [inputs[0]])
        feed = {f"x{k}": a for k, a in enumerate(arrays)}
        if "tree" in main.global_block().vars:
            feed["tree"] = TREE
        return paddle.static.Executor().run(main, feed=feed, fetch_list=[out, grad])
    finally:
        paddle.disable_static()


@pytest.mark.parametrize("name", CALLS)
def test_program_gives_what_the_eager_call_gives(name):
    call, arrays, batch_axis = CALLS[name]
    first = paddle.to_tensor(arrays[0], stop_gradient=False)
    out = call(first, *[paddle.to_tensor(a) for a in arrays[1:]])
    out.sum().backward()
    value, grad = in_program(call, arrays, batch_axis)
    np.testing.assert_allclose(value, out.numpy(), rtol=1e-5)
    np.testing.assert_allclose(grad, first.grad.numpy(), rtol=1e-5, atol=1e-6)


def test_masks_of_unknown_sizes_are_refused():
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()):
            x = paddle.static.data("x", [2, 3, -1])
            with pytest.raises(ValueError, match=r"max_pool1d\(\): return_mask=True with ceil_mode"):
                F.max_pool1d(x, 2, return_mask=True, ceil_mode=True)
    finally:
        paddle.disable_static()


@pytest.mark.parametrize("function", ["weight_norm", "spectral_norm"])
def test_what_needs_the_values_of_weights_says_so(function):
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
            with pytest.raises(NotImplementedError, match=rf"{function}\(\): it needs the values of weight"):
                getattr(paddle.nn.utils, function)(paddle.nn.Linear(2, 2))
            with pytest.raises(NotImplementedError, match=r"vector_to_parameters\(\)"):
                paddle.nn.utils.vector_to_parameters(paddle.ones([6]), paddle.nn.Linear(2, 2).parameters())
    finally:
        paddle.disable_static()


def test_whole_channels_are_dropped_in_programs_too():
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()):
            x = paddle.static.data("x", [-1, 4, -1, 3])
            outs = [F.dropout2d(x, 0.5), F.dropout(x, 0.5, axis=[0, 2])]
            paddle.seed(3)
            two, axes = paddle.static.Executor().run(feed={"x": np.ones((8, 4, 5, 3), "float32")}, fetch_list=outs)
    finally:
        paddle.disable_static()
    assert (two == two[:, :, :1, :1]).all() and (axes == axes[:, :1, :, :1]).all()
    for out in (two, axes):
        assert set(np.unique(out)) == {0.0, 2.0} and 0.2 < (out > 0).mean() < 0.8


@pytest.mark.parametrize("make", [paddle.nn.ReLU, paddle.nn.Softmax, paddle.nn.GELU, paddle.nn.Dropout, paddle.nn.L1Loss,
                                  paddle.nn.MSELoss, paddle.nn.CrossEntropyLoss, paddle.nn.PairwiseDistance, paddle.nn.Softmax2D])
def test_results_are_called_by_the_layers_name(make):
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
            layer = make(name="mine")
            inputs = [paddle.static.data(f"input_{k}", [3, 4, 4], "float32") for k in range(2)]
            two = "Loss" in make.__name__ or make is paddle.nn.PairwiseDistance
            if make is paddle.nn.CrossEntropyLoss:
                inputs[1] = paddle.static.data("label", [3, 4], "int64")
            assert layer(*inputs[:1 + two]).name.startswith("mine")
            assert "name=mine" in repr(layer) or two
            assert not make()(*inputs[:1 + two]).name.startswith("mine")
    finally:
        paddle.disable_static()


@pytest.mark.parametrize("make, sizes, kind", [
    (lambda name: paddle.nn.Linear(4, 3, name=name), [2, 4], "float32"),
    (lambda name: paddle.nn.Embedding(4, 3, name=name), [2], "int64"),
    (lambda name: paddle.nn.Unfold(2, name=name), [1, 4, 4, 4], "float32"),
    (lambda name: paddle.nn.Upsample(scale_factor=2, name=name), [1, 4, 4, 4], "float32"),
    (lambda name: paddle.nn.LocalResponseNorm(2, name=name), [1, 4, 4, 4], "float32")])
def test_results_of_layers_with_settings_are_called_by_their_name(make, sizes, kind):
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
            x = paddle.static.data("x", sizes, kind)
            assert make("mine")(x).name.startswith("mine") and not make(None)(x).name.startswith("mine")
    finally:
        paddle.disable_static()
