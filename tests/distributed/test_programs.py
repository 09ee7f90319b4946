"""A static program on two ranks ends with the weights of one process that has the whole batch, and they can be saved."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest
from distributed.conftest import LIMIT, clean_environment

import paddle
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


SWITCHES = """
    import warnings
    import numpy as np
    import paddle
    from paddle.distributed import fleet

    warnings.simplefilter("ignore")
    paddle.enable_static()
    fleet.init(is_collective=True)
    rank, size = fleet.worker_index(), fleet.worker_num()

    def train(way, parallel):
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.utils.unique_name.guard(), paddle.static.program_guard(main, startup):
            paddle.seed(3)
            x = paddle.static.data("x", [None, 6], "float32")
            hidden = paddle.tanh(paddle.nn.Linear(6, 8)(x))
            loss = (paddle.nn.Linear(8, 2)(paddle.tanh(paddle.nn.Linear(8, 8)(hidden))) ** 2).mean()
            optimizer = paddle.optimizer.Adam(0.1)
            if parallel:
                strategy = fleet.DistributedStrategy()
                if way in ("recompute", "lamb", "amp"):
                    setattr(strategy, way, True)
                strategy.recompute_configs = {"checkpoints": [hidden.name]}
                strategy.lamb_configs = {"lamb_weight_decay": 0.02, "exclude_from_weight_decay": ["b_0"]}
                strategy.amp_configs = {"custom_white_list": ["softmax"], "init_loss_scaling": 128.0}
                if way == "wrapped":
                    optimizer = paddle.fluid.optimizer.RecomputeOptimizer(optimizer)
                    optimizer._set_checkpoints([hidden])
                optimizer = fleet.distributed_optimizer(optimizer, strategy)
            elif way == "lamb":
                optimizer = paddle.optimizer.Lamb(0.1, 0.02, epsilon=1e-8, exclude_from_weight_decay_fn=lambda p: "b_0" in p.name)
            optimizer.minimize(loss)
        again = any("@RECOMPUTE" in name for op in main.global_block().ops for name in op.output_arg_names)
        assert again == (parallel and way in ("recompute", "wrapped")), way
        exe, scope, rng = paddle.static.Executor(), paddle.static.Scope(), np.random.RandomState(0)
        part = slice(rank * 8 // size, (rank + 1) * 8 // size) if parallel else slice(None)
        with paddle.static.scope_guard(scope):
            exe.run(startup)
            for _ in range(4):
                exe.run(main, feed={"x": rng.randn(8, 6).astype("float32")[part]}, fetch_list=[loss])
            return [np.array(scope.find_var(p.name).get_tensor()) for p in main.all_parameters()]

    for way in ("recompute", "lamb", "amp", "wrapped"):
        for one, found in zip(train(way, False), train(way, True)):
            np.testing.assert_allclose(found, one, rtol=0, atol=2e-5, err_msg=way)
"""


def test_switches_of_programs_on_two_ranks(launch):
    launch(SWITCHES, 2)


def test_switches_warn_in_eager_training():
    strategy = fleet.DistributedStrategy()
    strategy.lamb = True
    fleet.init(is_collective=True, strategy=strategy)
    try:
        with pytest.warns(UserWarning, match="strategy.lamb acts on static programs"):
            fleet.distributed_optimizer(paddle.optimizer.SGD(0.1, parameters=paddle.nn.Linear(1, 1).parameters()))
    finally:
        fleet.init(is_collective=True)


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
