"""Files: every fixture of real Paddle, our own round trips, hostile bytes."""

import json
from pathlib import Path

import numpy as np
import pytest

import paddle
from paddle import static
from paddle.serialization.errors import FormatError
from paddle.static import io as static_io

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
MODELS = sorted(json.loads((FIXTURES / "paddle26/manifest.json").read_text())["models"])


def cases(npz):
    """(inputs, outputs) of every recorded case."""
    for prefix in sorted({k.split("_")[0] + "_" for k in npz.files if k[0] == "c"}) or [""]:
        def pick(kind, prefix=prefix):
            return [npz[k] for k in sorted(k for k in npz.files if k.startswith(f"{prefix}{kind}_"))]
        yield pick("in"), pick("out")


def check(program, feeds, fetches, npz):
    exe = static.Executor()
    for inputs, outputs in cases(npz):
        got = exe.run(program, dict(zip(feeds, inputs)), fetches)
        assert len(got) == len(outputs)
        for a, b in zip(got, outputs):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)
            assert a.dtype == b.dtype and a.shape == b.shape


@pytest.mark.parametrize("name", MODELS)
def test_models_of_paddle_26(name, tmp_path):
    prefix = FIXTURES / "paddle26" / name
    with np.load(f"{prefix}.npz") as npz:
        program, feeds, fetches = static.load_inference_model(str(prefix), static.Executor())
        check(program, feeds, fetches, npz)
        block = program.global_block()  # written by us and read again
        static.save_inference_model(str(tmp_path / "again"), [block.var(n) for n in feeds], fetches, static.Executor(),
                                    program=program)
        with static.scope_guard(static.Scope()):
            check(*static.load_inference_model(str(tmp_path / "again"), static.Executor()), npz)


@pytest.mark.parametrize("folder, names", [
    ("saved_infer_model", {}), ("combined", {}),
    ("combined", {"model_filename": "__model__", "params_filename": "__params__"})])
def test_models_of_paddle_18(folder, names):
    with np.load(FIXTURES / "paddle18/io.npz") as npz:
        check(*static.load_inference_model(str(FIXTURES / "paddle18" / folder), static.Executor(), **names), npz)


def test_models_from_memory():
    prefix = FIXTURES / "paddle26/mlp"
    with np.load(f"{prefix}.npz") as npz:
        check(*static.load_inference_model(None, static.Executor(), model_filename=Path(f"{prefix}.pdmodel").read_bytes(),
                                           params_filename=Path(f"{prefix}.pdiparams").read_bytes()), npz)


@pytest.fixture
def model(static_mode):
    """(executor, program, input, output, loss) of a small trained model."""
    x, y = static.data("x", [None, 4]), static.data("y", [None, 1], "int64")
    out = paddle.nn.Linear(8, 3)(paddle.nn.functional.relu(paddle.nn.Linear(4, 8)(x)))
    loss = paddle.nn.functional.cross_entropy(out, y)
    paddle.optimizer.Adam(0.01).minimize(loss)
    exe = static.Executor()
    exe.run(static.default_startup_program())
    exe.run(feed=FEED, fetch_list=[loss])
    return exe, static.default_main_program(), x, out, loss


FEED = {"x": np.random.RandomState(0).randn(5, 4).astype("float32"), "y": np.array([[0], [1], [2], [0], [1]])}


def run_test(exe, program, out):
    return exe.run(program.clone(for_test=True), {"x": FEED["x"]}, [out.name])[0]


def test_inference_model_is_pruned(model, tmp_path):
    exe, main, x, out, _ = model
    expected = run_test(exe, main, out)
    static.save_inference_model(str(tmp_path / "deep/m"), [x], [out], exe)
    assert sorted(p.name for p in (tmp_path / "deep").iterdir()) == ["m.pdiparams", "m.pdmodel"]
    with static.scope_guard(static.Scope()):
        program, feeds, fetches = static.load_inference_model(str(tmp_path / "deep/m"), exe)
        assert feeds == ["x"] and [v.name for v in fetches] == [out.name]
        assert [op.type for op in program.global_block().ops] == [
            "feed", "matmul_v2", "elementwise_add", "relu", "matmul_v2", "elementwise_add", "fetch"]
        np.testing.assert_array_equal(exe.run(program, {"x": FEED["x"]}, fetches)[0], expected)


def test_bytes(model, tmp_path):
    exe, main, x, out, _ = model
    expected = run_test(exe, main, out)
    program_bytes = static.serialize_program([x], [out])
    static.save_to_file(str(tmp_path / "a/params"), static.serialize_persistables([x], [out], exe))
    with static.scope_guard(static.Scope()):
        program = static.deserialize_program(program_bytes)
        static.deserialize_persistables(program, static.load_from_file(str(tmp_path / "a/params")), exe)
        np.testing.assert_array_equal(exe.run(program, {"x": FEED["x"]}, [out.name])[0], expected)


