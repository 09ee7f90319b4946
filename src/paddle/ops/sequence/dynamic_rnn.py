"""Recurrence over packed sequences (LoD): step t takes the t-th rows of all sequences that are that long, longest first."""

import numpy as np

from ...core.op import op
from ..composed import composed
from ..library import by_library
from ..linalg.matmul import matmul
from ..manipulation.gather_scatter import gather
from ..manipulation.joining import concat
from ..manipulation.slicing import basic_get
from ..math.arithmetic import clip
from ..math.unary import sigmoid, tanh
from ..nn.activation import relu
from ..nn.grid_sample import plain
from . import packed_rows

ACTIVATIONS = {"sigmoid": sigmoid, "tanh": tanh, "relu": relu, "identity": lambda x: x}


def activation_of(name, function):
    """The function of an activation's name."""
    if name not in ACTIVATIONS:
        raise ValueError(f"{function}(): an activation must be one of {', '.join(ACTIVATIONS)}, got {name!r}")
    return ACTIVATIONS[name]


def columns(x, start, end):
    """Some columns of a matrix."""
    return basic_get(x, (slice(None), slice(start, end)))


def longest_first(ends):
    """The numbers of the sequences, longest first, equal ones in order."""
    return np.argsort(-np.diff(ends), kind="stable")


def step_rows(ends, reverse=False):
    """For each step, the row of every sequence that takes part in it, longest first."""
    order, lengths = longest_first(ends), np.diff(ends)
    found = []
    for t in range(lengths.max(initial=0)):
        active = order[:int((lengths > t).sum())]
        found.append(ends[1:][active] - 1 - t if reverse else ends[:-1][active] + t)
    return found


def repacked(parts, rows):
    """The results of all steps as packed rows."""
    return gather(concat(parts, None, 0), np.argsort(np.concatenate(rows), kind="stable"))


def _start(state, ends, width, like):
    """The first state, longest sequence first; zeros if none is given."""
    if state is None:
        return np.zeros((len(ends) - 1, width), plain(like).dtype)
    return gather(state, longest_first(ends))


def first(x, count):
    """The first rows of x."""
    return x if x.shape[0] == count else basic_get(x, (slice(0, count),))


def _lstm_step(x, h, c, weight, bias, peepholes, gate, candidate, cell_clip):
    """(output gate, cell) of one step; the four parts of x are candidate, input, forget, output."""
    d = c.shape[1]
    z = x + matmul(h, weight) + columns(bias, 0, 4 * d)
    to_i, to_f, to_o = (columns(bias, k * d, k * d + d) for k in (4, 5, 6)) if peepholes else (0.0, 0.0, 0.0)
    i = gate(columns(z, d, 2 * d) + c * to_i)
    f = gate(columns(z, 2 * d, 3 * d) + c * to_f)
    c = f * c + i * candidate(columns(z, 0, d))
    c = clip(c, None, None, -cell_clip, cell_clip) if cell_clip else c
    return gate(columns(z, 3 * d, 4 * d) + c * to_o), c


def checked_lstm(x, weight, bias, lod, peepholes, function):
    """The offsets of an LSTM's input; ValueError if its parameters do not fit it."""
    ends = packed_rows.offsets(x, lod, function, "input")
    width = x.shape[1] // 4
    if x.shape[1] % 4 or weight.shape[1] != x.shape[1] or bias.shape[-1] != (7 if peepholes else 4) * width:
        raise ValueError(f"{function}(): input {list(x.shape)} does not fit weight {list(weight.shape)} and bias {list(bias.shape)}"
                         f"{' with peepholes' if peepholes else ''}")
    return ends


def _lstm(x, h0, c0, weight, bias, lod, peepholes, reverse, names, function, project=None, cell_clip=0.0):
    """Hidden states (projected, if so said) and cells of an LSTM over packed rows of 4 * width numbers."""
    ends, width = checked_lstm(x, weight, bias, lod, peepholes, function), x.shape[1] // 4
    gate, cell, candidate = (activation_of(n, function) for n in names)
    h, c = _start(h0, ends, weight.shape[0], x), _start(c0, ends, width, x)
    bias, rows, hidden, cells = bias.reshape([1, -1]), step_rows(ends, reverse), [], []
    for at in rows:
        o, c = _lstm_step(gather(x, at), first(h, len(at)), first(c, len(at)), weight, bias, peepholes, gate, candidate, cell_clip)
        h = o * cell(c)
        h = h if project is None else project(h)
        hidden.append(h)
        cells.append(c)
    return repacked(hidden, rows), repacked(cells, rows)


@composed("lstm(Input, H0?, C0?, Weight, Bias, InputLoD*?) -> Hidden, Cell, BatchGate?, BatchCellPreAct?", family="sequence",
    rows="keep", shapes="t g, _, _, d g -> t d, t d")
