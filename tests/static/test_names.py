"""Variables of programs carry the names that Paddle 2.6.2 gives them, so that files and fetches by name fit."""

import json
import pathlib

import numpy as np
import pytest
from static import name_cases

import paddle

RECORDED = json.loads((pathlib.Path(__file__).parent / "recorded_names.json").read_text())
PROGRAMS = dict(name_cases.programs())
# docs/differences.md has the reasons
OTHER_RESULTS = {"data_norm", "spectral_norm", "layer SpectralNorm", "layer CrossEntropyLoss", "call cross_entropy",
                 "call ce_named", "group_norm", "layer Conv3DT"}
OTHER_PARAMETERS = {"instance_norm", "layer LSTM", "layer GRU", "layer SimpleRNN"}


def test_every_program_is_recorded():
    assert list(PROGRAMS) == list(RECORDED)
    assert set(RECORDED) >= OTHER_RESULTS | OTHER_PARAMETERS


@pytest.mark.parametrize("name", PROGRAMS)
def test_names_are_those_of_paddle(name, static_mode):
    ours = name_cases.names_of(PROGRAMS[name])
    assert (ours["results"] == RECORDED[name]["results"]) == (name not in OTHER_RESULTS), ours
    assert (ours["persistable"] == RECORDED[name]["persistable"]) == (name not in OTHER_PARAMETERS), ours


def test_results_are_fetched_by_the_name_that_was_given(static_mode):
    x = paddle.static.data("x", [2])
    paddle.nn.functional.relu(x, name="act")
    paddle.add(x, x, name="twice")
    found = paddle.static.Executor().run(feed={"x": np.array([-1, 2], "float32")}, fetch_list=["act.tmp_0", "twice"])
    assert [f.tolist() for f in found] == [[0, 2], [-2, 4]]


def test_a_given_name_uses_no_number(static_mode):
    x = paddle.static.data("x", [2])
    named = paddle.reshape(x, [1, 2], name="r")
    assert (named.name, paddle.reshape(x, [2, 1]).name) == ("r.tmp_0", "reshape2_0.tmp_0")
    assert paddle.static.default_main_program().global_block().ops[0].output("XShape") == ["r.tmp_1"]


def test_a_function_that_hands_its_input_on_does_not_rename_it(static_mode):
    x = paddle.nn.functional.relu(paddle.static.data("x", [2]))
    assert paddle.nn.functional.dropout(x, 0.0, name="kept").name == "relu_0.tmp_0"


def test_names_below_a_prefix(static_mode):
    x = paddle.static.data("x", [2])
    with paddle.utils.unique_name.guard("net/"):
        assert paddle.nn.functional.relu(x, name="act").name == "net/act.tmp_0"
        assert paddle.nn.functional.relu(x).name.startswith("net/net/relu_0.tmp_0")
