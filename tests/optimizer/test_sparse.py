"""Gradients of an embedding as selected rows: what they are, what optimizers and clips make of them, and what they cost.

``sparse_recorded.json``: tables after three steps of Paddle 2.6.2 with ``sparse=True``. Its Adam is not among them: on sparse
gradients it corrects the bias of a step by the powers of the next one, so that here the dense step is the reference.
"""

import json
import pathlib
import tracemalloc

import numpy as np
import pytest

import paddle
from paddle import static
from paddle.core.rows import SelectedRows
from paddle.nn import ClipGradByGlobalNorm, ClipGradByNorm, ClipGradByValue
from paddle.regularizer import L1Decay, L2Decay
from paddle.serialization import program_desc as desc

RECORDED = json.loads((pathlib.Path(__file__).parent / "data" / "sparse_recorded.json").read_text())
TABLE = (np.arange(21, dtype=np.float32).reshape(7, 3) % 5 - 2) / 4
BATCHES = [([[1, 4], [1, 0]], 1), ([[5, 5], [2, 1]], 2), ([[0, 0], [0, 0]], 0.5)]
WEIGHTS = np.linspace(-1, 1, 12, dtype=np.float32).reshape(2, 2, 3)

OPTIMIZERS = {
    "sgd": ("SGD", {}), "sgd_l2": ("SGD", {"weight_decay": L2Decay(0.1)}), "sgd_l1": ("SGD", {"weight_decay": L1Decay(0.1)}),
    "momentum": ("Momentum", {}), "nesterov": ("Momentum", {"use_nesterov": True}),
    "momentum_l2": ("Momentum", {"weight_decay": L2Decay(0.1)}), "adagrad": ("Adagrad", {}), "rmsprop": ("RMSProp", {}),
    "rmsprop_c": ("RMSProp", {"momentum": 0.5, "centered": True}), "lamb": ("Lamb", {}),
    "clip_norm": ("SGD", {"grad_clip": ClipGradByNorm(0.5)}), "clip_global": ("SGD", {"grad_clip": ClipGradByGlobalNorm(0.5)}),
}
FURTHER = {  # which real Paddle computes otherwise, or can't
    "adam": ("Adam", {}), "adamw": ("AdamW", {}), "adam_amsgrad": ("Adam", {"amsgrad": True}), "adadelta": ("Adadelta", {}),
    "adamax": ("Adamax", {}), "clip_value": ("SGD", {"grad_clip": ClipGradByValue(0.3)}),
    "adam_global": ("Adam", {"grad_clip": ClipGradByGlobalNorm(0.5)}), "adam_l2": ("Adam", {"weight_decay": L2Decay(0.1)}),
}


def dynamic(kind, settings, sparse=True):
    table = paddle.nn.Embedding(7, 3, sparse=sparse, weight_attr=paddle.nn.initializer.Assign(TABLE))
    optimizer = getattr(paddle.optimizer, kind)(0.1, parameters=table.parameters(), **settings)
    for ids, factor in BATCHES:
        (table(paddle.to_tensor(ids)) * paddle.to_tensor(WEIGHTS * np.float32(factor))).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
    return table.weight.numpy()


