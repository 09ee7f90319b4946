"""A static program on two ranks ends with the weights of one process that has the whole batch, and they can be saved."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest
from distributed.conftest import LIMIT, clean_environment

from paddle.distributed import fleet

PROGRAM = """
    import numpy as np
    import paddle
    from paddle.distributed import fleet

    paddle.enable_static()
    fleet.init(is_collective=True)
    rank, size = fleet.worker_index(), fleet.worker_num()
    paddle.seed(3 + rank)  # rank 0's parameters count
    x, y = paddle.static.data("x", [None, 6], "float32"), paddle.static.data("y", [None, 2], "float32")
    hidden, last = paddle.nn.Linear(6, 8), paddle.nn.Linear(8, 2)
    error = last(paddle.tanh(hidden(x))) - y
    loss = (error * error).mean()
    fleet.distributed_optimizer(paddle.optimizer.Momentum(0.1)).minimize(loss)
    program = paddle.static.default_main_program()
    reductions = [op.type for op in program.global_block().ops].count("c_allreduce_sum")
    assert reductions == (4 if size > 1 else 0), reductions
    exe = paddle.static.Executor()
    exe.run(paddle.static.default_startup_program())
    rng, part = np.random.RandomState(0), slice(rank * 8 // size, (rank + 1) * 8 // size)
    for _ in range(5):
        a, b = rng.randn(8, 6).astype("float32"), rng.randn(8, 2).astype("float32")
        exe.run(program, feed={"x": a[part], "y": b[part]}, fetch_list=[loss])
    scope = paddle.static.global_scope()
    def weights():
        return np.concatenate([np.asarray(scope.find_var(p.name).get_tensor()).ravel() for p in program.all_parameters()])

    trained = weights()
    paddle.distributed.io.save_persistables(exe, f"saved{size}", program)
    exe.run(paddle.static.default_startup_program())
    assert not np.array_equal(weights(), trained)
    paddle.distributed.io.load_persistables(exe, f"saved{size}", program)
    np.testing.assert_array_equal(weights(), trained)
    np.save(f"weights{size}-{rank}.npy", trained)
"""


def test_two_ranks_are_one_process(launch, tmp_path):
    (tmp_path / "alone.py").write_text(textwrap.dedent(PROGRAM))
    done = subprocess.run([sys.executable, "alone.py"], cwd=tmp_path, env=clean_environment(), capture_output=True, text=True,
                          timeout=LIMIT)
    assert done.returncode == 0, done.stderr
    launch(PROGRAM, 2)
    one, first, second = (np.load(tmp_path / name) for name in ("weights1-0.npy", "weights2-0.npy", "weights2-1.npy"))
    np.testing.assert_array_equal(first, second)
    np.testing.assert_allclose(first, one, rtol=1e-6, atol=1e-6)


def test_what_programs_cannot_do():
    strategy = fleet.DistributedStrategy()
    with pytest.raises(NotImplementedError, match="stage 2"):
        strategy.sharding_configs = {"stage": 2}


def test_programs_of_1x_calculate_with_variables_outside_of_static_mode():
    source = """
        import paddle.fluid as fluid
        x, y = fluid.data("x", [None, 6], "float32"), fluid.data("y", [None, 6], "float32")
        assert isinstance(x * 2 - y, fluid.framework.Variable)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(source)], env=clean_environment(), capture_output=True, text=True,
                          timeout=LIMIT)
    assert done.returncode == 0, done.stderr
