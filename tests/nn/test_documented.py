"""Ways of calling that Paddle's documentation shows and that are easily left out."""

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
from paddle import nn

Q, K, V = (np.random.RandomState(n).rand(7, 2, 4) for n in range(3))


def attention(q, k, v, scale, causal):
    scores = np.einsum("qhd,khd->hqk", q, k) * scale
    if causal:
        scores = np.where(np.tril(np.ones(scores.shape[1:])) > 0, scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return np.einsum("hqk,khd->qhd", weights / weights.sum(-1, keepdims=True), v)


@pytest.mark.parametrize("causal", [False, True])
def test_attention_of_sequences_one_after_the_other(causal):
    starts = [0, 3, 7]
    q, k, v = (paddle.to_tensor(a, stop_gradient=False) for a in (Q, K, V))
    at = paddle.to_tensor(starts)
    out, weights = F.flash_attention.flash_attn_unpadded(q, k, v, at, at, 4, 4, 0.3, causal=causal)
    expected = np.concatenate([attention(Q[a:b], K[a:b], V[a:b], 0.3, causal) for a, b in zip(starts, starts[1:])])
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-6)
    assert weights is None
    out.sum().backward()
    assert q.grad.shape == [7, 2, 4]
    whole, _ = F.flash_attention.flash_attention(*(t[:3].unsqueeze(0) for t in (q, k, v)), causal=causal)
    np.testing.assert_allclose(whole[0].numpy(), attention(Q[:3], K[:3], V[:3], 0.5, causal), rtol=1e-6)


def test_mistakes_in_attention_are_named():
    q = paddle.to_tensor(Q)
    with pytest.raises(ValueError, match="max_seqlen_q is 3"):
        F.flash_attention.flash_attn_unpadded(q, q, q, paddle.to_tensor([0, 3, 7]), paddle.to_tensor([0, 3, 7]), 3, 4, 0.3)
    with pytest.raises(ValueError, match="one number more"):
        F.flash_attention.flash_attn_unpadded(q, q, q, paddle.to_tensor([0, 3, 7]), paddle.to_tensor([0, 7]), 4, 7, 0.3)
    with pytest.raises(NotImplementedError, match="return_softmax"):
        F.flash_attention.flash_attention(q.unsqueeze(0), q.unsqueeze(0), q.unsqueeze(0), return_softmax=True)
    with pytest.raises(NotImplementedError, match="rng_name"):
        F.flash_attention.flash_attention(q.unsqueeze(0), q.unsqueeze(0), q.unsqueeze(0), rng_name="global_seed")


class Joined(nn.Layer):
    """Takes its inputs as one list or dict."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, inputs):
        first, second = inputs.values() if isinstance(inputs, dict) else inputs
        return self.fc(first + second)


@pytest.mark.parametrize("given", [[paddle.ones([1, 4])] * 2, {"a": paddle.ones([1, 4]), "b": paddle.ones([1, 4])}])
def test_a_summary_of_what_takes_a_list_or_dict(given, capsys):
    assert paddle.summary(Joined(), input=given)["total_params"] == 10
    assert "Linear" in capsys.readouterr().out


def test_labels_with_an_axis_of_one():
    x, k = F.log_softmax(paddle.rand([5, 4])), paddle.to_tensor([0, 1, 2, 3, 0])
    assert (F.nll_loss(x, k.unsqueeze(1), reduction="none") == F.nll_loss(x, k, reduction="none")).all()


def test_a_schedule_for_a_model_of_any_size():
    assert paddle.optimizer.lr.NoamDecay(d_model=0.01, warmup_steps=100).d_model == 0.01
    with pytest.raises(ValueError, match="d_model must be above 0"):
        paddle.optimizer.lr.NoamDecay(d_model=0, warmup_steps=100)


def test_names_of_the_first_releases():
    assert nn.loss.MSELoss is nn.MSELoss and nn.decode.dynamic_decode is nn.dynamic_decode
    assert paddle.amp.AmpScaler is paddle.amp.GradScaler and paddle.amp.amp_guard is paddle.amp.auto_cast


def test_numbers_in_quotes():
    assert paddle.full([2], "0.5", "float32").tolist() == [0.5, 0.5]
    with pytest.raises(TypeError, match="fill_value must be a number, got 'half'"):
        paddle.full([2], "half")
