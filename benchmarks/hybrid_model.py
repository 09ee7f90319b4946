"""What a step of a transformer costs when it is cut over ranks: data, tensor, pipeline and sharded parallelism, 1 to 1,024 ranks.

    python benchmarks/hybrid_model.py                    # the best split of a model for clusters of 2 to 1,024 ranks
    python benchmarks/hybrid_model.py --check            # prediction beside measured steps on 1, 2, 4 and 8 ranks of this machine

A step of one rank, with L layers of width h, sequences of s tokens, micro batches of m sequences, k of them a step:

    compute     6 P B s / (N F) + attention + k o/pp  F: floating-point operations a second of one rank; stage 3 computes 4/3 of it
                                                      o: seconds that the calls of all layers take, however small the data
    tensor      4 L/pp + 2 all-reduces of 4 m s h bytes between mp ranks for each micro batch, none hidden (each result is needed at
                once), and 3 of one number a token (cross entropy)
    pipeline    (pp - 1)/(k v) of compute and tensor are bubbles, and 2 k v messages of 4 m s h bytes go over the link
    data        an all-reduce of 4 P/(mp pp) bytes, hidden behind the last backward as scaling_model.exposed says
    sharding    stage 1: gradients to owners and parameters back, 2 n (p-1)/p bytes; stage 3: 3 n (p-1)/p, not hidden
    stragglers  s sqrt(2 ln N) of it all

Bytes per rank: parameters, gradients and two moments over what cuts them, activations of the micro batches in flight.
"""

import argparse
import itertools
import json
import math
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass

import scaling_model

BYTES = 4  # of an element
BUCKET, LAST = 25 * 2**20, 2**20


@dataclass(frozen=True)
class Network:
    """A transformer and how it is trained."""

    layers: int
    hidden: int
    heads: int
    vocabulary: int
    length: int
    batch: int  # sequences of all ranks together

    @property
    def parameters(self):
        return self.layers * 12 * self.hidden**2 + (self.vocabulary + self.length) * self.hidden

    @property
    def operations(self):
        """Floating-point operations of a step, forward and backward."""
        products = 6 * (self.layers * 12 * self.hidden**2 + self.vocabulary * self.hidden) * self.batch * self.length
        return products + 12 * self.layers * self.batch * self.length**2 * self.hidden


@dataclass(frozen=True)
class Cluster:
    """Ranks of one kind, so many to a machine."""

    speed: float  # operations a second of a rank
    memory: float  # bytes of a rank
    inside: tuple  # (latency, seconds per byte, seconds per byte of addition) within a machine
    between: tuple  # and between machines
    per_machine: int
    jitter: float = 0.02
    overhead: float = 0.0  # seconds of the calls of a step through all layers


@dataclass(frozen=True)
class Split:
    """Degrees of each axis, micro batches a step, chunks a stage."""

    dp: int = 1
    mp: int = 1
    pp: int = 1
    sharding: int = 1
    stage: int = 1
    micros: int = 1
    chunks: int = 1

    @property
    def ranks(self):
        return self.dp * self.mp * self.pp * self.sharding

    def __str__(self):
        shown = [f"{name} {n}" for name, n in (("dp", self.dp), ("mp", self.mp), ("pp", self.pp)) if n > 1]
        shown += [f"sharding {self.sharding} (stage {self.stage})"] if self.sharding > 1 else []
        return " x ".join(shown or ["1 rank"]) + (f", {self.micros} micro batches" if self.micros > 1 else "")


def step(net, split, cluster):
    """{part of a step: seconds} of the slowest rank."""
    ranks, copies = split.ranks, split.dp * split.sharding
    compute = (net.operations / ranks / cluster.speed + split.micros * cluster.overhead / split.pp) * (
        4 / 3 if split.stage == 3 and split.sharding > 1 else 1)
    activation = BYTES * net.length * net.hidden * net.batch / copies / split.micros
    link = cluster.inside if split.mp <= cluster.per_machine else cluster.between
    tensor = split.micros * ((4 * net.layers / split.pp + 2) * scaling_model.allreduce(split.mp, activation, link)
                             + 3 * scaling_model.allreduce(split.mp, activation / net.hidden, link))
    bubble = (compute + tensor) * (split.pp - 1) / (split.micros * split.chunks)
    outer = cluster.inside if ranks <= cluster.per_machine else cluster.between
    messages = 0.0 if split.pp == 1 else 2 * split.micros * split.chunks * (outer[0] + activation * outer[1])
    gradients = BYTES * net.parameters / (split.mp * split.pp)
    backward = compute * 2 / 3 / split.micros
    data = 0.0 if split.dp == 1 else scaling_model.exposed(split.dp, gradients / split.sharding, backward, BUCKET, LAST, outer)
    passes = {1: 2, 2: 2, 3: 3}[split.stage]
    shared = 0.0 if split.sharding == 1 else passes * (
        math.ceil(math.log2(split.sharding)) * outer[0] + (split.sharding - 1) / split.sharding * gradients * outer[1])
    whole = compute + tensor + bubble + messages + data + shared
    wait = whole * cluster.jitter * math.sqrt(2 * math.log(ranks)) if ranks > 1 else 0.0
    return {"compute": compute, "tensor": tensor, "bubbles": bubble, "messages": messages, "data": data, "sharding": shared,
            "stragglers": wait}


