"""What a translated function reads and changes outside itself: watched before every call, changed by every call."""

import gc
import warnings
import weakref

import numpy as np
import pytest

import paddle
from paddle.base.layer_helper import LayerHelper

from .test_functions import close, count


def test_closures_made_inside_are_no_reason_to_trace_again():
    @paddle.jit.to_static(full_graph=True)
    def f(x):
        n = 1

        def more():
            nonlocal n
            n += 1
            return n
        return x * more() * more()
    for _ in range(3):
        close(f(paddle.ones([1])), [6])
    assert count(f) == 1


def test_what_functions_change_in_the_other_branch_stays_as_it_was():
    calls, seen = [0], set()

    def note(x):
        calls[0] += 1
        return x

    @paddle.jit.to_static(full_graph=True)
    def f(x):
        if x.sum() > 0:
            x = note(x) * 2
        return x * (1 + calls[0])
    for value, expected, count_after in ((-1.0, -1, 0), (1.0, 4, 1), (1.0, 6, 2), (-1.0, -3, 2)):
        close(f(paddle.full([1], value)), [expected])
        assert isinstance(calls[0], paddle.Tensor) and int(calls[0]) == count_after

    def remember(x):
        seen.add("called")
        return x

    @paddle.jit.to_static(full_graph=True)
    def g(x):
        return remember(x) if x.sum() > 0 else x
    with pytest.raises(Exception, match="a set changes under the control of a tensor"):
        g(paddle.ones([1]))
    assert not seen


class Recorder:
    def __init__(self):
        self.last, self.calls = None, 0


def test_what_the_function_changes_outside_is_changed_by_every_call():
    history, table, recorder, newest = [], {}, Recorder(), None

    @paddle.jit.to_static(full_graph=True)
    def f(x):
        nonlocal newest
        newest = table["y"] = recorder.last = x * 2
        return x
    for k in range(4):
        f(paddle.full([1], float(k)))
        for kept in (newest, table["y"], recorder.last):
            assert isinstance(kept, paddle.Tensor) and float(kept) == 2 * k
    assert count(f) == 2  # without, and with something there

    @paddle.jit.to_static
    def g(x):
        history.append(x * 2)
        recorder.calls += 1
        return x
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for k in range(30):
            g(paddle.full([1], float(k)))
    assert [float(v) for v in history] == [2.0 * k for k in range(30)] and recorder.calls == 30


def test_a_list_given_as_an_argument_may_grow():
    def push(values, x):
        values.append(x * 2)
        return x
    values = []
    with pytest.warns(UserWarning, match="a list that is an argument"):
        paddle.jit.to_static(push)(values, paddle.ones([1]))
    assert len(values) == 1 and isinstance(values[0], paddle.Tensor)


class Config:
    depth = 2

    def __init__(self):
        self.scale, self.inner, self.weight = 1.0, {"bias": 1.0, "steps": [1.0, 2.0]}, paddle.to_tensor([1.0])


def test_what_is_read_from_objects_and_containers_is_watched():
    config = Config()

    def f(x):
        for _ in range(config.depth):
            x = x * config.scale + config.inner["bias"]
        for step in config.inner["steps"]:
            x = x + step
        return x * config.weight * len(config.inner)
    g = paddle.jit.to_static(f, full_graph=True)
    x = paddle.ones([1])

    def check(traces):
        close(g(x), f(x).numpy())
        close(g(x), f(x).numpy())
        assert count(g) == traces
    check(1)
    config.scale = 2.0
    check(2)
    config.inner["bias"] = 3.0
    check(3)
    config.inner["steps"].append(5.0)
    check(4)
    config.depth = 3
    check(5)
    config.weight = paddle.to_tensor([2.0])
    check(6)
    config.weight.set_value(np.array([7.0], "float32"))
    check(6)
    config.inner["more"] = None
    check(7)


def test_objects_made_inside_are_not_watched():
    class Stack:
        def __init__(self):
            self.items, self.size = [], 0

        def push(self, item):
            self.items.append(item)
            self.size += 1

    @paddle.jit.to_static(full_graph=True)
    def f(x):
        stack, table = Stack(), {"n": 0}
        for k in range(3):
            stack.push(x * k)
            table["n"] = table["n"] + stack.size
        return stack.items[-1] * table["n"] + stack.items[0]
    for k in range(3):
        close(f(paddle.full([1], float(k))), [12.0 * k])
    assert count(f) == 1


def test_arguments_changed_in_place(tmp_path):
    def f(x, y):
        x[0] = 5.0
        z = x
        if y.sum() > 0:
            z.add_(y)
        return z, x * 2
    g = paddle.jit.to_static(f, full_graph=True)
    for sign in (1.0, -1.0, 1.0):
        (x, y), (a, b) = [(paddle.to_tensor([1.0, 2.0]), paddle.full([2], sign)) for _ in range(2)]
        expected, got = f(x, y), g(a, b)
        assert got[0] is a
        close(a, x.numpy())
        close(got[1], expected[1].numpy())
    assert count(g) == 1
    paddle.jit.save(f, str(tmp_path / "f"), [paddle.static.InputSpec([2], name="x"), paddle.static.InputSpec([2], name="y")])
    for a, b in zip(paddle.jit.load(str(tmp_path / "f"))(paddle.to_tensor([1.0, 2.0]), paddle.ones([2])), ([6, 3], [12, 6])):
        close(a, b)
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    h = x * 1
    g(h, paddle.ones([2]))[1].sum().backward()
    close(x.grad, [0, 2])
    with pytest.raises(RuntimeError, match="leaf"):
        g(x, paddle.ones([2]))


