"""The summary: tables of recorded events."""

import enum
from collections import defaultdict

from .recorder import TracerEventType as Kind

_UNITS = {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1.0}  # nanoseconds in each
_PHASES = {Kind.Dataloader: "Dataloader", Kind.Forward: "Forward", Kind.Backward: "Backward", Kind.Optimization: "Optimization"}
_OPERATORS = (Kind.Operator, Kind.OperatorGrad)


class SortedKeys(enum.Enum):
    """By what the operators of a summary are sorted. Without a GPU, its times are those of the CPU."""

    CPUTotal = 0
    CPUAvg = 1
    CPUMax = 2
    CPUMin = 3
    GPUTotal = 4
    GPUAvg = 5
    GPUMax = 6
    GPUMin = 7


class SummaryView(enum.Enum):
    """The tables of a summary."""

    DeviceView = 0
    OverView = 1
    ModelView = 2
    DistributedView = 3
    KernelView = 4
    OperatorView = 5
    MemoryView = 6
    MemoryManipulationView = 7
    UDFView = 8


class Group:
    """Events that belong together: how many, how long, how much."""

    def __init__(self):
        self.calls = self.total = self.own = self.most = self.bytes = self.largest = self.flops = 0
        self.least = None

    def add(self, event, own):
        spent, size = event.end - event.start, event.details.get("bytes", 0)
        self.calls, self.total, self.own = self.calls + 1, self.total + spent, self.own + own
        self.most, self.least = max(self.most, spent), spent if self.least is None else min(self.least, spent)
        self.bytes, self.largest = self.bytes + size, max(self.largest, size)
        self.flops += event.details.get("flops", 0)

    mean = property(lambda self: self.total / self.calls)


def own_times(events):
    """Pairs (event, its time without that of the events inside it)."""
    inside = defaultdict(int)
    stacks = defaultdict(list)
    for number, event in sorted(enumerate(events), key=lambda pair: (pair[1].start, -pair[1].end)):
        stack = stacks[event.thread]
        while stack and events[stack[-1]].end <= event.start:
            stack.pop()
        if stack:
            inside[stack[-1]] += event.end - event.start
        stack.append(number)
    return [(event, event.end - event.start - inside[number]) for number, event in enumerate(events)]


def grouped(events, key=lambda event: event.name):
    """{key of an event: Group}."""
    groups = defaultdict(Group)
    for event, own in own_times(events):
        groups[key(event)].add(event, own)
    return groups


_ORDER = {SortedKeys.CPUTotal: lambda g: g.total, SortedKeys.CPUAvg: lambda g: g.mean, SortedKeys.CPUMax: lambda g: g.most,
          SortedKeys.CPUMin: lambda g: g.least}


def _ordered(groups, sorted_by):
    measure = _ORDER[SortedKeys[sorted_by.name.replace("GPU", "CPU")]]
    return sorted(groups.items(), key=lambda item: -measure(item[1]))


def _table(title, header, rows):
    """Text in columns, the first to the left and the others to the right."""
    rows = [[str(cell) for cell in row] for row in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = ["  ".join([row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))]) for row in rows]
    rule = "-" * max(map(len, [title, *lines]))
    return "\n".join([title, rule, lines[0], rule, *lines[1:], rule])


