"""Tensors that share memory: which functions give them, as recorded from real Paddle 2.6.2, and what writing into one means."""

import gc
import json
import sys
import threading
import weakref
from pathlib import Path

import numpy as np
import pytest

import paddle
from paddle.core.errors import InplaceError

sys.path.insert(0, str(Path(__file__).parent))
from view_cases import CASES, LATER, LATER_CASES, observe, source, ways_to_write  # noqa: E402

pytestmark = pytest.mark.usefixtures("engine")
RECORDED = json.loads((Path(__file__).parent / "views_recorded.json").read_text())


@pytest.mark.parametrize("name", CASES)
def test_as_recorded(name):
    assert observe(paddle, *CASES[name]) == RECORDED[name]


@pytest.mark.parametrize("name", [*LATER, "slice", "reshape", "split"])
def test_as_recorded_from_paddle_3(name):
    paddle.set_generation("3")
    assert observe(paddle, *({**CASES, **LATER_CASES}[name])) == LATER.get(name, RECORDED.get(name))


@pytest.mark.parametrize("name", [n for n, found in RECORDED.items() if found != "same"])
def test_all_ways_to_write_are_seen_from_both_sides(name):
    function, shape, dtype = CASES[name]
    shared = RECORDED[name][0]
    for way in ways_to_write(paddle, dtype):
        x = source(paddle, shape, dtype)
        y = function(paddle, x)
        before, version, held = y.numpy(), y.inplace_version, x.numpy()
        ways_to_write(paddle, dtype)[way](x)
        assert (y.numpy() != before).any() == shared and (y.inplace_version > version) == shared, way
        assert np.array_equal(held, source(paddle, shape, dtype).numpy()), way
        if way == "copy_" and y.dtype != x.dtype:
            continue
        x = source(paddle, shape, dtype)
        y = function(paddle, x)
        before, version, held = x.numpy(), x.inplace_version, y.numpy()
        kept = held.copy()
        if y.dtype in (paddle.float32, paddle.complex64) or way != "add_":
            ways_to_write(paddle, dtype)[way](y)
            assert (x.numpy() != before).any() == shared and (x.inplace_version > version) == shared, way
            assert np.array_equal(held, kept, equal_nan=held.dtype.kind == "f"), way


@pytest.mark.parametrize("generation", ["1.8", "2.0-alpha", "2.0", "2.1", "2.4", "2.5"])
def test_earlier_generations_share_less(generation):
    """Up to 1.8 and alpha nothing; from 2.0 on reshape, squeeze, unsqueeze, flatten and detach."""
    shared = {"reshape", "squeeze", "unsqueeze", "flatten", "detach"}
    cases = {"reshape": lambda x: x.reshape([4, 3]), "squeeze": lambda x: paddle.squeeze(x, [0]),
             "unsqueeze": lambda x: paddle.unsqueeze(x, [0]), "flatten": lambda x: paddle.flatten(x),
             "detach": lambda x: x.detach(), "slice": lambda x: x[:, 1:], "transpose": lambda x: paddle.transpose(x, [2, 1, 0]),
             "unbind": lambda x: paddle.unbind(x, 1)[0], "strided_slice": lambda x: paddle.strided_slice(x, [1], [0], [3], [2])}
    sources = {name: source(paddle, (1, 3, 4), "float32") for name in cases}
    paddle.set_generation(generation)
    for name, function in cases.items():
        y = function(sources[name])
        before = y.numpy().copy()
        sources[name].set_value(np.zeros((1, 3, 4), "float32"))
        assert (y.numpy() != before).any() == (name in shared and generation >= "2.0" and generation != "2.0-alpha"), name


def test_reshape_to_the_own_shape_is_the_tensor_itself_since_2_5():
    x = paddle.ones([2, 3])
    assert x.reshape([2, 3]) is x and x.reshape([2, -1]) is not x
    paddle.set_generation("2.4")
    assert x.reshape([2, 3]) is not x


def test_static_programs_share_nothing():
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()):
            x = paddle.static.data("x", [2, 3])
            y = x.reshape([3, 2])
            z = paddle.static.setitem(x, 0, 7.0)
            fed = np.ones([2, 3], "float32")
            y, z, x = paddle.static.Executor().run(feed={"x": fed}, fetch_list=[y, z, x])
        y[...] = 5
        assert x.tolist() == fed.tolist() == [[1, 1, 1], [1, 1, 1]] and z.tolist() == [[7, 7, 7], [1, 1, 1]]
    finally:
        paddle.disable_static()


