"""``if`` and what depends on conditions: branches of the graph are traced into sub-blocks, and what they change is merged."""

import copy
import functools
import operator

from ..core.op import Symbolic
from ..static.ir.lower import op_of
from ..static.program.open_ranks import extent
from ..static.program.registry import find
from ..static.sub_block import SubBlock, append_block_op, select
from ..tensor import manipulation
from ..tensor.creation import full
from ..tensor.logic import logical_and, logical_not, logical_or
from ..utils import unique_name
from .effects import assert_
from .errors import Unset, Untranslatable, check_set, conflict, shapeless
from .journal import State
from .values import (
    FLAG,
    MOST_ATTEMPTS,
    NUMBERS,
    VALUE,
    Branch,
    Leaf,
    Mark,
    common_kind,
    condition,
    equal,
    graph_value,
    in_block,
    leaves,
    put,
    rank,
    resized,
    restore,
    same_make,
    take,
    tensor_like,
    text_of,
    truth,
    variable,
    with_arrays,
    zeros,
)

EXPRESSION, IN_PLACE = "a conditional expression", "a tensor changed in place"
_OPERATORS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
              "is": operator.is_, "is not": operator.is_not, "in": lambda a, b: a in b, "not in": lambda a, b: a not in b}


def if_(test, true_fn, false_fn, get, set_, names, live=()):
    """``if``."""
    test = truth(test)
    if graph_value(test):
        branch(variable(test), true_fn, false_fn, get, set_, names, live)
    elif test:
        true_fn()
    else:
        false_fn()


def choose(test, true_fn, false_fn):
    """``true_fn() if test else false_fn()``."""
    test = truth(test)
    if not graph_value(test):
        return true_fn() if test else false_fn()
    box = [Unset(EXPRESSION)]

    def set_(values):
        box[0], = values
    branch(variable(test), lambda: set_([true_fn()]), lambda: set_([false_fn()]), lambda: (box[0],), set_, (EXPRESSION,))
    check_set(box)
    return box[0]


def branch(pred, true_fn, false_fn, get, set_, names, live=()):
    """``if`` on a tensor: both branches are traced; values that differ are chosen when the program runs."""
    negated = getattr(pred, "negates", None)
    pred = condition(pred, "if")
    state = State(get, set_, names)
    read_later = {name for name, alive in zip(names, live) if alive and not name.startswith(FLAG)}
    dead = {name for name, alive in zip(names, live) if not alive and not name.startswith(FLAG)}
    for _ in range(MOST_ATTEMPTS):
        mark = Mark()
        before = [take(v) for v in state.get()]
        sides, more = [], []
        for fn in (true_fn, false_fn):
            with SubBlock() as block, state.frame(block.parent) as frame:
                fn()
                after = [take(v) for v in state.get()]
            sides.append((block, after, frame.undo()))
            more += frame.unannounced(functools.partial(_put_back, state, before))
        if more:
            mark.back()
            state.extend(more)
            continue
        lists = [o for old, t, f in zip(before, sides[0][1], sides[1][1]) for o in resized(old, t, f)]
        if not lists:
            return _merge(pred, negated, sides, state.set, state.names, read_later, dead)
        mark.back()
        state.set(restore(before))
        state.set(with_arrays(state.get(), lists, state.names))
    raise Untranslatable("if: the branches never settle")


def _put_back(state, before):
    state.set(restore(before))


