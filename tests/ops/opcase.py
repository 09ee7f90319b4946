"""One record per op, and everything that is checked about it. README.md describes the fields."""

import functools
import importlib
import pkgutil
import zlib

import numpy as np

import paddle
from paddle import kernels
from paddle.core import hooks
from paddle.core.context import changed, context
from paddle.core.op import BY_NAME, Op
from paddle.core.tensor import Tensor


# ---- what inputs look like -----------------------------------------------------------------------------------------------
class Spec:
    """Seeded values of a kind, made when the case runs; ``floating`` ones take the dtype under test."""

    def __init__(self, shape, make, floating=True, complex_=False):
        self.shape, self.make, self.floating, self.complex = shape, make, floating, complex_

    def array(self, seed, dtype):
        values = np.asarray(self.make(np.random.RandomState(seed), self.shape))
        if self.complex:
            return values.astype({"float32": "complex64", "float64": "complex128"}[dtype])
        return values.astype(dtype) if self.floating else values


def f(*shape, low=-1.0, high=1.0):
    """Floats in [low, high)."""
    return Spec(shape, lambda r, s: r.uniform(low, high, s))


def pos(*shape, low=0.3, high=1.5):
    """Positive floats."""
    return f(*shape, low=low, high=high)


def away(*shape, low=0.2, high=1.2):
    """Floats of both signs that keep away from 0 (for functions with a kink there)."""
    return Spec(shape, lambda r, s: r.uniform(low, high, s) * r.choice([-1.0, 1.0], s))


def distinct(*shape, step=0.1):
    """Floats of which no two are nearer than ``step`` (for sorting and extremes)."""
    return Spec(shape, lambda r, s: (r.permutation(int(np.prod(s))).reshape(s) - np.prod(s) / 2.0) * step + 0.03)


def c(*shape):
    """Complex numbers."""
    return Spec(shape, lambda r, s: r.uniform(-1, 1, s) + 1j * r.uniform(-1, 1, s), complex_=True)


def i(*shape, low=0, high=5, dtype="int64"):
    """Integers in [low, high)."""
    return Spec(shape, lambda r, s: r.randint(low, high, s).astype(dtype), floating=False)


def b(*shape):
    """Booleans."""
    return Spec(shape, lambda r, s: r.randint(0, 2, s).astype(bool), floating=False)


def const(values, dtype=None):
    """These very values; floats take the dtype under test unless one is given."""
    array = np.asarray(values, dtype)
    return Spec(array.shape, lambda r, s: array, floating=array.dtype.kind == "f" and dtype is None)


class Bad:
    """A call that must raise: arguments, the exception, and text its message must hold besides the function's name."""

    def __init__(self, error, *args, match="", named=True, **kwargs):
        self.error, self.args, self.kwargs, self.match, self.named = error, args, kwargs, match, named


bad = Bad


