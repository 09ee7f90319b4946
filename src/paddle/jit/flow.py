"""Branches and loops in the graph: bodies are traced into sub-blocks, and what they change is merged or carried."""

import copy

import numpy as np

from ..core import dtype as dtypes
from ..core.op import Symbolic
from ..core.tensor import Tensor
from ..static import program as P
from ..static import variable as variables
from ..static.array import is_array
from ..static.nn.control_flow import _close, _select, _SubBlock, common_shape
from ..static.record import as_variable
from ..static.registry import find
from ..utils import unique_name
from .arrays import TensorList
from .errors import Unset, Untranslatable, conflict
from .state import Branch, Leaf, leaves, put, resized, restore, same_make, take

NUMBERS = (bool, int, float, np.generic)
FLAG = "__jit_"
VALUE = FLAG + "value"
MOST_ATTEMPTS = 40


def tensor_like(value):
    """Can the value be a tensor of the program?"""
    return isinstance(value, (Symbolic, Tensor, *NUMBERS)) and not is_array(value)


def condition(pred, what):
    """The bool Variable of a condition."""
    if isinstance(pred, Tensor):
        pred = as_variable(pred, P.default_main_program().current_block())
    if any(n not in (1, -1) for n in pred.shape):
        raise ValueError(f"{what}: the condition must have one element, got shape {list(pred.shape)}")
    return pred if pred.dtype.name == "bool" else pred.astype("bool")


class Mark:
    """The state of the program being traced, to go back to."""

    def __init__(self):
        self.program = P.default_main_program()
        self.blocks = [(len(b.ops), set(b.vars)) for b in self.program.blocks]
        self.current, self.captured = self.program.current_block_idx, dict(self.program.captured)

    def back(self):
        """Forget what was added since."""
        program = self.program
        del program.blocks[len(self.blocks):]
        for block, (n, names) in zip(program.blocks, self.blocks):
            del block.ops[n:]
            for name in [v for v in block.vars if v not in names]:
                del block.vars[name]
        program.current_block_idx, program.captured = self.current, self.captured.copy()
        program.touch()


class Journal:
    """Notes which Variables of outer blocks are changed in place (x[i] = v, x.add_(y)) inside the ``with`` block."""

    def __init__(self, outer):
        self.outer, self.before = outer, {}

    def note(self, var):
        if id(var) not in self.before and self.outer.find(var.name) is not None:
            self.before[id(var)] = (var, dict(var.__dict__))
        if self.previous is not None:
            self.previous(var)

    def __enter__(self):
        self.previous, variables.changing = variables.changing, self.note
        return self

    def __exit__(self, *exc):
        variables.changing = self.previous

    def undo(self):
        """Take the changes back; returns what the variables had become: id -> (variable, Variable that it was)."""
        after = {}
        for key, (var, old) in self.before.items():
            after[key] = (var, copy.copy(var))
            var.__dict__.clear()
            var.__dict__.update(old)
        return after


# ---- values --------------------------------------------------------------------------------------------------------------
def kind_of(value):
    """The dtype of a tensor or number; numbers have the one that a tensor made of them has."""
    if isinstance(value, (bool, np.bool_)):
        return dtypes.convert("bool")
    if isinstance(value, (int, np.integer)):
        return dtypes.convert("int64")
    if isinstance(value, (float, np.floating)):
        return dtypes.default()
    return value.dtype


def common_kind(a, b):
    """The dtype in which two values of one name can be held, or None: tensors keep theirs, ints may become floats."""
    ka, kb = kind_of(a), kind_of(b)
    if ka is kb:
        return ka
    na, nb = isinstance(a, NUMBERS), isinstance(b, NUMBERS)
    for number, k, other in ((na, ka, kb), (nb, kb, ka)):
        if number and other.is_floating and (k.is_floating or k.is_integer):
            return other
        if number and k.is_integer and other.is_integer and not (na and nb):
            return other
    return None


def rank(value):
    return 0 if isinstance(value, NUMBERS) else len(value.shape)


def in_block(value, kind, block):
    """A Variable of the current block with the value, in a dtype."""
    if isinstance(value, NUMBERS):
        value = np.asarray(value, kind.dtype)
    var = as_variable(value, block)
    return var if var.dtype is kind else find("cast")(var, kind, var.dtype)


def zeros(like):
    """A stand-in for a value that is never used."""
    if isinstance(like, NUMBERS):
        return type(like)(0)
    from .convert import full
    return full([1 if n < 0 else n for n in like.shape], 0, like.dtype)


