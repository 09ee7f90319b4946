"""Recurrent cells of alpha's hapi: one weight for input and state together, and stacks of such cells."""

import copy

from ....fluid import layers
from ....fluid.dygraph.layers import Layer
from ....fluid.layers.utils import convert_to_list
from ....nn.layer.rnn import RNNCellBase
from ....nn.param_attr import ParamAttr
from ....static.structure import flatten

__all__ = ["RNNCell", "BasicLSTMCell", "BasicGRUCell", "StackedRNNCell", "StackedLSTMCell", "StackedGRUCell"]


class RNNCell(Layer):
    """Base of cells: ``forward(inputs, states)`` gives (outputs, new states) (2.0 alpha; successor: paddle.nn.RNNCellBase)."""

    def get_initial_states(self, batch_ref, shape=None, dtype=None, init_value=0, batch_dim_idx=0):
        """Constant states with the batch size of ``batch_ref``; shapes are those of ``state_shape`` unless given."""
        batch_ref = flatten(batch_ref)[0]

        def make(sizes):
            if isinstance(sizes, dict):
                return {key: make(value) for key, value in sizes.items()}
            if not all(isinstance(size, int) for size in sizes):
                return [make(value) for value in sizes]
            return layers.fill_constant_batch_size_like(batch_ref, sizes if sizes[0] == -1 else [-1, *sizes], dtype or "float32",
                                                        init_value, input_dim_idx=batch_dim_idx)
        return make(self.state_shape if shape is None else shape)

    state_shape, state_dtype = RNNCellBase.state_shape, RNNCellBase.state_dtype


def _ending(attr, ending):
    """The attribute for one of several parameters: its name, if there is one, with an ending."""
    if not isinstance(attr, ParamAttr) or attr.name is None:
        return attr
    attr = copy.deepcopy(attr)
    attr.name += ending
    return attr


def each(attr, endings):
    """One attribute per ending: those of a list, or one whose name gets the endings."""
    if isinstance(attr, (list, tuple)):
        if len(attr) != len(endings):
            raise ValueError(f"param_attr, bias_attr: a list must have {len(endings)} elements, got {len(attr)}")
        return list(attr)
    return [_ending(attr, ending) for ending in endings]


def _dense(x, weight, bias):
    y = layers.matmul(x, weight)
    return y if bias is None else layers.elementwise_add(y, bias)


class BasicLSTMCell(RNNCell):
    """An LSTM cell with states [hidden, cell]; gates are in the order input, candidate, forget, output
    (2.0 alpha; successor: paddle.nn.LSTMCell).

    Args:
        input_size, hidden_size (int): sizes of inputs and states.
        param_attr, bias_attr: of the weight [input_size + hidden_size, 4 * hidden_size] and the bias.
        gate_activation, activation (callable or None): sigmoid and tanh for None.
        forget_bias (float): is added to the forget gate.
        dtype (str): of the parameters.
    """

    def __init__(self, input_size, hidden_size, param_attr=None, bias_attr=None, gate_activation=None, activation=None,
                 forget_bias=1.0, dtype="float32"):
        super().__init__(None, dtype)
        self._input_size, self._hidden_size, self._forget_bias = input_size, hidden_size, float(forget_bias)
        self._gate_activation, self._activation = gate_activation or layers.sigmoid, activation or layers.tanh
        self._weight = self.create_parameter([input_size + hidden_size, 4 * hidden_size], param_attr, dtype)
        self._bias = self.create_parameter([4 * hidden_size], bias_attr, dtype, is_bias=True)

    def forward(self, inputs, states):
        """(hidden, [hidden, cell]) after one step."""
        hidden, cell = states
        i, j, f, o = layers.split(_dense(layers.concat([inputs, hidden], 1), self._weight, self._bias), 4, dim=-1)
        gate = self._gate_activation
        cell = cell * gate(layers.scale(f, bias=self._forget_bias)) + gate(i) * self._activation(j)
        hidden = self._activation(cell) * gate(o)
        return hidden, [hidden, cell]

    state_shape = property(lambda self: [[self._hidden_size], [self._hidden_size]])


