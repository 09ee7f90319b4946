"""The journeys of docs/architecture.md that run through Python alone: the files named are those that the calls go through."""

import re
import sys

import pytest
from project.sources import PACKAGE, ROOT

import paddle
import paddle.fluid as fluid

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
# What a reader passes by: errors, and the rewriting of what the program has not, and what is done about gradients, here none.
PASSED_BY = ("jit/errors.py", "jit/training.py", "jit/transforms")


def listed(title):
    """(files of a row, in order; the number it gives)."""
    row, = re.findall(rf"^\| {re.escape(title)}.*\| (.*): (\d+) \(\d+\) \|$", PAGE, re.MULTILINE)
    files, folder = [], ""
    for file in row[0].split(", "):
        file = file if (PACKAGE / file).exists() else f"{folder}/{file}"
        folder = folder if file.startswith(folder + "/transforms") else file.rpartition("/")[0]
        files.append(file)
    return files, int(row[1])


def entered(function):
    """The files of the package whose functions a call enters."""
    found = set()

    def note(frame, event, _):
        code = frame.f_code
        if event == "call" and code.co_name != "<module>" and code.co_filename.startswith(str(PACKAGE)):
            found.add(code.co_filename[len(str(PACKAGE)) + 1:])
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(before)
    return found


class Net(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = paddle.nn.Linear(2, 2)

    def forward(self, x):
        if x.sum() > 0:
            y = self.fc(x)
        else:
            y = x - 1
        return y


def to_static(folder):
    net = paddle.jit.to_static(Net(), input_spec=[paddle.static.InputSpec([None, 2])])
    net(paddle.ones([1, 2]))
    paddle.jit.save(net, str(folder / "net"))
    paddle.jit.load(str(folder / "net"))(paddle.ones([1, 2]))


def fc():
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        fluid.layers.fc(fluid.layers.data("x", [4]), 3, act="relu")


@pytest.mark.parametrize("title", ["`to_static`", "`fluid.layers.fc`"])
def test_a_journey_goes_through_the_files_of_its_row(title, tmp_path):
    paddle.jit.to_static(lambda x: x + 1)(paddle.ones([1]))  # what imports define is no call
    files, number = listed(title)
    assert len(files) == len(set(files)) == number
    found = entered((lambda: to_static(tmp_path)) if title == "`to_static`" else fc)
    assert not set(files) - found, "named and not passed"
    own = {file for file in found if file.startswith("jit/") and not file.startswith(PASSED_BY)}
    assert own <= set(files), "passed and not named"