class OpCase:
    """How to call a function and what it must give; see README.md."""

    def __init__(self, fn, inputs, ref=None, check=None, grad=True, straight=False, more=(), errors=(),
                 dtypes=("float32", "float64"),
                 tol=1e-5, method=None, inplace=None, static=True, unknown=True, noncontiguous=True, small=None,
                 rejects_text=True, bits=True,
                 name=None, **attrs):
        if ref is None and check is None:
            raise ValueError(f"OpCase({fn}): give ref (a NumPy function) or check (a predicate)")
        self.path, self.inputs, self.ref, self.check = fn, list(inputs), ref, check
        self.grad, self.straight = grad, straight
        self.more, self.errors, self.dtypes, self.tol = list(more), list(errors), dtypes, tol
        self.method, self.inplace, self.static, self.unknown, self.attrs = method, inplace, static, unknown, attrs
        self.noncontiguous, self.rejects_text, self.bits = noncontiguous, rejects_text, bits
        self.small = not any("ax" in a or "dim" in a for a in attrs) if small is None else small
        self.name = name or (fn if isinstance(fn, str) else fn.__name__).rpartition(".")[2]
        self.id = self.name

    @property
    def fn(self):
        """The function under test; a dotted path is looked up when it is needed."""
        if not isinstance(self.path, str):
            return self.path
        if self.path in BY_NAME:
            return BY_NAME[self.path]
        value = paddle
        for part in self.path.removeprefix("paddle.").split("."):
            value = getattr(value, part)
        return value

    # ---- inputs ----
    def arrays(self, dtype="float64", inputs=None, tag=""):
        def make(spec, path):
            if isinstance(spec, (list, tuple)):
                return [make(s, f"{path}.{k}") for k, s in enumerate(spec)]
            if isinstance(spec, Spec):
                return spec.array(zlib.crc32(f"{self.name}/{path}{tag}".encode()), dtype)
            return spec
        return [make(s, str(k)) for k, s in enumerate(self.inputs if inputs is None else inputs)]

    def call(self, arrays, differentiable=False, fn=None):
        """(outputs as a flat list, differentiable input Tensors) of a call on copies of the arrays: all floating inputs are
        differentiable, none, or the one of that number."""
        leaves, seen = [], []

        def tensor(a):
            if isinstance(a, list):
                return [tensor(x) for x in a]
            if not isinstance(a, np.ndarray):
                return a
            t = paddle.to_tensor(a)
            if differentiable is not False and a.dtype.kind in "fc":
                if differentiable is True or differentiable == len(seen):
                    t.stop_gradient = False
                    leaves.append(t)
                seen.append(t)
            return t
        out = (fn or self.fn)(*[tensor(a) for a in arrays], **self.attrs)
        return flat(out), leaves

    def expected(self, arrays):
        return flat(self.ref(*arrays, **self.attrs))

    def __repr__(self):
        return self.id


def flat(value):
    if isinstance(value, (list, tuple)):
        return [x for v in value for x in flat(v)]
    return [] if value is None else [value]


def as_inputs(values, feed):
    """Values with an input of the program being built in place of each array, in lists of them too; ``feed`` gets the arrays."""
    if isinstance(values, list):
        return [as_inputs(v, feed) for v in values]
    if not isinstance(values, np.ndarray):
        return values
    name = f"in{len(feed)}"
    feed[name] = values
    return paddle.static.data(name, values.shape, values.dtype.name)


def numbers(values):
    return [np.asarray(v._data if isinstance(v, Tensor) else v) for v in values]


def floats(arrays):
    return [a for a in flat(arrays) if isinstance(a, np.ndarray) and a.dtype.kind in "fc"]


def assert_same(got, wanted, tol, what):
    got, wanted = numbers(got), [np.asarray(w) for w in wanted]
    assert len(got) == len(wanted), f"{what}: {len(got)} outputs, expected {len(wanted)}"
    for k, (a, w) in enumerate(zip(got, wanted)):
        assert a.shape == w.shape, f"{what}: output {k} has shape {a.shape}, expected {w.shape}"
        np.testing.assert_allclose(a, w, rtol=tol, atol=tol, err_msg=f"{what}: output {k}")


# ---- what is checked -------------------------------------------------------------------------------------------------------
def check_value(case):
    """Value against NumPy, in every dtype; float inputs give outputs of the same type; inputs stay as they were."""
    for dtype in case.dtypes:
        for n, inputs in enumerate([case.inputs, *case.more]):
            arrays = case.arrays(dtype, inputs, f"#{n}" if n else "")
            before = [a.copy() for a in flat(arrays) if isinstance(a, np.ndarray)]
            for a in flat(arrays):
                if isinstance(a, np.ndarray):
                    a.flags.writeable = False
            out, _ = case.call(arrays)
            tol = case.tol if dtype == "float32" else min(case.tol, 1e-8)
            if case.ref is not None:
                assert_same(out, case.expected(arrays), tol, f"{case.name} {dtype}")
            if case.check is not None:
                assert case.check(out[0] if len(out) == 1 else out, *arrays), f"{case.name} {dtype}: check failed"
            kinds = {a.dtype for a in floats(arrays)}
            for o in numbers(out):
                if o.dtype.kind == "f" and len(kinds) == 1 and case.ref is not None and "dtype" not in case.attrs:
                    wanted = next(iter(kinds))
                    assert o.dtype == wanted or wanted.kind == "c", f"{case.name}: {wanted} in, {o.dtype} out"
            for a, old in zip([a for a in flat(arrays) if isinstance(a, np.ndarray)], before):
                np.testing.assert_array_equal(a, old, err_msg=f"{case.name} changed its input")
        if not floats(case.arrays("float64")):
            break


