"""paddle.sysconfig: where the C and C++ headers and the library of docs/deploy.md are."""

import pathlib

__all__ = ["get_include", "get_lib"]


def get_include():
    """The directory of pd_inference_api.h (C) and paddle_inference_api.h (C++), for programs that run saved models.

    >>> paddle.sysconfig.get_include().endswith('include')
    True
    """
    return str(pathlib.Path(__file__).parent / "include")


def get_lib():
    """The directory of libdygraph, which such programs are linked with (also as -lpaddle_inference_c).

    >>> paddle.sysconfig.get_lib().endswith('libs')
    True
    """
    return str(pathlib.Path(__file__).parent / "libs")
