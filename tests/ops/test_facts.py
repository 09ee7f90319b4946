"""What ops say of themselves: facts that are true and read by somebody, and shape rules that foretell what the ops return."""

import pathlib

import numpy as np
import opcase
import pytest

import paddle
from paddle.core import hooks
from paddle.core.facts import FACTS, FAMILIES, Spec
from paddle.core.op import OPS
from paddle.core.tensor import Tensor
from paddle.onnx.export import CONVERTERS
from paddle.static.ir.lower import HOMES, SPECIAL
from paddle.static.program import lod_files
from paddle.static.program.infer import by_rule
from paddle.static.program.op_table import knows

SOURCE = pathlib.Path(paddle.__file__).parent

# Ops of Paddle's that are run on stand-ins to find their outputs' shapes, and why.
PROBED = {
    "frame": "the sizes of frames and steps decide with the axis",
    "kron": "every axis is a product, after the shapes are matched",
    "lstsq": "there are residuals where the rank is full",
    "overlap_add": "the opposite of frame",
    "prior_box": "the number of boxes follows from four lists",
    "tril_indices": "it has no inputs to stand in for",
    "triu_indices": "it has no inputs to stand in for",
    "yolov3_loss": "the number of masks follows from two lists",
}


class Calls(hooks.OpHook):
    """Collects one call of each op with each set of shapes and attributes."""

    def __init__(self):
        self.found = {}

    def after(self, op, args, outs):
        def sizes(value):
            if isinstance(value, Tensor):
                return value._data.shape, value._data.dtype.name
            return [sizes(v) for v in value] if isinstance(value, (list, tuple)) else repr(value)
        self.found.setdefault((op.type, str(sizes(args))), (op, args, [outs] if op.single else list(outs)))


@pytest.fixture(scope="module")
def calls():
    opcase.load_ops()
    collected = Calls()
    with collected:
        for case in opcase.load_cases():
            opcase.ops_run_by(case)
    return list(collected.found.values())


def spec(value, unknown=False):
    if value is None or isinstance(value, (list, tuple)):
        return value if value is None else [spec(v, unknown) for v in value]
    array = value._data if isinstance(value, Tensor) else np.asarray(value)
    shape = (-1, *array.shape[1:]) if unknown and array.ndim else array.shape
    return Spec(shape, array.dtype, None if unknown or array.dtype.kind not in "iub" else array)


def flat(values):
    return [v for value in values for v in (value if isinstance(value, (list, tuple)) else [value]) if v is not None]


def differs(found, out, loose):
    """Does a foretold output contradict the one that came? Where the op's data decide (``loose``), -1 foretells any size."""
    if found is None or out is None:
        return found is not out
    array = out._data if isinstance(out, Tensor) else np.asarray(out)
    sizes = zip(found.shape, array.shape)
    return found.dtype != array.dtype or len(found.shape) != array.ndim or any(p != n and not (loose and p == -1) for p, n in sizes)


@pytest.mark.parametrize("unknown", [False, True], ids=["known", "unknown"])
def test_rules_foretell_the_outputs(calls, unknown):
    """With all sizes known a rule gives exactly what the op returns; with first sizes unknown it never contradicts it."""
    wrong, ruled = [], 0
    for op, args, outs in calls:
        ins = args[:op.n_in]
        if unknown and any(np.shape(getattr(v, "_data", v))[:1] in ((0,), (1,)) for v in flat(ins)):
            continue  # sizes 0 and 1 have meanings of their own that an unknown size does not tell
        found = by_rule(op, [spec(v, unknown) for v in ins], args[op.n_in:])
        if found is not None:
            ruled += 1
            loose = unknown or op.family in ("dynamic", "sequence")
            if len(found) != len(outs) or any(differs(f, o, loose) for f, o in zip(found, outs)):
                wrong.append(f"{op.type}{[spec(v, unknown) for v in ins]}{args[op.n_in:]}: {found}, but {[spec(o) for o in outs]}")
    assert ruled > 1000
    assert not wrong, f"{len(wrong)} rules are wrong:\n" + "\n".join(wrong[:20])


def test_few_ops_of_paddle_are_run_to_find_shapes(calls):
    named = {op.type for op in OPS.values() if knows(op.type)}
    ruled = {op.type for op, args, _ in calls if by_rule(op, [spec(v) for v in args[:op.n_in]], args[op.n_in:]) is not None}
    assert named - ruled == set(PROBED)
    assert len(PROBED) <= 0.1 * len(named)


