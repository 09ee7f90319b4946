"""Programs of the op cases, written by us, run by real paddlepaddle 2.6 and 3.3: same shapes, dtypes and values.

PADDLE_ORACLE_PYTHON and PADDLE3_ORACLE_PYTHON name the interpreters of virtual environments that have them; `make test-all`
prepares them. That we read the files again ourselves needs neither.
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
from paddle.core.context import changed, context
from paddle.static.program.op_table import knows

ORACLES = {"pdmodel": "PADDLE_ORACLE_PYTHON", "json": "PADDLE3_ORACLE_PYTHON"}

LEVELS = {"distribute_fpn_proposals": "without rois_num it needs lengths (LoD), which are not fed here",
          "distribute_fpn_proposals-2": "gives lengths besides, and the Executor then makes no arrays"}
REFUSED = {  # programs that 2.6.2 refuses, or whose answer is nobody's promise
    **LEVELS,
    "unfold": "tensor_unfold has no static kernel", "as_strided": "no static kernel", "view": "view_dtype has no static kernel",
    **dict.fromkeys(("svd_complex", "svd_complex_vectors", "svd_full_vectors-4", "sqrt_complex", "square_complex", "log_complex"),
                    "no kernel for complex numbers"),
    "maxout": "takes four axes only", "margin_cross_entropy": "no kernel for a CPU",
    **dict.fromkeys(("sample_neighbors", "graph_khop_sampler"), "throws std::length_error"),
    **dict.fromkeys(("batch_norm", "rmsprop"), "wants its results in the variables it reads"),
    **dict.fromkeys(("dropout", "dropout-3"), "a saved model is one for inference: nothing is dropped"),
    **dict.fromkeys(("fake_quantize", "fake_quantize_moving_average_abs_max"),
                    "a saved model is one for inference: its scale does not follow"),
    **dict.fromkeys(("norm-9", "fake_quantize_range_abs_max"), "a saved model is one for inference: no second result"),
    "fake_channel_wise_quantize_abs_max": "a saved model is one for inference: it takes scales of training, not fed here",
    "sigmoid_cross_entropy_with_logits-2": "2.6.2 weighs labels between 0 and 1 twice; 3.3.1 and the formula do not",
    "rnnt_loss": "takes int32 lengths only",
    **dict.fromkeys(("sequence_erase", "ctc_align", "beam_search", "sequence_expand", "sequence_concat", "sequence_unpad",
                     "sequence_reshape", "sequence_slice", "lod_reset", "lod_reset-2", "im2sequence"),
                    "dies without lengths (LoD), which are not among the arrays that are fed here"),
    "reshape-2": "sizes of 0 are not known there", "topk-4": "the order of equal elements is left open",
}
REFUSED_BY_3 = {**LEVELS, "view": "view_dtype has no static kernel", "as_strided": "no static kernel",
                "maxout": "takes four axes only",
                "margin_cross_entropy": "no kernel for a CPU", "topk-4": "the order of equal elements is left open",
                **dict.fromkeys(("batch_norm", "dropout", "dropout-3"), "a saved model is one for inference")}


def write(case, folder, kind="pdmodel"):
    """Write a case as an inference model with its inputs and our outputs; False if Paddle has no such ops."""
    arrays = case.arrays("float32")
    feed = {}
    main = static.Program()
    paddle.enable_static()
    try:
        with static.program_guard(main, static.Program()), changed(own_rules=context.rules.unchecked()):
            inputs = [opcase.as_inputs(a, feed) for a in arrays]
            out = opcase.flat(case.fn(*inputs, **case.attrs))
            if any(o is v for o in out for v in opcase.flat(inputs)):
                return False  # nothing to do
            if kind == "pdmodel" and not all(knows(op.type) for op in main.global_block().ops):
                return False
            run = static.Executor()
            values = run.run(main, feed=feed, fetch_list=out)
            used = {n for op in main.global_block().ops for n in op.input_arg_names}
            wanted = [v for v in opcase.flat(inputs) if isinstance(v, static.Variable) and v.name in used]
            try:
                static.save_inference_model(str(folder / "model"), wanted, out, run, program=main, format=kind)
            except NotImplementedError:  # an op of Paddle's with inputs that its files do not have
                return False
    finally:
        paddle.disable_static()
    np.savez(folder / "inputs.npz", **{v.name: feed[v.name] for v in wanted})
    np.savez(folder / "outputs.npz", **{str(k): v for k, v in enumerate(values)})
    return True


def write_all(root, kind, refused):
    """Write all cases but those refused; returns the names of those that Paddle has the operators of."""
    written = []
    for case in opcase.load_cases():
        if opcase.applies(case, "static") and case.ref is not None and case.name not in refused and case.id not in refused:
            folder = root / case.id
            folder.mkdir()
            if write(case, folder, kind):
                written.append(case.id)
    return written


def test_json_programs_read_again(tmp_path):
    """What is written as .json means the same when it is read: every operator of the cases, there and back."""
    written = write_all(tmp_path, "json", ("batch_norm", "dropout"))
    assert len(written) > 600
    for name in written:
        folder = tmp_path / name
        inputs, outputs = (dict(np.load(folder / f"{kind}.npz")) for kind in ("inputs", "outputs"))
        with static.scope_guard(static.Scope()):
            program, feeds, fetches = static.load_inference_model(str(folder / "model"), static.Executor())
            got = static.Executor().run(program, {n: inputs[n] for n in feeds}, fetches)
            assert len(got) == len(outputs), name
            for k, value in enumerate(got):
                expected = outputs[str(k)]
                assert (value.shape, value.dtype) == (expected.shape, expected.dtype), name
                np.testing.assert_allclose(value, expected, rtol=1e-5, atol=1e-6, err_msg=name)


@pytest.mark.oracle
@pytest.mark.parametrize("kind, refused, least", [("pdmodel", REFUSED, 100), ("json", REFUSED_BY_3, 600)])
def test_real_paddle_runs_our_programs(tmp_path, kind, refused, least):
    oracle = os.environ.get(ORACLES[kind], "")
    if not oracle:
        pytest.skip(f"{ORACLES[kind]} does not name a Python with paddlepaddle")
    written = write_all(tmp_path, kind, refused)
    assert len(written) > least
    script = pathlib.Path(__file__).with_name("run_in_paddle.py")
    answer = subprocess.run([oracle, str(script), str(tmp_path)], input=json.dumps(written), capture_output=True, text=True,
                            timeout=600, check=False)
    assert answer.returncode == 0, answer.stderr[-2000:]
    problems = json.loads(answer.stdout.strip().splitlines()[-1])
    assert not problems, "\n".join(f"{name}: {text}" for name, text in problems.items())
