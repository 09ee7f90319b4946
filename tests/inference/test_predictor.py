"""Predictors: handles, clones in threads, folding, errors; against what real Paddle recorded."""

import json
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import paddle
from paddle import inference, static
from paddle.core.context import process
from paddle.static.ir.nodes.op import Constant
from paddle.static.schedule.frozen import Frozen

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
MODELS = sorted(json.loads((FIXTURES / "paddle26/manifest.json").read_text())["models"])


def config(name="lenet"):
    prefix = FIXTURES / "paddle26" / name
    return inference.Config(f"{prefix}.pdmodel", f"{prefix}.pdiparams")


def recorded(name):
    with np.load(FIXTURES / f"paddle26/{name}.npz") as npz:
        first = "c0_" if "c0_in_0" in npz.files else ""
        return [[npz[k] for k in sorted(n for n in npz.files if n.startswith(f"{first}{kind}_"))] for kind in ("in", "out")]


def run(predictor, inputs):
    for name, array in zip(predictor.get_input_names(), inputs):
        predictor.get_input_handle(name).copy_from_cpu(array)
    predictor.run()
    return [predictor.get_output_handle(name).copy_to_cpu() for name in predictor.get_output_names()]


@pytest.mark.parametrize("optimize", [True, False])
@pytest.mark.parametrize("name", MODELS)
def test_every_model(name, optimize):
    inputs, outputs = recorded(name)
    settings = config(name)
    settings.switch_ir_optim(optimize)
    for got, expected in zip(run(inference.create_predictor(settings), inputs), outputs):
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)


def test_folder_prefix_and_memory():
    with np.load(FIXTURES / "paddle18/io.npz") as npz:
        predictor = inference.create_predictor(inference.Config(str(FIXTURES / "paddle18/saved_infer_model")))
        np.testing.assert_allclose(run(predictor, [npz["in_0"]])[0], npz["out_0"], rtol=1e-5, atol=1e-6)
    inputs, outputs = recorded("mlp")
    model, params = ((FIXTURES / f"paddle26/mlp.{end}").read_bytes() for end in ("pdmodel", "pdiparams"))
    memory = inference.Config()
    memory.set_model_buffer(model, len(model), params, len(params))
    for settings in (memory, inference.Config(str(FIXTURES / "paddle26/mlp"))):
        np.testing.assert_allclose(run(inference.create_predictor(settings), inputs)[0], outputs[0], rtol=1e-5, atol=1e-6)


def test_run_on_a_list_of_tensors():
    inputs, outputs = recorded("mlp")
    got, = inference.create_predictor(config("mlp")).run([paddle.to_tensor(a) for a in inputs])
    assert isinstance(got, paddle.Tensor)
    np.testing.assert_allclose(got.numpy(), outputs[0], rtol=1e-5, atol=1e-6)


def test_clones_run_at_the_same_time():
    inputs, outputs = recorded("lenet")
    pool = inference.PredictorPool(config(), 4)
    results, errors = {}, []

    def work(k):
        try:
            for _ in range(10):
                results[k] = run(pool.retrive(k), [inputs[0] * (k + 1)])[0]
        except Exception as error:  # reported below, in the main thread
            errors.append(error)
    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors
    np.testing.assert_allclose(results[0], outputs[0], rtol=1e-5, atol=1e-5)
    single = inference.create_predictor(config())
    for k in range(4):
        np.testing.assert_array_equal(results[k], run(single, [inputs[0] * (k + 1)])[0])
    with pytest.raises(IndexError, match="4 predictors"):
        pool.retrive(4)


def test_handles():
    inputs, _ = recorded("lenet")
    predictor = inference.create_predictor(config())
    handle = predictor.get_input_handle("image")
    assert handle.shape() == [-1, 1, 28, 28] or handle.shape()[1:] == list(inputs[0].shape[1:])
    assert handle.type() == inference.DataType.FLOAT32 and handle.name() == "image"
    out = predictor.get_output_handle(predictor.get_output_names()[0])
    with pytest.raises(RuntimeError, match="run the predictor first"):
        out.copy_to_cpu()
    with pytest.raises(RuntimeError, match="'image' has no value"):
        predictor.run()
    handle.reshape(inputs[0].shape)
    handle.copy_from_cpu(inputs[0].reshape(-1))
    predictor.run()
    first = out.copy_to_cpu()
    first += 1
    assert (out.copy_to_cpu() != first).all()
    with pytest.raises(ValueError, match="'image' is float32, the given array float64"):
        handle.copy_from_cpu(inputs[0].astype("float64"))
    with pytest.raises(ValueError, match="shape"):
        handle.copy_from_cpu(np.zeros([1, 2], "float32"))
    with pytest.raises(ValueError, match="no input 'imge'; did you mean image"):
        predictor.get_input_handle("imge")
    with pytest.raises(ValueError, match="0 levels of sequence lengths"):
        handle.set_lod([[1]])
    assert predictor.try_shrink_memory() > 0
    with pytest.raises(RuntimeError, match="no value"):
        predictor.run()


