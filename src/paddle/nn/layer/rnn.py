"""Recurrent layers: cells, wrappers that run a cell over time, and SimpleRNN, LSTM, GRU on whole sequences."""

import functools
import math

import numpy as np

from ...core.context import context
from ...core.docstrings import documented_like
from ...core.errors import check_choice, check_type
from ...core.op import Symbolic
from ...core.rooms import rooms
from ...core.tensor import wrap
from ...ops.manipulation.creation import fill_constant_batch_size_like
from ...ops.nn import rnn as rnn_ops
from ...tensor.functions import concat, flip, full, gather, shape, stack, transpose, unstack
from .. import functional as F
from ..functional.dropout import dropout as modern_dropout
from ..initializer import Constant, Uniform
from ..param_attr import ParamAttr
from .container import LayerList
from .layers import Layer, named_after

__all__ = ["RNNCellBase", "SimpleRNNCell", "LSTMCell", "GRUCell", "RNN", "BiRNN", "SimpleRNN", "LSTM", "GRU"]


def _map(function, *structures):
    """Apply a function to matching leaves of nested lists and tuples."""
    first = structures[0]
    if isinstance(first, (list, tuple)):
        return type(first)(_map(function, *parts) for parts in zip(*structures))
    return function(*structures)


def _projection(size, hidden_size, function):
    """The size that outputs of an LSTM are projected to; None for none, which 3.x writes as 0."""
    if size and not 0 < size < hidden_size:
        raise ValueError(f"{function}(): proj_size must be between 0 and hidden_size {hidden_size}, got {size}")
    return size or None


class RNNCellBase(Layer):
    """Base of cells: ``forward(inputs, states)`` returns (outputs, new states); ``state_shape`` says what states look like."""

    def get_initial_states(self, batch_ref, shape=None, dtype=None, init_value=0.0, batch_dim_idx=0):
        """States filled with ``init_value`` for the batch size of ``batch_ref``, a tensor or several in tuples, lists or dicts."""
        while isinstance(batch_ref, (list, tuple, dict)):
            batch_ref = next(iter(batch_ref.values() if isinstance(batch_ref, dict) else batch_ref))
        shape = self.state_shape if shape is None else shape
        kind = dtype or batch_ref.dtype
        batch = batch_ref.shape[batch_dim_idx]

        def make(sizes):
            if batch < 0:  # known only when the program runs
                return fill_constant_batch_size_like(batch_ref, shape=[-1, *sizes], input_dim_idx=batch_dim_idx, output_dim_idx=0,
                                                     dtype=kind, value=init_value)
            return full([batch, *sizes], init_value, kind)

        def walk(value):
            if isinstance(value, (list, tuple)) and value and isinstance(value[0], (list, tuple)):
                return type(value)(walk(v) for v in value)
            return make(list(value) if isinstance(value, (list, tuple)) else [value])
        return walk(shape)

    @property
    def state_shape(self):
        """Shape of the states without the batch: sizes, or nested lists of them."""
        raise NotImplementedError(f"{type(self).__name__} must define state_shape, or its states must be given")

    @property
    def state_dtype(self):
        """Type of the states, where it is not that of the inputs."""
        raise NotImplementedError(f"{type(self).__name__} does not define state_dtype")

    def _parameters_of_gates(self, input_size, hidden_size, gates, weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr,
                             projected=None):
        if hidden_size <= 0:
            raise ValueError(f"{type(self).__name__}(): hidden_size must be positive, got {hidden_size}")
        init = Uniform(-1.0 / math.sqrt(hidden_size), 1.0 / math.sqrt(hidden_size))
        rows = gates * hidden_size
        self.input_size, self.hidden_size = input_size, hidden_size

        def make(shape, attr, is_bias=False):
            if attr is False:  # Paddle's cells then keep a constant that is saved but not trained
                attr = ParamAttr(initializer=Constant(0.0 if is_bias else 1.0), trainable=False)
            return self.create_parameter(shape, attr, is_bias=is_bias, default_initializer=init)
        self.weight_ih = make([rows, input_size], weight_ih_attr)
        self.weight_hh = make([rows, projected or hidden_size], weight_hh_attr)
        self.bias_ih = make([rows], bias_ih_attr, True)
        self.bias_hh = make([rows], bias_hh_attr, True)

    def _project(self, x, weight, bias):
        y = x.matmul(weight, transpose_y=True)
        return y if bias is None else y + bias

    def extra_repr(self):
        sizes = [getattr(self, name, None) for name in ("input_size", "hidden_size")]
        return ", ".join(str(size) for size in sizes if size is not None)  # a cell of a user's own may have neither


