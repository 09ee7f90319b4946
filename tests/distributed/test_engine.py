"""fleet.auto: notes on a mesh, and an Engine that trains as the plain loop does."""


import os

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.distributed.fleet import auto

rng = np.random.default_rng(0)
X, Y = rng.normal(size=(12, 4)).astype("float32"), rng.integers(0, 3, size=(12, 1))


def network():
    paddle.seed(7)
    return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))


def data():
    return paddle.io.TensorDataset([paddle.to_tensor(X), paddle.to_tensor(Y)])


def plain(steps, merge=1):
    """Losses of a loop by hand, batches of 4 in order."""
    model = network()
    optimizer, losses = paddle.optimizer.Adam(0.05, parameters=model.parameters()), []
    for step in range(steps):
        part = slice(step % 3 * 4, step % 3 * 4 + 4)
        loss = nn.CrossEntropyLoss()(model(paddle.to_tensor(X[part])), paddle.to_tensor(Y[part]))
        (loss / merge).backward()
        losses.append(loss.item())
        if (step + 1) % merge == 0:
            optimizer.step()
            optimizer.clear_grad()
    return model, losses


class Losses(paddle.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.seen = []

    def on_train_batch_end(self, step, logs=None):
        self.seen.append(float(np.ravel(logs["loss"])[0]))


def engine(strategy=None):
    model = network()
    return auto.Engine(model, nn.CrossEntropyLoss(), paddle.optimizer.Adam(0.05, parameters=model.parameters()),
                       paddle.metric.Accuracy(), strategy=strategy), model


@pytest.mark.parametrize("merge", [1, 3])
def test_training_is_that_of_the_plain_loop(merge):
    strategy = auto.Strategy()
    strategy.gradient_merge.enable, strategy.gradient_merge.k_steps = merge > 1, merge
    runner, model = engine(strategy)
    watched = Losses()
    runner.fit(data(), 1, batch_size=4, epochs=2, verbose=0, callbacks=[watched])
    expected, losses = plain(6, merge)
    np.testing.assert_allclose(watched.seen, losses, rtol=1e-5)
    np.testing.assert_allclose(model[0].weight.numpy(), expected[0].weight.numpy(), rtol=1e-5, atol=1e-6)


def test_evaluation_prediction_and_single_batches(tmp_path):
    runner, model = engine()
    found = runner.evaluate(data(), batch_size=12, verbose=0)
    scores = model(paddle.to_tensor(X))
    assert abs(found["loss"][0] - nn.CrossEntropyLoss()(scores, paddle.to_tensor(Y)).item()) < 1e-6
    assert found["acc"] == (scores.numpy().argmax(-1) == Y[:, 0]).mean()
    [parts] = runner.predict(paddle.io.TensorDataset([paddle.to_tensor(X)]), batch_size=5, steps=2, verbose=0)
    np.testing.assert_allclose(np.concatenate(parts), scores.numpy()[:10], rtol=1e-5, atol=1e-6)
    loader = runner.dataloader(data(), batch_size=4, mode="train")
    losses = [runner.run(batch)["loss"][0] for batch in loader]
    np.testing.assert_allclose(losses, plain(3)[1], rtol=1e-5)
    runner.save(str(tmp_path / "e"))
    again, fresh = engine()
    again.load(str(tmp_path / "e"))
    np.testing.assert_array_equal(fresh[0].weight.numpy(), model[0].weight.numpy())
    with pytest.raises(ValueError, match="InputSpecs"):
        runner.save(str(tmp_path / "i"), training=False)
    runner.prepare(paddle.static.InputSpec([None, 4]), mode="predict")
    runner.save(str(tmp_path / "i"), training=False)
    np.testing.assert_allclose(paddle.jit.load(str(tmp_path / "i"))(paddle.to_tensor(X)).numpy(),
                               runner.run([X])["outputs"][0], rtol=1e-5, atol=1e-6)


def test_settings_and_refusals():
    strategy = auto.Strategy({"auto_mode": "semi", "amp": {"enable": True, "level": "o2"}})
    assert strategy.amp.level == "o2" and not strategy.sharding.enable and strategy.split_data
    strategy.qat.enable = True
    with pytest.raises(NotImplementedError, match="qat"):
        auto.Engine(nn.Linear(1, 1), strategy=strategy)
    with pytest.raises(TypeError, match="paddle.nn.Layer"):
        auto.Engine(lambda x: x)
    with pytest.raises(ValueError, match="no settings sharting"):
        auto.Strategy({"sharting": {}})
    assert auto.Strategy().recompute.checkpoints is not auto.Strategy().recompute.checkpoints
    with pytest.raises(TypeError, match="ProcessMesh"):
        auto.shard_tensor(paddle.ones([2]), None, [None])
    with pytest.raises(ValueError, match="2 entries"):
        auto.shard_tensor(paddle.ones([2]), auto.create_mesh([("x", 1)]), ["x", None])
    with pytest.raises(ValueError, match="1 specifications for 2 inputs"):
        auto.shard_op(paddle.add, auto.get_mesh(), [["x"]])(paddle.ones([2]), paddle.ones([2]))


def test_recomputed_functions_have_the_same_gradients():
    layer, x = nn.Linear(3, 3), paddle.to_tensor(X[:, :3], stop_gradient=False)
    auto.recompute(layer)(x).tanh().sum().backward()
    found = x.grad.numpy()
    x.clear_grad()
    layer(x).tanh().sum().backward()
    np.testing.assert_allclose(found, x.grad.numpy(), rtol=1e-6)


RANKS = """
import numpy as np, paddle, sys
sys.path.insert(0, {here!r})
import test_engine as t
from paddle.distributed.fleet import auto
mesh = auto.create_mesh({dims!r})
model = t.network()
if "mp" in mesh.dim_names:
    auto.shard_tensor(model[0].weight, mesh, [None, "mp"])
    auto.shard_tensor(model[0].bias, mesh, ["mp"])
    auto.shard_tensor(model[2].weight, mesh, ["mp", None])
runner = auto.Engine(model, paddle.nn.CrossEntropyLoss(), paddle.optimizer.Adam(0.05, parameters=model.parameters()))
watched = t.Losses()
runner.fit(t.data(), 1, batch_size=4, epochs=2, verbose=0, callbacks=[watched])
np.testing.assert_allclose(watched.seen, t.plain(6)[1], rtol=1e-4)
"""


@pytest.mark.parametrize("dims", [[("dp", 2)], [("mp", 2)]])
def test_two_ranks_train_as_one(launch, dims):
    launch(RANKS.format(here=os.path.dirname(os.path.abspath(__file__)), dims=dims), 2)
