"""Hybrid parallelism: every way of cutting a model over ranks trains it to the losses of one process."""

import os

import numpy as np
import pytest
from distributed import gpt

import paddle

TWO = ("dp", "mp", "pp", "interleaved", "recomputed", "sharding", "os", "os_g", "p_g_os")
TOLERANCE = {"float64": 1e-9, "float32": 1e-5}


def check(launch, ranks, steps, ways):
    with open(gpt.__file__, encoding="utf-8") as file:
        outcome = launch(file.read(), ranks, args=[str(steps), ",".join(TOLERANCE), *ways])
    found = np.load(os.path.join(outcome.folder, "losses.npz"))
    for kind, tolerance in TOLERANCE.items():
        before = paddle.get_default_dtype()
        paddle.set_default_dtype(kind)
        try:
            expected = gpt.alone(steps)
        finally:
            paddle.set_default_dtype(before)
        assert expected[-2] < expected[0] and expected[-1] < expected[1]  # it learns, so wrong gradients would show
        for way in ways:
            np.testing.assert_allclose(found[f"{way} {kind}"], expected, rtol=0, atol=tolerance, err_msg=f"{way} {kind}")


def test_two_ranks_train_as_one(launch):
    check(launch, 2, 4, TWO)


@pytest.mark.slow
def test_two_ranks_train_as_one_for_20_steps(launch):
    check(launch, 2, 20, TWO)


@pytest.mark.slow
def test_eight_ranks_train_as_one_for_20_steps(launch):
    check(launch, 8, 20, ("all", "sharding_mp_pp"))


@pytest.mark.parametrize("ranks, way", [(2, "pp"), *[pytest.param(2, way, marks=pytest.mark.slow) for way in TWO if way != "pp"],
                                        *[pytest.param(8, way, marks=pytest.mark.slow) for way in ("all", "sharding_mp_pp")]])
@pytest.mark.usefixtures("nothing_left")
def test_a_killed_rank_ends_the_job(launch, ranks, way):
    with open(gpt.__file__, encoding="utf-8") as file:
        outcome = launch(file.read(), ranks, args=["20", "float32", way], env={"GPT_KILLED": "1"}, code=128 + 9)
    assert f"rank {ranks - 1} on" in outcome.err and "was killed by SIGKILL" in outcome.err
    assert not os.path.exists(os.path.join(outcome.folder, "losses.npz"))


RESHARD = """
    import sys
    sys.path.insert(0, sys.argv[1])
    import gpt
    import numpy as np
    import paddle
    import paddle.distributed as dist
    from paddle.distributed import fleet

    source, target, stages, parts = sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
    strategy = fleet.DistributedStrategy()
    strategy.hybrid_configs = {"pp_degree": stages, "mp_degree": parts}
    fleet.init(is_collective=True, strategy=strategy)
    model = gpt.make_model()
    if source != "none":
        expected = {name: p.numpy().copy() for name, p in model.named_parameters()}
        for p in model.parameters():
            p.set_value(np.zeros(p.shape, "float32"))
        dist.load_state_dict(model.state_dict(), source)
        for name, p in model.named_parameters():
            assert np.array_equal(p.numpy(), expected[name]), name
    assert model.state_dict()
    if parts > 1 and "1.qkv.weight" in model.state_dict():
        assert model.state_dict()["1.qkv.weight"].shape == [gpt.HIDDEN, 3 * gpt.HIDDEN // parts]
    dist.save_state_dict(model.state_dict(), target)
"""


def test_checkpoints_of_4_ranks_load_on_2_and_1(launch):
    folder = os.path.dirname(gpt.__file__)
    launch(RESHARD, 4, args=[folder, "none", "four", "2", "2"])
    launch(RESHARD, 2, args=[folder, "four", "two", "1", "2"])
    launch(RESHARD, 2, args=[folder, "two", "stages", "2", "1"])
    launch(RESHARD, 1, args=[folder, "stages", "one", "1", "1"])


SHARDED = """
    import numpy as np
    import paddle
    import paddle.distributed as dist
    from paddle import nn

    dist.init_parallel_env()
    size, rank = dist.get_world_size(), dist.get_rank()
    paddle.set_default_dtype("float64")
    x = np.random.RandomState(0).rand(8, 4, 64)
    found = {}
    for level in ("plain", "os", "os_g", "p_g_os"):
        paddle.seed(1)
        model = nn.Sequential(nn.Linear(64, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh(), nn.Linear(128, 64))
        params = model.parameters()
        optimizer = paddle.optimizer.Adam(0.01, parameters=params, grad_clip=nn.ClipGradByGlobalNorm(1.0))
        if level != "plain":
            model, optimizer, _ = dist.sharding.group_sharded_parallel(model, optimizer, level, segment_size=64)
        for step in range(2):
            for micro in range(2):  # gradients of two passes are added up
                batch = x[step * 4 + micro * 2:][:2]
                rows = batch if level == "plain" else batch[:, rank * 4 // size:(rank + 1) * 4 // size]
                (model(paddle.to_tensor(rows)) ** 2).mean().backward()
            held = sum(p.grad.size for p in params if p.grad is not None)
            optimizer.step()
            optimizer.clear_grad()
        states = sum(t.size for table in optimizer._accumulators.values() for t in table.values())
        found[level + " sizes"] = [sum(p.size for p in params), held, states]
        found[level] = np.concatenate([v.numpy().ravel() for v in model.state_dict().values()])
        whole = optimizer.state_dict()
        found[level + " states"] = np.concatenate([whole[k].numpy().ravel() for k in sorted(whole) if "moment1" in k])
        if level == "p_g_os":  # loading gives back what was saved
            optimizer.set_state_dict(whole)
            model.set_state_dict(model.state_dict())
            again = np.concatenate([v.numpy().ravel() for v in model.state_dict().values()])
            assert np.array_equal(again, found[level])
    np.savez(f"sharded.{rank}.npz", **found)
"""


def test_sharding_on_4_ranks_shares_out_and_adds_up(launch, tmp_path):
    launch(SHARDED, 4)
    held = {}
    for rank in range(4):
        found = np.load(tmp_path / f"sharded.{rank}.npz")
        for level in ("os", "os_g", "p_g_os"):
            np.testing.assert_allclose(found[level], found["plain"], rtol=0, atol=1e-9, err_msg=level)
            assert found[f"{level} states"].size == found["plain states"].size
            held.setdefault(level, []).append(found[f"{level} sizes"])
    whole, states = found["plain sizes"][0], found["plain sizes"][2]
    sums = {level: np.sum(sizes, 0) for level, sizes in held.items()}
    assert list(sums["os"][:2]) == [4 * whole, 4 * whole] and sums["os"][2] < 1.01 * states
    assert sums["os_g"][0] == 4 * whole and sums["os_g"][1] == whole
    assert sums["p_g_os"][0] < 1.01 * whole and sums["p_g_os"][1] < 1.01 * whole and sums["p_g_os"][2] < 1.01 * states