class SimpleRNNCell(RNNCellBase):
    """h = act(W_ih x + b_ih + W_hh h + b_hh).

    Args:
        input_size (int): features of the input.
        hidden_size (int): features of the state.
        activation (str): 'tanh' or 'relu'.
        weight_ih_attr (ParamAttr, None): of the weights of the input.
        weight_hh_attr (ParamAttr, None): of the weights of the state.
        bias_ih_attr (ParamAttr, None or False): of the bias of the input.
        bias_hh_attr (ParamAttr, None or False): of the bias of the state.
    Shape:
        ``cell(x, h)``: [N, I] and [N, H] give (output [N, H], h [N, H]).
    Raises:
        ValueError: the last axis of x is not ``input_size``, or a size is not positive.

    >>> y, h = paddle.nn.SimpleRNNCell(3, 4)(paddle.rand([2, 3]))
    >>> y.shape
    [2, 4]
    """

    def __init__(self, input_size, hidden_size, activation="tanh", weight_ih_attr=None, weight_hh_attr=None, bias_ih_attr=None,
                 bias_hh_attr=None, name=None):
        super().__init__()
        check_choice(activation, ("tanh", "relu"), "SimpleRNNCell", "activation")
        self._parameters_of_gates(input_size, hidden_size, 1, weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr)
        self.activation = activation

    def forward(self, inputs, states=None):
        h = self.get_initial_states(inputs) if states is None else states
        h = getattr(F, self.activation)(self._project(inputs, self.weight_ih, self.bias_ih)
                                        + self._project(h, self.weight_hh, self.bias_hh))
        return h, h

    @property
    def state_shape(self):
        return (self.hidden_size,)

    def extra_repr(self):
        return super().extra_repr() + (f", activation={self.activation}" if self.activation != "tanh" else "")


@documented_like(SimpleRNNCell)
class LSTMCell(RNNCellBase):
    """One step of an LSTM, gates in the order input, forget, cell, output; ``proj_size`` projects the output.

    Args:
        proj_size (int or None): size that outputs are projected to.
    Shape:
        ``cell(x, (h, c))``: [N, I] and two of [N, H] give (output [N, H], (h, c)).

    >>> y, (h, c) = paddle.nn.LSTMCell(3, 4)(paddle.rand([2, 3]))
    >>> y.shape
    [2, 4]
    """

    def __init__(self, input_size, hidden_size, weight_ih_attr=None, weight_hh_attr=None, bias_ih_attr=None, bias_hh_attr=None,
                 proj_size=None, name=None):
        super().__init__()
        proj_size = _projection(proj_size, hidden_size, "LSTMCell")
        self._parameters_of_gates(input_size, hidden_size, 4, weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr,
                                  proj_size)
        self.proj_size = proj_size
        if proj_size:
            init = Uniform(-1.0 / math.sqrt(hidden_size), 1.0 / math.sqrt(hidden_size))
            self.weight_ho = self.create_parameter([hidden_size, proj_size], weight_hh_attr, default_initializer=init)

    def forward(self, inputs, states=None):
        h, c = self.get_initial_states(inputs) if states is None else states
        gates = self._project(inputs, self.weight_ih, self.bias_ih) + self._project(h, self.weight_hh, self.bias_hh)
        i, f, g, o = gates.split(4, -1)
        c = F.sigmoid(f) * c + F.sigmoid(i) * F.tanh(g)
        h = F.sigmoid(o) * F.tanh(c)
        if self.proj_size:
            h = h.matmul(self.weight_ho)
        return h, (h, c)

    @property
    def state_shape(self):
        return ((self.proj_size or self.hidden_size,), (self.hidden_size,))


