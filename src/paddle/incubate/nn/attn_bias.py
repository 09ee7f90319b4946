"""Masks of attention that are told by their form, for sequences that lie one behind the other in one row.

``materialize`` writes a mask out: 0 where a query sees a key, -inf elsewhere. memory_efficient_attention takes them as its bias.
"""

from dataclasses import dataclass, field

from ...core.errors import describe
from ...core.tensor import Tensor
from ...tensor.construct import triu
from ...tensor.creation import full, to_tensor, zeros
from ...tensor.joining import concat

__all__ = ["AttentionBias", "BlockDiagonalCausalMask", "BlockDiagonalCausalWithOffsetPaddedKeysMask", "BlockDiagonalMask",
           "LowerTriangularMask", "LowerTriangularMaskWithTensorBias", "PaddedSeqLenInfo", "SeqLenInfo"]


class AttentionBias:
    """What attention adds to its logits."""

    def materialize(self, shape, dtype="float32"):
        """The tensor of that shape, [..., queries, keys]."""
        raise NotImplementedError(f"{type(self).__name__}.materialize()")


def _upper(shape, diagonal, dtype):
    """-inf on and above a diagonal, 0 below."""
    return triu(full(list(shape), float("-inf"), dtype), diagonal)


class LowerTriangularMask(AttentionBias):
    """A query sees the keys up to its own position.

    >>> from paddle.incubate.nn.attn_bias import LowerTriangularMask
    >>> LowerTriangularMask().materialize([2, 2]).tolist()
    [[0.0, -inf], [0.0, 0.0]]
    """

    def materialize(self, shape, dtype="float32"):
        return _upper(shape, 1, dtype)

    def add_bias(self, bias):
        """The mask with a tensor added to it."""
        return LowerTriangularMaskWithTensorBias(bias)


class LowerTriangularMaskWithTensorBias(LowerTriangularMask):
    """The same, with a tensor added."""

    def __init__(self, bias):
        self._bias = bias

    def materialize(self, shape, dtype="float32"):
        return super().materialize(shape, dtype) + self._bias


def _numbers(values, who):
    if not isinstance(values, (list, tuple)) or not values:
        raise ValueError(f"{who}(): lengths must be a list of ints, got {describe(values)}")
    return [int(v) for v in values]


@dataclass
class SeqLenInfo:
    """Where sequences begin in a row: ``seqstart`` (int32, one more than sequences), as ``seqstart_py`` a list of ints.

    >>> from paddle.incubate.nn.attn_bias import SeqLenInfo
    >>> list(SeqLenInfo.from_seqlens([2, 3]).intervals())
    [(0, 2), (2, 5)]
    """

    seqstart: Tensor
    max_seqlen: int
    seqstart_py: list

    def intervals(self):
        """(begin, end) of every sequence."""
        yield from zip(self.seqstart_py, self.seqstart_py[1:])

    @classmethod
    def from_seqlens(cls, seqlens):
        """Of sequences of these lengths."""
        seqlens, starts = _numbers(seqlens, f"{cls.__name__}.from_seqlens"), [0]
        for length in seqlens:
            starts.append(starts[-1] + length)
        return cls(to_tensor(starts, dtype="int32"), max(seqlens), starts)

    def split(self, x, batch_sizes=None):
        """The sequences of a tensor [1, all positions, ...], each as [1, length, ...]; with ``batch_sizes`` so many sequences of
        one length at a time, as [number, length, ...]."""
        if x.shape[0] != 1 or x.shape[1] != self.seqstart_py[-1]:
            raise ValueError(f"{type(self).__name__}.split(): x must be [1, {self.seqstart_py[-1]}, ...], got {list(x.shape)}")
        batch_sizes = [1] * (len(self.seqstart_py) - 1) if batch_sizes is None else batch_sizes
        ends = [0]
        for size in batch_sizes:
            ends.append(ends[-1] + size)
        return [x[:, self.seqstart_py[a]:self.seqstart_py[b]].reshape([b - a, -1, *x.shape[2:]]) for a, b in zip(ends, ends[1:])]


@dataclass
class PaddedSeqLenInfo(SeqLenInfo):
    """Where sequences begin in a row in which every one has the same room, and their own lengths ``seqlen``."""

    seqlen: Tensor
    seqlen_py: list

    def intervals(self):
        for begin, length in zip(self.seqstart_py, self.seqlen_py):
            yield begin, begin + length

    @classmethod
    def from_seqlens(cls, seqlens):
        raise NotImplementedError("PaddedSeqLenInfo.from_seqlens(): use SeqLenInfo.from_seqlens() or from_seqlens_padded()")

    @classmethod
    def from_seqlens_padded(cls, seqlens, padding):
        """Of sequences of these lengths with room for ``padding`` positions each."""
        seqlens = _numbers(seqlens, "PaddedSeqLenInfo.from_seqlens_padded")
        if max(seqlens) > padding:
            raise ValueError(f"PaddedSeqLenInfo.from_seqlens_padded(): no length may exceed {padding}, got {max(seqlens)}")
        starts = list(range(0, len(seqlens) * padding + 1, padding))
        return cls(to_tensor(starts, dtype="int32"), max(seqlens), starts, to_tensor(seqlens, dtype="int32"), seqlens)

    def split(self, x, batch_sizes=None):
        raise NotImplementedError("PaddedSeqLenInfo.split(): sequences with room between them are not split")