def traffic(net, split):
    """Bytes that a rank sends in a step."""
    activation = BYTES * net.length * net.hidden * net.batch / (split.dp * split.sharding) / split.micros
    part = BYTES * net.parameters / (split.mp * split.pp)
    found = (4 * net.layers / split.pp + 2) * split.micros * 2 * (split.mp - 1) / split.mp * activation
    found += 0 if split.pp == 1 else 2 * split.micros * split.chunks * activation
    found += 2 * (split.dp - 1) / split.dp * part
    return found + (0 if split.sharding == 1 else (3 if split.stage == 3 else 2) * (split.sharding - 1) / split.sharding * part)


def memory(net, split):
    """Bytes of a rank: parameters, gradients, two moments, activations."""
    part = BYTES * net.parameters / (split.mp * split.pp)
    states = 2 * part / split.sharding
    gradients = part / (split.sharding if split.stage >= 2 else 1)
    parameters = part / (split.sharding if split.stage == 3 else 1)
    activation = BYTES * net.length * net.hidden * net.batch / (split.dp * split.sharding) / split.micros
    return parameters + gradients + states + 16 * net.layers / split.pp * activation / split.mp * min(split.micros, split.pp)


def splits(net, ranks):
    """All ways of cutting that the network allows."""
    divisors = [n for n in range(1, ranks + 1) if ranks % n == 0]
    for mp, pp, sharding in itertools.product(divisors, repeat=3):
        if ranks % (mp * pp * sharding) or net.heads % mp or net.layers % pp:
            continue
        dp = ranks // (mp * pp * sharding)
        if net.batch % (dp * sharding):
            continue
        local = net.batch // (dp * sharding)
        for micros in [n for n in (pp, 2 * pp, 4 * pp, 8 * pp, 32 * pp, 128 * pp) if local % n == 0]:
            for stage in (1, 2, 3) if sharding > 1 else (1,):
                yield Split(dp, mp, pp, sharding, stage, micros)


def best(net, ranks, cluster):
    """(seconds, split) of the fastest way that fits into memory; None if none does."""
    fitting = [(sum(step(net, s, cluster).values()), s) for s in splits(net, ranks) if memory(net, s) <= cluster.memory]
    return min(fitting, key=lambda pair: pair[0], default=None)


NETWORKS = {"GPT, 124 M parameters, batch 512": Network(12, 768, 12, 50304, 1024, 512),
            "GPT, 1.3 G parameters, batch 1024": Network(24, 2048, 16, 50304, 1024, 1024)}
LINKS = scaling_model.LINKS
CLUSTERS = {  # 16 cores a rank at about 1 TFLOP/s in float32, 4 ranks a machine
    "10 Gbit Ethernet, 16 GB a rank": Cluster(1e12, 16e9, LINKS["shared memory (measured)"], LINKS["10 Gbit Ethernet"], 4),
    "100 Gbit InfiniBand, 16 GB a rank": Cluster(1e12, 16e9, LINKS["shared memory (measured)"], LINKS["100 Gbit InfiniBand"], 4),
}


def tables():
    """Lines of the report, as Markdown."""
    yield "| model, cluster | ranks | best split | step | of ideal | GB a rank | MB sent |"
    yield "|---|---|---|---|---|---|---|"
    for (name, net), (where, cluster) in itertools.product(NETWORKS.items(), CLUSTERS.items()):
        for ranks in (2, 8, 32, 128, 512, 1024):
            found = best(net, ranks, cluster)
            if found is None:
                yield f"| {name}; {where} | {ranks} | does not fit | | | | |"
                continue
            seconds, split = found
            ideal = net.operations / ranks / cluster.speed
            yield (f"| {name}; {where} | {ranks} | {split} | {seconds:.3g} s | {ideal / seconds:.0%} | "
                   f"{memory(net, split) / 1e9:.1f} | {traffic(net, split) / 1e6:.0f} |")


# ---- measured on this machine ----
SMALL = Network(4, 256, 4, 512, 64, 8)
MEASURED = {"alone": Split(), "dp": Split(dp=2), "mp": Split(mp=2), "pp": Split(pp=2, micros=4), "sharding": Split(sharding=2),
            "four": Split(dp=2, mp=2), "all": Split(dp=2, mp=2, pp=2, micros=4)}
