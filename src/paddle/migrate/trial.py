"""Runs a program in a process of its own and notes its losses: ``python -m paddle.migrate.trial NOTES SEED PROGRAM [ARGUMENTS]``.

A loss is a single floating number that an average or a sum over everything gave.
"""

import json
import os
import random
import runpy
import subprocess
import sys
import tempfile

import numpy as np

import paddle

from ..core.context import process
from ..core.hooks import OpHook

_LOSSES = ("mean", "legacy_mean", "sum")


class _Notes(OpHook):
    """The losses, in order."""

    programs = everywhere = True

    def __init__(self):
        self.losses = []

    def after(self, op, args, outs):
        out = outs[0] if isinstance(outs, tuple) else outs
        array = getattr(out, "_data", None)
        if op.name in _LOSSES and array is not None and array.size == 1 and array.dtype.kind == "f":
            self.losses.append(float(array.reshape(())))


def losses_of(program, arguments=(), generation=None, seed=1, timeout=600):
    """The losses of a run of a program in another process; RuntimeError with the end of its output if it fails."""
    environment = dict(os.environ)
    environment.pop("PADDLE_GENERATION", None)
    if generation is not None:
        environment["PADDLE_GENERATION"] = generation
    with tempfile.TemporaryDirectory() as folder:
        notes = os.path.join(folder, "losses.json")
        done = subprocess.run([sys.executable, "-m", __name__, notes, str(seed), program, *arguments], env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout, check=False)
        if done.returncode:
            raise RuntimeError(f"{program} failed:\n" + "\n".join(done.stdout.splitlines()[-15:]))
        with open(notes, encoding="utf-8") as file:
            return json.load(file)


def draw_alike():
    """Let programs of 1.x draw their first weights in the order of 2.x: initializers put their operators first then."""
    if process.chosen is not None:
        process.chosen = process.rules = process.chosen.replaced(startup_reversed=False)


def main(arguments):
    """Run a program under the notes."""
    target, seed, program, *rest = arguments
    draw_alike()
    random.seed(int(seed))
    np.random.seed(int(seed))
    paddle.seed(int(seed))
    sys.argv = [program, *rest]
    sys.path.insert(0, os.path.dirname(os.path.abspath(program)))
    notes = _Notes()
    with notes:
        runpy.run_path(program, run_name="__main__")
    with open(target, "w", encoding="utf-8") as file:
        json.dump(notes.losses, file)


if __name__ == "__main__":
    main(sys.argv[1:])