def check_memory(case):
    """Outputs can be written to and share no memory with each other."""
    out = numbers(case.call(case.arrays())[0])
    for k, a in enumerate(out):
        assert a.flags.writeable, f"{case.name}: output {k} is read-only"
        assert not any(np.shares_memory(a,
                                        o) for o in out[:k] if o.size and a.size), f"{case.name}: outputs share memory"


def check_noncontiguous(case):
    """Strided, Fortran-ordered and reversed inputs give the same result."""
    arrays = case.arrays()
    wanted = numbers(case.call(arrays)[0])

    def strided(a):
        wide = np.zeros((*a.shape[:-1], a.shape[-1] * 2), a.dtype)
        wide[..., ::2] = a
        return wide[..., ::2]
    for layout in (np.asfortranarray, strided, lambda a: a[::-1].copy()[::-1]):
        def again(a, layout=layout):
            if isinstance(a, list):
                return [again(x) for x in a]
            if not isinstance(a, np.ndarray):
                return a
            t = paddle.to_tensor(a)
            if a.ndim:
                t._data = layout(a)
            return t
        out = flat(case.fn(*[again(a) for a in arrays], **case.attrs))
        if case.ref is not None:
            assert_same(out, wanted, 1e-9, f"{case.name}, non-contiguous")


def weights(out, seed):
    r = np.random.RandomState(seed)
    made = []
    for o in out:
        w = r.uniform(-1, 1, o.shape)
        made.append((w + 1j * r.uniform(-1, 1, o.shape)).astype(o.dtype) if o.dtype.kind == "c" else w.astype(o.dtype))
    return made


def differentiable_outputs(out):
    return [o for o in out if isinstance(o, Tensor) and not o.stop_gradient and o._data.dtype.kind in "fc"]


def kept(out):
    """Positions of the outputs that have a gradient."""
    chosen = [id(o) for o in differentiable_outputs(out)]
    return [k for k, o in enumerate(out) if id(o) in chosen]


def inner(ws, arrays):
    return sum(float(np.real(np.sum(np.conj(w) * a))) for w, a in zip(ws, arrays))


def shift(arrays, directions, step):
    """The arrays with each floating one moved along its direction."""
    directions = iter(directions)

    def move(a):
        if isinstance(a, list):
            return [move(x) for x in a]
        return np.asarray(a + step * next(directions)) if isinstance(a, np.ndarray) and a.dtype.kind in "fc" else a
    return [move(a) for a in arrays]


def directions_of(arrays, active):
    """A direction for each floating array: zero for those that stay where they are."""
    return [d if k in active else np.zeros_like(d) for k, d in enumerate(weights(floats(arrays), 7))]


def assert_close(got, wanted, what):
    assert abs(got - wanted) <= 1e-5 * max(1.0, abs(wanted),
                                           abs(got)), f"{what}: {got} but finite differences give {wanted}"


def wanted_inputs(case, leaves):
    return [k for k in range(len(leaves)) if case.grad is True or k in case.grad]


