"""The restricted unpickler: same objects as the standard library's, none of its dangers."""

import collections
import datetime
import io
import os
import pickle
import tracemalloc

import numpy as np
import pytest

from paddle.serialization import pickle_machine, pickle_safe
from paddle.serialization.errors import FormatError, UnpicklingError

from .paths import FIXTURES, PICKLES, label


def same(left, right):
    """Equal in value, type, shape and dtype, however deep."""
    if type(left) is not type(right):
        return False
    if isinstance(left, np.ndarray):
        return left.dtype.newbyteorder("=") == right.dtype.newbyteorder("=") and np.array_equal(left, right)
    if isinstance(left, dict):
        return list(left) == list(right) and all(same(left[key], right[key]) for key in left)
    if isinstance(left, (list, tuple)):
        return len(left) == len(right) and all(map(same, left, right))
    return left == right


def rich_object():
    numbers = [0, 1, -1, 255, 256, 65535, 65536, 2 ** 31 - 1, -2 ** 31, 2 ** 31, 2 ** 63, -2 ** 70, 10 ** 400]
    arrays = [np.arange(6, dtype=code).reshape(2, 3) for code in
              ("i1", "u1", "<i2", ">i4", "<u8", "f2", ">f4", "f8", "c8", "c16")]
    shared = [1, 2]
    return {
        "numbers": numbers, "floats": [0.0, -0.0, 1e-300, float("inf"), 1.5], "bools": (True, False, None),
        "texts": ["", "a", "\u00e9\u4e2d\U0001f600", "x" * 300, "line\nend\\u0041"],
        "bytes": [b"", b"\0\xff", b"y" * 300], "tuples": ((), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)),
        "sets": {1, "b"}, "frozen": frozenset([1, 2]), "bytearray": bytearray(b"ab"), "complex": 1.5 - 2j,
        "slice": slice(1, None, 2), "ordered": collections.OrderedDict([("z", 1), ("a", [])]), 5: "int key",
        (1, "k"): "tuple key", "arrays": arrays, "bool array": np.array([True, False]),
        "text array": np.array(["ab", "c"]), "byte array": np.array([b"ab", b"c"]),
        "fortran": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        "scalars": [np.float32(1.5), np.int64(-3), np.bool_(True), np.complex64(2j)], "zero": np.array(3.0),
        "empty": np.zeros((0, 4), "f4"), "big array": np.arange(70000, dtype="f4"), "shared": [shared, shared],
    }


@pytest.mark.parametrize("path", PICKLES, ids=label)
def test_files_of_real_paddle(path):
    if path.name == "nested_lod.pdparams":
        expected = [np.array([1, 2], "float32"), "x"]  # the standard unpickler would call eval
    else:
        expected = pickle.loads(path.read_bytes(), encoding="latin1")
    assert same(pickle_safe.load(path), expected)


@pytest.mark.parametrize("protocol", range(6))
def test_every_protocol(protocol):
    data = pickle.dumps(rich_object(), protocol)
    result = pickle_safe.load(data)
    assert same(result, pickle.loads(data))
    assert result["shared"][0] is result["shared"][1]
    for array in [*result["arrays"], result["big array"], result["empty"]]:
        assert array.flags.writeable
        array += 1


class Borrowed:
    """Pickles as an array whose data is a bytes object that others use too."""

    def __init__(self, raw):
        self.raw = raw

    def __reduce__(self):
        rebuild, arguments, state = np.zeros(len(self.raw), "u1").__reduce__()
        return rebuild, arguments, (*state[:4], self.raw)


def test_arrays_own_their_memory():
    raw = b"z" * 100
    result = pickle_safe.load(pickle.dumps([Borrowed(raw), Borrowed(raw), raw], 4))
    result[0][:] = 0
    assert bytes(result[1]) == result[2] == raw


def test_self_reference():
    cycle = [1]
    cycle.append(cycle)
    result = pickle_safe.load(pickle.dumps(cycle))
    assert result[1] is result


