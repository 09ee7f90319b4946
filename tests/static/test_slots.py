"""Datasets of files with slots, and training on them."""

import sys

import numpy as np
import pytest

import paddle
from paddle import fluid, static
from paddle.distributed import InMemoryDataset, QueueDataset
from paddle.static import slot_lines

LINES = ["1 0.5 2 1 2 1 1", "1 1.5 1 3 1 0", "1 -1 3 4 5 6 1 1", "1 2 1 7 1 0", "1 3 1 8 1 1"]


@pytest.fixture
def files(tmp_path):
    for name, lines in (("a", LINES[:3]), ("b", LINES[3:])):
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    return [str(tmp_path / "a"), str(tmp_path / "b")]


@pytest.fixture
def slots():
    paddle.enable_static()
    with static.program_guard(static.Program(), static.Program()):
        words = static.data("words", [None, 1], "int64", lod_level=1)
        yield [static.data("x", [None, 1]), words, static.data("y", [None, 1], "int64")]
    paddle.disable_static()


def made(kind, files, slots, **rest):
    dataset = kind()
    dataset.init(batch_size=2, use_var=slots, **rest)
    dataset.set_filelist(files)
    return dataset


def test_lines_become_feeds(files, slots):
    feeds = list(made(QueueDataset, files, slots).batches())
    assert [f["x"].shape() for f in feeds] == [[2, 1], [2, 1], [1, 1]]
    dense = np.array(feeds[1]["x"])
    assert dense.tolist() == [[-1.0], [2.0]] and dense.dtype == np.float32
    assert np.array(feeds[0]["words"]).tolist() == [[1], [2], [3]]
    assert feeds[0]["words"].recursive_sequence_lengths() == [[2, 1]]
    loader = paddle.io.DataLoader.from_dataset(made(QueueDataset, files, slots), paddle.CPUPlace())
    assert [np.array(f["y"]).tolist() for (f,) in loader] == [[[1], [0]], [[1], [0]]] and len(list(loader())) == 2


def test_a_pipe_command_rewrites_files(files, slots):
    command = f"{sys.executable} -c 'import sys;[print(l.strip().replace(\"1 0.5\", \"1 9\")) for l in sys.stdin]'"
    with pytest.raises(ValueError, match="no shell"):
        QueueDataset().set_pipe_command("sort | head")
    (feed, *_) = made(QueueDataset, files, slots, pipe_command=command.replace(";", "\n")).batches()
    assert np.array(feed["x"]).tolist() == [[9.0], [1.5]]
    with pytest.raises(RuntimeError, match="failed for"):
        list(made(QueueDataset, files, slots, pipe_command=f"{sys.executable} -c 1/0").batches())


def test_records_in_memory(files, slots):
    dataset = made(InMemoryDataset, files, slots, thread_num=2)
    dataset.preload_into_memory()
    dataset.wait_preload_done()
    assert dataset.get_memory_data_size() == dataset.get_shuffle_data_size() == 5
    np.random.seed(3)
    dataset.local_shuffle()
    values = np.concatenate([f["x"] for f in dataset.batches()])[:, 0]
    assert sorted(values) == [-1.0, 0.5, 1.5, 2.0, 3.0] and list(values) != [0.5, 1.5, -1.0, 2.0, 3.0]
    with pytest.raises(RuntimeError, match="set_fea_eval"):
        dataset.slots_shuffle(["x"])
    dataset.set_fea_eval(5)
    dataset.slots_shuffle(["y"])
    assert sorted(int(r[2][0]) for r in dataset.records) == [0, 0, 1, 1, 1]
    dataset.release_memory()
    assert dataset.get_memory_data_size() == 0


def test_names_before_the_slots(tmp_path, slots):
    (tmp_path / "c").write_text("1 first 1 text 1 4 1 2 1 0\n")
    dataset = made(InMemoryDataset, [str(tmp_path / "c")], slots)
    dataset.set_parse_content(True)
    dataset.set_parse_ins_id(True)
    dataset.load_into_memory()
    assert np.array(next(dataset.batches())["x"]).tolist() == [[4.0]]


@pytest.mark.parametrize("line, message", [("1 0.5 2 1", "announces 2 values and has 1"), ("1 a 1 1 1 1", "no slot for 'x'"),
                                           ("1 1", "no slot for 'words'"), ("2 1 2 1 1 1 1", "a slot of it 2 values")])
