"""Records what the operators of quantization give in real Paddle 2.6.2: operators.json.

Run with the Python of an environment that has it: python record_operators.py
"""

import json
import pathlib

import numpy as np

import paddle

X = ((np.arange(24) % 7 - 3.0) * np.linspace(0.3, 1.7, 24)).reshape(2, 3, 4).astype("float32").round(3)
MOVING = {"InScale": [2.0], "InAccum": [3.0], "InState": [1.5]}
NEW = ["OutScale", "OutState", "OutAccum"]
SCALES = {-1: [2.0], 0: [1.0, 2.0], 1: [1.0, 2.0, 3.0]}


def cases():
    """(type, inputs beside X, attributes, outputs)."""
    for kind in ("fake_quantize", "fake_quantize_dequantize"):
        for round_type in (0, 1):
            common = {"bit_length": 4, "round_type": round_type}
            yield f"{kind}_abs_max", {}, common, ["Out", "OutScale"]
            yield f"{kind}_moving_average_abs_max", MOVING, common, ["Out", *NEW]
            yield f"{kind}_moving_average_abs_max", {"InScale": [2.0]}, {**common, "is_test": True}, ["Out"]
            for axis in (0, 1):
                channels = kind.replace("fake_", "fake_channel_wise_")
                yield f"{channels}_abs_max", {}, {**common, "quant_axis": axis}, ["Out", "OutScale"]
    yield "fake_quantize_range_abs_max", {"InScale": [2.0]}, {"bit_length": 4, "is_test": True}, ["Out"]
    yield "moving_average_abs_max_scale", {k: v for k, v in MOVING.items() if k != "InScale"}, {}, ["Out", *NEW]
    yield "fake_dequantize_max_abs", {"Scale": [2.0]}, {"max_range": 7.0}, ["Out"]
    for axis in (0, 1):
        yield "fake_channel_wise_dequantize_max_abs", {"Scales": [SCALES[axis]]}, {"quant_bits": [4], "quant_axis": axis}, ["Out"]
    yield "fake_channel_wise_dequantize_max_abs", {"Scales": [[1.0, 2.0, 3.0], [5.0]]}, {"quant_bits": [4, 8]}, ["Out"]
    yield ("fake_channel_wise_dequantize_max_abs", {"Scales": [[1.0, 2.0, 3.0, 4.0], [5.0]]},
           {"quant_bits": [4, 8], "quant_axis": 1, "x_num_col_dims": 2}, ["Out"])
    for axis, scale in SCALES.items():
        given = {"Scale": scale, "ZeroPoint": [0.0] * len(scale)}
        for round_type in (0, 1):
            yield "quantize_linear", given, {"quant_axis": axis, "bit_length": 4, "round_type": round_type}, ["Y"]
        yield "dequantize_linear", given, {"quant_axis": axis, "bit_length": 4}, ["Y"]
    moving = {"Scale": [2.0], "ZeroPoint": [0.0], "InAccum": [3.0], "InState": [1.5]}
    for observer in (False, True):
        attrs = {"quant_axis": -1, "bit_length": 4, "is_test": False, "only_observer": observer}
        yield "quantize_linear", moving, attrs, ["Y", *NEW]
    yield ("quantize_linear", {"Scale": [1.0] * 3, "ZeroPoint": [0.0] * 3}, {"quant_axis": 1, "bit_length": 4, "is_test": False},
           ["Y", "OutScale"])


def run(kind, given, attrs, outputs):
    """What one operator gives in a program of its own."""
    main, feed, inputs = paddle.static.Program(), {}, {}
    block = main.global_block()
    for slot, values in {"X": X, **given}.items():
        inputs[slot] = []
        for value in values if slot == "Scales" else [values]:
            name = f"{slot}{len(inputs[slot])}"
            feed[name] = np.asarray(value, "float32")
            block.create_var(name=name, shape=feed[name].shape, dtype="float32")
            inputs[slot].append(name)
    made = [*outputs, *(["OutScale"] if attrs.get("is_test") and kind.startswith("fake") else [])]
    for slot in made:
        block.create_var(name=f"{slot}_of", dtype="float32")
    block.append_op(type=kind, inputs=inputs, outputs={slot: [f"{slot}_of"] for slot in made}, attrs=dict(attrs))
    return paddle.static.Executor().run(main, feed=feed, fetch_list=[f"{slot}_of" for slot in outputs])


def main():
    paddle.enable_static()
    lines = [json.dumps([*case, [[float(f"{v:.6g}") for v in np.asarray(a).ravel()] for a in run(*case)]]) for case in cases()]
    pathlib.Path(__file__).with_name("operators.json").write_text("[\n" + ",\n".join(lines) + "\n]\n")


if __name__ == "__main__":
    main()
