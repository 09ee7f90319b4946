"""fluid.initializer: the initializers of 1.x over those of 2.x."""

import math

from ..core.addresses import lookup as _lookup
from ..core.tensor import Tensor
from ..nn import initializer as modern
from ..nn.initializer.random import MSRAInitializer, XavierInitializer

__all__ = ["Constant", "Uniform", "Normal", "TruncatedNormal", "Xavier", "Bilinear", "MSRA", "ConstantInitializer",
           "UniformInitializer", "NormalInitializer", "TruncatedNormalInitializer", "XavierInitializer", "BilinearInitializer",
           "MSRAInitializer", "NumpyArrayInitializer", "force_init_on_cpu", "init_on_cpu"]


class ConstantInitializer(modern.Constant):
    """Every element one number (1.x; successor: paddle.nn.initializer.Constant)."""

    def __init__(self, value=0.0, force_cpu=False):
        super().__init__(value)


class UniformInitializer(modern.Uniform):
    """Uniform in [low, high) (1.x; successor: paddle.nn.initializer.Uniform)."""

    def __init__(self, low=-1.0, high=1.0, seed=0, diag_num=0, diag_step=0, diag_val=1.0):
        super().__init__(low, high)
        self.diagonal = {"diag_num": diag_num, "diag_step": diag_step, "diag_val": float(diag_val)} if diag_num else {}
        self.seed = seed


class NormalInitializer(modern.Normal):
    """Normal with mean ``loc`` and deviation ``scale`` (1.x; successor: paddle.nn.initializer.Normal)."""

    def __init__(self, loc=0.0, scale=1.0, seed=0):
        super().__init__(loc, scale)
        self.seed = seed


class TruncatedNormalInitializer(modern.TruncatedNormal):
    """Normal within two deviations (1.x; successor: paddle.nn.initializer.TruncatedNormal)."""

    def __init__(self, loc=0.0, scale=1.0, seed=0):
        super().__init__(loc, scale)
        self.seed = seed


class BilinearInitializer(modern.Bilinear):
    """Bilinear enlargement (1.x; successor: paddle.nn.initializer.Bilinear)."""


class NumpyArrayInitializer(modern.Assign):
    """Given values; a parameter of another size takes theirs (1.x; successor: paddle.nn.initializer.Assign)."""

    def __call__(self, param, block=None):
        if isinstance(param, Tensor) and self.value.size != math.prod(param.shape):
            param.replace(self.value.astype(param._data.dtype))
            return param
        return super().__call__(param, block)

    def make(self, shape, dtype):
        return super().make(shape if self.value.size == math.prod(shape) else list(self.value.shape), dtype)


Constant, Uniform, Normal, TruncatedNormal = (ConstantInitializer, UniformInitializer, NormalInitializer,
                                              TruncatedNormalInitializer)
Xavier, Bilinear, MSRA = XavierInitializer, BilinearInitializer, MSRAInitializer


def force_init_on_cpu():
    """Must parameters be initialised on the CPU? There is nothing else here."""
    return True


class init_on_cpu:
    """Context manager of 1.x: initialisation is always on the CPU here."""

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return False


__getattr__ = _lookup(__name__)
