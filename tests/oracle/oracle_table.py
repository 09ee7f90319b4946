"""The case table: expressions over named inputs, the same text for the real Paddle and for ours.

    table('''
    paddle.add(x, y)
    x.sum(axis=[0, -1], keepdim=True)
    z = x * 1; z[1:, 0] = 5.0; z
    ''', x=f(3, 4), y=f(4))

Every line is one case. Its inputs are those of the named specifications that it mentions; what it evaluates to is
recorded, and so are the gradients of its floating inputs. Statements before the last `;` are executed first.
The inputs' values depend on nothing but the case's id (line and specifications), so both sides rebuild them.
"""

import ast
import dataclasses
import importlib.util
import pathlib
import zlib

import numpy as np

HERE = pathlib.Path(__file__).parent
SHORT = {"float16": "f16", "float32": "f32", "float64": "f64", "int8": "i8", "int16": "i16", "int32": "i32",
         "int64": "i64", "uint8": "u8", "bool": "bool", "complex64": "c64", "complex128": "c128"}
CASES = {}


@dataclasses.dataclass(frozen=True)
class Spec:
    """One input: a seeded array of a shape and dtype, as a Tensor or (`raw`) as a NumPy array."""

    shape: tuple
    dtype: str = "float32"
    low: float = -2.0
    high: float = 2.0
    distinct: bool = False
    raw: bool = False
    value: object = None

    def __str__(self):
        limits = {"float": (-2.0, 2.0), "compl": (-2.0, 2.0)}.get(self.dtype[:5], (0, 5))
        text = SHORT[self.dtype] + "[" + ",".join(map(str, self.shape)) + "]"
        text += "" if (self.low, self.high) == limits or self.dtype == "bool" else f" {self.low:g}..{self.high:g}"
        text += " distinct" if self.distinct else ""
        text += "" if self.value is None else " " + str(self.value).replace(" ", "")
        return ("np " if self.raw else "") + text

    def build(self, key):
        """The array. RandomState's uniform stream is frozen by NumPy; rounding keeps values printable and ties rare."""
        if self.value is not None:
            return np.array(self.value, dtype=self.dtype).reshape(self.shape)
        random = np.random.RandomState(zlib.crc32(key.encode()))
        size = int(np.prod(self.shape, dtype=np.int64))
        if self.distinct:
            flat = self.low + (self.high - self.low) * (random.permutation(size) + 0.25) / max(size, 1)
        elif self.dtype == "bool":
            flat = random.uniform(size=size) < 0.5
        else:
            flat = np.round(random.uniform(self.low, self.high, size), 3)
            if self.dtype.startswith("complex"):
                flat = flat + 1j * np.round(random.uniform(self.low, self.high, size), 3)
        if "int" in self.dtype:
            flat = np.floor(flat)
        return flat.reshape(self.shape).astype(self.dtype)

    @property
    def differentiable(self):
        return not self.raw and self.dtype[:5] in ("float", "compl")


def f(*shape, low=-2.0, high=2.0, **more):
    """Float input, float32 unless told otherwise."""
    return Spec(shape, more.pop("dtype", "float32"), low, high, **more)


def d(*shape, **more):
    return f(*shape, dtype="float64", **more)


def pos(*shape, **more):
    """Positive floats, away from zero."""
    return f(*shape, low=0.2, high=3.0, **more)


def unit(*shape, **more):
    """Floats inside (0, 1)."""
    return f(*shape, low=0.05, high=0.95, **more)


def distinct(*shape, **more):
    """Floats without ties, in random order."""
    return f(*shape, distinct=True, **more)


def i(*shape, low=0, high=5, dtype="int64", **more):
    """Integers from low up to but not including high."""
    return Spec(shape, dtype, low, high, **more)


def b(*shape, **more):
    return Spec(shape, "bool", 0, 1, **more)


def c(*shape, dtype="complex64", **more):
    return Spec(shape, dtype, **more)


def lit(value, dtype="float32", **more):
    """Given values."""
    return Spec(np.shape(value), dtype, 0, 5, value=value, **more)


@dataclasses.dataclass(frozen=True)
class Case:
    """One call: its id, the code, the inputs' specifications, and how closely ours has to agree."""

    id: str
    run: object
    specs: dict
    rtol: float | None = None
    atol: float | None = None
    grad: bool = True

    def arrays(self):
        return {name: spec.build(f"{self.id}/{name}") for name, spec in self.specs.items()}


def add(case):
    CASES.setdefault(case.id, case)  # loops over forms may say a thing twice


def table(text, rtol=None, atol=None, grad=True, **specs):
    """Add one case per line of `text`."""
    for line in filter(None, map(str.strip, text.strip().splitlines())):
        if line.startswith("#"):
            continue
        tree = ast.parse(line)
        mentioned = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        used = {name: spec for name, spec in specs.items() if name in mentioned}
        label = line + ("  | " + ", ".join(f"{name}: {spec}" for name, spec in used.items()) if used else "")
        add(Case(label, Expression(line, tree), used, rtol, atol, grad))


def program(rtol=None, atol=None, grad=True, **specs):
    """Add a function of several lines as a case; it receives the namespace of the framework and its inputs."""
    def register(function):
        add(Case(f"{function.__module__.rpartition('.')[2]}.{function.__name__}", function, specs, rtol, atol, grad))
        return function
    return register


def evaluate(text, scope):
    """Value of an expression of the tables, which are this folder's own text."""
    return eval(text, dict(scope))  # noqa: S307


class Expression:
    """A line of the table, compiled: statements first, then the value."""

    def __init__(self, line, tree):
        self.line = line
        last = tree.body[-1]
        if not isinstance(last, ast.Expr):
            raise ValueError(f"the line has no value at its end: {line}")
        self.statements = compile(ast.Module(tree.body[:-1], []), line, "exec")
        self.value = compile(ast.Expression(last.value), line, "eval")

    def __call__(self, namespace, **inputs):
        scope = dict(namespace, **inputs)
        exec(self.statements, scope)  # noqa: S102, the table is ours
        return evaluate(self.value, scope)


def load_cases(only=()):
    """Run the case files (all, or those named) and give {file stem: {id: case}}."""
    result = {}
    for path in sorted((HERE / "cases").glob("*.py")):
        if path.stem.startswith("_") or (only and path.stem not in only):
            continue
        CASES.clear()
        spec = importlib.util.spec_from_file_location(f"oracle_cases.{path.stem}", path)
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
        known = {key for cases in result.values() for key in cases}
        if twice := known & set(CASES):
            raise ValueError(f"cases/{path.stem}.py repeats cases of another file: {sorted(twice)}")
        result[path.stem] = dict(CASES)
    return result
