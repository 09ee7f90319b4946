"""quant_aware and convert on a network with a connection around a layer; losses and results are those of Paddle 2.6.2."""

import numpy as np
import pytest

import paddle
from paddle.static import quantization

pytestmark = pytest.mark.usefixtures("static_mode")
PLACE = paddle.CPUPlace()
DRAW = np.random.RandomState(3)
X, Y = DRAW.randn(6, 1, 8, 8).astype("float32"), DRAW.randint(0, 3, [6, 1])
RECORDED = [  # settings, losses of four steps, two rows of what the program for testing gives, also once converted
    (None, [1.713406, 1.072182, 0.800138, 0.600621], [[0.70074, -0.88584, -1.04384], [1.37351, -0.33563, -0.05086]]),
    ({"onnx_format": False, "weight_quantize_type": "abs_max"}, [1.711373, 1.070223, 0.797119, 0.607022],
     [[0.688, -0.87132, -1.04569], [1.33757, -0.3272, -0.03921]]),
    ({"quantize_op_types": ["conv2d", "mul", "pool2d"], "activation_bits": 6}, [1.564481, 1.066785, 0.795435, 0.615643],
     [[0.63501, -0.78396, -1.15174], [1.20576, -0.26519, -0.1371]]),
    ({"onnx_format": False}, [1.708822, 1.070212, 0.801447, 0.612466], None)]  # rounds weights as they are, see docs/differences.md


def network():
    draw, main, startup = np.random.RandomState(5), paddle.static.Program(), paddle.static.Program()

    def given(*shape, factor):
        return paddle.ParamAttr(initializer=paddle.nn.initializer.Assign((draw.randn(*shape) * factor).astype("float32")))
    with paddle.static.program_guard(main, startup):
        x, y = paddle.static.data("x", [None, 1, 8, 8]), paddle.static.data("y", [None, 1], "int64")
        first = paddle.static.nn.conv2d(x, 4, 3, padding=1, act="relu", param_attr=given(4, 1, 3, 3, factor=0.3))
        second = paddle.static.nn.conv2d(first, 4, 3, padding=1, act="relu", param_attr=given(4, 4, 3, 3, factor=0.2))
        pooled = paddle.nn.functional.max_pool2d(paddle.add(first, second), 2)
        out = paddle.static.nn.fc(pooled, 3, weight_attr=given(64, 3, factor=0.2))
        loss = paddle.mean(paddle.nn.functional.softmax_with_cross_entropy(out, y))
        test = main.clone(for_test=True)
        paddle.optimizer.SGD(0.05).minimize(loss)
    executor = paddle.static.Executor()
    executor.run(startup)
    return executor, main, test, out.name, loss.name


@pytest.mark.parametrize("config, losses, rows", RECORDED, ids=lambda value: "")
def test_training_testing_and_converting(config, losses, rows):
    executor, main, test, out, loss = network()
    tested = quantization.quant_aware(test, PLACE, config, for_test=True)
    trained = quantization.quant_aware(main, PLACE, config)
    feed = {"x": X, "y": Y}
    np.testing.assert_allclose([executor.run(trained, feed, [loss])[0].item() for _ in range(4)], losses, rtol=2e-6)
    before = executor.run(tested, feed, [out])[0]
    if rows is not None:
        np.testing.assert_allclose(before[:2], rows, atol=1e-5)
    np.testing.assert_allclose(executor.run(quantization.convert(tested, PLACE, config), feed, [out])[0], before, atol=1e-5)


def test_what_goes_around_a_layer_is_rounded():
    _, main, test, _, _ = network()
    rounded = quantization.quant_aware(test, PLACE, for_test=True)
    added = [op for op in rounded.global_block().ops if op.type == "elementwise_add"][2]
    assert sorted(name.endswith(".skip.quantized.dequantized") for name in (*added.input("X"), *added.input("Y"))) == [False, True]


def test_weights_as_int8_in_a_second_program():
    executor, _, test, out, _ = network()
    config = {"onnx_format": False, "weight_quantize_type": "abs_max", "activation_quantize_type": "abs_max"}
    tested = quantization.quant_aware(test, PLACE, config, for_test=True)
    executor.run(tested, {"x": X, "y": Y}, [out])
    _, whole = quantization.convert(tested, PLACE, config, save_int8=True)
    kept = {v.name: v.dtype for v in whole.list_vars() if v.persistable}
    filters = [op.input("Filter")[0] for op in whole.global_block().ops if op.type == "conv2d"]
    assert [paddle.static.global_scope().get(name).dtype.name for name in filters] == ["int8"] * 2
    assert all(kept[name] == paddle.int8 for name in filters)


def test_answers_and_refusals():
    _, main, test, _, _ = network()
    assert isinstance(quantization.quant_aware(main, PLACE, return_program=True), paddle.static.Program)
    made = quantization.quant_aware(test, PLACE, for_test=True, return_scale_dict=True, scale_dict={"a": 2.0}, model_type="plain")
    assert made[1:] == ({"a": 2.0}, "plain", None)
    for config, words in (({"weight_bit": 4}, "did you mean weight_bits"), ({"weight_bits": 17}, "must be one of"),
                          ({"dtype": "int16"}, "must be one of"),
                          ({"quantize_op_types": ["conv9d"]}, "is not rounded"), ({"moving_rate": 1}, "must be of the type")):
        with pytest.raises(AssertionError, match=words):
            quantization.quant_aware(test, PLACE, config, for_test=True)
    with pytest.raises(NotImplementedError, match="quant_post_first"):
        quantization.quant_aware(test, PLACE, {"quant_post_first": True}, for_test=True)
    with pytest.raises(AssertionError, match="save_int8"):
        quantization.convert(test, PLACE, save_int8=True)
