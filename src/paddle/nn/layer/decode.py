"""Decoding step by step: beam search, and the loop that drives a decoder."""

import collections
import contextlib

from ...core.addresses import late as _late
from ...core.addresses import names_of as _names_of
from ...core.autograd import no_grad
from ...core.op import Symbolic
from ...core.rooms import rooms
from ...core.tensor import Tensor
from ...ops.manipulation import (
    gather_scatter as index,
)
from ...ops.manipulation import (  # noqa: F401  (along and search declare the ops that methods call)
    put_along_axis as along,
)
from ...ops.manipulation.creation import fill_constant_batch_size_like
from ...ops.math.cumulative import cumsum
from ...ops.nn import extension, softmax
from ...tensor import creation, joining

__all__ = ["BeamSearchDecoder", "dynamic_decode"]

IMPOSSIBLE = -1e9


def _map(fn, *trees):
    """fn applied to the tensors of nested tuples, lists and dicts of one structure."""
    first = trees[0]
    if isinstance(first, (Tensor, Symbolic)):
        return fn(*trees)
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*[_map(fn, *items) for items in zip(*trees)])
    if isinstance(first, (list, tuple)):
        return type(first)([_map(fn, *items) for items in zip(*trees)])
    if isinstance(first, dict):
        return {k: _map(fn, *[t[k] for t in trees]) for k in first}
    raise TypeError(f"dynamic_decode(): states must be tensors in tuples, lists or dicts, got {type(first).__name__}")


class BeamSearchDecoder:
    """Beam search with a recurrent cell: keeps the ``beam_size`` likeliest sequences of every sample.

    Args:
        cell: called as cell(inputs, states) -> (outputs, new states).
        start_token, end_token: token numbers.
        embedding_fn: maps tokens to inputs of the cell; the tokens themselves for None.
        output_fn: maps outputs of the cell to scores [.., vocabulary]; the outputs themselves for None.

    >>> cell, project = paddle.nn.GRUCell(4, 4), paddle.nn.Linear(4, 6)
    >>> decoder = paddle.nn.BeamSearchDecoder(cell, 0, 1, 2, paddle.nn.Embedding(6, 4), project)
    >>> outputs, states = paddle.nn.dynamic_decode(decoder, paddle.zeros([3, 4]), max_step_num=2)
    >>> outputs.shape[0], outputs.shape[2]
    (3, 2)
    """

    OutputWrapper = collections.namedtuple("OutputWrapper", ("scores", "predicted_ids", "parent_ids"))
    StateWrapper = collections.namedtuple("StateWrapper", ("cell_states", "log_probs", "finished", "lengths"))

    def __init__(self, cell, start_token, end_token, beam_size, embedding_fn=None, output_fn=None):
        if beam_size < 1:
            raise ValueError(f"BeamSearchDecoder(): beam_size must be positive, got {beam_size}")
        self.cell, self.embedding_fn, self.output_fn = cell, embedding_fn, output_fn
        self.start_token, self.end_token, self.beam_size = start_token, end_token, beam_size

    @staticmethod
    def tile_beam_merge_with_batch(x, beam_size):
        """[batch, ...] with every sample ``beam_size`` times in a row: [batch * beam_size, ...]."""
        return x.unsqueeze(1).expand([-1, beam_size, *[-1] * (len(x.shape) - 1)]).flatten(0, 1)

    # Decoders of others derive from this class and call the next three by these names.
    def _split_batch_beams(self, x):
        """[batch * beams, ...] as [batch, beams, ...]."""
        return x.unsqueeze(0).reshape([-1, self.beam_size, *[0] * (len(x.shape) - 1)])

    def _merge_batch_beams(self, x):
        """[batch, beams, ...] as [batch * beams, ...]."""
        return x.flatten(0, 1)

    def _pick(self, x, rows):
        """x [batch, beams, ...] with the beams named by rows [batch, beams]."""
        base = (cumsum(creation.ones_like(rows), 0) - 1) * self.beam_size
        return self._split_batch_beams(index.gather(self._merge_batch_beams(x), (base + rows).flatten()))

    def initialize(self, initial_cell_states):
        """(first inputs, first states, finished) of all beams."""
        if initial_cell_states is None:
            raise ValueError("BeamSearchDecoder(): inits must be given, the first states of the cell")
        states = _map(lambda x: self._split_batch_beams(self.tile_beam_merge_with_batch(x, self.beam_size)), initial_cell_states)
        found = []
        _map(found.append, states)
        lengths = fill_constant_batch_size_like(found[0], shape=[-1, self.beam_size], value=0, dtype="int64")
        tokens, finished = lengths + self.start_token, lengths > 0
        log_probs = creation.to_tensor([[0.0] + [IMPOSSIBLE] * (self.beam_size - 1)]) + lengths.astype("float32")
        inputs = tokens if self.embedding_fn is None else self.embedding_fn(tokens)
        return inputs, self.StateWrapper(states, log_probs, finished, lengths), finished

    def step(self, time, inputs, states, **kwargs):
        """(outputs, new states, next inputs, finished) after one more token."""
        cell_states = _map(self._merge_batch_beams, states.cell_states)
        outputs, cell_states = self.cell(self._merge_batch_beams(inputs), cell_states, **kwargs)
        outputs = _map(self._split_batch_beams, outputs)
        if self.output_fn is not None:
            outputs = self.output_fn(outputs)
        outputs, state = self._beam_search_step(time, outputs, _map(self._split_batch_beams, cell_states), states)
        inputs = outputs.predicted_ids if self.embedding_fn is None else self.embedding_fn(outputs.predicted_ids)
        return outputs, state, inputs, state.finished

    def _beam_search_step(self, time, logits, next_cell_states, beam_state):
        """(outputs, state) of the best beams, from scores [batch, beams, words] and the states of the cell after them."""
        scores, states = softmax.log_softmax(logits, -1), beam_state
        beams, words = scores.shape[1:]
        ended = states.finished.astype("float32").unsqueeze(-1)
        only_end = creation.full([words], IMPOSSIBLE).reshape([1, 1, words]) * 1.0
        only_end = only_end + creation.to_tensor([[[-IMPOSSIBLE if w == self.end_token else 0.0 for w in range(words)]]])
        total = (scores * (1 - ended) + only_end * ended + states.log_probs.unsqueeze(-1)).reshape([-1, beams * words])
        best, at = total.topk(self.beam_size)
        parents, tokens = at // words, at % words
        finished = self._pick(states.finished.astype("int64"), parents).astype("bool")
        lengths = self._pick(states.lengths, parents) + (1 - finished.astype("int64"))
        finished = (finished.astype("int64") + (tokens == self.end_token).astype("int64")) > 0
        cell_states = _map(lambda x: self._pick(x, parents), next_cell_states)
        return self.OutputWrapper(best, tokens, parents), self.StateWrapper(cell_states, best, finished, lengths)

    def finalize(self, outputs, final_states, sequence_lengths):
        """(whole sequences [time, batch, beams], final states)."""
        return extension.gather_tree(outputs.predicted_ids, outputs.parent_ids), final_states

    @property
    def tracks_own_finished(self):
        """Does the decoder keep finished beams in order by itself? (Beams move, so the loop can't.)"""
        return True