class BasicGRUCell(RNNCell):
    """A GRU cell; outputs and state are the hidden state (2.0 alpha; successor: paddle.nn.GRUCell).

    Args:
        input_size, hidden_size (int): sizes of inputs and states.
        param_attr, bias_attr: of the weights of gates and candidate, whose names get "_gate" and "_candidate", and of their biases.
        gate_activation, activation (callable or None): sigmoid and tanh for None.
        dtype (str): of the parameters.
    """

    def __init__(self, input_size, hidden_size, param_attr=None, bias_attr=None, gate_activation=None, activation=None,
                 dtype="float32"):
        super().__init__(None, dtype)
        self._input_size, self._hidden_size, rows = input_size, hidden_size, input_size + hidden_size
        self._gate_activation, self._activation = gate_activation or layers.sigmoid, activation or layers.tanh
        weights, biases = each(param_attr, ["_gate", "_candidate"]), each(bias_attr, ["_gate", "_candidate"])
        self._gate_weight = self.create_parameter([rows, 2 * hidden_size], weights[0], dtype)
        self._candidate_weight = self.create_parameter([rows, hidden_size], weights[1], dtype)
        self._gate_bias = self.create_parameter([2 * hidden_size], biases[0], dtype, is_bias=True)
        self._candidate_bias = self.create_parameter([hidden_size], biases[1], dtype, is_bias=True)

    def forward(self, inputs, states):
        """(hidden, hidden) after one step."""
        gates = _dense(layers.concat([inputs, states], 1), self._gate_weight, self._gate_bias)
        reset, update = layers.split(self._gate_activation(gates), 2, dim=1)
        candidate = _dense(layers.concat([inputs, reset * states], 1), self._candidate_weight, self._candidate_bias)
        hidden = update * states + (1 - update) * self._activation(candidate)
        return hidden, hidden

    state_shape = property(lambda self: [self._hidden_size])


class StackedRNNCell(RNNCell):
    """Cells one above the other, each with its own states (2.0 alpha; successor: paddle.nn.LSTM with num_layers)."""

    _label = "cell"

    def __init__(self, cells, dropout=None):
        super().__init__()
        self.cells = [self.add_sublayer(f"{self._label}_{k}", cell) for k, cell in enumerate(cells)]
        self.dropout = [0.0] * len(self.cells) if dropout is None else dropout

    def forward(self, inputs, states, **kwargs):
        """(outputs of the topmost cell, list of the new states)."""
        made = []
        for cell, state, rate in zip(self.cells, states, self.dropout):
            inputs, new = cell(inputs, state, **kwargs)
            if rate:
                inputs = layers.dropout(inputs, rate, dropout_implementation="upscale_in_train")
            made.append(new)
        return inputs, made

    @staticmethod
    def stack_param_attr(param_attr, n):
        """``n`` attributes: those of a list, or one whose name is numbered."""
        return each(param_attr, [f"_{k}" for k in range(n)])

    state_shape = property(lambda self: [cell.state_shape for cell in self.cells])


class StackedLSTMCell(StackedRNNCell):
    """LSTM cells one above the other (2.0 alpha; successor: paddle.nn.LSTM)."""

    _label = "lstm"

    def __init__(self, input_size, hidden_size, gate_activation=None, activation=None, forget_bias=1.0, num_layers=1, dropout=0.0,
                 param_attr=None, bias_attr=None, dtype="float32"):
        weights, biases = self.stack_param_attr(param_attr, num_layers), self.stack_param_attr(bias_attr, num_layers)
        super().__init__([BasicLSTMCell(input_size if k == 0 else hidden_size, hidden_size, weights[k], biases[k], gate_activation,
                                        activation, forget_bias, dtype) for k in range(num_layers)],
                         convert_to_list(dropout, num_layers, "dropout", float))


class StackedGRUCell(StackedRNNCell):
    """GRU cells one above the other (2.0 alpha; successor: paddle.nn.GRU)."""

    _label = "gru"

    def __init__(self, input_size, hidden_size, gate_activation=None, activation=None, num_layers=1, dropout=0.0, param_attr=None,
                 bias_attr=None, dtype="float32"):
        weights, biases = self.stack_param_attr(param_attr, num_layers), self.stack_param_attr(bias_attr, num_layers)
        super().__init__([BasicGRUCell(input_size if k == 0 else hidden_size, hidden_size, weights[k], biases[k], gate_activation,
                                       activation, dtype) for k in range(num_layers)],
                         convert_to_list(dropout, num_layers, "dropout", float))
