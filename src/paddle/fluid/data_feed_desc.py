"""fluid.DataFeedDesc: which slots the lines of data files have, read from a text file (1.x)."""

from ..core.addresses import lookup as _lookup
from ..core.errors import describe
from ..serialization import text_format

__all__ = ["DataFeedDesc"]
_FIELDS = {"name": str, "batch_size": int, "multi_slot_desc": list, "pipe_command": str, "thread_num": int, "rank_offset": str,
           "pv_batch_size": int}


class DataFeedDesc:
    """The description of data files: name, batch_size and the slots of a line (1.x; successor: paddle.distributed.QueueDataset)."""

    def __init__(self, proto_file):
        with open(proto_file, encoding="utf8") as file:
            fields = text_format.parse(file.read())
        for name, value in fields:
            if not isinstance(value, _FIELDS.get(name, ())):
                raise ValueError(f"DataFeedDesc(): {proto_file!r} must have {', '.join(_FIELDS)} with values of their kinds, got "
                                 f"{name} with {describe(value)}")
        self._fields = {"pipe_command": "cat", **dict(fields)}
        self._slots = {dict(slot)["name"]: dict(slot) for kind, slot in self._fields.get("multi_slot_desc", ()) if kind == "slots"}
        shapes = [[v for k, v in slot if k == "shape"] for _, slot in self._fields.get("multi_slot_desc", ())]
        for slot, shape in zip(self._slots.values(), shapes):
            slot["shape"] = shape

    def set_batch_size(self, batch_size):
        """How many lines are fed at once."""
        self._fields["batch_size"] = int(batch_size)

    def set_dense_slots(self, dense_slots_name):
        """These slots are fed as dense arrays, not as sequences."""
        self._set(dense_slots_name, "is_dense")

    def set_use_slots(self, use_slots_name):
        """These slots are fed; the others are skipped."""
        self._set(use_slots_name, "is_used")

    def _set(self, names, flag):
        if self._fields.get("name") != "MultiSlotDataFeed":
            raise ValueError(f"DataFeedDesc: only a MultiSlotDataFeed has slots, this is {self._fields.get('name')!r}")
        for name in names:
            self._slots[name][flag] = True

    def desc(self):
        """The description as text."""
        order = ("name", "type", "is_dense", "is_used")
        slots = [("slots", [(k, slot[k]) for k in order if k in slot] + [("shape", n) for n in slot["shape"]])
                 for slot in self._slots.values()]
        fields = {**self._fields, "multi_slot_desc": slots}
        return text_format.render([(name, fields[name]) for name in _FIELDS if name in fields]) + "\n"


__getattr__ = _lookup(__name__)
