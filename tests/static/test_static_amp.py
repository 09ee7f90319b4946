"""static.amp: on CPUs a decorated optimizer trains in float32, as dynamic programs do."""

import numpy as np
import pytest

import paddle
from paddle import static


def train(decorate):
    """Losses of three steps."""
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup), paddle.utils.unique_name.guard():
        x, y = static.data("x", [4, 3]), static.data("y", [4, 1])
        with static.amp.fp16_guard():
            out = static.nn.fc(x, 1, weight_attr=paddle.ParamAttr(initializer=paddle.nn.initializer.Constant(0.1)))
        loss = ((out - y) ** 2).mean()
        optimizer = decorate(paddle.optimizer.Adam(0.1))
        optimizer.minimize(loss)
        exe = static.Executor()
        exe.run(startup)
        if hasattr(optimizer, "amp_init"):
            optimizer.amp_init(paddle.CPUPlace())
        rng = np.random.default_rng(0)
        feed = {"x": rng.normal(size=(4, 3)).astype("float32"), "y": rng.normal(size=(4, 1)).astype("float32")}
        losses = [exe.run(main, feed, [loss])[0].item() for _ in range(3)]
        scale = exe.run(main, feed, [optimizer.get_loss_scaling()])[0].item() if hasattr(optimizer, "get_loss_scaling") else 1.0
    return losses, scale


@pytest.fixture(autouse=True)
def static_mode():
    paddle.enable_static()
    yield
    paddle.disable_static()


@pytest.mark.parametrize("arguments", [{}, {"level": "O2", "use_dynamic_loss_scaling": True}, {"init_loss_scaling": 128.0}])
def test_training_goes_on_in_float32(arguments):
    decorated, scale = train(lambda optimizer: static.amp.decorate(optimizer, **arguments))
    assert (decorated, 1.0) == train(lambda optimizer: optimizer) and scale == 1.0 and decorated[2] < decorated[0]


def test_lists_and_errors():
    lists = static.amp.CustomOpLists(custom_white_list=["softmax"], custom_black_list=["conv2d"])
    assert "softmax" in lists.white_list and "softmax" not in lists.black_list and "conv2d" in lists.black_list
    with pytest.raises(ValueError, match="both custom lists"):
        static.amp.CustomOpLists(["matmul"], ["matmul"])
    with pytest.raises(TypeError, match="amp_lists"):
        static.amp.decorate(paddle.optimizer.SGD(), ["matmul"])
    with pytest.raises(TypeError, match="unexpected arguments"):
        static.amp.decorate(paddle.optimizer.SGD(), scale=1)
    if paddle.amp.is_bfloat16_supported():
        with pytest.raises(NotImplementedError, match="bfloat16"):
            static.amp.decorate(paddle.optimizer.SGD(), dtype="bfloat16")


def test_the_name_of_1x():
    from paddle.fluid.contrib.mixed_precision import decorate
    assert decorate is static.amp.decorate
