"""Operators of detection and click-through models against what real Paddle 2.6.2 recorded, and in programs of fluid."""

import numpy as np
import pytest
from fluid.detection_cases import FOUND, LABELS, built, data, floats, random_boxes, recorded

import paddle.fluid as fluid
from paddle.fluid import layers
from paddle.fluid.dygraph import to_variable


def run(feed, fetch, program=None):
    return fluid.Executor(fluid.CPUPlace()).run(program, feed=feed, fetch_list=fetch, return_numpy=False)


@pytest.mark.parametrize("case, given", [pytest.param(case, given, id=f"{case[0]}-{k}")
                                         for k, (case, given) in enumerate(recorded())])
def test_values_and_lengths_of_real_paddle(case, given):
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        feed, outputs = built(case)
        results = run({var.name: value for var, value in feed.items()}, outputs, fluid.default_main_program())
    assert given[0] == case[0]
    for result, (shape, dtype, lengths, values) in zip(results, given[1]):
        array = np.array(result)
        assert (list(array.shape), array.dtype.name, result.recursive_sequence_lengths()) == (shape, dtype, lengths)
        np.testing.assert_allclose(array.reshape(-1), values, rtol=1e-4, atol=1e-4)


def ssd(classes=3):
    """A small detector: (feature map, loss, detections)."""
    image = layers.data("image", [3, 16, 16])
    boxes, labels = layers.data("boxes", [4], lod_level=1), layers.data("labels", [1], dtype="int64", lod_level=1)
    maps = [layers.conv2d(image, 4, 3, stride=s, padding=1, act="relu") for s in (2, 4, 8)]
    place, score, priors, spread = layers.multi_box_head(maps, image, 16, classes, [[1.0], [1.0, 2.0], [1.0]], 20, 90, flip=True)
    loss = layers.reduce_mean(layers.ssd_loss(place, score, boxes, labels, priors, spread))
    return loss, layers.detection_output(place, score, priors, spread, nms_threshold=0.45), priors


def test_a_detector_learns():
    main, startup = fluid.Program(), fluid.Program()
    main.random_seed = startup.random_seed = 3
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        loss, found, priors = ssd()
        test = main.clone(for_test=True)
        fluid.optimizer.Adam(0.03).minimize(loss)
    assert priors.shape[1] == 4
    exe, scope = fluid.Executor(fluid.CPUPlace()), fluid.Scope()
    with fluid.scope_guard(scope):
        exe.run(startup)
        image = floats(np.random.RandomState(0).rand(2, 3, 16, 16))
        feed = {"image": image, "boxes": fluid.create_lod_tensor(floats([[0.1, 0.1, 0.5, 0.5], [0.4, 0.4, 0.9, 0.9], [0.2, 0.3,
                                                                                                                      0.8, 0.7]]),
                                                                 [[2, 1]], fluid.CPUPlace()),
                "labels": fluid.create_lod_tensor(np.array([[1], [2], [1]]), [[2, 1]], fluid.CPUPlace())}
        losses = [float(np.ravel(exe.run(main, feed=feed, fetch_list=[loss])[0])[0]) for _ in range(60)]
        detected, = exe.run(test, feed=feed, fetch_list=[found], return_numpy=False)
    assert losses[-1] < 0.5 * losses[0]
    assert len(detected.recursive_sequence_lengths()[0]) == 2 and np.array(detected).shape[1] == 6


def test_levels_of_a_pyramid_keep_pictures_apart():
    rois = floats([[0, 0, 10, 10], [0, 0, 300, 300], [0, 0, 20, 20], [0, 0, 200, 250]])
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        var, fed = data("rois", (rois, [[2, 2]]))
        levels, order = layers.distribute_fpn_proposals(var, 2, 5, 4, 224)
        again = layers.collect_fpn_proposals(levels, [layers.reduce_max(level, 1, keep_dim=True) for level in levels], 2, 5, 3)
        *found, places, kept = run({"rois": fed}, [*levels, order, again], fluid.default_main_program())
    assert [t.recursive_sequence_lengths() for t in found] == [[[1, 1]], [[0, 0]], [[1, 1]], [[0, 0]]]
    assert np.array(places).ravel().tolist() == [0, 2, 1, 3]
    assert kept.recursive_sequence_lengths() == [[1, 2]]
    np.testing.assert_array_equal(np.array(kept), rois[[1, 3, 2]])


