"""Programs over packed sequences, written once and run by real Paddle 2.6 (``python sequence_programs.py``, which records
values and gradients in recorded/sequences.npz) and by ours (test_sequence.py)."""

import os
import sys

import numpy as np

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "recorded", "sequences.npz")
LENGTHS = [3, 1, 2]
PROGRAMS = {}


def program(*inputs):
    """Decorator: the function builds a program from these inputs: (shape, lengths or None, dtype)."""
    def register(build):
        PROGRAMS[build.__name__] = (inputs, build)
        return build
    return register


def rows(*shape, lengths=LENGTHS, dtype="float32"):
    """An input with sequence lengths."""
    return (sum(lengths), *shape), [lengths], dtype


def value(name, k, shape, dtype):
    """Seeded values of an input."""
    rng = np.random.RandomState(sum(map(ord, name)) + k)
    return rng.uniform(-1, 1, shape).astype(dtype) if dtype == "float32" else rng.randint(0, 5, shape).astype(dtype)


def feed_of(name):
    """(inputs as arrays with their lengths) of a program."""
    return [(value(name, k, shape, dtype), lengths) for k, (shape, lengths, dtype) in enumerate(PROGRAMS[name][0])]


for _kind in ("sum", "average", "sqrt", "max", "first", "last"):
    def _pool(paddle, x, kind=_kind):
        return [paddle.static.nn.sequence_pool(x, kind, pad_value=0.5)]
    _pool.__name__ = f"pool_{_kind}"
    program(rows(2, lengths=[3, 0, 2]))(_pool)


@program(((5, 2), [[1, 2], [2, 1, 2]], "float32"))
def pool_two_levels(paddle, x):
    inner = paddle.static.nn.sequence_pool(x, "sum")
    return [inner, paddle.static.nn.sequence_pool(inner, "average")]


@program(rows(1))
def softmax(paddle, x):
    return [paddle.static.nn.sequence_softmax(x)]


@program(rows(2), rows(3))
def concat(paddle, x, y):
    return [paddle.static.nn.sequence_concat([x, paddle.static.nn.sequence_concat([x, x])])]


@program(rows(2, lengths=[2, 1]), ((6, 1), [[2, 1], [1, 2, 3]], "float32"))
def expand_sequences(paddle, x, y):
    return [paddle.static.nn.sequence_expand(x, y, ref_level=0)]


@program(((3, 2), None, "float32"), rows(1))
def expand_rows(paddle, x, y):
    return [paddle.static.nn.sequence_expand(x, y), paddle.static.nn.sequence_expand_as(x, y)]


@program(rows(2))
def conv(paddle, x):
    half = paddle.nn.initializer.Assign(np.linspace(-1, 1, 18).reshape(6, 3).astype("float32"))
    attr = paddle.ParamAttr(initializer=half)
    return [paddle.static.nn.sequence_conv(x, 3, 3, param_attr=attr, act="tanh"),
            paddle.static.nn.sequence_conv(x, 3, 3, padding_start=0, param_attr=attr, bias_attr=False)]


@program(rows(2), ((2,), None, "float32"))
def pad_and_unpad(paddle, x, filler):
    filler.stop_gradient = True
    padded, lengths = paddle.static.nn.sequence_pad(x, filler, maxlen=4)
    return [padded, lengths, paddle.static.nn.sequence_unpad(padded, lengths)]


@program(rows(4), rows(2))
def reshape_and_reverse(paddle, x, y):
    return [paddle.static.nn.sequence_reshape(x, 2), paddle.static.nn.sequence_reverse(y)]


@program(rows(2))
def cut(paddle, x):
    offset = paddle.assign(np.array([[1], [0], [0]], "int64"))
    length = paddle.assign(np.array([[2], [1], [1]], "int64"))
    return [paddle.static.nn.sequence_slice(x, offset, length)]


@program(rows(1, dtype="int64"))
def enumerate_ids(paddle, x):
    return [paddle.static.nn.sequence_enumerate(x, 2, pad_value=9)]


@program(((3, 6), None, "float32"), rows(1, dtype="int64"), rows(1))
def scatter(paddle, x, ids, updates):
    return [paddle.static.nn.sequence_scatter(x, ids, updates)]


@program(rows(1, dtype="int64"))
def lengths_pass_through(paddle, x):
    words = paddle.static.nn.embedding(x, [5, 3], param_attr=paddle.ParamAttr(
        initializer=paddle.nn.initializer.Assign(np.arange(15).reshape(5, 3).astype("float32"))))
    words = paddle.reshape(words, [-1, 3])
    return [paddle.static.nn.sequence_last_step(paddle.tanh(words) * 2.0)]


def run(paddle, name):
    """{'<name>/out0': value, '<name>/out0.lod': lengths, '<name>/grad0': gradient of input 0, ...} of one program."""
    inputs, build = PROGRAMS[name]
    main, startup, found = paddle.static.Program(), paddle.static.Program(), {}
    with paddle.static.program_guard(main, startup):
        variables = []
        for k, (shape, lengths, dtype) in enumerate(inputs):
            x = paddle.static.data(f"x{k}", [-1 if lengths else shape[0], *shape[1:]], dtype, lod_level=len(lengths or ()))
            x.stop_gradient = dtype != "float32"
            variables.append(x)
        outs = build(paddle, *variables)
        floats = [o for o in outs if "float" in str(o.dtype) or "FP32" in str(o.dtype)]
        leaves = [v for v in variables if not v.stop_gradient]
        grads = []
        if leaves and floats:
            loss = sum(paddle.sum(o * paddle.tanh(o)) for o in floats)
            grads = paddle.static.gradients([loss], leaves)
    exe = paddle.static.Executor(paddle.CPUPlace())
    exe.run(startup)
    feed = {f"x{k}": a if lengths is None else make_lod(paddle, a, lengths) for k, (a, lengths) in enumerate(feed_of(name))}
    results = exe.run(main, feed=feed, fetch_list=[*outs, *[g for g in grads if g is not None]], return_numpy=False)
    for k, r in enumerate(results[:len(outs)]):
        found[f"{name}/out{k}"] = np.array(r)
        lod = r.lod() if hasattr(r, "lod") else []
        found[f"{name}/out{k}.lod"] = np.array([n for level in lod for n in [-1, *level]], "int64")
    for k, r in zip([k for k, g in enumerate(grads) if g is not None], results[len(outs):]):
        found[f"{name}/grad{k}"] = np.array(r)
    return found


def make_lod(paddle, array, lengths):
    """A LoDTensor of the package at hand."""
    maker = paddle.base.create_lod_tensor if not hasattr(paddle, "fluid") else paddle.fluid.create_lod_tensor
    return maker(array, lengths, paddle.CPUPlace())


if __name__ == "__main__":
    import paddle
    paddle.enable_static()
    recorded = {}
    for program_name in sys.argv[1:] or PROGRAMS:
        recorded.update(run(paddle, program_name))
    if len(sys.argv) == 1:
        os.makedirs(os.path.dirname(FILE), exist_ok=True)
        np.savez_compressed(FILE, **recorded)
    else:
        for key, array in recorded.items():
            print(key, array.tolist())
