"""No memory: every allocation of loading and running a model refused in turn gives a message, and the model runs afterwards."""

import os
import pathlib
import platform
import re
import shutil
import subprocess

import pytest
from capi.library import PATH
from capi.mutate import write_programs
from capi.test_sequences import NETWORKS, program_of

import paddle

HERE = pathlib.Path(__file__).parent
COMPILER = shutil.which("cc") or shutil.which("gcc")
pytestmark = pytest.mark.skipif(not COMPILER or platform.libc_ver()[0] != "glibc",
                                reason="needs a C compiler, and glibc's names of its own functions")
FIXTURES = sorted(path for folder in ("paddle26", "paddle33", "ours") for path in (HERE.parent / "fixtures" / folder).iterdir()
                  if path.suffix in (".pdmodel", ".json") and path.with_suffix(".npz").exists())


@pytest.fixture(scope="module")
def scarce(tmp_path_factory):
    """The program that refuses allocations (scarce.c)."""
    made = tmp_path_factory.mktemp("scarce") / "scarce"
    subprocess.run([COMPILER, "-O1", "-rdynamic", str(HERE / "scarce.c"), f"-I{paddle.sysconfig.get_include()}", str(PATH),
                    f"-Wl,-rpath,{PATH.parent}", "-lm", "-o", str(made)], check=True)
    return made


def attack(scarce, program, **environment):
    done = subprocess.run([str(scarce), str(program), str(program.with_suffix(".pdiparams"))], capture_output=True, text=True,
                          env={**os.environ, **environment})
    assert done.returncode == 0, f"{program.name}: {done.returncode} {done.stdout}"
    refused, how = re.fullmatch(r"(\d+) refused, (ran|did not run)\n", done.stdout).groups()
    return int(refused), how == "ran"


def test_models_of_all_generations(scarce):
    found = [attack(scarce, path) for path in FIXTURES]
    assert all(refused > 20 for refused, _ in found)
    assert sum(ran for _, ran in found) > 0.8 * len(found)  # some want inputs that are not made up


def test_operators_over_sequences(scarce, tmp_path):
    for k, network in enumerate(NETWORKS.values()):
        path = tmp_path / f"m{k}.pdmodel"
        files = program_of(network)[0]
        path.write_bytes(files[0])
        path.with_suffix(".pdiparams").write_bytes(files[1])
        attack(scarce, path, FUZZ_SEQUENCES="1")


@pytest.mark.slow
def test_operators_of_all_records(scarce, tmp_path):
    found = [attack(scarce, path) for path in write_programs(tmp_path) if not path.stem.startswith("sequences_")]
    assert len(found) > 400 and sum(ran for _, ran in found) > 0.6 * len(found)