def _blocks(mask, shape, dtype, block):
    """A mask of -inf with ``block(number, sizes)`` where a sequence's queries and keys meet, of that shape."""
    sizes = [mask.q_seqinfo.seqstart_py[-1], mask.k_seqinfo.seqstart_py[-1]]
    if list(shape[-2:]) != sizes:
        raise ValueError(f"{type(mask).__name__}.materialize(): shape must end with {sizes}, got {list(shape)}")
    rows = []
    for i, ((q0, q1), (k0, k1)) in enumerate(zip(mask.q_seqinfo.intervals(), mask.k_seqinfo.intervals())):
        around = [full([q1 - q0, n], float("-inf"), dtype) for n in (k0, sizes[1] - k1)]
        rows.append(concat([around[0], block(i, [q1 - q0, k1 - k0]), around[1]], 1))
    return concat(rows).expand(list(shape))


@dataclass
class BlockDiagonalMask(AttentionBias):
    """A query sees the keys of its own sequence.

    >>> from paddle.incubate.nn.attn_bias import BlockDiagonalMask
    >>> BlockDiagonalMask.from_seqlens([1, 1]).materialize([2, 2]).tolist()
    [[0.0, -inf], [-inf, 0.0]]
    """

    q_seqinfo: SeqLenInfo
    k_seqinfo: SeqLenInfo
    _batch_sizes: list | None = None

    def _create_block_mask(self, shape, dtype="float32"):
        return zeros(list(shape), dtype)

    def materialize(self, shape, dtype="float32"):
        return _blocks(self, shape, dtype, lambda i, sizes: self._create_block_mask(sizes, dtype))

    @classmethod
    def from_seqlens(cls, q_seqlen, kv_seqlen=None):
        """Of sequences of these numbers of queries and (if others) keys."""
        if kv_seqlen is not None and len(q_seqlen) != len(kv_seqlen):
            raise ValueError(f"{cls.__name__}.from_seqlens(): {len(q_seqlen)} lengths of queries, but {len(kv_seqlen)} of keys")
        queries = SeqLenInfo.from_seqlens(q_seqlen)
        return cls(queries, queries if kv_seqlen is None or kv_seqlen == q_seqlen else SeqLenInfo.from_seqlens(kv_seqlen))

    @classmethod
    def from_tensor_list(cls, tensors):
        """(mask, the tensors [number, length, ...] as one row [1, all positions, ...])."""
        mask = cls.from_seqlens(_lengths(tensors))
        mask._batch_sizes = [t.shape[0] for t in tensors]
        return mask, _row(tensors)

    @classmethod
    def from_tensor_lists_qkv(cls, tensors_q, tensors_k, tensors_v=None):
        """(mask, queries, keys, values or None) of lists of tensors, each list as one row."""
        sizes = [t.shape[0] for t in tensors_q]
        if sizes != [t.shape[0] for t in tensors_k]:
            raise ValueError(f"{cls.__name__}.from_tensor_lists_qkv(): tensors_q and tensors_k must have the same batch sizes")
        mask = cls.from_seqlens(_lengths(tensors_q), _lengths(tensors_k))
        mask._batch_sizes = sizes
        return mask, _row(tensors_q), _row(tensors_k), None if tensors_v is None else _row(tensors_v)

    def split_queries(self, tensor):
        """The sequences of a row of queries."""
        return self.q_seqinfo.split(tensor, self._batch_sizes)

    def split_kv(self, tensor):
        """The sequences of a row of keys or values."""
        return self.k_seqinfo.split(tensor, self._batch_sizes)

    def split(self, tensor):
        """The sequences of a row, where queries and keys are as many."""
        if self.q_seqinfo is not self.k_seqinfo:
            raise ValueError(f"{type(self).__name__}.split(): lengths differ; use split_queries() or split_kv()")
        return self.split_queries(tensor)

    def make_causal(self):
        """The mask with which a query sees the keys of its sequence up to its own position."""
        return BlockDiagonalCausalMask(self.q_seqinfo, self.k_seqinfo, self._batch_sizes)


def _lengths(tensors):
    return [t.shape[1] for t in tensors for _ in range(t.shape[0])]


def _row(tensors):
    return concat([t.reshape([1, -1, *t.shape[2:]]) for t in tensors], 1)


class BlockDiagonalCausalMask(BlockDiagonalMask):
    """A query sees the keys of its own sequence up to its own position."""

    def _create_block_mask(self, shape, dtype="float32"):
        return _upper(shape, 1, dtype)


@dataclass
class BlockDiagonalCausalWithOffsetPaddedKeysMask(AttentionBias):
    """A query sees the keys of its own sequence up to its own position and ``causal_diagonal`` (one number a sequence) further.
    Keys have the same room each."""

    q_seqinfo: SeqLenInfo
    k_seqinfo: PaddedSeqLenInfo
    causal_diagonal: Tensor | None = field(default=None)

    def _create_block_mask(self, shape, offset=0, dtype="float32"):
        return _upper(shape, 1 + offset, dtype)

    def materialize(self, shape, dtype="float32"):
        offsets = None if self.causal_diagonal is None else self.causal_diagonal.tolist()
        return _blocks(self, shape, dtype,
                       lambda i, sizes: self._create_block_mask(sizes, 0 if offsets is None else int(offsets[i]), dtype))

    @classmethod
    def from_seqlens(cls, q_seqlen, kv_padding, kv_seqlen, causal_diagonal=None):
        """Of sequences of these numbers of queries and keys, with room for ``kv_padding`` keys each."""
        if len(q_seqlen) != len(kv_seqlen):
            raise ValueError(f"{cls.__name__}.from_seqlens(): {len(q_seqlen)} lengths of queries, but {len(kv_seqlen)} of keys")
        return cls(SeqLenInfo.from_seqlens(q_seqlen), PaddedSeqLenInfo.from_seqlens_padded(kv_seqlen, kv_padding), causal_diagonal)
