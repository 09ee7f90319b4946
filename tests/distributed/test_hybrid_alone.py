"""Hybrid parallelism in a process alone: schedules, cutting into stages, random streams, layers in a world of one."""

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.distributed import fleet
from paddle.distributed.clip import clip_together
from paddle.distributed.fleet.layers.mpu import mp_ops
from paddle.distributed.fleet.meta_parallel import (
    ColumnParallelLinear,
    LayerDesc,
    ParallelCrossEntropy,
    PipelineLayer,
    RNGStatesTracker,
    RowParallelLinear,
    SharedLayerDesc,
    VocabParallelEmbedding,
    schedule,
)
from paddle.distributed.fleet.meta_parallel.pp_layers import SegmentLayers
from paddle.distributed.fleet.topology import CommunicateTopology
from paddle.distributed.fleet.utils import sequence_parallel_utils as sequences
from paddle.distributed.fleet.utils.mix_precision_utils import MixPrecisionLayer, MixPrecisionOptimizer


def simulate(orders, stages, chunks):
    """Run the orders of all stages against each other; returns the most activations that each stage held at once."""
    done, at, most = set(), [0] * stages, [0] * stages
    last = stages * chunks - 1
    while any(n < len(order) for n, order in zip(at, orders)):
        moved = False
        for stage, order in enumerate(orders):
            while at[stage] < len(order):
                forward, chunk, micro = order[at[stage]]
                part = chunk * stages + stage
                need = (True, part - 1, micro) if forward else (False, part + 1, micro)
                if (part > 0 if forward else part < last) and need not in done:
                    break
                assert forward or (True, part, micro) in done
                done.add((forward, part, micro))
                at[stage] += 1
                moved = True
                held = sum(1 if f else -1 for f, _, _ in order[:at[stage]])
                most[stage] = max(most[stage], held)
        assert moved, "deadlock"
    return most


@pytest.mark.parametrize("stages, micros", [(1, 3), (2, 1), (2, 4), (3, 2), (4, 9)])
def test_1f1b_holds_no_more_than_the_stages_behind(stages, micros):
    orders = [schedule.one_forward_one_backward(s, stages, micros) for s in range(stages)]
    assert all(sorted(order) == sorted((f, 0, m) for f in (False, True) for m in range(micros)) for order in orders)
    assert simulate(orders, stages, 1) == [min(stages - s, micros) for s in range(stages)]


@pytest.mark.parametrize("stages, micros, chunks", [(2, 2, 2), (2, 4, 2), (4, 8, 3), (3, 6, 2), (1, 2, 2)])
def test_interleaved_orders_are_complete_and_do_not_wait_in_a_circle(stages, micros, chunks):
    for make in (schedule.interleaved, lambda s, n, m, c: schedule.forward_then_backward(s, n, m, c)):
        orders = [make(s, stages, micros, chunks) for s in range(stages)]
        whole = sorted((f, c, m) for f in (False, True) for c in range(chunks) for m in range(micros))
        assert all(sorted(order) == whole for order in orders)
        simulate(orders, stages, chunks)
    if stages > 1:
        with pytest.raises(ValueError, match="multiple"):
            schedule.interleaved(0, stages, micros + 1, chunks)


def test_cutting_into_stages():
    descs = [nn.Linear, nn.ReLU, nn.Linear, nn.ReLU, nn.Linear, nn.Linear, nn.ReLU]
    descs = [LayerDesc(kind, 2, 2) if kind is nn.Linear else LayerDesc(kind) for kind in descs]
    assert SegmentLayers(descs, 3).do_segment() == [0, 2, 4, 7]  # as Paddle: the last parts are longer
    assert SegmentLayers(descs, 2, "layer:Linear").do_segment() == [0, 3, 7]
    assert SegmentLayers(descs, 2, [0, 5]).do_segment() == [0, 5, 7]
    for method, message in (("layer:Conv", "0 layers"), ([0, 9], "boundaries"), ("x", "method"), ("layer:ReLU", "3 layers")):
        with pytest.raises(ValueError, match=message):
            SegmentLayers(descs, 2, method).do_segment()
    with pytest.raises(ValueError, match="parts"):
        SegmentLayers(descs, 8)


def test_topology_of_three_axes():
    grid = CommunicateTopology(["data", "pipe", "model"], [2, 2, 2])
    assert grid.get_fused_ranks(["pipe", "model"]) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert grid.get_rank_from_stage(5, pipe=1) == 7 and grid.get_coord(5).model == 1
    with pytest.raises(ValueError, match="no axis"):
        grid.get_dim("sharding")