def equal(a, b):
    """Are two leaves the same for certain?"""
    if a is b:
        return True
    if a.__class__ is Unset and b.__class__ is Unset:
        return True
    if isinstance(a, (Symbolic, Tensor)) or isinstance(b, (Symbolic, Tensor)) or a.__class__ is not b.__class__:
        return False
    try:
        return bool(a == b)
    except Exception:
        return False


# ---- branches ------------------------------------------------------------------------------------------------------------
def branch(pred, true_fn, false_fn, get, set_, names):
    """``if`` on a tensor: both branches are traced; values that differ are chosen when the program runs."""
    negated = getattr(pred, "negates", None)
    pred = condition(pred, "if")
    for _ in range(MOST_ATTEMPTS):
        mark = Mark()
        before = [take(v) for v in get()]
        sides = []
        for fn in (true_fn, false_fn):
            set_(restore(before))
            with _SubBlock() as block, Journal(block.parent) as journal:
                fn()
                after = [take(v) for v in get()]
            sides.append((block, after, journal.undo()))
        set_(restore(before))
        lists = [o for old, t, f in zip(before, sides[0][1], sides[1][1]) for o in resized(old, t, f)]
        if not lists:
            return _merge(pred, negated, sides, set_, names)
        mark.back()
        set_(restore(before))
        set_(_with_arrays(get(), lists))
    raise Untranslatable("if: the branches never settle")


def _with_arrays(values, lists):
    """The values with lists of the program in place of some lists, given as pairs (list, dtypes)."""
    table = {}
    for o, kinds in lists:
        if len(kinds) != 1 or None in kinds or not all(isinstance(v, (Symbolic, Tensor)) for v in o):
            raise Untranslatable("a list whose length depends on a tensor must hold tensors of one dtype")
        table[id(o)] = TensorList(next(iter(kinds)), o)

    def build(value):
        if id(value) in table:
            return table[id(value)]
        if value.__class__ is list:
            value[:] = [build(v) for v in value]
        elif value.__class__ is dict:
            value.update({k: build(v) for k, v in value.items()})
        elif value.__class__ is tuple:
            return tuple(build(v) for v in value)
        return value
    return [build(v) for v in values]


def _merge(pred, negated, sides, set_, names):
    (true_block, true_state, true_changed), (false_block, false_state, false_changed) = sides
    work = _Merge(true_block, false_block, negated, _left(true_state, names), _left(false_state, names))
    results = [work.tree(t, f, n) for t, f, n in zip(true_state, false_state, names)]
    changed = []
    for key in {**true_changed, **false_changed}:
        var = (true_changed.get(key) or false_changed[key])[0]
        t = true_changed[key][1] if key in true_changed else copy.copy(var)
        f = false_changed[key][1] if key in false_changed else copy.copy(var)
        merged = work.leaf(t, f, "a tensor changed in place")
        if isinstance(merged, Unset):
            merged.fail()
        changed.append((var, merged))
    parent = true_block.parent
    for block, chosen in ((true_block, lambda: pred), (false_block, lambda: find("logical_not")(pred))):
        _close(parent, block, "conditional_block", {"Cond": chosen()}, "Scope", {"is_scalar_condition": True})
    mask = find("cast")(pred, "int32", pred.dtype) if work.pairs else None
    for pair in work.pairs:
        pair.result = _select(mask, pair.false, pair.true)

    def value(v):
        return v.result if v.__class__ is _Pair else v
    for var, merged in changed:
        var.become(value(merged), "if", reshapes=True)
    set_([put(tree, iter([value(v) for v in leaves(tree)]), fresh) for tree, fresh in results])


class _Pair:
    """Two Variables of which one is chosen when the program runs."""

    __slots__ = ("true", "false", "result")

    def __init__(self, true, false):
        self.true, self.false = true, false


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

    def __init__(self, true_block, false_block, negated, true_left, false_left):
        self.true_block, self.false_block, self.negated = true_block, false_block, negated
        self.true_left, self.false_left = true_left, false_left
        self.pairs, self.known = [], {}

    def free(self, value, left, name):
        """Is the value of one side of no account, so that any other will do?"""
        if name.startswith(FLAG) or "." in name:
            return name == VALUE and _virgin(value)
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
            why = [v for v in (t, f) if isinstance(v, Unset) and v.why]
            return why[0] if why else _one_side(name)
        if not tensor_like(t) or not tensor_like(f):
            return conflict(name, f"one branch gives it {_text(t)}, the other {_text(f)}")
        kind = common_kind(t, f)
        if kind is None or rank(t) != rank(f):
            return conflict(name, f"one branch gives it {_text(t)}, the other {_text(f)}")
        key = (_key(t), _key(f))
        if key not in self.known:
            pair = self.known[key] = _Pair(self.out(self.true_block, t, kind), self.out(self.false_block, f, kind))
            self.pairs.append(pair)
        return self.known[key]

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
            made = block.parent.create_var(name=unique_name.generate("_generated_var"), shape=v.shape, dtype=v.dtype,
                                           stop_gradient=v.stop_gradient)
            block.append_op("assign", {"X": v}, {"Out": made})
            return made
        return self.inside(block, assign)


