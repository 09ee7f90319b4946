"""Run-time helpers of translated code: each does what Python does, unless a tensor of the program decides."""

import operator
import sys

from ..core import dtype as dtypes
from ..core.context import context
from ..core.op import Symbolic
from ..ops.manipulation.reshape import reshape
from ..static.ir.lower import op_of
from ..tensor import manipulation
from ..tensor.creation import full as full_tensor
from ..tensor.logic import logical_and, logical_not, logical_or
from .arrays import TensorList
from .branching import branch, choose  # noqa: F401  (translated code calls it by this name)
from .calls import convert_call as call  # noqa: F401  (translated code calls it by this name)
from .effects import assert_
from .errors import Unset, Untranslatable, check_set
from .iterate import Range, graph_iterable
from .journal import go_through, member, read, touch  # noqa: F401  (likewise)
from .looping import loop
from .source import helpers
from .values import Mark, condition, graph_value, shape, truth, unmoved, variable  # noqa: F401  (likewise)

_OPERATORS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
              "is": operator.is_, "is not": operator.is_not, "in": lambda a, b: a in b, "not in": lambda a, b: a not in b}


def full(shape, value, dtype):
    """A constant tensor of the program."""
    return full_tensor(shape, value, dtype)


def unset(name):
    """The value of a name that has none yet."""
    return Unset(name)


def have(value):
    """The value of a name; one that only some paths set is checked when the program runs."""
    if value.__class__ is Unset and value.perhaps is not None:
        found, was_set = value.perhaps
        if graph_value(was_set):
            assert_(was_set, value.why)
        return found
    return value


# ---- control flow --------------------------------------------------------------------------------------------------------
def if_(test, true_fn, false_fn, get, set_, names, live=()):
    """``if``."""
    test = truth(test)
    if graph_value(test):
        branch(variable(test), true_fn, false_fn, get, set_, names, live)
    elif test:
        true_fn()
    else:
        false_fn()


def while_(test, body, get, set_, names, live, stopped):
    """``while``: turns are unrolled until the condition depends on a tensor; the rest is a loop of the program."""
    def whole():
        if stopped is None:
            return truth(test())
        return truth(and_(not_(stopped()), test))
    while True:
        mark = None if context.trace is None else Mark()
        going = whole()
        if graph_value(going):
            mark.back()
            return loop(whole, body, get, set_, names, live)
        if not going:
            return None
        body()


def for_(iterable, body, get, set_, names, live, stopped):
    """``for``: turns are unrolled, unless a tensor decides how many there are."""
    check_set([iterable])
    source = graph_iterable(iterable)
    if source is not None:
        return _graph_for(source, 0, body, get, set_, names, live, stopped)
    iterator, done = iter(go_through(iterable)), 0
    for item in iterator:
        body(item)
        done += 1
        if stopped is None:
            continue
        flag = stopped()
        if graph_value(flag):
            if iterable.__class__ is range and len(iterable) - done > 4:
                source = Range(iterable.start, iterable.stop, iterable.step)
                return _graph_for(source, done, body, get, set_, names, live, stopped)
            for rest in iterator:
                if_(going(stopped()), lambda rest=rest: body(rest), lambda: None, get, set_, names, live)
            return None
        if flag:
            return None
    return None


def _graph_for(source, first, body, get, set_, names, live, stopped):
    place = [first]

    def iteration():
        item = source.item(place[0])
        place[0] = place[0] + 1
        body(item)

    def write(values):
        *values, place[0] = values
        set_(values)

    def test():
        more = place[0] < source.length()
        return more if stopped is None else and_(not_(stopped()), lambda: more)
    while_(test, iteration, lambda: (*get(), place[0]), write, (*names, "the iteration's number"), (*live, True), None)


def going(*flags):
    """Does control go on, none of the exits having been taken?"""
    if len(flags) == 1 and graph_value(flags[0]):
        result = not_(flags[0])
        result.negates = flags[0]
        return result
    test = flags[0]
    for flag in flags[1:]:
        test = or_(test, lambda flag=flag: flag)
    return not_(test)


def returning(value):
    """The value of a ``return``."""
    check_set([value])
    return value


def result(returned, value):
    """What a function with early returns gives back."""
    if graph_value(returned):
        if value is None:  # returned, or reached at the end
            return None
        raise Untranslatable("return: the function returns a value on some paths only, and a tensor decides which")
    if not returned:
        return None
    check_set([value])
    return value


