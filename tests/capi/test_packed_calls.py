"""Operators over sequences and over packed boxes, called by hand: projected LSTMs beside a loop of NumPy, and what is refused."""

import numpy as np
import pytest
from capi.library import Failed, Model
from capi.test_calls import BOXES, call, operator, program, real, rows, variable, whole

DRAW = np.random.RandomState(11)
ENDS = [0, 2, 3, 6]
GATES, WEIGHT, PROJECT, BIAS = (DRAW.uniform(-1, 1, shape).astype("float32") for shape in ((6, 12), (2, 12), (3, 2), (1, 21)))
H0, C0 = (DRAW.uniform(-1, 1, (3, n)).astype("float32") for n in (2, 3))
LSTMP = {"use_peepholes": True, "is_reverse": False, "gate_activation": "sigmoid", "cell_activation": "tanh",
 "candidate_activation": "tanh",
         "proj_activation": "identity", "cell_clip": 0.0, "proj_clip": 0.0}
INPUTS = {"Input": (GATES, [ENDS]), "Weight": WEIGHT, "ProjWeight": PROJECT, "Bias": BIAS}


def projected(attrs, h0=None, c0=None):
    """(projection, cell) of every row; gates are candidate, input, forget, output, and peepholes lie behind the bias."""
    def sigmoid(x):
        return 1 / (1 + np.exp(-x))
    shown, cells = np.zeros((6, 2)), np.zeros((6, 3))
    bias = BIAS[0].astype("float64")
    peep = bias[12:].reshape(3, 3) if attrs["use_peepholes"] else np.zeros((3, 3))
    for n in range(3):
        h, c = (np.zeros(w) if given is None else given[n].astype("float64") for given, w in ((h0, 2), (c0, 3)))
        steps = range(ENDS[n], ENDS[n + 1])
        for t in reversed(steps) if attrs["is_reverse"] else steps:
            z = (h @ WEIGHT + GATES[t] + bias[:12]).reshape(4, 3)
            c = sigmoid(z[2] + c * peep[1]) * c + sigmoid(z[1] + c * peep[0]) * np.tanh(z[0])
            c = np.clip(c, -attrs["cell_clip"], attrs["cell_clip"]) if attrs["cell_clip"] else c
            h = sigmoid(z[3] + c * peep[2]) * np.tanh(c) @ PROJECT
            h = np.tanh(h) if attrs["proj_activation"] == "tanh" else h
            h = np.clip(h, -attrs["proj_clip"], attrs["proj_clip"]) if attrs["proj_clip"] else h
            shown[t], cells[t] = h, c
    return shown, cells


@pytest.mark.parametrize("attrs, first", [({}, {}), ({"is_reverse": True}, {}), ({"use_peepholes": False}, {}),
  ({"cell_clip": 0.2}, {}),
                                          ({"proj_clip": 0.1, "proj_activation": "tanh"}, {}), ({}, {"H0": H0, "C0": C0}),
                                          ({"is_reverse": True}, {"H0": H0})])
def test_projected_lstm(attrs, first):
    attrs = {**LSTMP, **attrs}
    inputs = {**INPUTS, **first, **({} if attrs["use_peepholes"] else {"Bias": BIAS[:, :12].copy()})}
    for got, expected in zip(call("lstmp", inputs, attrs, ("Projection", "Cell")),
     projected(attrs, first.get("H0"), first.get("C0"))):
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5)


def test_wide_numbers():
    inputs = {slot: (x[0].astype("float64"), x[1]) if isinstance(x, tuple) else x.astype("float64") for slot, x in INPUTS.items()}
    attrs = {**LSTMP, "cell_clip": 0.2, "proj_clip": 0.1}
    for got, expected in zip(call("lstmp", inputs, attrs, ("Projection", "Cell")), projected(attrs)):
        np.testing.assert_allclose(got, expected, rtol=1e-6)


WIDE = {slot: x.astype("float64") for slot, x in INPUTS.items() if slot != "Input"}
BEAM = {"beam_size": 2, "end_id": 0, "level": 0, "is_accumulated": True}
PRE = {"pre_ids": (whole([1], [2]), [[0, 1, 2], [0, 1, 2]]), "pre_scores": real(2, 1), "ids": whole([1, 2], [3, 4]),
       "scores": (real(2, 2), [[0, 1, 2], [0, 1, 2]])}
