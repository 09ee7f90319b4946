"""Custom operators in C++: not supported, because Paddle's C++ headers and ABI are not here. Custom operators are written in
Python instead, as ``paddle.autograd.PyLayer``."""

import os

__all__ = ["CppExtension", "CUDAExtension", "load", "setup", "get_build_directory"]


def _refusing(name):
    def refuse(*args, **kwargs):
        raise NotImplementedError(f"paddle.utils.cpp_extension.{name}(): C++ operators are not supported; "
                                  "write the operator in Python with paddle.autograd.PyLayer")
    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = "Refused: C++ operators are not supported; see ``paddle.autograd.PyLayer``."
    return refuse


CppExtension, CUDAExtension = _refusing("CppExtension"), _refusing("CUDAExtension")
load, setup = _refusing("load"), _refusing("setup")


def get_build_directory(verbose=False):
    """The directory where extensions would be built: PADDLE_EXTENSION_DIR, or one below the user's cache.

    >>> from paddle.utils.cpp_extension import get_build_directory
    >>> isinstance(get_build_directory(), str)
    True
    """
    path = os.environ.get("PADDLE_EXTENSION_DIR") or os.path.join(os.path.expanduser("~"), ".cache", "paddle_extensions")
    if verbose:
        print(f"extensions directory: {path}")
    return path


__path__ = []  # a package in Paddle: the paths below it are addresses
