"""The pieces of DynamicRNN and IfElse: rank tables, steps of sequences in arrays, rows divided by a mask, nested sequences."""

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid

L = fluid.layers
X = np.arange(12, dtype="float32").reshape(6, 2)
LENGTHS = [[2, 1, 3]]


@pytest.fixture(autouse=True)
def fresh_program():
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.scope_guard(fluid.Scope()):
        yield


def run(feed, fetch, **options):
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    return exe.run(feed=feed, fetch_list=fetch, **options)


def packed(lengths=LENGTHS, rows=X):
    return fluid.create_lod_tensor(rows, lengths, fluid.CPUPlace())


def test_steps_in_an_array_and_back():
    x = L.data("x", [2], lod_level=1)
    x.stop_gradient = False
    table = L.lod_rank_table(x)
    array = L.control_flow.lod_tensor_to_array(x, table)
    steps = [L.array_read(array, L.fill_constant([1], "int64", k)) for k in range(3)]
    again = L.control_flow.array_to_lod_tensor(array, table)
    shrunk = L.control_flow.shrink_memory(L.reorder_lod_tensor_by_rank(L.sequence_pool(x, "sum"), table),
                                          L.fill_constant([1], "int64", 1), table)
    gradient, = fluid.gradients(L.reduce_sum(again * again), [x])
    got = run({"x": packed()}, [table, L.control_flow.max_sequence_len(table), *steps, again, shrunk, gradient], return_numpy=False)
    values = [np.array(value).tolist() for value in got]
    assert values[:2] == [[2, 0, 1], [3]]
    assert values[2:5] == [X[[3, 0, 2]].tolist(), X[[4, 1]].tolist(), X[[5]].tolist()]
    assert values[5] == X.tolist() and got[5].recursive_sequence_lengths() == LENGTHS
    assert values[6] == [X[3:].sum(0).tolist(), X[:2].sum(0).tolist()]
    assert values[7] == (2 * X).tolist() and got[7].recursive_sequence_lengths() == LENGTHS
    with pytest.raises(TypeError, match="lod_rank_table"):
        L.control_flow.max_sequence_len(x)


def test_rows_by_a_mask():
    x = L.data("x", [2])
    mask = L.less_than(L.reduce_sum(x, 1, keep_dim=True), L.fill_constant([1], "float32", 10.0))
    true, false = L.control_flow.split_lod_tensor(x, mask)
    merged = L.control_flow.merge_lod_tensor(true * 10, false, x, mask)
    total = L.create_tensor("float32")
    L.assign(L.fill_constant([1], "float32", 0.0), total)
    with L.control_flow.ConditionalBlock([false]).block():
        L.assign(L.reduce_sum(false), total)
    got = run({"x": X}, [true, false, merged, total])
    assert [v.tolist() for v in got[:2]] == [X[:3].tolist(), X[3:].tolist()]
    assert got[2].tolist() == np.concatenate([X[:3] * 10, X[3:]]).tolist() and got[3] == X[3:].sum()
    assert run({"x": X[:2]}, [total])[0] == 0


def test_steps_over_sequences():
    """A DynamicRNN over two levels takes a sequence of each outer one in a step; the inner one sums it up."""
    x = L.data("x", [2], lod_level=2)
    outer = L.DynamicRNN()
    with outer.block():
        part = outer.step_input(x)
        assert part.lod_level == 1
        inner = L.DynamicRNN()
        with inner.block():
            row = inner.step_input(part)
            assert row.lod_level == 0
            memory = inner.memory(shape=[2], value=0.0)
            inner.update_memory(memory, memory + row)
            inner.output(memory + row)
        outer.output(L.sequence_last_step(inner()))
        assert outer.step_idx.dtype == fluid.core.VarDesc.VarType.INT64
    sums, = run({"x": packed([[2, 1], [2, 1, 3]])}, [outer()], return_numpy=False)
    assert np.array(sums).tolist() == [X[:2].sum(0).tolist(), X[2].tolist(), X[3:].sum(0).tolist()]
    assert sums.recursive_sequence_lengths() == [[2, 1]]


def test_steps_that_give_sequences():
    x = L.data("x", [2], lod_level=2)
    table = L.lod_rank_table(x)
    again = L.control_flow.array_to_lod_tensor(L.control_flow.lod_tensor_to_array(x, table), table)
    lengths = [[2, 1], [2, 1, 3]]
    got, = run({"x": packed(lengths)}, [again], return_numpy=False)
    assert np.array(got).tolist() == X.tolist() and got.recursive_sequence_lengths() == lengths


def test_arrays_are_joined():
    array, at = L.create_array("float32"), L.fill_constant([1], "int64", 0)
    for k in range(2):
        L.array_write(L.assign(X[k:k + 2]), at + k, array)
    out, sizes = L.tensor_array_to_tensor(array, axis=0)
    got = run({}, [out, sizes])
    assert got[0].tolist() == X[[0, 1, 1, 2]].tolist() and got[1].tolist() == [2, 2]
    for wrong in (X, [X]):
        with pytest.raises(TypeError, match="tensor_array_to_tensor"):
            L.tensor_array_to_tensor(wrong)