def _merge(pred, negated, sides, set_, names, read_later, dead):
    (true_block, true_state, true_changed), (false_block, false_state, false_changed) = sides
    work = _Merge(true_block, false_block, negated, _left(true_state, names), _left(false_state, names), read_later,
                  {*dead, IN_PLACE})
    results = [work.tree(t, f, n) for t, f, n in zip(true_state, false_state, names)]
    changed = []
    for key in {**true_changed, **false_changed}:
        var = (true_changed.get(key) or false_changed[key])[0]
        t = true_changed[key][1] if key in true_changed else copy.copy(var)
        f = false_changed[key][1] if key in false_changed else copy.copy(var)
        merged = work.leaf(t, f, IN_PLACE)
        if isinstance(merged, Unset):
            merged.fail()
        changed.append((var, merged))
    parent = true_block.parent
    for block, chosen in ((true_block, lambda: pred), (false_block, lambda: find("logical_not")(pred))):
        append_block_op(parent, block, "conditional_block", {"Cond": chosen()}, "Scope", {"is_scalar_condition": True})
    mask = find("cast")(pred, "int32", pred.dtype) if work.pairs else None
    for pair in work.pairs:
        pair.result = select(mask, pair.false, pair.true, pair.why)

    def value(v):
        return v.result if v.__class__ is _Pair else v
    for unset in work.perhaps:
        unset.perhaps = tuple(map(value, unset.perhaps))
    for var, merged in changed:
        var.become(value(merged), "if", reshapes=True)
    set_([put(tree, iter([value(v) for v in leaves(tree)]), fresh) for tree, fresh in results])


class _Pair:
    """Two Variables of which one is chosen when the program runs."""

    __slots__ = ("true", "false", "result", "why")

    def __init__(self, true, false):
        self.true, self.false, self.why = true, false, None


def _left(state, names):
    """How a branch ends: 'returned', 'stop' or 'skip' if it always does so, else None."""
    for tree, name in zip(state, names):
        if name.startswith(FLAG) and tree.__class__ is Leaf and tree.value is True:
            kind = name[len(FLAG):].partition("_")[0]
            if kind in ("returned", "stop", "skip"):
                return kind
    return None


class _Merge:
    """Merges the leaves of two branches; a branch that was left needs no value of names that only what follows reads."""

    def __init__(self, true_block, false_block, negated, true_left, false_left, read_later, one_rank):
        self.true_block, self.false_block, self.negated = true_block, false_block, negated
        self.true_left, self.false_left, self.read_later = true_left, false_left, read_later
        self.one_rank = one_rank  # names whose values have one number of dimensions, or nothing reads them
        self.pairs, self.known, self.perhaps = [], {}, []

    def free(self, value, left, name):
        """Is the value of one side irrelevant, so that any other will do?"""
        if name.startswith(FLAG) or "." in name:
            return name == VALUE and _is_unset(value) and value.value.why is None
        return left is not None and value.__class__ is Leaf and isinstance(value.value, Unset)

    def tree(self, t, f, name):
        """(merged tree, must its containers be new)."""
        if self.free(t, self.true_left, name) and not _is_unset(f):
            t = self.filled(f, self.true_block)
        elif self.free(f, self.false_left, name) and not _is_unset(t):
            f = self.filled(t, self.false_block)
        if not same_make(t, f):
            return Leaf(self.unlike(t, f, name)), False
        if t.__class__ is Leaf:
            return Leaf(self.leaf(t.value, f.value, name)), False
        children = [self.tree(p, q, name)[0] for p, q in zip(t.children, f.children)]
        return Branch(t.kind, t.object, t.keys, children), t.object is not f.object

    def unlike(self, t, f, name):
        if Unset in (_class(t), _class(f)):
            return _one_side(name)
        return conflict(name, "the branches give it different structures")

    def filled(self, tree, block):
        """A tree like another one with stand-ins for its tensors."""
        def build(part):
            if part.__class__ is Leaf:
                return Leaf(self.inside(block, lambda: zeros(part.value)) if tensor_like(part.value) else part.value)
            return Branch(part.kind, part.object, part.keys, [build(c) for c in part.children])
        return build(tree)

    def leaf(self, t, f, name):
        if self.negated is not None:
            t = False if t is self.negated else t
            f = True if f is self.negated else f
        if equal(t, f):
            return t
        if isinstance(t, Unset) or isinstance(f, Unset):
            why = [v for v in (t, f) if isinstance(v, Unset) and v.why and not v.perhaps]
            return why[0] if why else self.one_side(t, f, name)
        if not tensor_like(t) or not tensor_like(f):
            return conflict(name, f"one branch gives it {text_of(t)}, the other {text_of(f)}")
        kind = common_kind(t, f)
        unlike = rank(t) is None or rank(t) != rank(f)
        if kind is None or unlike and name in self.one_rank:
            return conflict(name, f"one branch gives it {text_of(t)}, the other {text_of(f)}")
        key = (_key(t), _key(f))
        if key not in self.known:
            pair = self.known[key] = _Pair(self.out(self.true_block, t, kind), self.out(self.false_block, f, kind))
            if unlike:
                pair.why = shapeless(name, f"one branch gives it {text_of(t)}, the other {text_of(f)}")
            self.pairs.append(pair)
        return self.known[key]

    def one_side(self, t, f, name):
        """A value that not every path sets: a stand-in takes its place on the others, and a flag says so."""
        (true, true_set), (false, false_set) = _perhaps(t), _perhaps(f)
        known = false if true is None else true
        if name not in self.read_later or not tensor_like(known):
            return _one_side(name)
        true = self.inside(self.true_block, lambda: zeros(known)) if true is None else true
        false = self.inside(self.false_block, lambda: zeros(known)) if false is None else false
        value = self.leaf(true, false, name)
        if isinstance(value, Unset):
            return value
        made = _one_side(name)
        made.perhaps = value, self.leaf(true_set, false_set, name)
        self.perhaps.append(made)
        return made

    def inside(self, block, fn):
        program = block.program
        before, program.current_block_idx = program.current_block_idx, block.idx
        try:
            return fn()
        finally:
            program.current_block_idx = before

    def out(self, block, value, kind):
        """A Variable of the outer block that the branch assigns the value to."""
        def assign():
            v = in_block(value, kind, block)
            made = block.parent.new_var(name=unique_name.generate("_generated_var"), dtype=v.dtype,
                                        stop_gradient=v.stop_gradient, **extent(v))
            block.append_op("assign", {"X": v}, {"Out": made})
            return made
        return self.inside(block, assign)