def dynamic_decode(decoder, inits=None, max_step_num=None, output_time_major=False, impute_finished=False, is_test=False,
                   return_length=False, **kwargs):
    """Run a decoder until all sequences have ended, or for ``max_step_num`` steps more.

    Args:
        inits: what the decoder's ``initialize`` takes.
        output_time_major: [time, batch, ...] instead of [batch, time, ...].
        impute_finished: keep the states of sequences that have ended (not for decoders that do so themselves).
        is_test: keep nothing for backward, which saves memory.
        return_length: also return the lengths of the sequences.

    Returns (outputs, final states[, lengths]).

    >>> decoder = paddle.nn.BeamSearchDecoder(paddle.nn.GRUCell(4, 4), 0, 1, 2, paddle.nn.Embedding(4, 4))
    >>> outputs, _, lengths = paddle.nn.dynamic_decode(decoder, paddle.zeros([1, 4]), max_step_num=2, return_length=True)
    >>> lengths.shape
    [1, 2]
    """
    with no_grad() if is_test else contextlib.nullcontext():
        outputs, states, lengths = _decode(decoder, inits, max_step_num, impute_finished, kwargs)
        if not output_time_major:
            outputs = _map(lambda x: x.transpose([1, 0, *range(2, len(x.shape))]), outputs)
    return (outputs, states, lengths) if return_length else (outputs, states)


def _decode(decoder, inits, max_step_num, impute_finished, more):
    """(outputs [time, batch, ...], final states, lengths)."""
    inputs, states, finished = decoder.initialize(inits)

    def step(time, inputs, states, finished, lengths):
        """The outputs of a step, and what the next one starts from."""
        outputs, new_states, inputs, new_finished = decoder.step(time, inputs, states, **more)
        if decoder.tracks_own_finished:
            lengths = getattr(new_states, "lengths", lengths)
        else:
            new_finished = (new_finished.astype("int64") + finished.astype("int64")) > 0
            # the step that ends a sequence belongs to it in Paddle's programs, but not in its eager loop
            ended = finished if isinstance(finished, Symbolic) else new_finished
            lengths = lengths + (1 - ended.astype("int64"))
            if impute_finished:
                new_states = _map(lambda new, old: _kept(new, old, ended), new_states, states)
        return outputs, [inputs, new_states, new_finished, lengths]
    first = [inputs, states, finished, creation.zeros_like(finished, "int64")]
    leaves = []
    _map(leaves.append, [inputs, states, finished])
    if any(isinstance(leaf, Symbolic) for leaf in leaves):
        outputs, (_, states, _, lengths) = rooms.decode_loop(step, first, max_step_num)
    else:
        outputs, (_, states, _, lengths) = _loop(step, first, max_step_num)
    if hasattr(decoder, "finalize"):
        with contextlib.suppress(NotImplementedError):  # how Paddle's base of decoders says that there is nothing to do
            outputs, states = decoder.finalize(outputs, states, lengths)
    return outputs, states, lengths


def _loop(step, values, max_step_num):
    """(the outputs of all steps stacked, the last values)."""
    steps = []
    while not bool(values[2].all()):
        outputs, values = step(wrap_int(len(steps)), *values)
        steps.append(outputs)
        if max_step_num is not None and len(steps) > max_step_num:
            break
    return _map(lambda *parts: joining.stack(list(parts), 0), *steps), values


def wrap_int(value):
    """The number of a step as decoders get it."""
    return creation.full([1], value, "int64")


def _kept(new, old, ended):
    """``old`` where a sequence has ended, else ``new``."""
    share = ended.astype(new.dtype).reshape([*ended.shape, *[1] * (len(new.shape) - len(ended.shape))])
    return old * share + new * (1 - share)


# what decoders of one's own are made of, as in the generations before
__getattr__, __dir__ = _late(__name__, _names_of({"paddle.fluid.layers": ["Decoder"]}))