REFUSED = [
    *(("lstmp", {**INPUTS, **inputs}, {**LSTMP, **attrs}, words) for inputs, attrs, words in [
        ({"Input": (GATES.astype("int64"), [ENDS])}, {}, "Input must be float32"), ({"Input": GATES}, {}, "Input has no sequences"),
        ({"Input": (GATES.reshape(6, 3, 4), [ENDS])}, {}, "Input must be rows"), ({"Weight": None}, {}, "Weight has no value"),
        ({"Bias": None}, {}, "Bias has no value"), ({"ProjWeight": None}, {}, "ProjWeight has no value"),
        ({"ProjWeight": PROJECT[0]}, {}, "ProjWeight does not fit"), ({"ProjWeight": real(4, 2)}, {}, "ProjWeight does not fit"),
        ({"ProjWeight": WIDE["ProjWeight"]}, {}, "ProjWeight does not fit"),
        ({"Input": (real(6, 13), [ENDS])}, {}, "does not fit Input"),
        ({"Weight": WEIGHT[0]}, {}, "does not fit Input with peepholes"), ({"Weight": real(3, 12)}, {}, "does not fit Input"),
        ({"Weight": real(2, 8)}, {}, "does not fit Input"), ({"Bias": real(1, 12)}, {}, "does not fit Input with peepholes"),
        ({}, {"use_peepholes": False}, "Weight or Bias does not fit Input$"),
        ({"Weight": WIDE["Weight"]}, {}, "does not fit Input"),
        ({"Bias": WIDE["Bias"]}, {}, "does not fit Input"), ({"H0": real(3)}, {}, "H0 must be .3, 2"),
        ({"H0": real(2, 2)}, {}, "H0 must be .3, 2"),
        ({"H0": real(3, 3)}, {}, "H0 must be .3, 2"), ({"C0": real(3, 2)}, {}, "C0 must be .3, 3"),
        ({"C0": C0.astype("float64")}, {}, "C0 must be .3, 3.*of Input's type"),
        *(({}, {f"{name}_activation": "gelu2"}, "gelu2") for name in ("gate", "cell", "candidate", "proj"))]),
    *(("beam_search", {**PRE, **inputs}, {**BEAM, **attrs}, words) for inputs, attrs, words in [
        ({"pre_ids": None}, {}, "pre_ids has no value"), ({"pre_scores": None}, {}, "pre_scores has no value"),
        ({"scores": None}, {}, "scores has no value"),
        ({"scores": whole([1, 2], [3, 4])}, {}, "scores must be float32"),
        ({"pre_scores": whole(1, 2)}, {}, "pre_scores must be float32"),
        ({"scores": real(4)}, {}, "scores must be .2, candidates"), ({"scores": real(3, 2)}, {}, "scores must be .2, candidates"),
        ({"pre_scores": real(3, 1)}, {}, "scores must be"), ({}, {"beam_size": 0}, "beam_size positive"),
        ({"ids": whole(1, 2, 3)}, {}, "ids as many"),
        ({}, {"level": 7}, "need sequences on level 7"), ({}, {"level": -7}, "need sequences on level -7")]),
    ("beam_search_decode", {"Ids": None}, {"beam_size": 1}, "Ids or Scores is missing"),
    ("beam_search_decode", {"Ids": None, "Scores": None}, {"beam_size": 1}, "the arrays are empty"),
    *(("box_clip", inputs, {}, words) for inputs, words in [
        ({"Input": rows(2, 1, 2, width=4), "ImInfo": None}, "ImInfo has no value"),
        ({"Input": np.ones((2, 4), "float32"), "ImInfo": real(1, 3)}, "no sequences"),
        ({"Input": rows(2, 1, 2, width=4, dtype="int64"), "ImInfo": real(2, 3)}, "Input must be float32"),
        ({"Input": rows(2, 1, 2, width=3), "ImInfo": real(2, 3)}, "boxes of 4 numbers"),
        ({"Input": rows(2, 2, width=4), "ImInfo": real(2, 3)}, "1 pictures")]),
    *(("collect_fpn_proposals", inputs, {"post_nms_topN": 3}, words) for inputs, words in [
        ({"MultiLevelRois": [rows(2, 2, width=4)]}, "must be as many"), ({"MultiLevelScores": [real(2)]}, "must be as many"),
        ({"MultiLevelRois": [rows(2, 2, width=4)], "MultiLevelScores": [real(2), real(2)]}, "must be as many"),
        ({"MultiLevelRois": [None], "MultiLevelScores": [real(2)]}, "MultiLevelRois has no value"),
        ({"MultiLevelRois": [rows(2, 2, width=4)], "MultiLevelScores": [None]}, "MultiLevelScores has no value"),
        ({"MultiLevelRois": [BOXES], "MultiLevelScores": [real(1)]}, "no sequences"),
        ({"MultiLevelRois": [rows(2, 2, width=3)], "MultiLevelScores": [real(2)]}, "MultiLevelRois must be boxes"),
        ({"MultiLevelRois": [rows(2, 2, width=4), rows(2, 1, 2, width=4)], "MultiLevelScores": [real(2), real(2)]},
         "levels of 1 and 2 pictures"),
        ({"MultiLevelRois": [rows(2, 2, width=4)], "MultiLevelScores": [real(3)]}, "a score and a picture for each box")]),
    *(("density_prior_box", {"Input": real(1, 1, 2, 2), "Image": real(1, 1, 4, 4)}, attrs, words) for attrs, words in [
        ({"fixed_sizes": [1.0] * 65}, "fixed_sizes"), ({"fixed_sizes": [1.0], "fixed_ratios": [1.0] * 65}, "fixed_ratios"),
        ({"fixed_sizes": [1.0], "fixed_ratios": [1.0], "densities": [1] * 65}, "densities"),
        ({"fixed_sizes": [1.0], "fixed_ratios": [1.0], "densities": [40]}, "more than 1024 boxes")]),
    *((name, inputs, {}, words) for name in ("while", "conditional_block") for inputs,
     words in [({"X": real(1)}, "sub_block 0 is not a block")]),
]