def check_gradient(case):
    """Directional finite differences in float64, input by input; ``backward()`` accumulates what ``paddle.grad`` returns."""
    if not case.grad and case.name.endswith("_"):
        return  # a leaf can't be changed in place
    arrays = case.arrays()
    out, leaves = case.call(arrays, True)
    if case.straight:
        seed = paddle.to_tensor(weights(numbers(out[:1]), 3)[0])
        np.testing.assert_array_equal(paddle.grad(out[0], leaves[0], seed)[0].numpy(), seed.numpy())
        return
    if not case.grad:
        assert not differentiable_outputs(out), f"{case.name}: declared without gradient, but its output has one"
        return
    keep = kept(out)
    assert keep, f"{case.name}: no output depends on the inputs"
    ws = weights(numbers([out[k] for k in keep]), 3)
    active = wanted_inputs(case, leaves)
    roots, seeds = [out[k] for k in keep], [paddle.to_tensor(w) for w in ws]
    grads = paddle.grad(roots, [leaves[k] for k in active], seeds, retain_graph=True, allow_unused=True)
    paddle.autograd.backward(roots, seeds)
    step = 1e-6
    for k, g in zip(active, grads):
        accumulated = leaves[k].grad
        assert (accumulated is None) == (g is None), f"{case.name}: backward() and grad() differ on input {k}"
        if g is not None:
            np.testing.assert_array_equal(accumulated.numpy(), g.numpy(), f"{case.name}: backward() and grad() differ")
        ds = directions_of(arrays, [k])
        values = []
        for sign in (1, -1):
            moved = numbers(case.call(shift(arrays, ds, sign * step))[0])
            values.append(inner(ws, [moved[n] for n in keep]))
        analytic = 0.0
        if g is not None:
            assert tuple(g.shape) == tuple(leaves[k].shape), f"{case.name}: gradient {k} has shape {g.shape}"
            assert g.dtype == leaves[k].dtype, f"{case.name}: gradient {k} has dtype {g.dtype}"
            analytic = inner(ds[k:k + 1], [g.numpy()])
        assert_close(analytic, (values[0] - values[1]) / (2 * step), f"{case.name}: gradient of input {k}")


def check_alone(case):
    """An input's gradient is the same when no other input wants one: rules skip what is not wanted, and nothing else."""
    arrays = case.arrays()
    out, leaves = case.call(arrays, True)
    keep = kept(out)
    ws = weights(numbers([out[k] for k in keep]), 3)
    active = wanted_inputs(case, leaves)
    whole = paddle.grad([out[k] for k in keep], [leaves[k] for k in active], [paddle.to_tensor(w) for w in ws], allow_unused=True)
    for k, wanted in zip(active, whole):
        out, leaves = case.call(arrays, k)
        roots = kept(out)
        pairs = [(out[n], paddle.to_tensor(w)) for n, w in zip(keep, ws) if n in roots]
        got = paddle.grad([o for o, _ in pairs], leaves, [w for _, w in pairs], allow_unused=True)[0] if pairs else None
        none = got is None or not got._data.any(), wanted is None or not wanted._data.any()
        assert none[0] == none[1], f"{case.name}: input {k} has a gradient only {'beside others' if none[0] else 'alone'}"
        if not none[0]:
            np.testing.assert_allclose(got.numpy(), wanted.numpy(), rtol=1e-9, atol=1e-12, err_msg=f"{case.name}: input {k} alone")


def first_gradients(case, arrays, ws, keep, create_graph):
    """Gradients by the inputs as a function of inputs and cotangents; the leaves of both."""
    out, leaves = case.call(arrays, True)
    cotangents = [paddle.to_tensor(w, stop_gradient=not create_graph) for w in ws]
    active = [leaves[k] for k in wanted_inputs(case, leaves)]
    grads = paddle.grad([out[k] for k in keep], active, cotangents, create_graph=create_graph, allow_unused=True)
    return [g for g in grads if g is not None], leaves + cotangents


