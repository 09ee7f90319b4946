"""jit.save, jit.load, TranslatedLayer, TracedLayer, ProgramTranslator."""

import json
import os
import pathlib
import subprocess

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.jit.traced_layer import FolderTracedLayer
from paddle.serialization import properties
from paddle.static import InputSpec

FIXTURES = pathlib.Path(__file__).parents[1] / "fixtures" / "paddle26"
ORACLE = os.environ.get("PADDLE_ORACLE_PYTHON", "")


def close(a, b, tolerance=1e-5):
    np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=tolerance, atol=tolerance)


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2D(1, 4, 3, padding=1), nn.BatchNorm2D(4), nn.ReLU(), nn.MaxPool2D(2, 2))
        self.fc, self.drop = nn.Linear(4 * 4 * 4, 3), nn.Dropout(0.5)

    def forward(self, x):
        x = paddle.flatten(self.features(x), 1)
        if x.mean() > 0.3:
            x = x * 0.5
        return self.fc(self.drop(x))


SPEC = [InputSpec([None, 1, 8, 8], "float32", "image")]


@pytest.fixture
def saved(tmp_path):
    net = Net()
    net.eval()
    path = str(tmp_path / "deep" / "net")
    paddle.jit.save(net, path, SPEC)
    return net, path, paddle.to_tensor(np.random.RandomState(0).rand(3, 1, 8, 8).astype("float32"))


def test_files_and_values(saved):
    net, path, x = saved
    names = sorted(os.listdir(os.path.dirname(path)))
    assert names == ["net.pdiparams", "net.pdiparams.info", "net.pdmodel"]
    loaded = paddle.jit.load(path)
    assert isinstance(loaded, paddle.jit.TranslatedLayer) and not loaded.training
    close(loaded(x), net(x))
    close(loaded(x.numpy()[:1]), net(x[:1]))
    assert [*loaded.state_dict()] == [f"param_{k}" for k in range(8)]  # statistics of batch norm too, as in Paddle
    assert sum(p.stop_gradient for p in loaded.parameters()) == 2
    assert loaded.program().global_block().ops[0].type == "feed"
    with pytest.raises(ValueError, match="takes 1 inputs"):
        loaded(x, x)
    with pytest.raises(ValueError, match="shape"):
        loaded(x[0])


def test_saving_leaves_the_layer_alone(saved):
    net, path, x = saved
    assert not net.training and not isinstance(net.forward, paddle.jit.StaticFunction)
    net.train()
    paddle.jit.save(net, path + "2", SPEC)
    assert net.training
    ops = {op.type: op for op in paddle.jit.load(path + "2").program().global_block().ops}
    assert ops["dropout"].attrs["is_test"] is True  # as Paddle 2.6.2 writes it


@pytest.mark.parametrize("layer", [lambda: nn.Sequential(nn.BatchNorm1D(4), nn.Dropout(0.5)), lambda: nn.GRU(4, 3, 2, dropout=0.5)])
def test_a_layer_saved_while_training_runs_in_evaluation_mode(layer, tmp_path):
    net, x = layer(), paddle.randn([6, 5, 4])
    x = x if isinstance(net, nn.GRU) else x[0]
    net.eval()
    expected = net(x)
    net.train()
    paddle.jit.save(net, str(tmp_path / "net"), [InputSpec([None, *x.shape[1:]])])
    executor = paddle.static.Executor()
    with paddle.static.scope_guard(paddle.static.Scope()):
        program, feeds, fetches = paddle.static.load_inference_model(str(tmp_path / "net"), executor)
        found = executor.run(program, {feeds[0]: x.numpy()}, fetches)
    close(paddle.to_tensor(found[0]), expected[0] if isinstance(net, nn.GRU) else expected)
    assert net.training


def test_fine_tuning(saved):
    net, path, x = saved
    loaded = paddle.jit.load(path)
    loaded.train()
    optimizer = paddle.optimizer.Adam(0.01, parameters=loaded.parameters())
    statistic = next(p for p in loaded.parameters() if p.stop_gradient)
    before = statistic.numpy().copy()
    label, losses = paddle.to_tensor([0, 1, 2]), []
    for _ in range(30):
        loss = nn.functional.cross_entropy(loaded(x), label)
        loss.backward()
        assert all(p.grad is not None for p in loaded.parameters() if not p.stop_gradient)
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    assert np.mean(losses[-5:]) < 0.7 * np.mean(losses[:5])
    assert not np.allclose(statistic.numpy(), before)
    loaded.eval()
    close(loaded(x), loaded(x))
    paddle.jit.save(loaded, path + "_tuned")
    close(paddle.jit.load(path + "_tuned")(x), loaded(x))


