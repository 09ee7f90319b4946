"""Nested structures; values of real Paddle 2.6.2."""

from collections import OrderedDict, namedtuple

import pytest

from paddle.utils import flatten, map_structure, pack_sequence_as
from paddle.utils.layers_utils import assert_same_structure, convert_to_list

Pair = namedtuple("Pair", "a b")


def test_flatten_goes_by_sorted_keys():
    assert flatten({"b": [1, 2], "a": Pair(3, {"x": 4})}) == [3, 4, 1, 2]
    assert flatten(5) == [5] and flatten("text") == ["text"] and flatten([]) == []


def test_pack_keeps_types_and_the_order_of_keys():
    made = pack_sequence_as(OrderedDict([("b", [0, 0]), ("a", Pair(0, 0))]), [1, 2, 3, 4])
    assert made == OrderedDict([("b", [3, 4]), ("a", Pair(1, 2))]) and isinstance(made, OrderedDict)
    with pytest.raises(ValueError, match="2 leaves"):
        pack_sequence_as([1, 2], [1])
    with pytest.raises(TypeError, match="flat_sequence"):
        pack_sequence_as([1], 1)


def test_map_structure():
    assert map_structure(lambda x, y: x - y, (5, [3]), (1, [2])) == (4, [1])
    with pytest.raises(ValueError, match="leaves"):
        map_structure(max, [1, 2], [1])


def test_same_structure_and_lists():
    assert_same_structure([1, {"a": 2}], [3, {"a": 4}])
    with pytest.raises(ValueError, match="keys"):
        assert_same_structure({"a": 1}, {"b": 1})
    with pytest.raises(TypeError, match="tuple"):
        assert_same_structure([1], (1,))
    assert convert_to_list(3, 2, "stride") == [3, 3] and convert_to_list((1, 2), 2, "stride") == [1, 2]
    with pytest.raises(ValueError, match="stride"):
        convert_to_list([1], 2, "stride")
