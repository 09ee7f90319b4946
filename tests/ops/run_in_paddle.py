"""Run by real Paddle: the models named on standard input, compared with the outputs stored beside them."""

import json
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


paddle.enable_static()
problems = {}
for name in json.load(sys.stdin):
    try:
        problem = compare(f"{sys.argv[1]}/{name}")
    except Exception as error:  # whatever Paddle throws is the answer
        problem = f"{type(error).__name__}: {str(error).strip()[-300:]}"
    if problem:
        problems[name] = problem
print(json.dumps(problems))
