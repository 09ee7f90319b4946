"""Names that programs of 1.x import, and what they do."""

import importlib
import os

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid
from paddle import compat
from paddle.fluid import layers
from paddle.fluid.dygraph import to_variable
from paddle.fluid.layers import utils

RNG = np.random.RandomState(3)


def run(fetch, feed=None, **options):
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    return exe.run(feed=feed or {}, fetch_list=fetch, **options)


def test_compat():
    assert compat.to_text([b"a", {b"b": b"c"}, 1]) == ["a", {"b": "c"}, 1] and compat.to_bytes({"a", "b"}) == {b"a", b"b"}
    items = [b"x", [b"y"]]
    assert compat.to_text(items, inplace=True) is items and items == ["x", ["y"]]
    assert [compat.round(x) for x in (0.5, 1.5, -2.5, 0.0)] == [1.0, 2.0, -3.0, 0.0] and compat.round(2.675001, 2) == 2.68
    assert compat.floor_division(7, 2) == 3 and compat.get_exception_message(ValueError("no")) == "no"


def test_curves_are_drawn_unless_told_otherwise(monkeypatch, tmp_path):
    curves = paddle.utils.plot.Ploter("train", "test")
    curves.append("train", 0, 1.5)
    with pytest.raises(ValueError, match="title"):
        curves.append("other", 0, 1.0)
    monkeypatch.setenv("DISABLE_PLOT", "True")
    curves.plot(str(tmp_path / "curve.png"))
    assert not os.listdir(tmp_path)
    curves.reset()
    assert curves.__plot_data__["train"].step == []


def test_transpilers_of_memory_change_nothing_and_say_so():
    program = fluid.Program()
    for change in (fluid.memory_optimize, fluid.release_memory, fluid.transpiler.memory_optimize):
        with pytest.warns(UserWarning, match="changes nothing"):
            change(program)
        with pytest.raises(TypeError, match="input_program"):
            change("program")
    with pytest.raises(NotImplementedError, match="parameter servers"):
        fluid.DistributeTranspiler()
    some = [layers.create_global_var([1], 0.0, "float32", name=f"v{k}") for k in range(3)]
    assert fluid.transpiler.RoundRobin(["a", "b"]).dispatch(some) == ["a", "b", "a"]
    assert set(fluid.transpiler.HashName(["a", "b"]).dispatch(some)) <= {"a", "b"}


def test_modules_of_layers_hold_what_they_defined():
    for module, name in (("device", "get_places"), ("utils", "flatten"), ("rnn", "LSTMCell"), ("distributions", "Normal"),
                         ("io", "data"), ("loss", "cross_entropy"), ("sequence_lod", "sequence_pool"), ("nn", "fc")):
        found = getattr(importlib.import_module(f"paddle.fluid.layers.{module}"), name)
        assert name == "flatten" or found is getattr(layers, name)
    assert layers.device.get_places(1) and len(layers.get_places(device_count=2)) == 2
    with pytest.raises(ValueError, match="device_type"):
        layers.get_places(1, "CUDA")


def test_nested_structures():
    nest = {"b": [1, (2, 3)], "a": 4}
    assert utils.flatten(nest) == [4, 1, 2, 3] and utils.pack_sequence_as(nest, [1, 2, 3, 4]) == {"b": [2, (3, 4)], "a": 1}
    assert utils.map_structure(lambda x, y: x + y, [1, (2,)], [3, (4,)]) == [4, (6,)] and utils.convert_to_list(3, 2, "k") == [3, 3]
    with pytest.raises(ValueError, match="leaves"):
        utils.pack_sequence_as([1, 2], [1])
    with pytest.raises(TypeError, match="list and tuple"):
        utils.assert_same_structure([1], (1,))
    with pytest.raises(ValueError, match="differ"):
        utils.assert_same_structure([1], [1, 2])