def test_python_2_file():
    # cPickle protocol 2 of {'w': array([1, 2], float32), 'n': 5} as Python 2 wrote it: 8-bit strings throughout.
    raw = np.array([1, 2], "<f4").tobytes()
    data = (b"\x80\x02}q\x01(U\x01wcnumpy.core.multiarray\n_reconstruct\nq\x02cnumpy\nndarray\nq\x03K\x00\x85U\x01b"
            b"\x87Rq\x04(K\x01K\x02\x85cnumpy\ndtype\nq\x05U\x02f4K\x00K\x01\x87Rq\x06(K\x03U\x01<NNNJ\xff\xff\xff\xff"
            b"J\xff\xff\xff\xffK\x00tb\x89U" + bytes([len(raw)]) + raw + b"tbU\x01nK\x05u.")
    result = pickle_safe.load(data)
    assert same(result, {"w": np.array([1, 2], "float32"), "n": 5})
    assert list(pickle_safe.load(data, encoding="bytes")) == [b"w", b"n"]
    assert pickle_safe.load(b"U\x01\xe9.", encoding="latin1") == "\u00e9"


class Point:
    """A class that files may not name unless it is allowed."""

    def __init__(self, x):
        self.x = x

    def __eq__(self, other):
        return self.x == other.x


class Slotted:
    __slots__ = ("x",)


class Evil:
    ran = False

    def __reduce__(self):
        return (_run, ())


def _run():
    Evil.ran = True


@pytest.mark.parametrize("obj, name", [
    (Evil(), "_run"), (Point(1), "Point"), (os.path.join, "join"), (datetime.date(2020, 1, 1), "datetime.date"),
    (collections.Counter("a"), "collections.Counter"), (print, "builtins.print"), (compile, "builtins.compile"),
])
@pytest.mark.parametrize("protocol", [0, 2, 4])
def test_classes_are_refused_by_name(obj, name, protocol):
    with pytest.raises(UnpicklingError, match=rf"names \S*{name}.*safe_globals=\[") as info:
        pickle_safe.load(pickle.dumps(obj, protocol))
    assert isinstance(info.value, pickle.UnpicklingError) and isinstance(info.value, ValueError)
    assert info.value.position is not None and not Evil.ran


@pytest.mark.parametrize("data, words", [
    (b"cposix\nsystem\n(S'true'\ntR.", "posix.system"),
    (b"c__builtin__\neval\n(S'1+1'\n}tR.", "evaluate Python code"),
    (b"cbuiltins\neval\n(S'data'\n}tR.", "evaluate Python code"),
    (b"cbuiltins\ngetattr\n.", "builtins.getattr"),
    (b"cnumpy\nfromfile\n.", "numpy.fromfile"),
    (b"(S'true'\nios\nsystem\n.", "os.system"),
    (b"P1\n.", "persistent id"), (b"\x82\x01.", "extension code"), (b"\x97.", "external buffer"),
    (b"cbuiltins\nbytearray\nJ\xff\xff\xff\x7f\x85R.", "Latin-1"),
    (b"cbuiltins\nlist\nK\x05\x85R.", "sequence was expected"),
    (b"cbuiltins\ndict\nK\x05\x85R.", "damaged"),
    (b"]K\x01K\x02\x86R.", r"calls \[\]"),
    (b"}K\x05b.", "state is given to a dict"),
    (b"}K\x05a.", "a list is continued to a dict"),
    (b"]K\x05K\x06s.", "a dict is continued to a list"),
    (b"cnumpy\nndarray\nK\x05\x85R.", "not allowed"),
    (b"cnumpy\nndarray\n)\x81.", "not allowed"),
    (b"cnumpy\ndtype\nS'O8'\n\x85R.", "hold arbitrary Python objects"),
    (b"cnumpy\ndtype\nS'V8'\n\x85R.", "not a plain type"),
    (b"cnumpy\ndtype\nS'M8'\n\x85R.", "not a plain type"),
    (b"cnumpy\ndtype\nS'f4, i4'\n\x85R.", "not a plain type"),
    (b"cnumpy\ndtype\nS'f4'\n\x85R(K\x03S'|'\nNS'a'\n\x85}K\x08K\x01K?tb.", "structured types"),
    (b"cnumpy\ndtype\nS'f4'\n\x85RK\x03b.", "unknown state"),
])
def test_hand_made_attacks(data, words):
    with pytest.raises(UnpicklingError, match=words):
        pickle_safe.load(data)