def test_precision_adds_up_over_batches():
    main, startup = fluid.Program(), fluid.Program()

    def packed(rows):
        return fluid.create_lod_tensor(np.ascontiguousarray(rows), [[len(rows)]], fluid.CPUPlace())
    with fluid.program_guard(main, startup):
        found, label = layers.data("found", [6], lod_level=1), layers.data("label", [1], lod_level=1)
        box, hard = layers.data("box", [4], lod_level=1), layers.data("hard", [1], lod_level=1)
        metric = fluid.metrics.DetectionMAP(found, label, box, hard, class_num=4, overlap_threshold=0.3)
    batches = [{"found": packed(FOUND[a:b]), "label": packed(LABELS[c:d, :1]), "box": packed(LABELS[c:d, 2:]),
                "hard": packed(LABELS[c:d, 1:2])} for a, b, c, d in ((0, 5, 0, 4), (5, 12, 4, 7))]
    whole = next(rows[0][3][0] for _, (kind, rows) in recorded() if kind == "detection_map")
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(fluid.Scope()):
        exe.run(startup)
        for order in (batches, batches[::-1]):
            values = [exe.run(main, feed=feed, fetch_list=list(metric.get_map_var())) for feed in order]
            np.testing.assert_allclose(values[0][0], values[0][1])
            np.testing.assert_allclose(values[1][1], [whole], rtol=1e-4)
            metric.reset(exe)


def test_shows_and_clicks_get_the_second_input_as_gradient():
    with fluid.dygraph.guard():
        x, counts = to_variable(floats([[1.0, 3.0, 0.5]])), to_variable(floats([[7.0, 8.0]]))
        x.stop_gradient = False
        y = layers.continuous_value_model(x, counts)
        np.testing.assert_allclose(y.numpy(), [[np.log(2), np.log(4) - np.log(2), 0.5]], rtol=1e-6)
        layers.reduce_sum(y * 2).backward()
        np.testing.assert_allclose(x.gradient(), [[7.0, 8.0, 2.0]])


def test_functions_in_a_guard():
    with fluid.dygraph.guard():
        boxes, scores = to_variable(random_boxes(6).reshape(1, 6, 4)), to_variable(floats(np.random.RandomState(1).rand(1, 2, 6)))
        assert layers.multiclass_nms(boxes, scores, 0.1, 5, 4, normalized=False).shape[1] == 6
        anchors, _ = layers.anchor_generator(to_variable(floats(np.zeros((1, 1, 2, 2)))), [16.0], [1.0], stride=[8.0, 8.0])
        assert anchors.shape == [2, 2, 1, 4]
        with pytest.raises(ValueError, match="has no sequence lengths"):
            layers.box_clip(to_variable(random_boxes(2)), to_variable(floats([[9, 9, 1]])))
        with pytest.raises(ValueError, match="stride must be"):
            layers.anchor_generator(boxes, [16.0], [1.0])


def test_files_keep_lengths(tmp_path):
    main, startup, exe = fluid.Program(), fluid.Program(), fluid.Executor(fluid.CPUPlace())
    with fluid.program_guard(main, startup), fluid.scope_guard(fluid.Scope()):
        var, fed = data("boxes", (random_boxes(5, 150.0, 8), [[2, 3]]))
        info, sizes = data("info", floats([[100, 110, 1.0], [90, 100, 2.0]]))
        cut = layers.box_clip(var, info)
        want, = exe.run(main, feed={"boxes": fed, "info": sizes}, fetch_list=[cut], return_numpy=False)
        with pytest.warns(UserWarning, match="has no parameters"):
            fluid.io.save_inference_model(str(tmp_path), ["boxes", "info"], [cut], exe, main)
        program, names, fetch = fluid.io.load_inference_model(str(tmp_path), exe)
        got, = exe.run(program, feed=dict(zip(names, (fed, sizes))), fetch_list=fetch, return_numpy=False)
    assert got.recursive_sequence_lengths() == want.recursive_sequence_lengths() == [[2, 3]]
    np.testing.assert_array_equal(np.array(got), np.array(want))


def test_shapes_are_known_before_a_program_runs():
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        x, quads = fluid.data("x", [100, 8, 28, 28]), fluid.data("quads", [2, 8], lod_level=1)
        assert [v.shape for v in layers.roi_perspective_transform(x, quads, 7, 5)] == [(2, 8, 7, 5), (2, 1, 7, 5), (2, 9)]
        assert layers.prroi_pool(x, fluid.data("rois", [3, 4], lod_level=1), 1.0, 2, 3).shape == (3, 8, 2, 3)
        boxes, matches = fluid.data("boxes", [4, 20, 4], lod_level=1), fluid.data("matches", [8, 20], "int32")
        assert [v.shape for v in layers.target_assign(boxes, matches, mismatch_value=0)] == [(8, 20, 4), (8, 20, 1)]
        with pytest.raises(ValueError, match="confidence .N, boxes, classes."):
            layers.ssd_loss(fluid.data("place", [10, 4]), fluid.data("score", [10, 21]), boxes, matches, boxes)
