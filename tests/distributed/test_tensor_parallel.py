"""Layers and operations that are cut over two ranks: equal to the whole layer, and so are the gradients."""

import pytest

LAYERS = """
    import numpy as np
    import paddle
    import paddle.distributed as dist
    from paddle import nn
    from paddle.distributed import fleet
    from paddle.distributed.fleet.layers.mpu import mp_ops
    from paddle.distributed.fleet.meta_parallel import (ColumnParallelLinear, ParallelCrossEntropy, RowParallelLinear,
                                                        get_rng_state_tracker)
    from paddle.distributed.fleet.utils import sequence_parallel_utils as sequences
    from paddle.distributed.fleet.utils.hybrid_parallel_util import broadcast_input_data

    strategy = fleet.DistributedStrategy()
    strategy.hybrid_configs = {"mp_degree": 2}
    strategy.tensor_parallel_configs = {"tensor_init_seed": 5}
    paddle.set_default_dtype("float64")
    fleet.init(is_collective=True, strategy=strategy)
    hybrid = fleet.get_hybrid_communicate_group()
    rank, group = hybrid.get_model_parallel_rank(), hybrid.get_model_parallel_group()
    assert (hybrid.get_parallel_mode(), rank, group.ranks) == (1, dist.get_rank(), [0, 1])
    random = np.random.RandomState(0)
    x0, w0, b0, g0 = random.rand(4, 2, 6), random.rand(6, 8), random.rand(8), random.rand(4, 2, 8)

    def half(array, axis):
        return np.split(array, 2, axis)[rank]

    def leaf(array):
        return paddle.to_tensor(array, stop_gradient=False)

    def close(found, expected):
        np.testing.assert_allclose(found.numpy(), expected, rtol=0, atol=1e-12)

    x, w, b = leaf(x0), leaf(w0), leaf(b0)
    out = nn.functional.linear(x, w, b)
    (out * paddle.to_tensor(g0)).sum().backward()

    def check(layer, axis, run, bias_axis):
        layer.weight.set_value(half(w0, axis))
        layer.bias.set_value(half(b0, 0) if bias_axis else b0)
        mine = leaf(x0)
        run(layer, mine)
        close(mine.grad, x.grad.numpy())
        close(layer.weight.grad, half(w.grad.numpy(), axis))
        close(layer.bias.grad, half(b.grad.numpy(), 0) if bias_axis else b.grad.numpy())

    def whole(layer, mine):
        found = layer(mine)
        close(found, out.numpy())
        (found * paddle.to_tensor(g0)).sum().backward()

    def columns(layer, mine):
        found = layer(mine)
        close(found, half(out.numpy(), -1))
        (found * paddle.to_tensor(half(g0, -1))).sum().backward()

    check(ColumnParallelLinear(6, 8, has_bias=True), 1, whole, True)
    check(ColumnParallelLinear(6, 8, has_bias=True, gather_output=False), 1, columns, True)
    check(RowParallelLinear(6, 8), 0, whole, False)
    split = RowParallelLinear(6, 8, input_is_parallel=True)
    check(split, 0, lambda layer, mine: whole(lambda v: layer(mp_ops._c_split(v)), mine), False)

    # sequence parallel: each rank has half of the rows between the layers
    up = sequences.ColumnSequenceParallelLinear(6, 8, has_bias=True, gather_output=False)
    down = sequences.RowSequenceParallelLinear(8, 6, input_is_parallel=True)
    up.weight.set_value(half(w0, 1)); up.bias.set_value(half(b0, 0))
    v0, c0 = random.rand(8, 6), random.rand(6)
    down.weight.set_value(half(v0, 0)); down.bias.set_value(c0)
    model = nn.Sequential(up, nn.Tanh(), down)
    sequences.register_sequence_parallel_allreduce_hooks(model, 1, True)
    mine = leaf(half(x0, 0))
    found = model(mine)
    (found * found).sum().backward()
    x, w, v, c = leaf(x0), leaf(w0), leaf(v0), leaf(c0)
    expected = nn.functional.linear(paddle.tanh(nn.functional.linear(x, w, paddle.to_tensor(b0))), v, c)
    (expected * expected).sum().backward()
    close(found, half(expected.numpy(), 0))
    close(mine.grad, half(x.grad.numpy(), 0))
    close(up.weight.grad, half(w.grad.numpy(), 1))
    close(down.weight.grad, half(v.grad.numpy(), 0))
    close(down.bias.grad, c.grad.numpy())

    # cross entropy over cut classes, with labels of both ranks and one that is ignored
    logits0, label = random.randn(5, 8), np.array([0, 7, 3, 4, -100])
    mine, whole_logits = leaf(half(logits0, 1)), leaf(logits0)
    loss = ParallelCrossEntropy()(mine, paddle.to_tensor(label))
    expected = nn.functional.cross_entropy(whole_logits, paddle.to_tensor(label), reduction="none")
    close(loss.reshape([5]), expected.numpy().reshape(5))
    loss.sum().backward(); expected.sum().backward()
    close(mine.grad, half(whole_logits.grad.numpy(), 1))

    # streams: equal outside of the tracker, different within
    draws = []
    dist.all_gather(draws, paddle.rand([3]))
    assert draws[0].tolist() == draws[1].tolist()
    with get_rng_state_tracker().rng_state():
        local = paddle.rand([3])
    draws = []
    dist.all_gather(draws, local)
    assert draws[0].tolist() != draws[1].tolist()

    (first, (second,)), named = broadcast_input_data(hybrid, leaf(x0 + rank), [paddle.to_tensor(rank)], mask=None, n=rank)
    close(first, x0)
    assert second.item() == 0 and named == {"mask": None, "n": 0} and not first.stop_gradient
"""


def test_two_ranks_compute_as_one(launch):
    launch(LAYERS, 2)


def test_two_ranks_compute_as_one_with_calls_compared(launch):
    launch(LAYERS, 2, env={"PADDLE_DISTRIBUTED_DEBUG": 1})


KILLED = """
    import os, signal
    import paddle
    import paddle.distributed as dist
    from paddle import nn
    from paddle.distributed import fleet
    from paddle.distributed.fleet.meta_parallel import LayerDesc, PipelineLayer, RowParallelLinear

    class Ends(nn.Layer):
        def forward(self, x):
            if dist.get_rank() == 1:
                os.kill(os.getpid(), signal.SIGKILL)
            return x

    strategy = fleet.DistributedStrategy()
    strategy.hybrid_configs = {"%s_degree": 2}
    strategy.pipeline_configs = {"accumulate_steps": 2, "micro_batch_size": 1}
    fleet.init(is_collective=True, strategy=strategy)
    layers = PipelineLayer([LayerDesc(nn.Linear, 2, 2), LayerDesc(Ends), LayerDesc(Ends), LayerDesc(RowParallelLinear, 2, 2)],
                           loss_fn=nn.MSELoss())
    model = fleet.distributed_model(layers)
    optimizer = fleet.distributed_optimizer(paddle.optimizer.SGD(0.1, parameters=model.parameters()))
    model.train_batch((paddle.rand([2, 2]), paddle.rand([2, 2])), optimizer)
"""


@pytest.mark.parametrize("axis", ["pp", "mp", "sharding"])
def test_a_killed_rank_ends_the_job_with_its_name(launch, nothing_left, axis):
    outcome = launch(KILLED % axis, 2, code=None)
    assert outcome.code != 0 and "rank 1" in outcome.out + outcome.err and "SIGKILL" in outcome.out + outcome.err