def check_second_gradient(case):
    """Gradient of the gradient against finite differences, by the inputs and by the cotangents."""
    arrays = case.arrays()
    out, _ = case.call(arrays, True)
    keep = kept(out)
    ws = weights(numbers([out[k] for k in keep]), 3)
    grads, leaves = first_gradients(case, arrays, ws, keep, True)
    vs = weights(numbers(grads), 5)
    chosen = [(g, v) for g, v in zip(grads, vs) if not g.stop_gradient]
    ds = directions_of(arrays, wanted_inputs(case, floats(arrays))) + weights(ws, 9)
    analytic = 0.0
    if chosen:
        twice = paddle.grad([g for g, _ in chosen], leaves, [paddle.to_tensor(v) for _, v in chosen], allow_unused=True)
        analytic = inner([d for d, g in zip(ds, twice) if g is not None], [g.numpy() for g in twice if g is not None])
    step, values = 1e-6, []
    n = len(floats(arrays))
    for sign in (1, -1):
        moved = [np.asarray(w + sign * step * d) for w, d in zip(ws, ds[n:])]
        values.append(inner(vs, numbers(first_gradients(case, shift(arrays, ds[:n], sign * step), moved, keep,
                                                        False)[0])))
    assert_close(analytic, (values[0] - values[1]) / (2 * step), f"{case.name}: second gradient")


def check_kernels(case):
    """The fast kernels give what the references give, forward and backward, in float32."""
    arrays = case.arrays("float32")
    results = []
    before = kernels.enabled()
    try:
        for on in (True, False):
            kernels.use(on)
            out, leaves = case.call(arrays, bool(case.grad))
            roots = differentiable_outputs(out)
            grads = []
            if roots and leaves:
                ws = [paddle.to_tensor(w) for w in weights(numbers(roots), 3)]
                grads = [g for g in paddle.grad(roots, leaves, ws, allow_unused=True) if g is not None]
            results.append(numbers(out) + numbers(grads))
    finally:
        kernels.use(before)
    assert_same(results[0], results[1], max(2e-5, case.tol), f"{case.name}, kernel and reference")


def check_method(case):
    """Function, method and in-place method agree; the in-place one returns the tensor it changed."""
    arrays, fn = case.arrays(), case.fn
    name = fn.__name__
    wanted = numbers(case.call(arrays)[0])
    if case.method is not False and getattr(Tensor, name, None) is not None and callable(getattr(Tensor, name)):
        out, _ = case.call(arrays, fn=lambda x, *args, **kwargs: getattr(x, name)(*args, **kwargs))
        if case.ref is not None:
            assert_same(out, wanted, 1e-12, f"Tensor.{name}")
    elif case.method:
        raise AssertionError(f"Tensor has no method {name}")
    twin = getattr(Tensor, name + "_", None)
    if twin is None or case.inplace is False or len(wanted) != 1:
        assert not case.inplace, f"Tensor has no method {name}_"
        return

    def call_twin(x, *args, **kwargs):
        result = twin(x, *args, **kwargs)
        assert result is x, f"{name}_ must return the tensor itself"
        return result
    out, _ = case.call(arrays, fn=call_twin)
    if case.ref is None:
        return
    np.testing.assert_allclose(numbers(out)[0], wanted[0].astype(numbers(out)[0].dtype), 1e-12, 1e-12)
    if not case.grad or out[0]._data.dtype != wanted[0].dtype or not floats(arrays):
        return
    results = []
    for run in (fn, lambda x, *args, **kwargs: call_twin(x * 1, *args, **kwargs)):
        out, leaves = case.call(arrays, True, run)
        ws = [paddle.to_tensor(w) for w in weights(numbers(out), 3)]
        results.append(numbers(g for g in paddle.grad(out, leaves, ws, allow_unused=True) if g is not None))
    assert_same(results[0], results[1], 1e-12, f"gradient of {name}_")


def check_small(case):
    """Element-wise functions work on 0-size and 0-d tensors."""
    for shape in ((0, 3), ()):
        arrays = [a.reshape(-1)[:int(np.prod(shape))].reshape(shape) for a in case.arrays()]
        out = numbers(case.call(arrays)[0])
        assert all(o.shape == shape for o in out), f"{case.name}: shape {shape} in, {[o.shape for o in out]} out"