def test_training_state_continues(model, tmp_path):
    exe, main, x, out, loss = model
    static.save(main, str(tmp_path / "state"))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["state.pdmodel", "state.pdopt", "state.pdparams"]
    expected = [exe.run(main, FEED, [loss])[0] for _ in range(3)]
    with static.scope_guard(static.Scope()):
        static.load(main, str(tmp_path / "state"), exe)
        assert [exe.run(main, FEED, [loss])[0] for _ in range(3)] == expected
    loaded = static.Program.parse_from_string((tmp_path / "state.pdmodel").read_bytes())  # backward and updates too
    with static.scope_guard(static.Scope()):
        static.set_program_state(loaded, static.load_program_state(str(tmp_path / "state")))
        assert [exe.run(loaded, FEED, [loss.name])[0] for _ in range(3)] == expected
    params = paddle.load(str(tmp_path / "state.pdparams"), return_numpy=True)
    assert set(params) == {p.name for p in main.all_parameters()}
    with pytest.warns(UserWarning, match="no variables extra"):
        static.set_program_state(main, {"extra": np.ones(1)})
    with pytest.raises(ValueError, match=r"'linear_0.w_0' has shape \[8, 3\], the given value \[2\]"):
        static.set_program_state(main, {"linear_0.w_0": np.ones(2, "float32")})


def test_paddle_save_writes_programs(model, tmp_path):
    _, main, *_ = model
    paddle.save(main, str(tmp_path / "p.pdmodel"))
    again = paddle.load(str(tmp_path / "p.pdmodel"))
    assert isinstance(again, static.Program)
    assert [op.type for op in again.global_block().ops] == [op.type for op in main.global_block().ops]


@pytest.mark.parametrize("filename", [None, "all"])
def test_variables_in_folders(model, tmp_path, filename):
    exe, main, x, out, loss = model
    static_io.save_persistables(exe, str(tmp_path / "v"), main, filename)
    files = sorted(p.name for p in (tmp_path / "v").iterdir())
    assert files == ["all"] if filename else "linear_0.w_0_moment1_0" in files
    expected = exe.run(main, FEED, [loss])[0]
    with static.scope_guard(static.Scope()):
        static_io.load_persistables(exe, str(tmp_path / "v"), main, filename)
        assert exe.run(main, FEED, [loss])[0] == expected


def test_operators_without_a_counterpart_are_named(static_mode, tmp_path):
    x = static.data("x", [2])
    y = static.py_func(lambda a: a, x, static.default_main_program().current_block().create_var(shape=[2], dtype="float32"))
    grad, = static.gradients(paddle.sum(paddle.exp(y)), y)
    static.default_main_program().global_block().append_op("no_such_op", {"X": grad}, {"Out": y},
                                                           where=("user.py", 12))
    with pytest.raises(NotImplementedError, match=r"no_such_op \(added at user\.py:12\)"):
        static.save_inference_model(str(tmp_path / "m"), [x], [y], static.Executor())
    assert list(tmp_path.iterdir()) == []


def test_missing_operators_are_listed_at_once(tmp_path):
    from paddle.serialization import program_desc as pd
    desc = pd.read((FIXTURES / "paddle26/mlp.pdmodel").read_bytes())
    desc.blocks[0].ops[1].type, desc.blocks[0].ops[2].type = "zzz_op", "aaa_op"
    (tmp_path / "m.pdmodel").write_bytes(pd.write(desc))
    with pytest.raises(NotImplementedError, match="m.pdmodel.*not supported here: aaa_op, zzz_op"):
        static.load_inference_model(str(tmp_path / "m"), static.Executor())


def test_damaged_files(tmp_path):
    data = (FIXTURES / "paddle26/lenet.pdmodel").read_bytes()
    rng = np.random.RandomState(0)
    for k in range(150):
        broken = bytearray(data)
        if k % 3 == 0:
            broken = broken[:rng.randint(len(broken))]
        else:
            for at in rng.randint(0, len(broken), 3):
                broken[at] = rng.randint(256)
        try:
            static.deserialize_program(bytes(broken))
        except (FormatError, NotImplementedError, ValueError, TypeError):
            pass  # whatever is wrong is said; anything else would be a crash
    with pytest.raises(ValueError, match="no file"):
        static.load_inference_model(str(tmp_path / "nothing"), static.Executor())
    (tmp_path / "x.pdmodel").write_bytes(data)
    with pytest.raises(FileNotFoundError, match="x.pdiparams"):
        static.load_inference_model(str(tmp_path / "x"), static.Executor())


def test_program_takes_a_layers_state_by_its_table_of_names(tmp_path):
    with paddle.utils.unique_name.guard():
        state = paddle.nn.Linear(3, 2).state_dict()
    paddle.save(state, str(tmp_path / "net.pdparams"))
    main, start = paddle.static.Program(), paddle.static.Program()
    paddle.enable_static()
    try:
        with paddle.static.program_guard(main, start), paddle.utils.unique_name.guard():
            paddle.nn.Linear(3, 2)(paddle.static.data("x", [None, 3]))
        paddle.static.Executor().run(start)
        main.set_state_dict(paddle.load(str(tmp_path / "net.pdparams"), keep_name_table=True))
        values = main.state_dict("param")
        assert all(np.array_equal(np.array(values[t.name]), t.numpy()) for t in state.values())
        weight = main.all_parameters()[0]
        held = weight.get_value()
        weight.set_value(np.ones([3, 2], "float32"))
        assert isinstance(held, paddle.base.core.LoDTensor) and np.array(held).tolist() == [[1.0, 1.0]] * 3
        for error, give in ((ValueError, (np.ones([2], "float32"),)), (TypeError, ("1",)), (TypeError, (np.ones(2), "1"))):
            with pytest.raises(error):
                weight.set_value(*give)
        with pytest.raises(ValueError, match="no value"):
            main.global_block().var("x").get_value()
        with pytest.warns(UserWarning, match="no variable 'other'"):
            main.set_state_dict({"other": np.zeros(2, "float32")})
        with pytest.raises(TypeError, match="must be a dict"):
            main.set_state_dict([1])
    finally:
        paddle.disable_static()
