"""What building of C++ operators would share: where it would happen, and the refusal."""

import os
import sys


def import_setuptools():
    """Import setuptools, if it is installed: packages that build operators take it for granted after ``cpp_extension``.

    If pip was imported before it, setuptools (before Python 3.12) finds the standard library's distutils where it wants its own,
    and raises AssertionError; told to use that one, it does.
    """
    chosen = os.environ.get("SETUPTOOLS_USE_DISTUTILS")
    if chosen is None and "pip" in sys.modules and "setuptools" not in sys.modules:
        os.environ["SETUPTOOLS_USE_DISTUTILS"] = "stdlib"
    try:
        import setuptools  # noqa: F401
    except ImportError:
        return
    finally:
        if chosen is None:
            os.environ.pop("SETUPTOOLS_USE_DISTUTILS", None)


def refusing(name):
    """A function of that name that says why it can't be done."""
    def refuse(*args, **kwargs):
        raise NotImplementedError(f"paddle.utils.cpp_extension.{name}(): C++ operators are not supported; "
                                  "write the operator in Python with paddle.autograd.PyLayer")
    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = "Refused: C++ operators are not supported; see ``paddle.autograd.PyLayer``."
    return refuse


load_op_meta_info_and_register_op = refusing("load_op_meta_info_and_register_op")
_jit_compile, _import_module_from_library = refusing("_jit_compile"), refusing("_import_module_from_library")


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
