"""Transforms against what real Paddle 2.6.2 made of the same pictures (record_transforms.py)."""

import pathlib
import random
import sys

import numpy as np
import pytest

import paddle
from paddle.vision import transforms
from paddle.vision.transforms import functional as F

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from record_transforms import CLASSES, FUNCTIONS, of_kind, picture  # noqa: E402

Image = pytest.importorskip("PIL.Image")
RECORDED = np.load(pathlib.Path(__file__).parent / "data" / "transforms.npz")

# Where OpenCV's own rounding makes a difference of one for some pixels.
ROUNDING = {"resize_int/cv2", "resize_bicubic/cv2", "resize_lanczos/cv2", "affine_bicubic/cv2"}
# Where pixels lie half-way between two others, and the last bit of a matrix decides.
TIES = {"perspective/pil", *(f"RandomPerspective/pil/{run}" for run in range(3))}
# What the transforms of Tensors are made of.
NEEDED = {"resize": "interpolate", "pad": "pad", **dict.fromkeys(("affine", "rotate", "perspective"), "grid_sample")}


def compare(name, ours):
    recorded = RECORDED[name]
    ours = np.asarray(ours)
    assert ours.shape == recorded.shape and ours.dtype == recorded.dtype
    difference = np.abs(ours.astype("float64") - recorded)
    if name in ROUNDING:
        assert difference.max() <= 1 and np.mean(difference > 0) < 0.06
    elif name in TIES:
        assert np.mean(difference > 0) < 0.01
    elif ours.dtype == np.uint8:
        assert difference.max() == 0, f"{np.mean(difference > 0):.1%} of the values differ, by up to {difference.max()}"
    else:
        np.testing.assert_allclose(ours, recorded, rtol=1e-5, atol=2e-4)  # float32 coordinates times values up to 50


@pytest.mark.parametrize("name, kind", [(name, kind) for name, (kinds, _) in FUNCTIONS.items() for kind in kinds.split()])
def test_function(name, kind):
    function = NEEDED.get(name.split("_")[0])
    if kind == "tensor" and function and not hasattr(paddle.nn.functional, function):
        pytest.skip(f"paddle.nn.functional.{function} is not there yet")
    np.random.seed(3)
    img = of_kind(kind, paddle.to_tensor)
    result = FUNCTIONS[name][1](F, img)
    if not name.startswith(("to_tensor", "normalize")):
        assert type(result) is type(img) or kind == "pil" and isinstance(result, Image.Image)
    compare(f"{name}/{kind}", result)


@pytest.mark.parametrize("name, kind", [(name, kind) for name, (kinds, _) in CLASSES.items() for kind in kinds.split()])
def test_class(name, kind):
    random.seed(7)
    np.random.seed(8)
    transform = CLASSES[name][1](transforms)
    for run in range(3):
        compare(f"{name}/{kind}/{run}", transform(of_kind(kind, paddle.to_tensor)))


def test_fill_outside_of_pil_images():
    """Real Paddle forgets the fill of PIL images here."""
    img = of_kind("pil", None)
    for fill, expected in ((50, [50, 50, 50]), ((9, 8, 7), [9, 8, 7])):
        assert np.asarray(F.affine(img, 45, (0, 0), 0.5, 0, fill=fill))[0, 0].tolist() == expected
        assert np.asarray(F.perspective(img, [[0, 0], [25, 0], [25, 18], [0, 18]],
                                        [[5, 5], [20, 5], [20, 15], [5, 15]], fill=fill))[0, 0].tolist() == expected
        assert np.asarray(F.rotate(img, 45, fill=fill))[0, 0].tolist() == expected