def lstm(x, h0, c0, weight, bias, lod=None, use_peepholes=True, is_reverse=False, is_test=False, gate_activation="sigmoid",
         cell_activation="tanh", candidate_activation="tanh"):
    """LSTM over packed rows that hold candidate, input, forget and output parts, already projected."""
    return _lstm(x, h0, c0, weight, bias, lod, use_peepholes, is_reverse, (gate_activation, cell_activation, candidate_activation),
                 "dynamic_lstm")


@composed("lstmp(Input, H0?, C0?, Weight, ProjWeight, Bias, InputLoD*?) -> Projection, Cell", family="sequence", rows="keep",
    shapes="t g, _, _, p g, d p -> t p, t d")
def lstmp(x, h0, c0, weight, proj_weight, bias, lod=None, use_peepholes=True, is_reverse=False, cell_clip=0.0, proj_clip=0.0,
          gate_activation="sigmoid", cell_activation="tanh", candidate_activation="tanh", proj_activation="tanh"):
    """LSTM whose hidden state is projected to another width before it is used and given out."""
    act = activation_of(proj_activation, "dynamic_lstmp")

    def project(h):
        r = act(matmul(h, proj_weight))
        return clip(r, None, None, -proj_clip, proj_clip) if proj_clip else r
    return _lstm(x, h0, c0, weight, bias, lod, use_peepholes, is_reverse, (gate_activation, cell_activation, candidate_activation),
                 "dynamic_lstmp", project, cell_clip)


def gru_step(x, h, weight, bias, gate, act, origin_mode):
    """(gates and candidate [N, 3 d], reset part, hidden) of one GRU step; the parts of x are update, reset, candidate.

    The weight [d, 3 d] is stored as [d, 2 d] for the gates and behind it [d, d] for the candidate.
    """
    d = h.shape[1]
    flat = weight.reshape([-1])
    w_gates = basic_get(flat, (slice(0, 2 * d * d),)).reshape([d, 2 * d])
    w_new = basic_get(flat, (slice(2 * d * d, 3 * d * d),)).reshape([d, d])
    x = x if bias is None else x + bias.reshape([1, 3 * d])
    gates = gate(columns(x, 0, 2 * d) + matmul(h, w_gates))
    u, r = columns(gates, 0, d), columns(gates, d, 2 * d)
    reset = r * h
    c = act(columns(x, 2 * d, 3 * d) + matmul(reset, w_new))
    out = c + u * (h - c) if origin_mode else h + u * (c - h)
    return concat([gates, c], None, 1), reset, out


def checked_gru(x, weight, lod):
    """The offsets of a GRU's input; ValueError if its weight does not fit it."""
    if x.shape[1] != 3 * weight.shape[0] or list(weight.shape) != [weight.shape[0], 3 * weight.shape[0]]:
        raise ValueError(f"dynamic_gru(): input {list(x.shape)} [rows, 3 * width] does not fit weight {list(weight.shape)}")
    return packed_rows.offsets(x, lod, "dynamic_gru", "input")


@composed("gru(Input, H0?, Weight, Bias?, InputLoD*?) -> BatchGate?, BatchResetHiddenPrev?, BatchHidden?, Hidden",
          family="sequence", rows="keep", shapes="t g, _, d g -> t d")
def gru(x, h0, weight, bias=None, lod=None, activation="tanh", gate_activation="sigmoid", is_reverse=False, origin_mode=False):
    """GRU over packed rows that hold update, reset and candidate parts, already projected."""
    ends = checked_gru(x, weight, lod)
    gate, act = (activation_of(n, "dynamic_gru") for n in (gate_activation, activation))
    h, rows, hidden = _start(h0, ends, weight.shape[0], x), step_rows(ends, is_reverse), []
    for at in rows:
        h = gru_step(gather(x, at), first(h, len(at)), weight, bias, gate, act, origin_mode)[2]
        hidden.append(h)
    return repacked(hidden, rows)


CODES = ("identity", "sigmoid", "tanh", "relu")  # as files number activations of gru_unit


def _unit_to_desc(attrs):
    return {**attrs, **{k: CODES.index(attrs[k]) for k in ("activation", "gate_activation")}}


def _unit_from_desc(attrs):
    return {**attrs, **{k: CODES[attrs[k]] for k in ("activation", "gate_activation") if k in attrs}}


@composed("gru_unit(Input, HiddenPrev, Weight, Bias?) -> Gate, ResetHiddenPrev, Hidden", family="own", to_desc=_unit_to_desc,
          from_desc=_unit_from_desc, shapes="b g, b d -> b g, b d, b d")
