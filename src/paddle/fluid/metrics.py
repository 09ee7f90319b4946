"""fluid.metrics: running metrics on NumPy arrays (1.x; successor: paddle.metric)."""

import numpy as np

from ..core.addresses import lookup as _lookup
from ..static import Program, program_guard
from ..static.program import lod
from ..utils import unique_name
from . import layers

__all__ = ["MetricBase", "CompositeMetric", "Precision", "Recall", "Accuracy", "Auc", "ChunkEvaluator", "EditDistance",
           "DetectionMAP"]


class MetricBase:
    """Base of metrics: ``update`` takes values in, ``eval`` gives the result (1.x; successor: paddle.metric.Metric)."""

    def __init__(self, name=None):
        self._name = type(self).__name__ if name is None else name
        self.reset()

    def __str__(self):
        return self._name

    def reset(self):
        """Forget everything."""

    def get_config(self):
        """The metric's name and counts."""
        return {"name": self._name, "states": {k: v for k, v in vars(self).items() if not k.startswith("_")}}

    def update(self, preds, labels):
        """Take a batch in; subclasses define it."""
        raise NotImplementedError(f"{type(self).__name__} must define update()")

    def eval(self):
        """The result so far; subclasses define it."""
        raise NotImplementedError(f"{type(self).__name__} must define eval()")


class CompositeMetric(MetricBase):
    """Several metrics of the same values (1.x; successor: a list of paddle.metric.Metric)."""

    def reset(self):
        for metric in getattr(self, "_metrics", ()):
            metric.reset()
        self._metrics = getattr(self, "_metrics", [])

    def add_metric(self, metric):
        """Add one."""
        if not isinstance(metric, MetricBase):
            raise TypeError(f"add_metric(): metric must be a MetricBase, got {type(metric).__name__}")
        self._metrics.append(metric)

    def update(self, preds, labels):
        """Take a batch in, in every metric."""
        for metric in self._metrics:
            metric.update(preds, labels)

    def eval(self):
        """The results of all."""
        return [metric.eval() for metric in self._metrics]


class _Binary(MetricBase):
    def reset(self):
        self.tp = self.fp = self.fn = 0

    def update(self, preds, labels):
        """Take probabilities (or 0 and 1) and labels of a batch in."""
        said, true = np.rint(np.asarray(preds)).astype(int).reshape(-1), np.asarray(labels).astype(int).reshape(-1)
        self.tp += int(((said == 1) & (true == 1)).sum())
        self.fp += int(((said == 1) & (true != 1)).sum())
        self.fn += int(((said != 1) & (true == 1)).sum())


class Precision(_Binary):
    """True positives among what was called positive (1.x; successor: paddle.metric.Precision)."""

    def eval(self):
        """The precision so far; 0 if nothing was called positive."""
        return self.tp / (self.tp + self.fp) if self.tp + self.fp else 0.0


class Recall(_Binary):
    """True positives among what is positive (1.x; successor: paddle.metric.Recall)."""

    def eval(self):
        """The recall so far; 0 if nothing is positive."""
        return self.tp / (self.tp + self.fn) if self.tp + self.fn else 0.0


class Accuracy(MetricBase):
    """Average of accuracies weighted by batch sizes (1.x; successor: paddle.metric.Accuracy)."""

    def reset(self):
        self.value = self.weight = 0.0

    def update(self, value, weight):
        """Take the accuracy of a batch and its size in."""
        if weight < 0:
            raise ValueError(f"Accuracy.update(): weight must not be negative, got {weight}")
        self.value += float(np.asarray(value).reshape(-1)[0]) * weight
        self.weight += weight

    def eval(self):
        """The average so far."""
        if self.weight == 0:
            raise ValueError("Accuracy.eval(): nothing was taken in; call update() first")
        return self.value / self.weight


class Auc(MetricBase):
    """Area under the ROC curve, from counts of scores in steps (1.x; successor: paddle.metric.Auc)."""

    def __init__(self, name, curve="ROC", num_thresholds=4095):
        if curve != "ROC":
            raise NotImplementedError(f"Auc(): curve {curve!r} is not supported, only 'ROC'")
        self._steps = num_thresholds
        super().__init__(name)

    def reset(self):
        self.positive, self.negative = np.zeros(self._steps + 1), np.zeros(self._steps + 1)

    def update(self, preds, labels):
        """Take probabilities [N, 2] and labels of a batch in; probabilities beyond the labels do not count, as in Paddle."""
        true = np.asarray(labels).reshape(-1).astype(bool)
        at = (np.asarray(preds)[:len(true), -1] * self._steps).astype(int)
        np.add.at(self.positive, at[true], 1)
        np.add.at(self.negative, at[~true], 1)

    def eval(self):
        """The area so far; 0 without both kinds of labels."""
        p, n = np.cumsum(self.positive[::-1]), np.cumsum(self.negative[::-1])
        if not p[-1] or not n[-1]:
            return 0.0
        widths, heights = np.diff(n, prepend=0), (p + np.concatenate([[0], p[:-1]])) / 2
        return float((widths * heights).sum() / (p[-1] * n[-1]))


