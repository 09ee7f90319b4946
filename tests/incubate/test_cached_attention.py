"""Attention of text generation to what is kept, beside plain attention in NumPy's float64."""

import numpy as np
import pytest

import paddle
from paddle.incubate.nn import functional as F

rng = np.random.default_rng(3)
HEADS, GROUPS, SIZE = 4, 2, 6


def plain(q, k, v, mask):
    """[queries, heads, size] to [keys, heads of key, size]; mask [queries, keys] is added."""
    k, v = (np.repeat(t, q.shape[1] // t.shape[1], 1) for t in (k, v))
    scores = np.einsum("qhd,khd->hqk", q, k) / np.sqrt(q.shape[-1]) + mask
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return np.einsum("hqk,khd->qhd", weights / weights.sum(-1, keepdims=True), v).reshape(len(q), -1)


def turned(x, angles, halves):
    """x [tokens, heads, size] with pairs turned by angles [tokens, size / 2]."""
    out, cos, sin = np.empty_like(x), np.cos(angles)[:, None], np.sin(angles)[:, None]
    first, second = (slice(0, SIZE // 2), slice(SIZE // 2, None)) if halves else (slice(0, None, 2), slice(1, None, 2))
    out[..., first] = x[..., first] * cos - x[..., second] * sin
    out[..., second] = x[..., second] * cos + x[..., first] * sin
    return out


def packed(count):
    return rng.normal(size=(count, (HEADS + 2 * GROUPS) * SIZE))


def parts(x):
    x = x.reshape(len(x), -1, SIZE)
    return x[:, :HEADS], x[:, HEADS:HEADS + GROUPS], x[:, HEADS + GROUPS:]


def causal(count, keys):
    return np.where(np.arange(keys) <= np.arange(count)[:, None] + keys - count, 0, -np.inf)


def doubled(angles, halves):
    return np.concatenate([angles, angles], -1) if halves else np.repeat(angles, 2, -1)


@pytest.mark.parametrize("halves", [False, True])
def test_one_token_after_the_other_is_a_whole_sequence(halves):
    x, bias, angles = packed(5), rng.normal(size=(HEADS + 2 * GROUPS) * SIZE), rng.normal(size=(5, SIZE // 2))
    cache = paddle.zeros([2, 1, GROUPS, 8, SIZE], "float64")
    found = []
    for step in range(5):
        table = np.stack([np.cos(doubled(angles[step], halves)), np.sin(doubled(angles[step], halves))]).reshape(2, 1, 1, 1, SIZE)
        out, kept = F.masked_multihead_attention(
            paddle.to_tensor(x[step:step + 1]), cache, paddle.to_tensor(bias), sequence_lengths=paddle.to_tensor([[step]]),
            rotary_tensor=paddle.to_tensor(table), rotary_emb_dims=1, use_neox_rotary_style=halves)
        found.append(out.numpy()[0])
        assert kept is cache
    q, k, v = parts(x + bias)
    q, k = turned(q, angles, halves), turned(k, angles, halves)
    np.testing.assert_allclose(found, plain(q, k, v, causal(5, 5)), rtol=1e-10)
    np.testing.assert_allclose(cache.numpy()[1, 0, :, :5], v.transpose(1, 0, 2))
    assert not cache.numpy()[:, :, :, 5:].any()


def test_the_mask_tells_the_place_and_is_added():
    cache = paddle.to_tensor(rng.normal(size=(2, 2, GROUPS, 8, SIZE)))
    before, x, mask = cache.numpy().copy(), packed(2), rng.normal(size=(2, 1, 1, 4))
    out, _ = F.masked_multihead_attention(paddle.to_tensor(x), cache, src_mask=paddle.to_tensor(mask))
    q, k, v = parts(x)
    for row in range(2):
        keys = np.concatenate([before[0, row, :, :3].transpose(1, 0, 2), k[row:row + 1]])
        values = np.concatenate([before[1, row, :, :3].transpose(1, 0, 2), v[row:row + 1]])
        np.testing.assert_allclose(out.numpy()[row:row + 1], plain(q[row:row + 1], keys, values, mask[row, 0]), rtol=1e-10)


@pytest.mark.parametrize("halves", [False, True])
def test_blocks_that_sequences_share(halves):
    lengths, room = [5, 3], 4
    caches = [paddle.zeros([6, GROUPS, room, SIZE], "float64") for _ in "kv"]
    tables = paddle.to_tensor([[4, 1], [2, 0]], dtype="int32")
    angles, whole = rng.normal(size=(8, SIZE // 2)), [packed(n + 2) for n in lengths]
    wide = doubled(angles, halves) if halves else angles
    rope = paddle.to_tensor(np.stack([np.cos(wide), np.sin(wide)]).reshape(2, 1, 8, 1, -1))

    def run(tokens, encoder, decoder, counts):
        starts = paddle.to_tensor(np.cumsum([0, *counts]), dtype="int32")
        given = paddle.to_tensor(np.concatenate(tokens))
        out, qkv, *kept = F.block_multihead_attention(
            given, *caches, *(paddle.to_tensor(n, dtype="int32") for n in (encoder, decoder, counts)), None, None, starts, starts,
            tables, rope_emb=rope, block_size=room, use_neox_style=halves)
        assert qkv is given and kept[0] is caches[0] and kept[1] is caches[1]
        return np.split(out.numpy(), starts.numpy()[1:-1])

    found = [[part] for part in run([t[:n] for t, n in zip(whole, lengths)], lengths, [0, 0], lengths)]
    for step in range(2):
        kept = [n + step for n in lengths]
        new = run([t[n:n + 1] for t, n in zip(whole, kept)], [0, 0], kept, [1, 1])
        [mine.append(part) for mine, part in zip(found, new)]
    for mine, tokens in zip(found, whole):
        q, k, v = parts(tokens)
        q, k = (turned(t, angles[:len(tokens)], halves) for t in (q, k))
        np.testing.assert_allclose(np.concatenate(mine), plain(q, k, v, causal(len(q), len(q))), rtol=1e-10)


def test_blocks_with_masks_bias_and_what_all_tokens_see():
    x, bias, mask = packed(3), rng.normal(size=(HEADS + 2 * GROUPS) * SIZE), rng.normal(size=(1, 1, 3, 5))
    before = rng.normal(size=(2, 1, GROUPS, 2, SIZE))
    one = paddle.to_tensor([3], dtype="int32")
    out = F.block_multihead_attention(
        paddle.to_tensor(x), *(paddle.zeros([1, GROUPS, 4, SIZE], "float64") for _ in "kv"), one, one * 0, one, None, None,
        paddle.to_tensor([0, 3]), paddle.to_tensor([0, 3]), paddle.to_tensor([[0]]), paddle.to_tensor(before[0]),
        paddle.to_tensor(before[1]), qkv_bias=paddle.to_tensor(bias), mask=paddle.to_tensor(mask), block_size=4)[0]
    q, k, v = parts(x + bias)
    k, v = (np.concatenate([b[0].transpose(1, 0, 2), t]) for b, t in zip(before, (k, v)))
    np.testing.assert_allclose(out.numpy(), plain(q, k, v, mask[0, 0]), rtol=1e-10)


def test_what_is_refused_is_named():
    cache = paddle.zeros([2, 1, 1, 2, 4])
    with pytest.raises(NotImplementedError, match="beam_cache_offset"):
        F.masked_multihead_attention(paddle.ones([1, 12]), cache, beam_cache_offset=cache)
    with pytest.raises(NotImplementedError, match="out_scale 0.5"):
        F.masked_multihead_attention(paddle.ones([1, 12]), cache, out_scale=0.5)
    with pytest.raises(ValueError, match="cache_kv holds 2"):
        F.masked_multihead_attention(paddle.ones([1, 12]), cache, sequence_lengths=paddle.to_tensor([2]))
    with pytest.raises(ValueError, match="does not hold heads of 4"):
        F.masked_multihead_attention(paddle.ones([1, 13]), cache, sequence_lengths=paddle.to_tensor([0]))
    with pytest.raises(ValueError, match="blocks of key_cache hold 4"):
        F.block_multihead_attention(paddle.ones([1, 6]), paddle.ones([1, 1, 4, 2]), paddle.ones([1, 1, 4, 2]), *[None] * 8)
    longest = F.blha_get_max_len(paddle.to_tensor([1, 9]), paddle.to_tensor([[4], [2]]), paddle.ones([2]))
    assert [n.item() for n in longest] == [9, 4]


def dense_mask(bounds, causal, queries):
    """What startend_row_indices says, element by element."""
    batch, heads, keys, count = bounds.shape
    hidden = np.zeros((batch, heads, queries, keys), bool)
    for b, h, j in np.ndindex(batch, heads, keys):
        n = bounds[b, h, j]
        column = hidden[b, h, :, j]
        column[n[0]:n[1] if count == 4 or (causal and count == 2) else None] = True
        if causal:
            column[:j] = True
        elif count == 2:
            column[:n[1]] = True
        else:
            column[n[2]:n[3]] = True
    return hidden


@pytest.mark.parametrize("causal, count", [(True, 1), (True, 2), (False, 2), (False, 4)])
def test_keys_say_which_rows_see_them(causal, count):
    q, k, v = (rng.normal(size=(2, 7, h, 4)) for h in (4, 2, 2))
    bounds = np.sort(rng.integers(0, 8, size=(2, 2, 7, count)), -1)
    if not causal and count == 2:
        bounds = bounds[..., ::-1].copy()  # hidden from the first on, and above the second
    tensors = [paddle.to_tensor(t, stop_gradient=False) for t in (q, k, v)]
    out, lse = paddle.nn.functional.flashmask_attention(*tensors, paddle.to_tensor(bounds, dtype="int32"), causal=causal,
                                                        return_softmax_lse=True)
    hidden = np.repeat(dense_mask(bounds, causal, 7), 2, 1)
    k4, v4 = np.repeat(k, 2, 2), np.repeat(v, 2, 2)
    scores = np.where(hidden, -np.inf, np.einsum("bqhd,bkhd->bhqk", q, k4) / 2)
    weights = np.where(hidden, 0, np.exp(scores))
    total = weights.sum(-1, keepdims=True)
    expected = np.einsum("bhqk,bkhd->bqhd", weights / np.where(total, total, 1), v4)
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-9, atol=1e-12)
    seen = total[..., 0] > 0
    np.testing.assert_allclose(lse.numpy()[seen], np.log(total[..., 0][seen]), rtol=1e-9)
    out.sum().backward()
    rows = np.einsum("bhqk->bhk", weights / np.where(total, total, 1)).reshape(2, 2, 2, 7).sum(2)
    np.testing.assert_allclose(tensors[2].grad.numpy()[..., 0], rows.transpose(0, 2, 1), rtol=1e-9, atol=1e-12)


def test_windows_and_blocks_of_rows():
    q = paddle.to_tensor(rng.normal(size=(1, 300, 1, 2)))
    rows, columns = np.arange(300)[:, None], np.arange(300)
    attend = paddle.nn.functional.flashmask_attention

    def expected(seen):
        return paddle.nn.functional.scaled_dot_product_attention(q, q, q, paddle.to_tensor(seen.reshape(1, 1, 300, 300))).numpy()

    np.testing.assert_allclose(attend(q, q, q, window_size=3).numpy(), expected(abs(rows - columns) <= 3), rtol=1e-9)
    np.testing.assert_allclose(attend(q, q, q, window_size=(3, 0), causal=True).numpy(),
                               expected((rows - columns <= 3) & (columns <= rows)), rtol=1e-9)
    blocks = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1]])
    ends = paddle.full([1, 1, 300, 1], 300, "int32")
    np.testing.assert_allclose(
        attend(q, q, q, ends, causal=True, block_mask=paddle.to_tensor(blocks.reshape(1, 1, 3, 3), dtype="int32")).numpy(),
        expected((columns <= rows) & np.kron(blocks, np.ones((128, 128), int))[:300, :300].astype(bool)), rtol=1e-9)
    with pytest.raises(ValueError, match="exclude each other"):
        attend(q, q, q, ends, window_size=3)
    with pytest.raises(ValueError, match="1 or 2 bounds"):
        attend(q, q, q, ends.tile([1, 1, 1, 4]), causal=True)
    with pytest.raises(NotImplementedError, match="return_seed_offset"):
        attend(q, q, q, return_seed_offset=True)
