"""fluid.layers: recurrent layers with parameters of their own."""

from ...nn import initializer as inits
from ...ops.nn.rnn import rnn as rnn_op
from ...ops.sequence import dynamic_rnn
from ...ops.sequence import dynamic_rnn_numpy as recurrent_fast  # noqa: F401  (its kernels are attached to the ops)
from ...static.program import lod
from ...tensor import functions as tensor
from ...utils import naming
from ..state import fluid_call
from .nn import fc, helper_parameter

__all__ = ["dynamic_lstm", "dynamic_lstmp", "dynamic_gru", "gru_unit", "lstm_unit", "lstm"]


def _lstm_parameters(kind, hidden, width, param_attr, bias_attr, peepholes, dtype):
    """(weight, bias) of an LSTM over projected rows; the bias holds the peepholes behind the four parts."""
    w = helper_parameter(kind, param_attr, [hidden, 4 * width], dtype)
    b = helper_parameter(kind, bias_attr, [1, (7 if peepholes else 4) * width], dtype, is_bias=True)
    if b is None:
        raise ValueError("dynamic_lstm(): bias_attr must not be False")
    return w, b


@fluid_call
def dynamic_lstm(input, size, h_0=None, c_0=None, param_attr=None, bias_attr=None, use_peepholes=True, is_reverse=False,
                 gate_activation="sigmoid", cell_activation="tanh", candidate_activation="tanh", dtype="float32", name=None):
    """(hidden, cell) of an LSTM over packed sequences whose rows are projected to size = 4 * width already (1.x; successor:
    paddle.nn.LSTM)."""
    lod.need(input, "dynamic_lstm")
    with naming.owner("lstm", name) as kind:
        w, b = _lstm_parameters(kind, size // 4, size // 4, param_attr, bias_attr, use_peepholes, dtype)
        return dynamic_rnn.lstm(input, h_0, c_0, w, b, None, bool(use_peepholes), bool(is_reverse), False, gate_activation,
                                cell_activation,
                                candidate_activation)


@fluid_call
def dynamic_lstmp(input, size, proj_size, param_attr=None, bias_attr=None, use_peepholes=True, is_reverse=False,
                  gate_activation="sigmoid", cell_activation="tanh", candidate_activation="tanh", proj_activation="tanh",
                  dtype="float32", name=None, h_0=None, c_0=None, cell_clip=None, proj_clip=None):
    """(projection, cell) of an LSTM whose hidden state is projected to proj_size (1.x; successor: paddle.nn.LSTM with
    proj_size)."""
    lod.need(input, "dynamic_lstmp")
    with naming.owner("lstmp", name) as kind:
        width = size // 4
        w, b = _lstm_parameters(kind, proj_size, width, param_attr, bias_attr, use_peepholes, dtype)
        project = helper_parameter(kind, param_attr, [width, proj_size], dtype)
        return dynamic_rnn.lstmp(input, h_0, c_0, w, project, b, None, bool(use_peepholes), bool(is_reverse),
                                 float(cell_clip or 0.0),
                                 float(proj_clip or 0.0), gate_activation, cell_activation, candidate_activation, proj_activation)


@fluid_call
def dynamic_gru(input, size, param_attr=None, bias_attr=None, is_reverse=False, gate_activation="sigmoid",
                candidate_activation="tanh", h_0=None, origin_mode=False):
    """The hidden states of a GRU over packed sequences whose rows are projected to 3 * size already (1.x; successor:
    paddle.nn.GRU)."""
    lod.need(input, "dynamic_gru")
    with naming.owner("gru") as kind:
        w = helper_parameter(kind, param_attr, [size, 3 * size], input.dtype)
        b = helper_parameter(kind, bias_attr, [1, 3 * size], input.dtype, is_bias=True)
        return dynamic_rnn.gru(input, h_0, w, b, None, candidate_activation, gate_activation, bool(is_reverse), bool(origin_mode))


@fluid_call
def gru_unit(input, hidden, size, param_attr=None, bias_attr=None, activation="tanh", gate_activation="sigmoid",
             origin_mode=False):
    """One GRU step on a projected input [N, size = 3 * width]: (hidden, reset part, gates) (1.x; successor: paddle.nn.GRUCell)."""
    with naming.owner("gru_unit") as kind:
        width = size // 3
        w = helper_parameter(kind, param_attr, [width, 3 * width], input.dtype)
        b = helper_parameter(kind, bias_attr, [1, 3 * width], input.dtype, is_bias=True)
        gates, reset, out = dynamic_rnn.gru_unit(input, hidden, w, b, activation, gate_activation, bool(origin_mode))
        return out, reset, gates


@fluid_call
def lstm_unit(x_t, hidden_t_prev, cell_t_prev, forget_bias=0.0, param_attr=None, bias_attr=None, name=None):
    """One LSTM step with weights of its own: (hidden, cell) (1.x; successor: paddle.nn.LSTMCell)."""
    width = cell_t_prev.shape[1]
    gates = fc(tensor.concat([x_t, hidden_t_prev], 1), 4 * width, param_attr=param_attr, bias_attr=bias_attr)
    cell, hidden = dynamic_rnn.lstm_unit(gates, cell_t_prev, forget_bias=float(forget_bias))
    return hidden, cell


@fluid_call
def lstm(input, init_h, init_c, max_len, hidden_size, num_layers, dropout_prob=0.0, is_bidirec=False, is_test=False, name=None,
         default_initializer=None, seed=-1):
    """(outputs, last hidden, last cell) of a stack of LSTMs over input [T, N, width]; all weights are one flat parameter:
    matrices layer by layer and direction by direction, then the biases (1.x; successor: paddle.nn.LSTM)."""
    directions, width = 2 if is_bidirec else 1, input.shape[-1]
    shapes = []
    for layer in range(num_layers):
        size = width if layer == 0 else hidden_size * directions
        shapes += [[4 * hidden_size, size], [4 * hidden_size, hidden_size]] * directions
    shapes += [[4 * hidden_size]] * (2 * directions * num_layers)
    counts = [int(a[0] * (a[1] if len(a) > 1 else 1)) for a in shapes]
    with naming.owner("cudnn_lstm", name) as kind:
        flat = helper_parameter(kind, None, [sum(counts)], input.dtype,
                                default=default_initializer or inits.Normal(0.0, 0.1))
        weights = [part.reshape(shape) for part, shape in zip(tensor.split(flat, counts, 0), shapes)]
        out, h, c = rnn_op(input, [init_h, init_c], weights, None, float(dropout_prob), bool(is_bidirec), width, hidden_size,
                           num_layers, "LSTM", max(int(seed), 0), bool(is_test))
        return out, h, c
