"""Training runs recorded from Paddle 2.6.2 (tests/fixtures/paddle26/train_*) are repeated step by step."""

import pathlib
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import paddle
import paddle.nn as nn
import paddle.nn.functional as F
from paddle import kernels

FIXTURES = pathlib.Path(__file__).parents[1] / "fixtures" / "paddle26"


class MLP(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc1, self.act, self.fc2 = nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)

    def forward(self, x):
        return self.fc2(self.act(self.fc1(x)))


class Normed(nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv, self.bn, self.pool = nn.Conv2D(1, 3, 3, padding=1), nn.BatchNorm2D(3), nn.MaxPool2D(2)
        self.fc = nn.Linear(3 * 16, 4)

    def forward(self, x):
        return self.fc(paddle.flatten(self.pool(F.relu(self.bn(self.conv(x)))), 1))


def adam_step(net):
    schedule = paddle.optimizer.lr.StepDecay(0.05, step_size=2, gamma=0.5)
    return paddle.optimizer.Adam(schedule, parameters=net.parameters()), schedule


def momentum_l2(net):
    return paddle.optimizer.Momentum(0.1, 0.9, parameters=net.parameters(), use_nesterov=True,
                                     weight_decay=paddle.regularizer.L2Decay(0.01),
                                     grad_clip=nn.ClipGradByGlobalNorm(0.5)), None


def adamw(net):
    return paddle.optimizer.AdamW(0.02, parameters=net.parameters(), weight_decay=0.1), None


def sgd(net):
    return paddle.optimizer.SGD(0.1, parameters=net.parameters()), None


RUNS = {"train_adam_step": (MLP, adam_step), "train_momentum_l2": (MLP, momentum_l2), "train_adamw": (MLP, adamw),
        "train_sgd_bn": (Normed, sgd)}


@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize("name", RUNS)
def test_recorded_training_is_repeated(name, fast):
    build, make = RUNS[name]
    before = kernels.use(fast)
    try:
        net = build()
        missing, unexpected = net.set_state_dict(paddle.load(str(FIXTURES / f"{name}_init.pdparams")))
        assert not missing and not unexpected
        recorded = np.load(FIXTURES / f"{name}.npz")
        optimizer, schedule = make(net)
        losses = []
        for t in range(len(recorded["losses"])):
            loss = F.cross_entropy(net(paddle.to_tensor(recorded["x"][t % 3])), paddle.to_tensor(recorded["y"][t % 3]))
            loss.backward()
            assert optimizer.get_lr() == pytest.approx(recorded["lrs"][t])
            optimizer.step()
            optimizer.clear_grad()
            if schedule is not None:
                schedule.step()
            losses.append(float(loss))
    finally:
        kernels.use(before)
    np.testing.assert_allclose(losses, recorded["losses"], rtol=1e-5, atol=1e-5)
    for key, value in paddle.load(str(FIXTURES / f"{name}_final.pdparams")).items():
        np.testing.assert_allclose(net.state_dict()[key].numpy(), value.numpy(), rtol=1e-5, atol=1e-5)
    saved = paddle.load(str(FIXTURES / f"{name}_final.pdopt"))
    ours = {k.split(".", 1)[1]: v for k, v in optimizer.state_dict().items() if "." in k}
    theirs = {k.split(".", 1)[1]: v for k, v in saved.items() if "." in k}
    assert len([k for k in saved if k != "LR_Scheduler"]) == len([k for k in optimizer.state_dict() if k != "LR_Scheduler"])
    assert {k.split("_", 2)[-1] for k in ours} == {k.split("_", 2)[-1] for k in theirs}


def test_training_resumes_bit_for_bit_in_a_new_process(tmp_path):
    program = textwrap.dedent('''
        import sys, numpy as np, paddle
        import paddle.nn.functional as F
        paddle.seed(5)
        net = paddle.nn.Sequential(paddle.nn.Linear(4, 8), paddle.nn.Dropout(0.3), paddle.nn.Linear(8, 2))
        rate = paddle.optimizer.lr.ExponentialDecay(0.05, 0.9)
        opt = paddle.optimizer.Adam(rate, parameters=net.parameters())
        path, mode = sys.argv[1], sys.argv[2]
        first = 0
        if mode == "second":
            state = paddle.load(path)
            net.set_state_dict(state["net"]); opt.set_state_dict(state["opt"]); paddle.set_rng_state(state["rng"])
            first = 5
        for step in range(first, 5 if mode == "first" else 10):
            x = paddle.to_tensor(np.random.RandomState(step).rand(6, 4).astype("float32"))
            F.cross_entropy(net(x), paddle.to_tensor([0, 1, 0, 1, 0, 1])).backward()
            opt.step(); opt.clear_grad(); rate.step()
        if mode == "first":
            paddle.save({"net": net.state_dict(), "opt": opt.state_dict(), "rng": paddle.get_rng_state()}, path)
        print(b"".join(p.numpy().tobytes() for p in net.parameters()).hex())
    ''')

    def run(mode):
        command = [sys.executable, "-c", program, str(tmp_path / "all.pdparams"), mode]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout
    whole = run("whole")
    run("first")
    assert run("second") == whole
