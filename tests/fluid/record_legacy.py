"""Run with PaddlePaddle 2.6.2 to write legacy.json: what its operators of 1.x compute.

    /path/to/real/python tests/fluid/record_legacy.py
"""

import json
import pathlib

import numpy as np

import paddle

FLOATS = np.random.RandomState(0)
PARAM = FLOATS.randn(2, 3).astype("float32").round(3)
GRADS = [FLOATS.randn(2, 3).astype("float32").round(3) for _ in range(4)]
UPDATES = {  # name: (type, states {slot: (output slot, initial)}, attributes)
    "Ftrl": ("ftrl", {"SquaredAccumulator": ("SquaredAccumOut", 0.0), "LinearAccumulator": ("LinearAccumOut", 0.0)},
             {"l1": 0.02, "l2": 0.1, "lr_power": -0.5}),
    "Ftrl power": ("ftrl", {"SquaredAccumulator": ("SquaredAccumOut", 0.0), "LinearAccumulator": ("LinearAccumOut", 0.0)},
                   {"l1": 0.0, "l2": 0.0, "lr_power": -0.7}),
    "LarsMomentum": ("lars_momentum", {"Velocity": ("VelocityOut", 0.0)},
                     {"mu": 0.9, "lars_coeff": 0.01, "lars_weight_decay": [0.05], "epsilon": 1e-3}),
    "LarsMomentum plain": ("lars_momentum", {"Velocity": ("VelocityOut", 0.0)},
                           {"mu": 0.9, "lars_coeff": 0.01, "lars_weight_decay": [0.0], "epsilon": 0.0}),
    "DecayedAdagrad": ("decayed_adagrad", {"Moment": ("MomentOut", 0.0)}, {"decay": 0.9, "epsilon": 1e-4}),
    "Dpsgd": ("dpsgd", {}, {"clip": 1.5, "batch_size": 4.0, "sigma": 0.0, "seed": 1}),
}
SUMS = ["sum_1", "sum_2", "sum_3", "num_accumulates", "old_num_accumulates", "num_updates"]


def run(kind, inputs, outputs, attrs):
    """Outputs of one operator, by slot; inputs and outputs are {slot: array}, {slot: (shape, dtype)}."""
    main = paddle.static.Program()
    with paddle.static.program_guard(main, paddle.static.Program()):
        block = main.global_block()
        given, feed, made = {}, {}, {}
        for slot, value in inputs.items():
            name = "in_" + slot
            given[slot] = [block.create_var(name=name, shape=value.shape, dtype=str(value.dtype), is_data=True)]
            feed[name] = value
        for slot in outputs:
            made[slot] = given.get(slot.replace("out_", "in_")) or [block.create_var(name="out_" + slot, dtype=outputs[slot])]
        block.append_op(type=kind, inputs=given, outputs=made, attrs=dict(attrs))
    results = paddle.static.Executor().run(main, feed=feed, fetch_list=[v[0] for v in made.values()])
    return dict(zip(made, [np.asarray(r) for r in results]))


def updates(kind, states, attrs):
    p, kept, rows = PARAM, {slot: np.full(PARAM.shape, begin, "float32") for slot, (_, begin) in states.items()}, []
    for g in GRADS:
        found = run(kind, {"Param": p, "Grad": g, "LearningRate": np.array([0.1], "float32"), **kept},
                    {"ParamOut": "float32", **{out: "float32" for out, _ in states.values()}}, attrs)
        p, kept = found["ParamOut"], {slot: found[out] for slot, (out, _) in states.items()}
        rows.append(p.tolist())
    return {"type": kind, "attrs": attrs, "params": rows, "states": {k: v.tolist() for k, v in kept.items()}}


def averages():
    kept = {s: np.zeros(PARAM.shape if s.startswith("sum") else [1], "float32" if s.startswith("sum") else "int64") for s in SUMS}
    rows = []
    for g in GRADS * 3:
        found = run("average_accumulates", {"param": PARAM + g, **{"in_" + k: v for k, v in kept.items()}},
                    {"out_" + k: str(v.dtype) for k, v in kept.items()},
                    {"average_window": 0.5, "min_average_window": 2, "max_average_window": 4})
        kept = {k: found["out_" + k] for k in SUMS}
        rows.append({k: v.tolist() for k, v in kept.items()})
    return rows


def nce():
    """Costs of samples that custom probabilities force: every negative sample is class 3."""
    x, w = FLOATS.randn(3, 4).astype("float32").round(3), FLOATS.randn(5, 4).astype("float32").round(3)
    b, label = FLOATS.randn(5, 1).astype("float32").round(3), np.array([[1], [0], [4]], "int64")
    rows = {}
    for name, dist in {"forced": [0.0, 0.0, 0.0, 1.0, 0.0]}.items():
        found = run("nce", {"Input": x, "Label": label, "Weight": w, "Bias": b, "CustomDistProbs": np.array(dist, "float32"),
                            "CustomDistAlias": np.array([3, 3, 3, -1, 3], "int32"),
                            "CustomDistAliasProbs": np.array([0, 0, 0, 1, 0], "float32")},
                    {"Cost": "float32", "SampleLogits": "float32", "SampleLabels": "int64"},
                    {"num_total_classes": 5, "num_neg_samples": 2, "sampler": 2, "seed": 1})
        rows[name] = {k: v.tolist() for k, v in found.items()}
    for name, sampler in (("uniform", 0), ("log_uniform", 1)):
        found = run("nce", {"Input": x, "Label": label, "Weight": w, "Bias": b},
                    {"Cost": "float32", "SampleLogits": "float32", "SampleLabels": "int64"},
                    {"num_total_classes": 5, "num_neg_samples": 2, "sampler": sampler, "seed": 1})
        rows[name] = {k: v.tolist() for k, v in found.items()}
    return {"x": x.tolist(), "w": w.tolist(), "b": b.tolist(), "label": label.tolist(), "results": rows}


if __name__ == "__main__":
    paddle.enable_static()
    result = {"param": PARAM.tolist(), "grads": [g.tolist() for g in GRADS], "lr": 0.1,
              "updates": {name: updates(*row) for name, row in UPDATES.items()}, "averages": averages(), "nce": nce()}
    pathlib.Path(__file__).with_name("legacy.json").write_text(json.dumps(result, indent=1) + "\n")