def test_gradients_are_those_of_the_layer(saved):
    net, path, x = saved
    loaded = paddle.jit.load(path)
    net(x).sum().backward()
    loaded(x).sum().backward()
    by_name = sorted(net.parameters(), key=lambda p: p.name)
    for a, b in zip(by_name, loaded.parameters()):
        assert a.stop_gradient == b.stop_gradient
        if not a.stop_gradient:
            close(a.grad, b.grad, 1e-4)


def test_a_loaded_layer_is_part_of_another_program(saved, tmp_path):
    net, path, x = saved

    class Outer(nn.Layer):
        def __init__(self):
            super().__init__()
            self.inner, self.out = paddle.jit.load(path), nn.Linear(3, 2)

        def forward(self, x):
            return self.out(self.inner(x)) + self.inner(x).sum()
    outer = Outer()
    outer.eval()
    static = paddle.jit.to_static(Outer.forward, full_graph=True)
    close(static(outer, x), outer(x))
    paddle.jit.save(outer, str(tmp_path / "outer"), SPEC)
    close(paddle.jit.load(str(tmp_path / "outer"))(x), outer(x))


class Methods(nn.Layer):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(2, 2), nn.Linear(2, 3)

    @paddle.jit.to_static(input_spec=[InputSpec([None, 2])])
    def forward(self, x):
        return self.a(x)

    @paddle.jit.to_static(input_spec=[InputSpec([None, 2])])
    def encode(self, x):
        return self.b(x) if x.sum() > 0 else -self.b(x)


@pytest.mark.parametrize("combine", [False, True])
def test_several_methods(tmp_path, combine):
    net, x = Methods(), paddle.randn([3, 2])
    path = str(tmp_path / "m")
    paddle.jit.save(net, path, combine_params=combine)
    assert (tmp_path / "m.encode.pdmodel").exists()
    loaded = paddle.jit.load(path)
    close(loaded(x), net(x))
    close(loaded.encode(x), net.encode(x))
    assert len(loaded.parameters()) == 4
    assert loaded.program("encode") is not loaded.program()
    with pytest.raises(ValueError, match="input_spec must be None"):
        paddle.jit.save(net, path, [InputSpec([None, 2])])


class WithProperties(Methods):
    @paddle.jit.to_static(property=True)
    def rate(self):
        return 2.5

    @paddle.jit.to_static(property=True)
    def labels(self):
        return ["cat", "dog"]

    @paddle.jit.to_static(property=True)
    def sizes(self):
        return [3, -2, 300]


def test_properties_are_saved_and_saved_again(tmp_path):
    net, x = WithProperties(), paddle.randn([3, 2])
    assert net.rate() == 2.5
    paddle.jit.save(net, str(tmp_path / "m"), combine_params=True)
    loaded = paddle.jit.load(str(tmp_path / "m"))
    paddle.jit.save(loaded, str(tmp_path / "again"))
    for layer in (loaded, paddle.jit.load(str(tmp_path / "again"))):
        assert (layer.rate(), layer.labels(), layer.sizes()) == (2.5, ["cat", "dog"], [3, -2, 300])
        close(layer(x), net(x))
        close(layer.encode(x), net.encode(x))


def test_properties_in_the_bytes_of_real_paddle(tmp_path):
    recorded = (b"\n\x12\n\tNet.get_f\x10\x01\x1d\x00\x00 @\n\x0f\n\tNet.get_i\x10\x02 \x07\n\x18\n\nNet.get_lf\x10\x06="
                b"\x00\x00\x00?=\x00\x00\xc0?\n\x15\n\nNet.get_li\x10\x07@\x01@\x02@\xac\x02\n\x15\n\nNet.get_ls\x10\x08J"
                b"\x01xJ\x02yz\n\x1a\n\x0bNet.get_neg\x10\x02 \xfd\xff\xff\xff\xff\xff\xff\xff\xff\x01\n\x12\n\tNet.get_s\x10"
                b"\x03*\x03abc")
    path = tmp_path / "net.meta"
    path.write_bytes(recorded)
    values = properties.read(path)
    assert values == {"Net.get_f": 2.5, "Net.get_i": 7, "Net.get_lf": [0.5, 1.5], "Net.get_li": [1, 2, 300],
                      "Net.get_ls": ["x", "yz"], "Net.get_neg": -3, "Net.get_s": "abc"}
    properties.write(path, values)
    assert path.read_bytes() == recorded


