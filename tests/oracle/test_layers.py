"""Every layer of paddle.nn was recorded: its output, and the gradients of its input and parameters."""

import inspect
import json
import pathlib
import re
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import oracle_check  # noqa: E402

from paddle import nn  # noqa: E402

HERE = pathlib.Path(__file__).parent
NAMES = json.loads((HERE / "names.json").read_text())["names"]["paddle.nn"]
FACTS = json.loads((HERE / "layers.json").read_text())
LAYERS = [name for name in NAMES if inspect.isclass(getattr(nn, name, None)) and issubclass(getattr(nn, name), nn.Layer)]
INSIDE = {"Layer": "layers.containers_in_a_layer", "LayerList": "layers.containers_in_a_layer",
          "LayerDict": "layers.containers_in_a_layer", "ParameterList": "layers.containers_in_a_layer",
          "RNNCellBase": "layers.cell_of_ones_own"}  # classes that a recorded program derives from or holds
WITHOUT = {"SyncBatchNorm": "2.6.2 refuses it on a CPU (tests/distributed compares it with BatchNorm of the whole batch)",
           "SpectralNorm": "its gradient is wrong in 2.6.2 (tests/nn compares ours with finite differences)"}


@pytest.mark.parametrize("name", LAYERS)
def test_layer_was_recorded_with_gradients(name):
    if name in WITHOUT:
        pytest.skip(WITHOUT[name])
    found = [INSIDE[name]] if name in INSIDE else [key for key in oracle_check.recorded() if re.search(rf"\bnn\.{name}\(", key)]
    records = [oracle_check.recorded()[key] for key in found]
    given = [(case, {key for key, grad in (record["grads"] or {}).items() if grad is not None}) for case, record in records]
    assert any(grads for _, grads in given), found
    if any(text.startswith(f"nn.{name}(") and facts["names"] for text, facts in FACTS.items()):
        assert any(grads - set(case.specs) for case, grads in given), f"no gradient of a parameter in {found}"


def test_there_are_as_many_layers_as_paddle_has():
    assert len(LAYERS) > 120 and set(WITHOUT) | set(INSIDE) <= set(LAYERS)
