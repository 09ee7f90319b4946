"""Every recorded call of a layer, made in a static program: it gives what the real Paddle 2.6.2 gave eagerly.

The first axis of inputs is unknown while the program is built, as that of batches is, except in the calls of KNOWN.
"""

import pathlib
import sys
import zlib

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import oracle_check  # noqa: E402
import oracle_run  # noqa: E402

import paddle  # noqa: E402

CASES = {key: value for key, value in oracle_check.recorded().items() if "layer(nn." in key}
KNOWN = ("nn.SpectralNorm(", "time_major=True", ", s, c", ", s, (c, ", "nn.CTCLoss(", "nn.RNNTLoss(", "weight=w", "axis=0",
         "is_custom=True")  # whose first axis is no batch, or whose lengths and paths are constants of the program


class StaticRun(oracle_run.Run):
    """A case whose layer is part of a program; `values` are what its parameters are to be filled with."""

    def __init__(self, case):
        super().__init__(case)
        self.values = {}

    def fill(self, layer):
        for name, tensor in layer.state_dict().items():
            if tensor.name not in self.values and oracle_run.kind(tensor) == "f":
                random = np.random.RandomState(zlib.crc32(f"{self.case.id}/{name}".encode()))
                array = np.round(random.uniform(-0.8, 0.8, tensor.shape), 3).astype("float32")
                self.values[tensor.name] = np.abs(array) + 0.5 if "variance" in name else array
        return layer

    def layer(self, layer, *inputs, **more):
        return self.fill(layer)(*inputs, **more)

    def variables(self):
        """Data variables for the inputs, and what they are fed with."""
        arrays, known = self.case.arrays(), any(text in self.case.id for text in KNOWN)
        made, feed = {}, {}
        for name, spec in self.case.specs.items():
            made[name] = array = arrays[name]
            if not spec.raw:
                shape = list(array.shape) if known else [-1, *array.shape[1:]]
                made[name], feed[name] = paddle.static.data(name, shape, array.dtype.name), array
        return made, feed


@pytest.fixture(autouse=True)
def static():
    paddle.enable_static()
    yield
    paddle.disable_static()


@pytest.mark.parametrize("key", CASES)
def test_layer_in_a_program(key):
    case, expected = CASES[key]
    main, startup, run, leaves = paddle.static.Program(), paddle.static.Program(), StaticRun(case), []
    with paddle.static.program_guard(main, startup), paddle.utils.unique_name.guard():
        inputs, feed = run.variables()
        collect(case.run(run.namespace(), **inputs), leaves)
    executor, scope = paddle.static.Executor(), paddle.static.Scope()
    with paddle.static.scope_guard(scope):
        executor.run(startup)
        for name, value in run.values.items():
            scope.find_var(name).get_tensor().set(value, paddle.CPUPlace())
        results = executor.run(main, feed=feed, fetch_list=leaves)
    assert results
    for mine, (_, theirs) in zip(results, expected["leaves"]):
        assert mine.shape == theirs.shape
        np.testing.assert_allclose(mine, theirs, rtol=2e-4, atol=2e-5)


def collect(value, leaves):
    if isinstance(value, (list, tuple)):
        for item in value:
            collect(item, leaves)
    elif value is not None:
        leaves.append(value)
