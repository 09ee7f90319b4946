"""What the recordings of tests/oracle/cases/incubate.py leave out."""

import numpy as np
import pytest

import paddle
from paddle import incubate


def parameter(values):
    start = paddle.nn.initializer.Assign(np.array(values))
    return paddle.create_parameter([len(values)], "float32", name="w", default_initializer=start)


def walk(w, optimizer, count):
    for _ in range(count):
        (w ** 3).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
    return w.numpy().copy()


def look_ahead(w):
    return incubate.LookAhead(paddle.optimizer.Momentum(0.1, parameters=[w]), alpha=0.4, k=3)


def test_look_ahead_resumes(tmp_path):
    w = parameter([1.0, 0.5])
    optimizer = look_ahead(w)
    middle = walk(w, optimizer, 4)
    paddle.save(optimizer.state_dict(), str(tmp_path / "x.pdopt"))
    expected = walk(w, optimizer, 5)
    again = parameter(middle)
    restored = look_ahead(again)
    restored.set_state_dict(paddle.load(str(tmp_path / "x.pdopt")))
    np.testing.assert_array_equal(walk(again, restored, 5), expected)


def test_look_ahead_minimize_and_errors():
    w = parameter([1.0])
    optimizer = incubate.optimizer.LookAhead(paddle.optimizer.SGD(0.5, parameters=[w]), alpha=1.0, k=1)
    loss = w.sum()
    loss.backward()
    optimizer.minimize(loss)
    assert w.tolist() == [0.5]
    for options, message in [({"alpha": 2}, "alpha"), ({"k": 0}, "k must be")]:
        with pytest.raises(ValueError, match=message):
            incubate.LookAhead(optimizer.inner_optimizer, **options)
    with pytest.raises(TypeError, match="inner_optimizer"):
        incubate.LookAhead(None)


def test_model_average_resumes(tmp_path):
    w = parameter([1.0, 0.5])
    sgd, average = paddle.optimizer.SGD(0.1, parameters=[w]), incubate.ModelAverage(0.5, [w], 2, 4)

    class Both:
        step = staticmethod(lambda: (sgd.step(), average.step()))
        clear_grad = sgd.clear_grad

    walk(w, Both, 3)
    again = incubate.ModelAverage(0.5, [w], 2, 4)
    paddle.save(average.state_dict(), str(tmp_path / "x.pdopt"))
    again.set_state_dict(paddle.load(str(tmp_path / "x.pdopt")))
    walk(w, Both, 1)  # only the first one sees this step
    (w ** 3).sum().backward()
    again.step()
    with average.apply():
        expected = w.numpy().copy()
    with again.apply():
        np.testing.assert_array_equal(w.numpy(), expected)
    with pytest.raises(ValueError, match="parameters must be given"):
        incubate.ModelAverage(0.5)


def test_model_average_of_a_static_program():
    paddle.enable_static()
    try:
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup):
            x = paddle.static.data("x", [1, 1])
            w = paddle.static.create_parameter([1, 1], "float32", default_initializer=paddle.nn.initializer.Constant(8.0))
            loss = (x @ w).sum()
            paddle.optimizer.SGD(1.0).minimize(loss)
            average = incubate.ModelAverage(0.15)
            executor = paddle.static.Executor()
            executor.run(startup)
            for _ in range(3):
                executor.run(main, {"x": np.ones((1, 1), "float32")})
            scope = paddle.static.global_scope()
            with average.apply(executor):
                inside = np.array(scope.find_var(w.name).get_tensor()).item()
            after = np.array(scope.find_var(w.name).get_tensor()).item()
    finally:
        paddle.disable_static()
    assert (inside, after) == (6.0, 5.0)


def test_causal_softmax():
    x = paddle.to_tensor(np.random.default_rng(0).normal(size=(1, 2, 4, 4)).astype("float32"))
    found = incubate.softmax_mask_fuse_upper_triangle(x).numpy()
    scores = np.where(np.tri(4) > 0, np.exp(x.numpy()), 0)
    np.testing.assert_allclose(found, scores / scores.sum(-1, keepdims=True), rtol=1e-5, atol=1e-7)


