"""What transform classes have in common."""

import random
from collections.abc import Sequence

from ...core.errors import add_note
from ...core.op import Symbolic

__all__ = ["BaseTransform", "Compose"]


class Compose:
    """Transforms applied one after the other.

    >>> paddle.vision.transforms.Compose([abs, str])(-3)
    '3'
    """

    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, data):
        for number, transform in enumerate(self.transforms):
            try:
                data = transform(data)
            except Exception as error:
                add_note(error, f"in transform {number} of Compose: {transform!r}")
                raise
        return data

    def __repr__(self):
        return "\n".join([f"{type(self).__name__}(", *(f"    {transform}" for transform in self.transforms), ")"])


class BaseTransform:
    """Base of transforms of samples with several fields.

    ``keys`` says what the fields are. For each key a subclass has a method: ``_apply_image``, ``_apply_boxes``,
    ``_apply_mask`` or any ``_apply_<key>``; a field without a key is unchanged. ``_get_params(inputs)`` is called first;
    what it returns is ``self.params`` while the sample's fields are transformed.

    Args:
        keys: names of the fields, in order; None means one image.

    >>> class Double(paddle.vision.transforms.BaseTransform):
    ...     def _apply_image(self, image):
    ...         return 2 * image
    >>> Double()(4), Double(keys=('image',))((4, 'label'))
    (8, (8, 'label'))
    """

    def __init__(self, keys=None):
        if keys is None:
            keys = ("image",)
        elif not isinstance(keys, Sequence) or isinstance(keys, str):
            raise ValueError(f"{type(self).__name__}(): keys must be a list or tuple of names, got {keys!r}")
        for key in keys:
            if self._get_apply(key) is None:
                raise NotImplementedError(f"{type(self).__name__}() has no _apply_{key}, which keys asks for")
        self.keys = keys
        self.params = None

    def __call__(self, inputs):
        fields = inputs if isinstance(inputs, tuple) else (inputs,)
        self.params = self._get_params(fields)
        outputs = [self._get_apply(key)(field) for key, field in zip(self.keys, fields)]
        outputs.extend(fields[len(self.keys):])
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def _get_params(self, inputs):
        return None

    def _get_apply(self, key):
        return getattr(self, f"_apply_{key}", None)

    def _apply_image(self, image):
        raise NotImplementedError(f"{type(self).__name__} must define _apply_image")

    def _apply_boxes(self, boxes):
        raise NotImplementedError(f"{type(self).__name__} must define _apply_boxes")

    def _apply_mask(self, mask):
        raise NotImplementedError(f"{type(self).__name__} must define _apply_mask")

    def __repr__(self):
        settings = ", ".join(f"{name}={value!r}" for name, value in vars(self).items()
                             if name not in ("keys", "params") and not name.startswith("_"))
        return f"{type(self).__name__}({settings})"


def eager(img, function):
    """Random choices are made in Python, so an image that is only a Variable of a program has none."""
    if isinstance(img, Symbolic):
        raise NotImplementedError(f"{function}: random transforms are for pictures, not for Variables of a static program; "
                                  "transform them before they are fed")
    return img


def happens(probability):
    """True with a probability; Python's ``random`` decides."""
    return random.random() < probability


def check_probability(value, function, name="prob"):
    """A probability, checked."""
    if not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise ValueError(f"{function}(): {name} must be between 0 and 1, got {value!r}")
    return value


def check_range(value, function, name, low=None, high=None):
    """A pair (smallest, largest), checked."""
    if not isinstance(value, Sequence) or len(value) != 2 or value[0] > value[1]:
        raise ValueError(f"{function}(): {name} must be a pair (smallest, largest), got {value!r}")
    if (low is not None and value[0] < low) or (high is not None and value[1] > high):
        limits = f"at least {low}" if high is None else f"in [{low}, {high}]"
        raise ValueError(f"{function}(): {name} must be {limits}, got {value!r}")
    return value
