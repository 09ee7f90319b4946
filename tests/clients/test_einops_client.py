"""einops with the paddle backend gives what it gives with NumPy; gradients flow through it."""

import numpy as np
import pytest

import paddle

einops = pytest.importorskip("einops")

X = np.random.default_rng(0).normal(size=(2, 6, 4, 8)).astype("float32")


@pytest.mark.parametrize("function, pattern, sizes", [
    ("rearrange", "b c h w -> b h w c", {}), ("rearrange", "b (c k) h w -> (b k) (h w) c", {"k": 2}),
    ("rearrange", "b c (h p) (w q) -> b (h w) (p q c)", {"p": 2, "q": 4}), ("rearrange", "b ... -> b (...)", {}),
    ("reduce", "b c h w -> b c", {"reduction": "mean"}), ("reduce", "b c (h p) w -> b c h 1 w", {"p": 2, "reduction": "max"}),
    ("reduce", "b c h w -> c", {"reduction": "sum"}), ("repeat", "b c h w -> b (c k) h w", {"k": 3}),
])
def test_equal_to_numpy(function, pattern, sizes):
    call = getattr(einops, function)
    expected, given = call(X, pattern, **sizes), paddle.to_tensor(X, stop_gradient=False)
    found = call(given, pattern, **sizes)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5, atol=1e-6)
    found.sum().backward()
    assert given.grad.shape == list(X.shape)


def test_einsum_pack_and_layers():
    x = paddle.to_tensor(X)
    found = einops.einsum(x, x, "b c h w, b d h w -> b c d")
    np.testing.assert_allclose(found.numpy(), np.einsum("bchw,bdhw->bcd", X, X), rtol=1e-4, atol=1e-4)
    packed, shapes = einops.pack([x, x[:, :, 0]], "b * w")
    assert packed.shape == [2, 30, 8] and einops.unpack(packed, shapes, "b * w")[1].shape == [2, 6, 8]
    from einops.layers.paddle import EinMix, Rearrange
    net = paddle.nn.Sequential(Rearrange("b c h w -> b (h w) c"), EinMix("b n c -> b n d", weight_shape="c d", c=6, d=5))
    assert net(x).shape == [2, 32, 5]
