"""Packed sequences (LoD): values, lengths and gradients as real Paddle 2.6 has them, feeding, fetching, errors."""

import os

import numpy as np
import pytest
from fluid import sequence_programs as recorded

import paddle
from paddle import fluid, inference, static


@pytest.fixture(autouse=True)
def static_programs():
    with static.program_guard(static.Program(), static.Program()), static.scope_guard(static.Scope()):
        paddle.enable_static()
        yield
        paddle.disable_static()


@pytest.mark.parametrize("name", recorded.PROGRAMS)
def test_as_real_paddle(name):
    with np.load(recorded.FILE) as file:
        wanted = {key: file[key] for key in file.files if key.startswith(name + "/")}
    got = recorded.run(paddle, name)
    assert wanted and wanted.keys() <= got.keys()
    for key, array in got.items():  # an input that has no gradient there may have one of zeros here
        np.testing.assert_allclose(array, wanted.get(key, array * 0), rtol=1e-5, atol=1e-6, err_msg=key)


def small_model():
    """(words, prediction) of a network whose saved program needs lengths that the file does not name."""
    words = fluid.layers.data("words", [1], dtype="int64", lod_level=1)
    embedded = fluid.layers.embedding(words, [10, 4])
    both = fluid.layers.sequence_concat([embedded, fluid.layers.sequence_reverse(embedded)])
    hidden = fluid.layers.dynamic_gru(fluid.layers.fc(both, 9), 3)
    return words, fluid.layers.fc(fluid.layers.sequence_pool(hidden, "max"), 2, act="softmax")


def test_inference_models_keep_their_lengths(tmp_path):
    words, prediction = small_model()
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    feed = {"words": fluid.create_lod_tensor(np.array([[1], [2], [3], [9], [5]]), [[2, 3]], None)}
    wanted, = exe.run(feed=feed, fetch_list=[prediction])
    fluid.io.save_inference_model(str(tmp_path), ["words"], [prediction], exe)
    program, feeds, fetches = fluid.io.load_inference_model(str(tmp_path), exe)
    assert feeds == ["words"] and not [n for n in (tmp_path / "__model__").read_bytes().split(b"@") if n.startswith(b"LOD")]
    got, = exe.run(program, feed=feed, fetch_list=fetches)
    np.testing.assert_allclose(got, wanted, rtol=1e-6)


MODELS = {"packed": {"words": (np.array([[1], [7], [3], [11], [5], [2]]), [[2, 3, 1]])},
          "beams": {"ids": (np.full([4, 1], 2, "int64"), [[1] * 4] * 2), "scores": (np.zeros([4, 1], "float32"), [[1] * 4] * 2),
                    "state": np.random.RandomState(0).uniform(-1, 1, (4, 6)).astype("float32")}}


@pytest.mark.parametrize("name", MODELS)
def test_models_of_real_paddle(name, tmp_path):
    """Recorded by record_models.py: run as they are, and again when we have written them anew."""
    exe, prefix = static.Executor(), os.path.join(os.path.dirname(recorded.FILE), name)
    program, feeds, fetches = static.load_inference_model(prefix, exe)
    again = static.Program.parse_from_string(program.serialize_to_string())
    with np.load(prefix + ".npz") as wanted:
        for one in (program, again):
            got = exe.run(one, feed=MODELS[name], fetch_list=[f.name for f in fetches], return_numpy=False)
            for k, value in enumerate(got):
                np.testing.assert_allclose(np.array(value), wanted[f"out{k}"], rtol=1e-4, atol=1e-5)
                lod = value.lod() if isinstance(value, fluid.LoDTensor) else []
                assert [n for level in lod for n in [-1, *level]] == wanted[f"lod{k}"].tolist()
    assert feeds == list(MODELS[name])


def test_a_predictor_takes_packed_sequences():
    prefix = os.path.join(os.path.dirname(recorded.FILE), "packed")
    predictor = inference.create_predictor(inference.Config(prefix + ".pdmodel", prefix + ".pdiparams"))
    words, lengths = MODELS["packed"]["words"]
    handle = predictor.get_input_handle("words")
    handle.copy_from_cpu(words)
    with pytest.raises(RuntimeError, match="set_lod"):
        predictor.run()
    handle.set_lod([np.cumsum([0, *lengths[0]])])
    predictor.run()
    with np.load(prefix + ".npz") as wanted:
        for k, name in enumerate(predictor.get_output_names()):
            out = predictor.get_output_handle(name)
            np.testing.assert_allclose(out.copy_to_cpu(), wanted[f"out{k}"], rtol=1e-4, atol=1e-5)
            assert [n for level in out.lod() for n in [-1, *level]] == wanted[f"lod{k}"].tolist()
