"""The tape: accumulation, freeing, hooks, in-place changes, depth, memory; with the C engine and without it."""

import gc
import inspect
import weakref

import numpy as np
import pytest

import paddle
from paddle.core.context import process
from paddle.core.errors import InplaceError
from paddle.core.recipe import Rule

pytestmark = pytest.mark.usefixtures("engine")


def leaf(*values):
    return paddle.to_tensor(np.array(values, "float32"), stop_gradient=False)


def test_gradients_accumulate_until_cleared():
    x = leaf(1.0, 2.0)
    (x * x).sum().backward()
    (x * x).sum().backward()
    assert x.grad.tolist() == [4.0, 8.0]
    x.clear_grad()
    assert x.grad.tolist() == [0.0, 0.0]
    (x * 3).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


def test_a_root_that_is_no_scalar_is_seeded_with_ones():
    x = leaf(1.0, 2.0)
    (x * 2).backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_a_freed_graph_says_so_and_a_retained_one_does_not():
    x = leaf(2.0)
    y = x * x * x
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.tolist() == [24.0]
    with pytest.raises(RuntimeError, match="already freed"):
        y.backward()


def test_nothing_to_differentiate_does_nothing():
    x = paddle.ones([2])
    y = x * 2
    y.retain_grads()
    y.backward()
    paddle.autograd.backward([y, leaf(1.0) * 2])
    assert x.grad is None and y.grad is None


def test_nothing_to_differentiate_raises_if_asked_to():
    paddle.set_flags({"FLAGS_strict_backward": True})
    try:
        with pytest.raises(RuntimeError, match="nothing to differentiate"):
            (paddle.ones([2]) * 2).backward()
    finally:
        paddle.set_flags({"FLAGS_strict_backward": False})


def test_integers_have_gradients():
    x = paddle.to_tensor([1, 2], stop_gradient=False)
    (x * 3).sum().backward()
    assert x.grad.tolist() == [3, 3] and x.grad.dtype == paddle.int64
    y = paddle.to_tensor([1, 2], stop_gradient=False)
    (y.astype("float32") * 2.0).sum().backward()
    assert y.grad.tolist() == [2, 2]


def test_gradients_pass_integers_as_in_paddle():
    x = leaf(1.0, 2.0)
    (x.astype("int64").astype("float32") * x).sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]
    assert not x.astype("int64").stop_gradient and x.argmax().stop_gradient and (x > 0).stop_gradient


def test_positions_beside_values_have_no_gradient():
    x = leaf(3.0, 1.0)
    values, positions = paddle.topk(x, 1)
    assert positions.stop_gradient
    (values * positions.astype("float32") + values).sum().backward()
    assert x.grad.tolist() == [1.0, 0.0]


def test_what_is_computed_from_gradients_is_recorded():
    x = leaf(1.0)
    (x * 2).backward()
    assert not x.grad.stop_gradient and not (x.grad * 3).stop_gradient and x.grad.is_leaf


@pytest.mark.parametrize("write", [lambda y: y.fill_(1.0), lambda y: y.zero_(), lambda y: y.uniform_(), lambda y: y.normal_(),
                                   lambda y: y.exponential_(), lambda y: y.cauchy_(), lambda y: y.geometric_(0.5)])
def test_what_is_written_over_gets_zeros(write):
    x = leaf(1.0, 2.0)
    y = x * 2
    write(y)
    y.sum().backward()
    assert x.grad.tolist() == [0.0, 0.0]


def test_stop_gradient_cuts_and_detach_shares_memory():
    x = leaf(1.0, 2.0)
    y = x * 2
    z = y.detach()
    (y * z).sum().backward()
    assert x.grad.tolist() == [4.0, 8.0]
    z[0] = 7.0
    assert y.tolist() == [7.0, 4.0]


def test_non_leaf_gradients_only_where_asked():
    x = leaf(1.0)
    y = x * 2
    z = y * 3
    y.retain_grads()
    z.backward()
    assert y.grad.tolist() == [3.0] and z.grad is None and not y.is_leaf


