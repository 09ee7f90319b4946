"""Interpreter of the pickle format that never imports, never calls anything unlisted and checks every size first.

A file is walked twice. The first walk only follows the opcodes: it finds truncation before anything is built and
learns which memo entries are fetched later, so that the second walk, which builds the object, need not keep the raw
bytes of every array alive.
"""

import codecs
import struct

from .errors import UnpicklingError

_I4, _F8 = struct.Struct("<i"), struct.Struct(">d")
_MAX_DIGITS = 4300
_KEY_PARTS = 1000

# opcode: (kind of argument, name of the method below). Kinds: "" none, u1 u2 u4 i4 f8 numbers, line / lines texts up to
# a newline, s1 s4 s8 a length and so many bytes, frame a length of what follows, no = never accepted.
_OPCODES = {
    b"(": ("", "mark"), b".": ("", "stop"), b"0": ("", "pop"), b"1": ("", "pop_mark"), b"2": ("", "dup"),
    b"F": ("line", "float_text"), b"I": ("line", "int_text"), b"J": ("i4", "push"), b"K": ("u1", "push"),
    b"L": ("line", "long_text"), b"M": ("u2", "push"), b"N": ("", "none"), b"R": ("", "reduce"),
    b"S": ("line", "string_text"), b"T": ("s4", "string"), b"U": ("s1", "string"), b"V": ("line", "unicode_text"),
    b"X": ("s4", "unicode"), b"B": ("s4", "push"), b"C": ("s1", "push"), b"a": ("", "append"), b"b": ("", "build"),
    b"c": ("lines", "global_text"), b"d": ("", "dict_of_items"), b"}": ("", "empty_dict"), b"e": ("", "appends"),
    b"g": ("line", "get_text"), b"h": ("u1", "get"), b"i": ("lines", "inst"), b"j": ("u4", "get"),
    b"l": ("", "list_of_items"), b"]": ("", "empty_list"), b"o": ("", "obj"), b"p": ("line", "put_text"),
    b"q": ("u1", "put"), b"r": ("u4", "put"), b"s": ("", "setitem"), b"t": ("", "tuple_of_items"),
    b")": ("", "empty_tuple"), b"u": ("", "setitems"), b"G": ("f8", "push"), b"\x80": ("u1", "proto"),
    b"\x81": ("", "newobj"), b"\x85": ("", "tuple1"), b"\x86": ("", "tuple2"), b"\x87": ("", "tuple3"),
    b"\x88": ("", "true"), b"\x89": ("", "false"), b"\x8a": ("s1", "long"), b"\x8b": ("s4", "long"),
    b"\x8c": ("s1", "unicode"), b"\x8d": ("s8", "unicode"), b"\x8e": ("s8", "push"), b"\x8f": ("", "empty_set"),
    b"\x90": ("", "additems"), b"\x91": ("", "frozen_set"), b"\x92": ("", "newobj_ex"), b"\x93": ("", "stack_global"),
    b"\x94": ("", "memoize"), b"\x95": ("frame", "frame"), b"\x96": ("s8", "bytearray"),
    b"P": ("no", "a persistent id"), b"Q": ("", "persistent"), b"\x82": ("no", "an extension code"),
    b"\x83": ("no", "an extension code"), b"\x84": ("no", "an extension code"), b"\x97": ("no", "an external buffer"),
    b"\x98": ("no", "an external buffer"),
}
_LENGTHS = {"s1": 1, "s4": 4, "s8": 8}
_NUMBERS = {"u1": 1, "u2": 2, "u4": 4}