def test_object_arrays_are_refused():
    for protocol in (2, 4, 5):
        with pytest.raises(UnpicklingError, match="'O8' are not read from files: they hold arbitrary Python objects"):
            pickle_safe.load(pickle.dumps(np.array([1, "a"], dtype=object), protocol))


def test_array_sizes_must_fit():
    data = pickle.dumps(np.arange(3, dtype="<f4"), 2)
    shape = data.index(b"K\x03\x85")
    with pytest.raises(UnpicklingError, match=r"float32 \(4,\) needs 16 bytes, 12 are given"):
        pickle_safe.load(data[:shape] + b"K\x04\x85" + data[shape + 3:])
    with pytest.raises(UnpicklingError, match="impossible shape"):
        pickle_safe.load(data[:shape] + b"J\xfd\xff\xff\xff\x85" + data[shape + 3:])


def test_allowing_classes():
    assert pickle_safe.load(pickle.dumps(Point(3), 0), safe_globals=[Point]) == Point(3)
    data = pickle.dumps([Point(3), datetime.date(2020, 1, 2)], 2)
    allowed = [Point, datetime.date]
    assert pickle_safe.load(data, safe_globals=allowed) == [Point(3), datetime.date(2020, 1, 2)]
    with pickle_safe.safe_globals(allowed):
        assert pickle_safe.load(data)[0] == Point(3)
        assert f"{Point.__module__}.Point" in pickle_safe.get_safe_globals()
    with pytest.raises(UnpicklingError):
        pickle_safe.load(data)
    try:
        pickle_safe.add_safe_globals([Point, (datetime.date, "datetime.date")])
        assert pickle_safe.load(data)[1].year == 2020
    finally:
        pickle_safe.clear_safe_globals()
    with pytest.raises(TypeError, match="expected classes or functions"):
        pickle_safe.load(data, safe_globals=["builtins.print"])


def test_allowed_classes_with_slots_and_items():
    slotted = Slotted()
    slotted.x = 4
    assert pickle_safe.load(pickle.dumps(slotted, 2), safe_globals=[Slotted]).x == 4
    counter = collections.Counter("aab")
    assert pickle_safe.load(pickle.dumps(counter), safe_globals=[collections.Counter]) == counter
    queue = collections.deque([1, 2])
    assert pickle_safe.load(pickle.dumps(queue, 2), safe_globals=[collections.deque]) == queue


@pytest.mark.parametrize("name", ["paddle26/misc_ops.pdparams", "nested_2.pdparams"])
def test_every_truncation_is_located(name):
    data = (FIXTURES / name).read_bytes()
    for length in range(len(data)):
        with pytest.raises(UnpicklingError) as info:
            pickle_safe.load(data[:length])
        assert info.value.position <= length


def test_truncation_tells_both_lengths():
    data = (FIXTURES / "paddle26/misc_ops.pdparams").read_bytes()
    with pytest.raises(UnpicklingError, match=r"the file ends after 258 of 267 bytes or more \(at byte 2\)"):
        pickle_safe.load(data[:-9])
    with pytest.raises(UnpicklingError, match="the file ends after 107 of 507 bytes or more"):
        pickle_safe.load(pickle.dumps(b"z" * 500, 3)[:107])
    short = pickle.dumps(["text", 3.5], 2)  # what is short is read first and missed then
    for length, whole in ((8, 11), (13, 15), (22, 26)):
        with pytest.raises(UnpicklingError, match=f"the file ends after {length} of {whole} bytes or more"):
            pickle_safe.load(short[:length])


@pytest.mark.parametrize("data", [
    b"\x8e" + (1 << 60).to_bytes(8, "little") + b"x", b"\x8d" + b"\xff" * 8, b"\x96" + b"\xff" * 8,
    b"B\xff\xff\xff\xff", b"T\xff\xff\xff\xff", b"X\xff\xff\xff\x7f", b"\x8b\xff\xff\xff\x7f", b"\x95" + b"\xff" * 8,
    b"\x8c\xff", b"I" + b"9" * 100000 + b"\n.", b"L" + b"9" * 10000 + b"L\n.", b"g" + b"1" * 40 + b"\n.", b"h\x05.",
    b"t.", b".", b"", b"0.", b"(.", b"q\x00.", b"\xfe", b"\x80\x09.", b"S'a\n.", b"Vabc", b"R.", b"}K\x01u.",
    b"(K\x01d.",
])
def test_hostile_lengths_cost_nothing(data):
    tracemalloc.start()
    try:
        with pytest.raises(UnpicklingError):
            pickle_safe.load(data)
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


