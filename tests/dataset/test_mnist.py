import gzip
import shutil
import struct
from pathlib import Path

import numpy as np
import pytest

from paddle.dataset import mnist

CHECKOUT = Path(__file__).resolve().parents[2] / "data" / "mnist"


def write_pair(folder, images, labels):
    n, h, w = images.shape
    image_path, label_path = folder / "images.gz", folder / "labels.gz"
    image_path.write_bytes(gzip.compress(struct.pack(">IIII", 2051, n, h, w) + images.tobytes()))
    label_path.write_bytes(gzip.compress(struct.pack(">II", 2049, len(labels)) + bytes(labels)))
    return str(image_path), str(label_path)


@pytest.mark.parametrize("count", [1, 7, 100, 205])  # real Paddle fails unless a multiple of 100
def test_reader_gives_every_sample(tmp_path, count):
    images = np.random.default_rng(0).integers(0, 256, (count, 28, 28)).astype(np.uint8)
    images[0, 0, :2] = 0, 255
    labels = [i % 10 for i in range(count)]
    samples = list(mnist.reader_creator(*write_pair(tmp_path, images, labels), 100)())
    assert [label for _, label in samples] == labels
    assert all(type(label) is int for _, label in samples)
    got = np.stack([image for image, _ in samples])
    assert got.dtype == np.float32 and got.shape == (count, 784)
    assert got[0, 0] == -1 and got[0, 1] == 1
    np.testing.assert_allclose(got, images.reshape(count, 784) / 255.0 * 2 - 1, atol=1e-6)


def test_unequal_counts(tmp_path):
    pair = write_pair(tmp_path, np.zeros((3, 28, 28), np.uint8), [0, 1])
    with pytest.raises(ValueError, match="3 images.*2 labels"):
        next(mnist.reader_creator(*pair, 100)())


def test_checkout_is_used(home):
    image_path, label_path = mnist.files("test")
    assert Path(image_path).parent == Path(label_path).parent == CHECKOUT
    samples = list(mnist.test()())
    assert len(samples) == 10_000
    assert [label for _, label in samples[:5]] == [7, 2, 1, 0, 4]


def test_cache_comes_first_and_is_judged_by_content(home):
    name = "t10k-labels-idx1-ubyte.gz"
    folder = home / "mnist"
    folder.mkdir(parents=True)
    plain = gzip.decompress((CHECKOUT / name).read_bytes())
    (folder / name).write_bytes(gzip.compress(plain, 1))  # another md5, the same content
    shutil.copy(CHECKOUT / "t10k-images-idx3-ubyte.gz", folder)
    assert [Path(p).parent for p in mnist.files("test")] == [folder, folder]


def test_wrong_cache_file_is_passed_over(home):
    folder = home / "mnist"
    folder.mkdir(parents=True)
    (folder / "t10k-labels-idx1-ubyte.gz").write_bytes(gzip.compress(b"something else"))
    assert Path(mnist.files("test")[1]).parent == CHECKOUT


def test_download_when_nowhere(home, monkeypatch):
    asked = []
    monkeypatch.setattr(mnist, "_checkouts", list)
    monkeypatch.setattr(mnist.common, "download", lambda url, module, md5: asked.append((url, md5)) or module)
    mnist.files("train")
    assert asked == [(mnist.TRAIN_IMAGE_URL, mnist.TRAIN_IMAGE_MD5), (mnist.TRAIN_LABEL_URL, mnist.TRAIN_LABEL_MD5)]
    assert all(url.startswith("https://") for url, _ in asked)
    with pytest.raises(ValueError, match="download is False"):
        mnist.files("train", download=False)


def test_bad_arguments():
    with pytest.raises(ValueError, match="mode"):
        mnist.files("validation")
    with pytest.raises(ValueError, match="buffer_size"):
        mnist.reader_creator("a", "b", 0)
