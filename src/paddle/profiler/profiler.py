"""The Profiler: records some steps of a program, hands the result over, and prints it."""

import datetime
import enum
import os
import socket
import warnings

from ..core import hooks
from ..core.addresses import lookup as _lookup
from .recorder import Recorder, RecordEvent, TracerEventType
from .table import SortedKeys, Summary, check_summary
from .timer import StepTimer
from .trace import ProfilerResult

__all__ = ["Profiler", "ProfilerState", "ProfilerTarget", "export_chrome_tracing", "export_protobuf", "make_scheduler"]


class ProfilerState(enum.Enum):
    """What a Profiler does in a step: nothing, get ready, record, or record and hand the result over at the end."""

    CLOSED = 0
    READY = 1
    RECORD = 2
    RECORD_AND_RETURN = 3


class ProfilerTarget(enum.Enum):
    """What is watched; here there is only the CPU."""

    CPU = 0
    GPU = 1
    XPU = 2
    CUSTOM_DEVICE = 3


_RECORDING = (ProfilerState.RECORD, ProfilerState.RECORD_AND_RETURN)


def make_scheduler(*, closed, ready, record, repeat=0, skip_first=0):
    """A function from the number of a step to its ProfilerState: a cycle of steps closed, ready and recorded.

    Args:
        closed, ready, record: how many steps of each a cycle has; the last recorded one hands the result over.
        repeat: how many cycles there are; 0: as many as the program lasts.
        skip_first: closed steps before the first cycle.

    >>> from paddle.profiler import make_scheduler
    >>> scheduler = make_scheduler(closed=1, ready=1, record=2, repeat=1)
    >>> [scheduler(step).name for step in range(5)]
    ['CLOSED', 'READY', 'RECORD', 'RECORD_AND_RETURN', 'CLOSED']
    """
    numbers = {"closed": closed, "ready": ready, "record": record, "repeat": repeat, "skip_first": skip_first}
    for name, value in numbers.items():
        if not isinstance(value, int) or value < (name == "record"):
            raise ValueError(f"make_scheduler(): {name} must be an int of at least {int(name == 'record')}, got {value!r}")
    period = closed + ready + record

    def state(step):
        cycle, place = divmod(step - skip_first, period)
        if step < skip_first or (repeat and cycle >= repeat) or place < closed:
            return ProfilerState.CLOSED
        if place < closed + ready:
            return ProfilerState.READY
        return ProfilerState.RECORD if place < period - 1 else ProfilerState.RECORD_AND_RETURN
    return state


def _scheduler(given):
    """The scheduler that the argument of Profiler means: a function, (first step, step after the last), or None."""
    if given is None:
        return lambda step: ProfilerState.RECORD
    if callable(given):
        return given
    if not isinstance(given, (tuple, list)) or len(given) != 2 or not given[0] < given[1]:
        raise ValueError(f"Profiler(): scheduler must be a function or a pair of steps (first, after the last), got {given!r}")
    first, after = max(given[0], 0), given[1]
    return make_scheduler(closed=max(first - 1, 0), ready=min(first, 1), record=after - first, repeat=1)


def export_chrome_tracing(dir_name, worker_name=None):
    """A function for ``on_trace_ready`` that writes a trace for chrome://tracing or Perfetto into a folder.

    Args:
        dir_name: the folder; it is made when the first file is written.
        worker_name: how files' names begin; by default with the names of the machine and the process.

    >>> import tempfile, os
    >>> folder = tempfile.mkdtemp()
    >>> with paddle.profiler.Profiler(on_trace_ready=paddle.profiler.export_chrome_tracing(folder, "me")):
    ...     x = paddle.ones([2]) * 2
    >>> [name[:8] for name in os.listdir(folder)]
    ['me_time_']
    """
    def write(profiler):
        prefix = worker_name or f"host_{socket.gethostname()}pid_{os.getpid()}"
        when = datetime.datetime.now().strftime("%Y_%m_%d_%H_%M_%S_%f")
        profiler.export(os.path.join(dir_name, f"{prefix}_time_{when}.paddle_trace.json"), "json")
    return write


def export_protobuf(dir_name, worker_name=None):
    """Refused: traces are written as json (export_chrome_tracing)."""
    raise NotImplementedError("export_protobuf(): traces in protobuf are not supported; use export_chrome_tracing, "
                              "which chrome://tracing and Perfetto read")