def test_operators_take_a_list_of_one():
    x = L.data("x", [2])
    assert run({"x": X}, [L.reduce_sum([x])])[0] == X.sum()


@pytest.mark.parametrize("wrong", [lambda x: L.IfElse(set()), lambda x: L.IfElse(x > x, set()),
                                   lambda x: L.control_flow.ConditionalBlock([X])])
def test_wrong_arguments(wrong):
    with pytest.raises(TypeError):
        wrong(L.data("x", [2]))


def teardown_module():
    paddle.disable_static()


def recurrence():
    """A DynamicRNN with an input, a static input and two memories; its last steps."""
    x, h = L.data("x", [3], lod_level=1), L.data("h", [4])
    rnn = L.DynamicRNN()
    with rnn.block():
        word, same = rnn.step_input(x), rnn.static_input(h)
        first, second = rnn.memory(shape=[4], value=0.5), rnn.memory(init=h, need_reorder=True)
        new = L.tanh(L.fc(word, 4, param_attr="w", bias_attr=False) + first * same)
        rnn.update_memory(first, new)
        rnn.update_memory(second, second + new)
        rnn.output(new + second)
    return L.sequence_last_step(rnn())


def test_a_saved_recurrence_has_the_operators_of_paddle(tmp_path):
    """2.6.2 runs such a file and gives the same values (tried by hand, 1.8e-7 apart)."""
    last, exe, rng = recurrence(), fluid.Executor(fluid.CPUPlace()), np.random.RandomState(0)
    exe.run(fluid.default_startup_program())
    words, start, lengths = rng.rand(6, 3).astype("float32"), rng.rand(3, 4).astype("float32"), [2, 1, 3]
    feed = {"x": fluid.create_lod_tensor(words, [lengths], fluid.CPUPlace()), "h": start}
    fluid.io.save_inference_model(str(tmp_path), ["x", "h"], [last], exe)
    weight, expected, at = np.array(fluid.global_scope().find_var("w").get_tensor()).astype(float), [], 0
    for k, n in enumerate(lengths):
        a, b = np.full(4, 0.5), start[k].astype(float)
        for row in words[at:at + n]:
            new = np.tanh(row @ weight + a * start[k])
            result, a, b = new + b, new, b + new
        at += n
        expected.append(result)
    with fluid.scope_guard(fluid.Scope()):
        program, _, fetched = fluid.io.load_inference_model(str(tmp_path), exe)
        got, = exe.run(program, feed=feed, fetch_list=fetched)
    np.testing.assert_allclose(got, expected, rtol=1e-5)
    types = {op.type for op in program.global_block().ops}
    assert {"lod_rank_table", "max_sequence_len", "lod_tensor_to_array", "array_to_lod_tensor"} < types


def test_more_levels_than_were_declared():
    """What is fed decides, also after the program was run with other levels."""
    x = L.data("x", [2])
    x.stop_gradient = False
    table = L.lod_rank_table(x)
    array = L.control_flow.lod_tensor_to_array(x, table)
    step = L.array_read(array, L.fill_constant([1], "int64", 1))
    again = L.control_flow.array_to_lod_tensor(array, table)
    gradient, = fluid.gradients(L.reduce_sum(again * again), [x])
    flat = run({"x": packed()}, [step, again], return_numpy=False)
    assert np.array(flat[0]).tolist() == X[[4, 1]].tolist() and flat[0].recursive_sequence_lengths() == []
    nested = [[1, 2], [2, 1, 3]]
    got = run({"x": packed(nested)}, [table, step, again, gradient], return_numpy=False)
    assert np.array(got[0]).tolist() == [1, 0]
    assert np.array(got[1]).tolist() == X[3:].tolist() and got[1].recursive_sequence_lengths() == [[3]]
    assert np.array(got[2]).tolist() == X.tolist() and got[2].recursive_sequence_lengths() == nested
    assert np.array(got[3]).tolist() == (2 * X).tolist() and got[3].recursive_sequence_lengths() == nested


def test_constants_as_long_as_there_are_sequences():
    """2.6.2: [3, 3] for six rows in three sequences."""
    x = L.data("x", [2], lod_level=1)
    got, rows = run({"x": packed()}, [L.fill_constant_batch_size_like(x, [-1, 3], "float32", 2.0),
                                      L.fill_constant_batch_size_like(x, [3, -1], "float32", 2.0, 1, 1)])
    assert got.shape == (3, 3) and rows.shape == (3, 2) and (got == 2).all()


def test_no_tables():
    x = L.data("x", [2], lod_level=1)
    with pytest.raises(TypeError, match="x must be"):
        L.lod_rank_table([x])
    with pytest.raises(TypeError, match="lod_rank_table"):
        L.control_flow.lod_tensor_to_array(x, x)
    with pytest.raises(TypeError, match="must be an array of a program"):
        L.control_flow.array_to_lod_tensor(x, L.lod_rank_table(x))
    other, short = L.lod_rank_table(x), L.data("short", [2], lod_level=1)
    array = L.control_flow.lod_tensor_to_array(short, other)
    with pytest.raises(ValueError, match="the rank table is of 6 rows or sequences, x has 2"):
        run({"x": packed(), "short": packed([[1, 1]], X[:2])}, [L.array_length(array)])
