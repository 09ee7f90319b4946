"""A block of a transformer on a mesh of ranks: ``python semi.py`` trains it cut in every way and writes losses and weights."""

import numpy as np

import paddle
import paddle.distributed as dist
from paddle import nn
from paddle.distributed import fleet
from paddle.nn import functional as F

VOCABULARY, HIDDEN, HEADS, LENGTH, BATCH = 16, 8, 4, 6, 4


class Doubled(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


class Block(nn.Layer):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(VOCABULARY, HIDDEN), nn.Embedding(LENGTH, HIDDEN)
        self.norm1, self.norm2 = nn.LayerNorm(HIDDEN), nn.LayerNorm(HIDDEN)
        self.q, self.k, self.v, self.out = (nn.Linear(HIDDEN, HIDDEN) for _ in range(4))
        self.up, self.down, self.head = nn.Linear(HIDDEN, 4 * HIDDEN), nn.Linear(4 * HIDDEN, HIDDEN), nn.Linear(HIDDEN, VOCABULARY)
        self.drop = nn.Dropout(0.2)

    def forward(self, x):
        h = self.words(x) + self.places(paddle.arange(LENGTH))
        y = self.norm1(h)
        q, k, v = (layer(y).reshape([0, 0, HEADS, HIDDEN // HEADS]) for layer in (self.q, self.k, self.v))
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        h = h + self.drop(self.out(mixed.reshape([0, 0, HIDDEN])))
        h = h + fleet.utils.recompute(lambda h: self.down(F.gelu(self.up(self.norm2(h)))), Doubled.apply(h) * 0.5)
        return self.head(h)


def columns(layer, mesh, dim):
    place(layer, mesh, dim, 1, 0)


def rows(layer, mesh, dim):
    place(layer, mesh, dim, 0, None)


def place(layer, mesh, dim, weight, bias):
    def places(axis):
        return [dist.Shard(axis) if k == dim and axis is not None else dist.Replicate() for k in range(mesh.ndim)]
    layer.weight = dist.shard_tensor(layer.weight, mesh, places(weight))
    if getattr(layer, "bias", None) is not None:
        layer.bias = dist.shard_tensor(layer.bias, mesh, places(bias))


def tensor_parallel(dim):
    def cut(name, layer, mesh):
        if name in ("q", "k", "v", "up", "head"):
            columns(layer, mesh, dim)
        elif name in ("out", "down", "words"):
            rows(layer, mesh, dim)
    return cut


def ways(ranks):
    """{name: (mesh, shard_fn, placements of the batch, shard_fn of the optimizer)}"""
    line = dist.ProcessMesh(list(range(ranks)), dim_names=["x"])
    found = {"dp": (line, None, [dist.Shard(0)], None), "mp": (line, tensor_parallel(0), [dist.Replicate()], None),
             "sp": (line, None, [dist.Shard(1)], None),
             "stage1": (line, None, [dist.Shard(0)], dist.ShardingStage1("x", line)),
             "stage3": (line, None, [dist.Shard(0)], dist.ShardingStage3("x", line))}
    if ranks == 4:
        square = dist.ProcessMesh(np.arange(4).reshape(2, 2), dim_names=["dp", "mp"])
        found["dp x mp"] = (square, tensor_parallel(1), [dist.Shard(0), dist.Replicate()], None)
        found["dp x sp"] = (square, None, [dist.Shard(0), dist.Shard(1)], None)
    return found


def train(mesh=None, shard_fn=None, places=None, states=None, steps=4):
    """(losses, all parameters in one row)"""
    paddle.seed(3)
    model = Block()
    if mesh is not None:
        dist.shard_layer(model, mesh, shard_fn)
    optimizer = paddle.optimizer.AdamW(0.01, parameters=model.parameters(), weight_decay=0.01, epsilon=1e-5,
                                       grad_clip=nn.ClipGradByGlobalNorm(0.5))
    if states is not None:
        optimizer = dist.shard_optimizer(optimizer, states)
    words = np.random.RandomState(0).randint(0, VOCABULARY, [steps, BATCH, LENGTH + 1])
    losses = []
    for batch in words:
        x, y = paddle.to_tensor(batch[:, :-1]), paddle.to_tensor(batch[:, 1:])
        if mesh is not None:
            x, y = (dist.shard_tensor(t, mesh, places) for t in (x, y))
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    return np.array(losses), np.concatenate([p.numpy().ravel() for p in model.parameters()])


def resharded():
    """Model and optimizer states saved from one way of cutting load into another, bit for bit."""
    mesh = dist.ProcessMesh(list(range(dist.get_world_size())), dim_names=["x"])
    states = []
    for shard_fn, stage in ((tensor_parallel(0), None), (None, dist.ShardingStage3("x", mesh))):
        model = dist.shard_layer(Block(), mesh, shard_fn)
        optimizer = paddle.optimizer.Adam(0.01, parameters=model.parameters())
        optimizer = optimizer if stage is None else dist.shard_optimizer(optimizer, stage)
        sum((p * p).sum() for p in model.parameters()).backward()
        optimizer.step()
        moments = {f"moment{k}.{name}": optimizer._accumulators[f"moment{k}"][p.name] for k in (1, 2)
                   for name, p in model.named_parameters()}
        states.append({**model.state_dict(), **moments})
    dist.save_state_dict(states[0], "checkpoint")
    dist.load_state_dict(states[1], "checkpoint")
    for name, tensor in states[0].items():
        assert np.array_equal(tensor.numpy(), states[1][name].numpy()), name
    assert any(a.placements != b.placements for a, b in zip(states[0].values(), states[1].values()))


if __name__ == "__main__":
    dist.init_parallel_env()
    paddle.set_default_dtype("float64")
    results = {}
    for name, way in ways(dist.get_world_size()).items():
        results[f"{name} losses"], results[f"{name} weights"] = train(*way)
    resharded()
    np.savez(f"semi.{dist.get_rank()}.npz", **results)