def test_damaged_lines(tmp_path, slots, line, message):
    (tmp_path / "d").write_text(line + "\n")
    with pytest.raises(ValueError, match=message):
        list(made(QueueDataset, [str(tmp_path / "d")], slots).batches())


def test_settings_of_parameter_servers_are_refused(files, slots):
    dataset = made(InMemoryDataset, files, slots, merge_by_lineid=2)
    with pytest.raises(NotImplementedError, match="set_merge_by_lineid"):
        dataset.load_into_memory()
    with pytest.raises(ValueError, match="no setting 'colour'"):
        dataset.update_settings(colour=1)
    dataset.update_settings(merge_size=-1, fea_eval=True, candidate_size=7)
    dataset.set_date("20211111")
    assert dataset.evaluates == 7
    with pytest.raises(ValueError, match="month"):
        dataset.set_date("20211311")
    with pytest.raises(NotImplementedError, match="Hadoop"):
        list(made(QueueDataset, ["hdfs:/a"], slots).batches())
    with pytest.raises(NotImplementedError, match="parameter servers"):
        fluid.DatasetFactory().create_dataset("BoxPSDataset")
    with pytest.raises(ValueError, match="QueueDataset and InMemoryDataset"):
        fluid.DatasetFactory().create_dataset("OtherDataset")


def test_training_from_a_dataset(files, slots, capsys):
    x, _, y = slots
    weight = static.create_parameter([1, 1], "float32", name="slots_w", default_initializer=paddle.nn.initializer.Constant(0.0))
    loss = ((paddle.matmul(x, weight) - y.astype("float32")) ** 2).mean()
    paddle.optimizer.SGD(0.1).minimize(loss)
    program, startup = static.default_main_program(), static.default_startup_program()
    exe, w = static.Executor(), 0.0
    with static.scope_guard(static.Scope()):
        exe.run(startup)
        exe.train_from_dataset(program, made(QueueDataset, files, slots), fetch_list=[loss], fetch_info=["loss"], print_period=2)
        found = float(np.array(static.global_scope().find_var("slots_w").get_tensor())[0, 0])
    for xs, ys in (([0.5, 1.5], [1, 0]), ([-1, 2], [1, 0]), ([3], [1])):
        w -= 0.1 * np.mean([2 * (w * a - b) * a for a, b in zip(xs, ys)])
    assert abs(found - w) < 1e-6
    assert capsys.readouterr().out.startswith("batch 2, loss: ")
    seen = []

    class Seen(paddle.base.executor.FetchHandler):
        def handler(self, res_dict):
            seen.append(res_dict["mine"].size)
    with static.scope_guard(static.Scope()):
        exe.run(startup)
        for period in (0, 1000):
            exe.train_from_dataset(program, made(QueueDataset, files, slots), fetch_handler=Seen({"mine": loss}, period))
        assert seen == [1, 1, 1]
        exe.train_from_dataset(program, made(QueueDataset, files, slots),
                               fetch_handler=paddle.base.executor.FetchHandler({"mine": loss}, 0))
    assert capsys.readouterr().out.count("mine[0]: ") == 3
    with pytest.raises(RuntimeError, match="dataset must be"):
        exe.train_from_dataset(program, None)


def test_lines_are_written(monkeypatch, capsys):
    class Words(slot_lines.MultiSlotDataGenerator):
        def generate_sample(self, line):
            def samples():
                numbers = [int(word) for word in line.split()]
                yield [("words", numbers), ("mean", [sum(numbers) / len(numbers)])]
            return samples

    monkeypatch.setattr(sys, "stdin", iter(["1 2\n", "3\n"]))
    generator = Words()
    generator.set_batch(1)
    generator.run_from_stdin()
    assert capsys.readouterr().out == "2 1 2 1 1.5\n1 3 1 3.0\n"
    with pytest.raises(ValueError, match="slots are"):
        generator._gen_str([("other", [1])])
    with pytest.raises(ValueError, match="ints or floats"):
        generator._gen_str([("words", ["a"]), ("mean", [1])])
    with pytest.raises(NotImplementedError, match="generate_sample"):
        slot_lines.DataGenerator().run_from_memory()
    assert slot_lines.MultiSlotStringDataGenerator()._gen_str([("a", ["x", "y"]), ("b", ["z"])]) == "2 x y 1 z\n"