def test_hooks_on_leaves_and_results_replace_gradients():
    x = leaf(1.0)
    y = x * 2
    handle = y.register_hook(lambda g: g * 10)
    x.register_hook(lambda g: g + 1)
    y.backward()
    assert x.grad.tolist() == [21.0]
    assert handle.remove() and not handle.remove()
    with pytest.raises(RuntimeError, match="stop_gradient=True"):
        paddle.ones([1]).register_hook(lambda g: g)


def test_grad_returns_and_differentiates_again():
    x = leaf(3.0)
    (dx,) = paddle.grad(x ** 3, x, create_graph=True)
    (ddx,) = paddle.grad(dx, x, create_graph=True)
    (dddx,) = paddle.grad(ddx, x)
    assert (float(dx), float(ddx), float(dddx)) == (27.0, 18.0, 6.0) and x.grad is None


def test_grad_of_unused_input_and_constants():
    x, y = leaf(1.0), leaf(2.0)
    with pytest.raises(ValueError, match="no output depends on input 1"):
        paddle.grad(x * 2, [x, y])
    assert paddle.grad(x * 2, [x, y], allow_unused=True)[1] is None
    z = x * y
    (dx,) = paddle.grad(z * x, x, no_grad_vars=[z])
    assert dx.tolist() == [2.0]


def test_broadcast_gradients_are_summed_back():
    x, b = paddle.ones([2, 3]), leaf(1.0, 2.0, 3.0)
    x.stop_gradient = False
    (x * b).sum().backward()
    assert b.grad.tolist() == [2.0, 2.0, 2.0] and x.grad.tolist() == [[1, 2, 3], [1, 2, 3]]


def test_a_saved_tensor_changed_in_place_is_an_error_that_names_the_op():
    x = leaf(1.0, 2.0)
    y = x * 1
    z = y * y
    y.add_(paddle.ones([2]))
    with pytest.raises(InplaceError, match="multiply"):
        z.sum().backward()
    y = paddle.exp(x)
    y.add_(paddle.ones([2]))
    with pytest.raises(InplaceError, match="exp.*add_"):
        y.sum().backward()


@pytest.mark.parametrize("train", [True, False])
def test_an_output_that_its_rule_does_not_read_can_be_changed_in_place(train):
    """Dropout goes back by its mask: what becomes of its result does not matter (real Paddle 2.6.2 does the same)."""
    x = paddle.ones([2, 3])
    x.stop_gradient = False
    y = paddle.nn.functional.dropout(x * 1.0, 0.5, training=train)
    scale = y.numpy()  # 0 or 2 in training, 1 else
    y[:, 1:] = 7.0
    y.sum().backward()
    assert x.grad.tolist() == [[float(row[0]), 0.0, 0.0] for row in scale]


@pytest.mark.parametrize("train", [True, False])
def test_nor_does_its_rule_mind_what_is_written_behind_a_view_of_it(train):
    x = paddle.ones([2, 3])
    x.stop_gradient = False
    y = paddle.nn.functional.dropout(x * 1.0, 0.5, training=train)
    scale = y.numpy().tolist()
    y[:, 1:] = y[:, 1:] * 3.0
    y.sum().backward()
    assert x.grad.tolist() == [[a, 3 * b, 3 * c] for a, b, c in scale]


def test_a_leaf_that_records_cannot_be_changed_in_place():
    x = leaf(1.0)
    with pytest.raises(RuntimeError, match="leaf"):
        x.add_(paddle.ones([1]))
    with paddle.no_grad():
        x.add_(paddle.ones([1]))
    assert x.tolist() == [2.0] and x.inplace_version == 1


def test_in_place_results_stay_on_the_tape():
    x = leaf(1.0, 2.0)
    y = x * 2
    y.multiply_(paddle.to_tensor([3.0, 4.0]))
    y.sum().backward()
    assert x.grad.tolist() == [6.0, 8.0]


def test_numpy_gives_copies_and_optimizers_do_not_write_into_them():
    layer = paddle.nn.Linear(2, 2)
    before = layer.weight.numpy()
    assert not np.shares_memory(before, layer.weight.numpy())
    kept = before.copy()
    layer(paddle.ones([1, 2])).sum().backward()
    paddle.optimizer.SGD(0.5, parameters=layer.parameters()).step()
    assert np.array_equal(before, kept) and not np.array_equal(layer.weight.numpy(), kept)


