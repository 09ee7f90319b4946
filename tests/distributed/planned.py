"""``dist.parallelize`` in many ways, and meshes of different ranks: run on 2 or 4 ranks, compares with one process."""

import numpy as np

import paddle
import paddle.distributed as dist
from paddle import nn

WIDTH, WORDS, LENGTH, BATCH = 8, 12, 4, 4


class Block(nn.Layer):
    def __init__(self):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 16), nn.Linear(16, WIDTH)

    def forward(self, x):
        return x + self.down(nn.functional.gelu(self.up(self.norm(x))))


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, WIDTH)
        self.layers = nn.LayerList([Block() for _ in range(4)])
        self.head = nn.Linear(WIDTH, WORDS)

    def forward(self, x):
        x = self.embedding(x)
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


def data():
    rng = np.random.RandomState(0)
    return [rng.randint(0, WORDS, [2, BATCH, LENGTH]) for _ in range(3)]


def train(mesh=None, config=None, steps=1):
    """(losses or None on ranks that have none, trained parameters by name)."""
    paddle.seed(3)
    model = Net()
    clip = nn.ClipGradByGlobalNorm(0.3)
    optimizer = paddle.optimizer.AdamW(0.01, parameters=model.parameters(), grad_clip=clip, epsilon=1e-5)
    first = last = mesh
    if mesh is not None:
        model, optimizer = dist.parallelize(model, optimizer, mesh, config)
        if "pp" in mesh.dim_names:
            first, last = mesh.get_mesh_with_dim("pp", 0), mesh.get_mesh_with_dim("pp", 1)
    batches = [[paddle.to_tensor(x), paddle.to_tensor(y)] for x, y in data()]
    if mesh is not None:
        batches = dist.shard_dataloader(batches, [first, last], shard_dims="dp" if "dp" in first.dim_names else None)
    losses = []
    for x, y in batches:
        loss = nn.functional.cross_entropy(model(x), y.unsqueeze(-1))
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss) if last is None or last.contains(dist.get_rank()) else None)
    return losses, dict(model.named_parameters())


def compare(name, mesh, config):
    losses, weights = train()
    found, parts = train(mesh, config)
    if found[0] is not None:
        np.testing.assert_allclose(found, losses, rtol=0, atol=1e-9, err_msg=name)
    for key, p in parts.items():
        if p.process_mesh.contains(dist.get_rank()):
            np.testing.assert_allclose(p.numpy(), weights[key].numpy(), rtol=0, atol=1e-9, err_msg=f"{name} {key}")


def plan(sequence=False):
    found = {"embedding": dist.RowWiseParallel(), r"layers\.\d+\.up": dist.ColWiseParallel(),
             r"layers\.\d+\.down": dist.RowWiseParallel(), "head": dist.ColWiseParallel(gather_output=True)}
    if sequence:
        found["embedding"] = [found["embedding"], dist.SequenceParallelBegin()]
        found["head"] = [found["head"], dist.SequenceParallelEnd()]
    return {"mp_config": {"parallelize_plan": found}}


def pairs():
    """Two meshes, a tensor that goes there and back in many placements, and values that only some ranks have."""
    rank, size = dist.get_rank(), dist.get_world_size()
    half = size // 2
    one, two = dist.ProcessMesh(list(range(half))), dist.ProcessMesh(list(range(half, size)))
    everywhere = dist.ProcessMesh(list(range(size)))
    values = np.arange(24.0).reshape(4, 6)
    for source, target in ((one, two), (two, one), (one, everywhere), (everywhere, two)):
        for before in (dist.Replicate(), dist.Shard(0), dist.Partial()):
            for after in (dist.Replicate(), dist.Shard(0), dist.Shard(1)):
                x = dist.shard_tensor(paddle.to_tensor(values, stop_gradient=False), source, [before])
                x.stop_gradient = False
                y = dist.reshard(x * 2.0, target, [after])
                assert y.shape == [4, 6] and y.placements == [after] and y.process_mesh == target
                (y * y).sum().backward()
                if target.contains(rank):
                    np.testing.assert_array_equal(y.numpy(), 2 * values)
                elif "without values" not in repr(y):
                    raise AssertionError(repr(y))
                if source.contains(rank):
                    np.testing.assert_array_equal(x.grad.numpy(), 8 * values)


