"""``paddle board``: curves are read from event files, drawn on a page, served on this machine."""

import os
import threading
import urllib.error
import urllib.request
import xml.etree.ElementTree as ElementTree

import pytest

import paddle
from paddle.command import board, curves, main
from paddle.utils.event_files import read_runs, read_scalars
from paddle.utils.tensorboard import EventWriter


@pytest.fixture
def folder(tmp_path):
    for run, factor in (("a", 1.0), ("b<i>", 2.0)):
        with EventWriter(tmp_path / run) as writer:
            writer.add_text("note", "nothing to draw", 0)
            for step in (2, 0, 1):
                writer.add_scalar("train/loss", factor / (step + 1), step)
            writer.add_scalar("eval/acc", 0.5, 7)
    return tmp_path


def test_numbers_are_read_in_order_of_steps(folder):
    third = pytest.approx(1 / 3)
    assert read_runs(folder) == {"a": {"train/loss": [(0, 1.0), (1, 0.5), (2, third)], "eval/acc": [(7, 0.5)]},
                                 "b<i>": {"train/loss": [(0, 2.0), (1, 1.0), (2, pytest.approx(2 / 3))], "eval/acc": [(7, 0.5)]}}


def test_files_that_grow_and_files_that_are_damaged(folder, tmp_path):
    path = next((folder / "a").iterdir())
    data = path.read_bytes()
    path.write_bytes(data[:-5])
    assert [tag for tag, *_ in read_scalars(path)] == ["train/loss"] * 3
    path.write_bytes(data[:-20] + b"x" + data[-19:])
    with pytest.raises(ValueError, match="damaged in the record at byte"):
        read_scalars(path)
    path.write_bytes(b"something else entirely")
    with pytest.raises(ValueError, match="no event file, or damaged at byte 0"):
        read_scalars(path)
    with pytest.raises(ValueError, match="has no event files"):
        read_runs(tmp_path / "elsewhere")


def pictures(page):
    """{caption: svg element} of the page, which must be well formed but for its head."""
    found = {}
    for figure in page.split("<figure>")[1:]:
        root = ElementTree.fromstring("<figure>" + figure.split("</figure>")[0] + "</figure>")
        found[root[0].text.strip()] = root[1]
    return found


def test_the_page_draws_every_tag_with_a_line_per_run(folder):
    text = curves.page(read_runs(folder), "my <runs>")
    assert "<title>my &lt;runs&gt;</title>" in text and "b&lt;i&gt;" in text and "<i>" not in text and "script" not in text
    drawn = pictures(text)
    assert sorted(drawn) == ["eval/acc", "train/loss"]
    lines = drawn["train/loss"].findall("polyline")
    assert len(lines) == 2 and len({line.get("stroke") for line in lines}) == 2
    points = [tuple(map(float, point.split(","))) for point in lines[0].get("points").split()]
    assert [x for x, _ in points] == [60, 254, 448]  # steps 0, 1, 2 over the whole width
    assert points[0][1] < points[1][1] < points[2][1]  # a falling curve: y counts downwards
    assert len(drawn["eval/acc"].findall("circle")) == 2


def test_values_that_are_no_numbers_leave_a_gap():
    nan = float("nan")
    drawn = pictures(curves.page({".": {"x": [(0, 1.0), (1, 2.0), (2, nan), (3, 1.0), (4, 3.0)]}}, "t"))
    assert [len(line.get("points").split()) for line in drawn["x"].findall("polyline")] == [2, 2]
    assert "no finite values" in curves.page({".": {"x": [(0, nan)]}}, "t") and "No numbers yet" in curves.page({".": {}}, "t")
    long = curves.page({".": {"x": [(k, float(k)) for k in range(5000)]}}, "t")
    points = pictures(long)["x"].find("polyline").get("points").split()
    assert len(points) == 800 and float(points[-1].split(",")[0]) == 448


def test_the_page_is_served_on_this_machine_only(folder):
    with board.make_server(str(folder), 0) as server:
        assert server.server_address[0] == "127.0.0.1"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            address = f"http://127.0.0.1:{server.server_address[1]}/"
            with urllib.request.urlopen(address) as answer:
                assert answer.headers["Content-Type"] == "text/html; charset=utf-8" and "train/loss" in answer.read().decode()
            with EventWriter(folder / "a") as writer:
                writer.add_scalar("later", 1.0, 1)
            with urllib.request.urlopen(address) as answer:
                assert "later" in answer.read().decode()
            with pytest.raises(urllib.error.HTTPError) as wrong:
                urllib.request.urlopen(address + "etc/passwd")
            assert wrong.value.code == 404
            wrong.value.close()
        finally:
            server.shutdown()
            thread.join()


def test_the_command_writes_the_page_of_a_run_of_fit(tmp_path, capsys):
    model = paddle.Model(paddle.nn.Linear(1, 1))
    model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()), paddle.nn.MSELoss())
    batch = [(paddle.ones([2, 1]), paddle.ones([2, 1]))]
    model.fit(batch, batch, epochs=3, verbose=0, callbacks=paddle.callbacks.VisualDL(str(tmp_path / "logs")))
    assert main(["board", str(tmp_path / "logs"), "-o", str(tmp_path / "page.html")]) == 0
    assert "2 curves of 1 runs" in capsys.readouterr().out and os.path.getsize(tmp_path / "page.html") > 1000
    assert main(["board", str(tmp_path / "nowhere")]) == 1
    assert "has no event files" in capsys.readouterr().err


def test_tensorboard_is_opened_where_it_is_installed(folder, monkeypatch):
    called = []

    class Done:
        returncode = 3
    monkeypatch.setattr(board.importlib.util, "find_spec", lambda name: name == "tensorboard")
    monkeypatch.setattr(board.subprocess, "run", lambda command, check: called.append(command) or Done)
    assert main(["board", str(folder), "--port", "7000"]) == 3
    assert called[0][1:] == ["-m", "tensorboard.main", "--logdir", str(folder), "--port", "7000"]
