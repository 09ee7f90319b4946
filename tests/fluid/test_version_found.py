"""The version of a program is told from its source: names, keywords and forms of calls that only some versions had."""

import subprocess
import sys

import pytest

from paddle.core import detection, rules

HEAD = "import paddle\nimport paddle.fluid as fluid\nfrom paddle.fluid.dygraph.nn import Conv2D\n"
LAYER = ("class Net(fluid.dygraph.Layer):\n    def __init__(self{given}):\n        super(Net, self).__init__({scope})\n"
         "        {body}\n")
SCOPED = LAYER.format(given=", name_scope", scope="name_scope", body="{body}")
PLAIN = LAYER.format(given="", scope="", body="{body}")

PROGRAMS = {
    "1.4": [HEAD + SCOPED.format(body="self.c = Conv2D(self.full_name(), num_channels=1, num_filters=2, filter_size=3)"),
            HEAD + SCOPED.format(body="pass") + "    def build_once(self, x):\n        pass\n",
            HEAD + "restore = fluid.dygraph.load_persistables(vardict=net.state_dict(), dirname='d')\n"],
    "1.5": [HEAD + SCOPED.format(body="self.fc = fluid.dygraph.FC(self.full_name(), 10)"),
            HEAD + "fluid.dygraph.save_persistables(net.state_dict(), 'd', optimizers=[sgd])\n",
            HEAD + "state, optimizers = fluid.dygraph.load_persistables('d')\n"],
    "1.6": [HEAD + SCOPED.format(body="self.fc = fluid.dygraph.FC(self.full_name(), 10)")
            + "fluid.dygraph.save_dygraph(net.state_dict(), 'd')\nnet.set_dict(state)\n"],
    "1.7": [HEAD + PLAIN.format(body="pass") + "clip = fluid.dygraph_grad_clip.GradClipByGlobalNorm(5.0)\n"
            "fluid.optimizer.Adam(0.1, parameter_list=net.parameters())\n",
            HEAD + PLAIN.format(body="pass") + "clip = fluid.dygraph_grad_clip.GradClipByGlobalNorm(5.0)\n"
            "net = fluid.dygraph.parallel.DataParallel(net, fluid.dygraph.parallel.prepare_context())\n"],
    "1.8": [HEAD + PLAIN.format(body="self.c = Conv2D(1, 2, 3)"), HEAD, HEAD + "x = fluid.data('x', [None, 4])\n",
            HEAD + "fluid.optimizer.SGD(0.1, grad_clip=fluid.clip.GradientClipByNorm(1.0))\n"],
    "2.0-alpha": ["import paddle\nimport paddle.fluid as fluid\npaddle.enable_imperative()\n",
                  "import paddle.fluid as fluid\nfrom paddle.imperative import to_variable\n"],
    "2.0": [HEAD + "paddle.enable_static()\nx = paddle.to_tensor([1.0])\nnet.set_state_dict(state)\n"],
    None: ["import paddle\nprint(paddle.to_tensor([1.0]))\n", "print(1)\n", "", "def (:", "\x00"],
}


@pytest.mark.parametrize("version,text", [(version, text) for version, texts in PROGRAMS.items() for text in texts])
def test_the_version_of_a_source(version, text, tmp_path):
    file = tmp_path / "program.py"
    file.write_text(text)
    assert detection.find(str(file)).version == version


def test_modules_beside_the_program_count_and_others_do_not(tmp_path):
    main, net = tmp_path / "train.py", tmp_path / "net.py"
    main.write_text("import os, json\nimport paddle.fluid as fluid\nfrom net import Net\nimport absent\n")
    net.write_text(PROGRAMS["1.4"][0] + "import train\n")  # in a circle
    found = detection.find(str(main))
    assert found.version == "1.4" and {item.file for item in found.evidence} == {str(net)}


def test_a_file_that_is_not_there_tells_nothing(tmp_path):
    assert detection.find(str(tmp_path / "none.py")) == detection.Finding()
    assert detection.find(str(tmp_path)) == detection.Finding()


@pytest.mark.parametrize("versions,fact,value", [
    (("1.8",), "truth", "positive"), (("1.8", "1.7"), "truth", "lenient"), (("1.7",), "truth", "any"),
    (("1.8", "1.7"), "used_graph", "ends"), (("1.8",), "used_graph", "raises"), (("1.6", "1.5"), "data_stops", False),
    (("1.6",), "data_stops", True), (("1.5", "1.4"), "feed_checks", False), (("1.8", "2.0-alpha", "2.0"), "truth", "positive"),
    (("2.0-alpha", "2.0"), "meanings", "alpha")])
def test_what_only_one_of_several_likely_versions_refuses_is_allowed(versions, fact, value):
    chosen = detection.Finding(versions).rules()
    assert chosen.name == versions[0] and getattr(chosen, fact) == value


@pytest.mark.parametrize("versions", [(), ("2.0", "2.4")])
def test_programs_of_2x_have_no_rules_of_their_own(versions):
    assert detection.Finding(versions).rules() is None


def test_every_version_of_the_table_but_those_after_2_0_has_rules():
    assert set(detection.CODES.values()) <= set(rules.BY_NAME)
    assert set(detection.NEAREST) == set(detection.CODES)


@pytest.mark.parametrize("environment,want", [({}, "1.4 1.4"), ({"PADDLE_GENERATION": "1.8"}, "1.8 1.8")])
def test_a_program_goes_by_its_version_unless_one_is_chosen(environment, want, tmp_path):
    file = tmp_path / "program.py"
    file.write_text(PROGRAMS["1.4"][0] + "print(paddle.get_generation(), end=' ')\n"
                    "with fluid.dygraph.guard():\n    print(paddle.get_generation())\n")
    run = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, timeout=120, env={"PATH": "", **environment})
    assert run.stdout.strip() == want, run.stderr
