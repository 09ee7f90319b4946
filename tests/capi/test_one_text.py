"""How Python computes what the library's operators compute: by the same kernels, by the operators themselves, or, for those listed
here with the reason, by a text of its own."""

import pathlib
import re
import sys

import pytest
from capi.library import operators
from capi.test_sizes import OPS, functions, reached

from paddle import kernels
from paddle.core.context import process
from paddle.core.op import BY_NAME, use_native
from paddle.ops import library
from paddle.static.program.registry import find

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "ops"))
import opcase  # noqa: E402 - the records of tests/ops, which is no package

pytestmark = pytest.mark.skipif(process.native is None, reason="C is not built or turned off")

# What a C text calls that has its loops in kernels/native.
KERNELS = (r"\b(DISPATCH\w*|\w+_run(?:_f32_plain)?|chain_execute|formula_run\w*|product_into|reduce_axis|remap_into|take_into"
           r"|take_elements|choose_into|choose_elements"
           r"|order_rows|put_rows|mask_count|tensor_convert|conv_\w+"
           r"|run_unary_step|run_steps|blocked_\w+|fourier_transform)\(")
ARITHMETIC = r"\b(tensor_set|tensor_number)\("  # elements that are computed, not moved
STEPPED = {f"elementwise_{name}" for name in "add sub mul div max min pow mod floordiv fmax fmin".split()} | {"atan2"}  # run_steps
CONTROL = {"control.c", "steps.c"}  # what runs blocks and keeps arrays: Python's is the executor's, with no loops over elements
MOST = 40
OWN = {  # operators that Python and C compute by two texts, by reason
    "one pass of NumPy over operands as they lie: 1.2 to 400 times quicker for a million elements than C's lines":
        """minus equal not_equal less_than less_equal greater_than greater_equal logical_and logical_or logical_xor logical_not
        bitwise_and bitwise_or bitwise_xor isnan_v2 isinf_v2 isfinite_v2 conj angle complex reduce_all reduce_any""",
    "views in Python": "real imag",
    "constants, which NumPy fills": "fill_constant fill_constant_batch_size_like assign_value range",
    "other names of ops, or several ops, in Python":
        """tril triu lookup_table masked_fill matmul addmm swiglu median reverse beam_search_decode collect_fpn_proposals
        distribute_fpn_proposals""",
}


def texts():
    """(operator, file, its C text with what it calls in its file)."""
    for path in sorted(OPS.glob("*.c")):
        text = path.read_text(encoding="utf-8")
        bodies = functions(text)
        table = re.search(r"OPERATOR_TABLE\(\w+\) = \{(.*?)\{0\}\};", text, re.DOTALL)[1]
        for name, function in re.findall(r'\{"(\w+)", (\w+),', re.sub(r'U\("(\w+)"\)', r'{"\1", unary, 0}', table)):
            yield name, path.name, reached(function, bodies, set())


def runs_kernel(name, file, text):
    """Does C run a kernel of kernels/native for floats?"""
    if file == "binary.c" and "run_steps(" in text:
        return name in STEPPED
    return bool(re.search(KERNELS, text))


class Noted:
    """The native module, noting what is called of it."""

    def __init__(self, module):
        self.module, self.names = module, set()

    def __getattr__(self, name):
        function = getattr(self.module, name)
        if not callable(function) or name == "prepared":
            return function

        def noted(*args, **kwargs):
            result = function(*args, **kwargs)
            if result is not NotImplemented:
                self.names.add(name)
            return result
        return noted


@pytest.fixture(scope="module")
def on_kernels():
    """The types of ops in whose records native kernels ran."""
    found, before = set(), process.native
    for case in opcase.load_cases():
        watched = Noted(before)
        use_native(watched)
        try:
            case.call(case.arrays("float32"))
        finally:
            kernels.use(True)
        if watched.names:
            found.update(BY_NAME[name].type for name in opcase.seen_by(case).ops)
    return found


def way(name, file, text, on_kernels):
    """How Python and C come to one result; None: by two texts."""
    if name in {op.type for op in library.OPS}:
        return "operator"
    if file in CONTROL:
        return "control"
    if runs_kernel(name, file, text) and name in on_kernels:
        return "kernel"
    computed = re.search(ARITHMETIC, text) or re.search(KERNELS, text)
    return None if computed else "moved"


def test_what_has_two_texts_is_listed_with_a_reason(on_kernels):
    """The list may only become shorter."""
    for name in operators():
        find_or_none(name)  # its module is loaded, and with it what library.OPS holds
    listed = [name for names in OWN.values() for name in names.split()]
    assert len(set(listed)) == len(listed)
    ways = {name: way(name, file, text, on_kernels) for name, file, text in texts()}
    assert set(ways) == operators()
    assert {name for name, found in ways.items() if found is None} == set(listed)
    assert len(listed) <= MOST


def find_or_none(name):
    try:
        return find(name)
    except Exception:  # an operator that Python reads as others
        return None
