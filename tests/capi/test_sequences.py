"""Sequences (LoD) in the C library: offsets travel as they do in Python's programs, and operators over them give the same."""

import numpy as np
import pytest
from capi.library import Failed, Model

import paddle
from paddle import fluid, static

S = static.nn
L = fluid.layers
DRAWN = fluid.ParamAttr(initializer=fluid.initializer.Normal(0, 0.7))
POOLS = [lambda x, y, kind=kind: S.sequence_pool(x, kind) for kind in ("sum", "average", "sqrt", "max", "first", "last")]


def words(x):
    """Ids from 0 to 3, one for each row."""
    return paddle.cast(paddle.abs(x[:, :1]) * 2, "int64") % 4


def moves():
    """The transitions between four tags, with those at the start and at the end."""
    return static.create_parameter([6, 4], "float32", attr=fluid.ParamAttr(name="moves", initializer=DRAWN.initializer))


def beams(x, y, accumulated):
    """Two steps of beam search over three sources, and the sentences that they give; id 1 ends one."""
    state, kept = S.sequence_pool(x, "max"), S.sequence_pool(y, "sum")[:, 1:2]
    before = L.lod_reset(words(S.sequence_pool(y, "first")), target_lod=[0, 1, 2, 3])
    ids = scores = None
    for step in range(3):
        state = L.sequence_expand(state, before) if step else state
        reached = S.fc(state, 4, activation="softmax", weight_attr=DRAWN)
        reached = L.lod_reset(paddle.log(reached) + kept if accumulated else reached, y=before)
        before, kept = L.beam_search(before, kept, None, reached, 2, 1, is_accumulated=accumulated)
        place = paddle.full([1], step, "int64")
        ids, scores = L.array_write(before, place, ids), L.array_write(kept, place, scores)
    return L.beam_search_decode(ids, scores, 2, 1)


def recurrence(x, y):
    """A DynamicRNN: a memory that begins with a given row, one that begins with a number, whole sequences beside each step."""
    rnn, top = L.DynamicRNN(), S.sequence_pool(y, "max")
    with rnn.block():
        row, beside = rnn.step_input(x), rnn.static_input(y)
        state = rnn.memory(init=top, need_reorder=True)
        total = rnn.memory(shape=[4], value=0.5)
        new = L.tanh(S.fc(row, 4, weight_attr=DRAWN) + state + S.sequence_pool(beside, "sum"))
        rnn.update_memory(state, new)
        rnn.update_memory(total, total + new)
        rnn.output(new, total)
    return rnn()


def by_ranks(x, y):
    """The pieces that a DynamicRNN is made of."""
    table = L.lod_rank_table(x)
    array = L.control_flow.lod_tensor_to_array(x, table)
    step = L.fill_constant([1], "int64", 1)
    return (L.control_flow.max_sequence_len(table), L.array_read(array, step), L.control_flow.array_to_lod_tensor(array, table),
            L.control_flow.shrink_memory(L.reorder_lod_tensor_by_rank(S.sequence_pool(y, "sum"), table), step, table),
            L.reorder_lod_tensor_by_rank(y, table), L.control_flow.shrink_memory(y, step, table))


def inner_levels(x, y):
    """Steps that are sequences: of windows of three rows, of pairs of sequences."""
    pairs = L.lod_reset(x, target_lod=[0, 2, 3, 5])
    array = L.control_flow.lod_tensor_to_array(pairs, L.lod_rank_table(pairs))
    return L.array_length(array), L.array_read(array, L.fill_constant([1], "int64", 0))


