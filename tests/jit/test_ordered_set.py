"""paddle.jit.utils.OrderedSet: a set in the order in which its elements came."""

import pytest

from paddle.jit.utils import OrderedSet


def test_operations_keep_the_order():
    a, b = OrderedSet([3, 1, 2, 3]), OrderedSet([2, 4, 3])
    assert [list(s) for s in (a | b, a & b, a - b, a ^ b)] == [[3, 1, 2, 4], [2, 3], [1], [1, 4]]
    a |= b
    a -= OrderedSet([1])
    assert repr(a) == "OrderedSet(3, 2, 4)" and len(a) == 3 and 2 in a and 1 not in a and a and not OrderedSet()


def test_equality_heeds_the_order():
    assert OrderedSet([1, 2]) == OrderedSet([1, 2]) != OrderedSet([2, 1])


def test_elements_come_and_go():
    s = OrderedSet()
    s.add(5)
    s.add(4)
    s.add(5)
    s.discard(7)
    s.remove(5)
    assert list(s) == [4]
    with pytest.raises(KeyError):
        s.remove(5)
