"""Damaged models give a message. A seeded part of what tests/capi/fuzz.c does with a sanitizer (`make fuzz-capi`)."""

import pathlib
import random
import shutil
import subprocess

import numpy as np
import pytest
from capi.library import PATH, Failed, Model
from capi.mutate import attack, write_programs

import paddle

HERE = pathlib.Path(__file__).parent
FIXTURES = HERE.parent / "fixtures"
COMPILER = shutil.which("cc") or shutil.which("gcc")


def damaged(bytes_, draw):
    """A copy with a few bytes changed, left out or put in; sometimes cut off."""
    copy = bytearray(bytes_)
    for _ in range(draw.randint(1, 6)):
        at = draw.randrange(len(copy))
        kind = draw.randrange(4)
        if kind == 0:
            copy[at] = draw.randrange(256)
        elif kind == 1:
            copy[at] ^= 1 << draw.randrange(8)
        elif kind == 2:
            del copy[at]
        else:
            copy.insert(at, draw.choice((0, 0x7f, 0xff)))
    return bytes(copy[:draw.randrange(len(copy))] if draw.randrange(20) == 0 else copy)


@pytest.mark.parametrize("name, inputs", [
    ("paddle26/mlp.pdmodel", [np.ones((2, 8), "float32")]),
    ("paddle26/lenet.pdmodel", [np.ones((1, 1, 28, 28), "float32")]),
    ("paddle26/attention.pdmodel", None),
    ("paddle33/mlp.json", [np.ones((2, 8), "float32")]),
])
def test_damaged_programs_and_parameters(name, inputs):
    path = FIXTURES / name
    program, parameters = path.read_bytes(), path.with_suffix(".pdiparams").read_bytes()
    if inputs is None:
        record = np.load(path.with_suffix(".npz"))
        inputs = [record[key] for key in sorted(record.files) if key.startswith("in_")]
    draw, told = random.Random(name), 0
    for _ in range(150):
        files = (damaged(program, draw), parameters) if draw.randrange(4) else (program, damaged(parameters, draw))
        try:
            model = Model(*files, optimize=bool(draw.randrange(2)))
            if len(model.inputs) == len(inputs):
                model(*inputs)
        except Failed as error:
            assert str(error)
            told += 1
    assert told > 75


@pytest.mark.slow
@pytest.mark.skipif(not COMPILER, reason="needs a C compiler")
def test_damaged_programs_of_all_records(tmp_path):
    """What ``make fuzz-capi`` does with a sanitizer, 20 mutants a model."""
    mutator = tmp_path / "fuzz"
    subprocess.run([COMPILER, "-O1", str(HERE / "fuzz.c"), f"-I{paddle.sysconfig.get_include()}", str(PATH),
                    f"-Wl,-rpath,{PATH.parent}", "-lm", "-o", str(mutator)], check=True)
    totals = [0, 0, 0, 0]
    for model in write_programs(tmp_path / "programs"):
        found, report = attack(mutator, model, 1, 20)
        assert report is None, f"{model.stem}: {report}"
        totals = [total + number for total, number in zip(totals, found, strict=True)]
    assert totals[0] > 8000 and totals[1] > 0.2 * totals[0]
