"""An object detection head: where are the bright squares in an image, and how large are they?

Every cell of a coarse grid says whether the centre of a square lies in it (focal loss), and if so where and how large it is. Boxes
that overlap are thinned by paddle.vision.ops.nms. The images are made up.
"""

import argparse

import numpy as np

import paddle
from paddle import nn
from paddle.vision.ops import nms

SIZE, CELL = 32, 4
CELLS = SIZE // CELL


def batch(random, number=16):
    """(images, for every cell [is there a centre, its place in the cell (2), width], boxes of each image)."""
    images = 0.3 * random.randn(number, 1, SIZE, SIZE).astype("float32")
    cells, boxes = np.zeros((number, 4, CELLS, CELLS), "float32"), [[] for _ in range(number)]
    for k in range(number):
        for _ in range(random.randint(1, 3)):
            width = random.randint(4, 9)
            x, y = random.randint(0, SIZE - width, 2)
            images[k, 0, y:y + width, x:x + width] += 1.0
            centre = np.array([x + width / 2, y + width / 2])
            column, row = (centre // CELL).astype(int)
            cells[k, :, row, column] = [1, *(centre / CELL - (column, row)), width / SIZE]
            boxes[k].append([x, y, x + width, y + width])
    return paddle.to_tensor(images), paddle.to_tensor(cells), boxes


def network(width=16):
    return nn.Sequential(
        nn.Conv2D(1, width, 3, padding=1), nn.ReLU(), nn.Conv2D(width, width, 3, stride=2, padding=1), nn.ReLU(),
        nn.Conv2D(width, 2 * width, 3, stride=2, padding=1), nn.ReLU(), nn.Conv2D(2 * width, 2 * width, 3, padding=1), nn.ReLU(),
        nn.Conv2D(2 * width, 4, 1))


def loss_of(found, wanted):
    """Focal loss of the presence, absolute error of place and size where there is a square."""
    there = wanted[:, :1]
    presence = nn.functional.sigmoid_focal_loss(found[:, :1], there, normalizer=there.sum(), alpha=0.5)
    return presence + 4 * ((nn.functional.sigmoid(found[:, 1:]) - wanted[:, 1:]).abs() * there).sum() / there.sum()


def boxes_of(found, least=0.4):
    """[boxes of the first image, scores], the best first."""
    values = nn.functional.sigmoid(found[0])
    rows, columns = paddle.meshgrid(paddle.arange(CELLS, dtype="float32"), paddle.arange(CELLS, dtype="float32"))
    x, y, half = (values[1] + columns) * CELL, (values[2] + rows) * CELL, values[3] * SIZE / 2
    boxes = paddle.stack([x - half, y - half, x + half, y + half], axis=-1).reshape([-1, 4])
    scores = values[0].flatten()
    kept = [int(k) for k in nms(boxes, 0.3, scores) if float(scores[int(k)]) > least]
    return [boxes[k].tolist() for k in kept], [float(scores[k]) for k in kept]


def overlap(a, b):
    """Area of the intersection by area of the union."""
    width, height = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    common = max(width, 0) * max(height, 0)
    return common / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - common)


def main(steps=300):
    """Train; returns the share of squares in new images that a box overlaps by half or more."""
    paddle.seed(0)
    random, net = np.random.RandomState(0), network()
    optimizer = paddle.optimizer.Adam(0.004, parameters=net.parameters())
    for step in range(steps):
        images, wanted, _ = batch(random)
        loss = loss_of(net(images), wanted)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        if step % 25 == 0:
            print(f"step {step:4}  loss {float(loss):.4f}")
    right = number = 0
    with paddle.no_grad():
        for _ in range(40):
            images, _, boxes = batch(random, 1)
            found, _ = boxes_of(net(images))
            right += sum(any(overlap(box, other) >= 0.5 for other in found) for box in boxes[0])
            number += len(boxes[0])
    print(f"squares found: {right} of {number}")
    return right / number


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=300)
    main(parser.parse_args().steps)