class Profiler:
    """Records where the time goes, from ``start`` to ``stop`` or inside a ``with`` block, in the steps that a scheduler names.

    Args:
        targets: ProfilerTarget values; what isn't there (a GPU) is left out with a warning.
        scheduler: from the number of a step to its ProfilerState (see ``make_scheduler``), or (first step, step after the
            last); None records all.
        on_trace_ready: called with the Profiler when a recording is complete; None writes a trace into ./profiler_log.
        record_shapes: note the shapes of operators' inputs.
        profile_memory: note how much memory operators' results take.
        timer_only: only time the steps and the loading of data, for ``step_info``.
        emit_nvtx, custom_device_types: refused, they are for devices that aren't here.
        with_flops: note the arithmetic of operators (as ``paddle.flops`` counts it; not of gradients).

    >>> profiler = paddle.profiler.Profiler(on_trace_ready=lambda p: None)
    >>> with profiler:
    ...     x = paddle.ones([2, 2]) @ paddle.ones([2, 2])
    >>> sorted({event.name for event in profiler.profiler_result.events})
    ['ProfileStep#0', 'fill_constant', 'matmul']
    """

    def __init__(self, *, targets=None, scheduler=None, on_trace_ready=None, record_shapes=False, profile_memory=False,
                 timer_only=False, emit_nvtx=False, custom_device_types=(), with_flops=False):
        if emit_nvtx or custom_device_types:
            raise NotImplementedError("Profiler(): emit_nvtx and custom_device_types are for devices that aren't here")
        for target in targets or ():
            if target is not ProfilerTarget.CPU:
                warnings.warn(f"Profiler(): {target} is not there and is left out", stacklevel=2)
        self.targets = {ProfilerTarget.CPU}
        self.scheduler = _scheduler(scheduler)
        self.on_trace_ready = on_trace_ready or export_chrome_tracing("./profiler_log/")
        self.timer_only, self.record_shapes, self.profile_memory = timer_only, record_shapes, profile_memory
        self.with_flops = with_flops
        self.step_num, self.current_state = 0, self.scheduler(0)
        self.profiler_result = None  # the last complete recording
        self._timer = self._recorder = self._step_event = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *exc):
        self.stop()

    def start(self):
        """Begin with the current step."""
        if self._timer is not None:
            raise RuntimeError("Profiler.start(): it has been started already")
        self._timer = StepTimer()
        hooks.listen(self._timer.heard)
        if not self.timer_only:
            self._begin_step()

    def stop(self):
        """End the last step; what was recorded is handed over."""
        if self._timer is None:
            return
        hooks.ignore(self._timer.heard)
        text = self._timer.summary()
        self._timer = None
        if text:
            print(text)
        if not self.timer_only:
            self._end_step()
            if self._recorder is not None:
                self._hand_over()

    def step(self, num_samples=None):
        """The next step begins here; ``num_samples`` says how many samples the last one had."""
        if self._timer is None:
            raise RuntimeError("Profiler.step(): call start() first, or use it in a with block")
        self._timer.step(num_samples)
        if self.timer_only:
            return
        self._end_step()
        before = self.current_state
        self.step_num += 1
        self.current_state = self.scheduler(self.step_num)
        if before is ProfilerState.RECORD_AND_RETURN:
            self._hand_over()
        elif before is ProfilerState.RECORD and self.current_state not in _RECORDING:
            warnings.warn(f"Profiler.step(): the scheduler goes from RECORD to {self.current_state.name} without "
                          "RECORD_AND_RETURN; what was recorded is dropped", stacklevel=2)
            self._end_recording()
        self._begin_step()

    def step_info(self, unit=None):
        """Mean seconds per step, of that waiting for data, and steps or samples per second, since the last call, as text.

        Args:
            unit: what samples are called.
        """
        if self._timer is None:
            raise RuntimeError("Profiler.step_info(): call start() first, or use it in a with block")
        return self._timer.info(unit)

    def export(self, path="", format="json"):
        """Write the last complete recording to a file; the only format is 'json', Chrome's trace events."""
        if self.profiler_result is None:
            raise RuntimeError("Profiler.export(): nothing has been recorded yet")
        self.profiler_result.save(path, format)

    def summary(self, sorted_by=SortedKeys.CPUTotal, op_detail=True, thread_sep=False, time_unit="ms", views=None):
        """Print tables of the last complete recording.

        Args:
            sorted_by: the order of operators, a value of SortedKeys.
            op_detail: below each operator, a line for each set of input shapes (with ``record_shapes``).
            thread_sep: a table of operators for each thread.
            time_unit: 's', 'ms', 'us' or 'ns'.
            views: the wanted tables, of SummaryView; None prints those that have something to show.
        """
        views = check_summary(sorted_by, time_unit, views)
        if self.profiler_result is None:
            raise RuntimeError("Profiler.summary(): nothing has been recorded yet")
        print(Summary(self.profiler_result, sorted_by, op_detail, thread_sep, time_unit).text(views))

    # ---- recording -------------------------------------------------------------------------------------------------
    def _begin_step(self):
        if self.current_state in _RECORDING:
            if self._recorder is None:
                self._recorder = Recorder(self.record_shapes, self.profile_memory, self.with_flops).install()
                hooks.listen(self._recorder.heard)
            self._step_event = RecordEvent(f"ProfileStep#{self.step_num}", TracerEventType.ProfileStep)
            self._step_event.begin()

    def _end_step(self):
        if self._step_event is not None:
            self._step_event.end()
            self._step_event = None

    def _end_recording(self):
        """Stop recording; gives the recorder."""
        recorder, self._recorder = self._recorder, None
        hooks.ignore(recorder.heard)
        recorder.remove()
        return recorder

    def _hand_over(self):
        self.profiler_result = ProfilerResult(self._end_recording().events)
        self.on_trace_ready(self)


__getattr__ = _lookup(__name__)
