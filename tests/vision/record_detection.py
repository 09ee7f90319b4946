"""Exports small detection heads with real Paddle 2.6.2, and what they compute: data/detection*.

Run with the Python of an environment that has it: python record_detection.py
"""

import pathlib
import traceback

import numpy as np

import paddle

traceback.extract_stack = lambda *_, **__: []  # operators note who made them: paths of the machine at hand
FOLDER = pathlib.Path(__file__).parent / "data"


def nms(boxes, scores):
    """The operator that models of PaddleDetection end with; Paddle has no public function for it."""
    block = paddle.static.default_main_program().current_block()
    made = {slot: [block.create_var(dtype=kind, shape=shape)] for slot, kind, shape in (
        ("Out", "float32", [-1, 6]), ("Index", "int32", [-1, 1]), ("NmsRoisNum", "int32", [-1]))}
    block.append_op(type="multiclass_nms3", inputs={"BBoxes": boxes, "Scores": scores}, outputs=made, attrs={
        "background_label": -1, "score_threshold": 0.05, "nms_top_k": 20, "nms_threshold": 0.5, "keep_top_k": 10, "nms_eta": 1.0,
        "normalized": True})
    return made["Out"][0], made["NmsRoisNum"][0]


def main():
    paddle.enable_static()
    paddle.seed(0)
    program, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(program, startup):
        x, size = paddle.static.data("x", [-1, 3, 8, 8]), paddle.static.data("size", [-1, 2], "int32")
        given = paddle.static.data("given", [-1, 4])
        count = paddle.static.data("count", [-1], "int32")
        head = paddle.static.nn.conv2d(x, 16, 3, padding=1)
        boxes, scores = paddle.vision.ops.yolo_box(head, size, [10, 13, 16, 30], 3, 0.01, 8)
        scores = paddle.transpose(scores, [0, 2, 1])
        wanted = [*nms(boxes, scores), *paddle.vision.ops.matrix_nms(boxes, scores, 0.05, 0.0, 20, 10, background_label=-1)[:2]]
        levels, order, counts = paddle.vision.ops.distribute_fpn_proposals(given, 2, 4, 3, 100, rois_num=count)
        wanted += [*levels, order, *counts]
    executor = paddle.static.Executor(paddle.CPUPlace())
    executor.run(startup)
    rng = np.random.RandomState(0)
    corners = rng.uniform(0, 100, (9, 2))
    feed = {"x": rng.randn(2, 3, 8, 8).astype("float32"), "size": np.array([[64, 64], [64, 48]], "int32"),
            "given": np.concatenate([corners, corners + rng.uniform(1, 300, (9, 2))], 1).astype("float32"),
            "count": np.array([4, 5], "int32")}
    found = [np.array(value) for value in executor.run(program, feed, wanted, return_numpy=False)]
    paddle.static.save_inference_model(str(FOLDER / "detection"), [x, size, given, count], wanted, executor, program=program)
    np.savez_compressed(FOLDER / "detection.npz", **feed, **{f"out{k}": value for k, value in enumerate(found)})


if __name__ == "__main__":
    main()