def check_errors(case):
    """Wrong arguments raise the Python exception asked for, whose text names the function."""
    failing = list(case.errors)
    if case.rejects_text and case.inputs and isinstance(case.inputs[0], Spec):
        failing.append(Bad((TypeError, ValueError), "text", *case.inputs[1:], **case.attrs))
    for call in failing:
        args = case.arrays(inputs=call.args)
        try:
            case.call(args, fn=lambda *a, call=call, **ignored: case.fn(*a, **call.kwargs))
        except call.error as error:
            text = str(error)
            assert not call.named or case.name.rstrip("_") in text, f"{case.name}: the message names no function: {text}"
            assert call.match in text, f"{case.name}: {call.match!r} is not in: {text}"
        else:
            raise AssertionError(f"{case.name}{call.args} {call.kwargs} raised nothing, expected {call.error}")


def check_unknown(case):
    """The same with first axes whose size is known only when the program runs, and then with one more row."""
    check_static(case, lambda shape: (-1, *shape[1:]) if shape else shape, grown(case))


def grown(case):
    """(arrays with one more row, what the function gives for them), None if it does not take them."""
    def more(a):
        if isinstance(a, list):
            return [more(x) for x in a]
        return np.concatenate([a, a[:1]]) if isinstance(a, np.ndarray) and a.dtype.kind in "fc" and a.ndim else a
    arrays = [more(a) for a in case.arrays("float32")]
    try:
        return arrays, numbers(case.call(arrays)[0])
    except (ValueError, TypeError, IndexError, RuntimeError, NotImplementedError, np.linalg.LinAlgError):
        return None


class StaticRun:
    """A program with a case's call in it: inputs become data variables of the same names in ``feed``."""

    def __init__(self, case, arrays, declared=lambda shape: shape, grown=None):
        self.case, self.arrays, self.declared, self.grown = case, arrays, declared, grown
        self.feed, self.leaves = {}, []

    def data(self, a):
        if isinstance(a, list):
            return [self.data(x) for x in a]
        if not isinstance(a, np.ndarray):
            return a
        floating = a.dtype.kind in "fc"
        v = self.variable(a, self.declared(a.shape) if floating else a.shape)
        v.stop_gradient = not floating
        self.leaves += [v] if floating else []
        return v

    def variable(self, a, shape):
        name = f"in{len(self.feed)}"
        self.feed[name] = a
        return paddle.static.data(name, shape, a.dtype.name)

    def runs(self, main, wanted):
        """What a program gives in its three ways of running: step by step, noted, as a routine. Then the same for another form: one
        more row, or other strides."""
        exe, before = paddle.static.Executor(), {name: a.copy() for name, a in self.feed.items()}
        found = self.three_runs(exe, main, self.feed, wanted)
        for name, a in before.items():
            np.testing.assert_array_equal(self.feed[name], a, err_msg=f"{self.case.name}: a run changed what was fed")
        feed, expected = {name: np.repeat(a[..., None], 2, -1)[..., 0] for name, a in self.feed.items()}, found
        if self.grown is not None:
            feed, expected = dict(zip(self.feed, [a for a in flat(self.grown[0]) if isinstance(a, np.ndarray)])), self.grown[1]
        again = self.three_runs(exe, main, feed, wanted)
        if self.case.ref is not None:
            assert_same(again, expected, max(2e-5, self.case.tol), f"{self.case.name}, another form")
        return found

    def three_runs(self, exe, main, feed, wanted):
        """The values of a program's first run; those of its second and third must have the same bits."""
        found = []
        for _ in range(3):
            paddle.seed(1)
            found.append(exe.run(main, feed=feed, fetch_list=wanted))
        for k, later in enumerate(found[1:], 2):
            for n, (a, b) in enumerate(zip(found[0], later)):
                np.testing.assert_array_equal(a, b, err_msg=f"{self.case.name}: output {n} of runs 1 and {k}")
        return found[0]

    def __call__(self, finish):
        """(outputs, their values); ``finish(outputs)`` may add to the program and says what to fetch."""
        static = paddle.static
        main = static.Program()
        paddle.enable_static()
        try:  # types that 2.6 refuses in programs are computed too
            with static.program_guard(main, static.Program()), changed(own_rules=context.rules.unchecked()):
                out = flat(self.case.fn(*[self.data(a) for a in self.arrays], **self.case.attrs))
                wanted = finish(out)
                return wanted, self.runs(main, wanted) if wanted else []
        finally:
            paddle.disable_static()