def test_config():
    settings = config()
    assert settings.ir_optim() and not settings.use_gpu() and "fuse_conv" in settings.pass_builder().all_passes()
    settings.delete_pass("fuse_conv")
    settings.delete_pass("conv_bn_fuse_pass")  # a name of real Paddle's
    assert "fuse_conv" not in settings.pass_builder().all_passes() and "fuse_conv" not in settings.summary()
    assert not any(n.type.startswith("conv_") for n in inference.create_predictor(settings)._model.frozen().graph.nodes)
    for name in ("enable_tensorrt_engine", "enable_xpu", "enable_onnxruntime"):
        with pytest.raises(NotImplementedError, match=name):
            getattr(settings, name)()
    with pytest.raises(ValueError, match="no model"):
        inference.create_predictor(inference.Config())
    with pytest.raises(NotImplementedError):
        inference.XpuConfig()
    with pytest.raises(NotImplementedError):
        inference.convert_to_mixed_precision("a", "b")
    assert inference.get_version() == "version: 2.6.2\n" and inference.get_trt_compile_version() == (0, 0, 0)
    assert inference.get_num_bytes_of_data_type(inference.DataType.FLOAT64) == 8


def test_missing_files(tmp_path):
    with pytest.raises(ValueError, match="nothing.pdmodel"):
        inference.create_predictor(inference.Config(str(tmp_path / "nothing.pdmodel"), str(tmp_path / "nothing.pdiparams")))


@pytest.mark.parametrize("bias", [False, True])
def test_batch_norm_is_folded_into_the_convolution(bias):
    paddle.seed(0)
    net = paddle.nn.Sequential(paddle.nn.Conv2D(3, 6, 3, bias_attr=None if bias else False), paddle.nn.BatchNorm2D(6),
                               paddle.nn.ReLU())
    rng = np.random.RandomState(0)
    for p in [net[1].weight, net[1].bias, net[1]._mean, net[1]._variance]:
        p.set_value(rng.uniform(0.5, 2, p.shape).astype("float32"))
    net.eval()
    main = static.Program()
    with static.program_guard(main):
        y = net(static.data("x", [None, 3, 8, 8]))
    x = rng.randn(2, 3, 8, 8).astype("float32")
    arrays = {name: t.numpy() for name, t in main.captured.items()}
    frozen = Frozen(main, ["x"], [y.name], arrays)
    np.testing.assert_allclose(frozen([x])[0], net(paddle.to_tensor(x)).numpy(), rtol=1e-4, atol=1e-5)
    kinds = [n.type for n in frozen.graph.nodes if not isinstance(n.call, Constant)]
    assert kinds == (["conv_bias_act"] if process.native is not None else ["conv2d", "relu"])


@pytest.mark.parametrize("blocks,packed", [(True, {3: 3, 4: 1, 5: 1}), (False, {1: 3, 2: 1})])
def test_fixed_weights_are_packed_once_for_all_sizes(tmp_path, blocks, packed):
    """Runs on prepared weights give what the network gives, for images of several sizes and batches, from one packing a kind."""
    paddle.seed(3)
    net = paddle.nn.Sequential(paddle.nn.Conv2D(3, 32, 3, padding=1), paddle.nn.ReLU(), paddle.nn.Conv2D(32, 32, 3, padding=1),
                               paddle.nn.Conv2D(32, 24, 1, stride=2), paddle.nn.Conv2D(24, 24, 3, groups=24))
    net.eval()
    path = str(tmp_path / "net")
    paddle.jit.save(net, path, input_spec=[paddle.static.InputSpec([None, 3, None, None], "float32")])
    settings = inference.Config(path + ".pdmodel", path + ".pdiparams")
    if not blocks:
        settings.delete_pass("channel_blocks")
    frozen = inference.create_predictor(settings)._model.frozen()
    for batch, size in ((1, 9), (1, 24), (2, 24), (1, 30)) * 3:
        x = np.random.default_rng(size).standard_normal((batch, 3, size, size)).astype("float32")
        found, = frozen([x])
        np.testing.assert_allclose(found, net(paddle.to_tensor(x)).numpy(), rtol=2e-4, atol=2e-5)
    if process.native is not None:
        kinds = [kind for _, _, kind in frozen.plan.packed]  # one layer is packed in two of them
        assert {kind: kinds.count(kind) for kind in kinds} == packed


def test_fixed_matrices_are_packed_once_for_all_batches(tmp_path):
    paddle.seed(4)
    net = paddle.nn.Sequential(paddle.nn.Linear(20, 40), paddle.nn.ReLU(), paddle.nn.Linear(40, 3))
    path = str(tmp_path / "net")
    paddle.jit.save(net, path, input_spec=[paddle.static.InputSpec([None, None, 20], "float32")])
    frozen = inference.create_predictor(inference.Config(path + ".pdmodel", path + ".pdiparams"))._model.frozen()
    for batch, length in ((1, 1), (1, 7), (4, 5), (2, 64)) * 3:
        x = np.random.default_rng(length).standard_normal((batch, length, 20)).astype("float32")
        found, = frozen([x])
        np.testing.assert_allclose(found, net(paddle.to_tensor(x)).numpy(), rtol=1e-5, atol=1e-5)
    if process.native is not None:
        assert sorted(key[1:] for key in frozen.plan.packed) == [("gemm", False), ("gemm", False)]


def test_a_fresh_process_knows_operators_with_effects(tmp_path):
    """A predictor imports little; operators that show and check values are in files too."""
    program = static.Program()
    with static.program_guard(program, static.Program()):
        x = static.data("x", [2])
        out = static.Print(x, message="seen") * 2.0
        static.save_inference_model(str(tmp_path / "model"), [x], [out], static.Executor(), program=program)
    code = """if True:
        import numpy as np
        from paddle import inference
        predictor = inference.create_predictor(inference.Config("model.pdmodel", "model.pdiparams"))
        name = predictor.get_input_names()[0]
        predictor.get_input_handle(name).copy_from_cpu(np.ones(2, "float32"))
        predictor.run()
        print(predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu())
    """
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "seen" in done.stdout and "[2. 2.]" in done.stdout, done.stdout + done.stderr
