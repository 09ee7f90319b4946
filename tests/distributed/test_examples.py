"""The example of a whole training run."""

import pathlib

import pytest

EXAMPLE = pathlib.Path(__file__).parents[2] / "examples/distributed/mnist.py"


@pytest.mark.slow
def test_mnist_on_two_ranks(launch, tmp_path):
    done = launch(EXAMPLE.read_text(encoding="utf-8"), 2, args=["--steps", "100", "--save", "model.pdparams"])
    accuracy = float(done.log(0).split("accuracy ")[1].split()[0])
    assert accuracy > 0.93
    assert (tmp_path / "model.pdparams").exists()
