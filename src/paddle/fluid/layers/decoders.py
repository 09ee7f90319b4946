"""fluid.layers: decoders that read a given sequence, or their own words (1.8), for ``dynamic_decode``."""

import collections

from ...nn import BeamSearchDecoder as ModernBeamSearch
from ...nn.functional.activation import softmax as modern_softmax
from ...static.structure import flatten, pack
from ...tensor import functions as tensor

__all__ = ["Decoder", "BeamSearchDecoder", "BasicDecoder", "DecodeHelper", "TrainingHelper", "GreedyEmbeddingHelper",
           "SampleEmbeddingHelper"]


class Decoder:
    """Base of decoders: ``initialize(inits)`` gives (inputs, states, finished), ``step`` (outputs, states, inputs, finished)
    (1.x; successor: paddle.nn.BeamSearchDecoder)."""

    tracks_own_finished = False

    def initialize(self, inits):
        """What decoding starts from."""
        raise NotImplementedError(f"{type(self).__name__}.initialize(): a decoder must define it")

    def step(self, time, inputs, states, **kwargs):
        """One step."""
        raise NotImplementedError(f"{type(self).__name__}.step(): a decoder must define it")


class BeamSearchDecoder(ModernBeamSearch):
    """Beam search with a recurrent cell (1.x; successor: paddle.nn.BeamSearchDecoder)."""

class DecodeHelper:
    """Base of helpers: they choose words and inputs for a BasicDecoder (1.x; successor: none)."""

    def initialize(self):
        """(first inputs, finished)."""
        raise NotImplementedError(f"{type(self).__name__}.initialize(): a helper must define it")

    def sample(self, time, outputs, states):
        """The words that the outputs say."""
        return tensor.argmax(outputs, -1)

    def next_inputs(self, time, outputs, states, sample_ids):
        """(finished, inputs, states) of the next step."""
        raise NotImplementedError(f"{type(self).__name__}.next_inputs(): a helper must define it")


class TrainingHelper(DecodeHelper):
    """Reads given sequences [N, T, ...], or [T, N, ...] if ``time_major`` (1.x; successor: paddle.nn.RNN)."""

    def __init__(self, inputs, sequence_length, time_major=False):
        self.inputs, self.sequence_length, self.time_major = inputs, sequence_length, time_major

    def _at(self, time):
        def take(x):
            axis = 0 if self.time_major else 1
            # past the end there is nothing: the last step stands in
            last = tensor.cast(tensor.shape(x)[axis:axis + 1], "int64") - 1
            return tensor.index_select(x, tensor.minimum(time, last), axis).squeeze(axis)
        return pack(self.inputs, [take(x) for x in flatten(self.inputs)])

    def initialize(self):
        return self._at(tensor.zeros([1], "int64")), self.sequence_length <= 0

    def next_inputs(self, time, outputs, states, sample_ids):
        return self.sequence_length <= tensor.cast(time + 1, self.sequence_length.dtype), self._at(time + 1), states


class GreedyEmbeddingHelper(DecodeHelper):
    """Reads the likeliest word of the step before, from ``start_tokens`` [N] up to ``end_token`` (1.x; successor:
    paddle.nn.BeamSearchDecoder)."""

    def __init__(self, embedding_fn, start_tokens, end_token):
        self.embedding_fn, self.start_tokens, self.end_token = embedding_fn, start_tokens, end_token

    def initialize(self):
        return self.embedding_fn(self.start_tokens), self.start_tokens != self.start_tokens

    def next_inputs(self, time, outputs, states, sample_ids):
        return sample_ids == self.end_token, self.embedding_fn(sample_ids), states


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """Reads words drawn by their probabilities, sharper for a low ``softmax_temperature`` (1.x; successor: paddle.multinomial)."""

    def __init__(self, embedding_fn, start_tokens, end_token, softmax_temperature=None, seed=None):
        super().__init__(embedding_fn, start_tokens, end_token)
        if seed:
            raise NotImplementedError("SampleEmbeddingHelper(): seed is not supported; use paddle.seed")
        self.temperature = softmax_temperature

    def sample(self, time, outputs, states):
        scores = outputs if self.temperature is None else outputs / float(self.temperature)
        return tensor.multinomial(modern_softmax(scores), 1).flatten()


class BasicDecoder(Decoder):
    """A cell with a helper that gives it its inputs; outputs are ``cell_outputs`` and ``sample_ids`` (1.x; successor:
    paddle.nn.BeamSearchDecoder)."""

    OutputWrapper = collections.namedtuple("OutputWrapper", ("cell_outputs", "sample_ids"))

    def __init__(self, cell, helper, output_fn=None):
        self.cell, self.helper, self.output_fn = cell, helper, output_fn

    def initialize(self, initial_cell_states):
        inputs, finished = self.helper.initialize()
        return inputs, initial_cell_states, finished

    def step(self, time, inputs, states, **kwargs):
        outputs, states = self.cell(inputs, states, **kwargs)
        outputs = outputs if self.output_fn is None else self.output_fn(outputs)
        words = self.helper.sample(time, outputs, states)
        finished, inputs, states = self.helper.next_inputs(time, outputs, states, words)
        return self.OutputWrapper(outputs, words), states, inputs, finished
