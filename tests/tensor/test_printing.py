"""Tensors print as Paddle 2.6.2 printed them (texts recorded in tests/oracle/printing.json)."""

import ast
import json
import pathlib
import sys

import numpy as np  # noqa: F401  (used by the recorded expressions)
import pytest

import paddle

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import printed  # noqa: E402

RECORDED = json.loads((pathlib.Path(__file__).parents[1] / "oracle" / "printing.json").read_text())
DEFAULTS = {"precision": 8, "threshold": 1000, "edgeitems": 3, "linewidth": 80, "sci_mode": False}


def evaluate(expression):
    """The value of one of our own recorded expressions."""
    tree = ast.parse(expression, mode="eval")
    return eval(compile(tree, "recorded", "eval"), {"paddle": paddle, "np": np})  # noqa: S307


@pytest.mark.parametrize("key", RECORDED)
def test_prints_as_recorded(key):
    options, arrow, expression = key.rpartition(" -> ")
    if "bfloat16" in key:
        pytest.importorskip("ml_dtypes", reason="bfloat16 needs ml-dtypes")
    try:
        if arrow:
            paddle.set_printoptions(**evaluate(options))
        assert str(evaluate(expression)) == RECORDED[key]
    finally:
        paddle.set_printoptions(**DEFAULTS)


PRINTED = json.loads(printed.RECORD.read_text())


@pytest.mark.parametrize("k", range(len(PRINTED)))
def test_prints_random_tensors_as_recorded(k):
    assert str(paddle.to_tensor(printed.array(k))) == PRINTED[k]


def test_html_is_a_table_for_a_matrix():
    text = paddle.ones([2, 2])._repr_html_()
    assert text.startswith("<table>") and text.count("<td>1.</td>") == 4