# ---- in place, and its shape -----------------------------------------------------------------------------------------------
def test_in_place_functions_that_change_the_shape_stay_in_the_memory():
    x = paddle.zeros([2, 3])
    row = x[0]
    row.reshape_([3, 1])
    row.fill_(3)
    assert x.tolist() == [[3, 3, 3], [0, 0, 0]]
    x.transpose_([1, 0])
    x[0] = 4
    assert row.tolist() == [[4], [3], [3]]
    square = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    turned = square.t()
    square.transpose_([1, 0])
    assert square.tolist() == turned.tolist() == [[1, 3], [2, 4]]
    x.cast_("float64")
    x.fill_(9)
    assert row.tolist() == [[4], [3], [3]] and x.dtype == paddle.float64


def test_writes_into_parts_that_overlap():
    x = paddle.arange(6, dtype="float32")
    x[1:] = x[:-1]
    assert x.tolist() == [0, 0, 1, 2, 3, 4]
    x[:2].add_(x[1:3])
    assert x.tolist() == [0, 1, 1, 2, 3, 4]
    windows = x.unfold(0, 2, 1)
    windows[:, 0] = 7.0
    assert x.tolist() == [7, 7, 7, 7, 7, 4]


def test_index_writes_of_all_kinds_reach_the_views():
    x = paddle.zeros([4])
    part = x[1:3]
    x[paddle.to_tensor([1])] = 9.0
    x[x > 3] = -1.0
    x[2] = 5.0
    assert part.tolist() == [-1, 5]
    part[[0, 1]] = paddle.to_tensor([1.0, 2.0])
    assert x.tolist() == [0, 1, 2, 0]


def test_assigned_data_and_buffers_are_shared():
    x, y = paddle.zeros([2]), paddle.ones([2])
    x.data = y
    y.fill_(5)
    assert x.tolist() == [5, 5]
    x.fill_(7)
    assert y.tolist() == [7, 7]
    z = paddle.zeros([2])
    y._share_buffer_to(z)
    z[0] = 1.0
    assert x.tolist() == [1, 7]
    assert x._is_shared_buffer_with(z) and not x._is_shared_buffer_with(z.clone()) and x[1:]._is_shared_buffer_with(x)
    rows = paddle.zeros([3, 2])
    rows._slice(1, 3).fill_(4)
    rows._bump_inplace_version()
    assert rows.tolist() == [[0, 0], [4, 4], [4, 4]] and rows.inplace_version == 2 and rows._numel() == 6
    parameter = paddle.base.framework.EagerParamBase.from_tensor(y)
    y[1] = 2.0
    assert parameter.tolist() == [1, 2]


def test_detached_parameters_follow_updates_and_loading():
    layer = paddle.nn.Linear(2, 2)
    weight, row = layer.weight.detach(), layer.weight[0].detach()
    for optimizer in (paddle.optimizer.SGD, paddle.optimizer.Adam, paddle.optimizer.Adamax):
        before = weight.numpy()
        layer(paddle.ones([1, 2])).sum().backward()
        optimizer(0.1, parameters=layer.parameters()).step()
        layer.clear_gradients()
        assert not np.allclose(before, weight.numpy()) and np.array_equal(weight.numpy(), layer.weight.numpy())
        assert np.array_equal(row.numpy(), layer.weight.numpy()[0])
    layer.set_state_dict({"weight": paddle.zeros([2, 2]), "bias": paddle.zeros([2])})
    assert weight.tolist() == [[0, 0], [0, 0]] and layer.state_dict()["weight"] is layer.weight


def test_an_optimizer_updates_a_strided_leaf_in_its_memory():
    table = paddle.ones([2, 3])
    column = table[:, 1].detach()
    column.stop_gradient = False
    (column * 2).sum().backward()
    paddle.optimizer.SGD(0.5, parameters=[column]).step()
    assert table.tolist() == [[1, 0, 1], [1, 0, 1]] and column.tolist() == [0, 0]


def test_an_optimizer_updates_two_leaves_in_one_memory():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y = x.detach()
    y.stop_gradient = False
    (x * 2 + y * 3).sum().backward()
    paddle.optimizer.SGD(0.1, parameters=[x, y]).step()
    np.testing.assert_allclose(x.numpy(), [0.5, 1.5], rtol=1e-6)
    assert y.tolist() == x.tolist()


# ---- who else holds the memory ---------------------------------------------------------------------------------------------
def test_arrays_that_were_handed_out_never_change():
    x = paddle.zeros([3])
    before, asked = x.numpy(), np.asarray(x)
    part = x[1:]
    after, of_part = x.numpy(), part.numpy()
    part.fill_(5)
    x[0] = 1.0
    assert x.tolist() == [1, 5, 5] and not any(a.any() for a in (before, asked, after, of_part))
    after[:] = 8
    assert x.tolist() == [1, 5, 5]


