"""Whatever a translated function reads around itself may change between its calls, in whatever way it reads it."""

import array
import collections
import types

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F

from .test_functions import count

VALUES = (1.0, 2.0, 3.0, -0.0, 0.0)
names = [1.0, 2.0]
chosen = F.relu
factor = 1.0


class Box:
    def __init__(self, v=1.0):
        self.v = v

    @property
    def twice(self):
        return self.v * 2

    def __getitem__(self, key):
        return self.v

    def __len__(self):
        return int(self.v)

    def __iter__(self):
        return iter([self.v])


class Net(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.array, self.list, self.set, self.box, self.number = np.ones(2, "float32"), [1.0], {1.0}, Box(), 1.0

    @property
    def scaled(self):
        return self.number * factor

    def forward(self, x):
        return x * paddle.to_tensor(self.array) * self.list[0] * max(self.set) * self.box.v + 1.0 / (x * 0.0 + self.scaled)


def set_global(name, value):
    globals()[name] = value


def unpacked(x):
    a, b = names
    return x * a + b


def containers():
    """name -> (function of a tensor, what a value does to something it reads)."""
    numbers, table, held, line = [1.0], {}, set(), collections.deque([1.0])
    raw, packed, counts = np.ones(1), bytearray(b"a"), array.array("d", [1.0])
    many, space, box = list(range(100)), types.SimpleNamespace(v=1.0, inner=[1.0]), Box()
    return {
        "sum": (lambda x: x * sum(numbers), numbers.append),
        "slice": (lambda x: x * max(numbers[:2]), lambda v: numbers.insert(0, v)),
        "another list": (lambda x: x * names[0], lambda v: set_global("names", [v, v])),
        "unpacked": (unpacked, lambda v: set_global("names", [v, v])),
        "starred": (lambda x: paddle.add(*[x * n for n in names]), lambda v: set_global("names", [v, v])),
        "contained": (lambda x: x * (5 if 2.0 in names else 1), lambda v: set_global("names", [v, v])),
        "to_tensor": (lambda x: x * paddle.to_tensor(names), lambda v: set_global("names", [v, v])),
        "another function": (lambda x: chosen(x), lambda v: set_global("chosen", [F.relu, F.tanh, F.sigmoid][int(v) % 3])),
        "dict": (lambda x: x * sum(table.values()), lambda v: table.update({v: v})),
        "set": (lambda x: x * sum(sorted(held)), held.add),
        "deque": (lambda x: x * line[-1] * len(line), line.append),
        "array": (lambda x: x * float(raw[0]), lambda v: raw.__setitem__(0, v)),
        "array in a product": (lambda x: x * raw.astype("float32"), lambda v: raw.__setitem__(0, v)),
        "bytes": (lambda x: x * packed[0], lambda v: packed.__setitem__(0, int(v))),
        "packed numbers": (lambda x: x * counts[0], lambda v: counts.__setitem__(0, v)),
        "comprehension": (lambda x: x * sum([n + 1 for n in many]), lambda v: many.__setitem__(50, v)),
        "slice of many": (lambda x: x * sum(many[40:60]), lambda v: many.__setitem__(50, v)),
        "getattr": (lambda x: x * getattr(space, "v", 7.0), lambda v: setattr(space, "v", v)),
        "getattr of nothing": (lambda x: x * getattr(space, "w", 7.0), lambda v: setattr(space, "w", v)),
        "inner list": (lambda x: x * sum(space.inner), space.inner.append),
        "property": (lambda x: x * box.twice, lambda v: setattr(box, "v", v)),
        "item of an object": (lambda x: x * box[0], lambda v: setattr(box, "v", v)),
        "length of an object": (lambda x: x * len(box), lambda v: setattr(box, "v", v)),
        "object gone through": (lambda x: x * sum(box), lambda v: setattr(box, "v", v)),
        "sign of zero": (lambda x: x / (x * 0.0 + box.v) if box.v else x / box.v, lambda v: setattr(box, "v", v)),
        "default dtype": (lambda x: paddle.ones([2]), lambda v: paddle.set_default_dtype("float64" if v == 2.0 else "float32")),
    }


@pytest.fixture(autouse=True)
def as_before():
    before = names, chosen, factor
    yield
    paddle.set_default_dtype("float32")
    for name, value in zip(("names", "chosen", "factor"), before):
        set_global(name, value)


@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.parametrize("way", containers())
def test_the_function_sees_what_changed(way):
    function, change = containers()[way]
    translated = paddle.jit.to_static(function, full_graph=True)
    x = paddle.to_tensor([1.0, -2.0])
    for v in VALUES:
        change(v)
        expected, got = function(x), translated(x)
        assert got.dtype == expected.dtype and got.tolist() == expected.tolist(), v
        translated(x)
    assert 1 < count(translated) <= len(VALUES)


@pytest.mark.parametrize("part", ["array", "list", "set", "box", "number", "another box", "global"])
def test_a_layer_sees_what_changed(part):
    def change(net, v):
        if part == "array":
            net.array[0] = v
        elif part == "list":
            net.list[0] = v
        elif part == "set":
            net.set.add(v)
        elif part == "box":
            net.box.v = v
        elif part == "another box":
            net.box = None
            net.box = Box(v)  # at the address of the old one, perhaps
        elif part == "number":
            net.number = v
        else:
            set_global("factor", v)
    eager, translated = Net(), paddle.jit.to_static(Net())
    x = paddle.to_tensor([1.0, -2.0])
    for v in (2.0, 3.0, 4.0):
        change(eager, v)
        change(translated, v)
        assert translated(x).tolist() == eager(x).tolist()


def test_arguments_are_told_apart_by_their_bits():
    translated = paddle.jit.to_static(lambda x, c: x / c, full_graph=True)
    x = paddle.to_tensor([1.0, 2.0])
    with np.errstate(divide="ignore"):
        assert [translated(x, c).tolist()[0] for c in (0.0, -0.0, 0.0, 2, 2.0)] == [np.inf, -np.inf, np.inf, 0.5, 0.5]
    grown, by_largest = set(), paddle.jit.to_static(lambda x, s: x * max(s), full_graph=True)
    for v in (1, 2, 3):
        grown.add(v)
        assert by_largest(x, grown).tolist() == [v, 2 * v]


def test_what_the_function_makes_itself_is_no_reason_to_trace_again():
    @paddle.jit.to_static(full_graph=True)
    def f(x):
        parts, box = [x, x * 2], Box(3.0)
        sizes = np.array([2, 1])
        return paddle.concat(parts).reshape(list(sizes) + [-1]) * box.twice * sum([1, 2])
    for _ in range(3):
        assert f(paddle.ones([1])).tolist() == [[[18.0]], [[36.0]]]
    assert count(f) == 1
