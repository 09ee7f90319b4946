"""Custom operators in C++: not supported, because Paddle's C++ headers and ABI are not here. Custom operators are written in
Python instead, as ``paddle.autograd.PyLayer``."""

from ...core.addresses import lookup as _lookup
from .cpp_extension import BuildExtension, CppExtension, CUDAExtension, load, setup
from .extension_utils import get_build_directory, load_op_meta_info_and_register_op  # noqa: F401

__all__ = ["CppExtension", "CUDAExtension", "BuildExtension", "load", "setup", "get_build_directory"]

__getattr__ = _lookup(__name__)
