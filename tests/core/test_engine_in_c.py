"""What the C engine's objects promise to Python: what they hold can be found and collected, and wrong arguments raise."""

import ctypes
import gc

import numpy as np
import pytest

import paddle
from paddle.core import engine
from paddle.core.context import context, process
from paddle.core.facts import Facts
from paddle.core.op import Op
from paddle.core.routine import form_of

fast = engine.fast
pytestmark = pytest.mark.skipif(fast is None, reason="needs the C engine")
A = np.arange(6, dtype="float32").reshape(2, 3)
FORM = form_of(A)


class Thing:
    """Something that a field can hold."""


def declared(fn, signature="test(X) -> Out"):
    return Op(fn, signature, "same", Facts(), {}, None, None, None)


def holds(holder, value):
    return any(found is holder for found in gc.get_referrers(value))


# ---- what is held -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("make, fields", [
    (lambda: paddle.to_tensor(A), ["_data", "_edge", "_grad", "_meta"]),
    (lambda: (paddle.to_tensor(A, stop_gradient=False) * 2)._edge,
     ["recipe", "edges", "saved", "tensors", "out", "out_metas", "shapes", "hooks", "retained", "spoiled", "where"]),
    (lambda: declared(lambda x: x), ["fn", "kernels", "recipes", "defaults"])], ids=["tensor", "node", "op"])
def test_the_collector_finds_what_every_field_holds(make, fields):
    for name in fields:
        holder, thing = make(), Thing()
        setattr(holder, name, thing)
        assert holds(holder, thing), name
        thing.back = holder  # a circle, which only the collector can free
        number = id(holder)
        del holder, thing
        gc.collect()
        assert not any(id(o) == number for o in gc.get_objects() if isinstance(o, Thing)), name


def held_by(holder, owner, name):
    """The collector finds what lies in a field of ``owner`` by way of ``holder``."""
    thing, before = Thing(), getattr(owner, name)
    setattr(owner, name, thing)
    try:
        assert holds(holder, thing), name
    finally:
        setattr(owner, name, before)


def test_fields_of_the_context_are_found():
    state = next(o for o in gc.get_objects() if type(o).__name__ == "State" and type(o).__module__ == fast.__name__)
    for name in ("own_rules", "trace", "journal", "guard", "main", "startup", "scope", "names", "name_scopes", "layer_key", "lazy",
                 "saved", "generator", "retain_all", "anomaly", "depth", "grad", "static_mode"):
        held_by(state, context, name)
    with pytest.raises(AttributeError, match="can't be deleted"):
        del context.grad
    with pytest.raises(TypeError, match=r"context\.hooks must be a tuple"):
        context.hooks = []
    hooks = context.hooks
    context.hooks = (Thing(),)
    try:
        assert holds(state, context.hooks)
    finally:
        context.hooks = hooks


def test_fields_of_the_process_are_found():
    for name in ("rules", "on_scalar", "static_mode"):
        held_by(process, process, name)
    for wrong in ([], None):
        with pytest.raises(TypeError, match=r"process\.hooks must be a tuple"):
            process.hooks = wrong
    with pytest.raises(TypeError, match=r"process\.hooks must be a tuple"):
        del process.hooks
    with pytest.raises(RuntimeError, match="there is one already"):
        type(process)()


def test_what_routines_methods_and_wrappers_hold_is_found():
    function, constant = Thing(), Thing()
    function.__class__.__call__ = lambda self, x: x
    step = function, (1,), (1,), (FORM,), (), True, 0, True, 0, False
    routine = fast.Routine([None, None, constant], (FORM,), [step], (1,), ())
    assert holds(routine, function) and holds(routine, constant)
    constant.back = routine
    del routine, constant
    gc.collect()
    op, general = declared(lambda x: x), Thing()
    method = fast.BinaryMethod(op, general)
    assert holds(method, op) and holds(method, general)
    assert fast.BinaryMethod.__get__(method, None, object) is method and method.__wrapped__ is general
    entry, known, translate = Thing(), frozenset({"x", Thing()}), Thing()
    spelled = fast.Spelled(function, known, entry, translate, "name", -5)
    assert all(holds(spelled, thing) for thing in (function, known, entry, translate))
    assert spelled.__get__(None, object) is spelled
    entry.back = spelled
    del spelled, entry
    gc.collect()


# ---- what is refused --------------------------------------------------------------------------------------------------------
def refused(kind, match, call):
    with pytest.raises(kind, match=match or None):
        call()


