"""A GPT of 4 layers, trained in one way of parallelism after the other: ``python gpt.py STEPS DTYPE WAY...`` writes losses."""

import os
import signal
import sys

import numpy as np

import paddle
import paddle.distributed as dist
from paddle import nn
from paddle.distributed import fleet
from paddle.distributed.fleet.layers.mpu.mp_ops import _c_identity
from paddle.distributed.fleet.meta_parallel import (
    ColumnParallelLinear,
    LayerDesc,
    ParallelCrossEntropy,
    PipelineLayer,
    RowParallelLinear,
    SharedLayerDesc,
    VocabParallelEmbedding,
)
from paddle.nn import functional as F

VOCABULARY, HIDDEN, HEADS, LENGTH, LAYERS, BATCH = 32, 16, 4, 6, 4, 8


class Embedding(nn.Layer):
    def __init__(self):
        super().__init__()
        self.words = VocabParallelEmbedding(VOCABULARY, HIDDEN)
        self.places = nn.Embedding(LENGTH, HIDDEN)

    @property
    def weight(self):
        return self.words.weight

    def forward(self, x):
        return self.words(x) + self.places(paddle.arange(LENGTH))


def logits(embedding, x):
    return paddle.matmul(_c_identity(x), embedding.weight, transpose_y=True)


