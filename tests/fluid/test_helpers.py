"""What programs of 1.x build their own layers and tools with: LayerHelper, decorators, modes, and errors that name neighbours."""

import importlib

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid
from paddle.fluid.dygraph import to_variable
from paddle.fluid.layer_helper import LayerHelper

X = np.arange(6, dtype="float32").reshape(2, 3)


class OwnFC(fluid.Layer):
    """A dense layer as programs of 1.4 write one, operator by operator."""

    def __init__(self, scope, size):
        super().__init__(scope)
        self._size = size

    def _build_once(self, x):
        self._w = self.create_parameter(attr=None, shape=[x.shape[1], self._size], dtype="float32")

    def forward(self, x):
        product = self._helper.create_variable_for_type_inference("float32")
        self._helper.append_op(type="mul", inputs={"X": x, "Y": self._w}, outputs={"Out": product},
                               attrs={"x_num_col_dims": 1, "y_num_col_dims": 1})
        out = self._helper.create_variable_for_type_inference("float32")
        self._helper.append_op(type="sum", inputs={"X": [product, product]}, outputs={"Out": out})
        return self._helper.append_activation(out, act="relu")


def test_operators_by_type_in_a_guard_and_in_a_program():
    with fluid.dygraph.guard():
        layer = OwnFC("own", 4)
        y = layer(to_variable(X))
        np.testing.assert_allclose(y.numpy(), np.maximum(2 * X @ layer._w.numpy(), 0), rtol=1e-5)
        fluid.layers.reduce_sum(y).backward()
        assert layer._w.gradient().shape == (3, 4) and layer._w.name == "own/OwnFC_0.w_0"
        with pytest.raises(NotImplementedError, match="no operator 'no_such_op'"):
            layer._helper.append_op("no_such_op")
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard(), fluid.scope_guard(fluid.Scope()):
        y = OwnFC("own", 4)(fluid.data("x", [None, 3]))
        assert y.shape == (-1, 4)
        exe = fluid.Executor(fluid.CPUPlace())
        weight, = exe.run(startup, fetch_list=["own/OwnFC_0.w_0"])
        got, = exe.run(main, feed={"x": X}, fetch_list=[y])
    np.testing.assert_allclose(got, np.maximum(2 * X @ weight, 0), rtol=1e-5)


def test_statistics_are_written_into_parameters():
    with fluid.dygraph.guard():
        helper = LayerHelper("bn")
        one, zero, mean, variance = (helper.create_parameter(fluid.ParamAttr(initializer=fluid.initializer.Constant(v)), [3])
                                     for v in (1.0, 0.0, 0.0, 1.0))
        out, saved = (helper.create_variable_for_type_inference("float32") for _ in range(2))
        helper.append_op("batch_norm", {"X": to_variable(X), "Scale": one, "Bias": zero, "Mean": mean, "Variance": variance},
                         {"Y": out, "MeanOut": mean, "VarianceOut": variance, "SavedMean": saved}, {"momentum": 0.5})
        np.testing.assert_allclose(mean.numpy(), X.mean(0) / 2)
        biased = helper.append_bias_op(out)
        assert biased.shape == [2, 3]


def test_switching_to_programs_inside_a_guard():
    @fluid.dygraph.switch_to_static_graph
    def build():
        with fluid.program_guard(fluid.Program()):
            return fluid.in_dygraph_mode(), isinstance(fluid.layers.fc(fluid.data("x", [None, 2]), 3), fluid.Variable)

    with fluid.dygraph.guard():
        assert build() == (False, True)
        assert fluid.in_dygraph_mode() and isinstance(fluid.layers.ones([1], "float32"), paddle.Tensor)


def test_decorators_and_errors_of_1x():
    from paddle.fluid.wrapped_decorator import signature_safe_contextmanager, wrap_decorator

    @wrap_decorator
    def twice(function):
        return lambda x: 2 * function(x)

    @twice
    def half(x):
        """Half of it."""
        return x / 2

    assert half(3) == 3 and half.__name__ == "half" and half.__doc__ == "Half of it."

    @signature_safe_contextmanager
    def given():
        yield 5
    with given() as five:
        assert five == 5
    with fluid.dygraph.guard(), pytest.raises(fluid.core.EnforceNotMet):
        fluid.layers.matmul(to_variable(X), to_variable(X))


@pytest.mark.parametrize("module, wrong, right", [
    ("paddle.fluid", "Executer", "Executor"), ("paddle.fluid.layers", "reduce_summ", "reduce_sum"),
    ("paddle.fluid.dygraph", "Conv2d", "Conv2D"), ("paddle.fluid.dygraph.nn", "Pool2d", "Pool2D"),
    ("paddle.fluid.optimizer", "SGDOptimiser", "SGDOptimizer"), ("paddle.fluid.io", "save_parms", "save_params"),
    ("paddle.fluid.initializer", "Xaver", "Xavier"), ("paddle.fluid.metrics", "Acuracy", "Accuracy"),
    ("paddle.fluid.core", "is_compiled_with_cude", "is_compiled_with_cuda"), ("paddle.fluid.param_attr", "ParamAtr", "ParamAttr"),
    ("paddle.fluid.contrib", "mixed_presision", "mixed_precision"), ("paddle.fluid.incubate", "flet", "fleet"),
    ("paddle.imperative", "to_varable", "to_variable"), ("paddle.nn", "Liner", "Linear"), ("paddle.static", "Executer", "Executor"),
    ("paddle.jit", "to_statik", "to_static"), ("paddle.metric", "Acuracy", "Accuracy"), ("paddle.io", "DataLoder", "DataLoader"),
    ("paddle.dataset.mnist", "tran", "train"), ("paddle.framework", "ParamAtr", "ParamAttr"),
])
def test_typos_get_the_nearest_names(module, wrong, right):
    with pytest.raises(AttributeError, match=rf"no attribute '{wrong}'; did you mean.*\b{right}\b"):
        getattr(importlib.import_module(module), wrong)
