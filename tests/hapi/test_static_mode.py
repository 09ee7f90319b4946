"""paddle.Model in static mode gives what it gives in dynamic mode."""

import numpy as np
import pytest

import paddle
from paddle import nn


def data():
    x = np.random.RandomState(0).rand(12, 4).astype("float32")
    return [(row, np.array([int(row.sum() > 2)], "int64")) for row in x]


class Samples(paddle.io.Dataset):
    def __getitem__(self, index):
        return data()[index]

    def __len__(self):
        return 12


def run(tmp_path, with_parameters=True):
    paddle.seed(1)
    np.random.seed(1)  # the order of samples
    network = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1D(8), nn.ReLU(), nn.Linear(8, 2))
    model = paddle.Model(network, [paddle.static.InputSpec([None, 4], "float32", "x")],
                         [paddle.static.InputSpec([None, 1], "int64", "label")])
    given = {"parameters": model.parameters()} if with_parameters else {}
    model.prepare(paddle.optimizer.Adam(0.05, **given), nn.CrossEntropyLoss(), paddle.metric.Accuracy())
    model.fit(Samples(), batch_size=4, epochs=3, shuffle=False, verbose=0)
    model.save(str(tmp_path / "model"))
    result = model.evaluate(Samples(), batch_size=6, verbose=0)
    predicted, = model.predict(Samples(), batch_size=5, stack_outputs=True, verbose=0)
    model.save(str(tmp_path / "inference"), training=False)
    model.load(str(tmp_path / "model"))
    return result["loss"], result["acc"], predicted


@pytest.mark.parametrize("with_parameters", [True, False])
def test_both_modes_give_the_same(with_parameters, tmp_path):
    expected = run(tmp_path)
    paddle.enable_static()
    try:
        found = run(tmp_path, with_parameters)
        assert not paddle.in_dynamic_mode()
    finally:
        paddle.disable_static()
    for mine, other in zip(found, expected):
        np.testing.assert_allclose(mine, other, rtol=1e-6)
    assert (tmp_path / "inference.pdmodel").exists()


def test_values_that_the_startup_program_made_are_kept():
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()), \
                paddle.static.scope_guard(paddle.static.Scope()):
            network = nn.Linear(2, 1, weight_attr=nn.initializer.Uniform(5.0, 6.0))
            paddle.static.Executor().run(paddle.static.default_startup_program())
            value = np.array(paddle.static.global_scope().find_var(network.weight.name).get_tensor())
            model = paddle.Model(network)
            np.testing.assert_array_equal(model.parameters()[0].numpy(), value)
    finally:
        paddle.disable_static()
