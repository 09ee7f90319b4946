"""What is recorded, when, and how it is shown; times themselves are never compared with a clock."""

import json

import numpy as np
import pytest

import paddle
from paddle import nn, profiler
from paddle.core import hooks
from paddle.core.context import process
from paddle.profiler import ProfilerState as State
from paddle.profiler import TracerEventType as Kind
from paddle.profiler import table
from paddle.profiler.recorder import Event, recording
from paddle.profiler.timer import StepTimer


@pytest.fixture(autouse=True)
def nothing_is_left_behind():
    methods = nn.Layer.__call__, paddle.Tensor.backward, paddle.optimizer.SGD.step, paddle.io.DataLoader.__iter__
    yield
    assert not hooks.installed() and not recording and not process.listeners
    assert methods == (nn.Layer.__call__, paddle.Tensor.backward, paddle.optimizer.SGD.step, paddle.io.DataLoader.__iter__)


def quiet(_):
    pass


def train(p, steps):
    net = nn.Sequential(nn.Linear(4, 3), nn.ReLU())
    sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())
    loader = paddle.io.DataLoader(paddle.io.TensorDataset([paddle.ones([2 * steps, 4])]), batch_size=2)
    for x, in loader:
        with profiler.RecordEvent("loss"):
            loss = net(x).sum()
        loss.backward()
        sgd.step()
        p.step(2)


def names(p, *kinds):
    return [event.name for event in p.profiler_result.events if event.kind in kinds]


def test_what_is_recorded():
    with profiler.Profiler(on_trace_ready=quiet) as p:
        train(p, 2)
    operators, gradients = names(p, Kind.Operator), names(p, Kind.OperatorGrad)
    assert {"matmul", "relu", "sum"} <= set(operators) and operators.count("relu") == 2
    assert {"matmul_grad", "relu_grad", "sum_grad"} <= set(gradients) and gradients.count("matmul_grad") == 2
    assert names(p, Kind.ProfileStep) == ["ProfileStep#0", "ProfileStep#1", "ProfileStep#2"]
    assert names(p, Kind.Forward) == ["Linear", "ReLU", "Sequential"] * 2
    assert names(p, Kind.Optimization) == ["SGD"] * 2 and names(p, Kind.Dataloader) == ["DataLoader"] * 2
    assert len(names(p, Kind.Backward)) == 2 and names(p, Kind.PythonUserDefined) == ["loss"] * 2


def test_minimize_is_optimization():
    layer = nn.Linear(2, 1)
    momentum = paddle.optimizer.Momentum(parameters=layer.parameters())
    with profiler.Profiler(on_trace_ready=quiet) as p:
        loss = layer(paddle.ones([1, 2])).sum()
        loss.backward()
        momentum.minimize(loss)
    assert names(p, Kind.Optimization) == ["Momentum"]


def test_events_lie_inside_each_other():
    with profiler.Profiler(on_trace_ready=quiet) as p:
        train(p, 1)
    events = p.profiler_result.events
    step = next(e for e in events if e.name == "ProfileStep#0")
    backward = next(e for e in events if e.kind is Kind.Backward)
    assert step.start <= backward.start <= backward.end <= step.end
    for event in events:
        assert event.start <= event.end
        if event.kind is Kind.OperatorGrad:
            assert backward.start <= event.start and event.end <= backward.end


def test_gradients_are_the_same_while_recorded():
    def gradient():
        x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]], stop_gradient=False)
        (x @ x).exp().sum().backward()
        return x.grad.numpy()
    expected = gradient()
    with profiler.Profiler(on_trace_ready=quiet):
        np.testing.assert_array_equal(gradient(), expected)
        x = paddle.to_tensor(2.0, stop_gradient=False)
        first, = paddle.grad(x ** 3, x, create_graph=True)
        assert paddle.grad(first, x)[0].item() == 12


def test_operators_of_static_programs():
    paddle.enable_static()
    try:
        main = paddle.static.Program()
        with paddle.static.program_guard(main):
            y = paddle.exp(paddle.static.data("x", [2, 2]))
        executor = paddle.static.Executor()
        with profiler.Profiler(on_trace_ready=quiet, with_flops=True) as p:
            executor.run(main, {"x": np.ones((2, 2), "float32")}, [y])
    finally:
        paddle.disable_static()
    assert names(p, Kind.Operator) == ["exp"]


