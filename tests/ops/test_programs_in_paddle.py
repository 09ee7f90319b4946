"""Programs of the op cases, written by us, run by real paddlepaddle 2.6: same shapes, dtypes and values.

PADDLE_ORACLE_PYTHON names the interpreter of a virtual environment that has it; `make test-all` prepares one.
"""

import json
import os
import pathlib
import subprocess

import numpy as np
import opcase
import pytest

import paddle
from paddle import static
from paddle.static.op_table import knows

ORACLE = os.environ.get("PADDLE_ORACLE_PYTHON", "")
pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(not ORACLE, reason="PADDLE_ORACLE_PYTHON does not name a Python with paddlepaddle 2.6"),
]

REFUSED = {  # programs that 2.6.2 refuses, or whose answer is nobody's promise
    "unfold": "tensor_unfold has no static kernel", "as_strided": "no static kernel", "view": "view_dtype has no static kernel",
    **dict.fromkeys(("svd_complex", "svd_complex_vectors", "svd_full_vectors-4", "sqrt_complex", "square_complex", "log_complex"),
                    "no kernel for complex numbers"),
    "maxout": "takes four axes only", "margin_cross_entropy": "no kernel for a CPU",
    **dict.fromkeys(("sample_neighbors", "graph_khop_sampler"), "throws std::length_error"),
    **dict.fromkeys(("batch_norm", "rmsprop"), "wants its results in the variables it reads"),
    **dict.fromkeys(("dropout", "dropout-3"), "a saved model is one for inference: nothing is dropped"),
    "rnnt_loss": "takes int32 lengths only",
    **dict.fromkeys(("sequence_erase", "ctc_align", "beam_search", "sequence_expand", "sequence_concat", "sequence_unpad",
                     "sequence_reshape", "sequence_slice", "lod_reset", "lod_reset-2", "im2sequence"),
                    "dies without lengths (LoD), which are not among the arrays that are fed here"),
    "reshape-2": "sizes of 0 are not known there", "topk-4": "the order of equal elements is left open",
}


def write(case, folder):
    """Write a case as an inference model with its inputs and our outputs; False if Paddle has no such ops."""
    arrays = case.arrays("float32")
    feed = {}

    def data(a):
        if isinstance(a, list):
            return [data(x) for x in a]
        if not isinstance(a, np.ndarray):
            return a
        name = f"in{len(feed)}"
        feed[name] = a
        return static.data(name, a.shape, a.dtype.name)
    main = static.Program()
    paddle.enable_static()
    try:
        with static.program_guard(main, static.Program()):
            inputs = [data(a) for a in arrays]
            out = opcase.flat(case.fn(*inputs, **case.attrs))
            if any(o is v for o in out for v in opcase.flat(inputs)):
                return False  # nothing to do
            if not all(knows(op.type) for op in main.global_block().ops):
                return False
            run = static.Executor()
            values = run.run(main, feed=feed, fetch_list=out)
            used = {n for op in main.global_block().ops for n in op.input_arg_names}
            wanted = [v for v in opcase.flat(inputs) if isinstance(v, static.Variable) and v.name in used]
            try:
                static.save_inference_model(str(folder / "model"), wanted, out, run, program=main)
            except NotImplementedError:  # an op of Paddle's with inputs that its files do not have
                return False
    finally:
        paddle.disable_static()
    np.savez(folder / "inputs.npz", **{v.name: feed[v.name] for v in wanted})
    np.savez(folder / "outputs.npz", **{str(k): v for k, v in enumerate(values)})
    return True


def test_real_paddle_runs_our_programs(tmp_path):
    written = []
    for case in opcase.load_cases():
        if opcase.applies(case, "static") and case.ref is not None and case.name not in REFUSED and case.id not in REFUSED:
            folder = tmp_path / case.id
            folder.mkdir()
            if write(case, folder):
                written.append(case.id)
    assert len(written) > 100
    script = pathlib.Path(__file__).with_name("run_in_paddle.py")
    answer = subprocess.run([ORACLE, str(script), str(tmp_path)], input=json.dumps(written), capture_output=True, text=True,
                            timeout=600, check=False)
    assert answer.returncode == 0, answer.stderr[-2000:]
    problems = json.loads(answer.stdout.strip().splitlines()[-1])
    assert not problems, "\n".join(f"{name}: {text}" for name, text in problems.items())