@documented_like(SimpleRNNCell)
class GRUCell(RNNCellBase):
    """One step of a GRU, gates in the order reset, update, candidate.

    Shape:
        ``cell(x, h)``: [N, I] and [N, H] give (output [N, H], h [N, H]).

    >>> y, h = paddle.nn.GRUCell(3, 4)(paddle.rand([2, 3]))
    >>> y.shape
    [2, 4]
    """

    def __init__(self, input_size, hidden_size, weight_ih_attr=None, weight_hh_attr=None, bias_ih_attr=None, bias_hh_attr=None,
                 name=None):
        super().__init__()
        self._parameters_of_gates(input_size, hidden_size, 3, weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr)

    def forward(self, inputs, states=None):
        h = self.get_initial_states(inputs) if states is None else states
        xr, xz, xc = self._project(inputs, self.weight_ih, self.bias_ih).split(3, -1)
        hr, hz, hc = self._project(h, self.weight_hh, self.bias_hh).split(3, -1)
        r, z = F.sigmoid(xr + hr), F.sigmoid(xz + hz)
        c = F.tanh(xc + r * hc)
        h = (h - c) * z + c
        return h, h

    @property
    def state_shape(self):
        return (self.hidden_size,)


class RNN(Layer):
    """Runs a cell over the time steps of a sequence.

    Args:
        cell (RNNCellBase): what is done at each step.
        is_reverse (bool): go from the last step to the first.
        time_major (bool): inputs are [T, N, ...] instead of [N, T, ...].
    Shape:
        ``layer(x, states, sequence_length)``: [N, T, I] gives (outputs [N, T, H], last states as the cell has them).
    Raises:
        TypeError: ``cell`` is not a Layer.
        ValueError: the inputs do not fit the cell.

    >>> y, h = paddle.nn.RNN(paddle.nn.GRUCell(3, 4))(paddle.rand([2, 5, 3]))
    >>> y.shape
    [2, 5, 4]
    """

    def __init__(self, cell, is_reverse=False, time_major=False):
        super().__init__()
        check_type(cell, Layer, "RNN", "cell")
        self.cell, self.is_reverse, self.time_major = cell, is_reverse, time_major

    def forward(self, inputs, initial_states=None, sequence_length=None, **kwargs):
        return rnn(self.cell, inputs, initial_states, sequence_length, self.time_major, self.is_reverse, **kwargs)


def rnn(cell, inputs, initial_states=None, sequence_length=None, time_major=False, is_reverse=False, **kwargs):
    """(outputs, final states) of a cell stepped over time; a step past a row's length keeps its state, and gives what the cell
    makes of it, as in Paddle (LSTM, GRU and SimpleRNN give 0 there)."""
    time = 0 if time_major else 1
    steps = inputs.shape[time]
    states = cell.get_initial_states(inputs, batch_dim_idx=1 - time) if initial_states is None else initial_states

    def step(x, t, states):
        out, new = cell(x, states, **kwargs)
        if sequence_length is not None:
            live = sequence_length > t

            def kept(fresh, old):
                keep = live.reshape([-1] + [1] * (len(fresh.shape) - 1)).astype(fresh.dtype)
                return fresh * keep + old * (1 - keep)
            new = _map(kept, new, states)
        return out, new
    if steps < 0:
        return _unknown_steps(step, inputs, states, time, is_reverse)
    outs = [None] * steps
    rows = unstack(inputs, time, steps) if isinstance(inputs, Symbolic) and steps else None  # refuses to be fed another number
    for t in (range(steps - 1, -1, -1) if is_reverse else range(steps)):
        outs[t], states = step(rows[t] if rows else inputs[t] if time_major else inputs[:, t], t, states)
    if isinstance(outs[0], (list, tuple)):
        return type(outs[0])(stack(list(parts), time) for parts in zip(*outs)), states
    return stack(outs, time), states


