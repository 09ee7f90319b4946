import gzip
import io
import os
import pathlib
import pickle
import struct
import tarfile

import numpy as np
import pytest

import paddle
from paddle.dataset import common
from paddle.dataset import voc2012 as voc
from paddle.io import DataLoader
from paddle.serialization.errors import UnpicklingError
from paddle.vision import datasets, get_image_backend, image_load, set_image_backend, transforms
from paddle.vision.datasets.tarred import PictureArchive

Image = pytest.importorskip("PIL.Image")


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """An empty cache folder, no network, and the backend 'pil'."""
    def refuse(url):
        raise AssertionError(f"a test tried to download {url}")

    monkeypatch.setattr(common, "DATA_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("paddle.utils.download._open", refuse)
    set_image_backend("pil")
    return tmp_path


def idx_file(path, array, zipped=True):
    data = b"\0\0\x08" + bytes([array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape) + array.astype("u1").tobytes()
    path.write_bytes(gzip.compress(data) if zipped else data)
    return str(path)


def tar_file(path, files, mode="w"):
    with tarfile.open(path, mode) as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return str(path)


def encoded(pixels, kind="PNG"):
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, kind)
    return buffer.getvalue()


@pytest.fixture
def digits(tmp_path):
    images = np.random.default_rng(0).integers(0, 256, (7, 28, 28))
    labels = np.array([3, 1, 4, 1, 5, 9, 2])
    return images, labels, idx_file(tmp_path / "images.gz", images), idx_file(tmp_path / "labels", labels, zipped=False)


@pytest.mark.parametrize("kind", [datasets.MNIST, datasets.FashionMNIST])
def test_mnist_from_files(digits, kind):
    images, labels, image_path, label_path = digits
    data = kind(image_path, label_path)
    image, label = data[2]
    assert len(data) == 7 and image.mode == "L" and image.size == (28, 28)
    np.testing.assert_array_equal(np.asarray(image), images[2])
    assert label.dtype == "int64" and label.tolist() == [4]
    image, label = kind(image_path, label_path, backend="cv2")[6]
    assert image.dtype == "float32" and image.shape == (28, 28) and label.tolist() == [2]
    np.testing.assert_array_equal(image, images[6])


def test_mnist_batches(digits):
    images, labels, *paths = digits
    for backend, transform in (("cv2", None), ("cv2", transforms.Normalize([0.], [1.])), ("pil", transforms.Normalize([0.], [1.]))):
        x, y = next(iter(DataLoader(datasets.MNIST(*paths, backend=backend, transform=transform), batch_size=4)))
        assert x.dtype == paddle.float32 and y.dtype == paddle.int64
        np.testing.assert_array_equal(x.numpy().reshape(4, 28, 28), images[:4])
        assert y.numpy().tolist() == [[3], [1], [4], [1]]
    x, _ = next(iter(DataLoader(datasets.MNIST(*paths, transform=transforms.ToTensor()), batch_size=2)))
    np.testing.assert_allclose(x.numpy()[:, 0], images[:2] / 255, rtol=1e-6)
    with pytest.raises(TypeError, match="ToTensor"):
        next(iter(DataLoader(datasets.MNIST(*paths))))


def test_subclasses_decide_what_a_sample_is(digits):
    class Mine(datasets.MNIST):
        def __getitem__(self, index):
            return super().__getitem__(index)[1] + 100

    data = Mine(*digits[2:], backend="cv2")
    assert next(iter(DataLoader(data, batch_size=2))).numpy().tolist() == [[103], [101]]


def test_backend_is_the_chosen_one(digits):
    set_image_backend("cv2")
    assert isinstance(datasets.MNIST(*digits[2:])[0][0], np.ndarray)
    set_image_backend("tensor")
    with pytest.raises(ValueError, match=r"MNIST\(\): backend must be one of"):
        datasets.MNIST(*digits[2:])


def test_mnist_that_comes_with_the_project():
    data = datasets.MNIST(mode="test", download=False, backend="cv2")
    assert len(data) == 10000 and data[0][1].tolist() == [7]
    image = data[0][0]
    assert image.min() == 0 and image.max() == 255 and image.sum() == 18454


def test_wrong_use(digits, tmp_path):
    images, labels, image_path, label_path = digits
    with pytest.raises(ValueError, match="mode must be one of"):
        datasets.MNIST(mode="valid")
    with pytest.raises(ValueError, match="7 pictures, .* has 3 labels"):
        datasets.MNIST(image_path, idx_file(tmp_path / "few", np.zeros(3)))
    for kind in (datasets.FashionMNIST, datasets.Cifar10, datasets.Cifar100, datasets.Flowers, datasets.VOC2012):
        with pytest.raises(ValueError, match=rf"{kind.__name__}\(\): give .*, or download=True"):
            kind(download=False)


def cifar_batch(start, n, key=b"labels"):
    images = (np.arange(n * 3072).reshape(n, 3072) + start) % 251
    return pickle.dumps({b"data": images.astype("uint8"), key: [(start + i) % 10 for i in range(n)]}, protocol=2)


def test_cifar10(tmp_path):
    path = tar_file(tmp_path / "cifar.tar.gz", {  # the archive's own order is not that of the numbers
        "cifar-10-batches-py/data_batch_2": cifar_batch(2, 2), "cifar-10-batches-py/test_batch": cifar_batch(9, 1),
        "cifar-10-batches-py/data_batch_1": cifar_batch(0, 2)}, "w:gz")
    data = datasets.Cifar10(path)
    assert len(data) == 4 and [int(data[i][1]) for i in range(4)] == [0, 1, 2, 3]
    image, label = data[0]
    assert image.mode == "RGB" and label.dtype == "int64" and label.shape == ()
    expected = (np.arange(3072) % 251).astype("uint8").reshape(3, 32, 32).transpose(1, 2, 0)
    np.testing.assert_array_equal(np.asarray(image), expected)
    image, label = datasets.Cifar10(path, mode="test", backend="cv2")[0]
    assert image.dtype == "float32" and image.shape == (32, 32, 3) and label == 9
    for backend, transform in (("cv2", None), ("cv2", np.asarray), ("pil", np.asarray)):
        x, y = next(iter(DataLoader(datasets.Cifar10(path, transform=transform, backend=backend), batch_size=3)))
        assert x.shape == [3, 32, 32, 3] and y.numpy().tolist() == [0, 1, 2]
        np.testing.assert_array_equal(x.numpy()[0], expected)


def test_cifar100(tmp_path):
    path = tar_file(tmp_path / "cifar.tar", {"cifar-100-python/train": cifar_batch(0, 3, b"fine_labels"),
                                             "cifar-100-python/test": cifar_batch(5, 1, b"fine_labels")})
    assert len(datasets.Cifar100(path)) == 3 and int(datasets.Cifar100(path, "test")[0][1]) == 5


def test_cifar_runs_no_code(tmp_path):
    class Evil:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "ran"),)

    path = tar_file(tmp_path / "cifar.tar", {"cifar-10-batches-py/data_batch_1": pickle.dumps(Evil())})
    with pytest.raises(UnpicklingError):
        datasets.Cifar10(path)
    assert not (tmp_path / "ran").exists()