class Model(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc, self.last = paddle.nn.Linear(2, 2), None

    @paddle.jit.to_static(full_graph=True)
    def forward(self, x):
        self.last = self.fc(x)
        return self.last * 2


class Worker:
    rate = 2.0

    def __init__(self):
        self.net, self.last, self.settings = paddle.nn.Linear(2, 1), None, {"scale": 3.0}
        self.optimizer = paddle.optimizer.Adam(0.1, parameters=self.net.parameters())

    @paddle.jit.to_static(full_graph=True)
    def step(self, x):
        self.last = (self.net(x) * self.settings["scale"] * self.rate).mean()
        self.last.backward()
        self.optimizer.step()
        self.optimizer.clear_grad()
        return self.last


def test_programs_keep_nobody_alive():
    model, worker = Model(), Worker()
    for _ in range(2):
        model(paddle.ones([1, 2]))
        worker.step(paddle.ones([1, 2]))
    assert isinstance(worker.last, paddle.Tensor) and isinstance(model.last, paddle.Tensor)
    kept = [weakref.ref(model), weakref.ref(worker), weakref.ref(worker.net)]
    del model, worker
    gc.collect()
    assert [ref() for ref in kept] == [None, None, None]


class Holder:
    def __init__(self):
        self.items, self.named = [], {"all": []}


def append_to_argument(x, items, holder):
    if x.sum() > 0:
        items.append(x * 2)
    return items[-1] + len(items)


def append_to_argument_by_another_name(x, items, holder):
    table = {"items": items}
    i = paddle.to_tensor(0)
    while i < 2:
        table["items"].append(x + i)
        i += 1
    return items[-1]


def append_to_attribute(x, items, holder):
    if x.sum() > 0:
        holder.items.append(x * 2)
    return x + 1


def append_to_attribute_in_a_loop(x, items, holder):
    i = paddle.to_tensor(0)
    while i < 2:
        holder.items.append(x + i)
        i += 1
    return x + 1


def append_to_member(x, items, holder):
    if x.sum() > 0:
        holder.named["all"].append(x * 2)
    return x + 1


@pytest.mark.filterwarnings("ignore:to_static")
@pytest.mark.parametrize("function", [append_to_argument, append_to_argument_by_another_name, append_to_attribute,
                                      append_to_attribute_in_a_loop, append_to_member], ids=lambda f: f.__name__)
def test_lists_that_grow_under_a_tensor_are_those_of_the_caller(function):
    def run(call):
        x, items, holder = paddle.to_tensor([1.0, 2.0]), [paddle.to_tensor([0.0, 0.0])], Holder()
        results = [call(x, items, holder).tolist() for _ in range(3)]
        return results, [[t.tolist() for t in kept] for kept in (items, holder.items, holder.named["all"])]
    assert run(paddle.jit.to_static(function)) == run(function)


def _hand_over(items, x):
    if x.sum() > 0:
        items.append(x)


def list_of_the_calling_function(x):
    kept = [x]
    _hand_over(kept, x)
    return x + len(kept)


def list_with_two_names(x):
    kept = [x]
    same = kept
    if x.sum() > 0:
        kept.append(x)
    return x + len(same)


def list_in_a_dict(x):
    kept = [x]
    table = {"kept": kept}
    i = paddle.to_tensor(0)
    while i < 2:
        kept.append(x)
        i += 1
    return x + len(table["kept"])


def list_in_an_object(x):
    holder, kept = Holder(), []
    holder.items = kept
    if x.sum() > 0:
        kept.append(x)
    return x + len(holder.items)


def list_with_one_name(x):
    kept = []
    for i in range(3):
        if x.sum() > i:
            kept.append(x)
    return x + len(kept)


@pytest.mark.filterwarnings("ignore:to_static")
@pytest.mark.parametrize("function", [list_of_the_calling_function, list_with_two_names, list_in_a_dict, list_in_an_object,
                                      list_with_one_name], ids=lambda f: f.__name__)
def test_lists_that_grow_under_a_tensor_have_all_their_names(function):
    x = paddle.to_tensor([1.0, 2.0])
    static = paddle.jit.to_static(function)
    assert static(x).tolist() == function(x).tolist()
    assert count(static) == (function is list_with_one_name)  # the others run eagerly


def test_operators_appended_by_a_layer_that_is_translated():
    class Product(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.w = self.create_parameter([2, 3])
            self.helper = LayerHelper("product")

        def forward(self, x):
            out = self.helper.create_variable_for_type_inference("float32")
            self.helper.append_op(type="mul", inputs={"X": [x], "Y": self.w}, outputs={"Out": out}, attrs={"x_num_col_dims": 1})
            return out
    net, x = Product(), paddle.to_tensor([[1., 2.]])
    expected = x.numpy() @ net.w.numpy()
    out = paddle.jit.to_static(net, full_graph=True)(x)
    out.sum().backward()
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-6)
    np.testing.assert_array_equal(net.w.grad.numpy(), [[1.] * 3, [2.] * 3])