def _unknown_steps(step, inputs, states, time, is_reverse):
    """A loop of the program over as many steps as the input then has."""
    count = shape(inputs)[time].astype("int64").reshape([1])

    def at(i, states):
        t = count - 1 - i if is_reverse else i
        out, new = step(gather(inputs, t, time).squeeze(time), t, states)
        return out, [new]
    outs, (states,) = rooms.steps_loop(at, [states], count)

    def in_order(out):
        out = flip(out, 0) if is_reverse else out
        return out if time == 0 else transpose(out, [1, 0, *range(2, len(out.shape))])
    return _map(in_order, outs), states


class BiRNN(Layer):
    """Runs one cell forward and one backward and joins their outputs.

    Args:
        cell_fw (Layer): the cell that reads forward.
        cell_bw (Layer): the cell that reads backward.
        time_major (bool): inputs are [T, N, I] instead of [N, T, I].

    >>> y, _ = paddle.nn.BiRNN(paddle.nn.GRUCell(3, 4), paddle.nn.GRUCell(3, 4))(paddle.rand([2, 5, 3]))
    >>> y.shape
    [2, 5, 8]
    """

    def __init__(self, cell_fw, cell_bw, time_major=False):
        super().__init__()
        check_type(cell_fw, Layer, "BiRNN", "cell_fw")
        check_type(cell_bw, Layer, "BiRNN", "cell_bw")
        if cell_fw.input_size != cell_bw.input_size:
            raise ValueError(f"BiRNN(): both cells must take one input size, got {cell_fw.input_size} and {cell_bw.input_size}")
        self.cell_fw, self.cell_bw, self.time_major = cell_fw, cell_bw, time_major

    def forward(self, inputs, initial_states=None, sequence_length=None, **kwargs):
        return birnn(self.cell_fw, self.cell_bw, inputs, initial_states, sequence_length, self.time_major, **kwargs)


def birnn(cell_fw, cell_bw, inputs, initial_states=None, sequence_length=None, time_major=False, **kwargs):
    """(joined outputs, both final states) of one cell stepped forward and one stepped backward over time."""
    first, second = (None, None) if initial_states is None else initial_states
    a, fw = rnn(cell_fw, inputs, first, sequence_length, time_major, False, **kwargs)
    b, bw = rnn(cell_bw, inputs, second, sequence_length, time_major, True, **kwargs)
    return concat([a, b], -1), (fw, bw)


def _beta_order(*first):
    """Decorator of a constructor: behind num_layers come these arguments, then those of the parameters, in programs of 2.0 beta."""
    order = (*first, "weight_ih_attr", "weight_hh_attr", "bias_ih_attr", "bias_hh_attr", "name")

    def declare(init):
        @functools.wraps(init)
        def run(self, *args, **kwargs):
            if context.rules.dropout_first and len(args) > 3:
                if len(args) > 3 + len(order):
                    raise TypeError(f"{type(self).__name__}(): at most {3 + len(order)} arguments in 2.0 beta, got {len(args)}")
                init(self, *args[:3], **dict(zip(order, args[3:])), **kwargs)
            else:
                init(self, *args, **kwargs)
        return run
    return declare