def mat_file(path, **rows):
    """A MATLAB 5 file of row vectors of uint16."""
    def element(kind, data):
        return struct.pack("<II", kind, len(data)) + data + b"\0" * (-len(data) % 8)

    body = b"".join(element(14, element(6, struct.pack("<II", 11, 0)) + element(5, struct.pack("<ii", 1, len(row)))
                            + element(1, name.encode()) + element(4, np.array(row, "<u2").tobytes()))
                    for name, row in rows.items())
    path.write_bytes(b"MATLAB 5.0".ljust(124) + struct.pack("<H", 0x0100) + b"IM" + body)
    return str(path)


@pytest.mark.parametrize("mode, name", [("w:gz", "102flowers.tgz"), ("w", "102flowers.tar")])
def test_flowers(tmp_path, mode, name):
    pictures = {f"jpg/image_{i:05d}.jpg": encoded(np.full((4 + i, 6, 3), 50 * i, "uint8"), "JPEG") for i in (1, 2, 3)}
    files = (tar_file(tmp_path / name, pictures, mode), mat_file(tmp_path / "labels.mat", labels=[5, 77, 102]),
             mat_file(tmp_path / "setid.mat", tstid=[3, 1], trnid=[2], valid=[1]))
    data = datasets.Flowers(*files)
    assert len(data) == 2
    image, label = data[0]
    assert image.size == (6, 7) and label.tolist() == [102] and label.dtype == "int64"
    image, label = datasets.Flowers(*files, mode="test", backend="cv2")[0]
    assert image.shape == (6, 6, 3) and image.dtype == "float32" and abs(image - 100).max() < 3
    assert datasets.Flowers(*files, mode="valid")[0][1].tolist() == [5]
    batches = list(DataLoader(datasets.Flowers(*files,
                                               transform=transforms.Compose([transforms.Resize((8, 8)), transforms.ToTensor()])),
                              num_workers=2))
    assert [x.shape for x, _ in batches] == [[1, 3, 8, 8]] * 2


def test_voc2012(tmp_path):
    names = ["2007_1", "2007_2"]
    files = {voc.DATA_FILE.format(name): encoded(np.full((5, 4, 3), 90, "uint8"), "JPEG") for name in names}
    files |= {voc.LABEL_FILE.format(name): encoded(np.full((5, 4), i, "uint8")) for i, name in enumerate(names)}
    files |= {voc.SET_FILE.format("trainval"): b"2007_1\n2007_2\n", voc.SET_FILE.format("val"): b"2007_2\n"}
    path = tar_file(tmp_path / "voc.tar", files)
    data = datasets.VOC2012(path)
    image, classes = data[1]
    assert len(data) == 2 and image.size == classes.size == (4, 5)
    image, classes = datasets.VOC2012(path, mode="valid", backend="cv2")[0]
    assert image.shape == (5, 4, 3) and classes.dtype == "float32" and (classes == 1).all()
    loader = DataLoader(datasets.VOC2012(path, backend="cv2"), batch_size=2, num_workers=2)
    assert [[field.shape for field in batch] for batch in loader] == [[[2, 5, 4, 3], [2, 5, 4]]]
    with pytest.raises(ValueError, match="has no file .*train.txt"):
        datasets.VOC2012(path, mode="test")


