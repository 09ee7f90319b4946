"""Programs over packed sequences, written once and run by real Paddle 2.6 (``python sequence_programs.py``, which records
values and gradients in recorded/sequences.npz) and by ours (test_sequence.py)."""

import os
import sys

import numpy as np

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "recorded", "sequences.npz")
LENGTHS = [3, 1, 2]
PROGRAMS = {}


def program(*inputs):
    """Decorator: the function builds a program from these inputs: (shape, lengths or None, dtype)."""
    def register(build):
        PROGRAMS[build.__name__] = (inputs, build)
        return build
    return register


def rows(*shape, lengths=LENGTHS, dtype="float32"):
    """An input with sequence lengths."""
    return (sum(lengths), *shape), [lengths], dtype


def value(name, k, shape, dtype):
    """Seeded values of an input."""
    rng = np.random.RandomState(sum(map(ord, name)) + k)
    return rng.uniform(-1, 1, shape).astype(dtype) if dtype == "float32" else rng.randint(0, 5, shape).astype(dtype)


def feed_of(name):
    """(inputs as arrays with their lengths) of a program."""
    return [(value(name, k, shape, dtype), lengths) for k, (shape, lengths, dtype) in enumerate(PROGRAMS[name][0])]


for _kind in ("sum", "average", "sqrt", "max", "first", "last"):
    def _pool(paddle, x, kind=_kind):
        return [paddle.static.nn.sequence_pool(x, kind, pad_value=0.5)]
    _pool.__name__ = f"pool_{_kind}"
    program(rows(2, lengths=[3, 0, 2]))(_pool)


@program(((5, 2), [[1, 2], [2, 1, 2]], "float32"))
def pool_two_levels(paddle, x):
    inner = paddle.static.nn.sequence_pool(x, "sum")
    return [inner, paddle.static.nn.sequence_pool(inner, "average")]


@program(rows(1))
def softmax(paddle, x):
    return [paddle.static.nn.sequence_softmax(x)]


@program(rows(2), rows(3))
def concat(paddle, x, y):
    return [paddle.static.nn.sequence_concat([x, paddle.static.nn.sequence_concat([x, x])])]


@program(rows(2, lengths=[2, 1]), ((6, 1), [[2, 1], [1, 2, 3]], "float32"))
def expand_sequences(paddle, x, y):
    return [paddle.static.nn.sequence_expand(x, y, ref_level=0)]


@program(((3, 2), None, "float32"), rows(1))
def expand_rows(paddle, x, y):
    return [paddle.static.nn.sequence_expand(x, y), paddle.static.nn.sequence_expand_as(x, y)]


@program(rows(2))
def conv(paddle, x):
    half = paddle.nn.initializer.Assign(np.linspace(-1, 1, 18).reshape(6, 3).astype("float32"))
    attr = paddle.ParamAttr(initializer=half)
    return [paddle.static.nn.sequence_conv(x, 3, 3, param_attr=attr, act="tanh"),
            paddle.static.nn.sequence_conv(x, 3, 3, padding_start=0, param_attr=attr, bias_attr=False)]


@program(rows(3))
def row_conv(paddle, x):
    attr = paddle.ParamAttr(initializer=paddle.nn.initializer.Assign(np.linspace(-1, 1, 9).reshape(3, 3).astype("float32")))
    return [paddle.static.nn.row_conv(x, 2, attr, act="tanh")]


@program(rows(2), ((2,), None, "float32"))
def pad_and_unpad(paddle, x, filler):
    filler.stop_gradient = True
    padded, lengths = paddle.static.nn.sequence_pad(x, filler, maxlen=4)
    return [padded, lengths, paddle.static.nn.sequence_unpad(padded, lengths)]


@program(rows(4), rows(2))
def reshape_and_reverse(paddle, x, y):
    return [paddle.static.nn.sequence_reshape(x, 2), paddle.static.nn.sequence_reverse(y)]