def in_program(kind, settings, sparse=True):
    main, startup, scope = static.Program(), static.Program(), static.Scope()
    paddle.enable_static()
    try:
        with static.program_guard(main, startup):
            ids, factor = static.data("ids", [2, 2], "int64"), static.data("factor", [2, 2, 3])
            attr = paddle.ParamAttr("table", initializer=paddle.nn.initializer.Assign(TABLE))
            loss = (static.nn.embedding(ids, [7, 3], is_sparse=sparse, param_attr=attr) * factor).sum()
            getattr(paddle.optimizer, kind)(0.1, **settings).minimize(loss)
        with static.scope_guard(scope):
            run = static.Executor().run
            run(startup)
            for batch, factor in BATCHES:
                run(main, feed={"ids": np.array(batch), "factor": WEIGHTS * np.float32(factor)})
            return main, np.array(scope.find_var("table").get_tensor())
    finally:
        paddle.disable_static()


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_steps_are_real_paddles(name):
    assert np.allclose(dynamic(*OPTIMIZERS[name]), RECORDED[name], rtol=0, atol=1e-6)
    assert np.allclose(in_program(*OPTIMIZERS[name])[1], RECORDED[name], rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", FURTHER)
def test_steps_are_those_of_dense_gradients(name):
    kind, settings = FURTHER[name]
    expected = dynamic(kind, settings, sparse=False)
    assert np.allclose(dynamic(kind, settings), expected, rtol=0, atol=1e-6)
    if name != "adam_amsgrad":
        assert np.allclose(in_program(kind, settings)[1], expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("kind, decay", [("Adam", 0.0), ("AdamW", 0.01)])
def test_lazy_mode_touches_the_rows_of_a_step_alone(kind, decay):
    table, first, second, powers = TABLE.astype(np.float64), np.zeros((7, 3)), np.zeros((7, 3)), [0.9, 0.999]
    for ids, factor in BATCHES:
        gradient = np.zeros((7, 3))
        np.add.at(gradient, np.ravel(ids), WEIGHTS.reshape(-1, 3) * factor)
        rows = np.unique(ids)
        first[rows] = 0.9 * first[rows] + 0.1 * gradient[rows]
        second[rows] = 0.999 * second[rows] + 0.001 * gradient[rows] ** 2
        table[rows] *= 1 - 0.1 * decay
        table[rows] -= 0.1 * (first[rows] / (1 - powers[0])) / (np.sqrt(second[rows] / (1 - powers[1])) + 1e-8)
        powers = [powers[0] * 0.9, powers[1] * 0.999]
    assert np.allclose(dynamic(kind, {"lazy_mode": True}), table, atol=1e-5)
    main, found = in_program(kind, {"lazy_mode": True})
    assert np.allclose(found, table, atol=1e-5)
    assert main.global_block().var("table@GRAD").kind == 8  # SELECTED_ROWS
    assert [op.attr("lazy_mode") for op in main.global_block().ops if op.type == kind.lower()] == [True]


def gradient_of(build):
    table = paddle.nn.Embedding(6, 2, sparse=True)
    build(table, paddle.to_tensor([[1, 4], [1, 0]])).backward()
    return table.weight


def test_the_gradient_is_a_tensor_of_rows(engine):
    weight = gradient_of(lambda table, ids: table(ids).sum())
    gradient = weight.grad
    assert gradient.is_selected_rows() and not gradient.is_dense() and gradient.shape == [4, 2] and gradient.rows() == [1, 4, 1, 0]
    rows = gradient.get_selected_rows()
    assert (rows.height(), rows.numel(), np.array(rows.get_tensor()).tolist()) == (6, 8, [[1, 1]] * 4)
    values, numbers = weight.gradient()
    assert values.tolist() == [[1, 1]] * 4 and numbers.tolist() == [1, 4, 1, 0]
    assert "rows=[1, 4, 1, 0], height=6" in str(gradient)
    twice = gradient * 2
    assert twice.rows() == [1, 4, 1, 0] and twice.tolist() == [[2, 2]] * 4
    assert (gradient + 1).tolist() == [[2, 2], [3, 3], [1, 1], [1, 1], [2, 2], [1, 1]]  # the rest is computed of the whole
    merged = paddle.nn.clip.merge_selected_rows(gradient)
    assert merged.rows() == [0, 1, 4] and paddle.nn.clip.get_tensor_from_selected_rows(merged).tolist() == [[1, 1], [2, 2], [1, 1]]
    weight.clear_gradient()
    assert weight.grad is None


def test_gradients_add_up(engine):
    weight = gradient_of(lambda table, ids: table(ids).sum() + table(paddle.to_tensor([2])).sum())
    assert weight.grad.rows() == [0, 1, 2, 4] and weight.grad.numpy().tolist() == [[1, 1], [2, 2], [1, 1], [1, 1]]
    (weight * 1.0).sum().backward()
    assert weight.grad.is_dense() and weight.grad.tolist() == [[2, 2], [3, 3], [2, 2], [1, 1], [2, 2], [1, 1]]
    mixed = gradient_of(lambda table, ids: table(ids).sum() + table.weight.sum())
    assert mixed.grad.tolist() == [[2, 2], [3, 3], [1, 1], [1, 1], [2, 2], [1, 1]]


def test_rules_behind_it_take_the_whole(engine):
    weight = paddle.ones([3, 2])
    weight.stop_gradient = False
    seen = []
    scaled = weight * 3.0
    paddle.nn.functional.embedding(paddle.to_tensor([2, 2]), scaled, sparse=True).sum().backward()
    assert weight.grad.tolist() == [[0, 0], [0, 0], [6, 6]]
    table = paddle.nn.Embedding(3, 2, sparse=True)
    table.weight.register_hook(lambda g: seen.append(g.is_selected_rows()))
    gradient, = paddle.grad(table(paddle.to_tensor([1])).sum(), table.weight)
    assert gradient.is_selected_rows() and seen == [True]
    again, = paddle.grad((table(paddle.to_tensor([1])) ** 2).sum(), table.weight, create_graph=True)
    assert again.is_dense()
    again.sum().backward()
    assert table.weight.grad.rows() == [1] and table.weight.grad.numpy().tolist() == [[2, 2]]


def test_ids_of_padding_have_no_row():
    table = paddle.nn.Embedding(6, 2, padding_idx=1, sparse=True)
    table(paddle.to_tensor([1, 4])).sum().backward()
    assert table.weight.grad.rows() == [4]


def test_translated_functions_and_scaled_losses():
    ends = []
    for sparse in (False, True):
        paddle.seed(3)
        table = paddle.nn.Embedding(50, 4, sparse=sparse)
        translated = paddle.jit.to_static(lambda x, table=table: (table(x) * table(x + 1)).sum())
        optimizer = paddle.optimizer.Momentum(0.1, parameters=table.parameters())
        scaler = paddle.amp.GradScaler(init_loss_scaling=64.0)
        for k in range(4):
            scaler.scale(translated(paddle.to_tensor([[1, 2], [k, 1]]))).backward()
            assert table.weight.grad.is_selected_rows() == sparse
            scaler.step(optimizer)
            scaler.update()
            optimizer.clear_grad()
        ends.append(table.weight.numpy())
    assert np.allclose(*ends, atol=1e-6)


def test_programs_fetch_the_whole_and_pass_it_through_loops():
    paddle.enable_static()
    try:
        main, startup = static.Program(), static.Program()
        with static.program_guard(main, startup):
            ids = static.data("ids", [3], "int64")
            table = static.create_parameter([5, 2], "float32", default_initializer=paddle.nn.initializer.Constant(1.0))

            def body(i, total):
                return i + 1, total + paddle.nn.functional.embedding(ids, table, sparse=True).sum()
            zero = paddle.zeros([1], "int64")
            _, total = static.nn.while_loop(lambda i, total: i < 2, body, [zero, paddle.zeros([1])])
            total.stop_gradient = False
            direct, = static.gradients(paddle.nn.functional.embedding(ids, table, sparse=True).sum(), table)
            looped, = static.gradients(total, table)
        with static.scope_guard(static.Scope()):
            run = static.Executor().run
            run(startup)
            for _ in range(3):
                found = run(main, feed={"ids": np.array([1, 1, 4])}, fetch_list=[direct, looped])
                assert found[0].tolist() == [[0, 0], [2, 2], [0, 0], [0, 0], [1, 1]]
                assert found[1].tolist() == [[0, 0], [4, 4], [0, 0], [0, 0], [2, 2]]
    finally:
        paddle.disable_static()


@pytest.mark.parametrize("kind, settings", [("SGD", {}), ("Adam", {"lazy_mode": True}), ("Adagrad", {})])
def test_a_step_makes_no_gradient_of_the_table(kind, settings):
    table = paddle.nn.Embedding(100_000, 16, sparse=True)  # 6.4 MB
    optimizer = getattr(paddle.optimizer, kind)(0.1, parameters=table.parameters(), **settings)

    def step():
        table(paddle.to_tensor([7, 99_999, 7])).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
    step()
    tracemalloc.start()
    step()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 500_000


def test_selected_rows_by_hand():
    rows = paddle.base.core.SelectedRows([3, 0, 3], 5)
    rows.get_tensor().set(np.array([[1.0], [2.0], [4.0]], np.float32), paddle.CPUPlace())
    assert isinstance(rows, SelectedRows) and rows.dense().ravel().tolist() == [2, 0, 0, 5, 0]
    rows.set_height(4)
    rows.set_rows([1, 2, 0])
    assert rows.dense().ravel().tolist() == [4, 1, 2, 0] and (rows + np.ones((4, 1), np.float32)).ravel().tolist() == [5, 2, 3, 1]


def test_rows_in_a_scope():
    paddle.enable_static()
    try:
        main, scope, kinds = static.Program(), static.Scope(), paddle.base.core.VarDesc.VarType
        given = scope.var("rows").get_selected_rows()
        given.set_rows([0, 5, 5, 4])
        given.set_height(20)
        given.get_tensor().set(np.ones((4, 2), np.float32), paddle.CPUPlace())
        block = main.global_block()
        rows, merged = [block.create_var(name=name, type=kinds.SELECTED_ROWS, persistable=True) for name in ("rows", "merged")]
        values = block.create_var(name="values", dtype="float32", persistable=True)
        block.append_op(type="merge_selected_rows", inputs={"X": rows}, outputs={"Out": merged})
        block.append_op(type="get_tensor_from_selected_rows", inputs={"X": merged}, outputs={"Out": values})
        with static.scope_guard(scope):
            for _ in range(3):
                assert static.Executor().run(main, fetch_list=[values])[0].tolist() == [[1, 1], [1, 1], [2, 2]]
            assert scope.find_var("merged").get_selected_rows().rows() == [0, 4, 5]
    finally:
        paddle.disable_static()


def run_operator(scope, kind, inputs, outputs, *attrs):
    slots = [[desc.Slot(parameter=slot, arguments=[name]) for slot, name in table.items()] for table in (inputs, outputs)]
    operator = paddle.base.core.Operator(desc.OpDesc(type=kind, inputs=slots[0], outputs=slots[1], attrs=list(attrs)))
    operator.run(scope, paddle.CPUPlace())


def test_operators_in_a_scope_take_rows():
    scope = static.Scope()
    rows = scope.var("grad").get_selected_rows()
    rows.set_rows([0, 4, 4])
    rows.set_height(5)
    rows.get_tensor().set(np.array([[1.0], [2.0], [3.0]], np.float32), paddle.CPUPlace())
    for name, value in (("param", np.ones((5, 1))), ("rate", [0.5])):
        scope.var(name).get_tensor().set(np.array(value, np.float32), paddle.CPUPlace())
    run_operator(scope, "sgd", {"Param": "param", "Grad": "grad", "LearningRate": "rate"}, {"ParamOut": "param"})
    assert np.array(scope.find_var("param").get_tensor()).ravel().tolist() == [0.5, 1, 1, 1, -1.5]
    merged, clipped = [scope.var(name).get_selected_rows() for name in ("merged", "clipped")]
    run_operator(scope, "merge_selected_rows", {"X": "grad"}, {"Out": "merged"})
    assert merged.rows() == [0, 4]
    run_operator(scope, "clip_by_norm", {"X": "grad"}, {"Out": "clipped"}, desc.Attr.of("max_norm", desc.AttrType.FLOAT, 1.0))
    assert clipped.rows() == [0, 4] and np.allclose(clipped.values.ravel(), np.array([1, 5]) / 26 ** 0.5)


def test_names_of_states():
    table = paddle.nn.Embedding(4, 2, sparse=True)
    optimizer = paddle.optimizer.Adam(parameters=table.parameters(), lazy_mode=True)
    assert optimizer.get_opti_var_name_list() == []
    table(paddle.to_tensor([1])).sum().backward()
    optimizer.step()
    assert optimizer.get_opti_var_name_list() == [f"{table.weight.name}_{state}_0" for state in (
        "moment1", "moment2", "beta1_pow_acc", "beta2_pow_acc")]


def test_scale_and_sum_of_rows_in_a_scope():
    """Memory set aside for rows may have more values than there are rows: those do not count."""
    scope = static.Scope()
    for name, rows in (("a", [4, 0]), ("b", []), ("c", [0, 4])):
        held = scope.var(name).get_selected_rows()
        held.set_height(5)
        held.set_rows(rows)
        held.get_tensor().set(np.array([[1.0, 2.0], [3.0, 4.0]]), paddle.CPUPlace())
    scaled, total = scope.var("scaled").get_selected_rows(), scope.var("total").get_selected_rows()
    run_operator(scope, "scale", {"X": "a"}, {"Out": "scaled"}, desc.Attr.of("scale", desc.AttrType.FLOAT, 2.0))
    assert (scaled.rows(), scaled.height(), scaled.values.tolist()) == ([4, 0], 5, [[2, 4], [6, 8]])
    slot = desc.Slot(parameter="X", arguments=["a", "b", "c"])
    out = desc.Slot(parameter="Out", arguments=["total"])
    paddle.base.core.Operator(desc.OpDesc(type="sum", inputs=[slot], outputs=[out], attrs=[])).run(scope, paddle.CPUPlace())
    assert (total.rows(), total.values.tolist()) == ([0, 4], [[4, 6], [4, 6]])
    assert SelectedRows([], 3, np.ones((2, 2))).dense().tolist() == [[0, 0]] * 3


@pytest.mark.parametrize("sparse", [False, True])
def test_rmsprop_without_a_mean_it_does_not_read(sparse):
    scope, given = static.Scope(), np.array([[1.0], [2.0]], np.float32)
    for name, value in (("param", np.ones((2, 1))), ("square", np.ones((2, 1))), ("moment", np.zeros((2, 1))), ("rate", [0.5])):
        scope.var(name).get_tensor().set(np.array(value, np.float32), paddle.CPUPlace())
    if sparse:
        rows = scope.var("grad").get_selected_rows()
        rows.set_height(2)
        rows.set_rows([0, 1])
    (rows if sparse else scope.var("grad")).get_tensor().set(given, paddle.CPUPlace())
    run_operator(scope, "rmsprop", {"Param": "param", "Grad": "grad", "MeanSquare": "square", "Moment": "moment",
                                    "LearningRate": "rate"},
                 {"ParamOut": "param", "MeanSquareOut": "square", "MomentOut": "moment"},
                 *[desc.Attr.of(name, desc.AttrType.FLOAT, value)
                   for name, value in (("decay", 0.9), ("epsilon", 1e-6), ("momentum", 0.0))])
    expected = 1 - 0.5 * given / np.sqrt(0.9 + 0.1 * given ** 2 + 1e-6)
    np.testing.assert_allclose(np.array(scope.find_var("param").get_tensor()), expected, rtol=1e-6)
