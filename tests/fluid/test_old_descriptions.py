"""Reading a tensor inside a program, descriptions of data files, and what is refused by name."""

import importlib

import numpy as np
import pytest

import paddle
from paddle import fluid
from paddle.serialization import text_format

DESCRIPTION = '''name: "MultiSlotDataFeed"  # the kind
batch_size: 2
multi_slot_desc {
    slots { name: "words" type: "uint64" }
    slots <
        name: 'label', type: "uint64"; shape: 3 shape: -1
    >
}
'''
AS_PADDLE_PRINTS_IT = '''name: "MultiSlotDataFeed"
batch_size: 128
multi_slot_desc {
  slots {
    name: "words"
    type: "uint64"
    is_dense: true
  }
  slots {
    name: "label"
    type: "uint64"
    is_used: true
    shape: 3
    shape: -1
  }
}
pipe_command: "cat"
'''


def test_data_feed_desc_prints_what_1_8_5_prints(tmp_path):
    (tmp_path / "data.proto").write_text(DESCRIPTION)
    feed = fluid.DataFeedDesc(str(tmp_path / "data.proto"))
    feed.set_batch_size(128)
    feed.set_dense_slots(["words"])
    feed.set_use_slots(["label"])
    assert feed.desc() == AS_PADDLE_PRINTS_IT
    (tmp_path / "data.proto").write_text("colour: 3")
    with pytest.raises(ValueError, match="colour"):
        fluid.DataFeedDesc(str(tmp_path / "data.proto"))


@pytest.mark.parametrize("text", ["a: ", "a {", ": 3", 'a: "open'])
def test_damaged_text_of_protocol_buffers(text):
    with pytest.raises(ValueError, match="protocol buffer"):
        text_format.parse(text)


def test_text_of_protocol_buffers_both_ways():
    fields = [("a", 'quo"te\n'), ("b", [("c", True), ("d", -1.5), ("d", 2)]), ("e", [])]
    assert text_format.parse(text_format.render(fields)) == fields


def test_load_reads_the_file_at_every_run(tmp_path):
    path, executor = str(tmp_path / "w"), fluid.Executor(fluid.CPUPlace())
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        w = fluid.layers.create_parameter([3], "float32", name="w", default_initializer=fluid.initializer.Constant(1.0))
    executor.run(startup)
    reading = fluid.Program()
    with fluid.program_guard(reading, fluid.Program()):
        out = fluid.layers.create_tensor("float32")
        fluid.layers.load(out, path)  # there is no file yet
        twice = out * 2.0
    for value in (1.0, 5.0):
        fluid.global_scope().find_var("w").get_tensor().set(np.full(3, value, "float32"), fluid.CPUPlace())
        fluid.io.save_vars(executor, str(tmp_path), main, vars=[w])
        assert executor.run(reading, fetch_list=[twice])[0].tolist() == [2.0 * value] * 3


@pytest.mark.parametrize("module, name, reason", [
    ("paddle.fluid.incubate.fleet.utils.fleet_util", "FleetUtil", "parameter servers"),
    ("paddle.fluid.incubate.fleet.parameter_server.pslib", "fleet", "parameter servers"),
    ("paddle.distributed.fleet", "BoxPSDataset", "parameter servers"), ("paddle.static", "npu_places", "NPUs"),
    ("paddle.fluid.layers.nn", "_pull_box_sparse", "parameter servers"),
    ("paddle.fluid.contrib.slim.quantization", "QatInt8MkldnnPass", "oneDNN"), ("paddle.fluid.layers", "open_files", "RecordIO")])
def test_what_is_refused_says_why(module, name, reason):
    with pytest.raises(NotImplementedError, match=f"{name}: .*{reason}"):
        getattr(importlib.import_module(module), name)


def test_endpoints_of_parameter_servers_matter_to_models_that_ask_them(tmp_path):
    executor = fluid.Executor(fluid.CPUPlace())
    with fluid.program_guard(fluid.Program(), fluid.Program()), pytest.warns(UserWarning, match="no parameters"):
        x = fluid.data("x", [None, 2], "float32")
        fluid.io.save_inference_model(str(tmp_path), ["x"], [x * 3.0], executor)
    program, names, outs = fluid.io.load_inference_model(str(tmp_path), executor, pserver_endpoints=["127.0.0.1:1"])
    assert executor.run(program, {names[0]: np.ones((1, 2), "float32")}, outs)[0].tolist() == [[3.0, 3.0]]


def test_limits_the_wrong_way_round_are_refused_when_they_are_used():
    net = paddle.nn.Linear(1, 1)
    step = paddle.optimizer.SGD(0.1, parameters=net.parameters(), grad_clip=paddle.nn.ClipGradByValue(-1.0, 1.0))
    net(paddle.ones([1, 1])).sum().backward()
    with pytest.raises(ValueError, match="above max"):
        step.step()
