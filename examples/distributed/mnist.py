"""Trains on MNIST with several processes: each sees its own part of the images, all keep the same weights.

    python -m paddle.distributed.launch --nproc_per_node 2 examples/distributed/mnist.py --epochs 2

Runs on one process as well, as `python examples/distributed/mnist.py`.
"""

import argparse

import paddle
import paddle.distributed as dist
import paddle.nn as nn
import paddle.nn.functional as F
from paddle.io import DataLoader, DistributedBatchSampler
from paddle.vision.datasets import MNIST


class Net(nn.Layer):
    """Two blocks of convolution, batch norm, ReLU and pooling, then ten scores."""

    def __init__(self):
        super().__init__()
        self.conv1, self.norm1 = nn.Conv2D(1, 20, 5), nn.BatchNorm2D(20)
        self.conv2, self.norm2 = nn.Conv2D(20, 50, 5), nn.BatchNorm2D(50)
        self.fc = nn.Linear(800, 10)

    def forward(self, pixels):
        x = (pixels / 127.5 - 1.0).unsqueeze(1)
        x = F.max_pool2d(F.relu(self.norm1(self.conv1(x))), 2, 2)
        x = F.max_pool2d(F.relu(self.norm2(self.conv2(x))), 2, 2)
        return self.fc(paddle.flatten(x, 1))


def evaluate(model, batch_size):
    """Accuracy on the test images; every rank counts its part, the counts are added up."""
    data = MNIST(mode="test", backend="cv2")
    sampler = DistributedBatchSampler(data, batch_size)
    counts = paddle.zeros([2])
    model.eval()
    with paddle.no_grad():
        for images, labels in DataLoader(data, batch_sampler=sampler):
            right = (model(images).argmax(1) == labels.reshape([-1])).astype("float32").sum()
            counts += paddle.stack([right, paddle.to_tensor(float(len(images)))])
    dist.all_reduce(counts)
    return float(counts[0] / counts[1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--batch_size", type=int, default=64, help="of each process")
    parser.add_argument("--steps", type=int, default=None, help="stop each epoch early")
    parser.add_argument("--save", default=None, help="file for the trained parameters")
    options = parser.parse_args()

    dist.init_parallel_env()
    first = dist.get_rank() == 0
    model = paddle.DataParallel(nn.SyncBatchNorm.convert_sync_batchnorm(Net()))
    optimizer = paddle.optimizer.Adam(0.001, parameters=model.parameters())
    data = MNIST(mode="train", backend="cv2")
    sampler = DistributedBatchSampler(data, options.batch_size, shuffle=True, drop_last=True)
    for epoch in range(options.epochs):
        model.train()
        sampler.set_epoch(epoch)
        for step, (images, labels) in enumerate(DataLoader(data, batch_sampler=sampler)):
            loss = F.cross_entropy(model(images), labels)
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            if first and step % 100 == 0:
                print(f"epoch {epoch}, step {step}: loss {float(loss):.4f}", flush=True)
            if options.steps and step + 1 >= options.steps:
                break
        accuracy = evaluate(model, 256)
        if first:
            print(f"epoch {epoch}: accuracy {accuracy:.4f}", flush=True)
    if first and options.save:
        paddle.save(model.state_dict(), options.save)


if __name__ == "__main__":
    main()
