"""Shape rules of the C library: written down from Python's (core/sizes.py, patterns of records), and which operators have one of
their own."""

import pathlib
import re

from capi.library import operators

OPS = pathlib.Path(__file__).parents[2] / "src" / "capi" / "ops"
SHARED = r"\b(size_\w+|make_by_record|broadcast_dims|expand_into|product_into|window_outputs)\("
OWN = {  # operators whose result has sizes that C says itself, by reason; this list may only become shorter
    "as many as are found while running": """where_index distribute_fpn_proposals collect_fpn_proposals range beam_search_decode
        ctc_align crf_decoding multiclass_nms multiclass_nms2 multiclass_nms3 lod_rank_table""",
    "sizes that attributes or tensors give, as they are": "fill_constant assign_value eye linspace",
    "one number, or one for each axis": "shape lod_array_length moving_average_abs_max_scale",
    "the shape of an operand, handed on": "nll_loss fill_any_like fill_zeros_like box_coder",
}


def functions(text):
    """Name -> body of the functions of a file; those that a macro makes have its text."""
    bodies = {}
    macros = {m[1]: m[2] for m in re.finditer(r"#define (\w+)\(((?:.*\\\n)*.*)", text)}
    for m in re.finditer(r"^(\w+)\((\w+), .*\)$", text, re.MULTILINE):
        bodies[m[2]] = macros.get(m[1], "")
    for m in re.finditer(r"^(?:static )?\w+ \*?(\w+)\([^;{]*\) \{( [^\n]* \}|.*?^\})$", text, re.MULTILINE | re.DOTALL):
        bodies[m[1]] = m[2]
    return bodies


def reached(name, bodies, seen):
    """What a function does, with the functions of its file that it calls."""
    if name in seen or name not in bodies:
        return ""
    seen.add(name)
    return bodies[name] + "".join(reached(other, bodies, seen) for other in re.findall(r"\b(\w+)\(", bodies[name]))


def own_rules():
    """Operators that make a tensor of sizes that are neither an operand's nor given by a shared rule."""
    for path in sorted(OPS.glob("*.c")):
        text = path.read_text(encoding="utf-8")
        bodies = functions(text)
        table = re.search(r"OPERATOR_TABLE\(\w+\) = \{(.*?)\{0\}\};", text, re.DOTALL)[1]
        for name, function in re.findall(r'\{"(\w+)", (\w+),', table):
            body = reached(function, bodies, set())
            assert body, (path.name, function)
            made = re.findall(r"\b(?:make|give_view|fill)\(run, (?:[^;()]|\([^()]*\))*\)", body)
            if any(not re.search(r", (\w+)(->|\.)ndim, \1(->|\.)dims", m) for m in made) and not re.search(SHARED, body):
                yield name


def test_own_rules_are_listed_with_a_reason():
    """Shapes come from core/sizes.py; what does not is named here."""
    listed = [name for names in OWN.values() for name in names.split()]
    assert len(set(listed)) == len(listed)
    assert set(listed) <= operators()
    assert set(own_rules()) == set(listed)