def arrays(value):
    """A Tensor, a number, or a list of them as arrays."""
    if isinstance(value, Tensor):
        return value._data
    if isinstance(value, (list, tuple)):
        return [arrays(v) for v in value]
    return None if value is None else np.asarray(value)


def some(*shape):
    return np.linspace(-2.0, 2.0, int(np.prod(shape))).reshape(shape).astype("float32")


GRAPH = np.tile(np.arange(6), 2), np.array([0, 6, 12]), np.array([0, 1])  # two nodes of six neighbours each

# calls that draw, of ops whose cases do not (they are compared with exact results)
DRAWS = {
    "dot_attention": lambda op: op.bind((some(1, 1, 8, 4),) * 3, {"dropout": 0.5}),
    "dpsgd": lambda op: op.bind((some(8), some(8), some(1)), {}),
    "dropout": lambda op: op.bind((some(64),), {}),
    "graph_khop_sampler": lambda op: op.bind((GRAPH[0], None, *GRAPH[1:]), {"sample_sizes": (3,)}),
    "graph_sample_neighbors": lambda op: op.bind(GRAPH, {"sample_size": 3}),
    "rnn": lambda op: op.bind((some(3, 2, 4), [np.zeros((2, 2, 4), "float32")], [some(4, 4)] * 4 + [some(4)] * 4),
                              {"dropout_prob": 0.5, "num_layers": 2, "input_size": 4, "hidden_size": 4}),
    "rrelu": lambda op: op.bind((some(64),), {}),
    "weighted_sample_neighbors": lambda op: op.bind((*GRAPH[:2], np.ones(12, "float32"), GRAPH[2]), {"sample_size": 3}),
}


def test_random_ops_are_marked(calls):
    """Ops whose two equal calls differ say so, and an op that says so differs somewhere."""
    drawing = set()
    for op, args in [*[(op, args) for op, args, _ in calls], *[(OPS[t], make(OPS[t])) for t, make in DRAWS.items()]]:
        values = [*map(arrays, args[:op.n_in]), *args[op.n_in:]]
        for name, neutral in (("seed", 0), ("seed_tensor", None), ("fix_seed", False)):
            if name in op.params:
                values[op.params.index(name)] = neutral
        first, second = (flat([op.run_arrays(list(values))]) for _ in range(2))
        if any(not np.array_equal(np.asarray(a), np.asarray(b), equal_nan=np.asarray(a).dtype.kind in "fc")
               for a, b in zip(first, second)):
            drawing.add(op.type)
            assert op.facts.random, f"{op.type} draws numbers and does not say so"
            assert op.is_random(values[op.n_in:]), f"{op.type} draws where it says it doesn't"
    marked = {op.type for op in OPS.values() if op.facts.random}
    assert marked == drawing, f"{marked - drawing} never drew anything"


def test_every_fact_is_read_by_somebody():
    text = "\n".join(path.read_text() for path in SOURCE.rglob("*.py") if path.name != "facts.py")
    unread = [name for name in FACTS if f"facts.{name}" not in text]
    assert not unread


def test_facts_mean_something():
    for op in OPS.values():
        facts = op.facts
        for attribute in (facts.random, op.reads):
            assert not isinstance(attribute, str) or attribute in op.attr_names, f"{op.type}: no attribute {attribute!r}"
        assert facts.amp in (None, "white", "black", "norm", "float32", "never"), op.type
        rows, *names = (facts.rows or "keep").split()
        assert rows in ("keep", "axes", "sizes", "times", "copy", "pool", "give"), op.type
        assert {part for name in names for part in name.split("=")} <= {slot.name for slot in [*op.inputs, *op.outputs]}, op.type
        assert op.family in FAMILIES and isinstance(facts.version, int), op.type
        if op.group is not None or op.family == "update":
            assert len(op.updates) == len(op.outputs), op.type


def test_names_elsewhere_are_ops():
    """What is known of ops outside their declarations is known of ops that exist."""
    opcase.load_ops()
    known = set(OPS) | set(SPECIAL) | set(HOMES)
    assert set(CONVERTERS) <= known, f"no ops: {set(CONVERTERS) - known}"
    assert set(lod_files._SPECIAL) <= known


def test_lists_of_mixed_precision_come_from_the_records():
    white, black = paddle.amp.white_list()["bfloat16"]["O1"], paddle.amp.black_list()["bfloat16"]["O1"]
    assert {"conv2d", "matmul_v2", "mul", "einsum"} <= white and {"softmax", "layer_norm", "exp", "reduce_sum"} <= black
    assert not white & black and white | black <= set(OPS)
    assert paddle.amp.black_list()["float16"]["OD"] == set()
