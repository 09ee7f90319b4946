"""Decoding the most likely tags of a sequence."""

from ..nn import Layer
from ..ops.sequence import viterbi
from ..tensor.convert import as_tensor

__all__ = ["ViterbiDecoder", "viterbi_decode"]


def viterbi_decode(potentials, transition_params, lengths, include_bos_eos_tag=True, name=None):
    """The best sequence of tags and its score, for each sequence of a batch.

    Args:
        potentials: how well each tag suits each step, [batch, steps, tags].
        transition_params: how well tag j follows tag i, [tags, tags].
        lengths: the length of each sequence, [batch].
        include_bos_eos_tag: the last tag means the start and the last but one the stop; their rows of
            ``transition_params`` weigh the first and the last tag.

    Returns:
        (scores [batch], tags [batch, longest length]); beyond a sequence's length, tags are 0.

    >>> potentials = paddle.to_tensor([[[0.1, 0.9], [0.6, 0.2]]])
    >>> score, tags = paddle.text.viterbi_decode(potentials, paddle.zeros([2, 2]), paddle.to_tensor([2]), False)
    >>> tags.tolist()
    [[1, 0]]
    """
    who = "viterbi_decode"
    return viterbi.viterbi_decode(as_tensor(potentials, who, "potentials"), as_tensor(transition_params, who, "transition_params"),
                                  as_tensor(lengths, who, "lengths"), bool(include_bos_eos_tag))


class ViterbiDecoder(Layer):
    """viterbi_decode with transitions of its own.

    Args:
        transitions: how well tag j follows tag i, [tags, tags].
        include_bos_eos_tag: see ``viterbi_decode``.

    >>> decoder = paddle.text.ViterbiDecoder(paddle.zeros([2, 2]), include_bos_eos_tag=False)
    >>> scores, tags = decoder(paddle.to_tensor([[[0.1, 0.9], [0.6, 0.2]]]), paddle.to_tensor([2]))
    >>> tags.tolist()
    [[1, 0]]
    """

    def __init__(self, transitions, include_bos_eos_tag=True, name=None):
        super().__init__()
        self.transitions, self.include_bos_eos_tag = transitions, include_bos_eos_tag

    def forward(self, potentials, lengths):
        return viterbi_decode(potentials, self.transitions, lengths, self.include_bos_eos_tag)
