"""``while`` and ``for``: the body of a loop of the graph is traced into a sub-block, and what it changes is carried."""

import copy

from ..core import dtype as dtypes
from ..core.context import context
from ..core.op import Symbolic
from ..ops.manipulation.reshape import reshape
from ..static.array import tensor_array_to_tensor
from ..static.program import program as program_module
from ..static.program.registry import find
from ..static.sub_block import SubBlock, append_block_op, common_shape
from ..tensor.creation import full
from ..utils import unique_name
from .arrays import TensorList
from .branching import and_, going, if_, not_
from .errors import Unset, Untranslatable, check_set, conflict
from .iterate import Range, graph_iterable
from .journal import State
from .reads import go_through
from .values import (
    MOST_ATTEMPTS,
    NUMBERS,
    VALUE,
    Leaf,
    Mark,
    common_kind,
    condition,
    equal,
    graph_value,
    in_block,
    kind_of,
    leaves,
    open_rank,
    put,
    rank,
    resized,
    restore,
    same_make,
    take,
    tensor_like,
    text_of,
    truth,
    unmoved,
    with_arrays,
    zeros,
)


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


class _Carried:
    """A leaf that goes from iteration to iteration in a Variable."""

    def __init__(self, kind, shape):
        self.kind, self.shape, self.var = kind, tuple(shape), None


def loop(test, body, get, set_, names, live):
    """``while`` on a tensor: the body is traced once; what it changes is carried from iteration to iteration in Variables."""
    traced = _Loop(test, body, State(get, set_, names, live))
    for _ in range(MOST_ATTEMPTS):
        if traced.attempt():
            return
    raise Untranslatable("while: the values of the loop never settle")


class _Loop:
    """A loop, whose body is traced until it is known what must be carried, and how."""

    def __init__(self, test, body, state):
        self.test, self.body, self.state = test, body, state
        self.carried = {}  # number of a leaf -> _Carried (or Unset: it has no usable value)
        self.changed = {}  # id -> (a variable that is changed in place, its _Carried)

    def attempt(self):
        """Trace the body with what is known so far; False where there is more to carry, and all is as it was before."""
        state, self.mark, self.before = self.state, Mark(), [take(v) for v in self.state.get()]
        parent = program_module.default_main_program().current_block()
        self._begin_all(parent)
        state.set(_filled(self.before, self.start))
        going = _begin(_Carried(dtypes.convert("bool"), ()), _scalar(condition(self.test(), "while")), parent)
        with SubBlock() as block, state.frame(parent) as frame:
            self.body()
            after = [_inner_end(take(v), self.start) for v in state.get()]
        became = frame.undo()
        more = frame.unannounced(lambda: state.set(_filled(self.before, self.start)))
        if more:
            return self._anew(lambda: state.extend(more))
        lists = [o for a, b in zip(self.before, after) for o in resized(a, b)]
        if lists:
            return self._anew(lambda: state.set(with_arrays(state.get(), lists, state.names)))
        retry = self._note_changed(became)
        ends = self._ends(after)
        if ends is None:
            return False
        owners = [n for n, tree in zip(state.names, self.before) for _ in leaves(tree)]
        alive = [keep for keep, tree in zip(state.live, self.before) for _ in leaves(tree)]
        for i, (first, last) in enumerate(zip(self.start, ends)):
            retry |= _needs_more(i, first, last, self.flat[i], owners[i], alive[i], self.carried)
        if retry:
            self._give_up()
            return False
        self._finish(block, parent, going, ends, became)
        return True

    def _begin_all(self, parent):
        """Put what is carried into Variables with its first value."""
        self.flat = [v for tree in self.before for v in leaves(tree)]
        self.start, self.olds = list(self.flat), {}
        for i, c in self.carried.items():
            self.start[i] = c if isinstance(c, Unset) else _begin(c, self.flat[i], parent)
        for key, (var, c) in self.changed.items():
            old = self.olds[key] = copy.copy(var)
            var.__dict__.update(_begin(c, old, parent).__dict__)

    def _give_up(self):
        """Leave everything as it was before the attempt."""
        for key, (var, _) in self.changed.items():
            var.__dict__.clear()
            var.__dict__.update(self.olds[key].__dict__)
        self.mark.back()
        self.state.set(restore(self.before))

    def _anew(self, change):
        """Give up, change the state, and forget what is carried; False."""
        self._give_up()
        change()
        self.carried.clear()
        return False

    def _note_changed(self, became):
        """Note variables that the body changed in place; is one of them new, or of another shape?"""
        retry = False
        for key, (var, now) in became.items():
            if key not in self.changed:
                self.changed[key], self.olds[key], retry = (var, _Carried(now.dtype, now.shape)), copy.copy(var), True
                continue
            c = self.changed[key][1]
            if c.kind is not now.dtype or len(c.shape) != len(now.shape):
                raise Untranslatable("a tensor changed in place in a loop gets another dtype or number of dimensions")
            shape = tuple(common_shape(c.shape, now.shape))
            retry, c.shape = retry or shape != c.shape, shape
        return retry

    def _ends(self, after):
        """The leaves after an iteration; None where the structure changes, which is then known for another attempt."""
        state, ends = self.state, []
        for tree, then, name in zip(self.before, after, state.names):
            unset = tree.__class__ is Leaf and isinstance(tree.value, Unset)
            if same_make(tree, then):
                ends += leaves(then)
            elif unset and name != VALUE and tree.value.why:
                ends.append(tree.value)
            else:
                def put_in(name=name, then=then, begins=unset and name == VALUE):  # else it has no usable value from now on
                    value = (put(then, iter(_zeros_of(then))) if begins
                             else conflict(name, "its structure changes in a loop"))
                    state.set([value if m == name else v for v, m in zip(state.get(), state.names)])
                self._anew(put_in)
                return None
        return ends

    def _finish(self, block, parent, going, ends, became):
        """Close the loop: store the carried values, evaluate the condition anew, and leave the state with the last values."""
        carried, program = self.carried, block.program
        outer, program.current_block_idx = program.current_block_idx, block.idx
        stores, own = [], [(c, ends[i]) for i, c in carried.items() if not isinstance(c, Unset)]
        names = {c.var.name for c, _ in own} | {c.var.name for _, c in self.changed.values()}
        for c, value in own + [(c, became[key][1]) for key, (_, c) in self.changed.items() if key in became]:
            v = in_block(value, c.kind, block)
            if v.name != c.var.name:
                stores.append((find("assign")(v) if v.name in names else v, c))
        for v, c in stores:
            block.append_op("assign", {"X": v}, {"Out": c.var})
        final = [carried[i] if isinstance(carried.get(i), Unset) else carried[i].var if i in carried else
                 _after(first, last) for i, (first, last) in enumerate(zip(self.start, ends))]
        self.state.set(_filled(self.before, final))
        again = _scalar(condition(self.test(), "while"))
        block.append_op("assign", {"X": again}, {"Out": going})
        program.current_block_idx = outer
        append_block_op(parent, block, "while", {"Condition": going}, "StepScopes", {"is_test": False})