class Machine:
    """Builds the object of one pickle.

    Args:
        source: the Source to read.
        encoding: how the 8-bit strings of Python 2 are decoded, or "bytes" to leave them.
        builder: finds and calls globals (see `pickle_safe.Builder`).
    """

    def __init__(self, source, encoding, builder):
        self.source = source
        self.encoding = encoding
        self.builder = builder
        self.position = self.op_position = 0
        self.stack, self.marked = [], []
        self.memo = {}
        self.fetched = set()
        self.shared = set()  # ids of bytes objects that more than one place of the pickle refers to

    def run(self):
        """Read the pickle and return its object."""
        begin = self.source.position
        self.fetched = self._scan()
        self.source.seek(begin)
        self.position = 0
        try:
            for method, argument in self._operations(keep=True):
                if method == "stop":
                    return self.stack.pop()
                _METHODS[method](self, argument)
        except UnpicklingError as error:
            if error.position is None:
                raise UnpicklingError(str(error), self.op_position) from error.__cause__
            raise
        except (IndexError, KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise UnpicklingError(f"damaged pickle: {type(error).__name__}: {error}", self.op_position) from error

    # ---------------------------------------------------------------- walking

    def _scan(self):
        fetched = set()
        for method, argument in self._operations(keep=False):
            if method == "get":
                fetched.add(argument)
            elif method == "get_text":
                fetched.add(self._index(argument))
        return fetched

    def _operations(self, keep):
        while True:
            self.op_position = self.position
            code = self._take(1, "an opcode")
            kind, method = _OPCODES.get(code, (None, None))
            if kind == "":
                argument = None
            elif kind in _NUMBERS:
                argument = int.from_bytes(self._take(_NUMBERS[kind], method), "little")
            elif kind in _LENGTHS:
                size = int.from_bytes(self._take(_LENGTHS[kind], method), "little")
                argument = self._take(size, method) if keep else self._pass(size, method)
            elif kind == "i4":
                argument = _I4.unpack(self._take(4, method))[0]
            elif kind == "f8":
                argument = _F8.unpack(self._take(8, method))[0]
            elif kind == "line":
                argument = self._line()
            elif kind == "lines":
                argument = self._line(), self._line()
            elif kind == "frame":
                self._check_room(int.from_bytes(self._take(8, method), "little"), "a frame")
                continue
            elif kind == "no":
                raise UnpicklingError(f"the pickle uses {method}, which is not supported", self.op_position)
            else:
                raise UnpicklingError(f"unknown opcode {code!r}: not a pickle, or damaged", self.op_position)
            yield method, argument
            if method == "stop":
                return

    def _check_room(self, size, what):
        left = self.source.remaining
        if size > left:
            raise UnpicklingError(f"damaged or cut short at {what.replace('_', ' ')}: the file ends after "
                                  f"{self.position + left} of {self.position + size} bytes or more", self.op_position)

    def _take(self, size, what):
        if size > 64:  # small reads are checked by their result, large ones before memory is reserved
            self._check_room(size, what)
        data = self.source.file.read(size)
        if len(data) != size:
            self.source.file.seek(-len(data), 1)
            self._check_room(size, what)
        self.position += size
        return data

    def _pass(self, size, what):
        self._check_room(size, what)
        self.source.file.seek(size, 1)
        self.position += size

    def _line(self):
        line = self.source.file.readline()
        self.position += len(line)
        if not line.endswith(b"\n"):
            raise UnpicklingError("a text line has no end: damaged or cut short", self.op_position)
        return line[:-1]

    @staticmethod
    def _index(text):
        if not text.isdigit() or len(text) > 18:
            raise UnpicklingError(f"impossible memo number {text[:20]!r}")
        return int(text)

    # ---------------------------------------------------------------- values

    def push(self, argument):
        self.stack.append(argument)

    def none(self, _):
        self.stack.append(None)

    def true(self, _):
        self.stack.append(True)

    def false(self, _):
        self.stack.append(False)

    def int_text(self, text):
        self.stack.append({b"00": False, b"01": True}.get(text) if text in (b"00", b"01") else self._number(text))

    def long_text(self, text):
        self.stack.append(self._number(text.removesuffix(b"L")))

    @staticmethod
    def _number(text):
        if len(text) > _MAX_DIGITS:
            raise UnpicklingError(f"a number of {len(text)} digits is not accepted")
        return int(text)

    def long(self, data):
        self.stack.append(int.from_bytes(data, "little", signed=True))

    def float_text(self, text):
        self.stack.append(float(text))

    def string_text(self, text):
        if len(text) < 2 or text[:1] != text[-1:] or text[:1] not in (b"'", b'"'):
            raise UnpicklingError("a text is not quoted")
        self.string(codecs.escape_decode(text[1:-1])[0])

    def string(self, data):
        self.stack.append(data if self.encoding == "bytes" else data.decode(self.encoding))

    def unicode_text(self, text):
        self.stack.append(text.decode("raw-unicode-escape"))

    def unicode(self, data):
        self.stack.append(data.decode("utf-8", "surrogatepass"))

    def bytearray(self, data):
        self.stack.append(bytearray(data))

    # ---------------------------------------------------------------- stack and memo

    def mark(self, _):
        self.marked.append(self.stack)
        self.stack = []

    def _items(self):
        items, self.stack = self.stack, self.marked.pop()
        return items

    def pop(self, _):
        if self.stack:
            self.stack.pop()
        else:
            self._items()

    def pop_mark(self, _):
        self._items()

    def dup(self, _):
        self.shared.add(id(self.stack[-1]))
        self.stack.append(self.stack[-1])

    def put(self, index):
        value = self.stack[-1]
        if index in self.fetched:
            self.memo[index] = value
            if type(value) is bytes:
                self.shared.add(id(value))
        else:
            self.memo[index] = None  # never asked for; the entry only counts

    def memoize(self, _):
        self.put(len(self.memo))

    def put_text(self, text):
        self.put(self._index(text))

    def get(self, index):
        self.stack.append(self.memo[index])

    def get_text(self, text):
        self.get(self._index(text))

    def proto(self, version):
        if version > 5:
            raise UnpicklingError(f"pickle protocol {version} is unknown; 0 to 5 are read")

    # ---------------------------------------------------------------- containers

    def empty_tuple(self, _):
        self.stack.append(())

    def tuple1(self, _):
        self.stack[-1] = (self.stack[-1],)

    def tuple2(self, _):
        self.stack[-2:] = [(self.stack[-2], self.stack[-1])]

    def tuple3(self, _):
        self.stack[-3:] = [(self.stack[-3], self.stack[-2], self.stack[-1])]

    def tuple_of_items(self, _):
        items = self._items()
        self.stack.append(tuple(items))

    def empty_list(self, _):
        self.stack.append([])

    def list_of_items(self, _):
        items = self._items()
        self.stack.append(items)

    def append(self, _):
        item = self.stack.pop()
        self._extend([item])

    def appends(self, _):
        self._extend(self._items())

    def _extend(self, items):
        target = self.stack[-1]
        if type(target) is not list:
            self.builder.check_instance(target, "a list is continued")
        target.extend(items)

    def empty_dict(self, _):
        self.stack.append({})

    def dict_of_items(self, _):
        items = self._items()
        self.stack.append({})
        self._update(items)

    def setitem(self, _):
        items = self.stack[-2:]
        del self.stack[-2:]
        self._update(items)

    def setitems(self, _):
        self._update(self._items())

    def _update(self, items):
        target = self.stack[-1]
        if not isinstance(target, dict):
            self.builder.check_instance(target, "a dict is continued")
        if len(items) % 2:
            raise UnpicklingError("a key has no value")
        for key, value in zip(items[::2], items[1::2]):
            check_key(key)
            target[key] = value

    def empty_set(self, _):
        self.stack.append(set())

    def additems(self, _):
        items = self._items()
        for item in items:
            check_key(item)
        if type(self.stack[-1]) is not set:
            raise UnpicklingError("members are added to something that is not a set")
        self.stack[-1].update(items)

    def frozen_set(self, _):
        items = self._items()
        for item in items:
            check_key(item)
        self.stack.append(frozenset(items))

    # ---------------------------------------------------------------- globals and objects

    def global_text(self, lines):
        module, name = lines
        self.stack.append(self.builder.find(module.decode(), name.decode()))

    def stack_global(self, _):
        name, module = self.stack.pop(), self.stack.pop()
        if type(name) is not str or type(module) is not str:
            raise UnpicklingError("a global is not named by texts")
        self.stack.append(self.builder.find(module, name))

    def reduce(self, _):
        arguments, function = self.stack.pop(), self.stack.pop()
        self.stack.append(self._call(function, arguments))

    def newobj(self, _):
        arguments, kind = self.stack.pop(), self.stack.pop()
        self.stack.append(self._call(kind, arguments, new=True))

    def newobj_ex(self, _):
        keywords, arguments, kind = self.stack.pop(), self.stack.pop(), self.stack.pop()
        if type(keywords) is not dict:
            raise UnpicklingError("keyword arguments are not a dict")
        self.stack.append(self._call(kind, arguments, keywords, new=True))

    def inst(self, lines):
        module, name = lines
        arguments = tuple(self._items())
        self.stack.append(self._call(self.builder.find(module.decode(), name.decode()), arguments))

    def obj(self, _):
        items = self._items()
        self.stack.append(self._call(items[0], tuple(items[1:])))

    def _call(self, function, arguments, keywords=None, new=False):
        if type(arguments) is not tuple:
            raise UnpicklingError("arguments are not a tuple")
        return self.builder.call(function, arguments, keywords or {}, new)

    def persistent(self, _):
        self.stack[-1] = self.builder.persistent(self.stack[-1])

    def build(self, _):
        state = self.stack.pop()
        self.builder.set_state(self.stack[-1], state, self.shared)


_METHODS = {method: getattr(Machine, method) for kind, method in _OPCODES.values()
            if kind not in ("no", "frame") and method != "stop"}


def check_key(key):
    """Refuse keys whose hash would recurse without bound, such as very deep or self-sharing tuples."""
    if type(key) in (str, int):
        return
    pending, parts = [key], 0
    while pending:
        part = pending.pop()
        parts += 1
        if parts > _KEY_PARTS:
            raise UnpicklingError(f"a key or set member has more than {_KEY_PARTS} parts")
        if isinstance(part, (tuple, frozenset)):
            pending.extend(part)
