"""Custom operators in C++: not supported, because Paddle's C++ headers and ABI are not here. Custom operators are written in
Python instead, as ``paddle.autograd.PyLayer``."""

import os

from .extension_utils import import_setuptools, refusing

__all__ = ["CppExtension", "CUDAExtension", "BuildExtension", "load", "setup"]

import_setuptools()

CppExtension, CUDAExtension = refusing("CppExtension"), refusing("CUDAExtension")
load, setup = refusing("load"), refusing("setup")
CUDA_HOME = os.environ.get("CUDA_HOME", "")  # scripts that build extensions ask for it; empty where there is no CUDA


class BuildExtension:
    """Refused when it is used: C++ operators are not supported; see ``paddle.autograd.PyLayer``."""

    def __init__(self, *args, **kwargs):
        refusing("BuildExtension")()

    @classmethod
    def with_options(cls, **options):
        """Refused, as the class itself."""
        refusing("BuildExtension.with_options")()
