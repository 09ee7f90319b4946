"""Semi-automatic parallelism: a model on a mesh of ranks trains as on one process, however it is cut."""

import os

import numpy as np
import pytest
from distributed import planned, semi, semi_ops

import paddle
import paddle.distributed as dist
from paddle.distributed.auto_parallel.placement_type import to_placements


@pytest.mark.parametrize("ranks", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_a_model_trains_as_on_one_process(launch, ranks):
    with open(semi.__file__, encoding="utf-8") as file:
        outcome = launch(file.read(), ranks)
    before = paddle.get_default_dtype()
    paddle.set_default_dtype("float64")
    try:
        losses, weights = semi.train()
    finally:
        paddle.set_default_dtype(before)
    for rank in range(ranks):
        found = np.load(os.path.join(outcome.folder, f"semi.{rank}.npz"))
        assert len(found.files) == 2 * (5 if ranks == 2 else 7)
        for name in found.files:
            expected = losses if name.endswith("losses") else weights
            np.testing.assert_allclose(found[name], expected, rtol=0, atol=1e-9, err_msg=f"{name} on rank {rank}")


@pytest.mark.parametrize("ranks", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_every_rule_on_every_placement(launch, ranks):
    with open(semi_ops.__file__, encoding="utf-8") as file:
        launch(file.read(), ranks)


@pytest.mark.parametrize("call, error, text", [
    (lambda m: dist.shard_tensor([1.0], m, [dist.Shard(1)]), ValueError, "Shard.dim=1. of a tensor of 1 axes"),
    (lambda m: dist.shard_tensor([1.0], m, [0]), TypeError, "placements must be"),
    (lambda m: dist.shard_tensor([1.0], m, [dist.Shard(0)] * 2), ValueError, "2 placements for a mesh of 1"),
    (lambda m: dist.shard_tensor([1.0], [0], [dist.Replicate()]), TypeError, "mesh must be a ProcessMesh"),
    (lambda m: dist.reshard(paddle.ones([2]), m, [dist.Replicate()]), TypeError, "must come from shard_tensor"),
    (lambda m: dist.ProcessMesh([0, 0]), ValueError, "once"),
    (lambda m: dist.ProcessMesh([0], dim_names=["x", "y"]), ValueError, "dim_names"),
    (lambda m: dist.Shard("0"), TypeError, "dim must be an int"),
    (lambda m: paddle.save({"x": on(m)}, "x.pdparams"), TypeError, "save_state_dict"),
    (lambda m: paddle.optimizer.Lamb(0.1, parameters=[trained(m)]).step(), NotImplementedError, "whole parameters"),
])
def test_what_is_wrong_is_named(call, error, text):
    with pytest.raises(error, match=text):
        call(dist.ProcessMesh([0], dim_names=["x"]))


def on(mesh):
    return dist.shard_tensor(paddle.ones([2]), mesh, [dist.Shard(0)])


def trained(mesh):
    p = dist.shard_tensor(paddle.create_parameter([2], "float32"), mesh, [dist.Shard(0)])
    (p * p).sum().backward()
    return p


def test_one_rank_needs_no_others():
    mesh = dist.ProcessMesh([0], dim_names=["x"])
    layer = dist.shard_layer(paddle.nn.Linear(3, 2), mesh, output_fn=lambda out, m: dist.reshard(out, m, [dist.Replicate()]))
    optimizer = dist.shard_optimizer(paddle.optimizer.Adam(0.1, parameters=layer.parameters()), dist.ShardingStage1("x", mesh))
    model = dist.to_static(layer, loss=paddle.nn.MSELoss(), optimizer=optimizer)
    rows = [(np.ones(3, "float32"), np.zeros(2, "float32"))] * 4
    data = dist.shard_dataloader(paddle.io.DataLoader(rows, batch_size=2), mesh, shard_dims="x")
    losses = [float(model(x, y)) for _ in range(3) for x, y in data]
    assert losses[-1] < losses[0] and isinstance(layer.weight, paddle.nn.Layer().create_parameter([1]).__class__)
    assert dist.to_static(layer, data, paddle.nn.MSELoss(), optimizer)[1] is data  # 2.6; 3.x gives the model alone
    assert layer.weight.is_dist() and not paddle.ones([1]).is_dist() and paddle.ones([1]).placements is None
    assert dist.unshard_dtensor(layer.weight).numpy().tolist() == layer.weight.numpy().tolist()
    assert str(mesh) == "shape [1], process_ids [0], dim_names ['x']"
    shown = [repr(p) for p in (dist.Shard(1), dist.Replicate(), dist.Partial())]
    assert shown == ["Shard(dim=1)", "Replicate()", "Partial(reduce_type=SUM)"]


def test_meshes_know_their_parts():
    mesh = dist.ProcessMesh([[0, 1], [2, 3]], dim_names=["x", "y"])
    assert str(mesh[0]) == "shape [2], process_ids [0, 1], dim_names ['y']"
    assert str(mesh.get_mesh_with_dim("y")) == "shape [2, 2], process_ids [0, 2, 1, 3], dim_names ['y', 'x']"
    assert mesh == dist.ProcessMesh(shape=[2, 2], process_ids=[0, 1, 2, 3]) and mesh != dist.ProcessMesh([0, 1, 2, 3])
    x = dist.shard_tensor(np.arange(8.0).reshape(4, 2), mesh, [dist.Shard(0), dist.Shard(1)])  # rank 0 of 4 needs nobody for it
    assert x.dist_attr.dims_mapping == [0, 1] and x.num_shard == 4
    assert to_placements([1, -1], mesh) == [dist.Replicate(), dist.Shard(0)]
    assert x.shape == [4, 2] and x._local_value().tolist() == [[0.0], [2.0]]


def test_gradients_of_gradients_pass():
    mesh = dist.ProcessMesh([0], dim_names=["x"])
    x = dist.shard_tensor(np.array([1.0, 2.0]), mesh, [dist.Shard(0)], stop_gradient=False)
    first, = paddle.grad((x ** 3).sum(), x, create_graph=True)
    second, = paddle.grad(first.sum(), x)
    assert first.tolist() == [3.0, 12.0] and second.tolist() == [6.0, 12.0] and second.placements == [dist.Shard(0)]


@pytest.mark.parametrize("ranks", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_plans_stages_and_meshes_of_other_ranks(launch, ranks):
    with open(planned.__file__, encoding="utf-8") as file:
        launch(file.read(), ranks)


def configured(**config):
    return lambda m: dist.parallelize(paddle.nn.Sequential(paddle.nn.Linear(2, 2)), mesh=m, config=config)


@pytest.mark.parametrize("call, error, text", [
    (configured(cp_config={}), NotImplementedError, "context parallelism"),
    (configured(zp_config={}), ValueError, "unknown zp_config"),
    (configured(dp_config={"level": 1}), ValueError, "unknown level"),
    (configured(mp_config={"parallelize_plan": {}}), ValueError, "needs a dimension 'mp'"),
    (configured(pp_config={"split_spec": "layers"}), ValueError, "needs a dimension 'pp'"),
    (lambda m: dist.to_distributed(None, None, None, 1), NotImplementedError, "to_distributed"),
    (lambda m: dist.ContextParallel(), NotImplementedError, "ring attention"),
    (lambda m: dist.PrepareLayerInput(3), TypeError, "fn must be callable"),
    (lambda m: dist.shard_scaler(3), TypeError, "GradScaler"),
    (lambda m: dist.shard_optimizer(None, None, 0), ValueError, "gradient_accumulation_steps"),
    (lambda m: dist.local_map(lambda x: x, [None])(paddle.ones([1])), ValueError, "no argument lies on a mesh"),
])
def test_what_plans_refuse_is_named(call, error, text):
    with pytest.raises(error, match=text):
        call(dist.ProcessMesh([0], dim_names=["x"]))