def test_the_gradients_of_two_leaves_are_two():
    x, y = [paddle.to_tensor([1.0, 2.0], stop_gradient=False) for _ in range(2)]
    (x + y).backward(paddle.to_tensor([3.0, 4.0]))
    with paddle.no_grad():
        x.grad[0:1].fill_(0)
    assert x.grad.tolist() == [0, 4] and y.grad.tolist() == [3, 4]


def test_results_that_happen_to_be_their_operand_are_copies():
    x = paddle.ones([2])
    same = [paddle.cast(x, "float32"), paddle.nn.functional.dropout(x, 0.5, training=False), x.expand([2]), paddle.clip(x)]
    x[:1].fill_(7)
    x.add_(paddle.ones([2]))
    assert x.tolist() == [8, 2] and all(t.tolist() == [1, 1] for t in same)


def test_a_view_keeps_the_memory_and_not_the_graph():
    x = paddle.to_tensor(np.ones(4, "float32"), stop_gradient=False)
    y = x * 2
    node, cut = y._edge, y.detach()
    del y
    alive = weakref.ref(node)
    del node
    gc.collect()
    assert alive() is None and cut.tolist() == [2, 2, 2, 2]
    cut.fill_(1)
    assert cut.tolist() == [1, 1, 1, 1]


def test_many_views_come_and_go():
    x = paddle.zeros([50, 2])
    rows = [x[k] for k in range(50)]
    for k, row in enumerate(rows):
        row.fill_(k)
    del rows[::2]
    rows[3].fill_(-1)
    assert x[7].tolist() == [-1, -1] and x.sum().item() == 2 * sum(range(50)) - 16
    del x
    rows[0].add_(paddle.ones([2]))
    assert rows[0].tolist() == [2, 2] and rows[1].tolist() == [3, 3]


def test_threads_share_and_leave_at_once():
    x = paddle.zeros([64])

    def work():
        for k in range(300):
            x[k % 64:].detach()[0:1].fill_(1)
    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert x.tolist() == [1] * 64


# ---- gradients, as PyTorch gives them ----------------------------------------------------------------------------------------
def multiply_a_row(x, w):
    y = x * 1
    y[0].multiply_(w)
    return (y * y).sum()


def multiply_under_a_row(x, w):
    y = x * 1
    row = y[0]
    y.multiply_(w)
    return (row * row).sum()


def write_into_a_column(x, w):
    y = x * 1
    y.t()[0] = w[0]
    return (y * y).sum()


def two_views_that_overlap(x, w):
    y = x * 1
    a, b = y[:, :2], y[:, 1:]
    a.add_(w[:2])
    b.multiply_(w[1:])
    return (a * b).sum()


def views_of_data(x, w):
    y = paddle.zeros([2, 3])
    y[1].add_(w)
    return (y * x).sum()


def views_of_views(x, w):
    y = x * 1
    row = y.reshape([-1])
    part = row[2:4]
    y.fill_(0)
    part.add_(w[:2])
    return (row * w[0]).sum() + (y * x).sum()


def write_without_history(x, w):
    y = x * 1
    y.detach().scale_(3.0)
    return (y * w).sum()


def write_on_a_diagonal(x, w):
    y = x * 1
    paddle.diagonal(y)[:] = w[:2]
    return (y * y).sum()


PYTORCH = [  # recorded from PyTorch 2: the loss, and the gradients of x and w
    (multiply_a_row, 261, [[8, 36, 96], [8, 10, 12]], [4, 24, 72]),
    (multiply_under_a_row, 184, [[8, 36, 96], [0, 0, 0]], [4, 24, 72]),
    (write_into_a_column, 82, [[0, 4, 6], [0, 10, 12]], [8, 0, 0]),
    (two_views_that_overlap, 945, [[15, 45, 60], [24, 90, 96]], [39, 450, 189]),
    (views_of_data, 47, [[0, 0, 0], [2, 3, 4]], [4, 5, 6]),
    (views_of_views, 28, [[0, 0, 2], [3, 0, 0]], [10, 6, 0]),
    (write_without_history, 201, [[2, 3, 4], [2, 3, 4]], [15, 21, 27]),
    (write_on_a_diagonal, 78, [[0, 4, 6], [8, 0, 12]], [4, 6, 0]),
]


@pytest.mark.parametrize("program, loss, of_x, of_w", PYTORCH, ids=lambda v: getattr(v, "__name__", ""))
@pytest.mark.parametrize("create_graph", [False, True])
def test_gradients_as_recorded_from_pytorch(program, loss, of_x, of_w, create_graph):
    x = paddle.to_tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], stop_gradient=False)
    w = paddle.to_tensor([2.0, 3.0, 4.0], stop_gradient=False)
    value = program(x, w)
    gx, gw = paddle.grad(value, [x, w], create_graph=create_graph)
    assert (value.item(), gx.tolist(), gw.tolist()) == (loss, of_x, of_w)


