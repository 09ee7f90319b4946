"""Recurrent cells of 1.8's dygraph: one step on (input, state), with weights as cuDNN lays them out, or joined ones."""

from .. import layers
from .layers import Layer

__all__ = ["LSTMCell", "GRUCell"]


class _Cell(Layer):
    """What the cells share: ``use_cudnn_impl`` chooses between weights for input and state apart, and together."""

    def __init__(self, hidden_size, input_size, param_attr, bias_attr, gate_activation, activation, use_cudnn_impl, dtype):
        super().__init__(None, dtype)
        self._hidden, self._input, self._apart = hidden_size, input_size, use_cudnn_impl
        self._param_attr, self._bias_attr = param_attr, bias_attr
        self._gate, self._act = gate_activation or layers.sigmoid, activation or layers.tanh

    def _make(self, name, rows, columns=None):
        """A weight [rows, columns], or a bias [rows]."""
        given = self._bias_attr if columns is None else self._param_attr
        setattr(self, name, self.create_parameter(given, [rows] if columns is None else [rows, columns], self._dtype,
                                                  columns is None))

    def _make_apart(self, gates):
        """Weights and biases of ``gates`` gates, for the input and for the state."""
        self._make("_weight_ih", gates * self._hidden, self._input)
        self._make("_weight_hh", gates * self._hidden, self._hidden)
        self._make("_bias_ih", gates * self._hidden)
        self._make("_bias_hh", gates * self._hidden)

    def _parts(self, input, hidden, gates):
        """Contributions of the input and of the state to each gate."""
        def project(x, weight, bias):
            y = layers.matmul(x, weight, transpose_y=True)
            return layers.split(y if bias is None else y + bias, gates, dim=1)
        return project(input, self._weight_ih, self._bias_ih), project(hidden, self._weight_hh, self._bias_hh)


def _dense(x, weight, bias):
    y = layers.matmul(x, weight)
    return y if bias is None else y + bias


class LSTMCell(_Cell):
    """One LSTM step: (hidden, cell) from (input, hidden, cell) (1.x; successor: paddle.nn.LSTMCell).

    ``forget_bias`` is added to the forget gate where the weights are joined (``use_cudnn_impl=False``), as in 1.8.
    """

    def __init__(self, hidden_size, input_size, param_attr=None, bias_attr=None, gate_activation=None, activation=None,
                 forget_bias=1.0, use_cudnn_impl=True, dtype="float64"):
        super().__init__(hidden_size, input_size, param_attr, bias_attr, gate_activation, activation, use_cudnn_impl, dtype)
        self._forget_bias = float(forget_bias)
        if self._apart:
            self._make_apart(4)
        else:
            self._make("_weight", input_size + hidden_size, 4 * hidden_size)
            self._make("_bias", 4 * hidden_size)

    def forward(self, input, pre_hidden, pre_cell):
        if self._apart:
            x, h = self._parts(input, pre_hidden, 4)
            i, f, c, o = (a + b for a, b in zip(x, h))
        else:
            joined = layers.concat([input, pre_hidden], 1)
            i, c, f, o = layers.split(_dense(joined, self._weight, self._bias), 4, dim=-1)
            f = f + self._forget_bias
        cell = self._gate(f) * pre_cell + self._gate(i) * self._act(c)
        return self._gate(o) * self._act(cell), cell


class GRUCell(_Cell):
    """One GRU step: hidden from (input, hidden) (1.x; successor: paddle.nn.GRUCell)."""

    def __init__(self, hidden_size, input_size, param_attr=None, bias_attr=None, gate_activation=None, activation=None,
                 use_cudnn_impl=True, dtype="float64"):
        super().__init__(hidden_size, input_size, param_attr, bias_attr, gate_activation, activation, use_cudnn_impl, dtype)
        if self._apart:
            self._make_apart(3)
        else:
            self._make("_gate_weight", input_size + hidden_size, 2 * hidden_size)
            self._make("_candidate_weight", input_size + hidden_size, hidden_size)
            self._make("_gate_bias", 2 * hidden_size)
            self._make("_candidate_bias", hidden_size)

    def forward(self, input, pre_hidden):
        if self._apart:
            x, h = self._parts(input, pre_hidden, 3)
            reset, update = self._gate(x[0] + h[0]), self._gate(x[1] + h[1])
            candidate = self._act(x[2] + reset * h[2])
        else:
            joined = layers.concat([input, pre_hidden], 1)
            reset, update = layers.split(self._gate(_dense(joined, self._gate_weight, self._gate_bias)), 2, dim=1)
            joined = layers.concat([input, reset * pre_hidden], 1)
            candidate = self._act(_dense(joined, self._candidate_weight, self._candidate_bias))
        return update * pre_hidden + (1 - update) * candidate