NETWORKS = {
    "dynamic rnn": recurrence, "rank tables": by_ranks, "rank tables of other sequences": inner_levels,
    "lstm": lambda x, y: L.dynamic_lstm(S.fc(x, 12, weight_attr=DRAWN), 12, param_attr=DRAWN, bias_attr=DRAWN),
    "lstm, plain, back": lambda x, y: L.dynamic_lstm(
        S.fc(x, 12, weight_attr=DRAWN), 12, h_0=S.sequence_pool(y, "sum")[:, :3], c_0=S.sequence_pool(y, "max")[:, :3],
        param_attr=DRAWN, bias_attr=DRAWN, use_peepholes=False, is_reverse=True,
        gate_activation="relu", cell_activation="identity"),
    "gru": lambda x, y: L.dynamic_gru(S.fc(x, 9, weight_attr=DRAWN), 3, param_attr=DRAWN, bias_attr=DRAWN),
    "gru, back": lambda x, y: L.dynamic_gru(S.fc(x, 9, weight_attr=DRAWN), 3, param_attr=DRAWN, bias_attr=False, is_reverse=True,
                                            origin_mode=True, h_0=S.sequence_pool(y, "sum")[:, :3], candidate_activation="relu"),
    "gru_unit": lambda x, y: L.gru_unit(S.fc(x, 12, weight_attr=DRAWN), y, 12, param_attr=DRAWN, bias_attr=DRAWN),
    "crf": lambda x, y: L.crf_decoding(x, fluid.ParamAttr(name=moves().name)),
    "crf, agreeing": lambda x, y: L.crf_decoding(x, fluid.ParamAttr(name=moves().name), label=words(y)),
    "constants": lambda x, y: L.fill_constant_batch_size_like(x, [-1, 3], "float32", 2.0),
    "ctc": lambda x, y: L.ctc_greedy_decoder(x, blank=0),
    "erase": lambda x, y: L.sequence_erase(words(x), [0, 2]),
    "enumerate": lambda x, y: S.sequence_enumerate(words(x), 3, pad_value=9),
    "slice": lambda x, y: S.sequence_slice(x, paddle.to_tensor([[1], [0], [0]]), paddle.to_tensor([[1], [1], [2]])),
    "windows": lambda x, y: L.im2sequence(paddle.reshape(x, [1, 2, 2, 5]), [2, 3], padding=[0, 1, 1, 0], stride=[1, 2]),
    "windows of sizes": lambda x, y: L.im2sequence(paddle.reshape(x, [1, 1, 5, 4]), 2, out_stride=2,
                                                   input_image_size=paddle.to_tensor([[8.0, 5.0]])),
    "beams": lambda x, y: beams(x, y, True),
    "beams of probabilities": lambda x, y: beams(x, y, False),
    **{f"pool{i}": pool for i, pool in enumerate(POOLS)},
    "softmax": lambda x, y: S.sequence_softmax(x[:, :1]),
    "conv": lambda x, y: S.sequence_conv(x, 5, filter_size=3, padding_start=-1, bias_attr=False),
    "expand": lambda x, y: S.sequence_expand(x, y, ref_level=0),
    "expand_as": lambda x, y: S.sequence_expand_as(S.sequence_pool(x, "sum"), y),
    "concat": lambda x, y: S.sequence_concat([x, y]),
    "pad": lambda x, y: S.sequence_pad(x, paddle.full([1], 0.5), maxlen=6),
    "unpad": lambda x, y: S.sequence_unpad(*S.sequence_pad(x, paddle.full([1], 0.0))),
    "reshape": lambda x, y: S.sequence_reshape(x, 2),
    "reverse": lambda x, y: S.sequence_reverse(x),
    "row_conv": lambda x, y: S.row_conv(x, 2),
    "reset": lambda x, y: fluid.layers.lod_reset(x, y=y),
    "reset_offsets": lambda x, y: fluid.layers.lod_reset(x, target_lod=[0, 3, 5]),
    "kept": lambda x, y: paddle.nn.functional.relu(S.fc(x, 3, bias_attr=False) + 0.5),
    "kept_shape": lambda x, y: paddle.concat([paddle.reshape(x, [-1, 2, 2]).sum(2), y[:, :2]], axis=1),
    "lost": lambda x, y: paddle.transpose(x, [1, 0]),
}
LENGTHS = [[2, 1, 2]], [[1, 3, 1]]