def test_what_the_tape_saved_may_not_change():
    x = paddle.ones([2, 3])
    x.stop_gradient = False
    y = x * 1
    z = y * y
    y[0].fill_(0)
    with pytest.raises(InplaceError, match="multiply"):
        z.sum().backward()
    y = paddle.exp(x)
    y.detach()[0].zero_()
    with pytest.raises(InplaceError, match="exp"):
        y.sum().backward()


@pytest.mark.parametrize("write, values, gradient", [  # of Paddle 2.6.2
    (lambda row: row.fill_(7.0), [7, 7, 7], [1, 1, 1]),
    (lambda row: row.__setitem__(0, 5.0), [5, 2, 3], [1, 5, 7]),
    (lambda row: row.scale_(2.0), [2, 4, 6], [9, 17, 25]),
    (lambda row: row.add_(paddle.ones([3])), [2, 3, 4], [5, 7, 9]),
])
def test_what_is_written_into_a_view_of_a_leaf_is_the_leafs_value(write, values, gradient):
    x = paddle.to_tensor([[1.0, 2, 3], [4, 5, 6]], stop_gradient=False)
    row, before = x[0], (x * x).sum()
    write(row)
    ((row * row).sum() + x.sum()).backward()
    assert x.is_leaf and x[0].tolist() == row.tolist() == values
    assert x.grad.tolist() == [gradient, [1, 1, 1]]
    with pytest.raises(InplaceError, match="multiply"):
        before.backward()


def test_views_that_were_taken_without_gradients_are_not_written():
    x = paddle.ones([2, 3])
    x.stop_gradient = False
    with paddle.no_grad():
        x[0].fill_(5)
    assert x.tolist() == [[5, 5, 5], [1, 1, 1]]
    y = x * 1
    with paddle.no_grad():
        silent = y[1]
    with pytest.raises(RuntimeError, match="stop_gradient=True"):
        silent.fill_(0)


def test_writes_that_have_no_gradient_say_so():
    x = paddle.ones([4])
    x.stop_gradient = False
    y = x * 1
    with pytest.raises(RuntimeError, match="one place of memory"):
        paddle.as_strided(y, [3, 2], [1, 1]).scale_(2.0)
    numbers = paddle.as_complex(y.reshape([2, 2]))
    with pytest.raises(RuntimeError, match="complex64 and as float32|float32 and as complex64"):
        numbers.scale_(2.0)


def _random_program(seed, x, w):
    """A loss of views of x * 1, made and written into at random."""
    rng = np.random.RandomState(seed)
    tensors = [x * 1]
    for _ in range(8):
        t = tensors[rng.randint(len(tensors))]
        kind = rng.randint(12)
        if kind < 6 and t.ndim:
            first, last = rng.randint(t.shape[0]), rng.randint(t.shape[-1])
            tensors.append([t[first], t[..., last:], t.T, t.unsqueeze(0), t.reshape([-1]), t[..., ::-1]][kind])
        elif kind == 6:
            t.multiply_(w)
        elif kind == 7:
            t.add_(w * 0.5)
        elif kind == 8:
            t.sin_()
        elif kind == 9 and t.ndim:
            t[0] = w * 2
        elif kind == 10 and t.ndim:
            t[-1] = 0.7
        else:
            t.scale_(1.5)
    return sum((t * t * (k + 1.0)).sum() for k, t in enumerate(tensors))


@pytest.mark.parametrize("seed", range(25))
def test_gradients_of_random_programs_are_those_of_finite_differences(seed):
    values, factor, step = np.random.RandomState(seed).uniform(0.2, 0.9, (2, 3)), 1.1, 1e-6
    x, w = paddle.to_tensor(values, stop_gradient=False), paddle.to_tensor(np.float64(factor), stop_gradient=False)
    _random_program(seed, x, w).backward()

    def loss(x, w):
        with paddle.no_grad():
            return _random_program(seed, paddle.to_tensor(x), paddle.to_tensor(np.float64(w))).item()
    by_x = [(loss(values + step * one.reshape(2, 3), factor) - loss(values - step * one.reshape(2, 3), factor)) / (2 * step)
            for one in np.eye(6)]
    by_w = (loss(values, factor + step) - loss(values, factor - step)) / (2 * step)
    np.testing.assert_allclose(x.grad.numpy().reshape(-1), by_x, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(0.0 if w.grad is None else w.grad.item(), by_w, rtol=1e-6, atol=1e-6)


def test_the_library_of_gpus_changes_nothing():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    (x._use_gpudnn(False) * 3).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]
    with pytest.raises(TypeError, match="must be a bool"):
        x._use_gpudnn(1)