def test_arguments_of_the_module_are_looked_at():
    x, y = paddle.to_tensor(A), paddle.to_tensor(A)

    class Unsure:
        def __bool__(self):
            raise ZeroDivisionError("unsure")
    for wrong in ((1,), (int, int, 0, 0, int, 0), (type(x), int, 0, 0, int, 0)):
        refused(TypeError, "", lambda wrong=wrong: fast.setup(*wrong))
    refused(ZeroDivisionError, "unsure", lambda: fast.call_in_python(Unsure()))
    refused(ZeroDivisionError, "unsure", lambda: fast.share(x, y, Unsure()))
    refused(ZeroDivisionError, "unsure", lambda: fast.alias(x, Unsure()))
    refused(ZeroDivisionError, "unsure", lambda: setattr(x, "stop_gradient", Unsure()))
    for name, calls in {"share": [(x, y), (1, y, True), (x, 1, True)], "alias": [(x,), (1, True)], "item": [(), (0, 1, 2)],
                        "note_views": [(), (x, 1, []), (x, A, 1)], "find_needed": [(), (1, {}, set(), set()), ([], 1, set(), set()),
                        ([], {}, 1, set()), ([], {}, set(), 1)],
                        "run_walk": [(), (0, 1, True, True, None, None, False), (0, [], True, True, None, 1, False)]}.items():
        for args in calls:
            refused(TypeError, rf"{name}\(\): takes", lambda name=name, args=args: getattr(fast, name)(*args))
    for name in ("leave", "members"):
        refused(TypeError, rf"{name}\(\): takes a Tensor", lambda name=name: getattr(fast, name)(1))
    refused(TypeError, "", lambda: fast.held([]))
    refused(TypeError, "", lambda: fast.BinaryMethod(1, 2))
    empty = fast.TensorBase()
    refused(TypeError, "alias", lambda: fast.alias(empty, True))
    assert not empty._sole and not empty._aliased and empty._storage is None and fast.members(empty) == [empty]


def test_attributes_of_a_tensor_are_looked_at():
    x = paddle.to_tensor(A)
    for name in ("stop_gradient", "_version"):
        refused(AttributeError, "can't be deleted", lambda name=name: delattr(x, name))
    refused(TypeError, "", lambda: setattr(x, "_version", "one"))
    refused(AttributeError, "note", lambda: setattr(x, "note", 1))
    refused(AttributeError, "", lambda: delattr(x, "note"))
    x._version = -1
    assert x._version == -1
    alias = fast.alias(x, True)
    alias._version = 7
    assert x._version == 7 and x._storage is alias._storage and x._aliased and alias._aliased and not x._sole
    fast.share(x, x, False)
    assert len(fast.members(x)) == 2
    fast.leave(alias)
    assert not x._aliased and fast.members(alias) == [alias]


def test_wrappers_of_keywords_are_looked_at():
    def add(x, y):
        return x + y
    for wrong in ((1, frozenset(), 0, add, "add", -1), (add, frozenset(), 0, 1, "add", -1), (add, set(), 0, add, "add", -1), ()):
        refused(TypeError, "", lambda wrong=wrong: fast.Spelled(*wrong))
    spelled = fast.Spelled(add, frozenset({"x", "y"}), None, lambda function, entry, args, kwargs: (args, kwargs), "add", 1)
    assert spelled(1, 2, 3) == ((1, 2, 3), {}) and spelled(1, 2, z=3) == ((1, 2), {"z": 3})
    assert spelled(1, 2.5) == 3.5 and repr(spelled) == repr(add)
    refused(TypeError, "", lambda: spelled(1, 2, 3.5))


# ---- routines ---------------------------------------------------------------------------------------------------------------
def instruction(function=np.add, args=(1, 2), outs=(3,), forms=(FORM,), dying=(), single=True, spare=0):
    return function, args, outs, forms, dying, single, 0, True, spare, False


