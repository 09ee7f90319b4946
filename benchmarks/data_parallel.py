"""Scaling of data-parallel training: 2 ranks x 1 thread against 1 rank x 1 thread, beside PyTorch DDP and Paddle.

    python benchmarks/data_parallel.py [--torch PYTHON] [--paddle PYTHON] [--rounds 3] [--models LeNet wide]

Each rank trains on its own batch of 64 (weak scaling): with perfect scaling a step takes as long on two ranks as on one,
and efficiency is the ratio of the two times. "2 apart" are two processes at the same time that do not talk to each
other: what they lose, they lose to the machine (memory, caches, clock, other work), not to communication. Runs of all
frameworks alternate, so that a busy machine is busy for all; the best round of each counts. --torch and --paddle name
Python interpreters that have those packages. --sharded cuts parameters, gradients and states over the ranks instead:
group_sharded_parallel at level "p_g_os" beside PyTorch's FSDP (fully_shard).
"""

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time

SHARDED = os.environ.get("BENCH_SHARDED") == "1"
STEPS, WARMUP, BATCH = {"LeNet": 60, "wide": 10}, 4, 64


def lenet(nn, conv, flat):
    """conv 5x5 (20) - pool - conv 5x5 (50) - pool - 500 - 10: 431,080 parameters."""
    return nn.Sequential(conv(1, 20, 5), nn.ReLU(), nn.MaxPool2d(2, 2), conv(20, 50, 5), nn.ReLU(), nn.MaxPool2d(2, 2),
                         flat(), nn.Linear(800, 500), nn.ReLU(), nn.Linear(500, 10))


def wide(nn, conv, flat):
    """Three layers of 2048: 10.0 million parameters, where the gradients weigh much against the arithmetic."""
    return nn.Sequential(flat(), nn.Linear(784, 2048), nn.ReLU(), nn.Linear(2048, 2048), nn.ReLU(), nn.Linear(2048, 2048),
                         nn.ReLU(), nn.Linear(2048, 10))


MODELS = {"LeNet": lenet, "wide": wide}


