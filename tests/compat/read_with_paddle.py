"""Runs inside a virtual environment with real paddlepaddle 2.6: loads files that our tests wrote, reports what it saw.

    python read_with_paddle.py FOLDER

Writes FOLDER/seen.npz: arrays by "file|path inside the object"; FOLDER/seen.json: names and plain values likewise.
"""
import io
import json
import os
import sys

import numpy as np

import paddle


def walk(obj, where, arrays, values):
    if isinstance(obj, paddle.Tensor):
        values[where] = {"tensor": obj.name, "dtype": str(obj.dtype), "stop_gradient": obj.stop_gradient}
        arrays[where] = obj.astype("float32").numpy() if obj.dtype == paddle.bfloat16 else obj.numpy()
    elif isinstance(obj, np.ndarray):
        arrays[where] = obj
    elif isinstance(obj, dict):
        values[where] = {"type": type(obj).__name__, "keys": list(obj)}
        for key, value in obj.items():
            walk(value, f"{where}/{key}", arrays, values)
    elif isinstance(obj, (list, tuple)):
        values[where] = {"type": type(obj).__name__, "length": len(obj)}
        for number, value in enumerate(obj):
            walk(value, f"{where}/{number}", arrays, values)
    else:
        values[where] = obj


def main(folder):
    arrays, values = {}, {}
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if name.startswith("load_"):
            walk(paddle.load(path), name, arrays, values)
        elif name.startswith("buffer_"):
            with open(path, "rb") as file:
                walk(paddle.load(io.BytesIO(file.read())), name, arrays, values)
        elif name.startswith("jit_") and name.endswith(".pdmodel"):
            run_exported(path[:-len(".pdmodel")], name, arrays, values)
        elif name.startswith("infer_"):
            run_folder(path, name, arrays)
    np.savez(os.path.join(folder, "seen.npz"), **arrays)
    with open(os.path.join(folder, "seen.json"), "w") as file:
        json.dump(values, file)


def run_exported(prefix, name, arrays, values):
    walk(paddle.load(prefix), name + "|state", arrays, values)
    layer = paddle.jit.load(prefix)
    layer.eval()
    with np.load(prefix + ".npz") as given:
        arrays[name + "|out"] = layer(paddle.to_tensor(given["in_0"])).numpy()
        config = paddle.inference.Config(prefix + ".pdmodel", prefix + ".pdiparams")
        config.disable_glog_info()
        predictor = paddle.inference.create_predictor(config)
        handle = predictor.get_input_handle(predictor.get_input_names()[0])
        handle.copy_from_cpu(given["in_0"])
        predictor.run()
        arrays[name + "|predicted"] = predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()
    values[name + "|names"] = {key: value.name for key, value in layer.state_dict().items()}


def run_folder(path, name, arrays):
    paddle.enable_static()
    executor = paddle.static.Executor(paddle.CPUPlace())
    program, feeds, fetches = paddle.static.load_inference_model(
        path, executor, model_filename="__model__", params_filename="__params__")
    with np.load(os.path.join(path, "io.npz")) as given:
        arrays[name] = executor.run(program, feed={feeds[0]: given["in_0"]}, fetch_list=fetches)[0]
    paddle.disable_static()


if __name__ == "__main__":
    main(sys.argv[1])
