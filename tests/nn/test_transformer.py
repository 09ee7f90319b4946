"""Transformer layers: caches give what whole sequences give, masks hide, static programs agree; utilities of nn.utils."""

import numpy as np
import pytest

import paddle
from paddle import nn


@pytest.fixture(autouse=True)
def seeded():
    paddle.seed(7)


def close(a, b, tol=1e-5):
    np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=tol, atol=tol)


def test_cached_decoding_equals_whole_sequence():
    model = nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 16, dropout=0.0), 2)
    model.eval()
    target, memory = paddle.rand([2, 4, 8]), paddle.rand([2, 3, 8])
    mask = paddle.tril(paddle.ones([4, 4])).astype("bool").unsqueeze([0, 1])
    whole = model(target, memory, mask)
    cache, steps = model.gen_cache(memory), []
    for t in range(4):
        out, cache = model(target[:, t:t + 1], memory, cache=cache)
        steps.append(out)
    close(paddle.concat(steps, 1), whole)


def test_hidden_keys_change_nothing():
    layer = nn.MultiHeadAttention(8, 2)
    x = paddle.rand([1, 4, 8])
    mask = paddle.to_tensor([True, True, True, False]).reshape([1, 1, 1, 4])
    other = paddle.concat([x[:, :3], x[:, 3:] + 5], 1)
    close(layer(x[:, :3], x, x, mask), layer(x[:, :3], other, other, mask))


def test_attention_dropout_is_on_in_training_only():
    layer = nn.MultiHeadAttention(8, 2, dropout=0.5)
    x = paddle.rand([1, 4, 8])
    assert not np.allclose(layer(x).numpy(), layer(x).numpy())
    layer.eval()
    close(layer(x), layer(x))


def test_dropped_attention_has_the_gradient_of_what_it_computed():
    q = paddle.rand([1, 5, 2, 4])
    q.stop_gradient = False
    out = nn.functional.scaled_dot_product_attention(q, q, paddle.ones([1, 5, 2, 4]), dropout_p=0.5)
    out.sum().backward()
    assert np.isfinite(q.grad.numpy()).all() and np.abs(q.grad.numpy()).max() > 0


def test_layers_of_a_stack_are_initialised_one_by_one():
    model = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), 2)
    a, b = model.layers[0].linear1.weight.numpy(), model.layers[1].linear1.weight.numpy()
    assert not np.allclose(a, b)


def test_static_program_agrees(tmp_path):
    model = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0)
    model.eval()
    x = paddle.rand([2, 3, 8])
    expected = model(x)
    static = paddle.jit.to_static(model, input_spec=[paddle.static.InputSpec([None, 3, 8])])
    close(static(x), expected)


def test_heads_must_divide():
    with pytest.raises(ValueError, match="num_heads must divide"):
        nn.MultiHeadAttention(8, 3)


@pytest.mark.parametrize("dim", [None, -1])
def test_weight_norm_of_the_whole_weight(dim):
    layer = nn.Linear(3, 4)
    weight = layer.weight.numpy()
    nn.utils.weight_norm(layer, dim=dim)
    close(layer.weight_g, [np.linalg.norm(weight)])
    layer.weight_g.set_value(paddle.full([1], 2.0))
    layer(paddle.zeros([1, 3]))
    close(layer.weight, 2 * weight / np.linalg.norm(weight))


def test_weight_norm_trains_and_comes_off():
    layer = nn.utils.weight_norm(nn.Linear(3, 4), dim=1)
    x = paddle.rand([2, 3])
    before = layer(x)
    close(paddle.linalg.norm(layer.weight, axis=0) if hasattr(paddle, "linalg") else layer.weight_g, layer.weight_g)
    before.sum().backward()
    assert layer.weight_g.grad is not None and layer.weight_v.grad is not None
    close(nn.utils.remove_weight_norm(layer)(x), before)
    with pytest.raises(ValueError, match="no weight norm"):
        nn.utils.remove_weight_norm(layer)


def test_gradient_of_spectral_norm_is_the_slope():
    layer = nn.SpectralNorm([3, 4], power_iters=200, dtype="float64")
    w = paddle.to_tensor(np.random.RandomState(3).rand(3, 4), stop_gradient=False)
    toward = np.random.RandomState(4).rand(3, 4)
    seed = paddle.to_tensor(np.random.RandomState(5).rand(3, 4))

    def loss(x):
        return (layer(x) * seed).sum()
    loss(w).backward()
    step = 1e-5
    slope = (loss(w + step * toward) - loss(w - step * toward)) / (2 * step)
    close((w.grad.numpy() * toward).sum(), slope, 1e-8)


def test_spectral_norm_makes_the_largest_singular_value_one():
    layer = nn.utils.spectral_norm(nn.Linear(4, 3), n_power_iterations=50)
    layer(paddle.rand([1, 4]))
    assert abs(np.linalg.svd(layer.weight.numpy())[1][0] - 1) < 1e-3


def test_clip_grad_norm_refuses_nan():
    x = paddle.to_tensor([1.0], stop_gradient=False)
    (x * float("nan")).backward()
    with pytest.raises(RuntimeError, match="can't be clipped"):
        nn.utils.clip_grad_norm_([x], 1.0, error_if_nonfinite=True)


def test_vector_of_the_wrong_size():
    with pytest.raises(ValueError, match="must have 9 elements"):
        nn.utils.vector_to_parameters(paddle.ones([8]), nn.Linear(2, 3).parameters())


def test_beam_search_finds_the_likeliest_sequences():
    """A cell whose scores depend on nothing but the step: the best beam takes the best token of each step."""
    class Cell(nn.Layer):
        def forward(self, inputs, states):
            return states, states

    scores = paddle.to_tensor([[0.0, -5.0, 2.0, 1.0]])
    outputs, _, lengths = nn.dynamic_decode(nn.BeamSearchDecoder(Cell(), 0, 1, 2), scores, max_step_num=2,
                                            return_length=True)
    assert outputs[0, :, 0].tolist() == [2, 2, 2]
    assert lengths.tolist() == [[3, 3]]


@pytest.mark.parametrize("length", [4, 300])  # of 300 tokens the weights are not kept
def test_a_query_of_which_the_mask_hides_every_key(length):
    """NaN in its row alone, forward, and in gradients, as softmax gives it: so does Paddle 2.6.2."""
    paddle.seed(1)
    net = nn.MultiHeadAttention(8, 2)
    x = paddle.randn([1, length, 8])
    x.stop_gradient = False
    mask = np.zeros([1, 1, length, length], "float32")
    mask[0, 0, 1] = -np.inf
    y = net(x, x, x, paddle.to_tensor(mask))
    rows = np.isnan(y.numpy()[0]).all(-1)
    assert rows.tolist() == [i == 1 for i in range(length)] and np.isnan(y.numpy()).sum() == 8
    y.sum().backward()
    assert np.isnan(x.grad.numpy()).any()