@program(rows(2))
def cut(paddle, x):
    offset = paddle.assign(np.array([[1], [0], [0]], "int64"))
    length = paddle.assign(np.array([[2], [1], [1]], "int64"))
    return [paddle.static.nn.sequence_slice(x, offset, length)]


@program(rows(1, dtype="int64"))
def enumerate_ids(paddle, x):
    return [paddle.static.nn.sequence_enumerate(x, 2, pad_value=9)]


@program(((3, 6), None, "float32"), rows(1, dtype="int64"), rows(1))
def scatter(paddle, x, ids, updates):
    return [paddle.static.nn.sequence_scatter(x, ids, updates)]


@program(rows(1, dtype="int64"))
def lengths_pass_through(paddle, x):
    words = paddle.static.nn.embedding(x, [5, 3], param_attr=paddle.ParamAttr(
        initializer=paddle.nn.initializer.Assign(np.arange(15).reshape(5, 3).astype("float32"))))
    words = paddle.reshape(words, [-1, 3])
    return [paddle.static.nn.sequence_last_step(paddle.tanh(words) * 2.0)]


# ---- operators without a function in 2.6 -------------------------------------------------------------------------------------
def legacy(paddle, kind, inputs, outputs, **attrs):
    """Variables of some output slots of an operator, by its type."""
    if hasattr(paddle, "base") and hasattr(paddle.base, "layer_helper"):
        helper = paddle.base.layer_helper.LayerHelper(kind)
        made = {slot: helper.create_variable_for_type_inference(dtype) for slot, dtype in outputs.items()}
        helper.append_op(type=kind, inputs={s: v for s, v in inputs.items() if v is not None}, outputs=made, attrs=attrs)
        return [v for slot, v in made.items() if not slot.startswith("Batch") and "Exps" not in slot and slot != "Alpha"]
    from paddle.core.attributes import from_file
    from paddle.static.program.registry import find
    op = find(kind)
    found = op(*[inputs.get(slot.name) for slot in op.inputs], *from_file(op, attrs))
    named = {slot.name: v for slot, v in zip(op.outputs, found if isinstance(found, (tuple, list)) else [found])}
    return [named[slot] for slot in outputs if slot in named]


LSTM = {"Hidden": "float32", "Cell": "float32", "BatchGate": "float32", "BatchCellPreAct": "float32"}
GRU = {"BatchGate": "float32", "BatchResetHiddenPrev": "float32", "BatchHidden": "float32", "Hidden": "float32"}


def _lstm(paddle, x, h0, c0, w, b, **attrs):
    hidden, cell = legacy(paddle, "lstm", {"Input": x, "H0": h0, "C0": c0, "Weight": w, "Bias": b}, LSTM,
                          gate_activation="sigmoid", cell_activation="tanh", **attrs)
    cell.stop_gradient = True  # real Paddle passes no gradient back from it
    return [hidden, cell]


@program(rows(8), ((3, 2), None, "float32"), ((3, 2), None, "float32"), ((2, 8), None, "float32"), ((1, 14), None, "float32"))
def lstm_peepholes(paddle, x, h0, c0, w, b):
    return _lstm(paddle, x, h0, c0, w, b, use_peepholes=True, candidate_activation="tanh", is_reverse=False)


@program(rows(8), ((2, 8), None, "float32"), ((1, 8), None, "float32"))
def lstm_reverse(paddle, x, w, b):
    return _lstm(paddle, x, None, None, w, b, use_peepholes=False, candidate_activation="relu", is_reverse=True)


@program(rows(6), ((3, 2), None, "float32"), ((2, 6), None, "float32"), ((1, 6), None, "float32"))
def gru(paddle, x, h0, w, b):
    slots, act = {"Input": x, "H0": h0, "Weight": w, "Bias": b}, {"activation": "tanh", "gate_activation": "sigmoid"}
    return [*legacy(paddle, "gru", slots, GRU, is_reverse=False, origin_mode=False, **act),
            *legacy(paddle, "gru", {**slots, "Bias": None}, GRU, is_reverse=True, origin_mode=True, **act)]


