"""Names that public programs of all generations use (names_in_use.json: name, number of uses in 106 programs) are there."""

import importlib
import json
import pathlib

import numpy as np
import pytest

import paddle
import paddle.fluid
from paddle.fluid.layer_helper import LayerHelper

USES = json.loads(pathlib.Path(__file__).with_name("names_in_use.json").read_text())
REASONS = {
    "the program's own variable is called optimizer": [
        f"paddle.optimizer.{n}" for n in ("clear_grad", "step", "state_dict", "minimize")],
    "a mistake of the program: Paddle does not have it either": ["paddle.nn.ClipGradByGloabalNorm", "paddle.nn.functional.mean"],
    "inside Paddle's translator, which ours is not built like": [
        "paddle.jit._trace"],
    "inside Paddle's other modules, reached for by its own tests": [
        "paddle.base.core._cuda_synchronize"],
}
ABSENT = {name: why for why, names in REASONS.items() for name in names}


def owners():
    """What methods, which are counted by name alone, may belong to."""
    layers = [paddle.fluid.dygraph.Layer(), paddle.nn.Layer(), LayerHelper("net")]  # layers add operators through a helper
    optimizers = [paddle.fluid.optimizer.SGD(0.1), paddle.optimizer.lr.LRScheduler, paddle.amp.GradScaler]
    return {"Tensor": [paddle.Tensor, np.ndarray, paddle.static.Variable], "Layer": [*layers, np.ndarray],
            "Optimizer": [*optimizers, *layers, paddle.Tensor]}


def has(name):
    first, *rest = name.split(".")
    if first != "paddle":
        return any(hasattr(owner, rest[0]) for owner in owners()[first])
    place = paddle
    for k, part in enumerate(rest):
        try:
            place = getattr(place, part)
        except AttributeError:
            try:
                place = importlib.import_module(".".join(["paddle", *rest[:k + 1]]))
            except ImportError:
                return False
    return True


def test_names_in_use():
    missing = {name: uses for name, uses in USES.items() if not has(name)}
    assert len(USES) == 576
    assert sorted(set(missing) - set(ABSENT)) == []


@pytest.mark.parametrize("name", sorted(ABSENT))
def test_reasons_are_still_needed(name):
    assert name in USES and not has(name)