BOMBS = {
    "copies of a list": b"(](" + b"K\x01" * 3000 + b"eq\x00cbuiltins\nlist\nq\x01" + b"h\x01h\x00\x85R" * 3000 + b"t.",
    "copies of a text": b"(X\x10\x27\0\0" + b"a" * 10000 + b"q\x00c_codecs\nencode\nq\x01X\x06\0\0\0latin1q\x02"
                        + b"h\x01h\x00h\x02\x86R" * 3000 + b"t.",
    "a key of itself": b"K\x01" + b"2\x86" * 60 + b"q\x00}h\x00K\x01s.",
    "a deep key": b"})" + b"\x85" * 50000 + b"K\x01s.",
    "a deep member": b"\x8f()" + b"\x85" * 50000 + b"\x90.",
}


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_are_refused(name):
    data = BOMBS[name]
    tracemalloc.start()
    try:
        with pytest.raises(UnpicklingError, match="over and over|more than 1000 parts"):
            pickle_safe.load(data)
        assert tracemalloc.get_traced_memory()[1] < 100 * len(data) + 4_000_000
    finally:
        tracemalloc.stop()


def test_deep_nesting_needs_no_recursion():
    result = pickle_safe.load(b"]" * 100000 + b"a" * 99999 + b".")
    depth = 0
    while result:
        result, depth = result[0], depth + 1
    assert depth == 99999


