"""paddle migrate --list: the version of a program, its older names, with lines and successors."""

from paddle.command import main
from paddle.utils import upgrade

FLUID = """\
import paddle
import paddle.fluid as fluid
from paddle.fluid.dygraph.nn import FC

class Net(fluid.dygraph.Layer):
    def __init__(self, scope):
        super().__init__(scope)
        self.fc = FC(self.full_name(), size=10, act='relu')

with fluid.dygraph.guard():
    x = fluid.dygraph.to_variable(data)
    loss = fluid.layers.reduce_sum(Net('n')(x), dim=1)
    loss.backward()
    fluid.optimizer.SGD(0.1).minimize(loss)
    fluid.layers.no_such_layer(x)
"""
ALPHA = """\
import paddle
from paddle.nn import functional as F
paddle.enable_imperative()
loss = F.cross_entropy(paddle.concat(input=[a, b]), label)
"""


def rows(text):
    return {name: (generation, successor, lines) for name, generation, successor, lines in upgrade.report(text)}


def test_a_program_of_fluid():
    found = rows(FLUID)
    assert found["paddle.fluid.dygraph.nn.FC"] == ("1.x", "paddle.nn.Linear", [3, 8])
    assert found["paddle.fluid.dygraph.to_variable"] == ("1.x", "paddle.to_tensor", [11])
    assert found["paddle.fluid.layers.reduce_sum"] == ("1.x", "paddle.sum", [12])
    assert found["paddle.fluid.optimizer.SGD"] == ("1.x", "paddle.optimizer.SGD", [14])
    assert found[".minimize()"][2] == [14] and found["reduce_sum(dim=)"][1] == "axis"
    assert found["paddle.fluid.layers.no_such_layer"][1] == "no such name in any generation"


def test_a_program_of_alpha_hears_of_changed_meanings():
    found = rows(ALPHA)
    assert found["paddle.enable_imperative"][2] == [3]
    assert "use_softmax=False" in found["paddle.nn.functional.cross_entropy"][1]
    assert found["paddle.concat"][2] == [4]


def test_a_program_of_2x_has_nothing_to_change():
    text = "import paddle\nnet = paddle.nn.BatchNorm(3, act='relu', param_attr=None)\nprint(net.parameters())\n"
    assert upgrade.report(text) == []


def test_command(tmp_path, capsys):
    file = tmp_path / "old.py"
    file.write_text(FLUID)
    assert main(["migrate", "--list", str(file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("version: 1.5 (equally likely: 1.6, 1.4)") and "PADDLE_GENERATION" in lines[0]
    assert "  paddle.fluid.dygraph.nn.FC: 1.4, 1.5, 1.6; old.py:3" in lines
    assert any(line.split() == ["paddle.fluid.layers.reduce_sum", "1.x", "paddle.sum", "12"] for line in lines)
    file.write_text("def (:")
    assert main(["migrate", "--list", str(file)]) == 1
    assert "old.py" in capsys.readouterr().err
    assert main(["migrate", "--list", str(tmp_path / "none.py")]) == 1