def test_an_operator_that_fails_is_left_out():
    with profiler.Profiler(on_trace_ready=quiet) as p:
        with pytest.raises(ValueError, match="matmul"):
            paddle.ones([2, 3]) @ paddle.ones([2, 3])
        paddle.ones([2]).exp()
    assert names(p, Kind.Operator) == ["fill_constant", "fill_constant", "fill_constant", "exp"]


# ---- when --------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("options", "expected"), [
    ({"closed": 1, "ready": 1, "record": 2}, "CLOSED READY RECORD RECORD_AND_RETURN CLOSED READY RECORD RECORD_AND_RETURN"),
    ({"closed": 0, "ready": 0, "record": 1, "repeat": 2}, "RECORD_AND_RETURN RECORD_AND_RETURN CLOSED CLOSED"),
    ({"closed": 1, "ready": 0, "record": 1, "repeat": 1, "skip_first": 2}, "CLOSED CLOSED CLOSED RECORD_AND_RETURN CLOSED"),
])
def test_make_scheduler(options, expected):
    scheduler = profiler.make_scheduler(**options)
    assert [scheduler(step).name for step in range(len(expected.split()))] == expected.split()


@pytest.mark.parametrize(("name", "value"), [("closed", -1), ("record", 0), ("ready", 1.5), ("repeat", -2)])
def test_make_scheduler_refuses(name, value):
    with pytest.raises(ValueError, match=rf"make_scheduler\(\): {name}"):
        profiler.make_scheduler(**{"closed": 1, "ready": 1, "record": 1, name: value})


@pytest.mark.parametrize(("scheduler", "recorded"), [
    ((2, 4), [["ProfileStep#2", "ProfileStep#3"]]),
    ((0, 1), [["ProfileStep#0"]]),
    (profiler.make_scheduler(closed=1, ready=1, record=1, repeat=2), [["ProfileStep#2"], ["ProfileStep#5"]]),
    (None, [[f"ProfileStep#{k}" for k in range(8)]]),
])
def test_steps_recorded(scheduler, recorded):
    found = []
    with profiler.Profiler(scheduler=scheduler, on_trace_ready=lambda p: found.append(names(p, Kind.ProfileStep))) as p:
        for step in range(7):
            assert bool(hooks.installed()) == (p.scheduler(step) in (State.RECORD, State.RECORD_AND_RETURN))
            paddle.ones([1])
            p.step()
    assert found == recorded


def test_a_recording_that_is_never_returned_is_dropped():
    states = [State.RECORD, State.CLOSED]
    with profiler.Profiler(scheduler=lambda step: states[min(step, 1)], on_trace_ready=quiet) as p:
        with pytest.warns(UserWarning, match="from RECORD to CLOSED without RECORD_AND_RETURN"):
            p.step()
    assert p.profiler_result is None
    with pytest.raises(RuntimeError, match="nothing has been recorded"):
        p.summary()
    with pytest.raises(RuntimeError, match="nothing has been recorded"):
        p.export("x.json")


def test_start_and_stop():
    p = profiler.Profiler(on_trace_ready=quiet)
    for call in (p.step, p.step_info):
        with pytest.raises(RuntimeError, match=r"call start\(\) first"):
            call()
    p.stop()  # nothing to stop
    p.start()
    with pytest.raises(RuntimeError, match="started already"):
        p.start()
    p.stop()


def test_refused_arguments():
    with pytest.raises(NotImplementedError, match="emit_nvtx"):
        profiler.Profiler(emit_nvtx=True)
    with pytest.raises(NotImplementedError, match=r"export_protobuf\(\)"):
        profiler.export_protobuf("x")
    with pytest.raises(ValueError, match=r"Profiler\(\): scheduler"):
        profiler.Profiler(scheduler=(5, 2))
    with pytest.raises(TypeError, match="event_type"):
        profiler.RecordEvent("x", "y")
    with pytest.warns(UserWarning, match="GPU is not there"):
        assert profiler.Profiler(targets=[profiler.ProfilerTarget.CPU, profiler.ProfilerTarget.GPU]).targets == {
            profiler.ProfilerTarget.CPU}