def test_gray_pictures():
    gray = picture()[:, :, 0]
    for img, pixels in ((gray, np.asarray), (gray[:, :, None], np.asarray), (Image.fromarray(gray), np.asarray)):
        shape = pixels(img).shape
        assert pixels(F.hflip(img)).shape == pixels(F.vflip(img)).shape == shape
        assert pixels(F.resize(img, (5, 6))).shape == (5, 6, *shape[2:])
        assert pixels(F.pad(img, 1)).shape == (21, 28, *shape[2:])
        assert pixels(F.rotate(img, 30, fill=3)).shape == shape
        assert pixels(F.affine(img, 30, (1, 1), 0.9, 0)).shape == shape
        assert pixels(F.adjust_brightness(img, 0.5)).shape == pixels(F.adjust_contrast(img, 0.5)).shape == shape
        assert pixels(F.crop(img, 1, 2, 3, 4)).shape == (3, 4, *shape[2:])
        assert F.to_tensor(img).shape == [1, 19, 26]
        assert transforms.Transpose()(img).shape == (1, 19, 26)
        assert transforms.RandomErasing(1.0, value=5)(img) is not img


def test_tensors_of_other_pil_modes():
    ints = np.arange(6, dtype="int32").reshape(2, 3)
    assert F.to_tensor(Image.fromarray(ints)).numpy().tolist() == [ints.tolist()]
    floats = F.to_tensor(Image.fromarray(ints.astype("float32")))
    assert floats.numpy().dtype == "float32" and floats.numpy().tolist() == [ints.tolist()]
    bits = Image.fromarray(ints.astype("uint8") * 50).convert("1", dither=Image.Dither.NONE)
    assert F.to_tensor(bits).numpy().tolist() == [[[0, 0, 0], [1, 1, 1]]]
    assert F.to_tensor(Image.fromarray(np.zeros((2, 3, 4), "uint8"))).shape == [4, 2, 3]


def test_to_tensor_does_not_scale_floats():
    assert F.to_tensor(np.full((2, 2), 7, "float32")).numpy().max() == 7


def test_several_fields():
    class Boxes(transforms.Pad):
        def _apply_boxes(self, boxes):
            return boxes + self.padding

    img, boxes, label = Boxes(2, keys=("image", "boxes"))((picture(), np.zeros(4), "cat"))
    assert img.shape == (23, 30, 3) and boxes.tolist() == [2] * 4 and label == "cat"
    with pytest.raises(NotImplementedError, match="no _apply_sound"):
        transforms.Pad(2, keys=("sound",))
    with pytest.raises(ValueError, match="keys must be a list"):
        transforms.Pad(2, keys="image")


def test_compose_says_where():
    def broken(img):
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken") as caught:
        transforms.Compose([transforms.Pad(1), broken])(picture())
    if sys.version_info >= (3, 11):
        assert "transform 1 of Compose" in caught.value.__notes__[0]
    assert repr(transforms.Compose([transforms.CenterCrop(3)])) == "Compose(\n    CenterCrop(size=(3, 3))\n)"


def test_in_place_erasing():
    array, pil = picture(), Image.fromarray(picture())
    assert F.erase(array, 0, 0, 2, 2, 7, inplace=True) is array and array[:2, :2].max() == 7
    assert F.erase(pil, 0, 0, 2, 2, 7, inplace=True) is pil and np.asarray(pil)[:2, :2].max() == 7


def test_loader_seed_decides_random_transforms():
    from paddle.core.random import default_generator
    generator = default_generator()
    before = dict(vars(generator))
    transform = transforms.Compose([transforms.RandomRotation(40), transforms.RandomResizedCrop(9),
                                    transforms.ColorJitter(.3, .3, .3, .3), transforms.ToTensor()])

    class Pictures(paddle.io.Dataset):
        def __getitem__(self, index):
            return transform(picture())

        def __len__(self):
            return 6

    def epoch(num_workers):
        np.random.seed(4)
        loader = paddle.io.DataLoader(Pictures(), batch_size=2, num_workers=num_workers)
        return np.concatenate([batch.numpy() for batch in loader])

    try:
        here = epoch(1)
        np.testing.assert_array_equal(here, epoch(2))
        assert (here[0] != here[1]).any()
    finally:
        vars(generator).update(before)


