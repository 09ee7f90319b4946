"""Where a program's time goes: operators, gradients, layers, data loading, and what a program marks itself.

    with paddle.profiler.Profiler(scheduler=(2, 5), on_trace_ready=paddle.profiler.export_chrome_tracing("log")) as p:
        for batch in loader:
            train(batch)
            p.step()
    p.summary()

Nothing of this costs anything while no Profiler records.
"""

from ..core.addresses import lookup as _lookup
from .profiler import Profiler, ProfilerState, ProfilerTarget, export_chrome_tracing, export_protobuf, make_scheduler
from .recorder import RecordEvent, TracerEventType  # noqa: F401
from .table import SortedKeys, SummaryView
from .trace import load_profiler_result

__all__ = ["Profiler", "ProfilerState", "ProfilerTarget", "RecordEvent", "SortedKeys", "SummaryView", "export_chrome_tracing",
           "export_protobuf", "load_profiler_result", "make_scheduler"]


__getattr__ = _lookup(__name__)