def _inner_end(tree, start):
    """The tree of a value after an iteration; what only some paths of it set is known inside it alone."""
    if tree.__class__ is Leaf and isinstance(tree.value, Unset) and not any(tree.value is v for v in start):
        return Leaf(Unset(tree.value.name, tree.value.why))
    return tree


def _zeros_of(tree):
    return [zeros(v) if tensor_like(v) else v for v in leaves(tree)]


def _filled(trees, values):
    values = iter(values)
    return [put(tree, values) for tree in trees]


def _scalar(var):
    return var if len(var.shape) == 0 else reshape(var, None, None, [])


def _begin(c, value, parent):
    """The Variable of a carried leaf, with its first value."""
    if isinstance(value, Unset):
        v = full([1 if n < 0 else n for n in c.shape], 0, c.kind)
    elif c.shape and isinstance(value, NUMBERS):
        v = full(list(c.shape), value, c.kind)
    else:
        v = in_block(value, c.kind, parent)
    made = parent.new_var(name=unique_name.generate("loop_var"), shape=c.shape, dtype=c.kind,
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
        if open_rank(original) or open_rank(last):
            carried[i] = conflict(name, f"it changes in a loop from {text_of(original)} to {text_of(last)}")
            return True
        if tensor_like(last) and (tensor_like(original) or isinstance(original, Unset)):
            kind = kind_of(last) if isinstance(original, Unset) else common_kind(original, last)
            one = isinstance(original, NUMBERS) and set(_shape(last)) == {1}  # a number that becomes a tensor of one element
            if kind is None or not (isinstance(original, Unset) or one or rank(original) == rank(last)):
                carried[i] = conflict(name, f"it changes in a loop from {text_of(original)} to {text_of(last)}")
                return True
            shape = _shape(last) if one or isinstance(original, Unset) else common_shape(_shape(original), _shape(last))
            carried[i] = _Carried(kind, shape)
        else:
            carried[i] = conflict(name, "it changes in a loop, and not all its values are tensors")
        return True
    c = carried[i]
    if not tensor_like(last):
        if isinstance(last, Unset):
            last.fail()
        raise Untranslatable(f"{name!r} changes in a loop from a tensor to {text_of(last)}")
    if rank(last) != len(c.shape):
        carried[i] = conflict(name, "it changes its number of dimensions in a loop")
        return True
    kind = kind_of(last)
    if kind is not c.kind and not (isinstance(last, NUMBERS) and common_kind(c.var, last) is c.kind):
        if not isinstance(original, (Unset, *NUMBERS)) or (isinstance(original, NUMBERS)
                                                           and common_kind(original, last) is not kind):
            carried[i] = conflict(name, f"it changes in a loop from {c.kind.name} to {kind.name}")
            return True
        c.kind = kind
        return True
    shape = tuple(common_shape(c.shape, _shape(last)))
    if shape != c.shape:
        c.shape = shape
        return True
    return False


def _shape(value):
    return () if isinstance(value, NUMBERS) else tuple(value.shape)


def _after(first, last):
    if equal(first, last):
        return first
    return Unset("a variable", "a variable that is set inside a loop over tensors is used after it")


# ---- lists of the program ------------------------------------------------------------------------------------------------
def trimmed(members):
    """The array variable with exactly the list's members: a new one if some were popped."""
    if not members.popped:
        return members.array
    kept, done, mark = TensorList(members.array.dtype), [0], Mark()

    def test():
        return done[0] < members.length

    def iteration():
        kept.append(members[done[0]])
        done[0] = done[0] + 1

    def write(values):
        unmoved(kept, values[0], "a list")
        done[0] = values[1]
    if isinstance(test(), Symbolic):
        mark.back()
        loop(test, iteration, lambda: (kept, done[0]), write, ("a list", "the iteration's number"), (True, True))
    else:
        while test():
            iteration()
    return kept.array


def join(members, axis, stacks):
    """All members of a list in one tensor."""
    if len(members.shapes) > 1:
        raise Untranslatable("joining a list whose members have different numbers of dimensions")
    return tensor_array_to_tensor(trimmed(members), axis, stacks)[0]