@pytest.mark.parametrize("type_, inputs, attrs, words", REFUSED, ids=[f"{k}-{row[0]}" for k, row in enumerate(REFUSED)])
def test_refused(type_, inputs, attrs, words):
    with pytest.raises(Failed, match=words) as told:
        call(type_, inputs, attrs)
    assert type_ in str(told.value)


def written(x, *steps):
    """Arrays ``ids`` and ``scores`` of beams: each step is (ids, scores, offsets); what beam_search_decode says of them."""
    feeds, ops, lod = {}, [], []
    for t, (ids, scores, levels) in enumerate(steps):
        for name, value in (("ids", ids), ("scores", scores)):
            feeds[f"{name}{t}"], feeds[f"{name}at{t}"] = value, whole(t)
            lod += [levels, []]
            ops.append(operator("write_to_array", {"X": f"{name}{t}", "I": f"{name}at{t}"}, {"Out": name}))
    ops.append(operator("beam_search_decode", {"Ids": "ids", "Scores": "scores"},
      {"SentenceIds": "words", "SentenceScores": "worth"}, **x))
    model = Model(program(feeds, ops, ["words", "worth"], [variable("ids", "int64", array=True), variable("scores", array=True)]))
    return model(*feeds.values(), lod=lod)


STEP = (whole(5, 6), real(2), [[0, 1], [0, 2]])
NEXT = (whole(7, 0), np.float32([0.5, 3]), [[0, 2], [0, 1, 2]])


def test_sentences():
    """Two steps; the second of the better sentence is its end."""
    words, worth = written({"beam_size": 2, "end_id": 0}, STEP, NEXT)
    assert words.tolist() == [6, 0, 5, 7]
    np.testing.assert_allclose(worth, [2, 3, -1, 0.5])


@pytest.mark.parametrize("attrs, steps, message", [
    ({"beam_size": 0}, [STEP], "beam_size that fits"), ({"beam_size": 1 << 20}, [STEP], "beam_size that fits"),
    ({"beam_size": 1}, [STEP], "more than beam_size candidates"), ({"beam_size": 2}, [(*STEP[:2], [])], "there must be sources"),
    ({"beam_size": 2}, [(*STEP[:2], [[0, 2]])], "no sources and prefixes"),
    ({"beam_size": 2}, [(STEP[0], real(3), [])], "there must be sources"),
    ({"beam_size": 2}, [STEP, (*NEXT[:2], [[0, 1, 2], [0, 1, 2]])], "step 1 has no sources"),
    ({"beam_size": 2}, [(whole(5), real(1), [[0, 1], [0, 1]]), NEXT], "step 0 has no candidate 1"),
])
def test_sentences_that_are_damaged(attrs, steps, message):
    with pytest.raises(Failed, match=message):
        written({"end_id": 0, **attrs}, *steps)