def test_raw_bytes_are_not_kept_beside_arrays(tmp_path):
    state = {str(number): np.full(250_000, number, "float32") for number in range(8)}
    path = tmp_path / "big"
    path.write_bytes(pickle.dumps(state, 4))
    tracemalloc.start()
    try:
        result = pickle_safe.load(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert same(result, state)
    assert peak < 1.3 * 8_000_000


def test_file_objects():
    file = io.BytesIO(b"skip" + pickle.dumps([1]) + pickle.dumps([2]))
    file.seek(4)
    assert pickle_safe.load(file) == [1] and pickle_safe.load(file) == [2]
    file.seek(4)
    file.truncate(10)
    with pytest.raises(UnpicklingError):
        pickle_safe.load(file)
    assert file.tell() == 4
    with pytest.raises(TypeError, match="expected a path, bytes or a binary file object, got int"):
        pickle_safe.load(5)
    read_end, write_end = os.pipe()
    with os.fdopen(read_end, "rb") as reading:
        with os.fdopen(write_end, "wb") as writing:
            writing.write(pickle.dumps({"a": 1}))
        assert pickle_safe.load(reading) == {"a": 1}


def test_errors_are_format_errors():
    assert issubclass(UnpicklingError, FormatError) and issubclass(FormatError, ValueError)


@pytest.mark.parametrize("kind, base, state", [
    (b"cdatetime\ntimedelta\n", b"cbuiltins\nobject\n", b"N"),  # a class that nobody trusts
    (b"c__main__\nTrusted\n", b"cbuiltins\ndict\n", b"N"), (b"c__main__\nTrusted\n", b"cbuiltins\nobject\n", b"K\x01")])
def test_objects_begin_only_as_plain_instances_of_trusted_classes(kind, base, state):
    class Trusted:
        __module__, __qualname__ = "__main__", "Trusted"

    def pickled(kind, base, state):
        return b"ccopyreg\n_reconstructor\n(" + kind + base + state + b"tR."
    plain = pickled(b"c__main__\nTrusted\n", b"cbuiltins\nobject\n", b"N")
    assert type(pickle_safe.load(plain, safe_globals=[Trusted])) is Trusted
    with pytest.raises(UnpicklingError):
        pickle_safe.load(pickled(kind, base, state), safe_globals=[Trusted, dict])


@pytest.mark.parametrize("module, name", [(b"\x8c\x02os", b"K\x01"), (b"K\x01", b"\x8c\x06system")])
def test_globals_are_named_by_texts(module, name):
    with pytest.raises(UnpicklingError, match="not named by texts"):
        pickle_safe.load(b"\x80\x04" + module + name + b"\x93.")


def test_the_longest_number_and_memo_place_that_are_taken():
    def load(text):
        return pickle_safe.load(io.BytesIO(text))
    most = pickle_machine._MAX_DIGITS
    for opcode, end in ((b"I", b"\n"), (b"L", b"L\n")):
        digits = b"7" * (most - len(end) + 1)
        assert load(opcode + digits + end + b".") == int(digits)
    assert load(b"L" + b"7" * most + b"\n.") == int(b"7" * most)
    with pytest.raises(FormatError, match="digits"):
        load(b"L" + b"7" * (most + 1) + b"\n.")
    place = b"1" * 18
    assert load(b"I5\np" + place + b"\n0g" + place + b"\n.") == 5
    with pytest.raises(FormatError, match="memo"):
        load(b"I5\np1" + place + b"\n.")


def reloaded(value):
    return pickle_safe.load(pickle.dumps(value))


class Rebuilt:
    """Pickled as a call of NumPy's function that begins an array, and a state."""

    def __init__(self, *state, shape=(0,)):
        self.state, self.shape = state, shape

    def __reduce__(self):
        return np.zeros(1).__reduce__()[0], (np.ndarray, self.shape, b"b"), self.state


@pytest.mark.parametrize("value", [Rebuilt(1, (1,), np.dtype("i1")), Rebuilt(1, (1,), np.dtype("i1"), False, b"a", 0),
                                   Rebuilt(1, (1,), np.dtype("i1"), False, b"a", shape=(1,))], ids=["short", "long", "not empty"])
def test_arrays_that_begin_in_other_ways(value):
    with pytest.raises(UnpicklingError, match="array"):
        reloaded(value)
    assert reloaded(Rebuilt(1, (1,), np.dtype("i1"), False, b"a")).tolist() == [97]


def object_type():
    return np.dtype(object)


class AsObjects:
    """Pickled as a call that gives an element type of objects."""

    def __reduce__(self):
        return object_type, ()


@pytest.mark.parametrize("kind", [5, AsObjects()], ids=["a number", "objects"])
def test_bytes_become_plain_numbers_only(kind):
    """An allowed function may give a type of objects: bytes of a file never become addresses."""
    with pytest.raises(UnpicklingError, match="no plain element type"):
        pickle_safe.load(pickle.dumps(Rebuilt(1, (1,), kind, False, b"12345678")), safe_globals=[object_type])


def test_an_object_by_its_class_and_arguments():
    assert pickle_safe.load(b"(ccollections\nOrderedDict\n]o.") == collections.OrderedDict()
    with pytest.raises(UnpicklingError):
        pickle_safe.load(b"(]ccollections\nOrderedDict\no.")


def test_room_for_copies_is_used_to_its_last_byte():
    for size in (0, 10):
        builder = pickle_safe.Builder({}, size)
        builder.spend((1 << 20) + 4 * size)
        with pytest.raises(UnpicklingError, match="over and over"):
            builder.spend(1)


class Type:
    """Pickled as an element type with a state."""

    def __init__(self, *state):
        self.state = state

    def __reduce__(self):
        return np.dtype, ("i4", False, True), self.state


def test_states_of_element_types():
    assert reloaded(Type(3, ">")).str == ">i4" and reloaded(Type(3, "<")).str == "<i4"
    for state in ((3,), (3, "x"), (3, ">", None, ("a",))):
        with pytest.raises(UnpicklingError, match="unknown state"):
            reloaded(Type(*state))


def test_keys_of_as_many_parts_as_are_allowed():
    most = pickle_machine._KEY_PARTS - 1
    assert reloaded({tuple(range(most)): 1}) == {tuple(range(most)): 1}
    with pytest.raises(UnpicklingError, match="parts"):
        reloaded({tuple(range(most + 1)): 1})


@pytest.mark.parametrize("size", [20, 63, 64, 65, 200])
def test_files_cut_short_say_where(size):
    data = pickle.dumps(bytes(size), 3)
    for end in range(4, len(data) - 1, 7):
        with pytest.raises(UnpicklingError, match=f"ends after {end} of "):
            pickle_safe.load(io.BytesIO(data[:end]))