def _key(value):
    return ("number", value.__class__, value) if isinstance(value, NUMBERS) else id(value)


def _class(tree):
    return tree.value.__class__ if tree.__class__ is Leaf else None


def _is_unset(tree):
    return _class(tree) is Unset


def _perhaps(value):
    """(value or None, was it set): of a leaf of one branch."""
    if value.__class__ is not Unset:
        return value, True
    return value.perhaps or (None, False)


def _one_side(name):
    return Unset(name, f"{name!r} gets a value in only one branch of an if that depends on a tensor; give it a value in the "
                       "other branch too, or before the if")


# ---- exits and names -----------------------------------------------------------------------------------------------------
def have(value):
    """The value of a name; one that only some paths set is checked when the program runs."""
    if value.__class__ is Unset and value.perhaps is not None:
        found, was_set = value.perhaps
        if graph_value(was_set):
            assert_(was_set, value.why)
        return found
    return value


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
    return _joined(first, rest, True)


def or_(first, *rest):
    """``first or ...``."""
    return _joined(first, rest, False)


def _joined(first, rest, going_on):
    """The operands one after the other for as long as they are ``going_on``."""
    for fn in rest:
        first = truth(first)
        if graph_value(first):
            operand = _Operand(fn)
            first = _lazily(variable(first), operand, going_on)
            if operand.ends(going_on):
                return first
        elif bool(first) is going_on:
            first = fn()
        else:
            return first
    return first


class _Operand:
    """An operand of ``and`` or ``or`` behind a tensor, which remembers its value: one that is known may end the evaluation."""

    def __init__(self, function):
        self.function = function

    def __call__(self):
        self.value = self.function()
        return self.value

    def ends(self, going_on):
        """Is what follows not evaluated, whatever the tensor before it is?"""
        value = truth(self.value)
        return not graph_value(value) and value.__class__ is not Unset and bool(value) is not going_on


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
            operand = _Operand(lambda fn=fn: _flag(fn()))
            first = _lazily(first, operand, use_second)
            if operand.ends(use_second):
                return first
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