def test_a_property_that_no_file_holds(tmp_path):
    class Odd(Methods):
        @paddle.jit.to_static(property=True)
        def table(self):
            return {"a": 1}
    with pytest.raises(TypeError, match="property Odd.table must be a number"):
        paddle.jit.save(Odd(), str(tmp_path / "m"))


def test_functions_output_spec_and_arguments(tmp_path):
    def f(x, scale=2.0, parts=None):
        return {"a": x * scale, "b": [x + 1, x]}
    path = str(tmp_path / "f")
    paddle.jit.save(f, path, [InputSpec([None], name="x")])
    assert sorted(os.listdir(tmp_path)) == ["f.pdmodel"]
    a, b, c = paddle.jit.load(path)(np.ones([2], "float32"))
    close(a, [2, 2])
    close(b, [2, 2])
    close(c, [1, 1])
    static = paddle.jit.to_static(f, input_spec=[InputSpec([None], name="x")])
    paddle.jit.save(static, path, output_spec=[1])
    close(paddle.jit.load(path)(np.ones([2], "float32")), [2, 2])
    called = paddle.jit.to_static(f)
    called(paddle.ones([4]), 3.0)
    paddle.jit.save(called, path)
    close(paddle.jit.load(path)(np.ones([4], "float32"))[0], [3] * 4)


def test_bad_saves(tmp_path):
    path = str(tmp_path / "n")
    with pytest.raises(ValueError, match="input_spec"):
        paddle.jit.save(Net(), path)
    with pytest.raises(ValueError, match="unknown configuration"):
        paddle.jit.save(Net(), path, SPEC, nonsense=1)
    with pytest.raises(ValueError, match="prefix is missing"):
        paddle.jit.save(Net(), str(tmp_path) + "/", SPEC)
    with pytest.raises(TypeError, match="layer must be"):
        paddle.jit.save(3, path)
    with pytest.raises(ValueError, match="output_spec"):
        paddle.jit.save(Net(), path, SPEC, output_spec=["no such"])
    with pytest.raises(ValueError, match="there is no"):
        paddle.jit.load(path)


@pytest.mark.parametrize("how", ["spec", "decorated", "called"])
def test_hooks_of_the_layer_are_saved(how, tmp_path):
    """As recorded from Paddle 2.6.2 and 3.3.1, without with_hook too."""
    net = nn.Linear(2, 2)
    net.register_forward_pre_hook(lambda layer, inputs: (inputs[0] * 2,))
    net.register_forward_post_hook(lambda layer, inputs, out: out * 10)
    x, spec = paddle.ones([1, 2]), [InputSpec([None, 2])]
    if how != "spec":
        net = paddle.jit.to_static(net, input_spec=spec if how == "decorated" else None)
    expected = net(x)
    paddle.jit.save(net, str(tmp_path / "a"), spec if how == "spec" else None)
    close(paddle.jit.load(str(tmp_path / "a"))(x), expected)


@pytest.mark.parametrize("name", ["mlp", "lenet", "bn_dropout", "control_if", "control_while", "control_break", "mobile_block"])
def test_models_of_real_paddle(name, tmp_path):
    with np.load(FIXTURES / f"{name}.npz") as recorded:
        data = dict(recorded)
    loaded = paddle.jit.load(str(FIXTURES / name))
    cases = sorted({k.rpartition("in_")[0] for k in data if "in_" in k})
    for case in cases:
        inputs = [data[k] for k in sorted(data) if k.startswith(case + "in_")]
        expected = [data[k] for k in sorted(data) if k.startswith(case + "out_")]
        for model in (loaded,):
            outputs = model(*inputs)
            outputs = outputs if isinstance(outputs, list) else [outputs]
            for got, want in zip(outputs, expected):
                close(got, want, 2e-5)
    paddle.jit.save(loaded, str(tmp_path / "again"))
    again = paddle.jit.load(str(tmp_path / "again"))(*inputs)
    for got, want in zip(again if isinstance(again, list) else [again], expected):
        close(got, want, 2e-5)


# ---- older generations ----

