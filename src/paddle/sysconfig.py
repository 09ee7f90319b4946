"""paddle.sysconfig: where C headers and libraries for extensions would be."""

import pathlib

__all__ = ["get_include", "get_lib"]


def get_include():
    """The directory of C headers. None are shipped: ops are written in Python here (see paddle.utils.cpp_extension).

    >>> import paddle
    >>> paddle.sysconfig.get_include().endswith('include')
    True
    """
    return str(pathlib.Path(__file__).parent / "include")


def get_lib():
    """The directory of the package's own compiled modules.

    >>> import paddle
    >>> paddle.sysconfig.get_lib().endswith('paddle')
    True
    """
    return str(pathlib.Path(__file__).parent)