def gru_unit(x, h, weight, bias=None, activation="tanh", gate_activation="sigmoid", origin_mode=False):
    """One GRU step: gates with the candidate, the reset part, the new hidden state."""
    if len(x.shape) != 2 or len(h.shape) != 2 or x.shape[1] != 3 * h.shape[1]:
        raise ValueError(f"gru_unit(): input must be [N, 3 * width] for hidden [N, width], got {list(x.shape)} and {list(h.shape)}")
    gate, act = (activation_of(n, "gru_unit") for n in (gate_activation, activation))
    return gru_step(x, h, weight, bias, gate, act, origin_mode)


@composed("lstm_unit(X, C_prev) -> C, H", family="own", shapes="b g, b d -> b d, b d")
def lstm_unit(x, c, forget_bias=0.0):
    """One LSTM step of gates [N, 4 * width] (input, forget, output, candidate): the new cell, the new hidden state."""
    if len(x.shape) != 2 or len(c.shape) != 2 or x.shape[1] != 4 * c.shape[1]:
        raise ValueError(f"lstm_unit(): gates must be [N, 4 * width] for cells [N, width], got {list(x.shape)} and {list(c.shape)}")
    width = c.shape[1]
    taken, forget, out, candidate = (basic_get(x, (slice(None), slice(k * width, (k + 1) * width))) for k in range(4))
    cell = sigmoid(forget + forget_bias) * c + sigmoid(taken) * tanh(candidate)
    return cell, sigmoid(out) * tanh(cell)


# ---- what DynamicRNN is made of; what lies in arrays is in static/ir/nodes/steps.py --------------------------------------------
def _table_lengths(x, level):
    return [x.like((-1,), np.int64)] * (level + 4)


@op("lod_rank_table(X, XLoD*?) -> Out, OutLoD*", family="sequence", shapes=_table_lengths)
def lod_rank_table(x, lod=None, level=0):
    """The sequences of a level, longest first. What else the table holds are its lengths: the rows (or inner sequences) of all
    steps one behind the other; where each step begins among those; the offsets of x down to the level."""
    outer = packed_rows.all_offsets(x, lod or (), "lod_rank_table")[:level + 1]
    if len(outer) <= level:
        raise ValueError(f"lod_rank_table(): level {level} of x, which has {len(outer)} level(s) of sequence lengths")
    rows = step_rows(outer[-1])
    starts = packed_rows.ends_of([len(r) for r in rows])
    return longest_first(outer[-1]), np.concatenate([np.zeros(0, np.int64), *rows]), starts, *outer


@op("max_sequence_len(RankTable, RankTableLoD*?) -> Out", family="sequence", shapes="_ -> 1:int64")
def max_sequence_len(table, steps=None):
    """The number of steps of a table's longest sequence."""
    return np.asarray([len(steps[1]) - 1], np.int64)


def step_range(starts, step):
    """(start, end) of a step among the rows of all steps."""
    starts, k = plain(starts), int(np.ravel(plain(step))[0])
    return (int(starts[k]), int(starts[k + 1])) if k + 1 < len(starts) else (0, 0)


@composed("shrink_rnn_memory(X, RankTable, I, XLoD*?, RankTableLoD*?) -> Out, OutLoD*", family="sequence",
          shapes=packed_rows.with_all_lengths)
def shrink_rnn_memory(x, table, step, lod=None, steps=None):
    """The rows (or whole sequences) of x, ordered longest step sequence first, that still take part in a step."""
    a, b = step_range(steps[1], step)
    if not lod:
        return (first(x, b - a),)
    taken, made = packed_rows.picked(packed_rows.all_offsets(x, lod, "DynamicRNN.static_input"), np.arange(b - a))
    return first(x, len(taken)), *made


def _reordered(x, order, lod, function):
    taken, made = packed_rows.picked(packed_rows.all_offsets(x, lod, function) if lod else [], np.asarray(plain(order)))
    return gather(x, taken), *made


@composed("reorder_lod_tensor_by_rank(X, RankTable, XLoD*?) -> Out, OutLoD*", family="sequence",
          shapes=packed_rows.with_all_lengths)
def reorder_lod_tensor_by_rank(x, table, lod=None):
    """The rows (or whole sequences) of x in the order of a table."""
    return _reordered(x, table, lod, "reorder_lod_tensor_by_rank")


@composed("step_reorder(X, Order, XLoD*?) -> Out, OutLoD*", family="sequence", shapes=packed_rows.with_all_lengths)
def step_reorder(x, order, lod=None):
    """Some rows (or whole sequences) of x."""
    return _reordered(x, order, lod, "split_lod_tensor")


by_library(lstm, lstmp, gru, gru_unit, lstm_unit)
