"""Programs that are well formed but say something else: each operand, attribute and declaration of a good program is changed in
turn, and the order and number of its operators. They give a message or a result, and the result is that of the same program
without passes: what is put together, kept in blocks or cut early may not depend on more than it looks at."""

import numpy as np
import pytest
from capi.library import Failed, Model
from capi.test_attention import Chain
from capi.test_blocks import Broadcast, Grouped, Net
from capi.test_models import Blocks, Residuals, export
from capi.test_sequences import NETWORKS, offsets, program_of
from capi.test_slices import ENCODERS

import paddle
from paddle.serialization import program_desc
from paddle.serialization.program_desc import AttrType
from paddle.static import InputSpec

OTHERS = {  # values of attributes, by type
    AttrType.INT: (0, 1, -1, 2, 7), AttrType.LONG: (0, 1, -1, 2, 7), AttrType.FLOAT: (0.0, 1.0, -0.5), AttrType.FLOAT64: (0.0, 2.0),
    AttrType.BOOLEAN: (False, True), AttrType.STRING: ("", "NHWC", "SAME", "avg"),
    AttrType.INTS: ([], [0], [1], [-1], [2, 2], [1, 1, 1, 1], [0] * 12), AttrType.LONGS: ([], [0], [1], [-1], [2, 2], [0] * 12),
    AttrType.FLOATS: ([], [0.5], [1.0, 2.0]),
}
FIELDS = {AttrType.INT: "i", AttrType.LONG: "l", AttrType.FLOAT: "f", AttrType.FLOAT64: "float64", AttrType.BOOLEAN: "b",
          AttrType.STRING: "s", AttrType.INTS: "ints", AttrType.LONGS: "longs", AttrType.FLOATS: "floats"}
UNREAD = ("op_role", "op_role_var", "op_namescope", "op_callstack", "op_device", "with_quant_attr", "use_mkldnn", "use_cudnn",
          "mkldnn_data_type", "sub_block")
# may not end if they are changed
LOOPS = ("while", "conditional_block", "increment", "scale", "less_than", "fill_constant", "assign", "write_to_array")


def tried(owner, field, values):
    """Give a field of a message other values in turn."""
    before = getattr(owner, field)
    for value in values:
        if value != before:
            setattr(owner, field, value)
            yield
    setattr(owner, field, before)


def changes(desc):
    """Change one thing of a program at a time, and undo it. Operators that loops count by are left alone."""
    counted = LOOPS if len(desc.blocks) > 1 else ()
    for block in desc.blocks:
        for i, op in enumerate(block.ops):
            if op.type not in ("feed", "fetch", *counted):
                yield from operands(op, block.ops[i - 1])
        for var in block.vars:
            if var.type.lod_tensor is not None and not var.persistable:
                yield from declarations(var)


def operands(op, previous):
    for given in op.inputs:
        neighbours = list(previous.outputs[0].arguments) if previous.outputs else []
        yield from tried(given, "arguments", ([], given.arguments * 2, neighbours))
        yield from tried(given, "parameter", ("NoSuchSlot",))
    for made in op.outputs:
        yield from tried(made, "arguments", ([],))
    for attr in op.attrs:
        if attr.name not in UNREAD:
            yield from tried(attr, FIELDS.get(attr.type, "name"), OTHERS.get(attr.type, ("NoSuchAttribute",)))
            yield from tried(attr, "name", ("NoSuchAttribute",))


def declarations(var):
    tensor = var.type.lod_tensor.tensor
    dims = list(tensor.dims)
    more = [n if n < 2 else n + 1 for n in dims]
    yield from tried(tensor, "dims", (dims[1:], [1, *dims], [-1] * len(dims), more, [*dims[:-1], 1]))
    yield from tried(tensor, "data_type", (6,))
    yield from tried(var, "persistable", (True,))


def structures(desc):
    """Leave a variable out, let an operator run twice, or neighbouring ones change places; then the same beside another block."""
    for block in desc.blocks:
        for op in block.ops:
            for slot in (*op.inputs, *op.outputs):
                yield from tried(slot, "arguments", (["@EMPTY@"], [*slot.arguments, "@EMPTY@"]))
        for i, op in enumerate(list(block.ops)):
            block.ops.insert(i, op)
            yield
            del block.ops[i]
            block.ops[i - 1:i + 1] = reversed(block.ops[i - 1:i + 1])
            yield
            block.ops[i - 1:i + 1] = reversed(block.ops[i - 1:i + 1])
    desc.blocks.append(type(desc.blocks[0])(idx=len(desc.blocks), parent_idx=0))
    yield
    del desc.blocks[-1]