def test_no_grad_enable_grad_and_decorators():
    x = leaf(1.0)

    @paddle.no_grad()
    def frozen():
        return x * 2

    assert frozen().stop_gradient
    with paddle.no_grad(), paddle.enable_grad():
        assert not (x * 2).stop_gradient
    paddle.set_grad_enabled(False)
    assert (x * 2).stop_gradient and not paddle.is_grad_enabled()
    paddle.set_grad_enabled(True)


def test_a_graph_of_100000_ops_does_not_recurse():
    x = leaf(1.0)
    y = x
    for _ in range(100_000):
        y = y + 1.0
    y.backward()
    assert x.grad.tolist() == [1.0]


def test_an_abandoned_graph_is_freed_by_reference_counting():
    gc.disable()
    try:
        x = leaf(1.0, 2.0)
        y = paddle.exp(x) * x
        inner = weakref.ref(y)
        node = weakref.ref(y._edge)
        del y
        assert inner() is None and node() is None
    finally:
        gc.enable()


def test_a_training_loop_without_the_collector_does_not_grow():
    gc.disable()
    try:
        net = paddle.nn.Sequential(paddle.nn.Linear(4, 8), paddle.nn.ReLU(), paddle.nn.Linear(8, 1))
        optimizer = paddle.optimizer.Adam(0.01, parameters=net.parameters())

        def step():
            net(paddle.ones([2, 4])).sum().backward()
            optimizer.step()
            optimizer.clear_grad()
        for _ in range(5):
            step()
        before = len(gc.get_objects())
        for _ in range(50):
            step()
        assert len(gc.get_objects()) - before < 50
    finally:
        gc.enable()


