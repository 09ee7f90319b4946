"""append_backward(checkpoints=...): the same gradients with less memory."""

import tracemalloc

import numpy as np
import pytest

import paddle
import paddle.static as static
from paddle.static.recompute import AGAIN

X = np.random.RandomState(0).rand(512, 16).astype("float32")


def network(normed=False, dropped=False, depth=6):
    """A loss and every second layer's result."""
    h, kept = static.data("x", [None, 16]), []
    for k in range(depth):
        h = paddle.exp(paddle.tanh(static.nn.fc(h, 64)) * 0.1)
        if normed:
            h = static.nn.batch_norm(h)
        if dropped:
            h = paddle.nn.functional.dropout(h, 0.3)
        if k % 2:
            kept.append(h)
    return paddle.mean(h * h), kept


def train(checkpointed, **kind):
    """(losses and first gradients of two steps, running statistics, peak memory of a step, the program)."""
    main, startup, scope = static.Program(), static.Program(), static.Scope()
    main.random_seed = startup.random_seed = 3
    with static.program_guard(main, startup), paddle.utils.unique_name.guard(), static.scope_guard(scope):
        loss, kept = network(**kind)
        pairs = static.append_backward(loss, checkpoints=kept if checkpointed else None)
        paddle.optimizer.SGD(0.1).apply_gradients(pairs)
        exe = static.Executor()
        exe.run(startup)
        values = [exe.run(main, feed={"x": X}, fetch_list=[loss, pairs[0][1]]) for _ in range(2)]
        tracemalloc.start()
        exe.run(main, feed={"x": X}, fetch_list=[loss])
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        statistics = {n: scope.get(n) for n in scope.values if "batch_norm" in n and n.endswith(("w_1", "w_2"))}
    return values, statistics, peak, main


@pytest.fixture(autouse=True)
def static_mode():
    paddle.enable_static()
    yield
    paddle.disable_static()


@pytest.mark.parametrize("kind", [{}, {"normed": True}, {"dropped": True}], ids=["plain", "normed", "dropped"])
def test_gradients_are_the_same_and_memory_is_less(kind):
    want, statistics, much, _ = train(False, **kind)
    got, again, little, program = train(True, **kind)
    for a, b in zip(want, got):
        for x, y in zip(a, b):
            np.testing.assert_allclose(x, y, rtol=1e-4, atol=1e-6)
    for name in statistics:  # updated once, not twice
        np.testing.assert_allclose(statistics[name], again[name], rtol=1e-5)
    assert little < 0.75 * much
    copied = [op.type for op in program.global_block().ops if any(n.endswith(AGAIN) for n in op.output_arg_names)]
    assert "tanh" in copied and "dropout" not in copied


def test_what_follows_the_last_checkpoint_is_used_as_it_is():
    main = static.Program()
    with static.program_guard(main, static.Program()):
        loss, kept = network(depth=5)
        static.append_backward(loss, checkpoints=[kept[0].name])
        assert sum(op.type == "tanh" for op in main.global_block().ops) == 5 + 2


def test_data_as_a_checkpoint_changes_nothing():
    counts = []
    for further in ([], ["x"]):  # 2.6.2 takes it too
        with static.program_guard(static.Program(), static.Program()):
            loss, kept = network(depth=5)
            static.append_backward(loss, checkpoints=[*further, kept[0].name])
            counts.append([op.type for op in static.default_main_program().global_block().ops])
    assert counts[0] == counts[1]


def test_a_checkpoint_is_a_variable_of_the_program():
    with static.program_guard(static.Program(), static.Program()):
        loss, _ = network(depth=1)
        with pytest.raises(ValueError, match=r"no operator reads or writes the checkpoint 'other'"):
            static.append_backward(loss, checkpoints=["other"])
        with pytest.raises(TypeError, match="checkpoints must hold Variables or names"):
            static.append_backward(loss, checkpoints=[3])