def test_routines_that_would_leave_their_registers_are_refused():
    """An output or update of register -1 was read from memory before the registers; lists of forms that were too short were freed
    beyond their end."""
    def made(instructions=(), outputs=(3,), updates=(), size=4, forms=(FORM, FORM)):
        return fast.Routine([None] * size, forms, list(instructions), outputs, updates)
    for number in (-1, 4, 2**70, -2**70):
        refused(ValueError, "there is no register", lambda number=number: made(outputs=(number,)))
        refused(ValueError, "there is no register", lambda number=number: made(updates=(number,)))
        refused(ValueError, "there is no register", lambda number=number: made([instruction(args=(number, 1))]))
        refused(ValueError, "there is no register", lambda number=number: made([instruction(dying=(number,))]))
    for wrong in ("a", 2.5, None):
        refused(TypeError, "integer", lambda wrong=wrong: made(outputs=(wrong,)))
    for wrong in (instruction(outs=(3, 1, 2), forms=(), single=False), instruction(spare=-1), instruction(spare=4),
                  instruction(outs=(3, 1), forms=(FORM, FORM))):
        refused(ValueError, "not well formed", lambda wrong=wrong: made([wrong]))
    for forms in ((FORM, (1, 2)), (FORM, (A.dtype, ("a",), True)), (FORM, (A.dtype, 3, True))):
        refused(TypeError, "", lambda forms=forms: made(forms=forms))
    refused(ValueError, "more inputs than registers", lambda: made(size=2))
    refused(TypeError, "", lambda: fast.Routine())
    refused(TypeError, "instruction", lambda: made([5]))
    routine = made(outputs=(1,))
    refused(ValueError, "only once", lambda: routine.__init__([None] * 4, (FORM, FORM), [], (1,), ()))
    for args, keywords in [((1, 2), {}), (([A], 2), {}), (([A],), {}), (([A], [A], 1, 2), {}), (((A, A), (), True), {}),
                           (([A], [A]), {"take": True})]:
        refused(TypeError, "", lambda args=args, keywords=keywords: routine(*args, **keywords))


def test_a_routine_passes_errors_of_comparisons_and_results_on():
    class Odd:
        def __eq__(self, other):
            raise ZeroDivisionError("odd")
        __hash__ = None
    compared = fast.Routine([None] * 3, ((Odd(),),), [], (1,), ())
    refused(ZeroDivisionError, "odd", lambda: compared([1], []))
    equal = fast.Routine([None] * 3, ((5,), int), [], (1, 2), ())
    assert equal([5], [7]) == ((5, 7), ()) and equal([6], [7]) is None and equal([5], ["x"]) is None
    short = fast.Routine([None] * 5, (FORM, FORM), [instruction(lambda x, y: (x,), outs=(3, 4), forms=(FORM, FORM), single=False)],
                         (3,), ())
    refused(IndexError, "", lambda: short([A], [A]))
    one_of_two = fast.Routine([None] * 5, (FORM, FORM), [instruction(lambda x, y: (x[:1], y), outs=(3, 4), forms=(FORM, FORM),
                                                                     single=False)], (3,), ())
    step, registers = one_of_two([A], [A])
    assert step == 1 and registers[3].shape == (1, 3) and registers[4] is A


# ---- calls and walks --------------------------------------------------------------------------------------------------------
def test_conditions_of_kernels_that_fail_fail_the_call():
    op = declared(lambda x: x)

    def when(x):
        raise ZeroDivisionError("no condition")
    op.kernel(when=when, native=False)(lambda k, x: x)
    refused(ValueError, "no condition", lambda: op(paddle.to_tensor(A)))


def test_outputs_that_are_no_arrays_fail_the_call():
    class Bad:
        def __array__(self, *args, **kwargs):
            raise ValueError("no array")
    refused(ValueError, "no array", lambda: declared(lambda x: Bad())(paddle.to_tensor(A)))
    several = declared(lambda x: (x, Bad()), "test(X) -> Out, More")
    refused(ValueError, "no array", lambda: several(paddle.to_tensor(A, stop_gradient=False)))


def test_a_recipe_of_another_op_is_refused():
    op = declared(lambda x: x * 1).grad(x=lambda g: g)
    other = declared(lambda x: x * 1).grad(x=lambda g: g)
    for wrong in (other.make_recipe(1), 5):
        op.recipes.clear()
        op.recipes[1] = wrong
        refused(TypeError, r"make_recipe\(\)", lambda: op(paddle.to_tensor(A, stop_gradient=False)))


def test_a_route_is_looked_at():
    class Route:
        targets, blocked, needed, found = {}, set(), set(), {}
    x = paddle.to_tensor(A, stop_gradient=False)
    for name, wrong in (("targets", 1), ("blocked", 1), ("needed", 1), ("found", 1)):
        route = Route()
        setattr(route, name, wrong)
        refused(TypeError, "not a Route", lambda route=route: fast.run_walk(None, [(x, A)], False, False, route, None, False))
    refused(AttributeError, "targets", lambda: fast.run_walk(None, [], False, False, object(), None, False))
    refused(TypeError, "pairs", lambda: fast.run_walk(None, [1], False, False, None, None, False))


def test_the_module_can_be_made_twice():
    make = ctypes.PyDLL(fast.__file__).PyInit__engine
    make.restype = ctypes.py_object
    assert make().built_from == fast.built_from
