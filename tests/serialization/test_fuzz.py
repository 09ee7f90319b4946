"""Seeded mutations of real files: each gives a value or a FormatError, quickly and in little memory."""

import io
import random
import tracemalloc

import numpy as np
import pytest

from paddle.serialization import lod_tensor, params_info, pickle_safe, pir, safetensors
from paddle.serialization import program_desc as pd
from paddle.serialization.errors import FormatError
from paddle.serialization.stored import StoredTensor
from paddle.static.pir import to_program

from .damage import mutate
from .paths import FIXTURES


def read_program(data):
    program = pd.read(data)
    pd.to_text(program)
    return pd.read(pd.write(program)) == program or "nan" in pd.to_text(program)


def read_combined(data):
    lod_tensor.read_combined(data, ["a", "b", "c", "d"])
    return True


def read_safetensors(data):
    safetensors.read(data)
    return True


def read_pickle(data):
    pickle_safe.load(data)
    return True


def read_info(data):
    params_info.read(data)
    return True


def read_pir(data):
    program = pir.read(data)
    text = pir.write(program)
    to_program(program)
    return pir.write(pir.read(text)) == text


def safetensors_sample():
    file = io.BytesIO()
    safetensors.write(file, {"weight": StoredTensor(np.ones((3, 4), "float32")), "step": StoredTensor(np.array(3))})
    return file.getvalue()


def file(name):
    return (FIXTURES / name).read_bytes()


CASES = {
    "program": (read_program, [file("all_attributes.pdmodel"), file("paddle26/mlp.pdmodel")], 600),
    "combined": (read_combined, [file("paddle26/mlp.pdiparams")], 1000),
    "safetensors": (read_safetensors, [safetensors_sample()], 1000),
    "pickle": (read_pickle, [file("paddle26/mlp.pdparams"), file("nested_2.pdparams"), file("nested_lod.pdparams"),
                             file("paddle26/train_adamw_final.pdopt")], 2000),
    "pir": (read_pir, [file("paddle33/mlp.json"), file("paddle33/static_cond.json"), file("paddle33/control_list.json"),
                       file("paddle33/misc_ops.json")], 1500),
    "info": (read_info, [file("paddle26/mlp.pdiparams.info")], 500),
}


@pytest.mark.parametrize("name", CASES)
def test_mutations(name):
    read, samples, count = CASES[name]
    rng = random.Random(f"fuzz {name}")
    outcomes = {"read": 0, "refused": 0}
    for number in range(count):
        data = mutate(rng.choice(samples), rng)
        try:
            assert read(data), f"mutation {number} does not survive a round trip"
            outcomes["read"] += 1
        except FormatError as error:
            assert str(error)
            outcomes["refused"] += 1
    assert outcomes["refused"] > count // 4, outcomes


@pytest.mark.parametrize("name", CASES)
def test_random_bytes_and_memory(name):
    read, samples, _ = CASES[name]
    rng = random.Random(f"memory {name}")
    tracemalloc.start()
    try:
        for _ in range(100):
            data = rng.choice([rng.randbytes(rng.randrange(200)), mutate(rng.choice(samples), rng)])
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            try:
                read(data)
            except FormatError:
                pass
            assert tracemalloc.get_traced_memory()[1] - before < 400 * len(data) + 300_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", ["program", "combined", "safetensors", "pir"])
def test_every_prefix(name):
    read, samples, _ = CASES[name]
    data = samples[0]
    refused = 0
    for length in range(0, len(data), 7):
        try:
            read(data[:length])
        except FormatError:
            refused += 1
    # A program cut between two fields is a shorter program; everything else is noticed.
    assert refused >= (0.98 if name == "program" else 1) * len(range(0, len(data), 7))