def test_functions_of_18(programs):
    x, y = RNG.randn(3, 3).astype("float32"), RNG.randn(3, 3).astype("float32")
    a, b = layers.assign(x), layers.assign(y)
    where = layers.assign(np.array([2, 0], "int64"))
    found = run([layers.allclose(a, a), layers.clamp(a, -0.5, 0.5), layers.log1p(layers.abs(a)),
                 *layers.meshgrid([layers.assign(x[0]), layers.assign(y[0])]),
                 layers.index_select(a, where, dim=1), layers.roll(a, 1, dims=0), layers.t(a),
                 layers.addmm(a, a, b, alpha=2.0, beta=3.0), layers.dist(a, b),
                 layers.flip(a, [1]), layers.logsumexp(a, dim=1), layers.addcmul(a, a, b, value=2.0), layers.full_like(a, 2.0),
                 layers.cross(a, b, dim=1)])
    wanted = [np.array([True]), x.clip(-0.5, 0.5), np.log1p(abs(x)), *np.meshgrid(x[0], y[0], indexing="ij"), x[:, [2, 0]],
              np.roll(x, 1, 0), x.T, 3 * x + 2 * x @ y, np.array([np.sqrt(((x - y) ** 2).sum())]), x[:, ::-1],
              np.log(np.exp(x).sum(1)), x + 2 * x * y, np.full_like(x, 2), np.cross(x, y)]
    for got, want in zip(found, wanted, strict=True):
        assert got.shape == want.shape
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)
    assert run([layers.randn([4, 2])])[0].shape == (4, 2)
    with pytest.raises(ValueError, match="min or max"):
        layers.clamp(a)


def test_losses_and_decays_of_18():
    with fluid.dygraph.guard():
        x, y = to_variable(np.array([1.0, 3.0], "float32")), to_variable(np.zeros([2], "float32"))
        assert float(fluid.dygraph.L1Loss()(x, y)) == 2.0 and float(fluid.dygraph.MSELoss()(x, y)) == 5.0
        decays = [fluid.dygraph.StepDecay(1.0, 2, 0.5), fluid.dygraph.MultiStepDecay(1.0, [1, 3], 0.5),
                  fluid.dygraph.LambdaDecay(1.0, lambda epoch: 1 / (1 + epoch))]
        rates = []
        for _ in range(4):
            rates.append([round(float(decay()), 4) for decay in decays])
            for decay in decays:
                decay.epoch()
        assert list(zip(*rates)) == [(1.0, 1.0, 0.5, 0.5), (1.0, 0.5, 0.5, 0.25), (1.0, 0.5, 0.3333, 0.25)]
        with pytest.raises(ValueError, match="increase"):
            fluid.dygraph.MultiStepDecay(1.0, [3, 1])


def test_enable_imperative_is_enable_dygraph():
    fluid.enable_imperative()
    try:
        assert fluid.in_dygraph_mode()
    finally:
        fluid.disable_imperative()
    assert not fluid.in_dygraph_mode()


def test_names_of_gradients():
    assert fluid.backward._append_grad_suffix_("x") == fluid.framework.grad_var_name("x") == "x@GRAD"
    assert fluid.backward.calc_gradient is fluid.gradients and fluid.framework.GRAD_VAR_SUFFIX == "@GRAD"


def test_functions_that_belong_to_one_mode():
    static, dynamic = fluid.framework.dygraph_not_support(lambda: 1), fluid.framework.dygraph_only(lambda: 2)
    assert static() == 1
    with pytest.raises(AssertionError, match="inside dygraph.guard"):
        dynamic()
    with fluid.dygraph.guard():
        assert dynamic() == 2
        with pytest.raises(AssertionError, match="can't be called"):
            static()
        with fluid.framework._dygraph_guard(None):
            assert not fluid.in_dygraph_mode() and static() == 1
        assert fluid.in_dygraph_mode()
    assert layers.control_flow.lod_rank_table is layers.lod_rank_table


# ---- behaviours that every version shares -----------------------------------------------------------------------------------
def test_rows_of_fetched_columns_convert(programs):
    x = layers.data("x", [1])
    rows, = run([layers.scale(x, 2.0)], {"x": np.array([[1.0], [2.0]], "float32")})
    assert [f"{row:.1f}" for row in rows] == ["2.0", "4.0"] and [float(row) for row in rows] == [2.0, 4.0]
    with pytest.raises(TypeError):
        float(rows)


