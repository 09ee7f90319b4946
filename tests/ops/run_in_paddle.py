"""Run by real Paddle: the models named on standard input, compared with the outputs stored beside them."""

import json
import os
import sys

import numpy as np

import paddle


def compare(folder):
    scope = paddle.static.Scope()
    with paddle.static.scope_guard(scope):
        executor = paddle.static.Executor(paddle.CPUPlace())
        program, _, fetches = paddle.static.load_inference_model(folder + "/model", executor)
        inputs = dict(np.load(folder + "/inputs.npz"))
        got = executor.run(program, feed=inputs, fetch_list=fetches)
    wanted = np.load(folder + "/outputs.npz")
    for k, value in enumerate(got):
        value, ours = np.asarray(value), wanted[str(k)]
        if value.shape != ours.shape or value.dtype != ours.dtype:
            return f"output {k}: {value.dtype}{value.shape}, ours {ours.dtype}{ours.shape}"
        if not np.allclose(value, ours, 1e-4, 1e-5, equal_nan=True):
            return f"output {k}: {value.ravel()[:6]}, ours {ours.ravel()[:6]}"
    return None


def answer(name):
    try:
        return compare(f"{sys.argv[1]}/{name}") or ""
    except Exception as error:  # whatever Paddle throws is the answer
        return f"{type(error).__name__}: {str(error).strip()[-300:]}"


def in_a_child(name):
    """The answer for one model from a process of its own, which may crash."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.write(writer, answer(name).encode()[:4000])
        os._exit(0)
    os.close(writer)
    status = os.waitpid(child, 0)[1]
    with os.fdopen(reader, "rb") as file:
        return file.read().decode() if status == 0 else f"Paddle died of signal {status & 127}"


paddle.enable_static()
problems = {name: in_a_child(name) for name in json.load(sys.stdin)}
print(json.dumps({name: text for name, text in problems.items() if text}))
