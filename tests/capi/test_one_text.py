"""How Python computes what the library's operators compute: by the same kernels or by the operators themselves, never by a text of
its own."""

import functools
import json
import pathlib
import re
import sys

import numpy as np
import pytest
from capi.library import operators
from capi.test_sizes import OPS, functions, reached

import paddle
from paddle import kernels
from paddle.core import hooks
from paddle.core.context import process
from paddle.core.op import use_native
from paddle.nn import functional as F
from paddle.ops import library
from paddle.ops.sequence.beam_search import backtrace
from paddle.static.pir import composite
from paddle.static.program.registry import find

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "ops"))
import opcase  # noqa: E402 - the records of tests/ops, which is no package

pytestmark = pytest.mark.skipif(process.native is None, reason="C is not built or turned off")

ARITHMETIC = r"\b(tensor_set|tensor_number)\("  # elements that are computed, not moved
LIBRARY, NATIVE = OPS.parent, OPS.parents[1] / "paddle" / "kernels" / "native"
SERVICES = {"common.c", "threads.c"}  # memory and threads, which everything uses
ROWS = json.loads((OPS.parents[1] / "paddle" / "serialization" / "pir" / "operators.json").read_text(encoding="utf-8"))
MOVES = {"convert_run", "cast_loop"}  # to another type, which is how sizes and axes in tensors are read too
MORE = {  # operators of which records run other parts: those of training, or of small arrays
    "cast": lambda: paddle.cast(paddle.ones([20000]), "float64"),
    "dropout": lambda: F.dropout(paddle.ones([4, 8]), 0.5, training=False, mode="downscale_in_infer"),
    "rrelu": lambda: F.rrelu(paddle.ones([4, 8]), training=False),
    "batch_norm": lambda: F.batch_norm(paddle.ones([2, 3, 4, 4]), paddle.zeros([3]), paddle.ones([3]), training=False),
}
SEVERAL = {  # operators that Python reads as several (static/pir/composite.py): arguments to run them with
    "masked_fill": lambda: (paddle.ones([4, 8]), paddle.ones([4, 8], "bool"), paddle.zeros([])),
    "median": lambda: (paddle.rand([4, 8]), [1], False, "avg"),
    "swiglu": lambda: (paddle.rand([4, 8]), paddle.rand([4, 8])),
}
OPERATOR, STEPS = "an operator of the library", "an operator of the library, on arrays of steps"
CONTROL = {"control.c", "steps.c"}  # what runs blocks and keeps arrays: Python's is the executor's, with no loops over elements


def texts():
    """(operator, file, function, its C text with what it calls in its file)."""
    for path in sorted(OPS.glob("*.c")):
        text = path.read_text(encoding="utf-8")
        bodies = functions(text)
        table = re.search(r"OPERATOR_TABLE\(\w+\) = \{(.*?)\{0\}\};", text, re.DOTALL)[1]
        for name, function in re.findall(r'\{"(\w+)", (\w+),', re.sub(r'U\("(\w+)"\)', r'{"\1", unary, 0}', table)):
            yield name, path.name, function, reached(function, bodies, set())


class Calls:
    """Which loops of kernels/native functions of C come to, by their names in the sources."""

    def __init__(self):
        listed = set((LIBRARY / "kernels.txt").read_text(encoding="utf-8").split())
        self.bodies, self.loops, self.everywhere = {}, set(), {}
        for path in [*LIBRARY.glob("*.c"), *OPS.glob("*.c"), *NATIVE.glob("*.c")]:
            text = path.read_text(encoding="utf-8")
            if path.parent == NATIVE and path.name in listed:
                self.loops |= self.defined(path, text) if path.name not in SERVICES else set()
                continue
            bound = re.findall(r"^BINDING\((\w+)\) \{(.*?)^\}", text, re.MULTILINE | re.DOTALL)
            bodies = {**functions(text), **dict(bound)}
            self.bodies[path.parent.name, path.name] = bodies
            if path.parent != NATIVE:
                shared = re.findall(r"^(?!static)\w+ \*?(\w+)\([^;{]*\) \{", text, re.MULTILINE)
                self.everywhere.update(dict.fromkeys(shared, (path.parent.name, path.name)))

    @staticmethod
    def defined(path, text):
        """The functions that a file of loops has for others, those of its bodies among them, without the names of versions."""
        found = set(re.findall(r"^(?!static|typedef)\w[\w ]*[ *](\w+)\([^;]*?\) \{", text, re.MULTILINE))
        for body in re.findall(r'#define BODY "(.*)"', text):
            inner = path.with_name(body).read_text(encoding="utf-8")
            found |= set(re.findall(r"^(?!static|INLINE)\w[\w ]*[ *]NAME\((\w+)\)\(", inner, re.MULTILINE))
        return found

    def of(self, file, name, seen=None):
        """The loops behind a function of a file."""
        seen = set() if seen is None else seen
        if (file, name) in seen or name not in self.bodies[file]:
            return set()
        seen.add((file, name))
        found = set()
        for word, called in set(re.findall(r"\b([a-z]\w+)\b(\(?)", self.bodies[file][name])):
            plain = re.sub(r"_f(32|64)(_plain)?$", "", word)
            if plain in self.loops:
                found.add(plain)
            elif word in self.bodies[file]:
                found |= self.of(file, word, seen)
            elif called and word in self.everywhere:
                found |= self.of(self.everywhere[word], word, seen)
        return found

    def of_native(self, name):
        """Those behind a function of the native module."""
        return set().union(*(self.of(file, name) for file, bodies in self.bodies.items()
                             if file[0] == NATIVE.name and name in bodies))