class RNNBase(LayerList):
    """SimpleRNN, LSTM, GRU: a list of RNN or BiRNN layers, run as one op."""

    mode, kinds, cell = None, 1, None

    def __init__(self, input_size, hidden_size, num_layers=1, direction="forward", time_major=False, dropout=0.0,
                 weight_ih_attr=None, weight_hh_attr=None, bias_ih_attr=None, bias_hh_attr=None, proj_size=None):
        super().__init__()
        who = type(self).__name__
        check_choice(direction, ("forward", "bidirect", "bidirectional"), who, "direction")
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.num_directions = 1 if direction == "forward" else 2
        self.time_major, self.dropout, self.proj_size = time_major, float(dropout), proj_size
        self._direction = direction
        proj_size = _projection(proj_size, hidden_size, who)
        out, settings = proj_size or hidden_size, self._cell_settings()
        attrs = {"weight_ih": weight_ih_attr, "weight_hh": weight_hh_attr, "bias_ih": bias_ih_attr, "bias_hh": bias_hh_attr}
        if proj_size is not None:
            settings, attrs["weight_ho"] = {**settings, "proj_size": proj_size}, weight_hh_attr
        settings.update({f"{name}_attr": attr for name, attr in attrs.items() if name != "weight_ho"})
        for layer in range(num_layers):
            columns = input_size if layer == 0 else out * self.num_directions
            cells = [self.cell(columns, hidden_size, **settings) for _ in range(self.num_directions)]
            self.append(RNN(*cells, time_major=time_major) if len(cells) == 1 else BiRNN(*cells, time_major=time_major))
        # Paddle's files name a cell's parameters twice: under the cell, and under the stack as weight_ih_l0, ...
        self._exposed = [name for name, attr in attrs.items() if attr is not False]
        self._suffixes = [f"_l{layer}{end}" for layer in range(num_layers) for end in ("", "_reverse")[:self.num_directions]]
        for cell, suffix in zip(self._cells(), self._suffixes):
            for name in self._exposed:
                self.add_parameter(name + suffix, cell._parameters[name])

    def flatten_parameters(self):
        """Do nothing: Paddle moves weights together for GPUs here, the kernels of CPUs take them as they lie."""

    def _cell_settings(self):
        return {}

    def _cells(self):
        """The cells of all layers, forward before backward."""
        return [cell for layer in self for cell in layer.children()]

    def _weights(self):
        names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        return [tuple(getattr(self, name + suffix) if name in self._exposed else getattr(cell, name) for name in names)
                for cell, suffix in zip(self._cells(), self._suffixes)]

    def _initial(self, inputs):
        batch = inputs.shape[1 if self.time_major else 0]
        shape = [self.num_layers * self.num_directions, batch]
        sizes = [self.proj_size or self.hidden_size, self.hidden_size][:self.kinds]
        if isinstance(inputs, Symbolic):  # the batch size is known only when the program runs
            where = 1 if self.time_major else 0
            return [fill_constant_batch_size_like(inputs, shape=[*shape[:1], -1, size], input_dim_idx=where, output_dim_idx=1,
                                                  dtype=inputs.dtype, value=0.0) for size in sizes]
        kind = inputs._data.dtype
        return [wrap(np.zeros([*shape, size], kind)) for size in sizes]

    def _check(self, inputs, states):
        """Refuse what has another number of axes than inputs and states have, before the kernels meet it."""
        who = type(self).__name__
        if len(inputs.shape) != 3:
            raise ValueError(f"{who}(): inputs must have 3 dimensions, {'[time, batch' if self.time_major else '[batch, time'}, "
                             f"{self.input_size}], got shape {list(inputs.shape)}")
        if states is None:
            return
        if len(states) != self.kinds:
            raise ValueError(f"{who}(): initial_states must be {('a Tensor', 'a pair (h, c) of Tensors')[self.kinds - 1]}, got "
                             f"{len(states)} Tensors")
        for state in states:
            if len(state.shape) != 3:
                raise ValueError(f"{who}(): initial_states must have the shape [{self.num_layers * self.num_directions}, batch, "
                                 f"{self.hidden_size}] (layers and directions, batch, size), got {list(state.shape)}")

    def forward(self, inputs, initial_states=None, sequence_length=None):
        if initial_states is None:
            self._check(inputs, None)
            states = self._initial(inputs)
        else:
            states = list(initial_states) if isinstance(initial_states, (list, tuple)) else [initial_states]
            self._check(inputs, states)
        if isinstance(inputs, Symbolic):
            y, finals = self._static(inputs, states, sequence_length)
        elif self.proj_size:
            y, finals = self._by_cells(inputs, states, sequence_length)
        else:
            x = inputs.transpose([1, 0, 2]) if self.time_major else inputs
            between = rnn_ops.SharedDropout(self.dropout) if self.dropout and self.training else None
            y, finals = rnn_ops.run_stack(self.mode, x, states, self._weights(), self.num_layers, self.num_directions,
                                      sequence_length, between)
            y = y.transpose([1, 0, 2]) if self.time_major else y
        return y, tuple(finals) if self.kinds == 2 else finals[0]

    def _static(self, inputs, states, sequence_length):
        """The one ``rnn`` op that files have, time-major."""
        x = inputs if self.time_major else inputs.transpose([1, 0, 2])
        weights = self._weights()
        flat = [w for row in weights for w in row[:2]] + [b for row in weights for b in row[2:] if b is not None]
        with named_after(self, x):
            y, *finals = rnn_ops.rnn(x, states, flat, sequence_length, self.dropout, self.num_directions == 2, self.input_size,
                                 self.hidden_size, self.num_layers, self.mode, 0, not self.training)
        return y if self.time_major else y.transpose([1, 0, 2]), finals

    def _by_cells(self, inputs, states, sequence_length):
        """Layer by layer with cells: for projections, which the sequence kernels do not have."""
        finals, cells = [[] for _ in states], self._cells()
        x = inputs
        for layer in range(self.num_layers):
            outs = []
            for d in range(self.num_directions):
                k = layer * self.num_directions + d
                y, final = rnn(cells[k], x, tuple(s[k] for s in states), sequence_length, self.time_major, d == 1)
                outs.append(y)
                for kept, f in zip(finals, final):
                    kept.append(f)
            x = outs[0] if len(outs) == 1 else concat(outs, -1)
            if self.dropout and layer < self.num_layers - 1:
                x = modern_dropout(x, self.dropout, training=self.training)
        return x, [stack(kept, 0) for kept in finals]

    def extra_repr(self):
        text = f"{self.input_size}, {self.hidden_size}"
        if self.num_layers != 1:
            text += f", num_layers={self.num_layers}"
        if self.time_major:
            text += f", time_major={self.time_major}"
        if self.dropout:
            text += f", dropout={self.dropout}"
        return text


