"""Damaged files given to what reads them by path: `paddle show` (ONNX, npz, safetensors, programs, states), `paddle convert`,
`paddle migrate` and unpacking.

The readers of bytes have their mutations in tests/serialization/test_fuzz.py; the mutations themselves are from there.
"""

import argparse
import contextlib
import io
import os
import random
import tarfile
import tempfile
import warnings
import zipfile

import numpy as np
from serialization.damage import mutate
from serialization.paths import FIXTURES
from serialization.test_fuzz import CASES

import paddle
from paddle.command import convert, migrate, show
from paddle.serialization import safetensors
from paddle.serialization.stored import StoredTensor
from paddle.utils import archive

KINDS = ("onnx", "npz", "npy", "safetensors", "pdmodel", "json", "pdparams", "pdiparams", "tar", "tar.gz", "zip", "convert pdmodel",
         "convert json", "migrate")
HOSTILE = ("../outside", "/tmp/outside-by-name", "a/../../outside", "..", "a/..", ".", "", "a\0b", "-", "n" * 300, "a/b/" * 200,
           "C:\\x")


OLDER = """import numpy as np
import paddle.fluid as fluid
x = fluid.layers.data(name="x", shape=[13], dtype="float32")
hidden = fluid.layers.fc(input=x, size=10, act="relu")
loss = fluid.layers.mean(fluid.layers.square_error_cost(input=hidden, label=hidden))
fluid.optimizer.SGDOptimizer(learning_rate=0.01).minimize(loss)
exe = fluid.Executor(fluid.CPUPlace())
exe.run(fluid.default_startup_program())
print(exe.run(feed={"x": np.ones((4, 13), "float32")}, fetch_list=[loss]))
with fluid.dygraph.guard():
    print(fluid.dygraph.Linear(3, 4)(fluid.dygraph.to_variable(np.ones((2, 3), "float32"))).numpy())
"""
WORDS = ("(", ")", "*", "**{}", "lambda: ", "yield ", "None", "f'{x!r:>{w}}'", "*a, ", "fluid.", "fluid.layers.fc(", "\\\n", "\t",
         "async ", "@fluid.x\n", "del fluid\n", "from paddle.fluid import *\n", "fluid = 3\n", ":=", "...", "(" * 120, "\0")


def onnx_sample():
    with tempfile.TemporaryDirectory() as folder:
        layer = paddle.nn.Sequential(paddle.nn.Linear(3, 2), paddle.nn.ReLU())
        paddle.onnx.export(layer, os.path.join(folder, "m"), input_spec=[paddle.static.InputSpec([None, 3])])
        with open(os.path.join(folder, "m.onnx"), "rb") as file:
            return file.read()


def numpy_sample(write):
    file = io.BytesIO()
    write(file)
    return file.getvalue()


def samples():
    """kind -> bytes of a sound file."""
    stored = {"weight": StoredTensor(np.ones((3, 4), "float32"))}
    array = np.arange(12.0).reshape(3, 4)
    return {"onnx": onnx_sample(), "npz": numpy_sample(lambda f: np.savez(f, a=array, b=array[0])),
            "npy": numpy_sample(lambda f: np.save(f, array)), "safetensors": numpy_sample(lambda f: safetensors.write(f, stored)),
            "pdmodel": (FIXTURES / "paddle26/mlp.pdmodel").read_bytes(), "json": (FIXTURES / "paddle33/mlp.json").read_bytes(),
            "pdparams": (FIXTURES / "paddle26/mlp.pdparams").read_bytes(),
            "pdiparams": (FIXTURES / "paddle26/mlp.pdiparams").read_bytes()}


