"""Compares ours with what the real Paddle gave, and keeps the list of what is still missing."""

import functools
import importlib.util
import math
import pathlib

import numpy as np
import oracle_run
import oracle_table

HERE = pathlib.Path(__file__).parent
PENDING = HERE / "pending.txt"
RELATIVE = {"float16": 2e-3, "bfloat16": 1e-2, "float64": 1e-9, "complex128": 1e-9}


class Difference(AssertionError):
    """Ours and the real one disagree; the text says where."""


@functools.cache
def recorded():
    """{id: (case, what the real one gave)}; a case without a record is an error."""
    result = {}
    for stem, cases in oracle_table.load_cases().items():
        records = oracle_run.unpack(HERE / "recorded" / f"{stem}.npz")
        if set(records) != set(cases):
            raise ValueError(f"recorded/{stem}.npz does not fit cases/{stem}.py, run record.py: "
                             f"{sorted(set(records) ^ set(cases))[:5]}")
        result.update({key: (case, records[key]) for key, case in cases.items()})
    return result


def replay(key):
    """Run one case in ours and compare everything; raises Difference or whatever ours raised."""
    import paddle
    case, expected = recorded()[key]
    paddle.seed(0)
    run = oracle_run.Run(case)
    tree, leaves = run()
    compare_tree("value", tree, expected["tree"])
    for number, (leaf, (dtype, array)) in enumerate(zip(leaves, expected["leaves"])):
        compare_array(f"value {number}" if len(leaves) > 1 else "value", leaf, dtype, array, case)
    if expected["grads"]:
        grads = run.gradients(leaves)
        for name, theirs in expected["grads"].items():
            compare_grad(f"gradient of {name}", grads.get(name), theirs, case)


def compare_tree(where, ours, theirs):
    if isinstance(theirs, list):
        if not isinstance(ours, list) or len(ours) != len(theirs):
            raise Difference(f"{where}: {ours!r}, expected {theirs!r}")
        for number, (mine, other) in enumerate(zip(ours, theirs)):
            compare_tree(f"{where}[{number}]", mine, other)
    elif isinstance(theirs, dict):
        if not isinstance(ours, dict) or list(ours) != list(theirs):
            raise Difference(f"{where}: keys {ours!r}, expected {list(theirs)}")
        for name, other in theirs.items():
            compare_tree(f"{where}[{name}]", ours[name], other)
    elif is_number(theirs) and is_number(ours) and float in (type(ours), type(theirs)):
        if not math.isclose(ours, theirs, rel_tol=1e-5, abs_tol=1e-7) and not (math.isnan(ours) and math.isnan(theirs)):
            raise Difference(f"{where}: {ours!r}, expected {theirs!r}")
    elif ours != theirs or type(ours) is not type(theirs):
        raise Difference(f"{where}: {ours!r}, expected {theirs!r}")


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def compare_array(where, ours, dtype, theirs, case):
    if oracle_run.dtype_name(ours) != dtype:
        raise Difference(f"{where}: dtype {oracle_run.dtype_name(ours)}, expected {dtype}")
    if list(ours.shape) != list(theirs.shape):
        raise Difference(f"{where}: shape {list(ours.shape)}, expected {list(theirs.shape)}")
    mine = oracle_run.to_array(ours)
    if theirs.dtype.kind in "fc":
        rtol = RELATIVE.get(dtype, 1e-5) if case.rtol is None else max(case.rtol, RELATIVE.get(dtype, 0) if
                                                                       dtype.endswith("16") else 0)
        finite = np.abs(theirs[np.isfinite(theirs)])
        # Sums cancel: a part of the array's largest magnitude is allowed everywhere.
        atol = max(case.atol or 0.0, rtol * 0.3 * (finite.max() if finite.size else 0.0), 1e-30)
        good = np.isclose(mine, theirs, rtol, atol, equal_nan=True)
    else:
        good = mine == theirs
    if not np.all(good):
        raise Difference(f"{where}: {np.count_nonzero(~good)} of {good.size} differ:\n{mine}\nexpected\n{theirs}")


def compare_grad(where, ours, theirs, case):
    """Gradients agree, None meaning zero; where the real one has no gradient to give (of labels, say) ours may."""
    if theirs is None:
        return
    if ours is None:
        if np.any(theirs[1]):
            raise Difference(f"{where}: None, expected {theirs[1]}")
        return
    compare_array(where, ours, *theirs, case)


def needs_missing_extra(key):
    """Whether the check needs bfloat16, which is an extra that this environment lacks."""
    return "bfloat16" in key and importlib.util.find_spec("ml_dtypes") is None


def pending():
    """Ids that ours is known to fail."""
    lines = PENDING.read_text().splitlines() if PENDING.exists() else []
    return {line for line in lines if line and not line.startswith("# ")}