def assert_equal(case, got, wanted, what):
    """The same but for last bits, however it is run; close where programs have other operators than eager calls (``bits=False``).

    What NumPy computes depends in its last bits on where arrays lie, so that not even two eager calls are sure to agree."""
    assert_same(got, wanted, max(2e-5, case.tol), f"{case.name}, {what}")
    for k, (a, b) in enumerate(zip(numbers(got), wanted)):
        limit = 1e-6 * np.abs(b[np.isfinite(b)]).max(initial=0) if case.bits and b.dtype.kind in "fc" else 0
        same = np.array_equal(a, b, equal_nan=a.dtype.kind in "fc") or np.allclose(a, b, rtol=0, atol=limit, equal_nan=True)
        assert same or not case.bits, f"{case.name}, {what}: output {k} differs by more than last bits"


def check_static(case, declared=lambda shape: shape, grown=None):
    """The function adds itself to a static program, whose run gives what the eager call gives; shapes are inferred."""
    arrays = case.arrays("float32")
    wanted = numbers(case.call(arrays)[0])
    out, got = StaticRun(case, arrays, declared, grown)(lambda out: out)
    for o, g in zip(out, got):
        assert len(o.shape) == g.ndim and all(n in (-1, m) for n, m in zip(o.shape, g.shape)), \
            f"{case.name}: inferred shape {o.shape}, got {g.shape}"
        assert o.dtype.name == g.dtype.name, f"{case.name}: inferred {o.dtype.name}, got {g.dtype.name}"
    if case.ref is not None:
        assert_equal(case, got, wanted, "static and eager")


def check_static_gradient(case):
    """Gradients added to a static program are those of the eager call."""
    arrays = case.arrays("float32")
    out, leaves = case.call(arrays, True)
    keep = kept(out)
    ws = weights(numbers([out[k] for k in keep]), 3)
    if not keep or any(a.dtype.kind == "c" for a in ws + floats(arrays)):
        return
    eager = paddle.grad([out[k] for k in keep], leaves, [paddle.to_tensor(w) for w in ws], allow_unused=True)
    run = StaticRun(case, arrays)
    found = []

    def gradients(out):
        seeds = [run.variable(w, w.shape) for w in ws]
        found.extend(paddle.static.gradients([out[k] for k in keep], run.leaves, seeds))
        return [g for g in found if g is not None]
    got = run(gradients)[1]
    assert [g is None for g in found] == [g is None for g in eager], f"{case.name}: other inputs have gradients in static"
    assert_equal(case, got, numbers(g for g in eager if g is not None), "static and eager gradients")


CHECKS = {"value": check_value, "memory": check_memory, "noncontiguous": check_noncontiguous,
          "gradient": check_gradient, "alone": check_alone,
          "second": check_second_gradient, "kernels": check_kernels, "method": check_method, "small": check_small,
          "static": check_static, "unknown": check_unknown,
          "static_gradient": check_static_gradient, "errors": check_errors}


def has_method(case):
    """Is there a method of Tensor, or one that works in place, to compare the function with?"""
    fn, arrays = case.fn, case.arrays()
    if isinstance(fn, Op) or not arrays or not isinstance(arrays[0], np.ndarray):
        return False
    method, twin = getattr(Tensor, fn.__name__, None), getattr(Tensor, fn.__name__ + "_", None)
    compared = case.method is not False and callable(method) and case.ref is not None
    return bool(compared or case.method or case.inplace or (twin is not None and case.inplace is not False))


def is_elementwise(case):
    """Does the function work element by element on inputs of one shape, by what its ops say?"""
    specs = case.inputs
    if not case.small or case.ref is None or not specs or not all(isinstance(s, Spec) and s.shape == specs[0].shape for s in specs):
        return False
    seen = seen_by(case)
    return bool(seen.families) and seen.families <= {"same", "broadcast", "compare"} and bool(specs[0].shape)


