"""The predictor of fluid: PaddleTensor, AnalysisConfig, create_paddle_predictor."""

import numpy as np
import pytest

import paddle
from paddle import fluid, nn
from paddle.fluid import core


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A network of two inputs on disk, and the function that it computes."""
    prefix = str(tmp_path_factory.mktemp("model") / "net")
    weight = np.arange(12, dtype="float32").reshape(4, 3)
    layer = nn.Linear(4, 3)
    layer.weight.set_value(weight)

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.inner = layer

        def forward(self, x, y):
            return self.inner(x) + y, paddle.argmax(y, -1)

    spec = [paddle.static.InputSpec([None, 4], "float32", "x"), paddle.static.InputSpec([None, 3], "float32", "y")]
    paddle.jit.save(Net(), prefix, input_spec=spec)
    return prefix, lambda x, y: (x @ weight + y, y.argmax(-1))


def values():
    rng = np.random.default_rng(0)
    return rng.normal(size=(2, 4)).astype("float32"), rng.normal(size=(2, 3)).astype("float32")


@pytest.mark.parametrize("native", [False, True])
def test_runs_on_a_list_of_tensors(model, native):
    prefix, expected = model
    config = core.AnalysisConfig(prefix + ".pdmodel", prefix + ".pdiparams")
    config.disable_glog_info()
    predictor = core.create_paddle_predictor(config.to_native_config() if native else config)
    x, y = values()
    for one in (predictor, predictor.clone()):
        outputs = one.run([core.PaddleTensor(x), core.PaddleTensor(y)])
        for out, want in zip(outputs, expected(x, y)):
            np.testing.assert_allclose(out.as_ndarray(), want, rtol=1e-5)
        assert outputs[0].dtype == core.PaddleDType.FLOAT32 and outputs[1].data.int64_data() == y.argmax(-1).tolist()
    assert isinstance(predictor, core.PaddlePredictor) and predictor.get_input_tensor_shape() == {"x": [-1, 4], "y": [-1, 3]}


def test_inputs_by_name_and_without_copies(model):
    prefix, expected = model
    config = core.AnalysisConfig(core.AnalysisConfig(prefix))
    config.switch_specify_input_names(True)
    predictor = core.create_paddle_predictor(config)
    x, y = values()
    inputs = [core.PaddleTensor(y, name="y", copy=False), core.PaddleTensor(x, name="x", copy=False)]
    np.testing.assert_allclose(predictor.run(inputs)[0].as_ndarray(), expected(x, y)[0], rtol=1e-5)
    for name, value in (("x", x), ("y", y)):
        predictor.get_input_tensor(name).copy_from_cpu(value)
    predictor.zero_copy_run()
    out = predictor.get_output_tensor(predictor.get_output_names()[0])
    np.testing.assert_allclose(out.copy_to_cpu(), expected(x, y)[0], rtol=1e-5)
    with pytest.raises(ValueError, match="has 2 inputs"):
        predictor.run([inputs[0]])


def test_buffers_hold_bytes():
    buffer = core.PaddleBuf([1.0, 2.0])
    assert (buffer.length(), buffer.float_data(), buffer.empty()) == (8, [1.0, 2.0], False)
    buffer.reset(np.array([3, 4], "int64"))
    assert buffer.tolist("int64") == buffer.int64_data() == [3, 4] and len(buffer.int32_data()) == 4
    buffer.resize(0)
    assert buffer.empty()
    tensor = core.PaddleTensor()
    tensor.shape, tensor.dtype = [2], core.PaddleDType.INT32
    with pytest.raises(ValueError, match="needs 8 bytes"):
        tensor.as_ndarray()
    tensor.data = core.PaddleBuf(np.array([5, 6], "int32"))
    assert tensor.as_ndarray().tolist() == [5, 6] and core.paddle_tensor_to_bytes(tensor) == np.array([5, 6], "int32").tobytes()
    with pytest.raises(TypeError, match="data must hold"):
        core.PaddleTensor(np.array(["a"]))


def test_argmax_of_programs_of_1x_counts_in_int64(tmp_path):
    """Files of 1.x say -1 where no type was asked for."""
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        found = fluid.layers.argmax(fluid.data("x", [-1, 3], "float32"), 1)
        program = found.block.program
        op = next(o for o in program.global_block().ops if o.type == "arg_max")
        op._set_attr("dtype", -1)
        out, = fluid.Executor(fluid.CPUPlace()).run(program, {"x": np.array([[1, 3, 2]], "float32")}, [found])
    assert out.dtype == np.int64 and out.tolist() == [1]
