"""Recurrent layers of alpha's hapi: cells run over padded sequences, in one direction or two, and decoding loops."""

from ....fluid import layers
from ....fluid.dygraph.layers import Layer
from ....static.structure import flatten, pack
from .cells import StackedGRUCell, StackedLSTMCell, each

__all__ = ["RNN", "BidirectionalRNN", "LSTM", "BidirectionalLSTM", "GRU", "BidirectionalGRU", "DynamicDecode"]

_MERGES = {"concat": lambda x, y: layers.concat([x, y], -1), "sum": layers.elementwise_add,
           "ave": lambda x, y: layers.scale(layers.elementwise_add(x, y), 0.5), "mul": layers.elementwise_mul,
           "zip": lambda x, y: (x, y), None: None}


class RNN(Layer):
    """A cell run over sequences [N, T, ...] (2.0 alpha; successor: paddle.nn.RNN).

    Args:
        cell (RNNCell): what makes the steps.
        is_reverse (bool): from the last step to the first.
        time_major (bool): sequences are [T, N, ...].
    """

    def __init__(self, cell, is_reverse=False, time_major=False):
        super().__init__()
        self.cell, self.is_reverse, self.time_major = cell, is_reverse, time_major

    def forward(self, inputs, initial_states=None, sequence_length=None, **kwargs):
        """(outputs, final states); a step past a row's length keeps its state."""
        return layers.rnn(self.cell, inputs, initial_states, sequence_length, self.time_major, self.is_reverse, **kwargs)


class BidirectionalRNN(Layer):
    """A cell run forward and one run backward (2.0 alpha; successor: paddle.nn.BiRNN).

    Args:
        cell_fw, cell_bw (RNNCell): the cells.
        merge_mode (str or None): what becomes of the outputs of both: 'concat', 'sum', 'ave', 'mul', 'zip'; a pair for None.
        time_major (bool): sequences are [T, N, ...].
    """

    def __init__(self, cell_fw, cell_bw, merge_mode="concat", time_major=False):
        super().__init__()
        if merge_mode not in _MERGES:
            raise ValueError("BidirectionalRNN(): merge_mode must be 'concat', 'sum', 'ave', 'mul', 'zip' or None, got "
                             f"{merge_mode!r}")
        self.rnn_fw, self.rnn_bw = RNN(cell_fw, False, time_major), RNN(cell_bw, True, time_major)
        self.merge_func = _MERGES[merge_mode]

    def forward(self, inputs, initial_states=None, sequence_length=None, **kwargs):
        """(merged outputs, (states forward, states backward))."""
        first, second = initial_states if isinstance(initial_states, (list, tuple)) else [initial_states] * 2
        ahead, last = self.rnn_fw(inputs, first, sequence_length, **kwargs)
        behind, begin = self.rnn_bw(inputs, second, sequence_length, **kwargs)
        if self.merge_func is None:
            return (ahead, behind), (last, begin)
        merged = [self.merge_func(a, b) for a, b in zip(flatten(ahead), flatten(behind))]
        return pack(ahead, merged) if isinstance(ahead, (list, tuple, dict)) else merged[0], (last, begin)

    @staticmethod
    def bidirect_param_attr(param_attr):
        """Attributes of both directions: a pair, or one whose name gets "_fw" and "_bw"."""
        return each(param_attr, ["_fw", "_bw"])


class _Stack(Layer):
    """A stacked cell in one direction."""

    def _run(self, name, cell, is_reverse, time_major):
        setattr(self, name, RNN(cell, is_reverse, time_major))
        self._name = name

    def forward(self, inputs, initial_states=None, sequence_length=None):
        """(outputs, final states)."""
        return getattr(self, self._name)(inputs, initial_states, sequence_length)


class LSTM(_Stack):
    """Stacked LSTM cells over sequences (2.0 alpha; successor: paddle.nn.LSTM); arguments are those of StackedLSTMCell and RNN."""

    def __init__(self, input_size, hidden_size, gate_activation=None, activation=None, forget_bias=1.0, num_layers=1, dropout=0.0,
                 is_reverse=False, time_major=False, param_attr=None, bias_attr=None, dtype="float32"):
        super().__init__()
        self._run("lstm", StackedLSTMCell(input_size, hidden_size, gate_activation, activation, forget_bias, num_layers, dropout,
                                          param_attr, bias_attr, dtype), is_reverse, time_major)


class GRU(_Stack):
    """Stacked GRU cells over sequences (2.0 alpha; successor: paddle.nn.GRU); arguments are those of StackedGRUCell and RNN."""

    def __init__(self, input_size, hidden_size, gate_activation=None, activation=None, num_layers=1, dropout=0.0, is_reverse=False,
                 time_major=False, param_attr=None, bias_attr=None, dtype="float32"):
        super().__init__()
        self._run("gru", StackedGRUCell(input_size, hidden_size, gate_activation, activation, num_layers, dropout, param_attr,
                                        bias_attr, dtype), is_reverse, time_major)


