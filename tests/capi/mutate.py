"""Damaged models for the C library under AddressSanitizer: ``python -m capi.mutate FOLDER NUMBER [SEED]`` (``make fuzz-capi``).

FOLDER holds the sanitized library and the mutator (fuzz.c). Its prey are the programs of the operators' records, one or a few
operators each, networks over sequences, quantized ones, and the models of tests/fixtures. NUMBER mutants are spread over them.
"""

import os
import pathlib
import re
import subprocess
import sys

from capi.test_ops_in_c import CASES, record
from capi.test_quantized import WAYS
from capi.test_sequences import NETWORKS, program_of

FIXTURES = pathlib.Path(__file__).parents[1] / "fixtures"
ENVIRONMENT = {**os.environ, "ASAN_OPTIONS": "allocator_may_return_null=1:max_allocation_size_mb=2000",
               "UBSAN_OPTIONS": "print_stacktrace=1"}
SECONDS, ENDLESS = 300, 3  # for the mutants of one model; exit code of the mutator at a loop that goes on


def write_programs(folder):
    """One ``.pdmodel`` for each record whose operators the library knows; their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    found = {}
    for case in CASES:
        program = record(case)
        if program:
            name = re.sub(r"\W+", "_", case.id)
            path = folder / f"{name}{'_' * (name in found)}.pdmodel"
            path.write_bytes(program[0])
            found[path.stem] = path
    for name, network in NETWORKS.items():  # operators over sequences, which records don't have
        path = folder / f"sequences_{re.sub(r'[^a-z0-9]+', '_', name)}.pdmodel"
        program, parameters = program_of(network)[0]
        path.write_bytes(program)
        path.with_suffix(".pdiparams").write_bytes(parameters)
        found[path.stem] = path
    for way, (make, _) in WAYS.items():
        name = f"quantized_{re.sub(r'[^a-z0-9]+', '_', way.lower())}"
        (folder / name).mkdir(exist_ok=True)
        make(folder / name, "wide")
        for kind in ("pdmodel", "pdiparams"):
            (folder / name / f"m.{kind}").rename(folder / f"{name}.{kind}")
        found[name] = folder / f"{name}.pdmodel"
    return list(found.values())


def attack(mutator, model, first, count):
    """([mutants, loaded, ran, endless], None) of ``count`` mutants of a model, or (None, the report of a failure)."""
    totals, seed, end = [0, 0, 0, 0], first, first + count
    while seed < end:
        command = [str(mutator), str(model), str(model.with_suffix(".pdiparams")), str(seed), str(end - seed)]
        environment = {**ENVIRONMENT, **({"FUZZ_SEQUENCES": "1"} if model.stem.startswith("sequences_") else {})}
        try:
            done = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace", timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return None, f"not ended after {SECONDS} s"
        if done.returncode == ENDLESS:  # a damaged loop
            stopped = int(done.stdout.split()[-1])
            found, seed = (stopped - seed + 1, 0, 0, 1), stopped + 1
        elif done.returncode:
            return None, done.stdout + done.stderr
        else:
            found, seed = (*map(int, re.findall(r"\d+", done.stdout)), 0), end
        totals = [total + number for total, number in zip(totals, found, strict=True)]
    return totals, None


def main(folder, number, first):
    """Run all; the exit code tells whether something was found, whose report is printed."""
    models = write_programs(folder / "programs")
    models += sorted(path for pattern in ("*.pdmodel", "*.json", "__model__") for path in FIXTURES.rglob(pattern)
                     if path.name != "manifest.json")
    each, totals, failed = -(-number // len(models)), [0, 0, 0, 0], 0
    for place, model in enumerate(models):
        seed = first + place * each  # each its own, or few mutants for each model would all be of one kind
        found, report = attack(folder / "fuzz", model, seed, each)
        if report is not None:
            failed += 1
            print(f"{model}: seeds from {seed}\n{report}", flush=True)
        else:
            totals = [total + one for total, one in zip(totals, found)]
    print("{} models: {} mutants, {} loaded, {} ran, {} endless; {} models failed".format(len(models), *totals, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1))
