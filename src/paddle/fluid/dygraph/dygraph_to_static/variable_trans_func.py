"""Variables that translated code of 1.8 makes: data of any shape, and constants."""

import ast

from ...layers.tensor import data

_TYPES = {bool: "bool", int: "int64", float: "float64"}


def data_layer_not_check(name, shape, dtype="float32", lod_level=0):
    """An input of the program whose fed values may have any shape (1.8; successor: paddle.static.data)."""
    made = data(name, [-1 if n is None else n for n in shape], append_batch_size=False, dtype=dtype, lod_level=lod_level)
    made.desc.set_need_check_feed(False)
    return made


def create_fill_constant_node(name, value):
    """The tree of an assignment that makes a Variable of a number; None for any other value (1.8; successor: none)."""
    if type(value) not in _TYPES:
        return None
    return ast.parse(f"{name} = fluid.layers.fill_constant(shape=[1], dtype={_TYPES[type(value)]!r}, value={value!r})").body[0]
