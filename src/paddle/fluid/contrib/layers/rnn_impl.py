"""fluid.contrib.layers: recurrent layers made of StaticRNN, with cells that are layers of their own."""

import copy

from ....core.context import context
from ....nn.param_attr import ParamAttr
from ... import layers
from ...dygraph import Layer
from ...layers.nn import helper_parameter

__all__ = ["BasicGRUUnit", "basic_gru", "BasicLSTMUnit", "basic_lstm"]


def _extended(attr, ending):
    """The attribute of a parameter with an ending added to its name, if it has one."""
    if attr is None or not getattr(attr, "name", None):
        return attr
    attr = copy.copy(attr)
    attr.name += ending
    return attr


class _Unit(Layer):
    """A cell whose parameters are made when it sees its first input."""

    def __init__(self, name_scope, hidden_size, param_attr=None, bias_attr=None, gate_activation=None, activation=None,
                 dtype="float32"):
        super().__init__(name_scope, dtype)
        self._owner = self._full_name
        self._size, self._kind = hidden_size, dtype
        self._attrs = param_attr, bias_attr
        self._gate_activation, self._activation = gate_activation or layers.sigmoid, activation or layers.tanh

    def _made(self, name, ending, shape, is_bias=False):
        """The parameter of a name, made now if it is not there yet."""
        if name not in self._parameters:
            attr = _extended(ParamAttr.convert(self._attrs[is_bias]), ending)
            self.add_parameter(name, helper_parameter(self._owner, attr, shape, self._kind, is_bias))
        return self._parameters[name]


class BasicGRUUnit(_Unit):
    """One step of a gated recurrent unit: (input [N, D], hidden state [N, H]) to the new state (1.x; successor:
    paddle.nn.GRUCell)."""

    def forward(self, input, pre_hidden):
        """The new hidden state."""
        size, width = self._size, input.shape[-1] + self._size
        gates = layers.matmul(layers.concat([input, pre_hidden], 1), self._made("gate_weight", "_gate", [width, 2 * size]))
        candidate_weight = self._made("candidate_weight", "_candidate", [width, size])
        gates = self._gate_activation(layers.elementwise_add(gates, self._made("gate_bias", "_gate", [2 * size], True)))
        reset, update = layers.split(gates, 2, dim=1)
        seen = reset * pre_hidden if context.rules.reset_candidates else pre_hidden
        candidate = layers.matmul(layers.concat([input, seen], 1), candidate_weight)
        candidate = self._activation(layers.elementwise_add(candidate, self._made("candidate_bias", "_candidate", [size], True)))
        return update * pre_hidden + (1 - update) * candidate


class BasicLSTMUnit(_Unit):
    """One step of an LSTM: (input [N, D], hidden state, cell) to (hidden state, cell) (1.x; successor: paddle.nn.LSTMCell).

    As in Paddle the activations are sigmoid and tanh, whatever is given.
    """

    def __init__(self, name_scope, hidden_size, param_attr=None, bias_attr=None, gate_activation=None, activation=None,
                 forget_bias=1.0,
                 dtype="float32"):
        super().__init__(name_scope, hidden_size, param_attr, bias_attr, gate_activation, activation, dtype)
        self._forget_bias = float(forget_bias)

    def forward(self, input, pre_hidden, pre_cell):
        """The new (hidden state, cell)."""
        weight = self._made("weight", "", [input.shape[-1] + self._size, 4 * self._size])
        gates = layers.elementwise_add(layers.matmul(layers.concat([input, pre_hidden], 1), weight),
                                       self._made("bias", "", [4 * self._size], True))
        take, new, keep, show = layers.split(gates, 4, dim=-1)
        cell = pre_cell * layers.sigmoid(keep + self._forget_bias) + layers.sigmoid(take) * layers.tanh(new)
        return layers.tanh(cell) * layers.sigmoid(show), cell


def _held(new, old, mask):
    """The new state where a sequence still goes on, else the old one."""
    return layers.elementwise_mul(new, mask, axis=0) - layers.elementwise_mul(old, mask - 1, axis=0)


def _one_way(x, units, mask, states, dropout):
    """(outputs [T, N, H], [the last states [layers, N, H] of each kind]) of a stack of cells.

    ``states(rnn, layer)`` gives the memories of a layer, ``dropout(x)`` what is between layers.
    """
    rnn = layers.StaticRNN()
    with rnn.step():
        step = rnn.step_input(x)
        step_mask = None if mask is None else rnn.step_input(mask)
        for k, unit in enumerate(units):
            old = states(rnn, k)
            new = unit(step, *old)
            new = list(new) if isinstance(new, (tuple, list)) else [new]
            if step_mask is not None:
                new = [_held(n, o, step_mask) for n, o in zip(new, old)]
            for o, n in zip(old, new):
                rnn.update_memory(o, n)
                rnn.step_output(n)
            step = dropout(new[0])
        rnn.step_output(step)
    *found, out = rnn()
    kinds = len(found) // len(units)
    return out, [layers.stack([found[k * kinds + kind][-1] for k in range(len(units))]) for kind in range(kinds)]