def test_anomaly_mode_shows_the_forward_line():
    class Fails(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            raise ValueError("no")

    with paddle.autograd.detect_anomaly():
        y = Fails.apply(leaf(1.0))  # this line is shown
        with pytest.raises(RuntimeError, match="this line is shown"):
            y.backward()


def test_the_nan_finder_names_op_layer_and_line():
    class Net(paddle.nn.Layer):
        def forward(self, x):
            return paddle.log(x)

    paddle.set_flags({"FLAGS_check_nan_inf": True})
    try:
        with pytest.raises(FloatingPointError, match=r"log\(\) gave NaN .* in layer net_\d+, called at .*test_autograd.py:\d+"):
            Net()(paddle.to_tensor([-1.0]))
    finally:
        paddle.set_flags({"FLAGS_check_nan_inf": False})
    assert np.isnan(paddle.log(paddle.to_tensor([-1.0])).numpy()).all()


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning", "ignore:divide by zero:RuntimeWarning")
def test_the_nan_finder_tells_where_the_call_of_a_bad_gradient_was():
    x = paddle.to_tensor([1.0, 0.0], stop_gradient=False)
    paddle.set_flags({"FLAGS_check_nan_inf": True})
    try:
        y = paddle.pow(x, paddle.to_tensor([0.2, 0.0]))  # the forward call
        with pytest.raises(FloatingPointError, match=r"_grad\(\) gave (.|\n)*Its forward call was here:(.|\n)*# the forward call"):
            y.sum().backward()
    finally:
        paddle.set_flags({"FLAGS_check_nan_inf": False})


def test_two_backward_passes_give_the_same_bits():
    x = paddle.to_tensor(np.random.default_rng(0).standard_normal((4, 3, 8, 8)).astype("f"), stop_gradient=False)
    w = paddle.to_tensor(np.random.default_rng(1).standard_normal((5, 3, 3, 3)).astype("f"), stop_gradient=False)
    y = paddle.nn.functional.conv2d(x, w).sum()
    first = paddle.grad(y, [x, w], retain_graph=True)
    second = paddle.grad(y, [x, w])
    assert all(np.array_equal(a.numpy(), b.numpy()) for a, b in zip(first, second))


def test_an_axis_matches_dimensions_and_sums_gradients_over_the_others():
    from paddle.ops.math.arithmetic import multiply
    x = paddle.to_tensor(np.arange(24.0).reshape(2, 3, 2, 2).astype("float32"), stop_gradient=False)
    b = leaf(1.0, 2.0, 3.0)
    y = multiply(x, b, 1)
    y.sum().backward()
    np.testing.assert_allclose(y.numpy(), x.numpy() * b.numpy().reshape(3, 1, 1))
    np.testing.assert_allclose(b.grad.numpy(), x.numpy().sum((0, 2, 3)))


@pytest.mark.parametrize("function", [paddle.acos, paddle.erf, paddle.floor, paddle.log1p, paddle.stanh,
                                      *(getattr(paddle.nn.functional, n) for n in ("mish", "softplus", "softsign"))])
def test_gradients_of_single_numbers_keep_their_type(function):
    """With NumPy 1 too, where a 0-d array and a Python number give double precision."""
    x = paddle.to_tensor(np.array([0.1, 0.3], "float32"), stop_gradient=False)
    out = function(x.mean())
    out.backward()
    assert out.dtype == paddle.float32 and x.grad.dtype == paddle.float32


def test_a_narrowed_rule_gives_single_numbers_in_the_type_of_the_input():
    rule = Rule(paddle.ops.nn.activation.softsign, lambda g, x: (g + x).astype("float64")).narrowed("x")
    assert rule.names == ["g", "x", "x_dtype"]
    for shape, kind in (((), "float32"), ((1,), "float64")):
        array = np.ones(shape, "float32")
        assert rule.fn(array, array, np.dtype("float32")).dtype == kind


def test_decorated_functions_keep_their_signature():
    def function(a, b=1, *, c):
        return a

    for decorated in (paddle.no_grad(function), paddle.no_grad()(function), paddle.enable_grad()(function)):
        assert inspect.getfullargspec(decorated) == inspect.getfullargspec(function)


def test_gradients_of_one_number_keep_their_shape_when_they_are_added():
    x = paddle.to_tensor(2.0, stop_gradient=False)
    for count in (1, 2, 3):
        paddle.reshape(x * 3, [-1, 1]).backward()
        assert x.grad.shape == [] and float(x.grad) == 3 * count
    x = paddle.to_tensor(2.0, stop_gradient=False)
    y = x * 1  # used several times: its gradients are added on the way
    g, = paddle.grad(y * 2 + y * 3 + y * y, [y])
    assert g.shape == [] and float(g) == 9


def test_parts_of_integers_have_gradients():
    x = paddle.to_tensor([1, 2], stop_gradient=False)
    for function in (paddle.unbind, paddle.unstack, lambda x: paddle.meshgrid([x, x]), lambda x: paddle.broadcast_tensors([x, x])):
        assert not function(x)[0].stop_gradient
    a, b = paddle.split(x, 2)
    (a * 3 + b * 5).sum().backward()
    assert x.grad.tolist() == [3, 5] and x.grad.dtype == paddle.int64
    assert paddle.topk(x, 1)[1].stop_gradient  # positions have none


def test_hooks_behind_gradients():
    from paddle.base import core
    seen, x = [], paddle.to_tensor([5.0], stop_gradient=False)
    x._register_backward_hook(lambda: seen.append(float(x.grad)))
    core.eager._add_backward_final_hook(lambda: seen.append("end"))
    for _ in range(2):
        (x * x).backward()
    (paddle.to_tensor([1.0], stop_gradient=False) * 2).backward()  # another leaf
    assert seen == [10.0, "end", 20.0]
    for tensor in (x * 2, paddle.ones([1])):
        with pytest.raises(ValueError, match="must be a leaf"):
            tensor._register_backward_hook(print)
    x = tensor = None
    gc.collect()
    assert not process.leaf_watchers and not process.end_watchers  # the hook held the leaf


@pytest.mark.parametrize("cut", [lambda x: paddle.split(x, 3, axis=1), lambda x: paddle.unbind(x.reshape([2, 3, 2]), 1)])
def test_parts_of_integers_that_are_not_used_give_zeros(cut):
    x = paddle.to_tensor(np.arange(12).reshape(2, 6), dtype="int32", stop_gradient=False)
    first, *_ = cut(x)
    (first * 2).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), np.int32([[2, 2, 0, 0, 0, 0]] * 2), strict=True)
