"""Every OpCase of tests/ops/cases through every check of opcase.py, and the registry against the cases."""

import numpy as np
import opcase
import pytest

from paddle.core import dtype as dtypes
from paddle.core import engine, hooks
from paddle.core.attributes import from_file, to_file
from paddle.core.recipe import Recipe
from paddle.static.program.op_table import table

CASES = opcase.load_cases()


@pytest.mark.parametrize("case, check", [pytest.param(case, check, id=f"{case.id}-{check}")
                                         for case in CASES for check in opcase.CHECKS
                                         if check != "gradient" and opcase.applies(case, check)])
def test_case(case, check):
    opcase.CHECKS[check](case)


@pytest.mark.parametrize("case", [pytest.param(case, id=case.id) for case in CASES if opcase.applies(case, "gradient")])
def test_gradient(case, engine):
    opcase.check_gradient(case)


def test_every_op_has_a_case():
    declared = opcase.load_ops()
    run = set()
    for case in CASES:
        run |= opcase.ops_run_by(case)
    missing = sorted(set(declared) - run)
    assert not missing, f"{len(missing)} of {len(declared)} ops are run by no OpCase: {', '.join(missing)}"


def test_every_gradient_is_differentiated_again(monkeypatch):
    """The cases take every gradient rule of every op with ``create_graph``, where ``second`` compares what comes out."""
    taken, run = set(), Recipe.gradients

    def watched(recipe, node, g, create_graph, final):
        if create_graph:
            taken.update((recipe.op.name, k) for k in recipe.active)
        return run(recipe, node, g, create_graph, final)
    monkeypatch.setattr(Recipe, "gradients", watched)
    with engine.chosen("python"):  # whose passes go through the method
        for case in CASES:
            opcase.ops_run_by(case)
    missing = []
    for name, op in opcase.load_ops().items():
        if op.shared_rule is not None:
            missing += [name] if not any(n == name for n, _ in taken) else []
        else:
            missing += [f"{name} by {op.params[k]}" for k, rule in op.rules.items() if rule and (name, k) not in taken]
    assert not missing, f"no OpCase differentiates twice: {', '.join(sorted(missing))}"


def test_every_op_is_described():
    for name, op in opcase.load_ops().items():
        assert (op.__doc__ or "").strip(), f"op {name} has no docstring"
        assert op.family, f"op {name} has no family"


def plain(value):
    """An attribute's value with lists for tuples (an axis is as good as a list of it), names for types, floats as files
    hold them."""
    if isinstance(value, (list, tuple, np.ndarray)):
        return plain(value[0]) if len(value) == 1 else [plain(v) for v in value]
    if isinstance(value, float):
        with np.errstate(over="ignore"):  # beyond float32 files hold infinity
            return float(np.float32(value))
    return dtypes.convert(value).name if isinstance(value, (dtypes.DType, np.dtype)) else value


class Calls(hooks.OpHook):
    """Collects one call of each op with each set of attributes."""

    def __init__(self):
        self.found = {}

    def after(self, op, args, outs):
        attrs = args[op.n_in:]
        if op.type in table():
            self.found.setdefault((op.name, str(plain(attrs))), (op, attrs))


def test_files_know_slots_and_attributes():
    """Ops that exist in Paddle have its slots and attribute names, and attributes survive the way to files and back."""
    calls = Calls()
    with calls:
        for case in CASES:
            opcase.ops_run_by(case)
    problems = []
    for op in opcase.load_ops().values():
        row = table().get(op.type)
        if row is not None:
            slots = {s.rstrip("*?") for s in row["in"]}, {s.rstrip("*?~") for s in row["out"]}
            made = {s.name for s in op.file_outputs if not s.name.endswith("LoD")}  # offsets are variables of their own here only
            strange = {s.name for s in op.inputs if not s.optional} - slots[0] | made - slots[1]
            problems += [f"{op.type}: no slots {sorted(strange)}"] if strange else []
    for op, attrs in calls.found.values():
        filed = to_file(op, attrs)
        row = table()[op.type]
        strange = set(filed) - set(row["attrs"]) - set(row.get("extra", ())) - {"seed", "fix_seed", "infer_flags"}
        problems += [f"{op.type}: no attributes {sorted(strange)}"] if strange else []
        for name, a, b in zip(op.attr_names, attrs, from_file(op, filed)):
            if a is None:
                continue
            if isinstance(b, int) and isinstance(a, (str, dtypes.DType, np.dtype)):
                b = dtypes.convert(b).name
            if plain(a) != plain(b):
                problems.append(f"{op.type}.{name}: {a!r} came back as {b!r}")
    assert not problems, "\n".join(sorted(set(problems)))