class Summary:
    """The tables of a ProfilerResult, in a unit of time."""

    def __init__(self, result, sorted_by, op_detail, thread_sep, time_unit):
        self.events, self.sorted_by, self.op_detail, self.thread_sep = result.events, sorted_by, op_detail, thread_sep
        self.unit, self.scale = time_unit, _UNITS[time_unit]
        steps = self.of(Kind.ProfileStep)
        begin, end = min((e.start for e in self.events), default=0), max((e.end for e in self.events), default=0)
        self.steps, self.wall = len(steps), sum(e.end - e.start for e in steps) or end - begin

    def of(self, *kinds):
        return [event for event in self.events if event.kind in kinds]

    def time(self, nanoseconds):
        return f"{nanoseconds / self.scale:.4f}"

    def share(self, part, whole=None):
        whole = self.wall if whole is None else whole
        return f"{100 * part / whole:.2f}" if whole else "0.00"

    def times(self, group, whole):
        measured = (group.total, group.mean, group.most, group.least)
        return [group.calls, *(self.time(t) for t in measured), self.share(group.own, whole)]

    @property
    def header(self):
        return ["Calls", *(f"{name} ({self.unit})" for name in ("Total", "Avg", "Max", "Min")), "Share (%)"]

    def device_view(self):
        busy = _union(self.of(*_OPERATORS))
        return _table("Device Summary", ["Device", "In operators (%)"], [["CPU", self.share(busy)]])

    def over_view(self):
        rows = [[kind.name, len(events), self.time(_union(events)), self.share(_union(events))]
                for kind in Kind if (events := self.of(kind))]
        return _table(f"Overview: {self.steps} steps, {self.time(self.wall)} {self.unit}",
                      ["Kind of event", "Calls", f"Time ({self.unit})", "Share (%)"], rows)

    def model_view(self):
        rows, left = [], self.wall
        for kind, name in _PHASES.items():
            spent = _union(self.of(kind))  # layers hold layers: what they cover counts once
            left -= spent
            if spent:
                rows.append([name, self.time(spent), self.time(spent / max(self.steps, 1)), self.share(spent)])
        rows.append(["Others", self.time(max(left, 0)), self.time(max(left, 0) / max(self.steps, 1)), self.share(max(left, 0))])
        return _table("Model Summary", ["Phase", f"Total ({self.unit})", f"Per step ({self.unit})", "Share (%)"], rows)

    def operator_view(self):
        events = self.of(*_OPERATORS)
        threads = dict.fromkeys(event.thread for event in events) if self.thread_sep else [None]
        tables = [self._operators([e for e in events if thread in (None, e.thread)], thread) for thread in threads]
        return "\n\n".join(tables) if events else ""

    def _operators(self, events, thread):
        groups, rows = grouped(events), []
        whole = sum(group.own for group in groups.values())
        counted = any("flops" in event.details for event in events)
        shapes = grouped([e for e in events if "input_shapes" in e.details], lambda e: (e.name, str(e.details["input_shapes"])))
        for name, group in _ordered(groups, self.sorted_by):
            rows.append([name, *self.times(group, whole), *([f"{group.flops:,}"] if counted else [])])
            if self.op_detail:
                rows += [["  " + shape, *self.times(part, whole), *([f"{part.flops:,}"] if counted else [])]
                         for (owner, shape), part in _ordered(shapes, self.sorted_by) if owner == name]
        title = "Operator Summary" + ("" if thread is None else f", thread {thread}")
        return _table(title, ["Name", *self.header, *(["FLOPs"] if counted else [])], rows)

    def memory_view(self):
        events = [event for event in self.of(Kind.Operator) if "bytes" in event.details]
        rows = [[name, group.calls, f"{group.bytes:,}", f"{group.largest:,}"]
                for name, group in sorted(grouped(events).items(), key=lambda item: -item[1].bytes) if group.bytes]
        return _table("Memory Summary: memory of results", ["Name", "Calls", "Bytes", "Largest"], rows) if rows else ""

    def udf_view(self):
        groups = grouped(self.of(Kind.PythonUserDefined, Kind.PythonOp))
        rows = [[name, *self.times(group, self.wall)] for name, group in _ordered(groups, self.sorted_by)]
        return _table("UserDefined Summary", ["Name", *self.header], rows) if rows else ""

    VIEWS = {SummaryView.DeviceView: device_view, SummaryView.OverView: over_view, SummaryView.ModelView: model_view,
             SummaryView.OperatorView: operator_view, SummaryView.MemoryView: memory_view, SummaryView.UDFView: udf_view}

    def text(self, views=None):
        """The wanted tables; of those asked for by name, it is said when there is nothing to show."""
        found = []
        for view in self.VIEWS if views is None else views:
            table = self.VIEWS[view](self) if view in self.VIEWS else ""
            if table or views is not None:
                found.append(table or f"{view.name}: nothing of this was recorded")
        return "\n\n".join(found)


def _union(events):
    """Nanoseconds in which at least one of the events went on."""
    covered = reached = 0
    for event in sorted(events, key=lambda event: event.start):
        covered += max(event.end - max(event.start, reached), 0)
        reached = max(reached, event.end)
    return covered


def check_summary(sorted_by, time_unit, views):
    """The arguments of ``Profiler.summary``, or an error that names the wrong one."""
    if not isinstance(sorted_by, SortedKeys):
        raise TypeError(f"summary(): sorted_by must be one of SortedKeys, got {sorted_by!r}")
    if time_unit not in _UNITS:
        raise ValueError(f"summary(): time_unit must be one of {list(_UNITS)}, got {time_unit!r}")
    views = [views] if isinstance(views, SummaryView) else views
    if views is not None and not all(isinstance(view, SummaryView) for view in views):
        raise TypeError(f"summary(): views must be of SummaryView, got {views!r}")
    return views
