"""Decoders that share one cell: step by step over known sequences for training, by beam search for inference."""

import contextlib

from ....core.errors import check_type
from ....core.op import Symbolic
from ....static.program.program import default_main_program
from ... import layers
from ...layers.blocks import in_front

__all__ = ["InitState", "StateCell", "TrainingDecoder", "BeamSearchDecoder"]


class InitState:
    """What a hidden state begins with: ``init``, or ``value`` for as many rows as ``init_boot`` has (1.x; successor: the
    initial states of paddle.nn.RNN)."""

    def __init__(self, init=None, shape=None, value=0.0, init_boot=None, need_reorder=False, dtype="float32"):
        if init is None and init_boot is None:
            raise ValueError("InitState(): init or init_boot must be given")
        self.value = init if init is not None else layers.fill_constant_batch_size_like(init_boot, shape, dtype, value)
        self.need_reorder = need_reorder


class StateCell:
    """Named inputs and hidden states, and the function that computes the states anew; ``out_state`` names the state that scores
    are computed of (1.x; successor: paddle.nn.RNNCellBase)."""

    def __init__(self, inputs, states, out_state, name=None):
        for key, state in states.items():
            if not isinstance(state, InitState):
                raise ValueError(f"StateCell(): state {key!r} must be an InitState, got {type(state).__name__}")
        if out_state not in states:
            raise ValueError(f"StateCell(): out_state must be one of {sorted(states)}, got {out_state!r}")
        self.name, self._inputs, self._first, self._out = name, dict(inputs), dict(states), out_state
        self._values, self._stores, self._decoder, self._updater = dict(states), {}, None, None

    def _enter(self, decoder):
        if self._decoder is not None:
            raise ValueError("StateCell: it is in a decoder already")
        self._decoder, self._stores = decoder, {}

    def _leave(self):
        self._decoder, self._values = None, dict(self._first)

    def _begin(self):
        """Inside a decoder, states become the variables that it carries from step to step."""
        if self._decoder is not None and not self._stores:
            for name, state in self._first.items():
                self._values[name], self._stores[name] = self._decoder._carry(state)

    def get_state(self, state_name):
        """A state by name."""
        self._begin()
        if state_name not in self._values:
            raise ValueError(f"StateCell.get_state(): there is no state {state_name!r}; there are {sorted(self._values)}")
        return self._values[state_name]

    def get_input(self, input_name):
        """An input of the step by name."""
        if self._inputs.get(input_name) is None:
            raise ValueError(f"StateCell.get_input(): there is no input {input_name!r} or it was not given yet")
        return self._inputs[input_name]

    def set_state(self, state_name, state_value):
        """Give a state its new value."""
        self._values[state_name] = state_value

    def state_updater(self, updater):
        """Decorator of the function that computes new states: it takes the cell."""
        self._updater = updater
        return updater

    def compute_state(self, inputs):
        """Compute the states of a step from its inputs."""
        self._begin()
        for name, value in inputs.items():
            if name not in self._inputs:
                raise ValueError(f"StateCell.compute_state(): there is no input {name!r}; there are {sorted(self._inputs)}")
            self._inputs[name] = value
        if self._updater is None:
            raise ValueError("StateCell.compute_state(): there is no updater; give one by state_updater")
        self._updater(self)

    def update_states(self):
        """Let the decoder carry the new states to its next step."""
        self._begin()
        for name, store in self._stores.items():
            store(self._values[name])

    def out_state(self):
        """The state that scores are computed of."""
        return self._values[self._out]


class _Decoder:
    """What both decoders share: a cell, and a block that is recorded once."""

    def __init__(self, state_cell):
        self._cell, self._state = state_cell, "before"
        state_cell._enter(self)

    @contextlib.contextmanager
    def _recorded(self, block):
        if self._state != "before":
            raise ValueError(f"{type(self).__name__}.block(): the block was recorded already")
        self._state = "inside"
        with block:
            yield
        self._state = "after"
        self._cell._leave()

    def _need(self, state, what):
        if self._state != state:
            raise ValueError(f"{type(self).__name__}: {what} can be used {state} the block only")

    @property
    def state_cell(self):
        """The cell, inside the block."""
        self._need("inside", "state_cell")
        return self._cell


class TrainingDecoder(_Decoder):
    """A cell that runs over sequences that are known (1.x; successor: paddle.nn.RNN)."""

    def __init__(self, state_cell, name=None):
        super().__init__(state_cell)
        self.dynamic_rnn = layers.DynamicRNN(name)

    def _carry(self, state):
        memory = self.dynamic_rnn.memory(init=state.value, need_reorder=state.need_reorder)
        return memory, lambda new: self.dynamic_rnn.update_memory(memory, new)

    def block(self):
        """Context manager that records a step."""
        return self._recorded(self.dynamic_rnn.block())

    def step_input(self, x):
        """The rows of sequences that belong to the step."""
        self._need("inside", "step_input")
        return self.dynamic_rnn.step_input(x)

    def static_input(self, x):
        """A value that is the same in every step."""
        self._need("inside", "static_input")
        return self.dynamic_rnn.static_input(x)

    def output(self, *outputs):
        """The results of a step."""
        self._need("inside", "output")
        self.dynamic_rnn.output(*outputs)

    def __call__(self):
        self._need("after", "the result")
        return self.dynamic_rnn()