def test_cross_entropy_of_labels_without_a_last_axis(programs):
    p = np.array([[[0.2, 0.8], [0.5, 0.5]]], "float32")
    labels = np.array([[1, 0]], "int64")
    flat, column = run([layers.cross_entropy(layers.assign(p), layers.assign(labels)),
                        layers.cross_entropy(layers.assign(p), layers.assign(labels[..., None]))])
    assert flat.shape == (1, 2) and column.shape == (1, 2, 1)
    np.testing.assert_allclose(flat, -np.log([[0.8, 0.5]]), rtol=1e-6)


def test_sizes_that_only_the_running_program_knows(programs):
    x = layers.data("x", [2])
    count = layers.shape(x)[0]
    made = [layers.fill_constant([count, 3], "float32", 2.0), layers.uniform_random_batch_size_like(x, [-1, 5]),
            layers.gaussian_random_batch_size_like(x, [-1, 4]), layers.reshape(x, [count, 1, 2])]
    assert [tuple(v.shape) for v in made] == [(-1, 3), (-1, 5), (-1, 4), (-1, 1, 2)]
    assert [v.shape for v in run(made, {"x": np.ones([6, 2], "float32")})] == [(6, 3), (6, 5), (6, 4), (6, 1, 2)]


def test_lengths_pass_through_expand(programs):
    x = layers.data("x", [2], lod_level=1)
    wide = layers.expand(x, [1, 3])
    feed = {"x": fluid.create_lod_tensor(np.arange(6, dtype="float32").reshape(3, 2), [[1, 2]], fluid.CPUPlace())}
    found = run([layers.sequence_reshape(wide, 2), layers.sequence_pool(wide, "sum")], feed, return_numpy=False)
    assert found[0].recursive_sequence_lengths() == [[3, 6]] and np.array(found[1])[1].tolist() == [6.0, 8.0] * 3


def test_gradients_of_parameters_that_were_cut_off(monkeypatch):
    from paddle.core import rules
    from paddle.core.context import process
    monkeypatch.setattr(process, "chosen", rules.find("1.7"))
    with fluid.dygraph.guard():
        one, two = fluid.dygraph.Linear(2, 2), fluid.dygraph.Linear(2, 2)
        cut = one(to_variable(np.ones([1, 2], "float32")))
        cut.stop_gradient = True
        layers.reduce_sum(two(cut)).backward()
        assert (one.weight.gradient() == 0).all() and (cut.gradient() == 0).all() and (two.weight.gradient() != 0).any()


def test_data_of_the_default_program_are_variables():
    """Without static mode and without a program_guard, as programs of 1.x begin."""
    with paddle.utils.unique_name.guard():
        found = [fluid.data("older_x", [None, 4]), layers.data("older_y", [4], lod_level=1), paddle.static.data("older_z", [None])]
    assert all(isinstance(v, fluid.Variable) for v in found)
    for v in found:
        for name in (v.name, *v.lod):
            del fluid.default_main_program().global_block().vars[name]


def test_quantization_of_programs_has_its_older_addresses():
    import paddle.static.quantization as successor
    from paddle.fluid.contrib.slim.quantization import PostTrainingQuantization, QuantizationTransformPass
    from paddle.fluid.contrib.slim.quantization.quantization_pass import QuantizationFreezePass
    assert PostTrainingQuantization is successor.PostTrainingQuantization
    assert QuantizationTransformPass is successor.QuantizationTransformPass
    assert QuantizationFreezePass is successor.QuantizationFreezePass
    assert fluid.contrib.optimizer.Momentum is fluid.optimizer.Momentum


def test_the_endings_of_saved_files_are_constants_of_2x():
    """What programs of 2.0 to 2.4 import to name the files of jit.save."""
    from paddle.fluid.dygraph.io import INFER_MODEL_SUFFIX, INFER_PARAMS_INFO_SUFFIX, INFER_PARAMS_SUFFIX
    assert (INFER_MODEL_SUFFIX, INFER_PARAMS_SUFFIX, INFER_PARAMS_INFO_SUFFIX) == (".pdmodel", ".pdiparams", ".pdiparams.info")
