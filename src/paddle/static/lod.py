"""LoD: rows packed sequence behind sequence, and where each sequence ends.

A variable with sequence lengths has companions in the program: for every level, outermost first, an int64 variable of offsets
(``Variable.lod`` holds their names). They are fed and fetched together with it. Ops that want the offsets of their slot ``X``
declare an input ``XLoD*?``, which recording fills in; ops that make new ones return them in ``OutLoD*``; every other op that
keeps the rows of its input passes the names on (``KEEPS``). A program without sequences meets none of this.
"""

import numpy as np

from ..core.errors import describe
from ..core.tensor import Tensor
from . import program as P

SUFFIX = "LoD"


class LoDTensor:
    """An array with sequence lengths, level by level, as programs of 1.x feed and fetch it."""

    def __init__(self, array=None, lengths=None):
        self._array, self._lengths = None if array is None else np.asarray(array), [list(level) for level in lengths or []]

    def set(self, array, place=None):
        """Store an array."""
        self._array = np.array(array)

    def shape(self):
        """Sizes of the array."""
        return [] if self._array is None else list(self._array.shape)

    def recursive_sequence_lengths(self):
        """Lengths of the sequences, level by level."""
        return self._lengths

    def set_recursive_sequence_lengths(self, lengths):
        """Set the lengths of the sequences; those of each level must add up to the entries of the next, at last the rows."""
        lengths = [[int(n) for n in level] for level in lengths]
        problem = self._problem(lengths)
        if problem:
            raise ValueError(f"set_recursive_sequence_lengths(): {problem}")
        self._lengths = lengths

    def has_valid_recursive_sequence_lengths(self):
        """Do the lengths of each level add up to the entries of the next, at last the rows?"""
        return self._problem(self._lengths) is None

    def _problem(self, lengths):
        sizes = [len(level) for level in lengths[1:]] + ([] if self._array is None else [len(self._array)])
        for level, size in zip(lengths, sizes):
            if sum(level) != size or min(level, default=0) < 0:
                return f"lengths {level} add up to {sum(level)}, there are {size} rows or sequences to share out"
        return None

    def lod(self):
        """Offsets of the sequences, level by level."""
        return [[0, *np.cumsum(level).tolist()] for level in self._lengths]

    def set_lod(self, lod):
        """Set the offsets of the sequences."""
        self.set_recursive_sequence_lengths([np.diff(level).tolist() for level in lod])

    def __array__(self, dtype=None, copy=None):
        return np.array(self._array, dtype)

    def __repr__(self):
        return f"LoDTensor(lengths={self._lengths}, {self._array!r})"


# ---- while a program is built ----------------------------------------------------------------------------------------------
def declare(var, levels, **kind):
    """Give a variable companions of its own, to be fed or written; returns their names."""
    var.lod = tuple(f"{var.name}@LOD_{k}" for k in range(levels))
    var.lod_level = levels
    for name in var.lod:
        var.block.create_var(name=name, shape=[-1], dtype="int64", stop_gradient=True, **kind)
    return var.lod


def give(var, offsets):
    """Let a variable have these companions (Variables or names); returns the variable."""
    var.lod = tuple(o if isinstance(o, str) else o.name for o in offsets)
    var.lod_level = len(var.lod)
    return var


def levels(var):
    """The companions of a variable, outermost first."""
    return [var.block._var_recursive(name) for name in var.lod]


def need(var, function, argument="input", count=1):
    """The companions of a variable; ValueError if there are fewer than ``count`` levels."""
    if len(getattr(var, "lod", ())) < count:
        name = getattr(var, "name", describe(var))
        raise ValueError(f"{function}(): {argument} {name} must have sequence lengths ({count} level{'s' if count > 1 else ''}); "
                         "declare the data they come from with lod_level=1")
    return levels(var)


def _trailing(shape):
    return int(np.prod(shape[1:]))


def _off_rows(names):
    """A test that an op's axes do not include the first."""
    def test(attrs, x, out):
        axes = next((attrs[n] for n in names if n in attrs), None)
        axes = [axes] if isinstance(axes, int) else axes
        return bool(axes) and all(a % max(len(x.shape), 1) != 0 for a in axes)
    return test


def _same_rows(attrs, x, out):
    return _trailing(x.shape) == _trailing(out.shape) and bool(out.shape)


def _always(attrs, x, out):
    return True