class Block(nn.Layer):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(HIDDEN), nn.LayerNorm(HIDDEN)
        self.qkv = ColumnParallelLinear(HIDDEN, 3 * HIDDEN, has_bias=True, gather_output=False)
        self.out = RowParallelLinear(HIDDEN, HIDDEN, input_is_parallel=True)
        self.up = ColumnParallelLinear(HIDDEN, 4 * HIDDEN, has_bias=True, gather_output=False)
        self.down = RowParallelLinear(4 * HIDDEN, HIDDEN, input_is_parallel=True)

    def forward(self, x):
        heads = HEADS // self.qkv.world_size
        qkv = self.qkv(self.norm1(x)).reshape([x.shape[0], LENGTH, heads, 3, HIDDEN // HEADS])
        q, k, v = (qkv[:, :, :, n].transpose([0, 2, 1, 3]) for n in range(3))
        scores = paddle.matmul(q, k, transpose_y=True) / (HIDDEN // HEADS) ** 0.5
        scores = scores + paddle.triu(paddle.full([LENGTH, LENGTH], -1e4), 1)
        mixed = paddle.matmul(F.softmax(scores, -1), v).transpose([0, 2, 1, 3]).reshape([x.shape[0], LENGTH, -1])
        x = x + self.out(mixed)
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Loss(nn.Layer):
    def __init__(self):
        super().__init__()
        self.entropy = ParallelCrossEntropy()

    def forward(self, output, label):
        return self.entropy(output, label).mean()


def make_model(chunks=1, interval=0):
    layers = [SharedLayerDesc("embedding", Embedding), *(LayerDesc(Block) for _ in range(LAYERS)),
              LayerDesc(nn.LayerNorm, HIDDEN), SharedLayerDesc("embedding", Embedding, logits)]
    model = PipelineLayer(layers, loss_fn=Loss(), num_virtual_pipeline_stages=chunks, recompute_interval=interval)
    hybrid = fleet.get_hybrid_communicate_group()
    for name, p in model.named_parameters():
        words = name.split(".")
        key = ".".join(words[1:] if chunks > 1 and words[0] != "embedding" else words)  # without the chunk's name
        p.set_value(part(key, p, hybrid.get_model_parallel_rank(), hybrid.get_model_parallel_world_size()))
    return model


def part(key, p, rank, ranks):
    """The values of a parameter, always the same for one name, or a rank's part of them."""
    axis, shape = getattr(p, "split_axis", None), list(p.shape)
    if axis is not None:
        shape[axis] *= ranks
    seed = sum(ord(c) * (n + 1) for n, c in enumerate(key))
    values = np.random.RandomState(seed).standard_normal(shape) * 0.2 + ("norm" in key and key.endswith("weight"))
    if axis is not None:
        values = np.split(values, ranks, axis)[rank]
    return values.astype(p.numpy().dtype)


def batches(steps):
    """Batches for so many steps; with GPT_KILLED in the environment the last rank is killed before the third."""
    words = np.random.RandomState(0).randint(0, VOCABULARY, [2, BATCH, LENGTH + 1])
    for step in range(steps):
        if step == 2 and os.environ.get("GPT_KILLED") and dist.get_rank() == dist.get_world_size() - 1:
            os.kill(os.getpid(), signal.SIGKILL)
        yield words[step % 2, :, :-1], words[step % 2, :, 1:]


def make_optimizer(parameters):
    clip = nn.ClipGradByGlobalNorm(0.5)
    return paddle.optimizer.AdamW(0.01, parameters=parameters, weight_decay=0.01, epsilon=1e-5, grad_clip=clip)


# the tied table is read outside of its layer, so it stays whole
SHARDED = {"p_g_os": {"segment_size": 20, "exclude_layer": ["VocabParallelEmbedding"]}}
WAYS = {  # name -> (degrees, chunks, layers per recomputation)
    "dp": ({"dp_degree": -1}, 1, 0), "mp": ({"mp_degree": 2}, 1, 0), "pp": ({"pp_degree": 2}, 1, 0),
    "interleaved": ({"pp_degree": 2}, 2, 0), "recomputed": ({"pp_degree": 2}, 1, 1), "sharding": ({"sharding_degree": 2}, 1, 0),
    "all": ({"dp_degree": 2, "mp_degree": 2, "pp_degree": 2}, 1, 0),
    "sharding_mp_pp": ({"sharding_degree": 2, "mp_degree": 2, "pp_degree": 2}, 2, 0),
}


def train(way, steps):
    """The losses of a way: of the whole batch, whatever rank asks."""
    degrees, chunks, interval = WAYS[way]
    strategy = fleet.DistributedStrategy()
    strategy.hybrid_configs = degrees
    micros = 4 if degrees.get("pp_degree") else 1
    copies = dist.get_world_size() // (degrees.get("pp_degree", 1) * degrees.get("mp_degree", 1))
    strategy.pipeline_configs = {"accumulate_steps": micros, "micro_batch_size": BATCH // copies // micros}
    fleet.init(is_collective=True, strategy=strategy)
    hybrid = fleet.get_hybrid_communicate_group()
    layers = make_model(chunks, interval)
    piped = "pp_degree" in degrees
    model = fleet.distributed_model(layers) if piped else fleet.distributed_model(Whole(layers))
    optimizer = fleet.distributed_optimizer(make_optimizer(model.parameters()))
    place = hybrid.get_data_parallel_rank() + hybrid.get_sharding_parallel_rank()
    losses = []
    for x, y in batches(steps):
        rows = slice(place * BATCH // copies, (place + 1) * BATCH // copies)
        x, y = paddle.to_tensor(x[rows]), paddle.to_tensor(y[rows])
        if piped:
            loss = model.train_batch((x, y), optimizer)
        else:
            loss = model(x, y)
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
        losses.append(mean(loss))
    return losses


def train_sharded(level, steps):
    """The losses of group_sharded_parallel at a level."""
    fleet.init(is_collective=True)
    model = Whole(make_model())
    model, optimizer, _ = dist.sharding.group_sharded_parallel(model, make_optimizer(model.parameters()), level,
                                                                     **SHARDED.get(level, {}))
    rows = slice(dist.get_rank() * BATCH // dist.get_world_size(), (dist.get_rank() + 1) * BATCH // dist.get_world_size())
    losses = []
    for x, y in batches(steps):
        loss = model(paddle.to_tensor(x[rows]), paddle.to_tensor(y[rows]))
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(mean(loss))
    return losses


class Whole(nn.Layer):
    """The model with its loss, for ways without stages."""

    def __init__(self, layers):
        super().__init__()
        self.layers = layers

    def forward(self, x, y):
        return self.layers.get_loss_fn()(self.layers(x), y)


def mean(loss):
    total = loss.detach().clone()
    dist.all_reduce(total)
    return float(total) / dist.get_world_size()


def alone(steps):
    """The losses of one process, without fleet."""
    model = Whole(make_model())
    optimizer = make_optimizer(model.parameters())
    losses = []
    for x, y in batches(steps):
        loss = model(paddle.to_tensor(x), paddle.to_tensor(y))
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    return losses


if __name__ == "__main__":
    steps, kinds, ways = int(sys.argv[1]), sys.argv[2].split(","), sys.argv[3:]
    found = {}
    for kind in kinds:
        paddle.set_default_dtype(kind)
        for way in ways:
            found[f"{way} {kind}"] = train(way, steps) if way in WAYS else train_sharded(way, steps)
    if dist.get_rank() == 0:
        np.savez("losses.npz", **found)