@documented_like(SimpleRNNCell)
class SimpleRNN(RNNBase):
    """A stack of simple recurrent layers with tanh or ReLU; returns (outputs [N, T, H * directions], last states).

    Args:
        num_layers (int): depth.
        direction (str): 'forward' or 'bidirect'.
        time_major (bool): inputs are [T, N, I] instead of [N, T, I].
        dropout (float): probability between layers.

    >>> y, h = paddle.nn.SimpleRNN(3, 4, num_layers=2)(paddle.rand([2, 5, 3]))
    >>> y.shape, h.shape
    ([2, 5, 4], [2, 2, 4])
    """

    mode, cell = "RNN_TANH", SimpleRNNCell

    @_beta_order("activation", "direction", "dropout", "time_major")
    def __init__(self, input_size, hidden_size, num_layers=1, direction="forward", time_major=False, dropout=0.0,
                 activation="tanh", weight_ih_attr=None, weight_hh_attr=None, bias_ih_attr=None, bias_hh_attr=None, name=None):
        check_choice(activation, ("tanh", "relu"), "SimpleRNN", "activation")
        self.__dict__.update(mode="RNN_TANH" if activation == "tanh" else "RNN_RELU", activation=activation)
        super().__init__(input_size, hidden_size, num_layers, direction, time_major, dropout, weight_ih_attr, weight_hh_attr,
                         bias_ih_attr, bias_hh_attr)

    def _cell_settings(self):
        return {"activation": self.activation}


