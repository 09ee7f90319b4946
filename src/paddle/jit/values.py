"""Values that branches and loops of the program work on: taken apart into leaves, their dtypes, and stand-ins."""

import numpy as np

from ..core import dtype as dtypes
from ..core.attributes import exactly
from ..core.context import context
from ..core.op import Symbolic
from ..core.tensor import Tensor
from ..static.array import is_array
from ..static.program import program as program_module
from ..static.program.open_ranks import possible_shapes
from ..static.program.record import as_variable
from ..static.program.registry import find
from ..static.program.variable import OpenVariable
from ..tensor.attribute import shape as shape_of
from ..tensor.creation import full
from .aliases import refuse_aliases
from .arrays import TensorList
from .effects import assert_
from .errors import Unset, Untranslatable

NUMBERS = (bool, int, float, np.generic)
FLAG = "__jit_"
VALUE = FLAG + "value"
MOST_ATTEMPTS = 40


# ---- values and their leaves -----------------------------------------------------------------------------------------
def is_tensor(value):
    """Is it a value that becomes an input of the program?"""
    return isinstance(value, (Tensor, np.ndarray, Symbolic))


def flatten(value, leaves):
    """Append the leaves of nested lists, tuples, dicts and objects that are made of tensors (sparse ones, which have
    ``taken_apart`` and ``of_tensors``); returns a hashable description of the structure."""
    kind = value.__class__
    if kind is list or kind is tuple:
        return (kind, *[flatten(item, leaves) for item in value])
    if kind is dict:
        return (dict, *[(key, flatten(item, leaves)) for key, item in value.items()])
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return (kind, *[flatten(item, leaves) for item in value])
    if hasattr(kind, "of_tensors"):
        facts, tensors = value.taken_apart()
        return (kind, facts, *[flatten(item, leaves) for item in tensors])
    leaves.append(value)
    return None


def containers(value):
    """Numbers (id) of the lists and dicts inside an argument."""
    if isinstance(value, dict):
        return {id(value)}.union(*[containers(v) for v in value.values()])
    if isinstance(value, (list, tuple)):
        return {id(value)}.union(*[containers(v) for v in value])
    return set()


def rebuild(structure, leaves):
    """The nested value that ``flatten`` described, from an iterator of leaves."""
    if structure is None:
        return next(leaves)
    kind, *parts = structure
    if kind is dict:
        return {key: rebuild(part, leaves) for key, part in parts}
    if hasattr(kind, "_fields"):
        return kind(*[rebuild(part, leaves) for part in parts])
    if hasattr(kind, "of_tensors"):
        return kind.of_tensors(parts[0], [rebuild(part, leaves) for part in parts[1:]])
    return kind(rebuild(part, leaves) for part in parts)


class Leaf:
    """A value that is not taken apart."""

    __slots__ = ("value",)
    children = ()

    def __init__(self, value):
        self.value = value


class Branch:
    """A container: lists and dicts are kept as objects and refilled, so that other names for them stay valid."""

    __slots__ = ("kind", "object", "keys", "children")

    def __init__(self, kind, object, keys, children):
        self.kind, self.object, self.keys, self.children = kind, object, keys, children

    def like(self):
        """Something that is equal for containers of the same make."""
        return self.kind, self.keys


def take(value, depth=0):
    """The tree of a value."""
    kind = value.__class__
    if depth < 16:
        if kind is list:
            return Branch(list, value, len(value), [take(v, depth + 1) for v in value])
        if kind is dict:
            return Branch(dict, value, tuple(value), [take(v, depth + 1) for v in value.values()])
        if kind is tuple or isinstance(value, tuple) and hasattr(value, "_fields"):
            return Branch(kind, None, len(value), [take(v, depth + 1) for v in value])
        if kind is TensorList:
            return Branch(TensorList, value, value.array.name, [Leaf(value.length)])
        if hasattr(kind, "of_tensors"):
            facts, tensors = value.taken_apart()
            return Branch(kind, None, facts, [Leaf(t) for t in tensors])
    return Leaf(value)


def leaves(tree):
    """The leaf values of a tree, in order."""
    if tree.__class__ is Leaf:
        return [tree.value]
    return [v for child in tree.children for v in leaves(child)]


def put(tree, values, fresh=False):
    """The value of a tree with other leaves (an iterator); ``fresh``: in new containers rather than in the old ones."""
    if tree.__class__ is Leaf:
        return next(values)
    parts = [put(child, values, fresh) for child in tree.children]
    if tree.kind is list:
        target = [] if fresh else tree.object
        target[:] = parts
        return target
    if tree.kind is dict:
        target = {} if fresh else tree.object
        target.clear()
        target.update(zip(tree.keys, parts))
        return target
    if tree.kind is TensorList:
        tree.object.length, = parts
        return tree.object
    if hasattr(tree.kind, "of_tensors"):
        return tree.kind.of_tensors(tree.keys, parts)
    return tree.kind(*parts) if hasattr(tree.kind, "_fields") else tuple(parts)


def restore(trees):
    """The values that trees were taken from, containers refilled with what they held."""
    return [put(tree, iter(leaves(tree))) for tree in trees]


def same_make(a, b):
    """Do two trees have the same containers at the same places?"""
    if a.__class__ is Leaf or b.__class__ is Leaf:
        return a.__class__ is b.__class__
    return a.like() == b.like() and all(same_make(p, q) for p, q in zip(a.children, b.children))


