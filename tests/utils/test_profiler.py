"""paddle.utils.profiler, as programs of 2.0 to 2.4 use it."""

import pytest

import paddle
from paddle.utils import Profiler, ProfilerOptions, get_profiler


def table(capsys):
    return capsys.readouterr().out


def test_the_table_of_a_block(capsys, tmp_path):
    path = tmp_path / "table.txt"
    with Profiler(options=ProfilerOptions({"sorted_key": "calls", "profile_path": str(path)})) as watched:
        assert get_profiler() is watched
        paddle.tanh(paddle.ones([2]))
    printed = table(capsys)
    assert "tanh" in printed and path.read_text() == printed
    assert get_profiler() is not watched and get_profiler() is get_profiler()


def test_only_the_batches_of_the_range(capsys):
    functions = [paddle.tanh, paddle.exp, paddle.sin, paddle.cos]
    with Profiler(options=ProfilerOptions({"batch_range": [1, 3]})) as watched:
        for function in functions:
            function(paddle.ones([2]))
            watched.record_step()
        printed = table(capsys)
    assert [function.__name__ in printed for function in functions] == [False, True, True, False]
    assert table(capsys) == ""


def test_one_that_is_off_does_nothing(capsys):
    with Profiler(enabled=False) as watched:
        watched.record_step()
        watched.reset()
    assert table(capsys) == ""


def test_options():
    options = ProfilerOptions({"state": None, "timeline_path": "a"}).with_state("CPU")
    assert options["state"] == "CPU" and options["timeline_path"] == "a" and options["profile_path"] is None
    with pytest.raises(ValueError, match="colour"):
        options["colour"]
    with pytest.raises(ValueError, match="colour"):
        ProfilerOptions({"colour": 1})
    with pytest.raises(TypeError, match="ProfilerOptions"):
        Profiler(options={"state": "CPU"})
    with pytest.raises(ValueError, match="tracer_option"):
        Profiler(options=ProfilerOptions({"tracer_level": "Most"})).start()
