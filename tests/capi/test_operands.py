"""No operand of an operator of the C library is believed: each input and attribute of a good call is replaced by others, which give
a result or no result. (What would be read or written outside a tensor is seen under AddressSanitizer.)"""

import numpy as np
import pytest
from capi.test_ops_in_c import CASES, KNOWN, opcase

import paddle
from paddle import static
from paddle.core.context import changed, context

native = pytest.importorskip("paddle._native")
VALUES = (0, 1, -1, 3, 2**40, 0.5, -1.0, True, False, "", "text", "NHWC", "SAME", [], [0], [-1], [2, 2], [1, 2, 3, 4, 5],
          [0.5, 0.5], ["a"])
WIDE = {"float32": "float64", "complex64": "complex128"}
RANDOM = {"gaussian_random", "uniform_random", "randint", "randperm", "bernoulli", "multinomial", "truncated_gaussian_random"}


def calls_of(case):
    """[(type, [(slot, array, None)], attributes, slots of results)] of the operators of a case's program."""
    feed, main, found = {}, static.Program(), []
    with static.program_guard(main, static.Program()), changed(own_rules=context.rules.unchecked()):
        case.fn(*[opcase.as_inputs(a, feed) for a in case.arrays("float32")], **case.attrs)
        ops = [op for op in main.global_block().ops if op.type in KNOWN]
        names = sorted({name for op in ops for name in op.input_arg_names})
        values = dict(zip(names, static.Executor().run(main, feed=feed, fetch_list=names))) if names else {}
        for op in ops:
            inputs = [(slot, np.asarray(values[name]), None) for slot, given in op.inputs.items() for name in given]
            outputs = [slot for slot, given in op.outputs.items() for _ in given]
            attrs = {k: v for k, v in op.attrs.items() if isinstance(v, (bool, int, float, str, list))}
            found.append((op.type, inputs, attrs, outputs))
    return found


@pytest.fixture(scope="module")
def calls():
    """At most four calls of each operator, of different forms."""
    found = {}
    paddle.enable_static()
    try:
        for case in CASES:
            try:
                made = calls_of(case)
            except (NotImplementedError, ValueError, TypeError, RuntimeError):  # values that a run does not give out
                continue
            for type_, inputs, attrs, outputs in made:
                form = tuple((slot, a.dtype.name, a.ndim) for slot, a, _ in inputs), tuple(sorted(map(str, attrs.items())))
                if len(found.setdefault(type_, {})) < 4:
                    found[type_].setdefault(form, (inputs, attrs, outputs))
    finally:
        paddle.disable_static()
    return [(type_, *call) for type_, forms in found.items() for call in forms.values()]


def replaced(array):
    """What may come in place of a tensor: other types, shapes, sizes and, of whole numbers, other values."""
    with np.errstate(all="ignore"):
        yield from (array.astype(t) for t in ("float64", "float16", "int64", "int32", "uint8", "bool")
                    if array.dtype != t and array.dtype.kind != "c")
    yield from (array.reshape(-1), array[None], array[..., None], array[None, None, None], np.zeros(array.shape[1:], array.dtype),
                np.zeros((0, *array.shape[1:]), array.dtype), np.zeros((2,) * 9, array.dtype), np.zeros((), array.dtype))
    if array.ndim:
        yield from (np.concatenate([array, array], 0), np.concatenate([array, array], -1), array[..., :0])
    if array.dtype.kind in "iu":
        yield from (np.full_like(array, n) for n in (-1, -7, 99, np.iinfo(array.dtype).max, np.iinfo(array.dtype).min))


def variants(inputs, attrs, outputs):
    """Other operands of the same operator, one replaced at a time."""
    for k, (slot, array, _) in enumerate(inputs):
        before, behind = inputs[:k], inputs[k + 1:]
        yield before + behind, attrs, outputs
        yield inputs[:k + 1] + inputs[k:], attrs, outputs
        yield [*before, ("NoSuchSlot", array, None), *behind], attrs, outputs
        yield from (([*before, (slot, np.ascontiguousarray(other), None), *behind], attrs, outputs) for other in replaced(array))
        rows = array.shape[0] if array.ndim else 1
        for levels in ([[0, rows]], [[0, 1, rows]], [[0, 1], [0, rows]], [[0, rows + 5]], [[3, 1]], []):
            yield [*before, (slot, array, levels), *behind], attrs, outputs
    for name in attrs:
        yield inputs, {k: v for k, v in attrs.items() if k != name}, outputs
        yield from ((inputs, {**attrs, name: value}, outputs) for value in VALUES)
    yield inputs, {}, outputs
    yield inputs, attrs, outputs[:-1]
    yield inputs, attrs, [*outputs, "NoSuchSlot"]


def run(type_, inputs, attrs, outputs):
    """Did the operator run? An exception must be the binding's own."""
    try:
        return native.operator(type_, inputs, attrs, outputs) is not NotImplemented
    except (TypeError, ValueError, OverflowError) as error:
        assert "operator()" in str(error) or isinstance(error, OverflowError), f"{type_}: {error!r}"
    except MemoryError:
        pass
    return False


def test_replaced_operands(calls):
    assert len({type_ for type_, *_ in calls}) > 250
    taken = tried = 0
    for type_, *operands in calls:
        run(type_, *operands)
        for other in variants(*operands):
            taken += run(type_, *other)
            tried += 1
        run(type_, *operands)
    assert tried > 30000 and 0.02 * tried < taken < 0.9 * tried


def results(type_, inputs, attrs, outputs):
    found = native.operator(type_, inputs, attrs, outputs)
    return None if found is NotImplemented else found[0]


def test_every_instruction_set_gives_the_same(calls):
    """In float32 and float64, up to the order in which sums are made."""
    best = native.isa()
    try:
        for type_, inputs, attrs, outputs in calls:
            wide = [(slot, a.astype(WIDE.get(a.dtype.name, a.dtype)), levels) for slot, a, levels in inputs]
            for operands, tol in ((inputs, 1e-4), (wide, 1e-10)):
                native.set_isa(best)
                wanted = results(type_, operands, attrs, outputs)
                for isa in ("base", "avx2"):
                    if native.set_isa(isa) != isa or type_ in RANDOM:
                        continue
                    found = results(type_, operands, attrs, outputs)
                    assert (found is None) == (wanted is None), type_
                    for a, b in zip(found or (), wanted or ()):
                        if a is not None:
                            np.testing.assert_allclose(a, b, rtol=tol, atol=tol, err_msg=f"{type_} on {isa}")
    finally:
        native.set_isa(best)


def test_soft_labels_have_the_shape_of_the_logits():
    """With more axes than the logits they were transposed by an order that nobody had written: a crash."""
    def run_soft(logits, label):
        return results("softmax_with_cross_entropy", [("Logits", logits, None), ("Label", label, None)],
                       {"soft_label": True, "use_softmax": True, "axis": -1}, ["Softmax", "Loss"])
    x = np.zeros((3, 4), "float32")
    np.testing.assert_allclose(run_soft(x, x + 0.25)[1], np.full((3, 1), np.log(4)), rtol=1e-6)
    for label in (x.reshape(-1), x.reshape(3, 2, 2), x.reshape(4, 3)):
        assert run_soft(x, label) is None and run_soft(label, x) is None
