"""Which executor runs a predictor's model, and that both give the same."""

import multiprocessing
import threading

import numpy as np
import pytest

import paddle
from paddle import inference, static
from paddle.core.context import process
from paddle.inference import engines

from .test_predictor import FIXTURES, MODELS, config, recorded, run

pytestmark = pytest.mark.skipif(process.native is None, reason="without C there is one executor")


def by_python(name):
    settings = config(name)
    settings.enable_profile()
    return inference.create_predictor(settings)


@pytest.mark.parametrize("name", MODELS)
def test_both_give_the_same(name, capsys):
    inputs, _ = recorded(name)
    library, python = inference.create_predictor(config(name)), by_python(name)
    assert "run by Python: its plan is to be printed" in repr(python)
    assert [library.get_input_names(), library.get_output_names()] == [python.get_input_names(), python.get_output_names()]
    for names, handle in (("get_input_names", "get_input_handle"), ("get_output_names", "get_output_handle")):
        for given in getattr(library, names)():
            one, other = (getattr(p, handle)(given) for p in (library, python))
            assert (one.shape(), one.type()) == (other.shape(), other.type())
    for got, wanted in zip(run(library, inputs), run(python, inputs), strict=True):
        assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
        np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-5 * max(1e-30, np.abs(wanted).max(initial=0)))


def test_the_choice_is_said(tmp_path):
    assert repr(inference.create_predictor(config())).endswith("lenet.pdmodel, run by the C library>")
    for ask, why in ((lambda c: c.delete_pass("fuse_conv"), "passes are left out"),
                     (lambda c: c.switch_ir_optim(False), "passes are left out"),
                     (lambda c: c.switch_ir_debug(), "its plan is to be printed")):
        settings = config()
        ask(settings)
        assert why in repr(inference.create_predictor(settings))
    folder = inference.create_predictor(inference.Config(str(FIXTURES / "paddle18/saved_infer_model")))
    assert "run by the C library" in repr(folder)
    program = static.Program()
    with static.program_guard(program, static.Program()):
        x = static.data("x", [2])
        static.save_inference_model(str(tmp_path / "model"), [x], [static.Print(x) * 2.0], static.Executor(), program=program)
    assert "this library lacks: print" in repr(inference.create_predictor(inference.Config(str(tmp_path / "model"))))


def test_quantized_models_run_by_the_library(tmp_path):
    net = paddle.nn.Sequential(paddle.nn.Conv2D(3, 8, 3), paddle.nn.ReLU(), paddle.nn.Conv2D(8, 8, 3))
    quant = paddle.quantization
    settings = quant.QuantConfig(activation=quant.quanters.FakeQuanterWithAbsMaxObserver(),
                                 weight=quant.quanters.FakeQuanterWithAbsMaxObserver())
    trained = quant.QAT(settings)
    net = trained.quantize(net, inplace=True)
    net(paddle.rand([2, 3, 9, 9]))
    net.eval()
    paddle.jit.save(trained.convert(net), str(tmp_path / "net"), input_spec=[static.InputSpec([None, 3, 9, 9], "float32")])
    predictor = inference.create_predictor(inference.Config(str(tmp_path / "net")))
    assert "run by the C library" in repr(predictor)
    x = np.random.RandomState(0).rand(2, 3, 9, 9).astype("float32")
    frozen, _ = engines.in_python().load(inference.Config(str(tmp_path / "net")))
    np.testing.assert_array_equal(run(predictor, [x])[0], frozen([x])[0])


def test_a_wrong_call_leaves_the_library_in_place(tmp_path):
    net = paddle.nn.Linear(4, 3)
    paddle.jit.save(net, str(tmp_path / "net"), input_spec=[static.InputSpec([None, None], "float32")])
    predictor = inference.create_predictor(inference.Config(str(tmp_path / "net")))
    with pytest.raises(ValueError, match="5"):
        run(predictor, [np.ones([2, 5], "float32")])
    good = np.ones([2, 4], "float32")
    np.testing.assert_allclose(run(predictor, [good])[0], net(paddle.to_tensor(good)).numpy(), rtol=1e-6)
    assert "run by the C library" in repr(predictor)


def test_one_predictor_in_several_threads_at_once():
    """Handles belong to one thread, what runs does not: a call beside another has memory of its own."""
    inputs, outputs = recorded("lenet")
    model = inference.create_predictor(config())._model
    session, wrong = model.session(), []

    def work(k):
        for _ in range(50):
            (found,), _ = model.run(session, [inputs[0] * k], [[]])
            if k == 1 and not np.allclose(found, outputs[0], rtol=1e-5, atol=1e-5):
                wrong.append(found)
    workers = [threading.Thread(target=work, args=(k,)) for k in (1, 2, 1, 3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong and model.why is None


def _in_child(predictor, inputs, queue):
    queue.put(run(predictor, inputs)[0])


def test_a_forked_process_runs_what_its_parent_loaded():
    inputs, _ = recorded("lenet")
    predictor = inference.create_predictor(config())
    wanted, context = run(predictor, inputs)[0], multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_in_child, args=(predictor, inputs, queue))
    child.start()
    np.testing.assert_array_equal(queue.get(timeout=60), wanted)
    child.join()


def test_results_are_the_callers():
    """An output that is an input, or a parameter, is a copy."""
    program = static.Program()
    with static.program_guard(program, static.Program()):
        x = static.data("x", [2])
        data = static.serialize_program([x], [x, paddle.reshape(x, [2, 1])], program=program)
    settings = inference.Config()
    settings.set_model_buffer(data, len(data), b"", 0)
    predictor = inference.create_predictor(settings)
    given = np.array([1, 2], "float32")
    predictor.get_input_handle("x").share_external_data(given)
    predictor.run()
    first = predictor.get_output_handle(predictor.get_output_names()[1]).copy_to_cpu()
    given[0] = 9
    assert first.tolist() == [[1], [2]] and "C library" in repr(predictor)
