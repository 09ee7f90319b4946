"""Gradients that travel in half precision: close to the plain ones, the same on all ranks, and really rounded."""

import pytest

import paddle

PROGRAM = """
    import numpy as np
    import paddle
    import paddle.distributed as dist
    from paddle.distributed import fleet

    fleet.init(is_collective=True)
    rank, size = dist.get_rank(), dist.get_world_size()
    rng = np.random.RandomState(rank)
    x = paddle.to_tensor(rng.randn(8, 7).astype("float32"))

    def gradients(wrap):
        paddle.seed(5)
        model = wrap(paddle.nn.Sequential(paddle.nn.Linear(7, 33), paddle.nn.Tanh(), paddle.nn.Linear(33, 3)))
        (model(x) ** 2).mean().backward()
        return np.concatenate([p.grad.numpy().ravel() for p in model.parameters()])

    plain = gradients(paddle.DataParallel)
    for kind, digits in (("float16", 2.0 ** -10), ("bfloat16", 2.0 ** -7)):
        found = gradients(lambda model: paddle.DataParallel(model, compression=kind))
        assert found.dtype == np.float32 and not np.array_equal(found, plain)
        np.testing.assert_allclose(found, plain, rtol=0, atol=digits * np.abs(plain).max())
        parts = []
        dist.all_gather(parts, paddle.to_tensor(found))
        assert all(np.array_equal(p.numpy(), found) for p in parts)
    strategy = fleet.DistributedStrategy()
    strategy.fp16_allreduce = True
    fleet.init(is_collective=True, strategy=strategy)
    half = gradients(fleet.distributed_model)
    assert np.array_equal(half, gradients(lambda model: paddle.DataParallel(model, compression="float16")))

    paddle.enable_static()
    data = paddle.static.data("x", [None, 7], "float32")
    paddle.seed(5)
    first, last = paddle.nn.Linear(7, 33), paddle.nn.Linear(33, 3)
    loss = (last(paddle.tanh(first(data))) ** 2).mean()
    fleet.distributed_optimizer(paddle.optimizer.SGD(1.0), strategy).minimize(loss)
    program = paddle.static.default_main_program()
    reduced = [op for op in program.global_block().ops if op.type == "c_allreduce_sum"]
    assert len(reduced) == 4
    assert all(program.global_block().var(op.input("X")[0]).dtype == paddle.float16 for op in reduced)
    exe = paddle.static.Executor()
    exe.run(paddle.static.default_startup_program())
    def weights():
        scope = paddle.static.global_scope()
        return np.concatenate([np.array(scope.find_var(p.name).get_tensor()).ravel() for p in program.all_parameters()])
    before = weights()
    exe.run(program, feed={"x": x.numpy()})
    np.testing.assert_allclose(before - weights(), plain, rtol=0, atol=2.0 ** -10 * np.abs(plain).max())
"""


def test_halves_on_three_ranks(launch):
    launch(PROGRAM, 3)


def test_wrong_kind():
    with pytest.raises(ValueError, match="compression"):
        paddle.DataParallel(paddle.nn.Linear(1, 1), compression="int8")