# ---- logic ---------------------------------------------------------------------------------------------------------------
def _lazily(first, fn, use_second):
    """``and`` / ``or`` on a tensor: the second operand counts only if the first does not decide."""
    mark = Mark()
    n = len(mark.program.current_block().ops)
    second = fn()
    added = mark.program.current_block().ops[n:]
    harmless = len(mark.program.blocks) == len(mark.blocks) and all(_harmless(op.type) for op in added)
    if harmless and _is_flag(first) and _is_flag(second) and _alike(first, second):
        second = second if isinstance(second, Symbolic) else full([], bool(second), "bool")
        return (logical_and if use_second else logical_or)(first, second)
    mark.back()
    flags = _is_flag(first) and isinstance(second, Symbolic) and _is_flag(second)
    if flags and first.shape != second.shape and _alike(first, second):  # [1] and []: one flag in two forms
        return _lazily(first, lambda: manipulation.reshape(fn(), list(first.shape)), use_second)
    if _is_flag(first) and isinstance(second, bool):
        return _lazily(first, lambda: full(list(first.shape), fn(), "bool"), use_second)
    return choose(first, fn, lambda: first) if use_second else choose(first, lambda: first, fn)


def _harmless(op_type):
    """Can an operator not fail for lack of a condition, so that evaluating it needlessly is harmless?"""
    op = op_of(op_type)
    return op.facts.total if op is not None else op_type == "lod_array_length"  # of control flow, not a declared op


def _is_flag(value):
    return isinstance(value, bool) or isinstance(value, Symbolic) and value.dtype.name == "bool"


def _alike(a, b):
    return isinstance(b, bool) or a.shape == b.shape or {*a.shape, *b.shape} == {1}


def and_(first, *rest):
    """``first and ...``."""
    for fn in rest:
        first = truth(first)
        if graph_value(first):
            first = _lazily(variable(first), fn, True)
        elif first:
            first = fn()
        else:
            return first
    return first


def or_(first, *rest):
    """``first or ...``."""
    for fn in rest:
        first = truth(first)
        if graph_value(first):
            first = _lazily(variable(first), fn, False)
        elif first:
            return first
        else:
            first = fn()
    return first


def both(first, *rest):
    """``first and ...`` where only the truth is asked, so that operands of any kind go together."""
    return _truths(first, rest, True)


def either(first, *rest):
    """``first or ...`` where only the truth is asked."""
    return _truths(first, rest, False)


def _truths(first, rest, use_second):
    first = _flag(first)
    for fn in rest:
        if graph_value(first):
            first = _lazily(first, lambda fn=fn: _flag(fn()), use_second)
        elif first is use_second:
            first = _flag(fn())
        else:
            return first
    return first


def _flag(value):
    value = truth(value)
    return condition(variable(value), "a condition") if graph_value(value) else bool(value)


def not_(value):
    """``not value``."""
    value = truth(value)
    if graph_value(value):
        return logical_not(condition(variable(value), "not"))
    return not value


def is_(a, b):
    """``a is b``."""
    check_set((a, b))
    return a is b


def is_not(a, b):
    """``a is not b``."""
    check_set((a, b))
    return a is not b


def compare(ops, left, right, *rest):
    """``left < right < ...``, every operand evaluated once."""
    outcome = _OPERATORS[ops[0]](left, right)
    if not rest:
        return outcome
    return and_(outcome, lambda: compare(ops[1:], right, rest[0](), *rest[1:]))


# ---- tensors -------------------------------------------------------------------------------------------------------------
def length(value):
    """``len(value)``."""
    if value.__class__ is TensorList:
        return value.length
    if isinstance(value, Symbolic):
        if not value.shape:
            raise TypeError("len() of a 0-d tensor")
        return shape(value)[0]
    source = graph_iterable(value)
    return len(go_through(value)) if source is None else source.length()


def check(test, message=None):
    """``assert``."""
    test = truth(test)
    if graph_value(test):
        assert_(condition(variable(test), "assert"), None if message is None else message())
    elif not test:
        if message is None:
            raise AssertionError
        raise AssertionError(message())


def cast(kind):
    """The function that ``int``, ``float`` or ``bool`` is in translated code."""
    def convert(*args):
        if len(args) == 1 and graph_value(args[0]):
            value = variable(args[0])
            if any(n not in (1, -1) for n in value.shape):
                raise TypeError(f"{kind.__name__}(): only a one-element tensor converts, this one has shape "
                                f"{list(value.shape)}")
            to = {int: "int64", float: dtypes.get_default_dtype(), bool: "bool"}[kind]
            value = value.detach() if value.dtype.name == to else value.astype(to)
            value = value if not value.shape else reshape(value, None, None, [])
            value.stop_gradient = True
            return value
        return kind(*args)
    return convert


# ---- attributes ----------------------------------------------------------------------------------------------------------
def attribute(base, name):
    """The value of an attribute that a branch or loop may set; Unset if there is none."""
    try:
        return getattr(base(), name)
    except (AttributeError, NameError):
        return Unset(name)


def set_attribute(base, name, value):
    """Set an attribute back, or take it away."""
    try:
        owner = base()
    except (AttributeError, NameError):
        return
    if value.__class__ is Unset:
        if name in getattr(owner, "__dict__", ()):
            delattr(owner, name)
    elif owner.__class__ is not Unset and getattr(owner, name, None) is not value:
        setattr(owner, name, value)


helpers.append(sys.modules[__name__])
