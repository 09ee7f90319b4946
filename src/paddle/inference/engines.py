"""What runs the model of a Predictor: the executor of the C library (src/capi), which is part of paddle._native, or Python's.

The library's is ready sooner: it needs none of the modules that read, lower and plan programs. ``Model`` chooses, and
``Model.why`` says what Python's executor was needed for. A call that the library refuses while it runs goes to Python's, too,
which computes it or says what is wrong.
"""

import os
import threading
from copy import copy
from typing import NamedTuple

from ..core import dtype as dtypes
from ..core.context import process
from ..kernels import threads

ENDINGS = (".pdmodel", ".json")


def in_python():
    """The module frozen, for models that Python's executor runs and for the names of its passes."""
    from . import frozen  # brings the modules that read, lower and plan programs, which others do without
    return frozen


class Declared(NamedTuple):
    """An input or output as the program declares it; -1 is any size."""

    name: str
    shape: tuple
    dtype: dtypes.DType | None
    levels: int  # of sequences


class Model:
    """A model with its parameters, which predictors in several threads share."""

    def __init__(self, config):
        self._config, self._lock, self._frozen = copy(config), threading.Lock(), None
        if config._threads:
            threads.set_num_threads(config._threads)
        self.why, self._library = _library(config)  # why Python's executor runs it; None: it doesn't
        if self._library is None:
            block = self.frozen().program.global_block()
            self.inputs, self.outputs = ([_of_variable(block.var(n)) for n in some] for some in self._names)
        else:
            _, self.inputs, self.outputs = self._library

    def frozen(self):
        """The program and its plan in Python, made when they are first asked for."""
        with self._lock:
            if self._frozen is None:
                self._frozen, self._names = in_python().load(self._config)
        return self._frozen

    def session(self):
        """What one Predictor runs it with."""
        return process.native.model_session(self._library[0]) if self._library is not None else None

    def run(self, session, arrays, offsets):
        """(outputs, the offsets of their sequences) for the inputs and those of theirs, a list for each."""
        native, why = process.native, self.why
        if why is None and native is not None:
            try:
                return native.model_run(session, arrays), [[] for _ in self.outputs]
            except (RuntimeError, TypeError) as refused:
                why = str(refused)
        found = iter(self.frozen()([*arrays, *[level for levels in offsets for level in levels]]))
        self.why = why  # Python's executor knew what to do: the next calls begin there
        outputs = [next(found) for _ in self.outputs]
        return outputs, [[next(found) for _ in range(d.levels)] for d in self.outputs]

    def __repr__(self):
        return "run by the C library" if self.why is None else f"run by Python: {self.why}"


def _library(config):
    """(why not, None) or (None, (the library's model, its inputs, its outputs))."""
    files = _files(config)
    asked = ("there are no kernels in C" if process.native is None else
             "passes are left out" if not config._optimize or config._deleted else
             "its plan is to be printed" if config._profile else
             "the library has no rule for such a folder" if files is None else None)
    if asked is not None:
        return asked, None
    try:
        model = process.native.model_read(files[0])
        sides = process.native.model_prepare(model, *files[1:])
    except RuntimeError as refused:
        return str(refused), None
    sides = [[Declared(name, shape, dtypes.ALL.get(kind), levels) for name, shape, kind, levels in side] for side in sides]
    for d in (d for side in sides for d in side):
        if d.levels or d.dtype is None:
            return f"{d.name} {'has packed sequences' if d.levels else 'has no element type'}", None
    return None, (model, *sides)


def _files(config):
    """(program, parameters, are those a folder's?) for the library: paths, or bytes; None if Python has to look for them."""
    if config.model_from_memory():
        return *config._buffers, False
    if config.prog_file():
        return config.prog_file(), config.params_file(), False
    path = config.model_dir()
    if os.path.isfile(os.path.join(path, "__model__")):
        return os.path.join(path, "__model__"), path, True
    found = [path + ending for ending in ENDINGS if os.path.isfile(path + ending)]
    return (found[0], path + ".pdiparams", False) if len(found) == 1 else None


def _of_variable(var):
    return Declared(var.name, tuple(var.shape), var.dtype, len(var.lod))
