"""fluid.evaluator: metrics that the program itself adds up over batches, in persistable variables."""

import numpy as np

from ..core.addresses import lookup as _lookup
from ..static.program.program import Program, default_main_program, program_guard
from ..utils import unique_name
from . import layers
from . import metrics as counted

__all__ = ["ChunkEvaluator", "EditDistance", "DetectionMAP"]


class Evaluator:
    """Base of evaluators (1.x; successor: paddle.metric.Metric): ``states`` are added up by the main program at each run,
    ``metrics`` are those of the batch."""

    def __init__(self, name):
        if default_main_program().current_block().idx != 0:
            raise ValueError(f"{type(self).__name__}(): an evaluator must be made outside of loops and branches")
        self.states, self.metrics, self._name = [], [], unique_name.generate(name)

    def _add_up(self, suffix, value):
        """Append to the program that a state grows by a value of shape [1]; returns the state."""
        state = layers.create_global_var([1], 0, value.dtype, persistable=True, name=f"{self._name}_{suffix}")
        layers.sums([state, layers.reshape(value, [1])], out=state)
        self.states.append(state)
        return state

    def _copies(self, program):
        """The states as variables of another program."""
        return [program.current_block().create_var(name=state.name, shape=state.shape, dtype=state.dtype, persistable=True)
                for state in self.states]

    def reset(self, executor, reset_program=None):
        """Begin anew: run a program (a new one, or the given one with this added) that sets the states to 0."""
        program = Program() if reset_program is None else reset_program
        with program_guard(program):
            for state in self._copies(program):
                layers.fill_constant([1], state.dtype, 0, out=state)
        executor.run(program)

    def eval(self, executor, eval_program=None):
        """The metric over all batches since the last reset; subclasses define it."""
        raise NotImplementedError(f"{type(self).__name__} must define eval()")

    def _totals(self, executor, eval_program):
        program = Program() if eval_program is None else eval_program
        return [np.asarray(value) for value in executor.run(program, fetch_list=self._copies(program))]


class ChunkEvaluator(Evaluator):
    """Precision, recall and F1 of chunks over batches (1.x; successor: paddlenlp.metrics.ChunkEvaluator)."""

    def __init__(self, input, label, chunk_scheme, num_chunk_types, excluded_chunk_types=None):
        super().__init__("chunk_eval")
        *batch, inferred, labelled, correct = layers.chunk_eval(input, label, chunk_scheme, num_chunk_types, excluded_chunk_types)
        self.num_infer_chunks = self._add_up("num_infer_chunks", inferred)
        self.num_label_chunks = self._add_up("num_label_chunks", labelled)
        self.num_correct_chunks = self._add_up("num_correct_chunks", correct)
        self.metrics.extend(batch)

    def eval(self, executor, eval_program=None):
        """(precision, recall, F1) as arrays of one element."""
        metric = counted.ChunkEvaluator()
        metric.update(*self._totals(executor, eval_program))
        return tuple(np.array([value], "float32") for value in metric.eval())


class EditDistance(Evaluator):
    """Average edit distance, and share of sequences with errors, over batches (1.x; successor:
    paddle.nn.functional.edit_distance)."""

    def __init__(self, input, label, ignored_tokens=None):
        super().__init__("edit_distance")
        distances, count = layers.edit_distance(input, label, ignored_tokens=ignored_tokens)
        wrong = layers.reduce_sum(layers.cast(layers.not_equal(distances, layers.zeros_like(distances)), "int64"))
        total = layers.reduce_sum(distances)
        self.total_distance = self._add_up("total_distance", total)
        self.seq_num = self._add_up("seq_num", count)
        self.instance_error = self._add_up("instance_error", wrong)
        self.metrics.extend([total, wrong])

    def eval(self, executor, eval_program=None):
        """(average distance, share of sequences with errors) as arrays of one element."""
        total, count, wrong = self._totals(executor, eval_program)
        if not count[0]:
            raise ValueError("EditDistance.eval(): no sequence was seen since the last reset")
        return (total / count).astype("float32"), (wrong / count).astype("float32")


class DetectionMAP(counted.DetectionMAP):
    """Mean average precision of detections over batches (1.x; successor: none)."""


__getattr__ = _lookup(__name__)