@pytest.mark.parametrize("call, error, message", [
    (lambda: F.resize("text", 3), TypeError, r"resize\(\): img must be a PIL image, an array"),
    (lambda: F.hflip(np.zeros(3)), TypeError, "hflip"),
    (lambda: F.resize(picture(), (1, 2, 3)), TypeError, "size must be an int or a pair"),
    (lambda: F.resize(picture(), 5, "cubic"), ValueError, "interpolation must be one of .*did you mean bicubic"),
    (lambda: F.pad(picture(), (1, 2, 3)), ValueError, "padding must have 2 or 4 numbers, got 3"),
    (lambda: F.pad(picture(), "wide"), TypeError, "padding must be an int"),
    (lambda: F.pad(picture(), 1, padding_mode="mirror"), ValueError, "padding_mode must be one of"),
    (lambda: F.pad(picture(), 1, fill=None), TypeError, "fill must be"),
    (lambda: F.adjust_brightness(picture(), -1), ValueError, "brightness_factor"),
    (lambda: F.adjust_hue(picture(), 0.6), ValueError, r"hue_factor must be in \[-0.5, 0.5\], got 0.6"),
    (lambda: F.adjust_hue(picture()[..., 0], 0.1), ValueError, r"must be \[height, width, 3\], got \[19, 26\]"),
    (lambda: F.affine(picture(), "x", (0, 0), 1, 0), TypeError, "angle"),
    (lambda: F.affine(picture(), 1, (0,), 1, 0), TypeError, "translate must be a pair"),
    (lambda: F.affine(picture(), 1, (0, 0), 0, 0), ValueError, "scale must be above 0"),
    (lambda: F.affine(picture(), 1, (0, 0), 1, (1, 2, 3)), ValueError, "shear must be"),
    (lambda: F.perspective(picture(), [[0, 0]], [[0, 0]]), ValueError, "startpoints must be four points"),
    (lambda: F.to_grayscale(picture(), 2), ValueError, "num_output_channels must be one of"),
    (lambda: F.to_tensor(picture(), "CWH"), ValueError, "data_format must be one of"),
    (lambda: F.normalize("text", [1], [1]), TypeError, "normalize"),
    (lambda: transforms.RandomHorizontalFlip(1.5), ValueError, "prob must be between 0 and 1"),
    (lambda: transforms.BrightnessTransform(-1), ValueError, r"BrightnessTransform\(\): value must not be negative"),
    (lambda: transforms.HueTransform(0.7), ValueError, r"value must be in \[-0.5, 0.5\]"),
    (lambda: transforms.ContrastTransform((2, 1)), ValueError, "pair"),
    (lambda: transforms.RandomRotation(-3), ValueError, "degrees must not be negative"),
    (lambda: transforms.RandomRotation((1, 2, 3)), ValueError, "degrees must be a number or have 2 numbers"),
    (lambda: transforms.RandomAffine(3, translate=(2, 0)), ValueError, "translate must be two numbers"),
    (lambda: transforms.RandomAffine(3, scale=(0, 1)), ValueError, "scale must be two numbers above 0"),
    (lambda: transforms.RandomErasing(scale=(0.5, 1.5)), ValueError, r"scale must be in \[0, 1\]"),
    (lambda: transforms.RandomErasing(value="noise"), ValueError, "'random'"),
    (lambda: transforms.RandomErasing(value=(1, 2)), ValueError, "1 or 3 numbers"),
    (lambda: transforms.RandomCrop(99)(picture()), ValueError, "19 x 26, is smaller than size 99 x 99"),
    (lambda: transforms.Resize("big"), TypeError, "Resize"),
])
def test_wrong_arguments(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_missing_pillow_is_explained(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ImportError, match=r"pip install 'dygraph\[vision\]'"):
        paddle.vision.image_load("picture.png")
    assert F.hflip(picture()).shape == (19, 26, 3)  # arrays need none


def test_channels_of_tensors_stay_where_they_are():
    img = paddle.to_tensor(np.arange(12, dtype="float32").reshape(3, 2, 2))
    np.testing.assert_array_equal(F.normalize(img, [1] * 3, [2] * 3, to_rgb=True), F.normalize(img, [1] * 3, [2] * 3))
