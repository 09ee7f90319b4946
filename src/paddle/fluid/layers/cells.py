"""fluid.layers: recurrent cells of 1.7 and the loop that runs one over padded sequences."""

from ...core import dtype as dtypes
from ...core.op import Symbolic
from ...nn import functional as F
from ...nn.layer.rnn import RNNCellBase
from ...nn.layer.rnn import rnn as run_cell
from ...static.structure import flatten, pack
from ...tensor import functions as tensor
from ..state import fluid_call
from .blocks import StaticRNN
from .common import need_variables

__all__ = ["RNNCell", "GRUCell", "LSTMCell", "rnn", "birnn"]


class RNNCell:
    """Base of cells: ``call(inputs, states)`` gives (outputs, new states) (1.x; successor: paddle.nn.RNNCellBase)."""

    def call(self, inputs, states, **kwargs):
        """One step."""
        raise NotImplementedError(f"{type(self).__name__}.call(): a cell must define it")

    def __call__(self, inputs, states, **kwargs):
        return self.call(inputs, states, **kwargs)

    @property
    def state_shape(self):
        """Shapes of the states without the batch."""
        raise NotImplementedError(f"{type(self).__name__}.state_shape: a cell must define it for get_initial_states")

    @fluid_call
    def get_initial_states(self, batch_ref, shape=None, dtype="float32", init_value=0, batch_dim_idx=0):
        """Constant states with the batch size of ``batch_ref``."""
        return RNNCellBase.get_initial_states(self, flatten(batch_ref)[0], shape, dtype, init_value, batch_dim_idx)


class _JoinedCell(RNNCell):
    """A cell whose parameters are made when the size of its input is known, by the unit of fluid.contrib that does its work."""

    def __init__(self, kind, name, hidden_size, param_attr, bias_attr, gate_activation, activation, dtype, **more):
        if dtypes.convert(dtype, type(self).__name__).name not in ("float32", "float64"):
            raise TypeError(f"{type(self).__name__}(): dtype must be float32 or float64, got {dtype}")
        self.hidden_size, self._kind, self._name, self._cell = hidden_size, kind, name, None
        self._given = {"param_attr": param_attr, "bias_attr": bias_attr, "gate_activation": gate_activation,
                       "activation": activation, "dtype": dtype, **more}

    def _step(self, inputs, *states):
        for what, value in (("inputs", inputs), *(("states", state) for state in states)):
            need_variables(type(self).__name__, **{what: value})
            if not value.dtype.is_floating:
                raise TypeError(f"{type(self).__name__}(): {what} must be of a floating type, got {value.dtype.name}")
        if self._cell is None:
            from ..contrib.layers import rnn_impl  # its units are made of the functions of this package
            self._cell = getattr(rnn_impl, self._kind)(self._name, self.hidden_size, **self._given)
        return self._cell(inputs, *states)


class GRUCell(_JoinedCell):
    """A GRU cell; outputs and state are the hidden state (1.x; successor: paddle.nn.GRUCell)."""

    def __init__(self, hidden_size, param_attr=None, bias_attr=None, gate_activation=None, activation=None, dtype="float32",
                 name="GRUCell"):
        super().__init__("BasicGRUUnit", name, hidden_size, param_attr, bias_attr, gate_activation, activation, dtype)

    @fluid_call
    def call(self, inputs, states):
        """(hidden, hidden) after one step."""
        hidden = self._step(inputs, states)
        return hidden, hidden

    state_shape = property(lambda self: [self.hidden_size])


class LSTMCell(_JoinedCell):
    """An LSTM cell with states [hidden, cell] (1.x; successor: paddle.nn.LSTMCell)."""

    def __init__(self, hidden_size, param_attr=None, bias_attr=None, gate_activation=None, activation=None, forget_bias=1.0,
                 dtype="float32", name="LSTMCell"):
        super().__init__("BasicLSTMUnit", name, hidden_size, param_attr, bias_attr, gate_activation, activation, dtype,
                         forget_bias=forget_bias)

    @fluid_call
    def call(self, inputs, states):
        """(hidden, [hidden, cell]) after one step."""
        hidden, cell = self._step(inputs, *states)
        return hidden, [hidden, cell]

    state_shape = property(lambda self: [[self.hidden_size], [self.hidden_size]])


@fluid_call
def rnn(cell, inputs, initial_states=None, sequence_length=None, time_major=False, is_reverse=False, **kwargs):
    """(outputs, final states) of a cell run over padded sequences [N, T, ...]; steps past a length keep the state
    (1.x; successor: paddle.nn.RNN)."""
    x = flatten(inputs)[0]
    if not isinstance(x, Symbolic):
        return run_cell(cell, inputs, initial_states, sequence_length, time_major, is_reverse, **kwargs)
    if initial_states is None:
        initial_states = cell.get_initial_states(inputs, batch_dim_idx=1 if time_major else 0)
    inputs = inputs if time_major else inputs.transpose([1, 0, *range(2, len(inputs.shape))])
    live = None
    if sequence_length is not None:
        live = F.sequence_mask(sequence_length, tensor.shape(inputs)[0], inputs.dtype).transpose([1, 0]).unsqueeze(-1)
    outputs, finals = _unknown_steps(cell, inputs, initial_states, live, is_reverse, kwargs)
    return outputs if time_major else outputs.transpose([1, 0, *range(2, len(outputs.shape))]), finals


def _unknown_steps(cell, inputs, initial_states, live, is_reverse, kwargs):
    """What ``rnn`` does along the first axis, whose size only the running program knows."""
    def turned(x):
        return tensor.flip(x, [0]) if is_reverse else x
    inputs, live, loop = turned(inputs), None if live is None else turned(live), StaticRNN()
    with loop.step():
        step = loop.step_input(inputs)
        memories = [loop.memory(init=state) for state in flatten(initial_states)]
        out, new = cell(step, pack(initial_states, memories), **kwargs)
        new = flatten(new)
        if live is not None:
            here = loop.step_input(live)
            new = [a * here + b * (1 - here) for a, b in zip(new, memories)]
        for memory, value in zip(memories, new):
            loop.update_memory(memory, value)
        loop.output(out, *new)
    outputs, *states = loop()
    return turned(outputs), pack(initial_states, [state[-1] for state in states])


@fluid_call
def birnn(cell_fw, cell_bw, inputs, initial_states=None, sequence_length=None, time_major=False, **kwargs):
    """(outputs of both directions joined, (states forward, states backward)) (1.x; successor: paddle.nn.BiRNN)."""
    forward, backward = (None, None) if initial_states is None else initial_states
    a, last = rnn(cell_fw, inputs, forward, sequence_length, time_major, **kwargs)
    b, first = rnn(cell_bw, inputs, backward, sequence_length, time_major, is_reverse=True, **kwargs)
    return tensor.concat([a, b], -1), (last, first)