class BeamSearchDecoder(_Decoder):
    """The best sequences that a cell finds word by word (1.x; successor: paddle.nn.BeamSearchDecoder)."""

    def __init__(self, state_cell, init_ids, init_scores, target_dict_dim, word_dim, input_var_dict=None, topk_size=50,
                 sparse_emb=True, max_len=100, beam_size=1, end_id=1, name=None):
        super().__init__(state_cell)
        self.name, self._inputs = name, dict(input_var_dict or {})
        self._counter = layers.fill_constant([1], "int64", 0)
        self._zero = layers.fill_constant([1], "int64", 0)
        self._limit = layers.fill_constant([1], "int64", max_len)
        self._going = layers.less_than(self._counter, self._limit)
        self._parent = default_main_program().current_block()
        self._init_ids, self._init_scores, self._end_id = init_ids, init_scores, end_id
        self._words, self._topk, self._beam = (target_dict_dim, word_dim, bool(sparse_emb)), topk_size, beam_size
        self._arrays, self._links, self._ids, self._scores = {}, [], None, None

    @contextlib.contextmanager
    def block(self):
        """Context manager that records a step."""
        with self._recorded(layers.While(self._going).block()):
            yield
            with layers.Switch() as switch, switch.case(self._going):
                layers.increment(self._counter, 1.0, in_place=True)
                for value, array in self._links:
                    layers.array_write(value, self._counter, array)
                layers.less_than(self._counter, self._limit, cond=self._going)

    def early_stop(self):
        """End the search after this step."""
        layers.fill_constant([1], "bool", 0, out=self._going)

    def _carry(self, state):
        value = self.read_array(state.value)
        return value, lambda new: self.update_array(value, new)

    def read_array(self, init, is_ids=False, is_scores=False):
        """What the last step stored; ``init`` in the first one. One array may hold the ids, one the scores of the result."""
        self._need("inside", "read_array")
        if is_ids and is_scores:
            raise ValueError("BeamSearchDecoder.read_array(): an array can't hold both ids and scores")
        check_type(init, Symbolic, "BeamSearchDecoder.read_array", "init")
        with in_front(self._parent):
            array = layers.array_write(init, self._zero)
        self._ids, self._scores = array if is_ids else self._ids, array if is_scores else self._scores
        value = layers.array_read(array, self._counter)
        self._arrays[value.name] = array
        return value

    def update_array(self, array, value):
        """Store what the next step reads in place of ``array``, which read_array gave."""
        self._need("inside", "update_array")
        for what, given in (("array", array), ("value", value)):
            check_type(given, Symbolic, "BeamSearchDecoder.update_array", what)
        if array.name not in self._arrays:
            raise ValueError(f"BeamSearchDecoder.update_array(): {array.name} was not read by read_array")
        self._links.append((value, self._arrays[array.name]))

    def _scored(self, ids, scores):
        """(inputs of the step, candidates, their scores): the cell's step on all beams."""
        size, width, sparse = self._words
        word = layers.embedding(ids, [size, width], is_sparse=sparse, dtype="float32")
        given = {name: layers.sequence_expand(value, scores) for name, value in self._read.items()}
        for name in self._cell._first:
            self._cell.set_state(name, layers.sequence_expand(self._cell.get_state(name), scores))
        self._cell.compute_state({name: given.get(name, word) for name in self._cell._inputs})
        out = layers.fc(layers.lod_reset(self._cell.out_state(), y=scores), size, act="softmax")
        best, places = layers.topk(out, self._topk)
        return given, places, layers.elementwise_add(layers.log(best), layers.reshape(scores, [-1]), axis=0)

    def decode(self):
        """Record the step: the most probable words behind every beam, of which the best stay."""
        unknown = sorted(set(self._inputs) - set(self._cell._inputs))
        if unknown:
            raise ValueError(f"BeamSearchDecoder.decode(): the cell has no input {unknown[0]!r}")
        with self.block():
            ids, scores = self.read_array(self._init_ids, is_ids=True), self.read_array(self._init_scores, is_scores=True)
            self._read = {name: self.read_array(value) for name, value in self._inputs.items()}
            given, places, added = self._scored(ids, scores)
            chosen, chosen_scores = layers.beam_search(ids, scores, places, added, self._beam, end_id=self._end_id, level=0)
            self._cell.update_states()
            self.update_array(ids, chosen)
            self.update_array(scores, chosen_scores)
            for name, value in given.items():
                self.update_array(self._read[name], value)
            with layers.Switch() as switch, switch.case(layers.is_empty(chosen)):
                self.early_stop()

    def __call__(self):
        """(ids, scores) of the sequences found."""
        self._need("after", "the result")
        return layers.beam_search_decode(self._ids, self._scores, self._beam, self._end_id)
