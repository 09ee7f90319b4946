"""Training steps in float32 and under auto_cast(bfloat16), ours and PyTorch's: the quickest of interleaved calls, on one thread.

    python benchmarks/mixed_precision.py [--rounds 6] [--only bert_tiny,mlp,bottlenecks,vgg]

BENCH_TORCH_PYTHON names PyTorch's interpreter. Times are the processor's.
"""

import argparse
import json
import os
import subprocess
import sys
import time

import networks


def vgg(kit, classes=10):
    parts, i = [], 3
    for width, count in ((32, 1), (64, 1), (128, 2), (256, 2)):
        for _ in range(count):
            parts += [kit.conv(i, width, 3, 1, 1), kit.relu()]
            i = width
        parts.append(kit.pool(2, 2))
    return kit.sequence(*parts, kit.flatten(), kit.linear(256 * 4, 256), kit.relu(), kit.linear(256, classes))


def bottlenecks(kit, classes=10):
    """Three blocks of ResNet-50: most of their convolutions have one pixel."""
    parts, i = [networks.unit(kit, 3, 64, 3, 2, act=kit.relu)], 64
    for width, stride in ((64, 1), (128, 2), (128, 1)):
        body = kit.sequence(networks.unit(kit, i, width, 1, act=kit.relu),
                            networks.unit(kit, width, width, 3, stride, act=kit.relu),
                            networks.unit(kit, width, 4 * width, 1))
        side = networks.unit(kit, i, 4 * width, 1, stride) if i != 4 * width else kit.none()
        parts.append(networks.both(kit, body, side, kit.functional.relu))
        i = 4 * width
    return kit.sequence(*parts, kit.average(1), kit.flatten(), kit.linear(i, classes))


STEPS = {  # name: (network, input, loss) of a kit
    "bert_tiny": lambda kit: (networks.bert(kit, 2, 128, 2, 8000), networks.ids(kit, 16, 128, 8000), networks.classify(kit, 2, 16)),
    "mlp": lambda kit: (networks.mlp(kit), kit.tensor(networks.floats(128, 784)), networks.classify(kit, 10, 128)),
    "bottlenecks": lambda kit: (bottlenecks(kit), kit.tensor(networks.floats(8, 3, 64, 64)), networks.classify(kit, 10, 8)),
    "vgg": lambda kit: (vgg(kit), kit.tensor(networks.floats(16, 3, 32, 32)), networks.classify(kit, 10, 16)),
}


def step(kit, framework, name):
    net, x, loss = STEPS[name](kit)
    optimizer = kit.adam(net)

    def guard(on):
        if framework == "paddle":
            return kit.module.amp.auto_cast(on, dtype="bfloat16", level="O1")
        return kit.module.autocast("cpu", dtype=kit.module.bfloat16, enabled=on)

    def call(on):
        with guard(on):
            value = loss(net(x))
        value.backward()
        optimizer.step()
        kit.clear(optimizer)
    return call


def measure(framework, names, rounds):
    """{name: [milliseconds in float32, in bfloat16]}"""
    kit = {"paddle": networks.PaddleKit, "torch": networks.TorchKit}[framework]()
    if framework == "torch":
        kit.module.set_num_threads(1)
    found = {}
    for name in names:
        call, best = step(kit, framework, name), [float("inf")] * 2
        for _ in range(rounds):
            for on in (False, True):
                call(on)
                start = time.process_time()
                call(on)
                best[on] = min(best[on], (time.process_time() - start) * 1e3)
        found[name] = best
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--only", default=",".join(STEPS))
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    a = parser.parse_args()
    if a.worker:
        print(json.dumps(measure(a.worker, a.only.split(","), a.rounds)))
        return
    print("| step | framework | float32 (ms) | bfloat16 (ms) | bfloat16 / float32 |\n|---|---|---|---|---|")
    torch = os.environ.get("BENCH_TORCH_PYTHON")
    for title, python, framework in (("ours", sys.executable, "paddle"), ("PyTorch", torch, "torch")):
        if python:
            command = [python, os.path.abspath(__file__), "--worker", framework, "--rounds", str(a.rounds), "--only", a.only]
            done = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
            for name, (wide, short) in json.loads(done.stdout.splitlines()[-1]).items():
                print(f"| {name} | {title} | {wide:.3g} | {short:.3g} | {short / wide:.2f} |")


if __name__ == "__main__":
    main()
