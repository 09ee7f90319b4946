"""Routines in C and in Python do the same."""

import gc
import weakref

import numpy as np
import pytest

from paddle.core import engine
from paddle.core.routine import PythonRoutine, form_of, python_held

ROUTINES = [PythonRoutine] if engine.fast is None else [PythonRoutine, engine.fast.Routine]
A, B = np.arange(6, dtype="float32").reshape(2, 3), np.full([2, 3], 2, "float32")
FORM, SCALAR = form_of(A), form_of(np.asarray(A[0, 0]))


def instruction(function, args, outs, forms, dying=(), single=True, step=0, last=True, spare=0, wants_registers=False):
    return function, args, outs, forms, dying, single, step, last, spare, wants_registers


@pytest.fixture(params=ROUTINES, ids=lambda kind: kind.__name__)
def make(request):
    def build(instructions, size, outputs, updates=(), constants=None, inputs=2):
        values = [None] * size
        for k, v in (constants or {}).items():
            values[k] = v
        return request.param(values, (FORM,) * inputs, instructions, outputs, updates)
    return build


def test_results_constants_and_updates(make):
    routine = make([instruction(np.add, (1, 2), (3,), (FORM,)),
                    instruction(np.divmod, (3, 4), (5, -1), (FORM, FORM), single=False, step=1)],
                   6, (3,), (5, 1), {4: A.dtype.type(2)})
    (total,), (half, first) = routine([A], [B])
    np.testing.assert_array_equal(total, A + B)
    np.testing.assert_array_equal(half, (A + B) // 2)
    assert first is A


def test_other_forms_are_refused_before_anything_runs(make):
    calls = []
    routine = make([instruction(lambda x: calls.append(1) or x, (1,), (3,), (FORM,))], 4, (3,))
    for other in (A[:1], A.astype("float64"), A.T.copy().T, None, [A]):
        assert routine([other], [B]) is None
    assert not calls
    assert routine([A], [B]) is not None and calls == [1]


def test_scalars_become_arrays(make):
    (out,), _ = make([instruction(np.sum, (1,), (3,), (SCALAR,))], 4, (3,))([A], [B])
    assert isinstance(out, np.ndarray) and out == 15


def test_a_result_of_another_form_stops_the_run_behind_its_step(make):
    routine = make([instruction(np.add, (1, 2), (3,), (FORM,)),
                    instruction(lambda x: x[x > 3], (3,), (4,), (FORM,), dying=(3,), step=1),
                    instruction(np.negative, (4,), (5,), (FORM,), step=2)], 6, (5,))
    step, registers = routine([A], [B])
    assert step == 2 and registers[3] is None and registers[5] is None and registers[4].tolist() == [4, 5, 6, 7]


def test_inside_a_step_it_stops_before_the_step(make):
    routine = make([instruction(lambda x: x[:1], (1,), (3,), (FORM,), last=False, step=4),
                    instruction(np.negative, (3,), (4,), (FORM,), step=4)], 5, (4,))
    assert routine([A], [B])[0] == 4


def test_a_kernel_that_declines_stops_the_run_before_its_step(make):
    routine = make([instruction(lambda x: NotImplemented, (1,), (3,), (FORM,), step=7)], 4, (3,))
    step, registers = routine([A], [B])
    assert step == 7 and registers[1] is A


def test_errors_tell_the_step_and_its_arguments(make):
    routine = make([instruction(np.matmul, (1, 2), (3,), (FORM,), step=3)], 4, (3,))
    with pytest.raises(ValueError, match="matmul") as caught:
        routine([A], [B])
    step, args = caught.value.failure
    assert step == 3 and args[0] is A and args[1] is B


def test_values_are_forgotten_when_they_are_told_to_be(make):
    alive = []

    def noted(x):
        copy = x.copy()
        alive.append(weakref.ref(copy))
        return copy

    def look(x):
        gc.collect()
        return np.asarray([r() is not None for r in alive])
    form = form_of(np.zeros(2, bool))
    routine = make([instruction(noted, (1,), (3,), (FORM,)), instruction(noted, (3,), (4,), (FORM,), dying=(3,)),
                    instruction(look, (4,), (5,), (form,))], 6, (5,))
    (seen,), _ = routine([A], [B])
    assert seen.tolist() == [False, True]


def test_spare_memory_is_taken_only_if_nobody_else_holds_it(make):
    held, given = [], []

    def copied(x):
        return x + 0

    def kept(x):
        held.append(x + 0)
        return held[-1]

    def negative(x, out):
        given.append(out)
        return np.negative(x, out)
    for first, may in ((copied, True), (kept, False)):
        routine = make([instruction(first, (1,), (3,), (FORM,)), instruction(negative, (3,), (4,), (FORM,), spare=3)], 5, (4,))
        (out,), _ = routine([A], [B])
        np.testing.assert_array_equal(out, -A)
        in_c = not isinstance(routine, PythonRoutine)
        assert (given.pop() is not None) == (may and in_c)
    np.testing.assert_array_equal(held[0], A)


def test_taken_inputs_go_when_they_are_no_longer_needed(make):
    alive, seen = [], []

    def look(x):
        gc.collect()
        seen.append([r() is not None for r in alive])
        return x + 0
    routine = make([instruction(look, (1,), (3,), (FORM,), dying=(1,)),
                    instruction(look, (2,), (4,), (FORM,), dying=(2,))], 5, (4,))
    inputs = [A.copy(), B.copy()]
    alive += [weakref.ref(a) for a in inputs]
    routine(inputs, (), True)
    assert seen == [[True, True], [False, True]] and inputs == []
    inputs = [A, B[:1]]
    assert routine(inputs, (), True) is None and len(inputs) == 2  # not taken


def test_all_registers_on_demand(make):
    routine = make([instruction(lambda registers, x: np.asarray(len(registers), "float32"), (1,), (3,), (SCALAR,),
                                wants_registers=True)], 4, (3,))
    assert routine([A], [B])[0][0] == 4


@pytest.mark.parametrize("held", [python_held] if engine.fast is None else [python_held, engine.fast.held])
def test_held_memory(held):
    a, b, c, d = A.copy(), B.copy(), A.copy(), A.copy()
    registers = [None, a, b, c, b, a[:1], [c, (d,)], "x", d]
    assert held(registers, [a, b, c, d, A]) == [True, True, True, True, False]
    assert held([a, b, [c]], [a, b, c]) == [False, False, False]


def test_bad_routines_are_refused():
    if engine.fast is None:
        pytest.skip("needs the C engine")
    for bad in (instruction(np.add, (9,), (3,), (FORM,)), instruction(np.add, (1,), (3,), ()),
                instruction(np.add, (-1,), (3,), (FORM,))):
        with pytest.raises(ValueError, match="Routine"):
            engine.fast.Routine([None] * 4, (FORM, FORM), [bad], (3,), ())
    with pytest.raises(ValueError, match="needs 2 values"):
        engine.fast.Routine([None] * 4, (FORM, FORM), [], (1,), ())([A], [])
