"""Records what real Paddle 2.6.2 (with Pillow and OpenCV) makes of pictures: data/transforms.npz.

Run with the Python of an environment that has them: python record_transforms.py
"""

import pathlib
import random

import numpy as np


def picture():
    """A smooth colour picture of 19 x 26 pixels with all kinds of values in it."""
    y, x = np.mgrid[0:19, 0:26]
    waves = [np.sin(x / 5 + k) * np.cos(y / (4 + k)) for k in range(3)]
    return np.stack([np.clip(128 + 140 * wave, 0, 255) for wave in waves], -1).astype("uint8")


POINTS = [[0, 0], [25, 0], [25, 18], [0, 18]], [[4, 2], [22, 1], [23, 16], [3, 14]]

# name: (kinds of pictures it is for, call with the functions F and the picture)
FUNCTIONS = {
    "to_tensor": ("pil cv2", lambda F, img: F.to_tensor(img)),
    "to_tensor_hwc": ("pil cv2", lambda F, img: F.to_tensor(img, "HWC")),
    "resize_int": ("pil cv2 tensor", lambda F, img: F.resize(img, 17)),
    "resize_nearest": ("pil cv2 tensor", lambda F, img: F.resize(img, (45, 33), "nearest")),
    "resize_bicubic": ("pil cv2 tensor", lambda F, img: F.resize(img, (20, 60), "bicubic")),
    "resize_lanczos": ("pil cv2", lambda F, img: F.resize(img, (20, 60), "lanczos")),
    "resize_area": ("cv2", lambda F, img: F.resize(img, (13, 17), "area")),
    "resize_box": ("pil", lambda F, img: F.resize(img, (13, 17), "box")),
    "pad": ("pil cv2 tensor", lambda F, img: F.pad(img, 3)),
    "pad_fill": ("pil cv2", lambda F, img: F.pad(img, (1, 2), fill=(9, 8, 7))),
    "pad_number": ("pil cv2 tensor", lambda F, img: F.pad(img, 1, fill=9)),
    "pad_edge": ("pil cv2 tensor", lambda F, img: F.pad(img, (1, 2, 3, 4), padding_mode="edge")),
    "pad_reflect": ("pil cv2 tensor", lambda F, img: F.pad(img, 4, padding_mode="reflect")),
    "pad_symmetric": ("pil cv2", lambda F, img: F.pad(img, 4, padding_mode="symmetric")),
    "crop": ("pil cv2 tensor", lambda F, img: F.crop(img, 3, 5, 10, 20)),
    "center_crop": ("pil cv2 tensor", lambda F, img: F.center_crop(img, (11, 14))),
    "hflip": ("pil cv2 tensor", lambda F, img: F.hflip(img)),
    "vflip": ("pil cv2 tensor", lambda F, img: F.vflip(img)),
    "brightness": ("pil cv2 tensor", lambda F, img: F.adjust_brightness(img, 1.7)),
    "darkness": ("pil cv2 tensor", lambda F, img: F.adjust_brightness(img, 0.3)),
    "contrast": ("pil cv2 tensor", lambda F, img: F.adjust_contrast(img, 1.6)),
    "saturation": ("pil cv2 tensor", lambda F, img: F.adjust_saturation(img, 0.4)),
    "hue": ("pil cv2 tensor", lambda F, img: F.adjust_hue(img, 0.2)),
    "hue_back": ("pil cv2 tensor", lambda F, img: F.adjust_hue(img, -0.37)),
    "affine": ("pil cv2 tensor", lambda F, img: F.affine(img, 17, (3, -2), 0.8, (5, -9), fill=0)),
    "affine_center": ("pil cv2 tensor", lambda F, img: F.affine(img, -30.5, (0, 4), 1.3, 8, center=(3, 8))),
    "affine_black": ("pil", lambda F, img: F.affine(img, 17, (3, -2), 0.8, (5, -9), "bilinear")),
    "affine_bilinear": ("cv2 tensor", lambda F, img: F.affine(img, 17, (3, -2), 0.8, (5, -9), "bilinear", 50)),
    "affine_bicubic": ("pil cv2", lambda F, img: F.affine(img, 17, (3, -2), 0.8, (5, -9), "bicubic")),
    "rotate": ("pil cv2 tensor", lambda F, img: F.rotate(img, 30)),
    "rotate_expand": ("pil cv2 tensor", lambda F, img: F.rotate(img, 30, expand=True)),
    "rotate_center": ("pil cv2 tensor", lambda F, img: F.rotate(img, -63, "bilinear", center=(8, 4))),
    "rotate_fill": ("pil cv2 tensor", lambda F, img: F.rotate(img, 63, fill=(90, 50, 20))),
    "perspective": ("pil cv2 tensor", lambda F, img: F.perspective(img, *POINTS)),
    "perspective_black": ("pil", lambda F, img: F.perspective(img, *POINTS, "bilinear")),
    "perspective_bilinear": ("cv2 tensor", lambda F, img: F.perspective(img, *POINTS, "bilinear", (9, 8, 7))),
    "gray": ("pil cv2 tensor", lambda F, img: F.to_grayscale(img)),
    "gray3": ("pil cv2 tensor", lambda F, img: F.to_grayscale(img, 3)),
    "normalize": ("pil cv2", lambda F, img: F.normalize(img, [1, 2, 3], [4, 5, 6], "HWC")),
    "normalize_rgb": ("cv2", lambda F, img: F.normalize(img, [1, 2, 3], [4, 5, 6], "HWC", to_rgb=True)),
    "normalize_tensor": ("tensor", lambda F, img: F.normalize(img, [.1, .2, .3], [.4, .5, .6])),
    "erase": ("pil cv2", lambda F, img: F.erase(img, 2, 3, 5, 7, np.array([[[9, 8, 7]]]))),
    "erase_tensor": ("tensor", lambda F, img: F.erase(img, 2, 3, 5, 7, 0.5)),
}

