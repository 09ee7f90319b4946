"""DataFeedDesc: how the lines of training data are divided into slots, read from a text message of protobuf."""

import json
import re

__all__ = ["DataFeedDesc"]

_TOKEN = re.compile(r'\s+|\#[^\n]*|(?P<name>[A-Za-z_]\w*)|(?P<text>"(?:\\.|[^"\\])*")|(?P<number>-?[\d.][\w.+-]*)|'
                    r'(?P<mark>[{}:;,])')


class Message:
    """Fields of a text message, in their order: ``fields`` is a list of [name, value]; a value may be a Message."""

    def __init__(self, fields=()):
        self.fields = [list(field) for field in fields]

    def __getitem__(self, name):
        return [value for field, value in self.fields if field == name]

    def set(self, name, value):
        """Give a field that occurs once a value."""
        for field in self.fields:
            if field[0] == name:
                field[1] = value
                return
        self.fields.append([name, value])

    def text(self, depth=0):
        """The message as protobuf writes it."""
        lines = []
        for name, value in self.fields:
            if isinstance(value, Message):
                lines += [f"{'  ' * depth}{name} {{", *value.text(depth + 1).splitlines(), f"{'  ' * depth}}}"]
            else:
                shown = value if isinstance(value, Word) else json.dumps(value, ensure_ascii=False)  # true, 2, "text"
                lines.append(f"{'  ' * depth}{name}: {shown}")
        return "".join(line + "\n" for line in lines)


class Word(str):
    """A value without quotes: the name of a constant."""


def parse(text):
    """The Message of a text; ValueError says where it is none."""
    tokens, at = [], 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise ValueError(f"DataFeedDesc(): line {text.count(chr(10), 0, at) + 1} is no text of a message: {text[at:at + 20]!r}")
        at = found.end()
        if found.lastgroup:
            tokens.append((found.lastgroup, found.group()))
    message, rest = _fields(tokens, 0)
    if rest != len(tokens):
        raise ValueError("DataFeedDesc(): a } closes nothing")
    return message


def _fields(tokens, at):
    message = Message()
    while at < len(tokens) and tokens[at][1] != "}":
        kind, name = tokens[at]
        if kind == "mark" and name in ";,":
            at += 1
            continue
        after = [token for _, token in tokens[at + 1:at + 3]]
        if kind != "name" or not after or after[0] not in ("{", ":"):
            raise ValueError(f"DataFeedDesc(): a field must be 'name: value' or 'name {{ ... }}', got {name!r}")
        opens = after[0] == "{" or after[1:] == ["{"]
        at += 1 + (after[0] == ":")
        if opens:
            value, at = _fields(tokens, at + 1)
            if at >= len(tokens):
                raise ValueError(f"DataFeedDesc(): the {{ of {name!r} is not closed")
        elif at >= len(tokens) or tokens[at][0] == "mark":
            raise ValueError(f"DataFeedDesc(): the field {name!r} has no value")
        else:
            value = _value(*tokens[at])
        message.fields.append([name, value])
        at += 1
    return message, at


def _value(kind, token):
    if kind == "text":
        return json.loads(token)
    if kind == "number":
        return float(token) if re.search(r"[.eE]", token) else int(token, 0)
    return {"true": True, "false": False}.get(token, Word(token))


class DataFeedDesc:
    """How lines of data are divided into slots.

    Args:
        proto_file (str): a file with the text of a message: ``name``, ``batch_size`` and ``multi_slot_desc`` with its ``slots``.
    """

    def __init__(self, proto_file):
        with open(proto_file, encoding="utf8") as file:
            self.proto_desc = parse(file.read())

    def set_batch_size(self, batch_size):
        """Set how many lines make a batch."""
        self.proto_desc.set("batch_size", batch_size)

    def set_dense_slots(self, dense_slots_name):
        """Say which slots hold as many numbers in every line."""
        self._mark(dense_slots_name, "is_dense", "set_dense_slots")

    def set_use_slots(self, use_slots_name):
        """Say which slots are read."""
        self._mark(use_slots_name, "is_used", "set_use_slots")

    def desc(self):
        """The text of the message."""
        return self.proto_desc.text()

    def _mark(self, names, field, function):
        if self.proto_desc["name"] != ["MultiSlotDataFeed"]:
            raise ValueError(f"DataFeedDesc.{function}(): is for a MultiSlotDataFeed, the file describes {self.proto_desc['name']}")
        slots = {slot["name"][0]: slot for desc in self.proto_desc["multi_slot_desc"] for slot in desc["slots"]}
        for name in names:
            if name not in slots:
                raise KeyError(f"DataFeedDesc.{function}(): there is no slot {name!r}; there are {sorted(slots)}")
            slots[name].set(field, True)
