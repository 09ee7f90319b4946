"""Run with PaddlePaddle 2.6 to write recorded/packed.* and recorded/beams.*: models over packed sequences, with real outputs.

    /path/to/real/python tests/fluid/record_models.py
"""

import os

import numpy as np

import paddle
from paddle.base.layer_helper import LayerHelper
from paddle.static.nn.control_flow import While

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "recorded")
NN = paddle.static.nn


def operator(kind, inputs, outputs, **attrs):
    helper = LayerHelper(kind)
    made = {slot: helper.create_variable_for_type_inference(dtype) for slot, dtype in outputs.items()}
    helper.append_op(type=kind, inputs=inputs, outputs=made, attrs=attrs)
    return list(made.values())


def lod_tensor(array, lengths):
    return paddle.base.create_lod_tensor(array, lengths, paddle.CPUPlace())


def save(name, feeds, fetches, feed):
    """Write the model and what it gave."""
    exe = paddle.static.Executor(paddle.CPUPlace())
    exe.run(paddle.static.default_startup_program())
    results = exe.run(feed=feed, fetch_list=fetches, return_numpy=False)
    model = paddle.static.normalize_program(paddle.static.default_main_program(), feeds, fetches)
    for block in model.blocks:
        for op in block.ops:
            op.desc.remove_attr("op_callstack")  # it names files of the machine at hand
    prefix = os.path.join(HERE, name)
    paddle.static.save_to_file(prefix + ".pdmodel", model.desc.serialize_to_string())
    paddle.static.save_to_file(prefix + ".pdiparams", paddle.static.serialize_persistables(feeds, fetches, exe))
    found = {}
    for k, r in enumerate(results):
        found[f"out{k}"] = np.array(r)
        found[f"lod{k}"] = np.array([n for level in r.lod() for n in [-1, *level]], "int64")
    np.savez_compressed(prefix + ".npz", **found)


def packed():
    words = paddle.static.data("words", [-1, 1], "int64", lod_level=1)
    rows = paddle.reshape(NN.embedding(words, [12, 4]), [-1, 4])
    joined = NN.sequence_concat([rows, NN.sequence_reverse(rows)])
    weight, bias = (paddle.static.create_parameter(s, "float32") for s in ([4, 16], [1, 28]))
    hidden, _, _, _ = operator("lstm", {"Input": NN.fc(joined, 16), "Weight": weight, "Bias": bias}, {
        "Hidden": "float32", "Cell": "float32", "BatchGate": "float32", "BatchCellPreAct": "float32"}, use_peepholes=True,
        gate_activation="sigmoid", cell_activation="tanh", candidate_activation="tanh", is_reverse=False)
    conv = NN.sequence_conv(hidden, 5, 3, act="tanh")
    pooled = NN.sequence_pool(conv, "max")
    back = NN.sequence_expand_as(pooled, conv)
    save("packed", [words], [NN.fc(pooled, 3, activation="softmax"), NN.sequence_softmax(NN.fc(conv + back, 1))],
         {"words": lod_tensor(np.array([[1], [7], [3], [11], [5], [2]]), [[2, 3, 1]])})


def beams():
    size, words, beam, end = 6, 9, 3, 1
    ids0 = paddle.static.data("ids", [-1, 1], "int64", lod_level=2)
    scores0 = paddle.static.data("scores", [-1, 1], "float32", lod_level=2)
    state0 = paddle.static.data("state", [-1, size], "float32")
    counter, limit = paddle.zeros([1], "int64"), paddle.full([1], 5, "int64")
    ids_array, scores_array, states = (paddle.tensor.array_write(v, counter) for v in (ids0, scores0, state0))
    going = paddle.less_than(counter, limit)
    with While(going).block():
        ids, scores, state = (paddle.tensor.array_read(a, counter) for a in (ids_array, scores_array, states))
        word = paddle.reshape(NN.embedding(ids, [words, 4], param_attr=paddle.ParamAttr(
            initializer=paddle.nn.initializer.Normal(0, 2))), [-1, 4])
        state = NN.fc([NN.sequence_expand(state, scores), word], size, activation="tanh")
        with_lod, = operator("lod_reset", {"X": state, "Y": scores}, {"Out": "float32"})
        chances = NN.fc(with_lod, words, activation="softmax", weight_attr=paddle.ParamAttr(
            initializer=paddle.nn.initializer.Normal(0, 2)))
        top, which = operator("top_k", {"X": chances}, {"Out": "float32", "Indices": "int64"}, k=beam)
        total, = operator("elementwise_add", {"X": paddle.log(top), "Y": paddle.reshape(scores, [-1])}, {"Out": "float32"}, axis=0)
        best_ids, best_scores, _ = operator(
            "beam_search", {"pre_ids": ids, "pre_scores": scores, "ids": which, "scores": total},
            {"selected_ids": "int64", "selected_scores": "float32", "parent_idx": "int32"}, level=0, beam_size=beam, end_id=end,
            is_accumulated=True)
        paddle.increment(counter, 1)
        for value, array in ((best_ids, ids_array), (best_scores, scores_array), (state, states)):
            paddle.tensor.array_write(value, counter, array)
        empty, = operator("is_empty", {"X": best_ids}, {"Out": "bool"})
        paddle.assign(paddle.logical_and(paddle.less_than(counter, limit), paddle.logical_not(empty)), going)
    outs = operator("beam_search_decode", {"Ids": ids_array, "Scores": scores_array},
                    {"SentenceIds": "int64", "SentenceScores": "float32"}, beam_size=beam, end_id=end)
    each = [[1] * 4] * 2
    save("beams", [ids0, scores0, state0], outs, {
        "ids": lod_tensor(np.full([4, 1], 2, "int64"), each), "scores": lod_tensor(np.zeros([4, 1], "float32"), each),
        "state": np.random.RandomState(0).uniform(-1, 1, (4, size)).astype("float32")})


if __name__ == "__main__":
    paddle.enable_static()
    for build in (packed, beams):
        paddle.seed(3)
        with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
            build()
