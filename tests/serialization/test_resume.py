"""Checkpoints as a program uses them: training that goes on in a new process, and states that don't fit."""

import subprocess
import sys

import numpy as np
import pytest

import paddle
from paddle import nn

PROGRAM = '''
import sys
import numpy as np
import paddle
from paddle import nn


class Pictures(paddle.io.Dataset):
    """Samples that are disturbed at random when they are read."""

    def __getitem__(self, i):
        picture = np.random.RandomState(i).rand(1, 6, 6).astype("float32")
        return picture + np.random.rand(1, 6, 6).astype("float32") * 0.1, np.array([i % 3])

    def __len__(self):
        return 24


def main(mode, folder, workers, optimizer):
    paddle.seed(999 if mode == "second" else 5)
    np.random.seed(999 if mode == "second" else 5)
    net = nn.Sequential(nn.Conv2D(1, 4, 3), nn.BatchNorm2D(4), nn.ReLU(), nn.Dropout(0.3), nn.Flatten(), nn.Linear(64, 3))
    rate = paddle.optimizer.lr.LinearWarmup(paddle.optimizer.lr.CosineAnnealingDecay(0.05, 8), 4, 0.0, 0.05)
    update = getattr(paddle.optimizer, optimizer)(learning_rate=rate, parameters=net.parameters(),
                                                  grad_clip=nn.ClipGradByGlobalNorm(1.0))
    scaler = paddle.amp.GradScaler(init_loss_scaling=64.0, incr_every_n_steps=3)
    loader = paddle.io.DataLoader(Pictures(), batch_size=8, shuffle=True, num_workers=int(workers))
    if mode == "second":
        state = paddle.load(folder + "/state.pdparams")
        net.set_state_dict(state["net"], strict=True)
        update.set_state_dict(state["update"])
        scaler.load_state_dict(state["scaler"])
        paddle.set_rng_state(state["rng"])
        np.random.set_state(("MT19937", *state["order"]))
    for epoch in range(1 if mode == "second" else 0, 1 if mode == "first" else 2):
        for x, y in loader:
            scaler.scale(nn.functional.cross_entropy(net(x + paddle.randn(x.shape) * 0.01), y)).backward()
            scaler.step(update)
            scaler.update()
            update.clear_grad()
            rate.step()
    if mode == "first":
        _, keys, place, *_ = np.random.get_state()  # decides the order of samples
        paddle.save({"net": net.state_dict(), "update": update.state_dict(), "scaler": scaler.state_dict(),
                     "rng": paddle.get_rng_state(), "order": [keys.tolist(), place]}, folder + "/state.pdparams")
    values = [*net.state_dict().values(), *[v for v in update.state_dict().values() if isinstance(v, paddle.Tensor)]]
    print(b"".join(v.numpy().tobytes() for v in values).hex(), update.get_lr(), scaler.state_dict()["scale"])


main(*sys.argv[1:])
'''


def run(*arguments):
    done = subprocess.run([sys.executable, "-c", PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(("workers", "optimizer"), [(0, "AdamW"), (2, "Momentum")])
def test_training_goes_on_bit_for_bit_in_a_new_process(tmp_path, workers, optimizer):
    """Weights, statistics, updates, schedules, loss scaling, dropout, noise, the order of data and what workers draw."""
    whole = run("whole", tmp_path, workers, optimizer)
    first = run("first", tmp_path, workers, optimizer)
    assert run("second", tmp_path, workers, optimizer) == whole != first


def test_what_does_not_fit_is_reported_by_name_and_shape():
    net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    before = {key: value.numpy().copy() for key, value in net.state_dict().items()}
    state = {"0.weight": np.ones((2, 3), "float32"), "0.bias": np.ones(4, "float32"), "1.weight": np.ones((3, 1), "float32"),
             "2.weight": np.ones(1, "float32")}
    with pytest.raises(ValueError, match=r"0.bias: expected shape \[3\], found \[4\]; 1.bias: missing; 2.weight: unexpected"):
        net.set_state_dict(state, strict=True)
    for key, value in net.state_dict().items():
        np.testing.assert_array_equal(value.numpy(), before[key])  # nothing was loaded
    with pytest.warns(UserWarning, match=r"not loaded: 0.bias: expected shape \[3\], found \[4\]"):
        missing, unexpected = net.set_state_dict(state)
    assert (missing, unexpected) == (["0.bias", "1.bias"], ["2.weight"])
    assert net[0].weight.numpy().tolist() == [[1, 1, 1], [1, 1, 1]]
    np.testing.assert_array_equal(net[0].bias.numpy(), before["0.bias"])


def test_an_optimizer_names_the_state_that_does_not_fit():
    layer = nn.Linear(2, 3)
    adam = paddle.optimizer.Adam(parameters=layer.parameters())
    layer(paddle.ones([1, 2])).sum().backward()
    adam.step()
    name = f"{layer.weight.name}_moment1_0"
    with pytest.raises(ValueError, match=rf"{name} has shape \[2, 3\], the loaded value \[5\]"):
        adam.set_state_dict({name: np.zeros(5, "float32")})