def test_grid_of_one():
    fleet.init(is_collective=True)
    hybrid = fleet.get_hybrid_communicate_group()
    assert hybrid.get_parallel_mode() == 0 and hybrid.is_first_stage and hybrid.is_last_stage
    for axis in ("data", "model", "sharding", "sep"):
        assert getattr(hybrid, f"get_{axis}_parallel_rank")() == 0 and getattr(hybrid, f"get_{axis}_parallel_world_size")() == 1
        assert getattr(hybrid, f"get_{axis}_parallel_group")().ranks == [0]
        assert getattr(hybrid, f"get_{axis}_parallel_group_src_rank")() == 0
    assert (hybrid.get_stage_id(), hybrid.get_pipe_parallel_world_size(), hybrid.get_rank_from_stage(0)) == (0, 1, 0)
    assert hybrid.get_check_parallel_group().ranks == hybrid.get_dp_sep_parallel_group().ranks == [0]
    strategy = fleet.DistributedStrategy()
    strategy.hybrid_configs = {"mp_degree": 2}
    with pytest.raises(ValueError, match="mp 2 = 2 workers, but 1 run"):
        fleet.init(is_collective=True, strategy=strategy)


def test_cut_layers_alone_are_the_whole_layers():
    x = paddle.to_tensor(np.random.RandomState(0).rand(3, 4).astype("float32"))
    column, row = ColumnParallelLinear(4, 6, has_bias=True), RowParallelLinear(4, 6)
    for layer in (column, row):
        np.testing.assert_array_equal(layer(x).numpy(), nn.functional.linear(x, layer.weight, layer.bias).numpy())
    assert ColumnParallelLinear(4, 6).bias is None
    words = paddle.to_tensor([[1, 2], [0, 7]])
    table = VocabParallelEmbedding(8, 4)
    np.testing.assert_array_equal(table(words).numpy(), table.weight.numpy()[words.numpy()])
    with pytest.raises(ValueError, match="outside"):
        table(paddle.to_tensor([8]))


def test_part_of_a_table_gives_zeros_for_other_words():
    table = paddle.to_tensor(np.arange(6.0).reshape(3, 2), stop_gradient=False)
    rows = mp_ops._c_lookup_table(table, paddle.to_tensor([0, 4, 5, 7]), start_index=4)
    assert rows.tolist() == [[0, 0], [0, 1], [2, 3], [0, 0]]
    rows.sum().backward()
    assert table.grad.tolist() == [[1, 1], [1, 1], [0, 0]]


def test_parallel_cross_entropy_alone_is_cross_entropy():
    random = np.random.RandomState(0)
    logits, label = random.randn(2, 3, 5), np.array([[0, 4, -100], [2, 2, 1]])
    grads = []
    for loss_of in (lambda x, y: ParallelCrossEntropy()(x, y), lambda x, y: nn.functional.cross_entropy(x, y, reduction="none")):
        x = paddle.to_tensor(logits, stop_gradient=False)
        loss = loss_of(x, paddle.to_tensor(label[..., None]))
        assert loss.shape == [2, 3, 1]
        (loss * paddle.to_tensor(np.arange(6.0).reshape(2, 3, 1))).sum().backward()
        grads.append((loss.numpy(), x.grad.numpy()))
    np.testing.assert_allclose(grads[0][0], grads[1][0], atol=1e-12)
    np.testing.assert_allclose(grads[0][1], grads[1][1], atol=1e-12)
    with pytest.raises(ValueError, match="outside"):
        ParallelCrossEntropy()(paddle.rand([2, 5]), paddle.to_tensor([1, 5]))


def test_random_streams():
    tracker = RNGStatesTracker()
    tracker.add("a", 1)
    for name, seed in (("a", 2), ("b", 1)):
        with pytest.raises(ValueError):
            tracker.add(name, seed)
    paddle.seed(5)
    expected = paddle.rand([4]).numpy()
    paddle.seed(1)
    inside = paddle.rand([4]).numpy()
    paddle.seed(5)
    with tracker.rng_state("a"):
        np.testing.assert_array_equal(paddle.rand([2]).numpy(), inside[:2])
    np.testing.assert_array_equal(paddle.rand([4]).numpy(), expected)
    with tracker.rng_state("a"):
        assert not np.array_equal(paddle.rand([2]).numpy(), inside[:2])  # the stream went on
    with pytest.raises(ValueError, match="no stream"), tracker.rng_state("c"):
        pass