def checkpoint():
    """States of two stages, saved and loaded."""
    size = dist.get_world_size()
    mesh = dist.ProcessMesh(np.arange(size).reshape(2, size // 2), dim_names=["pp", "mp"])
    _, parts = train(mesh, {"pp_config": {"split_spec": "layers"}, **plan()})
    dist.save_state_dict(parts, "stages")
    kept = {k: p._local_value().numpy().copy() for k, p in parts.items()}
    for p in parts.values():
        p.set_value(np.zeros(p.shape))
    dist.load_state_dict(parts, "stages")
    assert all(np.array_equal(p._local_value().numpy(), kept[k]) for k, p in parts.items())
    whole = {k: paddle.zeros(p.shape) for k, p in parts.items()}
    dist.load_state_dict(whole, "stages")
    _, weights = train()
    for k, p in whole.items():
        np.testing.assert_allclose(p.numpy(), weights[k].numpy(), rtol=0, atol=1e-9)


def steps(mesh, strategy):
    """The trained parameters of dist.to_static with a strategy, three steps."""
    paddle.seed(3)
    model = Net()
    optimizer = paddle.optimizer.AdamW(0.01, parameters=model.parameters(), epsilon=1e-5)
    first = last = mesh
    if mesh is not None:
        model, optimizer = dist.parallelize(model, optimizer, mesh, {"pp_config": {"split_spec": "layers"}}
                                            if "pp" in mesh.dim_names else {"dp_config": {"sharding_level": 0}})
        if "pp" in mesh.dim_names:
            first, last = mesh.get_mesh_with_dim("pp", 0), mesh.get_mesh_with_dim("pp", 1)
    step = dist.to_static(model, loss=lambda out, y: nn.functional.cross_entropy(out, y.unsqueeze(-1)), optimizer=optimizer,
                          strategy=None if strategy is None else dist.Strategy(strategy))
    losses = []
    for x, y in data():
        x, y = paddle.to_tensor(x), paddle.to_tensor(y)
        if mesh is not None:
            x = dist.shard_tensor(x, first, [dist.Shard(0) if n == "dp" else dist.Replicate() for n in first.dim_names])
            y = dist.shard_tensor(y, last, [dist.Shard(0) if n == "dp" else dist.Replicate() for n in last.dim_names])
        loss = step(x, y)
        losses.append(float(loss) if last is None or last.contains(dist.get_rank()) else None)
    return losses, dict(model.named_parameters())


def strategies():
    """Sharding, micro batches through stages, and mixed precision of dist.to_static."""
    size = dist.get_world_size()
    losses, weights = steps(None, None)
    dp = dist.ProcessMesh(list(range(size)), dim_names=["dp"])
    pp = dist.ProcessMesh(np.arange(size).reshape(2, size // 2), dim_names=["pp", "dp"])
    for mesh, strategy in ((dp, {"sharding": {"enable": True, "stage": 2, "degree": size}}),
                           (dp, {"sharding": {"enable": True, "stage": 3}}),
                           (pp, {"pipeline": {"enable": True, "accumulate_steps": 2}}),
                           (pp, {"pipeline": {"enable": True, "micro_batch_size": 1, "schedule_mode": "FThenB"}})):
        found, parts = steps(mesh, strategy)
        if found[0] is not None:
            np.testing.assert_allclose(found, losses, rtol=0, atol=1e-9, err_msg=str(strategy))
        for key, p in parts.items():
            if p.process_mesh.contains(dist.get_rank()):
                np.testing.assert_allclose(p.numpy(), weights[key].numpy(), rtol=0, atol=1e-9, err_msg=f"{strategy} {key}")
    for kind in ("float16", "bfloat16"):
        mixed, _ = steps(dp, {"amp": {"enable": True, "dtype": kind, "level": "o1", "init_loss_scaling": 64.0}})
        assert mixed != losses and np.allclose(mixed, losses, rtol=0.02), (mixed, losses)


def parts_of_own():
    """local_map and LocalLayer."""
    size = dist.get_world_size()
    mesh = dist.ProcessMesh(list(range(size)))
    x = dist.shard_tensor(paddle.arange(8.0).reshape([4, 2]), mesh, [dist.Shard(0)], stop_gradient=False)
    total = dist.local_map(lambda part: part.sum(), [[dist.Partial()]], [[dist.Shard(0)]], mesh)(x)
    assert float(total) == 28

    class Scaled(dist.LocalLayer):
        def forward(self, rows, weight):
            return rows * weight

    w = dist.shard_tensor(paddle.to_tensor([3.0, 5.0]), mesh, [dist.Replicate()], stop_gradient=False)
    out = Scaled([(mesh, [dist.Shard(0)])], [None, (mesh, [dist.Partial()])])(x, w)
    out.sum().backward()
    assert out.shape == [4, 2] and w.grad.tolist() == [12.0, 16.0] and x.grad.tolist() == [[3.0, 5.0]] * 4


def overflow():
    """shard_scaler: an infinite gradient on one rank stops the step of all."""
    mesh = dist.ProcessMesh(list(range(dist.get_world_size())))
    w = dist.shard_tensor(paddle.create_parameter([4], "float64"), mesh, [dist.Shard(0)])
    before = w.numpy()
    scaler = dist.shard_scaler(paddle.amp.GradScaler(init_loss_scaling=4.0))
    optimizer = dist.shard_optimizer(paddle.optimizer.SGD(1.0, parameters=[w]), gradient_accumulation_steps=2)
    factor = dist.shard_tensor(paddle.to_tensor([np.inf, 1.0, 1.0, 1.0]), mesh, [dist.Shard(0)])
    scaler.scale((w * factor).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert np.array_equal(w.numpy(), before) and float(scaler._scale) < 4.0
    optimizer.clear_grad()
    for _ in range(2):
        scaler.scale((w * 3.0).sum()).backward()
    scaler.step(optimizer)
    np.testing.assert_allclose(w.numpy(), before - 3.0)


def main():
    dist.init_parallel_env()
    paddle.set_default_dtype("float64")
    size = dist.get_world_size()
    line = np.arange(size)
    dp, mp = dist.ProcessMesh(line, dim_names=["dp"]), dist.ProcessMesh(line, dim_names=["mp"])
    for level in range(4):
        compare(f"dp level {level}", dp, {"dp_config": {"sharding_level": level}})
    compare("mp", mp, plan())
    compare("mp sequence", mp, plan(sequence=True))
    pp = dist.ProcessMesh(line.reshape(2, size // 2), dim_names=["pp", "mp"])
    compare("pp x mp", pp, {"pp_config": {"split_spec": "layers"}, **plan()})
    compare("pp points", pp, {"pp_config": {"split_spec": {"layers.0": dist.SplitPoint.END}}, **plan()})
    compare("pp begin", pp, {"pp_config": {"split_spec": {"layers.1": dist.SplitPoint.BEGINNING}}, **plan()})
    if size == 4:
        compare("dp x mp", dist.ProcessMesh(line.reshape(2, 2), dim_names=["dp", "mp"]),
                {"dp_config": {"sharding_level": 2}, **plan(True)})
        compare("pp x dp", dist.ProcessMesh(line.reshape(2, 2), dim_names=["pp", "dp"]),
                {"dp_config": {"sharding_level": 1}, "pp_config": {"split_spec": "layers"}})
    pairs()
    checkpoint()
    strategies()
    parts_of_own()
    overflow()


if __name__ == "__main__":
    main()
