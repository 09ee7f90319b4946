"""Calls that lead through the tape's C code, for refusing.py: each gives a list of arrays."""

import ctypes
import pickle
import threading

import numpy as np

import paddle
from paddle.core import engine
from paddle.core.context import changed, process
from paddle.core.routine import form_of

CALLS = {}


def call(function):
    CALLS[function.__name__] = function
    return function


def leaf(*shape):
    return paddle.to_tensor(np.arange(1, 1 + np.prod(shape), dtype="float32").reshape(shape) / 7, stop_gradient=False)


def arrays(*tensors):
    return [np.array(t.numpy()) for t in tensors if t is not None]


@call
def broadcast_and_item():
    x, y = leaf(3, 4), leaf(4)
    z = (x * y + x[0]).tanh() + x[..., 1:2] * y[2]
    (z.exp() / z).sum().backward()
    return arrays(z, x.grad, y.grad)


@call
def second_order():
    x, y = leaf(3, 4), leaf(3, 4)
    z = (x.exp() * y * x).sum()
    first, = paddle.grad(z, [x], create_graph=True)
    return arrays(first, *paddle.grad((first * first).sum(), [x, y], retain_graph=True))


@call
def several_outputs():
    x = leaf(4, 6)
    top, where = x.topk(2)
    parts = paddle.split(x * 2, 3, axis=1)
    loss = (top * top).sum() + parts[0].sum() + (parts[2] * parts[0]).sum()
    inner, = paddle.grad(loss, [parts[2]], retain_graph=True)
    loss.backward()
    return arrays(top, where, inner, x.grad)


@call
def routes():
    x, y = leaf(3), leaf(3)
    a, b = x * y, x + y
    c = a * b * x
    found = paddle.grad([c.sum(), a.sum()], [a, x], retain_graph=True, no_grad_vars=[b])
    return arrays(*found, *paddle.grad(c.sum(), [x, y, a], allow_unused=True))


@call
def views():
    x = leaf(2, 6)
    y = x * 2
    z = y.reshape([3, 4])
    part, turned = z[1:], z.transpose([1, 0])
    part[0] = 1.0
    alias = y.detach()
    (z * turned.reshape([3, 4])).sum().backward()
    return arrays(y, z, part, alias, x.grad)


@call
def hooks_and_kept_gradients():
    x = leaf(3)
    x.register_hook(lambda g: g * 2)
    y = x * x
    y.retain_grads()
    y.register_hook(lambda g: g + 1)
    (y * 3).sum().backward()
    with changed(retain_all=True):
        z = x * 2
        z.sum().backward()
    return arrays(x.grad, y.grad, z.grad)


@call
def traced_frames():
    x = leaf(3)
    with paddle.autograd.detect_anomaly():
        (x * x).sum().backward()
    return arrays(x.grad)


@call
def rows():
    table, ids = leaf(5, 3), paddle.to_tensor([[0, 2], [2, 4]])
    picked = paddle.nn.functional.embedding(ids, table, sparse=True)
    (picked * picked).sum().backward()
    (paddle.nn.functional.embedding(ids, table * 2, sparse=True)).sum().backward()
    return [np.array(table.grad.numpy())]


@call
def another_thread():
    found = []

    def run():
        try:
            x = leaf(2)
            (x * x).sum().backward()
            found.extend(arrays(x.grad))
        except MemoryError:
            found.clear()
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if not found:
        raise MemoryError
    return found


@call
def module_again():
    make = ctypes.PyDLL(engine.fast.__file__).PyInit__engine
    make.restype = ctypes.py_object
    try:
        make()
    except ImportError:  # NumPy's word for no memory
        raise MemoryError from None
    return []


@call
def scalars_are_told():
    seen, before = [], process.on_scalar
    process.on_scalar = lambda t: seen.append(t.numpy())
    try:
        x = leaf(3)
        x.sum()
        x.topk(1)
    finally:
        process.on_scalar = before
    return [np.array(len(seen))]


@call
def spelled():
    x = leaf(2, 3)
    same = pickle.loads(pickle.dumps(paddle.add))
    return arrays(paddle.sum(input=x, dim=1), same(input=x, other=x), x.sum(dim=0), paddle.ones(2, 3))


@call
def attributes():
    x = leaf(3)
    x.stop_gradient = True
    try:
        x.note = 1
    except AttributeError:  # these rules take none
        pass
    x._version += 1
    return [np.array([x._aliased, x._sole, x.stop_gradient, len(engine.fast.members(x)), len(engine.fast.members(x.detach()))])]


def instruction(function, args, outs, forms, dying=(), single=True, step=0, last=True, spare=0, wants_registers=False):
    return function, args, outs, forms, dying, single, step, last, spare, wants_registers


@call
def routine():
    a = np.arange(6, dtype="float32").reshape(2, 3)
    form, one = form_of(a), form_of(np.asarray(a[0, 0]))
    made = engine.fast.Routine([None, None, None, None, np.float32(2), None, None], (form, form), [
        instruction(np.add, (1, 2), (3,), (form,)),
        instruction(np.divmod, (3, 4), (5, -1), (form, form), single=False, step=1, spare=0),
        instruction(lambda registers, x: x.sum(), (5,), (6,), (one,), dying=(5,), step=2, wants_registers=True)], (3, 6), (1,))
    (total, rest), (first,) = made([a], [a])
    stopped = engine.fast.Routine([None] * 4, (form,), [instruction(lambda x: x[:1], (1,), (3,), (form,))], (3,), ())([a], [])
    refused = engine.fast.Routine([None] * 4, (form,), [instruction(np.matmul, (1, 1), (3,), (form,))], (3,), ())
    try:
        refused([a], [])
    except ValueError as error:
        failure = error.failure if hasattr(error, "failure") else None
    held = engine.fast.held([a, [a], total], [a, total])
    return [total, rest, first, stopped[1][3], np.array(held), np.array(failure is None and 0)]


@call
def executed():
    main = paddle.static.Program()
    paddle.enable_static()
    try:
        with paddle.static.program_guard(main, paddle.static.Program()):
            x = paddle.static.data("x", [2, 3], "float32")
            x.stop_gradient = False
            loss = (x.tanh() * x).sum()
            grads = paddle.static.gradients(loss, [x])
            exe = paddle.static.Executor()
            found = [exe.run(main, feed={"x": np.ones((2, 3), "float32")}, fetch_list=[loss, *grads]) for _ in range(4)]
    finally:
        paddle.disable_static()
    return [np.array(a) for values in found for a in values]
