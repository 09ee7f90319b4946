"""Writers that are killed, and disks that are full: whatever the moment, the old or the new files are there, whole."""

import os
import random
import resource
import signal
import time

import numpy as np

import paddle
from paddle import static
from paddle.onnx.proto import ModelProto
from paddle.serialization import safetensors
from paddle.serialization.stored import StoredTensor
from paddle.serialization.wire import decode

OLD, NEW = 300, 420  # widths of what is there and of what is saved over it


def model_of(width):
    """A layer whose values tell its width, and a step of whose optimizer has been made."""
    layer = paddle.nn.Linear(4, width, weight_attr=paddle.nn.initializer.Constant(float(width)))
    optimizer = paddle.optimizer.Adam(parameters=layer.parameters(), learning_rate=0.0)
    layer(paddle.ones([2, 4])).sum().backward()
    optimizer.step()
    return layer, optimizer


SPEC = [static.InputSpec([None, 4], "float32")]


def matrix(tensors):
    """The weight among the values of a file."""
    return next(a for a in map(np.asarray, tensors) if a.ndim == 2)


def run_exported(prefix):
    """What a saved model makes of ones: its weight, of which each column is added up, less the bias of zeros."""
    out = paddle.jit.load(prefix)(paddle.ones([1, 4])).numpy()
    return np.repeat(out / 4, 4, axis=0)


def hapi(layer, optimizer):
    model = paddle.Model(layer)
    model.prepare(optimizer)
    return model


def in_program(width, prefix, use):
    """Do something with an executor, a program of one layer and its input and output."""
    paddle.enable_static()
    try:
        main, startup = static.Program(), static.Program()
        with static.program_guard(main, startup), static.scope_guard(static.Scope()):
            x = static.data("x", [None, 4])
            weight = paddle.ParamAttr(name="w", initializer=paddle.nn.initializer.Constant(float(width)))
            out = static.nn.fc(x, width, weight_attr=weight)
            executor = static.Executor()
            executor.run(startup)
            return use(executor, main, x, out)
    finally:
        paddle.disable_static()


def load_inference(prefix):
    def use(executor, main, x, out):
        program, feeds, fetches = static.load_inference_model(prefix, executor)
        return np.repeat(executor.run(program, feed={feeds[0]: np.ones((1, 4), "float32")}, fetch_list=fetches)[0] / 4, 4, axis=0)
    return in_program(3, prefix, use)


def old_moment(prefix):
    """A state of the optimizer knows the width by its shape only."""
    moment = next(v.numpy() for k, v in paddle.load(prefix).items() if "moment1" in k and v.ndim == 2)
    return np.full(moment.shape, moment.shape[1])


def paired(prefix):
    """The weight of a Model's state, whose optimizer must be of the same save."""
    weight, moment = paddle.load(prefix + ".pdparams")["weight"].numpy(), old_moment(prefix + ".pdopt")
    assert weight.shape == moment.shape, f"parameters {weight.shape} beside an optimizer's state of {moment.shape}"
    return weight


def onnx_weight(path):
    with open(path, "rb") as file:
        stored = next(t for t in decode(ModelProto, file.read()).graph.initializer if len(t.dims) == 2)
    return np.frombuffer(stored.raw_data, "float32").reshape(stored.dims)


def checkpoint_weight(folder):
    width = {"n": paddle.to_tensor(0)}
    paddle.distributed.load_state_dict(width, folder)
    target = {"w": paddle.zeros([4, int(width["n"])])}
    paddle.distributed.load_state_dict(target, folder)
    return target["w"].numpy()


# kind -> (save something of a width, the weight that is found there)
WAYS = {
    "params": (lambda p, n: paddle.save(model_of(n)[0].state_dict(), p), lambda p: paddle.load(p)["weight"].numpy()),
    "optimizer": (lambda p, n: paddle.save(model_of(n)[1].state_dict(), p), old_moment),
    "jit": (lambda p, n: paddle.jit.save(model_of(n)[0], p, input_spec=SPEC), run_exported),
    "jit json": (lambda p, n: paddle.jit.save(model_of(n)[0], p, input_spec=SPEC, format="json"), run_exported),
    "Model": (lambda p, n: hapi(*model_of(n)).save(p), paired),
    "static": (lambda p, n: in_program(n, p, lambda executor, main, x, out: static.save(main, p)),
               lambda p: matrix(paddle.load(p + ".pdparams").values())),
    "inference": (lambda p, n: in_program(n, p, lambda executor, main, x, out:
                                          static.save_inference_model(p, [x], [out], executor)), load_inference),
    "onnx": (lambda p, n: paddle.onnx.export(model_of(n)[0], p, input_spec=SPEC), lambda p: onnx_weight(p + ".onnx")),
    "safetensors": (lambda p, n: safetensors.write(p, {"w": StoredTensor(np.full((4, n), n, "float32"))}),
                    lambda p: paddle.load(p)["w"].numpy()),
    "checkpoint": (lambda p, n: paddle.distributed.save_state_dict({"w": paddle.full([4, n], float(n)),
                                                                    "n": paddle.to_tensor(n)}, p), checkpoint_weight),
}
KINDS = tuple(WAYS)


def save(kind, prefix, width):
    WAYS[kind][0](prefix, width)


def check(kind, prefix, widths):
    """Load what is there; it must be one of the widths, and whole."""
    weight = WAYS[kind][1](prefix)
    assert weight.shape[1] in widths and (weight == weight.shape[1]).all(), (kind, weight.shape, weight.ravel()[:3])


def kill_once(kind, seed, number, folder):
    """Kill a process that saves over a good file again and again; returns the seconds it was given."""
    rng = random.Random(f"saves {kind} {seed} {number}")
    prefix = os.path.join(folder, f"{kind}{number}")
    save(kind, prefix, OLD)
    delay = rng.uniform(0.0, 0.05)
    pid = os.fork()
    if pid == 0:
        try:
            while True:
                save(kind, prefix, OLD)
        finally:
            os._exit(1)
    time.sleep(delay)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    check(kind, prefix, (OLD,))
    return delay


def fill_once(kind, seed, number, folder):
    """Save where files cannot grow beyond some size: an error and the old files, or the new ones. Returns which."""
    rng = random.Random(f"disks {kind} {seed} {number}")
    prefix = os.path.join(folder, f"{kind}{number}")
    save(kind, prefix, OLD)
    limit = int(10 ** rng.uniform(0, 4.2))
    pid = os.fork()
    if pid == 0:
        code = 2
        try:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # as Python does: the error is EFBIG
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            save(kind, prefix, NEW)
            code = 0
        except OSError as error:
            code = 1 if "unchanged" in str(error) else 3
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert code in (0, 1), f"{kind}, at most {limit} bytes: exit code {code}"  # 2: another exception, 3: another message
    check(kind, prefix, (OLD,) if code else (NEW,))
    left = [name for place, _, names in os.walk(folder) for name in names if name.endswith(".tmp")]
    assert not left, f"{kind}: {left} stay"
    return "refused" if code else "saved"
