"""accuracy, auc and the sums of click-through models inside programs."""

from ..core.errors import check_choice, check_type
from ..tensor.argument_checks import check_plain
from ..tensor.convert import cast, numpy_dtype
from .program import program
from .program.parameters import global_var
from .program.record import assign_to
from .program.registry import find


def accuracy(input, label, k=1, correct=None, total=None):
    """The share of rows whose label is among the k largest scores.

    Args:
        input: scores [N, classes].
        label: class numbers [N, 1].
        k: how many of the largest scores count.
        correct, total: Variables that also receive the numbers of hits and of rows.
    """
    values, indices = find("top_k_v2")(input, None, int(k))
    share, hits, rows = find("accuracy")(values, indices, label)
    for value, target, argument in ((hits, correct, "correct"), (rows, total, "total")):
        if target is not None:
            check_type(target, program.Variable, "accuracy", argument)
            assign_to(find("cast")(value, target.dtype, value.dtype), target)
    return share


def auc(input, label, curve="ROC", num_thresholds=4095, topk=1, slide_steps=1, ins_tag_weight=None):
    """Area under the ROC curve: (of all batches so far, of the last ``slide_steps`` batches, the states' Variables).

    Args:
        input: probabilities [N, 2] (or [N, 1]) of which the last column counts.
        label: 0 or 1 for each row.
        num_thresholds: into how many steps scores are divided.
        topk: must be 1.
        ins_tag_weight: rows with weight 0 do not count.
    """
    check_choice(curve, ("ROC",), "auc", "curve")
    for argument, value in (("input", input), ("label", label), ("ins_tag_weight", ins_tag_weight)):
        if value is not None or argument != "ins_tag_weight":
            check_plain(value, "auc", argument)
    if topk != 1:
        raise NotImplementedError(f"auc(): topk={topk}: only 1 is supported")
    n = num_thresholds + 1
    sizes = [[1, (1 + slide_steps) * n + 1] if slide_steps else [1, n]] * 2 + [[1, n]] * 2
    states = [global_var(size, 0, "int64") for size in sizes]
    op = find("auc")
    block = program.default_main_program().current_block()

    def add(pos, neg, steps):
        out = op(input, label, pos, neg, ins_tag_weight, curve, num_thresholds, steps)
        made = block.ops[-1]
        for slot, state in (("StatPosOut", pos), ("StatNegOut", neg)):  # states are written over
            block.vars.pop(made.output(slot)[0], None)
            made.outputs[slot] = [state.name]
        return out[0]
    batch = add(states[0], states[1], slide_steps)
    return add(states[2], states[3], 0), batch, states


def ctr_metric_bundle(input, label, ins_tag_weight=None):
    """Sums over all batches so far by which click-through models are judged, each a persistable Variable of shape [1].

    Args:
        input: predicted probabilities [N, 1].
        label: 0 or 1, of the same shape.
        ins_tag_weight: weight [N, 1] of each.
    Returns:
        squared errors, absolute errors, predictions, sigmoids of these, labels, and how many there are.
    """
    if tuple(input.shape) != tuple(label.shape):
        raise ValueError(f"ctr_metric_bundle(): label must have the shape {list(input.shape)} of input, got {list(label.shape)}")
    label = cast(label, numpy_dtype(input))
    weight = None if ins_tag_weight is None else cast(ins_tag_weight, numpy_dtype(input))
    parts = [(input - label) ** 2, (input - label).abs(), input, input.sigmoid(), label, label * 0 + 1]
    return tuple(_summed(part if weight is None else part * weight) for part in parts)


def _summed(values):
    """A variable of the program that grows by the sum of the values at every run."""
    total = global_var([1], 0.0, values.dtype)
    assign_to(total + values.sum(), total)
    return total
