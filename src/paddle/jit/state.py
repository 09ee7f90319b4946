"""What branches and loops change: values of names, attributes and containers, taken apart into leaves."""

from .arrays import TensorList


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
    """Pairs (list, dtypes) of lists of a tree that later have different numbers of members, or are lists of the program.

    With one later tree (a loop's) a list must keep its size, with two (of branches) they must agree.
    """
    if before.__class__ is Leaf:
        return []
    later = [a for a in after if a.__class__ is not Leaf]
    if before.kind is list:
        mine = [a for a in later if a.kind is list and a.object is before.object]
        sizes = {a.keys for a in mine} | ({before.keys} if len(after) == 1 else set())
        if any(a.kind is TensorList for a in later) or len(sizes) > 1:
            kinds = {a.object.array.dtype for a in later if a.kind is TensorList}
            kinds |= {getattr(v, "dtype", None) for a in [*mine, before] for v in leaves(a)}
            return [(before.object, kinds)]
    later = [a for a in later if a.like() == before.like()]
    return [o for k, child in enumerate(before.children) for o in resized(child, *[a.children[k] for a in later])]
