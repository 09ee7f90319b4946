import io
import os
import pickle
import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from paddle.dataset import cifar, flowers, image, voc2012
from paddle.dataset.matfile import MatError, read_mat
from paddle.serialization.errors import UnpicklingError


def cifar_batch(n, key=b"labels", start=0):
    data = np.arange(start, start + n * 3072).reshape(n, 3072).astype(np.uint8)
    return pickle.dumps({b"data": data, key: list(range(n)), b"batch_label": b"x"}, protocol=2)


def test_cifar10(put, tar_bytes):
    put(cifar, "cifar/cifar-10-python.tar.gz", tar_bytes({
        "cifar-10-batches-py/data_batch_1": cifar_batch(2), "cifar-10-batches-py/data_batch_2": cifar_batch(1, start=9),
        "cifar-10-batches-py/test_batch": cifar_batch(1), "cifar-10-batches-py/readme.html": b"x"}), "CIFAR10_MD5")
    samples = list(cifar.train10()())
    assert [label for _, label in samples] == [0, 1, 0]
    assert samples[0][0].dtype == np.float32 and samples[0][0].shape == (3072,)
    np.testing.assert_allclose(samples[2][0][:3], np.array([9, 10, 11]) / 255, rtol=1e-6)
    assert len(list(cifar.test10()())) == 1
    endless = cifar.train10(cycle=True)()
    assert [next(endless)[1] for _ in range(5)] == [0, 1, 0, 0, 1]


def test_cifar100(put, tar_bytes):
    put(cifar, "cifar/cifar-100-python.tar.gz", tar_bytes({
        "cifar-100-python/train": cifar_batch(3, b"fine_labels"),
        "cifar-100-python/test": cifar_batch(2, b"fine_labels"),
        "cifar-100-python/meta": b"x"}), "CIFAR100_MD5")
    assert len(list(cifar.train100()())) == 3
    assert len(list(cifar.test100()())) == 2


def test_cifar_runs_no_code(put, tar_bytes, tmp_path):
    class Evil:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "made"),)

    put(cifar, "cifar/cifar-10-python.tar.gz", tar_bytes({"c/data_batch_1": pickle.dumps({b"data": Evil()})}),
        "CIFAR10_MD5")
    with pytest.raises(UnpicklingError):
        list(cifar.train10()())
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(("batch", "message"), [
    ({b"data": np.zeros((2, 3), np.float32), b"labels": [0, 1]}, "not a CIFAR batch"),
    ({b"data": np.zeros((2, 3), np.uint8), b"labels": [0]}, "2 images and 1 labels"),
    ([1, 2], "not a CIFAR batch"),
])
def test_cifar_damaged(put, tar_bytes, batch, message):
    put(cifar, "cifar/cifar-10-python.tar.gz", tar_bytes({"c/data_batch_1": pickle.dumps(batch, 2)}), "CIFAR10_MD5")
    with pytest.raises(ValueError, match=message):
        list(cifar.train10()())
    with pytest.raises(ValueError, match="no batch called 'test_batch'"):
        list(cifar.test10()())


def element(kind, data):
    return struct.pack("<II", kind, len(data)) + data + b"\0" * (-len(data) % 8)


def mat_variable(name, array):
    code, kind = {"u1": (9, 2), "u2": (11, 4), "f8": (6, 9)}[array.dtype.str[1:]]
    return element(14, element(6, struct.pack("<II", code, 0)) + element(5, struct.pack("<ii", *array.shape))
                   + element(1, name.encode()) + element(kind, array.tobytes(order="F")))


def mat_file(packed=False, **variables):
    body = b"".join(mat_variable(name, array) for name, array in variables.items())
    if packed:
        body = b"".join(struct.pack("<II", 15, len(z)) + z for z in
                        (zlib.compress(mat_variable(name, array)) for name, array in variables.items()))
    return b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack("<H", 0x0100) + b"IM" + body


@pytest.mark.parametrize("packed", [False, True])
def test_matfile(tmp_path, packed):
    path = tmp_path / "a.mat"
    variables = {"a": np.arange(6, dtype="f8").reshape(2, 3), "labels": np.array([[3, 1, 200]], "u1")}
    path.write_bytes(mat_file(packed, **variables))
    found = read_mat(path)
    assert found.keys() == variables.keys()
    for name, array in variables.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array)


