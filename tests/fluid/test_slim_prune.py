"""fluid.contrib.slim: the pruner against sums of slices in NumPy, and what is refused."""

import importlib

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid.contrib.slim.prune import Pruner, StructurePruner

PRUNER = StructurePruner({"*": 0, "rows": 1}, {"*": "l1_norm"})


@pytest.mark.parametrize("name, axis, along", [("w", None, 0), ("rows", None, 1), ("rows", 2, 2), ("w", -1, 3)])
@pytest.mark.parametrize("ratio", [0.0, 0.3, 0.5, 1.0])
def test_the_smallest_slices_are_cut_off(name, axis, along, ratio):
    param = np.random.RandomState(1).randn(6, 5, 4, 3).astype("float32")
    length = param.shape[along]
    norms = [np.abs(param.take(i, along).astype("float64")).sum() for i in range(length)]
    expected = sorted(range(length), key=norms.__getitem__)[:round(length * ratio)]
    found = PRUNER.cal_pruned_idx(name, param, ratio, axis)
    assert found.tolist() == expected

    before = param.copy()
    rest = [i for i in range(length) if i not in expected]
    np.testing.assert_array_equal(PRUNER.prune_tensor(param, found, along), param.take(rest, along))
    share = np.isin(np.arange(length), rest).reshape([-1 if n == along else 1 for n in range(4)])
    lazily = PRUNER.prune_tensor(param, expected, along, lazy=True)
    np.testing.assert_array_equal(lazily, param * share)
    assert lazily.dtype == param.dtype
    np.testing.assert_array_equal(param, before)


def test_filters_of_a_program_are_pruned_in_its_scope():
    main, startup, scope = fluid.Program(), fluid.Program(), fluid.Scope()
    with fluid.program_guard(main, startup):
        image = fluid.data("image", [2, 3, 8, 8], "float32")
        out = fluid.layers.conv2d(image, 4, 3, param_attr=fluid.ParamAttr(name="conv_weights"), bias_attr=False)
    executor = fluid.Executor(fluid.CPUPlace())
    executor.run(startup, scope=scope)
    tensor = scope.find_var("conv_weights").get_tensor()
    cut = PRUNER.cal_pruned_idx("conv_weights", np.array(tensor), 0.5)
    tensor.set(PRUNER.prune_tensor(np.array(tensor), cut, 0, lazy=True), fluid.CPUPlace())
    values, = executor.run(main, {"image": np.ones([2, 3, 8, 8], "float32")}, [out], scope=scope)
    assert sorted(cut) == np.flatnonzero(~values.any(axis=(0, 2, 3))).tolist() and len(cut) == 2


def test_settings_that_say_nothing_are_refused():
    param = np.ones((2, 2), "float32")
    with pytest.raises(ValueError, match="'l2_norm'"):
        StructurePruner({"*": 0}, {"w": "l2_norm"}).cal_pruned_idx("w", param, 0.5)
    with pytest.raises(KeyError, match="pruning_axis"):
        StructurePruner(None, {"*": "l1_norm"}).cal_pruned_idx("w", param, 0.5)
    with pytest.raises(KeyError, match="criterions"):
        StructurePruner({"*": 0}, {"b": "l1_norm"}).cal_pruned_idx("w", param, 0.5)
    with pytest.raises(ValueError, match="ratio"):
        PRUNER.cal_pruned_idx("w", param, -0.5)
    with pytest.raises(NotImplementedError, match="prune"):
        Pruner().prune(param)


@pytest.mark.parametrize("module, name, reason", [
    ("", "Compressor", "paddleslim"), (".core", "ConfigFactory", "paddleslim"), (".core.strategy", "Strategy", "paddleslim"),
    (".prune", "UniformPruneStrategy", "paddleslim"), (".prune.auto_prune_strategy", "AutoPruneStrategy", "paddleslim"),
    (".quantization", "QuantizationStrategy", "paddleslim"), (".distillation", "L2Distiller", "one program"),
    (".quantization.qat_int8_mkldnn_pass", "QatInt8MkldnnPass", "oneDNN"), (".nas", "SearchSpace", "architectures"),
    (".searcher.controller", "SAController", "architectures")])
def test_what_slim_refuses(module, name, reason):
    with pytest.raises(NotImplementedError, match=f"{name}: .*{reason}"):
        getattr(importlib.import_module(f"paddle.fluid.contrib.slim{module}"), name)


def test_the_compressor_of_contrib_is_refused_too():
    with pytest.raises(NotImplementedError, match="paddleslim"):
        fluid.contrib.Compressor  # noqa: B018
    assert fluid.contrib.slim.quantization.QuantizationTransformPass is not None
