"""Run by real paddlepaddle 2.6: every saved model of a folder, by all the ways it can be loaded.

    PYTHON_WITH_PADDLE run_models_with_paddle.py FOLDER

FOLDER has name.pdmodel, name.pdiparams and name.npz (in_0, in_1, ...); results go to seen.npz as name|way|number.
"""

import sys
from pathlib import Path

import numpy as np

import paddle
from paddle import inference, static


def by_predictor(prefix, inputs):
    config = inference.Config(f"{prefix}.pdmodel", f"{prefix}.pdiparams")
    config.disable_glog_info()
    predictor = inference.create_predictor(config)
    for name, array in zip(predictor.get_input_names(), inputs):
        predictor.get_input_handle(name).copy_from_cpu(array)
    predictor.run()
    return [predictor.get_output_handle(name).copy_to_cpu() for name in predictor.get_output_names()]


def by_executor(prefix, inputs):
    paddle.enable_static()
    try:
        exe = static.Executor(paddle.CPUPlace())
        with static.scope_guard(static.Scope()):
            program, feeds, fetches = static.load_inference_model(str(prefix), exe)
            return exe.run(program, feed=dict(zip(feeds, inputs)), fetch_list=fetches)
    finally:
        paddle.disable_static()


def by_jit(prefix, inputs):
    outputs = paddle.jit.load(str(prefix))(*[paddle.to_tensor(a) for a in inputs])
    return [t.numpy() for t in (outputs if isinstance(outputs, (list, tuple)) else [outputs])]


def main(folder):
    seen = {}
    for model in sorted(folder.glob("*.pdmodel")):
        prefix = model.with_suffix("")
        with np.load(f"{prefix}.npz") as npz:
            inputs = [npz[f"in_{k}"] for k in range(len(npz.files))]
        for way, run in (("jit", by_jit), ("executor", by_executor), ("predictor", by_predictor)):
            try:
                outputs = run(prefix, inputs)
            except Exception as error:  # reported by the test of that model
                seen[f"{prefix.name}|{way}|error"] = np.array(f"{type(error).__name__}: {error}")
                continue
            for k, array in enumerate(outputs):
                seen[f"{prefix.name}|{way}|{k}"] = array
    np.savez(folder / "seen.npz", **seen)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