def time_steps(step, model):
    """Median seconds of a step."""
    samples = []
    for n in range(WARMUP + STEPS[model]):
        start = time.perf_counter()
        step()
        if n >= WARMUP:
            samples.append(time.perf_counter() - start)
    return sorted(samples)[len(samples) // 2]


def data(rank):
    import numpy as np
    rng = np.random.RandomState(rank)
    return rng.randn(BATCH, 1, 28, 28).astype("float32"), rng.randint(0, 10, [BATCH])


def run_paddle(model):
    """This framework or real Paddle: the program is the same."""
    import paddle
    import paddle.distributed as dist
    import paddle.nn.functional as F
    from paddle import nn
    if hasattr(paddle, "set_device"):
        paddle.set_device("cpu")
    dist.init_parallel_env()
    nn.MaxPool2d = nn.MaxPool2D
    net = MODELS[model](nn, nn.Conv2D, nn.Flatten)
    if dist.get_world_size() > 1 and not SHARDED:
        net = paddle.DataParallel(net)
    optimizer = paddle.optimizer.Adam(0.001, parameters=net.parameters())
    if dist.get_world_size() > 1 and SHARDED:
        net, optimizer, _ = dist.sharding.group_sharded_parallel(net, optimizer, "p_g_os")
    x, y = (paddle.to_tensor(a) for a in data(dist.get_rank()))

    def step():
        F.cross_entropy(net(x), y).backward()
        optimizer.step()
        optimizer.clear_grad()

    return dist.get_rank(), time_steps(step, model)


def sharded_torch(net, size):
    """PyTorch's way: every layer with parameters is cut, and then what is left."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard
    mesh = init_device_mesh("cpu", (size,))
    for layer in net:
        if list(layer.parameters()):
            fully_shard(layer, mesh=mesh)
    return fully_shard(net, mesh=mesh)


def run_torch(model):
    import torch
    import torch.distributed as dist
    import torch.nn.functional as F
    from torch import nn
    torch.set_num_threads(1)
    rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    net = MODELS[model](nn, nn.Conv2d, nn.Flatten)
    if size > 1:
        dist.init_process_group("gloo", rank=rank, world_size=size)
        net = sharded_torch(net, size) if SHARDED else nn.parallel.DistributedDataParallel(net)
    optimizer = torch.optim.Adam(net.parameters(), 0.001)
    x, y = (torch.from_numpy(a) for a in data(rank))

    def step():
        F.cross_entropy(net(x), y).backward()
        optimizer.step()
        optimizer.zero_grad()

    return rank, time_steps(step, model)


def worker(framework, model):
    rank, seconds = (run_torch if framework == "torch" else run_paddle)(model)
    with open(f"{os.environ['BENCH_OUT']}.{rank}", "w", encoding="utf-8") as file:
        json.dump(seconds, file)


def start(framework, python, model, ranks, apart=False):
    """Seconds of a step, the slowest rank's."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "seconds")
        outs = [f"{out}{r}" if apart else out for r in range(ranks)]
        env = dict(os.environ, BENCH_OUT=out, OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")
        env.pop("CUDA_VISIBLE_DEVICES", None)
        program = [os.path.abspath(__file__), "--worker", framework, model]
        if framework == "torch":
            with socket.socket() as s:
                s.bind(("127.0.0.1", 0))
                env.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(s.getsockname()[1]))
            env.update(WORLD_SIZE="1" if apart else str(ranks))
            jobs = [subprocess.Popen([python, *program], env=dict(env, RANK="0" if apart else str(r), BENCH_OUT=name))
                    for r, name in zip(range(ranks), outs)]
        elif ranks == 1 or apart:
            jobs = [subprocess.Popen([python, *program], env=dict(env, BENCH_OUT=name)) for name in outs]
        else:
            jobs = [subprocess.Popen([python, "-m", "paddle.distributed.launch", "--nproc_per_node", str(ranks),
                                      "--log_dir", folder + "/log", *program], env=env, stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL)]
        codes = [job.wait(300) for job in jobs]
        if any(codes):
            raise RuntimeError(f"{framework} {model} on {ranks} ranks ended with {codes}")
        seconds = []
        for r in range(ranks):
            with open(f"{outs[r]}.{0 if apart else r}", encoding="utf-8") as file:
                seconds.append(json.load(file))
        return max(seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--torch", metavar="PYTHON")
    parser.add_argument("--paddle", metavar="PYTHON")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--models", nargs="+", default=list(MODELS), choices=list(MODELS))
    parser.add_argument("--sharded", action="store_true", help="cut parameters, gradients and states over the ranks")
    options = parser.parse_args()
    os.environ["BENCH_SHARDED"] = "1" if options.sharded else "0"
    pythons = {"ours": sys.executable, "torch": options.torch, "paddle": options.paddle}
    best = {}
    for _ in range(options.rounds):
        for model in options.models:
            for framework, python in pythons.items():
                for ranks, apart in ((1, False), (2, True), (2, False)) if python else ():
                    try:
                        seconds = start(framework, python, model, ranks, apart)
                    except RuntimeError as error:
                        print(error, file=sys.stderr)
                        continue
                    key = (model, framework, "apart" if apart else ranks)
                    best[key] = min(best.get(key, seconds), seconds)
    print(f"{'model':8} {'framework':10} {'1 rank, ms':>11} {'2 apart, ms':>12} {'2 ranks, ms':>12} {'efficiency':>11}")
    for model in options.models:
        for framework in pythons:
            times = [best.get((model, framework, kind)) for kind in (1, "apart", 2)]
            if times[0]:
                cells = [f"{t * 1e3:12.2f}" if t else f"{'-':>12}" for t in times]
                share = f"{times[0] / times[2]:11.0%}" if times[2] else f"{'-':>11}"
                print(f"{model:8} {framework:10}{''.join(cells)} {share}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        worker(*sys.argv[2:4])
    else:
        main()