def program_of(network):
    """(program, parameters, inputs, values, lengths) with what Python gives."""
    draw = np.random.default_rng(0)
    arrays = [draw.standard_normal((5, 4)).astype("float32") for _ in "xy"]
    paddle.enable_static()
    try:
        main, start = static.Program(), static.Program()
        with static.program_guard(main, start):
            inputs = [static.data(name, [-1, 4], "float32", lod_level=1) for name in "xy"]
            out = network(*inputs)
            run = static.Executor()
            run.run(start)
            feed = {name: fluid.create_lod_tensor(a, lengths, None) for name, a, lengths in zip("xy", arrays, LENGTHS)}
            outs = list(out) if isinstance(out, (list, tuple)) else [out]
            values = run.run(main, feed=feed, fetch_list=outs, return_numpy=False)
            used = [v for v in inputs if any(v.name in op.input_arg_names for op in main.global_block().ops)]
            pruned = static.normalize_program(main, used, outs)
            files = (static.serialize_program(used, outs, program=pruned),
                     static.serialize_persistables(used, outs, run, program=pruned))
    finally:
        paddle.disable_static()
    chosen = [i for i, name in enumerate("xy") if name in {v.name for v in used}]
    return files, [arrays[i] for i in chosen], [LENGTHS[i] for i in chosen], values


def offsets(lengths):
    return [[0, *np.cumsum(level).tolist()] for level in lengths]


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("optimize", [True, False])
def test_sequences(name, optimize):
    files, arrays, lengths, values = program_of(NETWORKS[name])
    model = Model(*files, optimize=optimize)
    for _ in range(2):
        got = model(*arrays, lod=map(offsets, lengths))
        for i, (one, other) in enumerate(zip(got, values, strict=True)):
            np.testing.assert_allclose(one, np.asarray(other), rtol=1e-5, atol=1e-6)
            assert model.lod(i) == offsets(other.recursive_sequence_lengths())


def test_recurrence_over_two_levels():
    """Steps that are sequences themselves, cut and put together again."""
    x = np.arange(12, dtype="float32").reshape(6, 2)
    lengths = [[2, 1], [2, 1, 3]]
    paddle.enable_static()
    try:
        main, start = static.Program(), static.Program()
        with static.program_guard(main, start):
            given = static.data("x", [-1, 2], "float32", lod_level=2)
            rnn = L.DynamicRNN()
            with rnn.block():
                part = rnn.step_input(given)
                rnn.output(S.sequence_pool(part, "sum"), part)
            summed, parts = rnn()
            run = static.Executor()
            outs = [summed, parts]
            values = run.run(main, feed={"x": fluid.create_lod_tensor(x, lengths, None)}, fetch_list=outs, return_numpy=False)
            program = static.serialize_program([given], outs, program=static.normalize_program(main, [given], outs))
    finally:
        paddle.disable_static()
    model = Model(program)
    for i, (one, other) in enumerate(zip(model(x, lod=[offsets(lengths)]), values, strict=True)):
        np.testing.assert_array_equal(one, np.asarray(other))
        assert model.lod(i) == offsets(other.recursive_sequence_lengths())
    np.testing.assert_array_equal(np.asarray(values[0]), [x[:2].sum(0), x[2], x[3:].sum(0)])


def test_wrong_offsets_are_told():
    files, arrays, lengths, _ = program_of(NETWORKS["reverse"])
    model = Model(*files)
    with pytest.raises(Failed, match="sequence_reverse.*input X has no sequences"):
        model(*arrays)
    for bad in ([[0, 4]], [[1, 5]], [[0, 3, 2, 5]], [[0, 1], [0, 2, 5]], [[]]):
        with pytest.raises(Failed, match="offsets of its sequences don't fit its rows"):
            model(*arrays, lod=[bad])
    with pytest.raises(Failed, match="4 levels, not 5"):
        model(*arrays, lod=[[[0, 1]] * 4 + [[0, 5]]])
    assert len(model(*arrays, lod=[[[0, 1], [0, 5]]])) == 1
    assert model.lod(0) == [[0, 1], [0, 5]]
    model(*arrays, lod=[offsets(lengths[0])])
