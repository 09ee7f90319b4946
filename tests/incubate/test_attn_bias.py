"""Masks told by their form, with the values of Paddle 2.6.2 (-9 stands for -inf)."""

import numpy as np
import pytest

import paddle
from paddle.incubate.nn import attn_bias
from paddle.incubate.nn.memory_efficient_attention import memory_efficient_attention

PADDED = attn_bias.BlockDiagonalCausalWithOffsetPaddedKeysMask


@pytest.mark.parametrize(("mask", "shape", "expected"), [
    (lambda: attn_bias.LowerTriangularMask().add_bias(paddle.arange(12, dtype="float32").reshape([3, 4])), [3, 4],
     [[0, -9, -9, -9], [4, 5, -9, -9], [8, 9, 10, -9]]),
    (lambda: attn_bias.BlockDiagonalMask.from_seqlens([1, 2], [2, 1]), [1, 3, 3], [[[0, 0, -9], [-9, -9, 0], [-9, -9, 0]]]),
    (lambda: attn_bias.BlockDiagonalMask.from_seqlens([1, 2], [2, 1]).make_causal(), [3, 3],
     [[0, -9, -9], [-9, -9, 0], [-9, -9, 0]]),
    (lambda: PADDED.from_seqlens([2, 3], 4, [3, 2], paddle.to_tensor([1, 0], dtype="int32")), [5, 8],
     [[0, 0, -9, -9, -9, -9, -9, -9], [0, 0, 0, -9, -9, -9, -9, -9], [-9, -9, -9, -9, 0, -9, -9, -9],
      [-9, -9, -9, -9, 0, 0, -9, -9], [-9, -9, -9, -9, 0, 0, -9, -9]]),
])
def test_materialized(mask, shape, expected):
    found = mask().materialize(shape)
    assert np.nan_to_num(found.numpy(), neginf=-9).tolist() == expected


def test_rows_are_split_again():
    tensors = [paddle.rand([2, 3, 4]), paddle.rand([1, 2, 4])]
    mask, row = attn_bias.BlockDiagonalMask.from_tensor_list(tensors)
    assert row.shape == [1, 8, 4] and mask.q_seqinfo.seqstart.tolist() == [0, 3, 6, 8]
    for part, tensor in zip(mask.split(row), tensors):
        np.testing.assert_array_equal(part.numpy(), tensor.numpy())
    with pytest.raises(ValueError, match=r"x must be \[1, 8, ...\]"):
        mask.split(row[:, 1:])
    with pytest.raises(ValueError, match="must end with"):
        mask.materialize([7, 8])


def test_attention_of_each_sequence_by_itself():
    queries, keys = ([paddle.rand([1, n, 2, 4]) for n in lengths] for lengths in ([2, 3], [4, 1]))
    mask, q, k, v = attn_bias.BlockDiagonalMask.from_tensor_lists_qkv(queries, keys, keys)
    together = mask.split_queries(memory_efficient_attention(q, k, v, mask))
    for query, key, out in zip(queries, keys, together):
        np.testing.assert_allclose(out.numpy(), memory_efficient_attention(query, key, key).numpy(), rtol=1e-5)