@program(((3, 6), None, "float32"), ((3, 2), None, "float32"), ((2, 6), None, "float32"), ((1, 6), None, "float32"))
def gru_unit(paddle, x, h, w, b):
    outs = legacy(paddle, "gru_unit", {"Input": x, "HiddenPrev": h, "Weight": w, "Bias": b},
                  {"Gate": "float32", "ResetHiddenPrev": "float32", "Hidden": "float32"}, activation=2, gate_activation=1,
                  origin_mode=False)
    outs[0].stop_gradient = outs[1].stop_gradient = True  # real Paddle passes no gradient back from them
    return outs


CRF = {"Alpha": "float32", "EmissionExps": "float32", "TransitionExps": "float32", "LogLikelihood": "float32"}


@program(rows(5), ((7, 5), None, "float32"), rows(1, dtype="int64"))
def crf(paddle, x, w, label):
    slots = {"Emission": x, "Transition": w, "Label": label}
    return [*legacy(paddle, "linear_chain_crf", slots, CRF), *legacy(paddle, "crf_decoding", slots, {"ViterbiPath": "int64"}),
            *legacy(paddle, "crf_decoding", {**slots, "Label": None}, {"ViterbiPath": "int64"})]


@program(((2, 3, 5), None, "float32"), ((7, 5), None, "float32"), ((2, 3, 1), None, "int64"))
def crf_padded(paddle, x, w, label):
    slots = {"Emission": x, "Transition": w, "Label": label, "Length": paddle.assign(np.array([[3], [2]], "int64"))}
    return [*legacy(paddle, "linear_chain_crf", slots, CRF),
            *legacy(paddle, "crf_decoding", {**slots, "Label": None}, {"ViterbiPath": "int64"})]


@program(rows(1, dtype="int64"), rows(1, lengths=[2, 4, 1], dtype="int64"))
def distance(paddle, x, y):
    outs = {"SequenceNum": "int64", "Out": "float32"}
    return [*legacy(paddle, "edit_distance", {"Hyps": x, "Refs": y}, outs, normalized=True),
            *legacy(paddle, "edit_distance", {"Hyps": x, "Refs": y}, outs, normalized=False),
            *legacy(paddle, "sequence_erase", {"X": x}, {"Out": "int64"}, tokens=[0, 3])]


@program(rows(1, lengths=[5, 1, 6], dtype="int32"))
def alignment(paddle, x):
    return legacy(paddle, "ctc_align", {"Input": x}, {"Output": "int32"}, blank=0, merge_repeated=True)


@program(rows(1, lengths=[9, 1, 6], dtype="int64"), rows(1, lengths=[9, 1, 6], dtype="int64"))
def chunks(paddle, x, y):
    outs = {"Precision": "float32", "Recall": "float32", "F1-Score": "float32", "NumInferChunks": "int64",
            "NumLabelChunks": "int64", "NumCorrectChunks": "int64"}
    return [v for scheme, kinds in (("IOB", 2), ("IOE", 2), ("IOBES", 1), ("plain", 4)) for v in legacy(
        paddle, "chunk_eval", {"Inference": x, "Label": y}, outs, num_chunk_types=kinds, chunk_scheme=scheme)]


@program(rows(2))
def resets(paddle, x):
    out = {"Out": "float32"}
    other, = legacy(paddle, "lod_reset", {"X": x}, out, target_lod=[0, 2, 6])
    return [other, *legacy(paddle, "lod_reset", {"X": x, "Y": other}, out),
            *legacy(paddle, "lod_reset", {"X": x}, out, target_lod=[0, 1, 3, 6], append=True)]


@program(((2, 2, 3, 4), None, "float32"))
def windows(paddle, x):
    return legacy(paddle, "im2sequence", {"X": x}, {"Out": "float32"}, kernels=[2, 2], strides=[1, 2], paddings=[0, 1, 1, 0])