class LSTM(RNNBase):
    """A stack of LSTM layers: i, f, g, o = x @ W_ih.T + b_ih + h @ W_hh.T + b_hh; c = sigmoid(f) * c + sigmoid(i) * tanh(g); h =
    sigmoid(o) * tanh(c).

    Args:
        input_size, hidden_size (int): features of the input and of the state.
        num_layers (int): depth; each layer reads what the one before gives.
        direction (str): 'forward', or 'bidirect' ('bidirectional') for a second pass from the end.
        time_major (bool): inputs are [T, N, I] instead of [N, T, I].
        dropout (float): probability between layers, in training.
        proj_size (int or None): size that outputs are projected to.
        weight_ih_attr, weight_hh_attr (ParamAttr or None): of the weights of inputs and states.
        bias_ih_attr, bias_hh_attr (ParamAttr, None or False): of the biases; False leaves them out.
    Returns:
        ``layer(x, (h, c), sequence_length)`` gives (outputs [N, T, H * directions], (h, c)), the last states [layers * directions,
        N, H]. States
        are zeros if not given; steps beyond ``sequence_length`` [N] give zeros and do not change the state.
    Raises:
        ValueError: x has not 3 axes, its last one is not ``input_size``, initial states have other shapes, or ``direction``
            is unknown.

    >>> y, (h, c) = paddle.nn.LSTM(3, 4, num_layers=2, direction='bidirect')(paddle.rand([2, 5, 3]))
    >>> y.shape, h.shape
    ([2, 5, 8], [4, 2, 4])
    """

    mode, kinds, cell = "LSTM", 2, LSTMCell

    @_beta_order("direction", "dropout", "time_major")
    def __init__(self, input_size, hidden_size, num_layers=1, direction="forward", time_major=False, dropout=0.0,
                 weight_ih_attr=None, weight_hh_attr=None, bias_ih_attr=None, bias_hh_attr=None, proj_size=None, name=None):
        super().__init__(input_size, hidden_size, num_layers, direction, time_major, dropout, weight_ih_attr, weight_hh_attr,
                         bias_ih_attr, bias_hh_attr, proj_size)


class GRU(RNNBase):
    """A stack of GRU layers: r, z = sigmoid(...), c = tanh(x @ W_c.T + r * (h @ U_c.T + b)); h = z * h + (1 - z) * c.

    Args:
        input_size, hidden_size (int): features of the input and of the state.
        num_layers (int): depth.
        direction (str): 'forward', or 'bidirect' ('bidirectional') for a second pass from the end.
        time_major (bool): inputs are [T, N, I] instead of [N, T, I].
        dropout (float): probability between layers, in training.
        weight_ih_attr, weight_hh_attr (ParamAttr or None): of the weights of inputs and states.
        bias_ih_attr, bias_hh_attr (ParamAttr, None or False): of the biases; False leaves them out.
    Returns:
        ``layer(x, h, sequence_length)`` gives (outputs [N, T, H * directions], last states [layers * directions, N, H]).
    Raises:
        ValueError: x has not 3 axes, its last one is not ``input_size``, initial states have other shapes, or ``direction``
            is unknown.

    >>> y, h = paddle.nn.GRU(3, 4)(paddle.rand([2, 5, 3]))
    >>> y.shape, h.shape
    ([2, 5, 4], [1, 2, 4])
    """

    mode, cell = "GRU", GRUCell

    @_beta_order("direction", "dropout", "time_major")
    def __init__(self, input_size, hidden_size, num_layers=1, direction="forward", time_major=False, dropout=0.0,
                 weight_ih_attr=None, weight_hh_attr=None, bias_ih_attr=None, bias_hh_attr=None, name=None):
        super().__init__(input_size, hidden_size, num_layers, direction, time_major, dropout, weight_ih_attr, weight_hh_attr,
                         bias_ih_attr, bias_hh_attr)
