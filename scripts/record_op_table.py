"""Write src/paddle/static/program/op_table.json: slots and attributes of every operator that Paddle 2.6 registers.

    PYTHON_WITH_PADDLE scripts/record_op_table.py

Files name operators, slots and attributes; this table says which of them real Paddle knows, of which type an attribute
is and what it is when left out. A slot ends in * (list), ? (may be absent), ~ (nobody but the gradient reads it); "extra" are
attributes that files may carry beside those, without what only devices and their libraries read. One line is one operator.
"""

import json
from pathlib import Path

from paddle.base.framework import core, get_all_op_protos

TARGET = Path(__file__).resolve().parent.parent / "src/paddle/static/program/op_table.json"
LEFT_OUT = ("c_", "fused", "fusion_", "distributed_", "pull_", "push_", "onednn", "pull", "push",
            "send", "recv", "partial_allgather", "partial_recv", "partial_send", "tensorrt", "dgc",
            "fetch_barrier", "send_barrier", "nccl", "gen_", "heter", "ngraph", "prune_gate", "random_routing", "number_count",
            "limit_by", "global_gather", "global_scatter", "alltoall", "barrier", "cinn", "enqueue", "dequeue",
            "queue_generator", "run_program", "pylayer")
DEVICES = ("op_", "mkldnn", "use_mkldnn", "use_cudnn", "with_quant", "ALGO", "workspace", "exhaustive", "fuse_", "fused_",
           "Scale_", "scale_", "Scale", "Shift", "shift_", "force_fp32", "use_quantizer", "use_onednn", "onednn", "max_q")


def slot(proto):
    marks = "*" * proto.duplicable + "?" * (proto.dispensable or proto.intermediate) + "~" * proto.intermediate
    return proto.name + marks


def row(proto):
    defaults = core.get_op_attrs_default_value(proto.type.encode())
    attrs = {}
    for attr in sorted(proto.attrs, key=lambda a: a.name):
        if attr.name.startswith("op_") or attr.name == "with_quant_attr" or attr.extra:
            continue
        default = defaults.get(attr.name)
        if isinstance(default, float):
            default = float(f"{default:.7g}") if attr.type != 15 else default
        attrs[attr.name] = [attr.type] if attr.name not in defaults or not isinstance(
            default, (bool, int, float, str, list)) else [attr.type, default]
    made = {"in": [slot(s) for s in proto.inputs if not s.extra or s.dispensable], "out": [slot(s) for s in proto.outputs],
            "attrs": attrs}
    extra = {name: [int(core.get_attrtibute_type(proto.type, name)), value]
             for name, value in sorted(core.get_op_extra_attrs(proto.type).items()) if not name.startswith(DEVICES)}
    return {**made, "extra": extra} if extra else made


def main():
    known = {p.type: p for p in get_all_op_protos()}
    rows = {name: row(p) for name, p in sorted(known.items()) if not name.startswith(LEFT_OUT) and "xpu" not in name
            and not name.endswith(("_grad", "grad_grad", "_grad2"))}
    TARGET.write_text("{\n" + ",\n".join(f'"{name}": {json.dumps(r)}' for name, r in rows.items()) + "\n}\n")
    print(len(rows), TARGET.stat().st_size)


if __name__ == "__main__":
    main()