def _key(value):
    return ("number", value.__class__, value) if isinstance(value, NUMBERS) else id(value)


def _class(tree):
    return tree.value.__class__ if tree.__class__ is Leaf else None


def _is_unset(tree):
    return _class(tree) is Unset


def _virgin(tree):
    return _is_unset(tree) and tree.value.why is None


def _one_side(name):
    return Unset(name, f"{name!r} gets a value in only one branch of an if that depends on a tensor; give it a value in the "
                       "other branch too, or before the if")


def _text(value):
    if isinstance(value, Symbolic):
        return f"a {value.dtype.name} tensor of shape {list(value.shape)}"
    return repr(value)[:40]


# ---- loops ---------------------------------------------------------------------------------------------------------------
class _Carried:
    """A leaf that goes from turn to turn in a Variable."""

    def __init__(self, kind, shape):
        self.kind, self.shape, self.var = kind, tuple(shape), None


def loop(test, body, get, set_, names, live):
    """``while`` on a tensor: the body is traced once; what it changes is carried from turn to turn in Variables."""
    carried = {}  # number of a leaf -> _Carried (or Unset: it has no usable value)
    changed = {}  # id -> a variable that is changed in place
    for _ in range(MOST_ATTEMPTS):
        mark = Mark()
        before = [take(v) for v in get()]
        if _attempt(test, body, get, set_, names, live, carried, changed, before, mark):
            return
    raise Untranslatable("while: the values of the loop never settle")


def _attempt(test, body, get, set_, names, live, carried, changed, before, mark):
    parent = P.default_main_program().current_block()
    flat = [v for tree in before for v in leaves(tree)]
    owners = [n for n, tree in zip(names, before) for _ in leaves(tree)]
    alive = [keep for keep, tree in zip(live, before) for _ in leaves(tree)]
    start = list(flat)
    for i, c in carried.items():
        start[i] = c if isinstance(c, Unset) else _begin(c, flat[i], parent)
    for key, (var, c) in list(changed.items()):
        old = copy.copy(var)
        changed[key] = (var, c, old)
        made = _begin(c, old, parent)
        var.__dict__.update(made.__dict__)

    def give_up():
        for key, (var, c, old) in list(changed.items()):
            var.__dict__.clear()
            var.__dict__.update(old.__dict__)
            changed[key] = (var, c)
        mark.back()
        set_(restore(before))
        return False

    set_(_filled(before, start))
    going = _begin(_Carried(dtypes.convert("bool"), ()), _scalar(condition(test(), "while")), parent)
    with _SubBlock() as block, Journal(parent) as journal:
        body()
        after = [take(v) for v in get()]
    became = journal.undo()
    lists = [o for a, b in zip(before, after) for o in resized(a, b)]
    if lists:
        give_up()
        set_(_with_arrays(get(), lists))
        carried.clear()
        return False
    retry = False
    for key, (var, now) in became.items():
        if key not in changed:
            changed[key] = (var, _Carried(now.dtype, now.shape), copy.copy(var))
            retry = True
        elif changed[key][1].kind is not now.dtype or len(changed[key][1].shape) != len(now.shape):
            raise Untranslatable("a tensor changed in place in a loop gets another dtype or number of dimensions")
        elif tuple(common_shape(changed[key][1].shape, now.shape)) != changed[key][1].shape:
            changed[key][1].shape, retry = tuple(common_shape(changed[key][1].shape, now.shape)), True
    ends = []
    for tree, then, name in zip(before, after, names):
        if same_make(tree, then):
            ends += leaves(then)
        elif tree.__class__ is Leaf and isinstance(tree.value, Unset) and name == VALUE:
            give_up()
            set_([put(then, iter(_zeros_of(then))) if m == VALUE else v for v, m in zip(get(), names)])
            carried.clear()
            return False
        elif tree.__class__ is Leaf and isinstance(tree.value, Unset) and tree.value.why:
            ends.append(tree.value)
        else:  # it can't be carried: from the first turn on it has no usable value
            give_up()
            set_([conflict(name, "its structure changes in a loop") if m == name else v for v, m in zip(get(), names)])
            carried.clear()
            return False
    for i, (first, last) in enumerate(zip(start, ends)):
        retry |= _needs_more(i, first, last, flat[i], owners[i], alive[i], carried)
    if retry:
        return give_up()
    _finish(block, parent, going, test, set_, before, start, ends, carried, changed, became)
    return True