def has_kernels(case):
    """Does an op of the case, or of its gradient, have a native kernel?"""
    seen = seen_by(case) if case.ref is not None else None
    return seen is not None and any(native for name in seen.ops | seen.backward for _, _, _, native in BY_NAME[name].attached)


def applies(case, check):
    """Does a check have anything to do for a case?"""
    arrays = case.arrays()
    if check in ("method", "small"):
        return (has_method if check == "method" else is_elementwise)(case)
    if check == "kernels" and not (floats(arrays) and has_kernels(case)):
        return False
    if check in ("gradient", "second", "kernels", "static_gradient") and not floats(arrays):
        return False
    if check == "alone" and (not case.grad or case.name.endswith("_") or len(floats(arrays)) < 2):
        return False
    if check == "second" and not case.grad:
        return False
    if check == "unknown" and not (case.unknown and any(a.ndim for a in floats(arrays))):
        return False
    if check == "static_gradient" and not case.grad:
        return False
    if check in ("static", "unknown", "static_gradient"):
        return case.static and not case.name.endswith("_") and any(isinstance(a, np.ndarray) for a in flat(arrays))
    if check == "noncontiguous":
        return case.noncontiguous and case.ref is not None and any(isinstance(a, np.ndarray) for a in flat(arrays))
    return check != "errors" or bool(case.errors or (case.rejects_text and case.inputs and isinstance(case.inputs[0],
                                                                                                      Spec)))


class Seen(hooks.OpHook):
    """Collects the names and families of the ops that run."""

    def __init__(self):
        self.ops, self.families, self.backward = set(), set(), set()

    def after(self, op, args, outs):
        self.ops.add(op.name)
        self.families.add(op.family)


@functools.cache
def seen_by(case):
    """The ops of a call in float32, and those of its gradients."""
    seen, back = Seen(), Seen()
    with seen:
        out, leaves = case.call(case.arrays("float32"), bool(case.grad))
    roots = differentiable_outputs(out)
    if roots and leaves:
        with back:
            paddle.grad(roots, leaves, [paddle.to_tensor(w) for w in weights(numbers(roots), 3)], allow_unused=True)
    seen.backward = back.ops | {n for n in seen.ops if BY_NAME[n].step is not None}
    return seen


# ---- finding cases and ops -------------------------------------------------------------------------------------------------
def load_cases():
    """All cases of tests/ops/cases, with ids that are unique."""
    import cases
    load_ops()
    found, counts = [], {}
    for info in sorted(pkgutil.iter_modules(cases.__path__), key=lambda m: m.name):
        for case in importlib.import_module("cases." + info.name).CASES:
            n = counts[case.name] = counts.get(case.name, 0) + 1
            case.id = case.name if n == 1 else f"{case.name}-{n}"
            case.room = info.name
            found.append(case)
    return found


def load_ops():
    """Import every module that declares ops; the registry afterwards."""
    import paddle.ops
    for info in pkgutil.walk_packages(paddle.ops.__path__, "paddle.ops."):
        importlib.import_module(info.name)
    return {name: op for name, op in BY_NAME.items() if op.fn.__module__.startswith("paddle.ops.")}  # others: rooms of their own


def ops_run_by(case):
    """Names of the ops that a case runs, forward, backward and twice backward."""
    seen = Seen()
    with seen:
        arrays = case.arrays()
        differentiable = bool(case.grad or case.straight)
        out, leaves = case.call(arrays, differentiable)
        roots = differentiable_outputs(out)
        if roots and leaves:
            ws = [paddle.to_tensor(w, stop_gradient=False) for w in weights(numbers(roots), 3)]
            grads = paddle.grad(roots, leaves, ws, create_graph=differentiable, allow_unused=True)
            grads = [g for g in grads if g is not None and not g.stop_gradient]
            if grads and differentiable:
                paddle.grad(grads, leaves + ws, allow_unused=True)
    return seen.ops