def _parts(states, layers_, directions):
    """The states of each layer and direction: made before the loop, which begins with them."""
    return [[states[layer, way] for way in range(directions)] for layer in range(layers_)]


def _recurrent(input, initial, make_unit, hidden_size, num_layers, sequence_length, dropout, bidirectional, batch_first):
    """[outputs, last states of each kind] of layers in one or two directions; ``make_unit(direction, layer)`` gives a cell."""
    x = layers.transpose(input, [1, 0, 2]) if batch_first else input
    mask = None
    if sequence_length is not None:
        steps = x.shape[0] if x.shape[0] > 0 else layers.shape(x)[0]
        mask = layers.transpose(layers.sequence_mask(sequence_length, maxlen=steps, dtype="float32"), [1, 0])
    directions = 2 if bidirectional else 1
    given = [None if s is None else _parts(layers.reshape(s, [num_layers, directions, -1, hidden_size]), num_layers, directions)
             for s in initial]
    results = []
    for way in range(directions):
        def states(rnn, layer, way=way):
            return [rnn.memory(batch_ref=x, shape=[-1, hidden_size], ref_batch_dim_idx=1) if s is None else
                    rnn.memory(init=s[layer][way]) for s in given]
        turned = [t if t is None or not way else layers.reverse(t, [0]) for t in (x, mask)]
        out, last = _one_way(turned[0], [make_unit(way, k) for k in range(num_layers)], turned[1], states, dropout)
        results.append((layers.reverse(out, [0]) if way else out, last))
    out = results[0][0] if directions == 1 else layers.concat([r[0] for r in results], axis=2)
    last = results[0][1] if directions == 1 else [
        layers.reshape(layers.concat(kinds, axis=1), [num_layers * 2, -1, hidden_size]) for kinds in zip(*(r[1] for r in results))]
    return [layers.transpose(out, [1, 0, 2]) if batch_first else out, *last]


_WAYS = (("layers", "fw"), ("reverse_layers", "bw"))


def basic_gru(input, init_hidden, hidden_size, num_layers=1, sequence_length=None, dropout_prob=0.0, bidirectional=False,
              batch_first=True,
              param_attr=None, bias_attr=None, gate_activation=None, activation=None, dtype="float32", name="basic_gru"):
    """(outputs, last hidden states [layers * directions, N, H]) of stacked gated recurrent units (1.x; successor:
    paddle.nn.GRU)."""
    def make(way, layer):
        kind, short = _WAYS[way]
        return BasicGRUUnit(f"{name}_{kind}_{layer}", hidden_size, _extended(param_attr, f"_{short}_w_{layer}"),
                            _extended(bias_attr, f"_{short}_b_{layer}"), gate_activation, activation, dtype)

    def dropout(x):
        return layers.dropout(x, dropout_prob) if dropout_prob else x
    return tuple(_recurrent(input, [init_hidden], make, hidden_size, num_layers, sequence_length, dropout, bidirectional,
                            batch_first))


def basic_lstm(input, init_hidden, init_cell, hidden_size, num_layers=1, sequence_length=None, dropout_prob=0.0,
               bidirectional=False,
               batch_first=True, param_attr=None, bias_attr=None, gate_activation=None, activation=None, forget_bias=1.0,
               dtype="float32",
               name="basic_lstm"):
    """(outputs, last hidden states, last cells [layers * directions, N, H]) of stacked LSTMs (1.x; successor:
    paddle.nn.LSTM)."""
    def make(way, layer):
        kind, short = _WAYS[way]
        return BasicLSTMUnit(f"{name}_{kind}_{layer}", hidden_size, _extended(param_attr, f"_{short}_w_{layer}"),
                             _extended(bias_attr, f"_{short}_b_{layer}"), gate_activation, activation, forget_bias, dtype)

    def dropout(x):
        return layers.dropout(x, dropout_prob, dropout_implementation="upscale_in_train") if dropout_prob else x
    return tuple(_recurrent(input, [init_hidden, init_cell], make, hidden_size, num_layers, sequence_length, dropout, bidirectional,
                            batch_first))