def test_traced_layer(tmp_path):
    net, x = Net(), paddle.rand([2, 1, 8, 8])
    net.eval()
    out, traced = paddle.jit.TracedLayer.trace(net, inputs=[x])
    close(out, net(x))
    close(traced([x])[0], out)
    strategy = paddle.static.BuildStrategy()
    strategy.disabled_passes = ("fuse_conv",)
    traced.set_strategy(strategy, paddle.static.ExecutionStrategy())
    close(traced([x])[0], out)
    assert traced._runner.skip == ("fuse_conv",)
    with pytest.raises(TypeError, match="build_strategy"):
        traced.set_strategy(3)
    traced.save_inference_model(str(tmp_path / "t"), feed=[0], fetch=[0])
    close(paddle.jit.load(str(tmp_path / "t"))(x), out)
    out, older = FolderTracedLayer.trace(net, [x])
    older.save_inference_model(str(tmp_path / "folder"))
    assert "__model__" in os.listdir(tmp_path / "folder")
    close(paddle.jit.load(str(tmp_path / "folder"))(x), out)
    assert isinstance(older([x])[0], np.ndarray)


def test_program_translator(tmp_path):
    translator = paddle.jit.ProgramTranslator()
    assert translator is paddle.jit.ProgramTranslator.get_instance()

    @paddle.jit.declarative
    def f(x, label=None):
        y = x * 2
        if label is not None:
            return y, (y - label).mean()
        return y
    x = paddle.ones([2])
    close(f(x, x)[1], 1.0)
    translator.save_inference_model(str(tmp_path / "f"), feed=[0, 1], fetch=[0, 1])
    assert os.listdir(tmp_path / "f") == ["__model__"]
    assert len(paddle.jit.load(str(tmp_path / "f"))(x, x)) == 2
    main, startup, inputs, outputs = translator.get_program(f, x)
    assert len(inputs) == len(outputs) == 1 and main.num_blocks == 1
    assert "def f" in translator.get_code(f)
    close(translator.get_output(f, x), [2, 2])
    translator.enable(False)
    assert not translator.enable_to_static
    close(f(x), [2, 2])
    translator.enable(True)


# ---- real Paddle reads our files ----

READER = '''
import json, sys
import numpy as np
import paddle
for path, file in json.load(open(sys.argv[1])):
    data = np.load(file)
    out = paddle.jit.load(path)(*[paddle.to_tensor(data[k]) for k in sorted(data) if k.startswith("in_")])
    out = out if isinstance(out, (list, tuple)) else [out]
    np.savez(file + ".out.npz", **{"out_%d" % k: o.numpy() for k, o in enumerate(out)})
'''


@pytest.mark.oracle
@pytest.mark.skipif(not ORACLE, reason="PADDLE_ORACLE_PYTHON does not name a Python with paddlepaddle 2.6")
def test_real_paddle_reads_our_files(tmp_path):
    from .constructs import CASES
    x = np.array([1.0, 2.0, 3.0], "float32")
    jobs, expected = [], []
    for _, function, _ in CASES:
        path = str(tmp_path / function.__name__)
        paddle.jit.save(function, path, [InputSpec([3], "float32", "x")])
        np.savez(path + ".npz", in_0=x)
        jobs.append((path, path + ".npz"))
        got = paddle.jit.load(path)(x)
        expected.append([t.numpy() for t in (got if isinstance(got, list) else [got])])
    (tmp_path / "read.py").write_text(READER)
    (tmp_path / "jobs.json").write_text(json.dumps(jobs))
    subprocess.run([ORACLE, str(tmp_path / "read.py"), str(tmp_path / "jobs.json")], check=True, capture_output=True)
    for (path, file), want in zip(jobs, expected):
        with np.load(file + ".out.npz") as data:
            for k, w in enumerate(want):
                np.testing.assert_allclose(data[f"out_{k}"], w, rtol=1e-5, atol=1e-5, err_msg=path)


class Indexed(paddle.nn.Layer):
    """Parts of parameters and buffers, as networks take them: new axes, rows, slices, the last one."""

    def __init__(self):
        super().__init__()
        self.weight = self.create_parameter([3], default_initializer=paddle.nn.initializer.Assign([1.0, 2.0, 3.0]))
        self.register_buffer("table", paddle.arange(12, dtype="float32").reshape([3, 4]))

    def forward(self, x):
        return self.weight[:, None, None] * x + self.table[1][..., ::2].sum() - self.table[:, -1][:, None, None]