@program(((4, 3), None, "float32"))
def normalized_data(paddle, x):
    return [paddle.static.nn.data_norm(x, param_attr={"batch_size": 4.0, "batch_sum": 2.0, "batch_square": 8.0}, act="tanh"),
            paddle.static.nn.data_norm(x, enable_scale_and_shift=True, name="more", param_attr={"scale_w": 2.0, "bias": 0.5})]


BEAMS = [[2, 2], [1, 1, 1, 1]]


@program(((4, 1), BEAMS, "int64"), ((4, 1), BEAMS, "float32"), ((4, 3), BEAMS, "int64"), ((4, 3), BEAMS, "float32"))
def beams(paddle, pre_ids, pre_scores, ids, scores):
    outs = {"selected_ids": "int64", "selected_scores": "float32", "parent_idx": "int32"}
    slots = {"pre_ids": pre_ids, "pre_scores": pre_scores, "ids": ids, "scores": scores}
    for v in (pre_scores, scores):
        v.stop_gradient = True
    found = [legacy(paddle, "beam_search", slots, outs, level=0, beam_size=size, end_id=end, is_accumulated=True)
             for size, end in ((2, 0), (3, int(value("beams", 0, (4, 1), "int64")[0, 0])))]
    return [o for some in found for o in some[:2]]


def run(paddle, name):
    """{'<name>/out0': value, '<name>/out0.lod': lengths, '<name>/grad0': gradient of input 0, ...} of one program."""
    inputs, build = PROGRAMS[name]
    main, startup, found = paddle.static.Program(), paddle.static.Program(), {}
    with paddle.static.program_guard(main, startup):
        variables = []
        for k, (shape, lengths, dtype) in enumerate(inputs):
            x = paddle.static.data(f"x{k}", [-1 if lengths else shape[0], *shape[1:]], dtype, lod_level=len(lengths or ()))
            x.stop_gradient = dtype != "float32"
            variables.append(x)
        outs = build(paddle, *variables)
        floats = [o for o in outs if ("float" in str(o.dtype) or "FP32" in str(o.dtype)) and not o.stop_gradient]
        leaves = [v for v in variables if not v.stop_gradient]
        grads = []
        if leaves and floats:
            loss = sum(paddle.sum(o * paddle.tanh(o)) for o in floats)
            grads = paddle.static.gradients([loss], leaves)
    exe = paddle.static.Executor(paddle.CPUPlace())
    exe.run(startup)
    feed = {f"x{k}": a if lengths is None else make_lod(paddle, a, lengths) for k, (a, lengths) in enumerate(feed_of(name))}
    results = exe.run(main, feed=feed, fetch_list=[*outs, *[g for g in grads if g is not None]], return_numpy=False)
    for k, r in enumerate(results[:len(outs)]):
        found[f"{name}/out{k}"] = np.array(r)
        lod = r.lod() if hasattr(r, "lod") else []
        found[f"{name}/out{k}.lod"] = np.array([n for level in lod for n in [-1, *level]], "int64")
    for k, r in zip([k for k, g in enumerate(grads) if g is not None], results[len(outs):]):
        found[f"{name}/grad{k}"] = np.array(r)
    return found


def make_lod(paddle, array, lengths):
    """A LoDTensor of the package at hand."""
    maker = paddle.base.create_lod_tensor if not hasattr(paddle, "fluid") else paddle.fluid.create_lod_tensor
    return maker(array, lengths, paddle.CPUPlace())


if __name__ == "__main__":
    import paddle
    paddle.enable_static()
    recorded = {}
    for program_name in sys.argv[1:] or PROGRAMS:
        recorded.update(run(paddle, program_name))
    if len(sys.argv) == 1:
        os.makedirs(os.path.dirname(FILE), exist_ok=True)
        np.savez_compressed(FILE, **recorded)
    else:
        for key, array in recorded.items():
            print(key, array.tolist())