def resized(before, *after):
    """(list, dtypes, mixed) of lists of a tree that later have different numbers of members, or are lists of the program.

    With one later tree (a loop's) a list must keep its size, with two (of branches) they must agree, also on the dtypes of the
    tensors in them: a mixed list is one in which they don't.
    """
    if before.__class__ is Leaf:
        return []
    later = [a for a in after if a.__class__ is not Leaf]
    if before.kind is list:
        mine = [a for a in later if a.kind is list and a.object is before.object]
        sizes = {a.keys for a in mine} | ({before.keys} if len(after) == 1 else set())
        mixed = len(mine) == 2 and any(map(_unlike_tensors, *map(leaves, mine)))
        mixed = mixed or any(a.kind is TensorList and a.object.mixed for a in later)
        if mixed or any(a.kind is TensorList for a in later) or len(sizes) > 1:
            kinds = dict.fromkeys(a.object.array.dtype for a in later if a.kind is TensorList)
            kinds.update(dict.fromkeys(getattr(v, "dtype", None) for a in [before, *mine] for v in leaves(a)))
            return [(before.object, list(kinds), mixed)]
    later = [a for a in later if a.like() == before.like()]
    return [o for k, child in enumerate(before.children) for o in resized(child, *[a.children[k] for a in later])]


def _unlike_tensors(a, b):
    both = isinstance(a, (Symbolic, Tensor)) and isinstance(b, (Symbolic, Tensor))
    return both and common_kind(a, b) is None


# ---- the program -------------------------------------------------------------------------------------------------------
class Mark:
    """The state of the program being traced, to go back to."""

    def __init__(self):
        self.program = program_module.default_main_program()
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


# ---- tensors and numbers -------------------------------------------------------------------------------------------------
def graph_value(value):
    """Is it known only when the program runs?"""
    return isinstance(value, Symbolic) or isinstance(value, Tensor) and context.trace is not None


def truth(value):
    """A value as a condition: a list whose length a tensor decides is true if it has members, a tensor of several elements in
    generations where `if mask:` asks only whether there is one."""
    if value.__class__ is TensorList and isinstance(value.length, Symbolic):
        return value.length > 0
    if context.rules.truth == "any" and graph_value(value) and any(n not in (1, -1) for n in value.shape):
        return True
    return value


def variable(value):
    """The Variable of a tensor."""
    if isinstance(value, Tensor):
        return as_variable(value, program_module.default_main_program().current_block())
    return value


def shape(value):
    """``value.shape``: a list in which sizes that the program finds out are tensors."""
    if isinstance(value, Symbolic):
        if -1 not in value.shape:
            return list(value.shape)
        found = shape_of(value)
        return [found[k].astype("int64") if n < 0 else n for k, n in enumerate(value.shape)]
    return value.shape


def unmoved(old, new, name):
    """Check that a name bound outside the function still stands for the same object."""
    if old is not new:
        raise Untranslatable(f"{name!r}, which is bound outside the function, depends on a tensor here")


def tensor_like(value):
    """Can the value be a tensor of the program?"""
    return isinstance(value, (Symbolic, Tensor, *NUMBERS)) and not is_array(value)


def condition(pred, what):
    """The bool Variable of a condition."""
    pred = variable(pred)
    if any(n not in (1, -1) for n in pred.shape):
        text = f"{what}: the condition must have one element, got shape {list(pred.shape)}"
        if program_module.default_main_program().current_block_idx == 0:
            raise ValueError(text)
        pred = full([], False, "bool")  # in a branch or loop that may never run: what is wrong is said when it does
        assert_(pred, text)
    return pred if pred.dtype.name == "bool" else pred.astype("bool")


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


def open_rank(value):
    """Is it a Variable whose number of dimensions only a run knows?"""
    return value.__class__ is OpenVariable


def rank(value):
    """The number of dimensions, or None where only a run knows it."""
    return 0 if isinstance(value, NUMBERS) else None if open_rank(value) else len(value.shape)


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
    shape = like.shapes[0] if open_rank(like) else like.shape
    return full([1 if n < 0 else n for n in shape], 0, like.dtype)


def equal(a, b):
    """Are two leaves the same for certain?"""
    if a is b:
        return True
    if a.__class__ is Unset and b.__class__ is Unset:
        return a.perhaps is None and b.perhaps is None
    if isinstance(a, (Symbolic, Tensor)) or isinstance(b, (Symbolic, Tensor)) or a.__class__ is not b.__class__:
        return False
    try:
        return exactly(a) == exactly(b)
    except Exception:
        return False


def with_arrays(values, lists, names):
    """The values, which have these names, with lists of the program in place of some lists, given as (list, dtypes, mixed)."""
    refuse_aliases([o for o, _, _ in lists], values, names)
    table, trace = {}, context.trace
    for o, kinds, mixed in lists:
        if trace is not None and id(o) in trace.journal.arguments:
            raise Untranslatable("a list that is an argument of the function is changed by it")
        if len(kinds) != 1 and not mixed or None in kinds or not all(isinstance(v, (Symbolic, Tensor)) for v in o):
            raise Untranslatable("a list whose length depends on a tensor must hold tensors of one dtype")
        table[id(o)] = TensorList(kinds[0], o, mixed)

    def build(value):
        if id(value) in table:
            return table[id(value)]
        if value.__class__ is list or value.__class__ is dict:
            keys = range(len(value)) if value.__class__ is list else list(value)
            for key in keys:
                member = build(value[key])
                if member is not value[key]:
                    if trace is not None:
                        trace.journal.touch_container(value)
                    value[key] = member
        elif value.__class__ is tuple:
            return tuple(build(v) for v in value)
        return value
    return [build(v) for v in values]


def text_of(value):
    if isinstance(value, Symbolic):
        return f"a {value.dtype.name} tensor of shape {' or '.join(str(list(s)) for s in possible_shapes(value))}"
    return repr(value)[:40]