# name: (kinds, transform out of the module T)
CLASSES = {
    "RandomResizedCrop": ("pil cv2", lambda T: T.RandomResizedCrop(16, interpolation="nearest")),
    "RandomResizedCrop_wide": ("pil cv2", lambda T: T.RandomResizedCrop((8, 20), (0.9, 1.0), (9.0, 10.0), "nearest")),
    "CenterCrop": ("pil cv2", lambda T: T.CenterCrop(12)),
    "RandomHorizontalFlip": ("pil cv2", lambda T: T.RandomHorizontalFlip()),
    "RandomVerticalFlip": ("pil cv2", lambda T: T.RandomVerticalFlip(0.3)),
    "Transpose": ("pil cv2", lambda T: T.Transpose()),
    "Normalize": ("pil cv2", lambda T: T.Normalize(127.5, 127.5, "HWC")),
    "Brightness": ("pil cv2", lambda T: T.BrightnessTransform(0.4)),
    "Saturation": ("pil cv2", lambda T: T.SaturationTransform(0.4)),
    "Contrast": ("pil cv2", lambda T: T.ContrastTransform(0.4)),
    "Hue": ("pil cv2", lambda T: T.HueTransform(0.4)),
    "ColorJitter": ("pil cv2", lambda T: T.ColorJitter(0.4, 0.4, 0.4, 0.4)),
    "RandomCrop": ("pil cv2", lambda T: T.RandomCrop(20, padding=3)),
    "RandomCrop_small": ("pil cv2", lambda T: T.RandomCrop((35, 50), pad_if_needed=True)),
    "Pad": ("pil cv2", lambda T: T.Pad((1, 2), 0, "edge")),
    "RandomAffine": ("pil cv2", lambda T: T.RandomAffine(30, (0.2, 0.1), (0.7, 1.4), (-5, 5, -3, 3))),
    "RandomRotation": ("pil cv2", lambda T: T.RandomRotation((10, 50))),
    "RandomPerspective": ("pil cv2", lambda T: T.RandomPerspective(0.9)),
    "Grayscale": ("pil cv2", lambda T: T.Grayscale(3)),
    "RandomErasing": ("pil cv2", lambda T: T.RandomErasing(0.9, value=(7, 8, 9))),
    "RandomErasing_noise": ("cv2", lambda T: T.RandomErasing(0.9, value="random")),
}


def of_kind(kind, to_tensor):
    """The picture as a PIL image, an array or a Tensor."""
    if kind == "cv2":
        return picture()
    if kind == "pil":
        from PIL import Image
        return Image.fromarray(picture())
    return to_tensor((picture() / 255).astype("float32").transpose(2, 0, 1))


def results(F, T, to_tensor):
    """{name: array} of every function and, seeded, of three runs of every class."""
    out = {}
    for name, (kinds, call) in FUNCTIONS.items():
        for kind in kinds.split():
            np.random.seed(3)
            out[f"{name}/{kind}"] = np.asarray(call(F, of_kind(kind, to_tensor)))
    for name, (kinds, make) in CLASSES.items():
        for kind in kinds.split():
            random.seed(7)
            np.random.seed(8)
            transform = make(T)
            for run in range(3):
                out[f"{name}/{kind}/{run}"] = np.asarray(transform(of_kind(kind, to_tensor)))
    return out


if __name__ == "__main__":
    import paddle
    import paddle.vision.transforms as transforms
    import paddle.vision.transforms.functional as F
    np.savez_compressed(pathlib.Path(__file__).parent / "data" / "transforms.npz", **results(F, transforms, paddle.to_tensor))
