"""Adam and AdamW that divide by the largest second moment so far; values of Paddle 3.3.1."""

import numpy as np
import pytest

import paddle


def trained(cls, static, **settings):
    """A parameter after four steps with given gradients, and the optimizer."""
    start = paddle.nn.initializer.Assign(np.array([1, -2, 3], "float32"))
    slopes = np.array([[1, 2, -3], [0.1, 0.01, -0.5], [0, 0, 5], [0.01, 0, 0]], "float32")
    make = getattr(paddle.optimizer, cls)
    if static:
        with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
            g, w = paddle.static.data("g", [3]), paddle.create_parameter([3], "float32", default_initializer=start)
            make(0.1, amsgrad=True, **settings).minimize((w * g).sum())
            executor = paddle.static.Executor()
            executor.run(paddle.static.default_startup_program())
            return [executor.run(feed={"g": slope}, fetch_list=[w])[0] for slope in slopes][-1], None
    w = paddle.create_parameter([3], "float32", default_initializer=start)
    optimizer = make(0.1, parameters=[w], amsgrad=True, **settings)
    for slope in slopes:
        (w * paddle.to_tensor(slope)).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
    return w.numpy(), optimizer


@pytest.fixture(params=[False, True])
def static(request):
    if request.param:
        paddle.enable_static()
    yield request.param
    paddle.disable_static()


@pytest.mark.parametrize("cls, settings, expected", [
    ("Adam", {}, [0.7212439, -2.2619746, 3.1362343]), ("AdamW", {"weight_decay": 0.1}, [0.6868566, -2.1783359, 3.0137248])])
def test_values(cls, settings, expected, static):
    np.testing.assert_allclose(trained(cls, static, **settings)[0], expected, rtol=1e-6)


def test_state():
    _, optimizer = trained("Adam", False)
    state = optimizer.state_dict()
    largest, = (value for key, value in state.items() if key.endswith("_moment2_max_0"))
    assert (largest.numpy() >= next(v for k, v in state.items() if k.endswith("_moment2_0")).numpy()).all()
    again = paddle.optimizer.Adam(0.1, parameters=optimizer._parameter_list, amsgrad=True)
    again.set_state_dict(state)
    assert {k: v.tolist() for k, v in again.state_dict().items() if "max" in k} == {
        k: v.tolist() for k, v in state.items() if "max" in k}
    with pytest.raises(TypeError, match="amsgrad"):
        paddle.optimizer.Adam(amsgrad=2)