def _zeros_of(tree):
    return [zeros(v) if tensor_like(v) else v for v in leaves(tree)]


def _filled(trees, values):
    values = iter(values)
    return [put(tree, values) for tree in trees]


def _scalar(var):
    from ..ops.manip import reshape
    return var if len(var.shape) == 0 else reshape(var, None, None, [])


def _begin(c, value, parent):
    """The Variable of a carried leaf, with its first value."""
    if isinstance(value, Unset):
        from .convert import full
        v = full([1 if n < 0 else n for n in c.shape], 0, c.kind)
    else:
        v = in_block(value, c.kind, parent)
    made = parent.create_var(name=unique_name.generate("loop_var"), shape=c.shape, dtype=c.kind,
                             stop_gradient=not (c.kind.is_floating or c.kind.is_complex))
    parent.append_op("assign", {"X": v}, {"Out": made})
    c.var = made
    return made


def _needs_more(i, first, last, original, name, alive, carried):
    """Must leaf i be carried in another way than it was? Then ``carried`` says how."""
    if equal(first, last) or (i in carried and isinstance(carried[i], Unset)):
        return False
    if i not in carried:
        if isinstance(original, Unset) and not alive:
            return False
        if tensor_like(last) and (tensor_like(original) or isinstance(original, Unset)):
            kind = kind_of(last) if isinstance(original, Unset) else common_kind(original, last)
            if kind is None or not isinstance(original, Unset) and rank(original) != rank(last):
                raise Untranslatable(f"{name!r} changes in a loop from {_text(original)} to {_text(last)}")
            shape = _shape(last) if isinstance(original, Unset) else common_shape(_shape(original), _shape(last))
            carried[i] = _Carried(kind, shape)
        else:
            carried[i] = conflict(name, "it changes in a loop, and not all its values are tensors")
        return True
    c = carried[i]
    if not tensor_like(last):
        if isinstance(last, Unset):
            last.fail()
        raise Untranslatable(f"{name!r} changes in a loop from a tensor to {_text(last)}")
    if rank(last) != len(c.shape):
        raise Untranslatable(f"{name!r} changes its number of dimensions in a loop")
    kind = kind_of(last)
    if kind is not c.kind and not (isinstance(last, NUMBERS) and common_kind(c.var, last) is c.kind):
        if not isinstance(original, (Unset, *NUMBERS)) or (isinstance(original, NUMBERS)
                                                           and common_kind(original, last) is not kind):
            raise Untranslatable(f"{name!r} changes in a loop from {c.kind.name} to {kind.name}")
        c.kind = kind
        return True
    shape = tuple(common_shape(c.shape, _shape(last)))
    if shape != c.shape:
        c.shape = shape
        return True
    return False


def _shape(value):
    return () if isinstance(value, NUMBERS) else tuple(value.shape)


def _finish(block, parent, going, test, set_, before, start, ends, carried, changed, became):
    """Close the loop: store the carried values, evaluate the condition anew, and leave the state with the last values."""
    program = block.program
    outer, program.current_block_idx = program.current_block_idx, block.idx
    stores = []
    names = {c.var.name for c in carried.values() if not isinstance(c, Unset)} | {c.var.name for _, c, *_ in changed.values()}
    wanted = [(c, ends[i]) for i, c in carried.items() if not isinstance(c, Unset)]
    wanted += [(c, became[key][1]) for key, (_, c, *_) in changed.items() if key in became]
    for c, value in wanted:
        v = in_block(value, c.kind, block)
        if v.name != c.var.name:
            stores.append((find("assign")(v) if v.name in names else v, c))
    for v, c in stores:
        block.append_op("assign", {"X": v}, {"Out": c.var})
    final = [carried[i] if isinstance(carried.get(i), Unset) else carried[i].var if i in carried else
             _after(first, last) for i, (first, last) in enumerate(zip(start, ends))]
    set_(_filled(before, final))
    again = _scalar(condition(test(), "while"))
    block.append_op("assign", {"X": again}, {"Out": going})
    program.current_block_idx = outer
    _close(parent, block, "while", {"Condition": going}, "StepScopes", {"is_test": False})


def _after(first, last):
    if equal(first, last):
        return first
    return Unset("a variable", "a variable that is set inside a loop over tensors is used after it")