def test_marks():
    @profiler.RecordEvent("decorated")
    def work(depth):
        return work(depth - 1) if depth else None

    mark = profiler.RecordEvent("by hand")
    mark.begin()
    mark.end()  # nobody records
    with profiler.Profiler(on_trace_ready=quiet) as p:
        work(2)
        mark.begin()
        mark.end()
        mark.end()
    assert names(p, Kind.PythonUserDefined) == ["decorated"] * 3 + ["by hand"]


# ---- how it is shown ---------------------------------------------------------------------------------------------------
def test_details_and_trace_file(tmp_path):
    p = profiler.Profiler(on_trace_ready=profiler.export_chrome_tracing(str(tmp_path / "log"), "me"), record_shapes=True,
                          profile_memory=True, with_flops=True)
    with p:
        paddle.matmul(paddle.ones([2, 3]), paddle.ones([3, 4]))
    path, = (tmp_path / "log").iterdir()
    assert path.name.startswith("me_time_") and path.name.endswith(".paddle_trace.json")
    trace = json.loads(path.read_text())
    rows = [row for row in trace["traceEvents"] if row["ph"] == "X"]
    assert all(row["ts"] >= 0 and row["dur"] >= 0 and isinstance(row["pid"], int) for row in rows)
    matmul, = (row for row in rows if row["name"] == "matmul")
    assert matmul["cat"] == "Operator"
    assert matmul["args"] == {"input_shapes": [[2, 3], [3, 4]], "bytes": 32, "flops": 24}
    assert {row["name"] for row in trace["traceEvents"] if row["ph"] == "M"} == {"process_name", "thread_name"}
    loaded = profiler.load_profiler_result(str(path))
    first = min(event.start for event in p.profiler_result.events)
    expected = sorted(p.profiler_result.events, key=lambda event: event.start)
    assert loaded.events == [e._replace(start=e.start - first, end=e.end - first) for e in expected]
    with pytest.raises(NotImplementedError, match="'pb' is not supported"):
        p.export(str(tmp_path / "x"), "pb")


@pytest.mark.parametrize("content", [b"\x00\x01", b"[]", b'{"traceEvents": [{"ph": "X"}]}', b'{"traceEvents": 3}'])
def test_files_that_are_no_traces(tmp_path, content):
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(ValueError, match=r"load_profiler_result\(\): .* is not a trace"):
        profiler.load_profiler_result(str(tmp_path / "x"))


def made(name, kind, start, end, thread=1, **details):
    return Event(name, kind, start, end, thread, details)


EVENTS = [made("ProfileStep#0", Kind.ProfileStep, 0, 1_000_000), made("Net", Kind.Forward, 0, 400_000),
          made("Linear", Kind.Forward, 100_000, 300_000), made("matmul", Kind.Operator, 100_000, 200_000, bytes=64, flops=9),
          made("matmul", Kind.Operator, 200_000, 250_000, bytes=16, flops=9),
          made("outer_grad", Kind.OperatorGrad, 500_000, 800_000),
          made("exp", Kind.Operator, 500_000, 600_000, thread=2), made("exp", Kind.Operator, 600_000, 700_000),
          made("mine", Kind.PythonUserDefined, 0, 500_000)]


def summary(capsys, **options):
    p = profiler.Profiler(on_trace_ready=quiet)
    p.profiler_result = profiler.trace.ProfilerResult(EVENTS)
    p.summary(**options)
    return capsys.readouterr().out


def cells(text, name):
    return next(line.split() for line in text.splitlines() if line.split()[:1] == [name])[1:]


def test_operator_table(capsys):
    text = summary(capsys, views=profiler.SummaryView.OperatorView, time_unit="us")
    assert cells(text, "Name")[:2] == ["Calls", "Total"]
    # calls, total, mean, most, least, share of what is no other operator's, flops
    assert cells(text, "matmul") == ["2", "150.0000", "75.0000", "100.0000", "50.0000", "27.27", "18"]
    assert cells(text, "exp") == ["2", "200.0000", "100.0000", "100.0000", "100.0000", "36.36", "0"]
    assert cells(text, "outer_grad") == ["1", "300.0000", "300.0000", "300.0000", "300.0000", "36.36", "0"]
    order = [line.split()[0] for line in text.splitlines()[4:-1]]
    assert order == ["outer_grad", "exp", "matmul"]
    text = summary(capsys, views=[profiler.SummaryView.OperatorView], sorted_by=profiler.SortedKeys.CPUMin, thread_sep=True)
    assert "thread 1" in text and "thread 2" in text


