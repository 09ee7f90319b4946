"""Train on several ranks and survive a crash: start again from the last checkpoint.

    python -m paddle.distributed.launch --nproc_per_node 2 --max_restart 3 resume.py

Try it: with ``--die_at 25`` rank 1 kills itself once, at step 25; the launcher starts the job again, and it ends with the
same weights as a run that nothing happened to.
"""

import argparse
import os
import signal

import numpy as np

import paddle
import paddle.distributed as dist
from paddle.io import DataLoader, Dataset, DistributedBatchSampler

CHECKPOINT_STEPS = 10


class Points(Dataset):
    """A curve with noise."""

    def __init__(self, count=512):
        rng = np.random.RandomState(0)
        self.x = rng.uniform(-1, 1, [count, 4]).astype("float32")
        self.y = np.sin(self.x.sum(1, keepdims=True)) + 0.01 * rng.randn(count, 1).astype("float32")

    def __len__(self):
        return len(self.x)

    def __getitem__(self, n):
        return self.x[n], self.y[n]


class Net(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.hidden = paddle.nn.Linear(4, 32)
        self.out = paddle.nn.Linear(32, 1)

    def forward(self, x):
        return self.out(paddle.tanh(self.hidden(x)))


def save(path, model, optimizer, step):
    """One file for everything, so that a crash between two files cannot mix two steps; rank 0 writes it."""
    if dist.get_rank() == 0:
        paddle.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}, path)


def load(path, model, optimizer):
    """The step to go on from."""
    if not os.path.exists(path):
        return 0
    state = paddle.load(path)
    model.set_state_dict(state["model"])
    optimizer.set_state_dict(state["optimizer"])
    return state["step"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--checkpoint", default="checkpoint.pdparams")
    parser.add_argument("--die_at", type=int, default=-1)
    options = parser.parse_args()

    dist.init_parallel_env()
    paddle.seed(1)
    model = paddle.DataParallel(Net())
    optimizer = paddle.optimizer.Adam(0.01, parameters=model.parameters())
    data = Points()
    sampler = DistributedBatchSampler(data, batch_size=16, shuffle=True)
    start = load(options.checkpoint, model, optimizer)
    step = 0
    for epoch in range(options.epochs):
        sampler.set_epoch(epoch)  # the order of an epoch follows from its number alone
        for x, y in DataLoader(data, batch_sampler=sampler):
            step += 1
            if step <= start:
                continue
            error = model(x) - y
            loss = (error * error).mean()
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            if step % CHECKPOINT_STEPS == 0:
                save(options.checkpoint, model, optimizer, step)
            if step == options.die_at and dist.get_rank() == 1 and os.environ.get("PADDLE_RESTART_COUNT") == "0":
                os.kill(os.getpid(), signal.SIGKILL)
        print(f"epoch {epoch}: loss {float(loss):.4f}", flush=True)
    save(options.checkpoint, model, optimizer, step)


if __name__ == "__main__":
    main()