def test_matfile_survives_damage(tmp_path):
    path = tmp_path / "a.mat"
    whole = mat_file(True, a=np.arange(6, dtype="f8").reshape(2, 3))
    with pytest.raises(MatError, match="not a MATLAB 5 file"):
        path.write_bytes(b"hello")
        read_mat(path)
    random = np.random.default_rng(0)
    for cut in random.integers(129, len(whole), 20):
        path.write_bytes(whole[:cut])
        with pytest.raises(MatError):
            read_mat(path)
    plain = bytearray(mat_file(False, a=np.arange(6, dtype="f8").reshape(2, 3)))
    for _ in range(300):
        damaged = plain.copy()
        damaged[random.integers(128, len(plain))] = random.integers(256)
        path.write_bytes(damaged)
        try:
            read_mat(path)
        except MatError:
            pass


def jpeg(height, width, colour):
    buffer = io.BytesIO()
    Image.new("RGB", (width, height), colour).save(buffer, "JPEG", quality=95)
    return buffer.getvalue()


def test_flowers(put, tar_bytes):
    put(flowers, "flowers/102flowers.tgz", tar_bytes({
        f"jpg/image_0000{i}.jpg": jpeg(300, 260 + i, (200, 100, 10 * i)) for i in (1, 2, 3)}), "DATA_MD5")
    put(flowers, "flowers/imagelabels.mat", mat_file(labels=np.array([[5, 7, 102]], "u1")), "LABEL_MD5")
    put(flowers, "flowers/setid.mat", mat_file(True, trnid=np.array([[2]], "u2"), valid=np.array([[1]], "u2"),
                                               tstid=np.array([[3, 1]], "u2")), "SETID_MD5")
    assert [label for _, label in flowers.train(mapper=lambda s: s, use_xmap=False)()] == [4, 101]
    assert sorted(label for _, label in flowers.train()()) == [4, 101]
    (picture, label), = flowers.test()()
    assert label == 6 and picture.dtype == np.float32 and picture.shape == (3 * 224 * 224,)
    planes = picture.reshape(3, -1).mean(1) + np.array([103.94, 116.78, 123.68])  # blue, green, red
    np.testing.assert_allclose(planes, [20, 100, 200], atol=3)
    assert len(list(flowers.valid()())) == 1


def test_flowers_label_missing(put):
    labels = put(flowers, "l.mat", mat_file(labels=np.array([[5]], "u1")), "LABEL_MD5")
    sets = put(flowers, "s.mat", mat_file(trnid=np.array([[2]], "u2")), "SETID_MD5")
    with pytest.raises(ValueError, match="no label"):
        flowers.labels_of(labels, sets, "trnid")
    with pytest.raises(ValueError, match="no variable 'tstid'"):
        flowers.labels_of(labels, sets, "tstid")


def test_voc2012(put, tar_bytes):
    label = io.BytesIO()
    Image.fromarray(np.array([[0, 1], [2, 255]], np.uint8)).save(label, "PNG")
    put(voc2012, "voc2012/VOCtrainval_11-May-2012.tar", tar_bytes({
        voc2012.SET_FILE.format("val"): b"2007_1\n", voc2012.DATA_FILE.format("2007_1"): jpeg(2, 2, (9, 9, 9)),
        voc2012.LABEL_FILE.format("2007_1"): label.getvalue()}, "w"), "VOC_MD5")
    (picture, classes), = voc2012.val()()
    assert picture.shape == (2, 2, 3) and picture.dtype == np.uint8
    np.testing.assert_array_equal(classes, [[0, 1], [2, 255]])
    with pytest.raises(ValueError, match="has no file .*trainval"):
        list(voc2012.train()())


def test_image_functions(tmp_path):
    path = tmp_path / "a.jpg"
    path.write_bytes(jpeg(20, 40, (200, 100, 50)))
    colour, grey = image.load_image(path), image.load_image(path, is_color=False)
    assert colour.shape == (20, 40, 3) and grey.shape == (20, 40)
    np.testing.assert_allclose(colour[0, 0], [50, 100, 200], atol=3)
    assert image.resize_short(colour, 10).shape == (10, 20, 3)
    assert image.resize_short(colour.transpose(1, 0, 2), 10).shape == (20, 10, 3)
    ramp = np.arange(20).reshape(4, 5)
    np.testing.assert_array_equal(image.center_crop(ramp, 2), [[6, 7], [11, 12]])
    np.testing.assert_array_equal(image.left_right_flip(ramp)[0], [4, 3, 2, 1, 0])
    assert image.random_crop(ramp, 4).shape == (4, 4)
    assert image.load_and_transform(path, 16, 8, True).shape == (3, 8, 8)
    assert image.load_and_transform(path, 16, 8, False, is_color=False, mean=3.0).shape == (8, 8)
    with pytest.raises(ValueError, match="size must be from 1 to 4"):
        image.center_crop(ramp, 5)
    with pytest.raises(ValueError, match="order"):
        image.to_chw(ramp)