def test_derivatives_refuse_and_reach_further():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    assert incubate.autograd.Jacobian(lambda a: [a.detach(), a * 2], x)[:].tolist() == [[0, 0], [0, 0], [2, 0], [0, 2]]
    first = incubate.autograd.grad((x ** 3).sum(), x)
    assert incubate.autograd.grad(first.sum(), x).tolist() == [6.0, 12.0]
    for call, v in ((incubate.autograd.vjp, paddle.ones([1])), (incubate.autograd.jvp, paddle.ones([3])),
                    (incubate.autograd.vjp, [x, x])):
        with pytest.raises(RuntimeError, match=r"v(\[0\])? must have"):
            call(lambda a: a * 2, x, v)
    cube = paddle.ones([2, 2, 2])
    with pytest.raises(ValueError, match=r"hessian\(\): xs must have 1 or 2 dimensions with batch_axis=0"):
        paddle.autograd.hessian(cube.sum([1, 2]), cube, batch_axis=0)
    with pytest.raises(RuntimeError, match=r"Hessian\(\): func must return one number"):
        incubate.autograd.Hessian(lambda a: a, x)
    with pytest.raises(TypeError, match=r"Jacobian\(\)"):
        incubate.autograd.Jacobian(lambda a: a, [1.0])
    with pytest.raises(RuntimeError, match=r"forward_grad\(\): it is for static programs"):
        incubate.autograd.forward_grad(x, x)


def test_derivatives_of_programs_go_forward(request):
    """x ** 3 along 1 and along 2, y that does not depend on x; marks of stop_gradient do not count (2.6.2 with primitives)."""
    paddle.enable_static()
    request.addfinalizer(paddle.disable_static)
    guard = paddle.static.program_guard(paddle.static.Program(), paddle.static.Program())
    guard.__enter__()
    request.addfinalizer(lambda: guard.__exit__(None, None, None))
    x, z = paddle.static.data("x", [2]), paddle.static.data("z", [2])
    incubate.autograd.enable_prim()
    try:
        along, none = incubate.autograd.forward_grad([x * x * x, z * 2], [x])
        twice = incubate.autograd.forward_grad(x * x * x, x, x * 2)
        back = incubate.autograd.grad(z * z, z)
    finally:
        incubate.autograd.disable_prim()
    assert none is None and incubate.autograd.grad(z * z, z) is None and not incubate.autograd.prim_enabled()
    found = paddle.static.Executor().run(feed={"x": [1.0, 2.0], "z": [1.0, 3.0]}, fetch_list=[along, twice, back])
    assert [f.tolist() for f in found] == [[3, 12], [6, 48], [2, 6]]


def test_states_of_the_generator():
    paddle.seed(7)
    first = paddle.incubate.get_rng_state(use_index=True)
    drawn = [paddle.rand([2]).tolist()]
    second = paddle.incubate.register_rng_state_as_index()  # a copy of the present one, in use from here on
    drawn += [paddle.rand([2]).tolist()]
    paddle.incubate.set_rng_state(first, use_index=True)
    drawn += [paddle.rand([2]).tolist() for _ in range(2)]
    paddle.incubate.set_rng_state(second, use_index=True)
    drawn += [paddle.rand([2]).tolist()]
    assert drawn[1] == drawn[2] != drawn[0] and drawn[3] == drawn[4]
    assert paddle.incubate.get_rng_state(use_index=True) == second
    paddle.incubate.set_rng_state(first, use_index=True)
    state = paddle.incubate.get_rng_state()
    again = paddle.rand([2]).tolist()
    paddle.incubate.set_rng_state(state)
    assert paddle.rand([2]).tolist() == again
    with pytest.raises(ValueError, match="there are states"):
        paddle.incubate.set_rng_state([99], use_index=True)
    with pytest.raises(ValueError, match="one number"):
        paddle.incubate.set_rng_state([0, 1], use_index=True)


def test_unknown_names_are_refused_by_name():
    with pytest.raises(AttributeError, match="has no attribute 'segment_su'.*segment_sum"):
        incubate.segment_su  # noqa: B018
    assert {"LookAhead", "segment_sum", "optimizer"} <= set(dir(incubate))


def test_look_ahead_in_a_program_is_that_of_tensors():
    start = np.array([2.0, -1.0], "float32")
    w = parameter(start)
    optimizer = incubate.LookAhead(paddle.optimizer.SGD(0.1, parameters=[w]), alpha=0.4, k=3)
    expected = [walk(w, optimizer, 1) for _ in range(8)]
    paddle.enable_static()
    try:
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup), paddle.static.scope_guard(paddle.static.Scope()):
            p = paddle.create_parameter([2], "float32", default_initializer=paddle.nn.initializer.Assign(start))
            loss = (p ** 3).sum()
            operators, pairs = incubate.LookAhead(paddle.optimizer.SGD(0.1), alpha=0.4, k=3).minimize(loss)
            assert [q.name for q, _ in pairs] == [p.name]
            exe = paddle.static.Executor()
            exe.run(startup)
            for want in expected:
                exe.run(main)
                now = np.array(paddle.static.global_scope().find_var(p.name).get_tensor())
                np.testing.assert_allclose(now, want, rtol=1e-6)
    finally:
        paddle.disable_static()