def tar_bytes(rng, mode):
    """An archive with sound and hostile members in it: names that lead outside, links, devices."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode=mode) as tar:
        for number in range(rng.randrange(1, 5)):
            member = tarfile.TarInfo(rng.choice(HOSTILE) if rng.random() < 0.4 else f"folder/file{number}")
            if rng.random() < 0.3:
                member.type = rng.choice([tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE])
                member.linkname = rng.choice(["..", "/tmp", "../../outside", "folder"])
                tar.addfile(member)
            else:
                member.size = 20
                tar.addfile(member, io.BytesIO(b"x" * 20))
    return file.getvalue()


def zip_bytes(rng):
    file = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(file, "w") as made:
        warnings.simplefilter("ignore")  # two members of one name are part of the attack
        for number in range(rng.randrange(1, 5)):
            info = zipfile.ZipInfo(rng.choice(HOSTILE) if rng.random() < 0.4 else f"folder/file{number}")
            if rng.random() < 0.3:
                info.external_attr = rng.choice([0o120777, 0o020666, 0o010666]) << 16
            made.writestr(info, b"../../outside")
    return file.getvalue()


def tree(folder):
    """Everything below a folder, links not followed."""
    return {os.path.join(root, name) for root, folders, names in os.walk(folder) for name in [*folders, *names]}


def attack_archive(kind, rng, folder):
    """Unpack one hostile or damaged archive: it is refused, or everything it wrote lies inside. Returns the outcome."""
    data = zip_bytes(rng) if kind == "zip" else tar_bytes(rng, "w:gz" if kind == "tar.gz" else "w")
    if rng.random() < 0.5:
        data = mutate(data, rng)
    path, target = os.path.join(folder, "archive." + kind), os.path.join(folder, "inner", "target")
    with open(path, "wb") as file:
        file.write(data)
    before = tree(folder) | {os.path.join(folder, "inner"), target}
    try:
        archive.extract(path, target, max_bytes=1 << 20)
        result = "read"
    except (archive.ArchiveError, OSError):
        result = "refused"
    outside = {p for p in tree(folder) - before if not p.startswith(target + os.sep)}
    assert not outside, f"written outside: {outside}"
    assert not [p for p in tree(target) if os.path.islink(p)], "a link was made"
    return result


def attack_shown(kind, rng, folder, sound):
    """Describe one damaged file: a description or an error that a command shows in one line. Returns the outcome."""
    path = os.path.join(folder, f"file.{kind}")
    with open(path, "wb") as file:
        file.write(mutate(sound[kind], rng))
    try:
        list(show.lines(path))
        return "read"
    except (OSError, ValueError, NotImplementedError) as error:
        assert str(error), f"{type(error).__name__} without a text"
        return "refused"


def damaged_text(rng):
    """The program with one word or line more, less or in another place, or with damaged bytes."""
    if rng.random() < 0.2:
        return mutate(OLDER.encode(), rng)
    ends = "\n" if rng.random() < 0.5 else " "
    parts = OLDER.split(ends)
    taken = parts.pop(rng.randrange(len(parts)))
    parts.insert(rng.randrange(len(parts)), rng.choice((taken, parts[0], *WORDS)))
    return ends.join(parts).encode()


def attack_command(kind, rng, folder):
    """Convert a model of two files, of which one or both are damaged, or migrate a damaged program."""
    if kind == "migrate":
        path = os.path.join(folder, "program.py")
        with open(path, "wb") as file:
            file.write(damaged_text(rng))
        given = argparse.Namespace(file=path, output=None, to=rng.choice(("2.6", "3")), diff=rng.random() < 0.3,
                                   list=rng.random() < 0.3, check=False, arguments=[])
        run = migrate.run
    else:
        ending = kind.partition(" ")[2]
        model = FIXTURES / ("paddle33/mlp.json" if ending == "json" else "paddle26/mlp.pdmodel")
        damaged = rng.choice(((True, False), (False, True), (True, True)))
        for name, hurt in zip((f"m.{ending}", "m.pdiparams"), damaged):
            data = model.with_suffix(os.path.splitext(name)[1]).read_bytes()
            with open(os.path.join(folder, name), "wb") as file:
                file.write(mutate(data, rng) if hurt else data)
        target = os.path.join(folder, "o.pdmodel" if ending == "json" else "o.json")
        given, run = argparse.Namespace(source=os.path.join(folder, f"m.{ending}"), target=target), convert.run
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            run(given)
        return "read"
    except (OSError, ValueError, NotImplementedError) as error:  # what the command line shows in one line
        assert str(error), f"{type(error).__name__} without a text"
        return "refused"


def attack_bytes(rng):
    """One mutation for one of the readers of bytes."""
    read, given, _ = CASES[rng.choice(list(CASES))]
    try:
        assert read(mutate(rng.choice(given), rng)), "a mutation does not survive a round trip"
        return "read"
    except ValueError as error:
        assert str(error)
        return "refused"


def attack_file(kind, seed, number, folder, sound):
    """Mutation ``number`` of a kind of file; returns "read" or "refused", any other exception is a finding."""
    rng = random.Random(f"files {kind} {seed} {number}")
    if kind == "bytes":
        return attack_bytes(rng)
    with tempfile.TemporaryDirectory(dir=folder) as inner:
        if kind in ("tar", "tar.gz", "zip"):
            return attack_archive(kind, rng, inner)
        return attack_shown(kind, rng, inner, sound) if kind in sound else attack_command(kind, rng, inner)
