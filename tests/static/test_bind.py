"""Plans bound to the forms of what they are given: later runs give what the first gave, at any shape, and stay bounded."""

import threading

import numpy as np
import pytest

import paddle
from paddle import kernels, static
from paddle.core.context import process
from paddle.nn import functional as F
from paddle.static.ir.lower import lower
from paddle.static.schedule import plan as plans
from paddle.static.schedule.plan import Plan


def array(*shape, seed=0):
    return np.random.RandomState(seed).randn(*shape).astype("float32")


def plan_of(function, *shapes, dtype="float32"):
    """A Plan of a function of Variables, with the arrays of its states."""
    main = static.Program()
    with static.program_guard(main):
        xs = [static.data(f"x{k}", shape, dtype) for k, shape in enumerate(shapes)]
        for x in xs:
            x.stop_gradient = False
        outs = function(*xs)
    graph = lower(main, [x.name for x in xs], [o.name for o in (outs if isinstance(outs, (list, tuple)) else [outs])])
    return Plan(graph), [main.captured[n]._data for n in graph.states]


def network(x):
    paddle.seed(1)
    h = paddle.nn.Linear(6, 8)(x)
    y = paddle.tanh(h) * F.sigmoid(h) + h
    loss = paddle.mean((paddle.nn.Linear(8, 3)(F.relu(y)) - 1) ** 2)
    return [loss, *static.gradients([loss], [x])]


def check_runs(plan, inputs, states=()):
    first, *later = [plan(inputs, states) for _ in range(4)]
    for outputs, updates in later:
        for a, b in zip([*outputs, *updates], [*first[0], *first[1]]):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
            assert a.dtype == b.dtype and a.shape == b.shape
    return first


def test_the_third_run_runs_a_routine_and_gives_the_same():
    plan, states = plan_of(network, [None, 6])
    check_runs(plan, [array(5, 6)], states)
    assert len(plan.routines) == 1


def test_every_shape_gets_a_routine_of_its_own_and_their_number_is_bounded():
    plan, states = plan_of(network, [None, 6])
    for n in range(1, plans.MOST_ROUTINES + 6):
        first = check_runs(plan, [array(n, 6, seed=n)], states)
        assert first[0][1].shape == (n, 6)
    assert len(plan.routines) == plans.MOST_ROUTINES
    assert len(plan.seen) <= 4 * plans.MOST_ROUTINES


def test_shapes_met_once_cost_no_binding():
    plan, states = plan_of(network, [None, 6])
    for n in range(1, 9):
        plan([array(n, 6)], states)
    assert not plan.routines


def test_layouts_are_part_of_the_form():
    plan, states = plan_of(network, [None, 6])
    x = array(5, 6)
    expected = check_runs(plan, [x], states)
    for _ in range(3):
        found = plan([np.asfortranarray(x)], states)
        np.testing.assert_allclose(found[0][1], expected[0][1], rtol=1e-5, atol=1e-6)


def test_values_that_change_the_shape_of_a_result():
    plan, _ = plan_of(lambda x: [paddle.sum(paddle.masked_select(x, x > 0) * 2), paddle.exp(x)], [4])
    for values in ([1, 2, 3, 4], [1, 2, 3, 5], [-1, -2, 3, 4], [1, 1, 1, 1], [-1, -1, -1, -1]):
        x = np.asarray(values, "float32")
        (total, exp), _ = plan([x])
        assert total == 2 * x[x > 0].sum()
        np.testing.assert_allclose(exp, np.exp(x), rtol=1e-6)
    assert len(plan.routines) == 1


def test_errors_of_later_runs_name_the_operator_and_the_line():
    plan, _ = plan_of(lambda x: F.embedding(x, paddle.ones([3, 2])), [2], dtype="int64")
    _, states = plan, [np.ones([3, 2], "float32")] * len(plan.state_names)
    for _ in range(3):
        plan([np.asarray([0, 2])], states)
    with pytest.raises((IndexError, ValueError), match=r"(?s)7.*lookup_table_v2.*test_bind"):
        plan([np.asarray([0, 7])], states)


def test_turning_kernels_off_turns_routines_off():
    plan, states = plan_of(network, [None, 6])
    check_runs(plan, [array(5, 6)], states)
    before = kernels.use(False)
    try:
        check_runs(plan, [array(5, 6)], states)
    finally:
        kernels.use(before)
    check_runs(plan, [array(5, 6)], states)


def test_threads_share_a_plan():
    plan, states = plan_of(network, [None, 6])
    expected = {n: plan([array(n, 6, seed=n)], states)[0][1] for n in range(2, 6)}
    wrong = []

    def run(n):
        for _ in range(50):
            if not np.allclose(plan([array(n, 6, seed=n)], states)[0][1], expected[n], rtol=1e-5, atol=1e-6):
                wrong.append(n)
    threads = [threading.Thread(target=run, args=[n]) for n in expected]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_no_result_shares_memory_with_a_later_one():
    plan, states = plan_of(network, [None, 6])
    results = [plan([array(5, 6, seed=k)], states)[0] for k in range(6)]
    copies = [[np.array(v) for v in r] for r in results]
    plan([array(5, 6, seed=9)], states)
    for r, c in zip(results, copies):
        for a, b in zip(r, c):
            np.testing.assert_array_equal(a, b)


@pytest.mark.skipif(process.native is None, reason="only kernels write into given memory")
def test_results_take_the_memory_of_values_that_died():
    from paddle.static.schedule.binding import Binding

    def products(x):
        w = paddle.ones([8, 8]) * 0.1
        for _ in range(6):
            x = F.relu(paddle.matmul(x, w))
        return x
    plan, states = plan_of(products, [None, 8])
    expected = plan([array(5, 8)], states)[0][0]
    binding = Binding(plan, [array(5, 8)], states)
    routine = binding.routine()
    taken = [note.spare for note in binding.notes if note.spare]
    assert len(taken) > 6 and len(set(taken)) == len(taken)
    for _ in range(2):
        np.testing.assert_allclose(routine([array(5, 8)], states)[0][0], expected, rtol=1e-5)


UNUSUAL = {"byte order": lambda a: a.astype(">f4"), "strided": lambda a: a[::-1],
           "broadcast": lambda a: np.broadcast_to(a[:1], a.shape)}


@pytest.mark.parametrize("name", UNUSUAL)
def test_unusual_arrays(name):
    plan, states = plan_of(network, [None, 6])
    x = UNUSUAL[name](array(5, 6))
    expected = plan([np.ascontiguousarray(x, "float32")], states)
    for _ in range(3):
        found = plan([x], states)
        np.testing.assert_allclose(found[0][1].astype("float32"), expected[0][1], rtol=1e-5, atol=1e-6)


def test_unaligned_arrays_are_fed(static_mode):
    x = static.data("x", [None, 6])
    y = paddle.matmul(x, paddle.ones([6, 2]))
    a = array(5, 6)
    unaligned = np.frombuffer(b"x" + a.tobytes(), "uint8")[1:].view("<f4").reshape(a.shape)
    exe = static.Executor()
    for _ in range(3):
        got, = exe.run(feed={"x": unaligned}, fetch_list=[y])
        np.testing.assert_allclose(got, a @ np.ones([6, 2], "float32"), rtol=1e-5, atol=1e-6)
