"""Run with PaddlePaddle 2.6.2 to write recorded/detection.json: what its operators make of the calls in detection_cases.py.

    /path/to/real/python tests/fluid/record_detection.py
"""

import json
import pathlib

import numpy as np
from detection_cases import CASES

import paddle
from paddle.base import core


def run(kind, inputs, outputs, attrs):
    """[[shape, dtype, lengths, values], ...] of a program with one operator."""
    main, feed, names = paddle.static.Program(), {}, {}
    block = main.global_block()
    for slot, given in inputs.items():
        names[slot] = []
        for k, one in enumerate(given if isinstance(given, list) else [given]):
            array, lengths = one if isinstance(one, tuple) else (one, [])
            name = f"{slot}_{k}"
            names[slot].append(name)
            block.create_var(name=name, shape=array.shape, dtype=str(array.dtype), lod_level=len(lengths), is_data=True,
                             need_check_feed=False)
            feed[name] = core.LoDTensor()
            feed[name].set(array, paddle.CPUPlace())
            feed[name].set_recursive_sequence_lengths(lengths)
    for name in outputs:
        block.create_var(name=name, dtype="float32", shape=[1])
    block.append_op(type=kind, inputs=names, outputs={name: [name] for name in outputs}, attrs=attrs)
    found = paddle.static.Executor().run(main, feed=feed, fetch_list=outputs, return_numpy=False)
    return [[list(t.shape()), str(np.array(t).dtype), t.recursive_sequence_lengths(),
             [round(v, 5) for v in np.array(t).reshape(-1).tolist()]] for t in found]


if __name__ == "__main__":
    paddle.enable_static()
    lines = ",\n".join(json.dumps([case[0], run(*case)], separators=(",", ":")) for case in CASES)
    (pathlib.Path(__file__).parent / "recorded" / "detection.json").write_text(f"[\n{lines}\n]\n")