class _BothWays(Layer):
    """Stacks forward and backward: two whole stacks whose outputs are merged, or merged after each layer."""

    def _run(self, name, make, sizes, num_layers, merge_mode, merge_each_layer, time_major, param_attr, bias_attr):
        """``make(size, layers, weight attribute, bias attribute)`` gives a stacked cell."""
        self.num_layers, self.merge_mode, self.merge_each_layer, self._name = num_layers, merge_mode, merge_each_layer, name
        input_size, hidden_size = sizes
        weights, biases = each(param_attr, ["_fw", "_bw"]), each(bias_attr, ["_fw", "_bw"])
        if not merge_each_layer:
            cells = [make(input_size, num_layers, w, b) for w, b in zip(weights, biases)]
            setattr(self, name, BidirectionalRNN(*cells, merge_mode, time_major))
            return
        endings, merged = [f"_{k}" for k in range(num_layers)], hidden_size * (2 if merge_mode == "concat" else 1)
        attrs = [list(zip(each(w, endings), each(b, endings))) for w, b in zip(weights, biases)]
        setattr(self, name, [self.add_sublayer(f"{name}_{k}", BidirectionalRNN(
            *[make(merged if k else input_size, 1, *attrs[way][k]) for way in (0, 1)], merge_mode, time_major))
            for k in range(num_layers)])

    def forward(self, inputs, initial_states=None, sequence_length=None):
        """(outputs, (states forward, states backward)), or with merge_each_layer a list of such pairs of states."""
        stacks = getattr(self, self._name)
        if not self.merge_each_layer:
            return stacks(inputs, initial_states, sequence_length)
        given = initial_states if isinstance(initial_states, (list, tuple)) else [initial_states] * self.num_layers
        if len(given) != self.num_layers:
            raise ValueError(f"{type(self).__name__}(): initial_states must have {self.num_layers} elements, got {len(given)}")
        states = []
        for stack, state in zip(stacks, given):
            inputs, new = stack(inputs, state, sequence_length)
            states.append(new)
        return inputs, states


class BidirectionalLSTM(_BothWays):
    """LSTM stacks forward and backward (2.0 alpha; successor: paddle.nn.LSTM with direction='bidirect')."""

    def __init__(self, input_size, hidden_size, gate_activation=None, activation=None, forget_bias=1.0, num_layers=1, dropout=0.0,
                 merge_mode="concat", merge_each_layer=False, time_major=False, param_attr=None, bias_attr=None, dtype="float32"):
        super().__init__()

        def make(size, count, weight, bias):
            return StackedLSTMCell(size, hidden_size, gate_activation, activation, forget_bias, count, dropout, weight, bias, dtype)
        self._run("lstm", make, (input_size, hidden_size), num_layers, merge_mode, merge_each_layer, time_major, param_attr,
                  bias_attr)


class BidirectionalGRU(_BothWays):
    """GRU stacks forward and backward (2.0 alpha; successor: paddle.nn.GRU with direction='bidirect'); ``forget_bias`` must be 1,
    as GRUs have none."""

    def __init__(self, input_size, hidden_size, gate_activation=None, activation=None, forget_bias=1.0, num_layers=1, dropout=0.0,
                 merge_mode="concat", merge_each_layer=False, time_major=False, param_attr=None, bias_attr=None, dtype="float32"):
        super().__init__()
        if forget_bias != 1.0:
            raise ValueError(f"BidirectionalGRU(): forget_bias has no meaning for a GRU, leave it at 1.0; got {forget_bias}")

        def make(size, count, weight, bias):
            return StackedGRUCell(size, hidden_size, gate_activation, activation, count, dropout, weight, bias, dtype)
        self._run("gru", make, (input_size, hidden_size), num_layers, merge_mode, merge_each_layer, time_major, param_attr,
                  bias_attr)


class DynamicDecode(Layer):
    """Runs a decoder until all sequences have ended (2.0 alpha; successor: paddle.nn.dynamic_decode, whose arguments it takes)."""

    def __init__(self, decoder, max_step_num=None, output_time_major=False, impute_finished=False, is_test=False,
                 return_length=False):
        super().__init__()
        self.decoder, self.max_step_num, self.output_time_major = decoder, max_step_num, output_time_major
        self.impute_finished, self.is_test, self.return_length = impute_finished, is_test, return_length

    def forward(self, inits=None, **kwargs):
        """(outputs, final states[, lengths])."""
        return layers.dynamic_decode(self.decoder, inits, self.max_step_num, self.output_time_major, self.impute_finished,
                                     self.is_test, self.return_length, **kwargs)
