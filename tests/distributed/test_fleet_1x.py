"""Fleet of 1.x: a program on two ranks ends with the weights of one process that has the whole batch."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest
from distributed.conftest import LIMIT, clean_environment

from paddle import fluid
from paddle.distributed import fleet as modern
from paddle.fluid.incubate.fleet.base import role_maker
from paddle.fluid.incubate.fleet.collective import Collective, CollectiveOptimizer, DistributedStrategy

PROGRAM = """
    import numpy as np
    import paddle
    import paddle.fluid as fluid
    from paddle.distributed import fleet as modern
    from paddle.fluid.incubate.fleet.collective import fleet, DistributedStrategy
    from paddle.fluid.incubate.fleet.base import role_maker

    paddle.enable_static()
    fleet.init(role_maker.PaddleCloudRoleMaker(is_collective=True))
    rank, size = fleet.worker_index(), fleet.worker_num()

    def train(way):
        x, y = fluid.data("x", [None, 6], "float32"), fluid.data("y", [None, 2], "float32")
        out = fluid.layers.fc(fluid.layers.fc(x, 8, act="tanh"), 2)
        loss = fluid.layers.mean(fluid.layers.square(out - y))
        main, startup = fluid.default_main_program(), fluid.default_startup_program()
        optimizer = fluid.optimizer.Momentum(0.1, 0.9)
        program = main
        if way == "fleet":
            fleet.distributed_optimizer(optimizer, strategy=DistributedStrategy()).minimize(loss)
            program, startup = fleet.main_program, fleet.startup_program
        elif way in ("sharding", "merged"):
            strategy = modern.DistributedStrategy()
            strategy.sharding, strategy.gradient_merge = way == "sharding", way == "merged"
            strategy.gradient_merge_configs = {"k_steps": 2, "avg": True}
            modern.init(is_collective=True, strategy=strategy)
            clip = paddle.nn.ClipGradByGlobalNorm(0.1)
            modern.distributed_optimizer(paddle.optimizer.Adam(0.01, grad_clip=clip), strategy).minimize(loss)
        else:
            optimizer.minimize(loss)
            config = fluid.DistributeTranspilerConfig()
            config.mode = "collective" if way == "transpiled" else "nccl2"
            endpoints = ",".join(fleet.worker_endpoints()) if size > 1 else "127.0.0.1:6170"
            fluid.DistributeTranspiler(config).transpile(rank, main, trainers=endpoints, startup_program=startup)
            if way == "nccl2":
                program = fluid.CompiledProgram(main).with_data_parallel(loss_name=loss.name)
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        run = lambda feed: exe.run(program, feed=feed, fetch_list=[loss])
        if way == "parallel":
            parallel = fluid.ParallelExecutor(False, loss.name, main, num_trainers=size, trainer_id=rank)
            run = lambda feed: parallel.run([loss], feed=feed)
        random, part = np.random.RandomState(0), slice(rank * 8 // size, (rank + 1) * 8 // size)
        for _ in range(4):
            a, b = random.randn(8, 6).astype("float32"), random.randn(8, 2).astype("float32")
            run({"x": a[part], "y": b[part]})
        if way == "fleet" and fleet.is_first_worker():
            fleet.save_persistables(exe, f"saved{size}")
        states = [v.name for v in main.list_vars() if v.persistable and "moment" in v.name and "pow" not in v.name]
        return np.concatenate([np.asarray(fluid.global_scope().find_var(p.name).get_tensor()).ravel()
                               for p in main.all_parameters()]), len(states)

    found = {}
    for way in ("fleet", "transpiled", "nccl2", "parallel", "sharding", "merged"):
        paddle.seed(3 + rank)  # rank 0's parameters count
        with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.scope_guard(fluid.Scope()), fluid.unique_name.guard():
            found[way], found[way + " states"] = train(way)
    np.savez(f"weights{size}-{rank}.npz", **found)
"""
WAYS = ("fleet", "transpiled", "nccl2", "parallel", "sharding", "merged")


def test_two_ranks_are_one_process(launch, tmp_path):
    (tmp_path / "alone.py").write_text(textwrap.dedent(PROGRAM))
    done = subprocess.run([sys.executable, "alone.py"], cwd=tmp_path, env=clean_environment(), capture_output=True, text=True,
                          timeout=LIMIT)
    assert done.returncode == 0, done.stderr
    launch(PROGRAM, 2)
    one, first, second = (np.load(tmp_path / f"weights{name}.npz") for name in ("1-0", "2-0", "2-1"))
    for way in WAYS:
        np.testing.assert_array_equal(first[way], second[way], err_msg=way)
        np.testing.assert_allclose(first[way], one[way], rtol=1e-5, atol=1e-6, err_msg=way)
    assert first["sharding states"] + second["sharding states"] == one["sharding states"]  # each has its share of them
    assert min(first["sharding states"], second["sharding states"]) > 0
    assert sorted(p.name for p in (tmp_path / "saved1").iterdir()) == sorted(p.name for p in (tmp_path / "saved2").iterdir())


@pytest.mark.parametrize("setting, value", [("use_local_sgd", True), ("use_dist_fc", True), ("collective_mode", "local_sgd")])
def test_what_is_not_supported_raises(setting, value):
    strategy = DistributedStrategy()
    setattr(strategy, setting, value)
    with pytest.raises(NotImplementedError, match=setting):
        CollectiveOptimizer(fluid.optimizer.SGD(0.1), strategy)


def test_parameter_servers_are_refused(monkeypatch):
    with pytest.raises(NotImplementedError, match="parameter server"):
        Collective().init_server()
    assert role_maker.PaddleCloudRoleMaker().worker_num() == 1
    with monkeypatch.context() as patch, pytest.raises(NotImplementedError, match="is_collective"):
        patch.setenv("PADDLE_PSERVERS_IP_PORT_LIST", "127.0.0.1:1")
        role_maker.PaddleCloudRoleMaker()
    with pytest.raises(NotImplementedError, match="MPISymetricRoleMaker"):
        role_maker.MPISymetricRoleMaker()
    role = role_maker.UserDefinedCollectiveRoleMaker(current_id=0, worker_endpoints=["127.0.0.1:1"])
    assert (role.worker_index(), role.worker_num(), role.is_first_worker(), role.is_server()) == (0, 1, True, False)
    assert Collective().init(role).worker_num() == 1


def test_transpilers_for_parameter_servers_are_refused():
    with pytest.raises(NotImplementedError, match="parameter servers"):
        fluid.DistributeTranspiler()
    config = fluid.DistributeTranspilerConfig()
    config.mode = "nccl2"
    with pytest.raises(ValueError, match="launcher says rank 0 of 1"):
        fluid.DistributeTranspiler(config).transpile(0, trainers="a:1,b:1", program=fluid.Program())
    with pytest.raises(ValueError, match="launcher says rank 0 of 1"):
        fluid.ParallelExecutor(False, main_program=fluid.Program(), num_trainers=2)


@pytest.mark.parametrize("given", [{"init_gloo": True, "path": "./gloo"}, {"server_endpoints": ["127.0.0.1:2"]}])
def test_role_makers_of_servers_are_refused(given):
    with pytest.raises(NotImplementedError, match="parameter server"):
        modern.PaddleCloudRoleMaker(is_collective=False, **given)