def test_archives_are_read_by_each_process_for_itself(tmp_path):
    archive = PictureArchive(tar_file(tmp_path / "a.tar", {"a": b"first", "./b": b"second"}))
    assert archive.read("b") == b"second"
    copy = pickle.loads(pickle.dumps(archive))
    assert copy.read("a") == b"first" == archive.read("a")
    with pytest.raises(ValueError, match="has no file 'c'"):
        archive.read("c")
    with open(tmp_path / "a.tar", "r+b") as file:
        file.truncate(514)
    with pytest.raises(ValueError, match="ends inside of 'a'"):
        archive.read("a")


@pytest.fixture
def folders(tmp_path):
    root = tmp_path / "root"
    for name, number in (("cat/b.png", 1), ("cat/a.PNG", 2), ("dog/deep/c.jpg", 3), ("dog/notes.txt", None)):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"text" if number is None else encoded(np.full((2, 3), number, "uint8"),
                                                                "JPEG" if name.endswith("jpg") else "PNG"))
    (root / "empty").mkdir()
    return root


def test_dataset_folder(folders):
    data = datasets.DatasetFolder(str(folders))
    assert data.classes == ["cat", "dog", "empty"] and data.class_to_idx == {"cat": 0, "dog": 1, "empty": 2}
    assert [os.path.basename(path) for path, _ in data.samples] == ["a.PNG", "b.png", "c.jpg"]
    assert data.targets == [0, 0, 1]
    image, target = data[0]
    assert image.mode == "RGB" and image.size == (3, 2) and target == 0
    set_image_backend("cv2")
    assert data[1][0].tolist() == np.ones((2, 3, 3)).tolist()
    texts = datasets.DatasetFolder(str(folders), loader=lambda path: pathlib.Path(path).read_text(), extensions=[".TXT"],
                                   transform=len)
    assert [texts[0], len(texts)] == [(4, 1), 1]
    assert len(datasets.DatasetFolder(str(folders), is_valid_file=lambda path: "b.png" in path)) == 1


def test_image_folder(folders):
    data = datasets.ImageFolder(str(folders), transform=transforms.ToTensor())
    assert len(data) == 3
    assert [len(batch) for batch in DataLoader(data)] == [1, 1, 1]
    assert data[0][0].shape == [3, 2, 3]
    assert isinstance(datasets.ImageFolder(str(folders))[0][0], Image.Image)


@pytest.mark.parametrize("kind", [datasets.DatasetFolder, datasets.ImageFolder])
def test_folders_without_what_is_looked_for(folders, kind):
    with pytest.raises(RuntimeError, match=r"no file with the extensions \.wav below"):
        kind(str(folders), extensions=(".wav",))
    with pytest.raises(ValueError, match="not both"):
        kind(str(folders), extensions=(".wav",), is_valid_file=bool)
    with pytest.raises(TypeError, match="list or tuple of strings"):
        kind(str(folders), extensions=".png")


def test_image_load(tmp_path):
    pixels = np.arange(24, dtype="uint8").reshape(2, 4, 3)
    path = str(tmp_path / "a.png")
    Image.fromarray(pixels).save(path)
    with image_load(path) as picture:
        assert get_image_backend() == "pil" and picture.size == (4, 2)
    np.testing.assert_array_equal(image_load(path, "cv2"), pixels[:, :, ::-1])
    assert image_load(path, "tensor").numpy().tolist() == pixels.tolist()
    set_image_backend("cv2")
    assert isinstance(image_load(path), np.ndarray)
    for call in (lambda: set_image_backend("opencv"), lambda: image_load(path, "opencv")):
        with pytest.raises(ValueError, match=r"backend must be one of \['pil', 'cv2', 'tensor'\], got 'opencv'"):
            call()


def test_names_of_the_rooms_are_in_vision():
    assert paddle.vision.MNIST is datasets.MNIST and paddle.vision.Normalize is transforms.Normalize
    pytest.importorskip("paddle.vision.models")
    with pytest.raises(AttributeError, match="did you mean .*image_load"):
        paddle.vision.image_lod  # noqa: B018


def test_digits_are_transformed_without_pillow(monkeypatch):
    from paddle.vision import image
    with_pillow = image.shown(np.arange(16, dtype="uint8").reshape(4, 4), paddle.vision.transforms.ToTensor())
    monkeypatch.setattr(image, "_has_pillow", lambda: False)
    without = image.shown(np.arange(16, dtype="uint8").reshape(4, 4), paddle.vision.transforms.ToTensor())
    np.testing.assert_array_equal(without.numpy(), with_pillow.numpy())
    assert without.shape == [1, 4, 4]