def test_recompute_draws_the_same_from_named_streams():
    from paddle.distributed.fleet.layers.mpu.random import dropout, get_rng_state_tracker, model_parallel_random_seed
    model_parallel_random_seed(7)
    x = paddle.ones([64])
    x.stop_gradient = False
    out = fleet.utils.recompute(lambda v: dropout(v, 0.5, rng_name="model_parallel_rng"), x)
    before = get_rng_state_tracker().get_states_tracker()["model_parallel_rng"]
    out.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), out.numpy())
    assert get_rng_state_tracker().get_states_tracker()["model_parallel_rng"] is before


def test_pipeline_of_one_stage_trains_and_saves(tmp_path):
    strategy = fleet.DistributedStrategy()
    strategy.pipeline_configs = {"accumulate_steps": 2, "micro_batch_size": 3}
    fleet.init(is_collective=True, strategy=strategy)
    x, y = paddle.rand([6, 4]), paddle.rand([6, 4])
    results = []
    for chunks in (1, 2):
        paddle.seed(3)
        layers = PipelineLayer([SharedLayerDesc("io", nn.Linear, None, "weight", 4, 4), paddle.tanh, LayerDesc(nn.Linear, 4, 4),
                                SharedLayerDesc("io", nn.Linear, lambda layer, v: layer(v) * 2, "weight", 4, 4)],
                               loss_fn=nn.MSELoss(), num_virtual_pipeline_stages=chunks)
        model = fleet.distributed_model(layers)
        optimizer = fleet.distributed_optimizer(paddle.optimizer.SGD(0.1, parameters=model.parameters()))
        plain = float(nn.MSELoss()(run(layers, x, chunks), y))
        first = float(model.train_batch((x, y), optimizer))
        assert abs(plain - first) < 1e-6
        results.append([first, float(model.eval_batch((x, y), compute_loss=True))])
        assert results[-1][1] < first
    np.testing.assert_allclose(results[0], results[1], atol=1e-6)
    layers.save_state_dict(str(tmp_path))
    assert len(list(tmp_path.iterdir())) == 2
    with pytest.raises(ValueError, match="rows"):
        model.train_batch((x[:4], y), optimizer)


def run(layers, x, chunks):
    for chunk in range(chunks):
        x = layers(x, chunk if chunks > 1 else None)
    return x


def test_clipping_alone_is_the_clip_of_nn():
    params = [nn.Linear(3, 3).weight for _ in range(2)]
    params[1].need_clip = False
    pairs = [(p, paddle.full([3, 3], 2.0)) for p in params]
    clip = nn.ClipGradByGlobalNorm(1.0)
    for (_, found), (_, expected) in zip(clip_together(clip, pairs), clip(pairs)):
        np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-6)


def test_main_gradients():
    layer = nn.Linear(2, 2).bfloat16()
    model = MixPrecisionLayer(layer, "bfloat16")
    optimizer = MixPrecisionOptimizer(paddle.optimizer.SGD(1.0, parameters=layer.parameters(), multi_precision=True))
    before = layer.bias.astype("float32").numpy()
    for _ in range(2):
        model(paddle.ones([1, 2], "bfloat16")).sum().backward()
    assert layer.bias.grad is None and layer.bias.main_grad.dtype == paddle.float32
    assert layer.bias.main_grad.tolist() == [2.0, 2.0]
    optimizer.step()
    np.testing.assert_allclose(layer.bias.astype("float32").numpy(), before - 2, atol=0.05)
    optimizer.clear_grad()
    assert layer.bias.main_grad.tolist() == [0.0, 0.0]
    assert sorted(model.state_dict()) == ["bias", "weight"]


def test_sequence_parallel_layers_alone():
    x = paddle.rand([4, 2, 3])
    column = sequences.ColumnSequenceParallelLinear(3, 6, has_bias=True, gather_output=False)
    row = sequences.RowSequenceParallelLinear(6, 3, input_is_parallel=True)
    expected = nn.functional.linear(nn.functional.linear(x, column.weight, column.bias), row.weight, row.bias)
    np.testing.assert_array_equal(row(column(x)).numpy(), expected.numpy())
    for op in (sequences.ScatterOp, sequences.GatherOp, sequences.AllGatherOp, sequences.ReduceScatterOp):
        np.testing.assert_array_equal(op.apply(x).numpy(), x.numpy())


def test_destroying_all_groups_destroys_the_grid_of_one_rank():
    from paddle.distributed.fleet.meta_parallel import VocabParallelEmbedding
    VocabParallelEmbedding(4, 2)
    paddle.distributed.destroy_process_group()
    assert VocabParallelEmbedding(4, 2)(paddle.to_tensor([1, 2])).shape == [2, 2]