def outcome(program, parameters, inputs, lod, optimize):
    """The results, or None where the library said no."""
    try:
        model = Model(program, parameters, optimize=optimize, threads=1)
        if len(model.inputs) != len(inputs):
            return None
        return model(*inputs, lod=lod)
    except Failed as refused:
        assert str(refused)
        return None


def check(files, inputs, lod=(), step=1, changes=changes):
    """Change everything in turn, or every ``step``-th thing."""
    desc, count, ran, lod = program_desc.read(files[0]), 0, 0, list(lod)
    for number, _ in enumerate(changes(desc)):
        if number % step:
            continue
        program = program_desc.write(desc)
        plain, passed = (outcome(program, files[1], inputs, lod, optimize) for optimize in (False, True))
        count += 1
        if plain is None and passed is not None and changes is structures:  # what is merged with what stands before comes in time
            plain = outcome(files[0], files[1], inputs, lod, False)
        assert plain is not None or passed is None, "refused without passes, computed with them"
        if plain is None or passed is None:
            continue
        ran += 1
        for one, other in zip(passed, plain, strict=True):
            assert (one.shape, one.dtype) == (other.shape, other.dtype)
            size = np.abs(other[np.isfinite(other)]).max(initial=0) if other.dtype.kind == "f" else 0
            if size < 1e30:
                np.testing.assert_allclose(one, other, rtol=2e-4, atol=2e-5 * max(1, size))
    assert program_desc.write(desc) == program_desc.write(program_desc.read(files[0]))
    assert 0.05 * count < ran < count


IMAGES = {Net: (1, 3, 16, 12), Broadcast: (1, 3, 6, 6), Grouped: (1, 3, 6, 6), Blocks: (2, 3, 16, 16), Residuals: (1, 3, 6, 6),
          Chain: (2, 3, 12)}


def network(folder, make):
    """(files, inputs) of a network of images or of tokens."""
    paddle.seed(3)
    draw = np.random.RandomState(0)
    x = draw.randn(*IMAGES[make]).astype("float32") if make in IMAGES else draw.randint(0, 9, (2, 5))
    return export(make(), folder, InputSpec(list(x.shape), str(x.dtype))), [x]


def sequences(name):
    files, arrays, lengths, _ = program_of(NETWORKS[name])
    return files, arrays, map(offsets, lengths)


@pytest.mark.parametrize("make", [*IMAGES, *ENCODERS])
def test_networks(tmp_path, make):
    check(*network(tmp_path, make), step=23)


@pytest.mark.parametrize("make", [*IMAGES, *ENCODERS])
def test_structures(tmp_path, make):
    check(*network(tmp_path, make), step=1 if make in IMAGES else 3, changes=structures)


@pytest.mark.parametrize("name", ["dynamic rnn", "rank tables", "beams", "lstm, plain, back", "gru", "crf, agreeing", "pad",
                                  "concat"])
def test_sequences(name):
    check(*sequences(name), step=5)


def pairs(desc, number, seed):
    """Two changes at a time, drawn at random."""
    draw = np.random.default_rng(seed)
    count = sum(1 for _ in changes(desc))
    for _ in range(number):
        first, second = changes(desc), changes(desc)
        for _ in range(draw.integers(count)):
            next(first)
        for _ in range(draw.integers(count)):
            next(second, None)
        yield
        for one in (second, first):  # to its end, where all is as before
            for _ in one:
                pass


@pytest.mark.parametrize("make", [*IMAGES, *ENCODERS])
def test_two_changes(tmp_path, make):
    check(*network(tmp_path, make), changes=lambda desc: pairs(desc, 40, 7))


@pytest.mark.slow
def test_every_change(tmp_path):
    for make in (*IMAGES, *ENCODERS):
        check(*network(tmp_path, make))
    for name in NETWORKS:
        check(*sequences(name))