def test_derivatives_of_functions_in_programs_are_those_of_tensors():
    autograd = incubate.autograd
    x, y = np.random.RandomState(0).rand(2, 3, 3)

    def both(a, b):
        return paddle.matmul(a, b), a * a.detach()

    def ask(a, b, batch):
        return [autograd.Jacobian(both, [a, b])[:], autograd.Hessian(lambda v: (v ** 3).sum() * v[0, 0], a)[:],
                autograd.Jacobian(lambda v: paddle.tanh(v) * v.sum(1, keepdim=True), batch, is_batched=True)[:, 1:],
                autograd.Hessian(lambda v: (v ** 3).prod(-1), batch, is_batched=True)[:],
                *autograd.vjp(both, [a, b])[1], autograd.vjp(paddle.sin, a, b)[1], *autograd.jvp(both, [a, b])[1]]
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()):
            fed = [paddle.static.data(name, [n, 3], "float64") for name, n in (("x", 3), ("y", 3), ("batch", -1))]
            found = paddle.static.Executor().run(feed={"x": x, "y": y, "batch": x}, fetch_list=ask(*fed))
    finally:
        paddle.disable_static()
    for a, b in zip(found, ask(paddle.to_tensor(x), paddle.to_tensor(y), paddle.to_tensor(x))):
        np.testing.assert_allclose(a, b.numpy(), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("ask, of_x, of_w", [  # gradients of Paddle 2.6.2
    (lambda autograd, x, w: autograd.Jacobian(lambda v: v @ w @ v, x)[:], [[117, 214], [101, 192]], [[236, 296], [384, 464]]),
    (lambda autograd, x, w: autograd.Hessian(lambda v: (v @ w @ v * v).sum(), x)[:],
     [[871, 1662], [668, 1246]], [[1506, 2250], [2500, 3552]]),
    (lambda autograd, x, w: autograd.vjp(lambda v: v @ w @ v, x)[1], [[412.5, 551], [275.5, 414]], [[634, 802], [918, 1126]]),
    (lambda autograd, x, w: autograd.jvp(lambda v: v @ w @ v, x)[1], [[337.5, 495], [274.5, 459]], [[654, 1002], [828, 1176]]),
])
def test_derivatives_lead_back_to_what_they_were_taken_by(ask, of_x, of_w):
    w = paddle.to_tensor([[1.0, 0.5], [2.0, 1.0]], stop_gradient=False)
    for stopped in (True, False):
        x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]], stop_gradient=stopped)
        w.clear_grad()
        (ask(incubate.autograd, x, w) ** 2).sum().backward()
        assert w.grad.tolist() == of_w and (x.grad is None if stopped else x.grad.tolist() == of_x)


def test_a_jvp_in_a_program_can_be_differentiated():
    value = np.random.RandomState(0).rand(2, 3)
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()):
            x = paddle.static.data("x", [2, 3], "float64")
            x.stop_gradient = False
            along = incubate.autograd.jvp(paddle.tanh, x)[1]
            found = paddle.static.Executor().run(feed={"x": value}, fetch_list=[along, paddle.static.gradients(along, x)[0]])
    finally:
        paddle.disable_static()
    t = np.tanh(value)
    np.testing.assert_allclose(found[0], 1 - t * t, rtol=1e-12)
    np.testing.assert_allclose(found[1], -2 * t * (1 - t * t), rtol=1e-12)


def test_matrices_of_derivatives_compute_like_tensors():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    hessian, jacobian = paddle.autograd.hessian((x ** 3).sum(), x), paddle.autograd.jacobian(x * x, x)
    assert (hessian + 1.0).tolist() == [[7, 1], [1, 13]]
    assert (2 * jacobian - hessian).tolist() == [[-2, 0], [0, -4]]
    assert (jacobian @ jacobian).tolist() == [[4, 0], [0, 16]]
    assert (hessian > jacobian).tolist() == [[True, False], [False, True]]
    assert len(jacobian) == 2
    with pytest.raises(ValueError, match="batch_axis must be None or 0, got 2"):
        paddle.autograd.hessian((x ** 3).sum(), x, batch_axis=2)
