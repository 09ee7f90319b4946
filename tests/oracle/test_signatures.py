"""Public callables take the arguments of the real Paddle 2.6.2: the same names in the same order, with the same defaults.

Ours may have more arguments behind Paddle's. What differs for a reason is in LATER and DEFAULTS.
"""

import ast
import importlib
import inspect
import json
import pathlib
import re

import pytest

SIGNATURES = json.loads((pathlib.Path(__file__).parent / "signatures.json").read_text())
MODULES = ("paddle.nn", "paddle.nn.functional", "paddle.nn.initializer", "paddle.nn.utils", "paddle.optimizer",
           "paddle.optimizer.lr", "paddle.io", "paddle.metric", "paddle.amp", "paddle.amp.debugging", "paddle.callbacks",
           "paddle.regularizer")
LATER = {  # arguments that later releases put in front of ``name``, which only labels results
    "LSTM": {"proj_size"}, "LSTMCell": {"proj_size"}, "ThresholdedReLU": {"value"}, "thresholded_relu": {"value"},
    "thresholded_relu_": {"value"}, "TruncatedNormal": {"a", "b"}, "XavierNormal": {"gain"}, "XavierUniform": {"gain"}}
DEFAULTS = {("Conv1D", "data_format"), ("Conv2D", "data_format"), ("Conv3D", "data_format"), ("Conv1DTranspose", "data_format"),
            ("Conv2DTranspose", "data_format"), ("Conv3DTranspose", "data_format"), ("InstanceNorm1D", "data_format"),
            ("InstanceNorm2D", "data_format"), ("InstanceNorm3D", "data_format"),  # None: the layout with the channels first
            ("DataLoader", "return_list")}  # None: True, but False for programs of 1.x


def arguments(text):
    """({name: default as text, None without one}, has *args, has **kwargs) of a signature."""
    while "<" in text.partition(" -> ")[0]:  # objects such as <DebugMode.CHECK_ALL: 3>
        text = re.sub(r"<([^<>]*)>", lambda match: repr(match[1]), text, count=1)
    found = ast.parse(f"def f{text.partition(' -> ')[0]}: pass").body[0].args
    names = [a.arg for a in [*found.posonlyargs, *found.args, *found.kwonlyargs] if a.arg != "self"]
    given = [ast.unparse(d) for d in [*found.defaults, *filter(None, found.kw_defaults)]]
    defaults = dict(zip(names, [None] * (len(names) - len(given)) + given))
    return defaults, found.vararg is not None, found.kwarg is not None


def plain(text):
    """A default to compare: its value where it is a literal, a tuple for a list."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, TypeError):
        return text
    return tuple(value) if isinstance(value, list) else value


@pytest.mark.parametrize("name", [name for name in SIGNATURES if name.rpartition(".")[0] in MODULES])
def test_arguments_are_those_of_paddle(name):
    module, _, attribute = name.rpartition(".")
    ours = getattr(importlib.import_module(module), attribute)
    theirs, their_list, their_dict = arguments(SIGNATURES[name])
    mine, my_list, my_dict = arguments(str(inspect.signature(ours)))
    names = [n for n in mine if n not in LATER.get(attribute, ())]
    assert names[:len(theirs)] == list(theirs)
    assert my_list >= their_list and my_dict >= their_dict
    different = {n: (mine[n], d) for n, d in theirs.items() if plain(mine[n]) != plain(d) and (attribute, n) not in DEFAULTS}
    assert not different, f"defaults (ours, Paddle's): {different}"