class ChunkEvaluator(MetricBase):
    """Precision, recall and F1 of chunks from their counts (1.x; successor: none, count by hand)."""

    def reset(self):
        self.num_infer_chunks = self.num_label_chunks = self.num_correct_chunks = 0

    def update(self, num_infer_chunks, num_label_chunks, num_correct_chunks):
        """Take the counts of a batch in."""
        def count(value):
            return int(np.asarray(value).reshape(-1)[0])
        self.num_infer_chunks += count(num_infer_chunks)
        self.num_label_chunks += count(num_label_chunks)
        self.num_correct_chunks += count(num_correct_chunks)

    def eval(self):
        """(precision, recall, F1) so far."""
        right = self.num_correct_chunks
        precision = right / self.num_infer_chunks if self.num_infer_chunks else 0.0
        recall = right / self.num_label_chunks if self.num_label_chunks else 0.0
        return precision, recall, 2 * precision * recall / (precision + recall) if right else 0.0


class EditDistance(MetricBase):
    """Average edit distance and share of wrong sequences (1.x; successor: none, count by hand)."""

    def reset(self):
        self.total_distance, self.seq_num, self.instance_error = 0.0, 0, 0

    def update(self, distances, seq_num):
        """Take the distances of a batch in."""
        distances = np.asarray(distances)
        self.seq_num += int(np.asarray(seq_num).reshape(-1)[0])
        self.instance_error += int((distances != 0).sum())
        self.total_distance += float(distances.sum())

    def eval(self):
        """(average distance, share of sequences with errors) so far."""
        if not self.seq_num:
            raise ValueError("EditDistance.eval(): nothing was taken in; call update() first")
        return self.total_distance / self.seq_num, self.instance_error / self.seq_num


class DetectionMAP:
    """Mean average precision of detections, as variables of the program that is being built (1.x; successor: none).

    Args:
        input: packed rows [class, score, x1, y1, x2, y2].
        gt_label, gt_box, gt_difficult: packed classes [rows, 1], boxes [rows, 4] and flags [rows, 1] of the truth.
    """

    def __init__(self, input, gt_label, gt_box, gt_difficult=None, class_num=None, background_label=0, overlap_threshold=0.5,
                 evaluate_difficult=True, ap_version="integral"):
        parts = [gt_label, *([] if gt_difficult is None else [gt_difficult])]
        label = layers.concat([*(layers.cast(part, gt_box.dtype) for part in parts), gt_box], 1)
        settings = {"overlap_threshold": overlap_threshold, "evaluate_difficult": evaluate_difficult, "ap_version": ap_version}
        self.cur_map = layers.detection_map(input, label, class_num, background_label, **settings)
        self.has_state, *states = self._states(class_num)
        self.accum_map = layers.detection_map(input, label, class_num, background_label, has_state=self.has_state,
                                              input_states=states, out_states=states, **settings)
        layers.fill_constant([1], "int32", 1, out=self.has_state)

    def _states(self, class_num):
        """Persistable variables for what batches leave behind, empty in the startup program."""
        kind = unique_name.generate("map_eval")

        def state(name, shape, dtype):
            return layers.create_global_var(shape, 0, dtype, persistable=True, name=f"{kind}_{name}")
        found = [state("has_state", [1], "int32"), state("accum_pos_count", [class_num, 1], "int32")]
        for name in ("accum_true_pos", "accum_false_pos"):
            found.append(lod.give(state(name, [0, 2], "float32"), [state(f"{name}@LOD_0", [class_num + 1], "int64")]))
        return found

    def get_map_var(self):
        """(precision of the batch, precision since the last reset), variables to be fetched."""
        return self.cur_map, self.accum_map

    def reset(self, executor, reset_program=None):
        """Begin anew: run a program (a new one, or the given one with this added) that empties the state."""
        program = Program() if reset_program is None else reset_program
        with program_guard(program):
            var = program.current_block().create_var(name=self.has_state.name, shape=[1], dtype="int32", persistable=True)
            layers.fill_constant([1], "int32", 0, out=var)
        executor.run(program)


__getattr__ = _lookup(__name__)