def test_parts_of_parameters_are_saved(tmp_path):
    layer, x = Indexed(), paddle.rand([2, 3, 4, 5])
    paddle.jit.save(layer, str(tmp_path / "m"), input_spec=[paddle.static.InputSpec([None, 3, 4, 5], "float32")])
    w, t = np.array([1, 2, 3], "float32"), np.arange(12, dtype="float32").reshape(3, 4)
    expected = w[:, None, None] * x.numpy() + t[1][::2].sum() - t[:, -1][:, None, None]
    np.testing.assert_allclose(paddle.jit.load(str(tmp_path / "m"))(x).numpy(), expected, rtol=1e-6)


def test_hooks_are_called_before_a_layer_is_saved(tmp_path):
    from paddle.jit import api
    seen = []

    def hook(layer, input_spec, configs):
        seen.append((type(layer).__name__, len(input_spec), sorted(configs)))
    helper = api._register_save_pre_hook(hook)
    api._register_save_pre_hook(hook)
    net, spec = paddle.nn.Linear(2, 1), [paddle.static.InputSpec([None, 2])]
    try:
        paddle.jit.save(net, str(tmp_path / "a"), spec, combine_params=False)
        helper.remove()
        paddle.jit.save(net, str(tmp_path / "b"), spec)
    finally:
        api._clear_save_pre_hooks()
    assert seen == [("Linear", 1, ["combine_params"])] and api._save_pre_hooks == []


def test_outputs_are_chosen_by_the_tensors_of_a_call(tmp_path):
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(3, 2)

        @paddle.jit.to_static(full_graph=True)
        def forward(self, x):
            y = self.fc(x)
            return paddle.mean(y), x, y
    net, x = Net(), paddle.to_tensor([[1.0, 2.0, 3.0]])
    loss, _, y = net(x)
    loss.backward()
    for chosen, wanted in (([y], [y]), ([y, loss], [y, loss]), (loss, [loss])):
        paddle.jit.save(net, str(tmp_path / "net"), input_spec=[x], output_spec=chosen)
        found = paddle.jit.load(str(tmp_path / "net"))(x)
        for a, b in zip(found if len(wanted) > 1 else [found], wanted):
            np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-6)
    with pytest.raises(ValueError, match="not one of the outputs"):
        paddle.jit.save(net, str(tmp_path / "net"), input_spec=[x], output_spec=[y * 2])


def test_outputs_without_a_gradient_are_chosen_by_their_tensors(tmp_path):
    @paddle.jit.to_static(full_graph=True)
    def function(x):
        return x * 2, paddle.argmax(x, -1)
    x = paddle.to_tensor([[1.0, 3.0, 2.0]])
    _, best = function(x)
    paddle.jit.save(function, str(tmp_path / "function"), input_spec=[x], output_spec=[best])
    assert paddle.jit.load(str(tmp_path / "function"))(x).tolist() == [1]


class Judged(nn.Layer):
    """A layer whose declared inputs are a picture and its label."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 2)

    @paddle.jit.to_static(input_spec=[InputSpec([None, 4], name="image"), InputSpec([None, 1], "int64", name="label")])
    def forward(self, x, label):
        out = self.linear(x)
        nn.functional.cross_entropy(out, label)
        return out


def test_some_of_the_declared_inputs_are_saved(tmp_path):
    net, x = Judged(), paddle.rand([3, 4])
    for image in (InputSpec([None, 4], name="image"), net.forward.inputs[0]):
        paddle.jit.save(net, str(tmp_path / "net"), input_spec=[image])
        np.testing.assert_allclose(paddle.jit.load(str(tmp_path / "net"))(x), net.linear(x), rtol=1e-6)


@pytest.mark.parametrize("image", [InputSpec([None, 4], "float64"), InputSpec([None, 4, 1]), InputSpec([None, 5])])
def test_specs_that_do_not_fit_the_declared_ones_are_refused(tmp_path, image):
    with pytest.raises(ValueError, match="to_static declares"):
        paddle.jit.save(Judged(), str(tmp_path / "net"), input_spec=[image, InputSpec([None, 1], "int64")])


def test_of_a_data_parallel_the_layer_inside_is_saved(tmp_path):
    net = paddle.jit.to_static(nn.Linear(4, 2), input_spec=[InputSpec([None, 4])])
    x = paddle.rand([3, 4])
    paddle.jit.save(paddle.DataParallel(net), str(tmp_path / "net"))
    np.testing.assert_allclose(paddle.jit.load(str(tmp_path / "net"))(x), net(x), rtol=1e-6)
