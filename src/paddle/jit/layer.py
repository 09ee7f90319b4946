"""paddle.jit.layer: a saved model's methods as plain functions."""

import os

from ..core.errors import describe
from .save_load import load


class Layer:
    """Holder of a saved model's methods: after ``load`` each is an attribute, and is called with tensors.

    What a method returns is a list, of one for a single result.
    """

    def __init__(self):
        self.cpp_layer, self.functions = None, {}

    def load(self, load_path, place=None):
        """Take the model that ``paddle.jit.save`` wrote under a prefix."""
        if not isinstance(load_path, (str, os.PathLike)):
            raise TypeError(f"Layer.load(): load_path must be a path, got {describe(load_path)}")
        self.cpp_layer = load(os.fspath(load_path))
        for name in ("forward", *self.cpp_layer._others):
            self.functions[name] = Function(getattr(self.cpp_layer, name))
            setattr(self, name, self.functions[name])


class Function:
    """A method of a saved model."""

    def __init__(self, method):
        self._method = method

    def __call__(self, *args):
        found = self._method(*args)
        return list(found) if isinstance(found, (list, tuple)) else [found]
