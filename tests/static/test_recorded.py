"""Models that we saved, with what real Paddle 2.6 computed from them (recorded by tests/compat/record_models.py)."""

from pathlib import Path

import numpy as np
import pytest

from paddle import inference, static
from paddle.serialization import program_desc as pd
from paddle.static.program.desc import from_desc, to_desc

OURS = Path(__file__).resolve().parent.parent / "fixtures/ours"
MODELS = sorted(p.stem for p in OURS.glob("*.pdmodel"))


@pytest.mark.parametrize("name", MODELS)
def test_real_paddle_computed_the_same(name):
    with np.load(OURS / f"{name}.npz") as recorded:
        program, feeds, fetches = static.load_inference_model(str(OURS / name), static.Executor())
        got, = static.Executor().run(program, {feeds[0]: recorded["in_0"]}, fetches)
        predictor = inference.create_predictor(inference.Config(str(OURS / name)))
        predictor.get_input_handle(feeds[0]).copy_from_cpu(recorded["in_0"])
        predictor.run()
        predicted = predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()
        for way in ("jit", "executor", "predictor", "ours"):
            np.testing.assert_allclose(got, recorded[way], rtol=1e-4, atol=1e-5, err_msg=way)
            np.testing.assert_allclose(predicted, recorded[way], rtol=1e-4, atol=1e-5, err_msg=way)


@pytest.mark.parametrize("name", MODELS)
def test_the_writer_still_writes_these_bytes(name):
    data = (OURS / f"{name}.pdmodel").read_bytes()
    assert pd.write(to_desc(from_desc(pd.read(data)), strict=True)) == data


def test_there_are_models():
    assert len(MODELS) >= 6
