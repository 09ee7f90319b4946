"""The reports of two runs side by side, in a spreadsheet: rows pair the n-th results of the same op."""

import math
import os
import re

import numpy as np

from .spreadsheet import Workbook

_LINE = re.compile(r"\[PRECISION\].* in \[device=(?P<device>[^,]*), op=(?P<op>[^,]*), tensor=(?P<tensor>[^,]*), "
                   r"dtype=(?P<dtype>\w+)\], (?P<rest>.*)")
_FIELDS = ("dtype", "max", "min", "mean", "num_zero", "num_inf", "num_nan")
_RANGE = ("max", "min", "mean")
_LARGEST = float(np.finfo(np.float16).max)


def read_report(path):
    """The results that a report tells of: dicts with op, tensor, dtype, numel, max, min, mean and counts."""
    found = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            match = _LINE.match(line.strip())
            if match is None:
                continue
            entry = {"num_inf": 0, "num_nan": 0, **match.groupdict()}
            for part in entry.pop("rest").split(", "):
                name, _, value = part.partition("=")
                entry[name] = float(value) if name in _RANGE else int(value)
            found.append(entry)
    return found


def pair(first, second):
    """(entry or None, entry or None) in the order of the first run, then what only the second has."""
    waiting = {}
    for entry in second:
        waiting.setdefault((entry["op"], entry["tensor"]), []).append(entry)
    pairs = [(entry, queue.pop(0) if (queue := waiting.get((entry["op"], entry["tensor"]))) else None) for entry in first]
    return pairs + [(None, entry) for queue in waiting.values() for entry in queue]


def scaled(entry, scale):
    """An entry with the range that it has in a run whose loss is multiplied by a number."""
    if entry is None or scale == 1.0 or not entry["op"].endswith("_grad"):
        return entry
    return {**entry, **{name: entry[name] * scale for name in _RANGE}}


def suspicious(one, other):
    """Does a pair deserve a look: values that are not finite or beyond float16, or largest and smallest ones that differ?"""
    for entry in (one, other):
        if entry and (entry["num_inf"] or entry["num_nan"] or not max(abs(entry["max"]), abs(entry["min"])) <= _LARGEST):
            return True
    return bool(one and other) and not all(math.isclose(one[n], other[n], rel_tol=1e-2, abs_tol=1e-2) for n in ("max", "min"))


def _ratio(one, other, name):
    if not (one and other):
        return None
    return other[name] / one[name] if one[name] else None


def compare(first_dir, second_dir, output, loss_scale):
    """Write the spreadsheet for two directories of reports, one sheet per file that both have."""
    names = sorted(name for name in os.listdir(first_dir) if "worker_" in name
                   and os.path.exists(os.path.join(second_dir, name)))
    if not names:
        raise FileNotFoundError(f"compare_accuracy(): {first_dir} and {second_dir} have no report worker_* in common")
    book = Workbook()
    for name in names:
        pairs = pair(*(read_report(os.path.join(directory, name)) for directory in (first_dir, second_dir)))
        scale = "" if loss_scale == 1.0 else f" (gradients times {loss_scale:g})"
        head = ["op_type", "tensor_name", "numel", "suspicious", *(f"first {f}{scale if f in _RANGE else ''}" for f in _FIELDS),
                *(f"second {f}" for f in _FIELDS), *(f"second / first {f}" for f in _RANGE)]
        rows = []
        for one, other in pairs:
            one, bad = scaled(one, loss_scale), suspicious(scaled(one, loss_scale), other)
            known = one or other
            rows.append(([known["op"], known["tensor"], known["numel"], int(bad), *((one or {}).get(f) for f in _FIELDS),
                          *((other or {}).get(f) for f in _FIELDS), *(_ratio(one, other, f) for f in _RANGE)], bad))
        book.add_sheet(name, head, rows)
    book.save(output)