# type -> (slot whose lengths the outputs take over, test of attributes and shapes)
KEEPS = {
    **dict.fromkeys(("mul", "cross_entropy", "cross_entropy2", "cast", "scale", "clip", "assign", "top_k", "dropout", "prelu",
                     "batch_norm", "layer_norm", "sequence_softmax", "sequence_conv", "bilinear_tensor_product", "label_smooth",
                     "smooth_l1_loss", "huber_loss", "increment", "fill_any_like", "cos_sim"), ("X", _always)),
    "sum": ("X", _always), "softmax": ("X", _always), "log_softmax": ("X", _always), "sequence_reverse": ("X", _always),
    "sequence_enumerate": ("X", _always), "softmax_with_cross_entropy": ("Logits", _always), "row_conv": ("X", _always),
    "lookup_table": ("Ids", _always), "lookup_table_v2": ("Ids", _always), "one_hot": ("X", _always),
    "one_hot_v2": ("X", _always), "matmul": ("X", _always), "matmul_v2": ("X", _always), "sequence_expand_as": ("Y", _always),
    "lstm": ("Input", _always), "gru": ("Input", _always), "lstmp": ("Input", _always), "crf_decoding": ("Emission", _always),
    "top_k_v2": ("X", _off_rows(["axis"])), "concat": ("X", _off_rows(["axis"])), "split": ("X", _off_rows(["axis"])),
    "slice": ("Input", _off_rows(["axes"])), "unbind": ("X", _off_rows(["axis"])),
    **dict.fromkeys(("reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod"), ("X", _off_rows(["axis"]))),
    **dict.fromkeys(("reshape2", "squeeze2", "unsqueeze2", "flatten2", "flatten_contiguous_range"), ("X", _same_rows)),
    "basic_get": ("X", _same_rows),
}
_INNER_GONE = ("sequence_pool",)  # each innermost sequence becomes one row: the outer levels are left


def follow(op, inputs, attrs, outs):
    """Let the outputs of a recorded call have the sequence lengths that its inputs give them."""
    made = next((k for k, slot in enumerate(op.outputs) if slot.name.endswith(SUFFIX)), None)
    if made is not None:
        for out in outs[:2 if op.type == "beam_search" else 1]:  # ids and scores
            give(out, outs[made:])
        return
    if op.type in _INNER_GONE:
        give(outs[0], inputs["X"][0].lod[:-1])
        return
    slot, test = KEEPS.get(op.type) or (op.inputs[0].name if op.inputs else None, None)
    if test is None and op.family not in ("same", "broadcast", "compare"):
        return
    source = inputs.get(slot)
    if source and source[0].lod:
        for out in outs:
            if out is not None and (test or _always)(attrs, source[0], out):
                give(out, source[0].lod)


def offsets_of(slot, inputs):
    """The companions for an input slot ``<other slot>LoD`` of a call that is being recorded, or None."""
    of = inputs.get(slot.name[:-len(SUFFIX)])
    found = [level for var in of or () for level in levels(var)]
    return found or None


def assign_levels(source, target):
    """Write the companions of one variable into those of another, which gets some if it has none yet."""
    if source.lod:
        block = P.default_main_program().current_block()
        for level, name in zip(levels(source), target.lod or declare(target, len(source.lod))):
            block.append_op("assign", {"X": level}, {"Out": name})


# ---- while it runs -----------------------------------------------------------------------------------------------------------
def fed(var, value):
    """(array, {companion: offsets}) of a value fed to a variable with sequence lengths: a LoDTensor, or (array, lengths)."""
    if isinstance(value, (tuple, list)) and len(value) == 2 and isinstance(value[1], (list, tuple)):
        array, lengths = value
        value = LoDTensor(array._data if isinstance(array, Tensor) else array)
        value.set_recursive_sequence_lengths(lengths)
    if not isinstance(value, LoDTensor):
        raise ValueError(f"Executor.run(): {var.name!r} has {len(var.lod)} level(s) of sequence lengths: feed a LoDTensor "
                         f"(fluid.create_lod_tensor) or a pair (array, lengths), got {describe(value)}")
    offsets = value.lod()
    if len(offsets) != len(var.lod) or not value.has_valid_recursive_sequence_lengths():
        raise ValueError(f"Executor.run(): {var.name!r} has {len(var.lod)} level(s) of sequence lengths that cover all rows, the "
                         f"fed value of shape {value.shape()} has {value.recursive_sequence_lengths()}")
    return np.asarray(value._array), {name: np.asarray(o, np.int64) for name, o in zip(var.lod, offsets)}


def rows_of(var, values):
    """The values of samples as one array in the type of a variable and, where it is known, the shape of its rows."""
    array, shape = np.array(values, dtype=var.dtype.name), [len(values), *var.shape[1:]]
    return array.reshape(shape) if -1 not in shape else array


def packed(var, values):
    """A LoDTensor of samples that are nested as deep as the variable has levels."""
    lengths = []
    for _ in var.lod:
        lengths.append([len(v) for v in values])
        values = [item for v in values for item in v]
    return LoDTensor(rows_of(var, values), lengths)


def with_companions(block, names):
    """Names to fetch besides the given ones, and for each given name the positions of its companions (None: it has none)."""
    more, places = [], []
    for name in names:
        var = block.find(name)
        lod = () if var is None or var.kind == P.LOD_TENSOR_ARRAY else var.lod
        places.append(range(len(names) + len(more), len(names) + len(more) + len(lod)) if lod else None)
        more += lod
    return more, places


def fetched(array, offsets):
    """The LoDTensor of a fetched array."""
    return LoDTensor(array, [np.diff(o).tolist() for o in offsets])