def test_other_tables(capsys):
    titles = [line for line in summary(capsys).splitlines() if "ummary" in line or "Overview" in line]
    assert titles == ["Device Summary", "Overview: 1 steps, 1.0000 ms", "Model Summary", "Operator Summary",
                      "Memory Summary: memory of results", "UserDefined Summary"]
    phases_of = summary(capsys, views=profiler.SummaryView.ModelView, time_unit="us")
    assert cells(phases_of, "Forward") == ["400.0000", "400.0000", "40.00"]  # of the net and the layer inside it
    assert cells(phases_of, "Others") == ["600.0000", "600.0000", "60.00"]
    assert cells(summary(capsys, views=profiler.SummaryView.MemoryView), "matmul") == ["2", "80", "64"]
    assert cells(summary(capsys, views=profiler.SummaryView.UDFView, time_unit="ns"), "mine")[:2] == ["1", "500000.0000"]
    assert cells(summary(capsys, views=profiler.SummaryView.DeviceView), "CPU") == ["45.00"]
    assert summary(capsys, views=profiler.SummaryView.KernelView) == "KernelView: nothing of this was recorded\n"


def test_summary_refuses(capsys):
    for options, error in [({"sorted_by": "total"}, TypeError), ({"time_unit": "h"}, ValueError), ({"views": ["x"]}, TypeError)]:
        with pytest.raises(error, match=rf"summary\(\): {next(iter(options))}"):
            summary(capsys, **options)


def test_shapes_below_operators(capsys):
    with profiler.Profiler(on_trace_ready=quiet, record_shapes=True) as p:
        paddle.ones([2]).exp()
        paddle.ones([3, 4]).exp()
    p.summary(views=profiler.SummaryView.OperatorView)
    assert "  [[3, 4]]" in capsys.readouterr().out
    p.summary(views=profiler.SummaryView.OperatorView, op_detail=False)
    assert "[[3, 4]]" not in capsys.readouterr().out


def test_own_times():
    inner, outer = made("b", Kind.Operator, 2, 5), made("a", Kind.Operator, 0, 10)
    other = made("c", Kind.Operator, 3, 4, thread=2)
    assert [own for _, own in table.own_times([inner, outer, other])] == [3, 7, 1]


# ---- timing steps ------------------------------------------------------------------------------------------------------
@pytest.fixture
def clock(monkeypatch):
    """clock[0]: what time it is, in nanoseconds."""
    time = [0]
    monkeypatch.setattr("paddle.profiler.timer.now", lambda: time[0])
    return time


def test_step_info(clock):
    timer = StepTimer()
    for seconds in (1, 3):
        timer.heard("DataLoader", "Dataloader", clock[0], clock[0] + 500_000_000)
        timer.heard("Linear", "Forward", clock[0], clock[0] + 10)
        clock[0] += seconds * 10 ** 9
        timer.step(10)
    assert timer.info("images") == " reader_cost: 0.50000 s batch_cost: 2.00000 s ips: 5.000 images/s"
    assert timer.info() == ""  # nothing since
    clock[0] += 10 ** 9
    timer.step()
    assert timer.info("images") == " batch_cost: 1.00000 s ips: 1.000 steps/s"
    assert timer.summary() == ""  # all of it was warming up


def test_perf_summary(clock):
    timer = StepTimer()
    for step in range(12):
        timer.heard("DataLoader", "Dataloader", 0, 10 ** 9)
        clock[0] += (100 if step < 10 else 2 * (step - 9)) * 10 ** 9
        timer.step(6)
    lines = timer.summary().splitlines()
    assert lines[1:3] == ["Reader Ratio: 33.333%", "Time Unit: s, IPS Unit: samples/s"]
    assert [line.strip("|").replace("|", " ").split() for line in lines[4:]] == [
        ["reader_cost", "1.00000", "1.00000", "1.00000"], ["batch_cost", "3.00000", "4.00000", "2.00000"],
        ["ips", "2.00000", "3.00000", "1.50000"]]


def test_timer_only(capsys):
    with profiler.Profiler(timer_only=True) as p:
        train(p, 12)
        assert not hooks.installed()
        info = p.step_info("rows")
    assert "reader_cost" in info and info.endswith(" rows/s") and p.profiler_result is None
    assert "Perf Summary" in capsys.readouterr().out