PART = 4  # the second size of a step of one rank is that of a batch of so many times fewer sequences
PROBE = """
import json, sys, time
sys.path.insert(0, sys.argv[1])
import gpt, paddle
import numpy as np
from paddle.distributed.comm import ReduceOp
gpt.VOCABULARY, gpt.HIDDEN, gpt.HEADS, gpt.LENGTH, gpt.LAYERS, gpt.BATCH = json.loads(sys.argv[2])
way, part, steps = sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
gpt.WAYS["four"] = ({"dp_degree": 2, "mp_degree": 2}, 1, 0)
group = gpt.dist.init_parallel_env()
gpt.fleet.init(is_collective=True)
cut = gpt.logits
gpt.logits = lambda embedding, x: paddle.matmul(x, embedding.weight, transpose_y=True)
local = gpt.Whole(gpt.make_model())  # each rank's own, whole
optimizer = gpt.make_optimizer(local.parameters())
gpt.logits = cut

def own_step(x, y):
    local(paddle.to_tensor(x), paddle.to_tensor(y)).backward()
    optimizer.step()
    optimizer.clear_grad()

def reduce_of(count):
    array = np.ones(count, "float32")
    return lambda x, y: group.comm.allreduce(array, ReduceOp.SUM).wait()

probes = {"whole": own_step, "part": lambda x, y: own_step(x[:len(x) // part], y[:len(y) // part]),
          "4": reduce_of(1), "4000000": reduce_of(1000000)}
times, batches = {name: [] for name in ("way", *probes)}, gpt.batches

def timed(count):
    for batch in batches(count):
        for name, probe in probes.items():
            group.comm.barrier().wait()
            start = time.perf_counter()
            probe(*batch)
            times[name].append(time.perf_counter() - start)
        group.comm.barrier().wait()
        start = time.perf_counter()
        yield batch
        times["way"].append(time.perf_counter() - start)

gpt.batches = timed
gpt.alone(steps) if way == "alone" else gpt.train(way, steps)
found = np.array(list(times.values()))
group.comm.allreduce(found, ReduceOp.MAX).wait()
if group.rank == 0:
    print("found", json.dumps(dict(zip(times, np.median(found[:, 2:], 1).tolist()))), flush=True)
"""


def measured(way, ranks, steps):
    """{what: seconds}: the median step of a way, and of what the prediction for it is made from. Step by step they alternate in the
    same processes, so that what else the machine does slows all of them alike."""
    tests = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests", "distributed")
    sizes = json.dumps([SMALL.vocabulary, SMALL.hidden, SMALL.heads, SMALL.length, SMALL.layers, SMALL.batch])
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/probe.py", "w", encoding="utf-8") as file:
            file.write(PROBE)
        launch = ["-m", "paddle.distributed.launch", "--nproc_per_node", str(ranks), "--log_dir", folder] if ranks > 1 else []
        done = subprocess.run([sys.executable, *launch, folder + "/probe.py", tests, sizes, way, str(PART), str(steps)],
                              capture_output=True, text=True, check=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    return json.loads(next(line for line in done.stdout.splitlines() if line.startswith("found"))[len("found"):])


def cluster_of(found, ranks):
    """The machine as so many ranks find it that compute at the same time: speed and overhead from steps of two sizes, the link from
    all-reduces of two sizes."""
    speed = SMALL.operations * (1 - 1 / PART) / (found["whole"] - found["part"])
    overhead = max(found["whole"] - SMALL.operations / speed, 0.0)
    rounds = max(math.ceil(math.log2(ranks)), 1)
    latency = found["4"] / rounds
    per_byte = max((found["4000000"] - 2 * rounds * latency) / 4e6 / (2 * max(ranks - 1, 1) / ranks), 0.0)
    link = latency, per_byte, 0.0
    return Cluster(speed, 1e12, link, link, ranks, overhead=overhead)


def check(steps):
    """Lines that set predicted beside measured steps."""
    yield "| split | ranks | steps of each rank apart, ms | predicted ms | measured ms | measured / predicted |"
    yield "|---|---|---|---|---|---|"
    for way, split in MEASURED.items():
        found = measured(way, split.ranks, steps)
        predicted = sum(step(SMALL, split, cluster_of(found, split.ranks)).values())
        yield (f"| {split} | {split.ranks} | {found['whole'] * 1e3:.1f} | {predicted * 1e3:.1f} | {found['way'] * 1e3:.1f} | "
               f"{found['way'] / predicted:.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="measure 1, 2, 4 and 8 ranks of this machine as well")
    parser.add_argument("--steps", type=int, default=12, help="steps that --check takes the median of, and two more")
    options = parser.parse_args()
    for line in check(options.steps + 2) if options.check else tables():
        print(line, flush=True)


if __name__ == "__main__":
    main()