CALLS = Calls()


class Noted(hooks.OpHook):
    """The native module, noting which of its functions ops call."""

    def __init__(self, module):
        self.module, self.running, self.found = module, [], {}

    def before(self, op, args):
        self.running.append(op)
        return args

    def after(self, op, args, outs):
        self.running.pop()

    def __getattr__(self, name):
        function = getattr(self.module, name)
        if not callable(function):
            return function
        if name == "prepared":
            return lambda *declared: self.noting(OPERATOR, function(*declared))
        if name == "operator":
            return self.on_steps
        return self.noting(name, function)

    def on_steps(self, kind, *rest):
        result = self.module.operator(kind, *rest)
        if result is not NotImplemented:
            self.found.setdefault(kind, set()).add(STEPS)
        return result

    def noting(self, name, function):
        def noted(*args, **kwargs):
            result = function(*args, **kwargs)
            if result is not NotImplemented:
                for op in self.running:
                    self.found.setdefault(op.type, set()).add(name)
            return result
        return noted


def record(case):
    """Run a record of tests/ops."""
    case.call(case.arrays("float32"))


def sentences():
    """Sentences of one word each, of one source with one beam."""
    ends = np.array([0, 1])
    backtrace([np.array([[7]])], [np.array([[0.5]], "f4")], [ends], [ends], 1, 0)


def run_noted(call):
    """{type of op: the native functions that it called} while something runs."""
    watched = Noted(process.native)
    use_native(watched)
    try:
        with watched:
            call()
    finally:
        kernels.use(True)
    return watched.found


@pytest.fixture(scope="module")
def on_kernels():
    """{type of op: the native functions that it runs} in the records of all ops, and of operators that Python reads as several."""
    found = {}
    for case in opcase.load_cases():
        for one, names in run_noted(functools.partial(record, case)).items():
            found.setdefault(one, set()).update(names)
    several = {name: functools.partial(composite.FUNCTIONS[name], *given()) for name, given in SEVERAL.items()}
    for name, call in {**MORE, **several, "beam_search_decode": sentences}.items():
        found.setdefault(name, set()).update(*run_noted(call).values())
    return found


def way(name, file, function, text, on_kernels):
    """How Python and C come to one result; None: by two texts."""
    read_as = name if find_or_none(name) else ROWS.get(name, {}).get("type", name)
    native = on_kernels.get(read_as, set())
    if STEPS in native:
        return "operator"
    if read_as in {op.type for op in library.OPS} and (OPERATOR in native or not native):  # others run it for integers alone
        return "operator"
    if file in CONTROL:
        return "control"
    loops = CALLS.of((OPS.name, file), function)
    if loops & set().union(*map(CALLS.of_native, native - {OPERATOR})):
        return "kernel"
    return None if loops - MOVES or re.search(ARITHMETIC, text) else "moved"


def test_no_operator_has_two_texts(on_kernels):
    for name in operators():
        find_or_none(name)  # its module is loaded, and with it what library.OPS holds
    ways = {name: way(name, *rest, on_kernels) for name, *rest in texts()}
    assert set(ways) == operators()
    assert [name for name, found in ways.items() if found is None] == []


def find_or_none(name):
    try:
        return find(name)
    except Exception:  # an operator that Python reads as others
        return None
