"""Versions: of this distribution, and of the Paddle API that programs written for 2.x ask about."""

from .core.context import context as _context

__all__ = [
    "cuda", "cudnn", "dygraph_version", "full_version", "major", "minor", "mkl", "nccl", "patch", "rc", "show", "xpu",
    "xpu_xccl", "cuda_archs", "hip", "tensorrt", "xpu_xre", "xpu_xhpc",
]

#: The version of this distribution (pip's `dygraph`). The only place where it is written.
dygraph_version = "0.1.0"

#: The Paddle release whose documented behaviour the generation in force follows. Programs that branch on
#: `paddle.__version__` or call `paddle.utils.require_version` are answered with this one.
full_version: str
__version__: str
major: str
minor: str
patch: str
rc = "0"
istaged = is_tagged = True  #: is it a release? (the second name is Paddle 3's)

#: The commit a build was made from, as builds outside of a repository say it.
commit = "Unknown"


def __getattr__(name: str) -> str:
    if name in ("full_version", "__version__"):
        return _context.rules.version
    if name in ("major", "minor", "patch"):
        return _context.rules.version.split(".")[("major", "minor", "patch").index(name)]
    raise AttributeError(f"module 'paddle.version' has no attribute {name!r}")


def cuda() -> str:
    """The CUDA version in use: "False", because the kernels here run on the CPU."""
    return "False"


def cudnn() -> str:
    """The cuDNN version in use: "False", because the kernels here run on the CPU."""
    return "False"


def nccl() -> str:
    """The NCCL version in use: "0", because collectives here run on MPI."""
    return "0"


def xpu() -> str:
    """The XPU version in use: "False", because the kernels here run on the CPU."""
    return "False"


def xpu_xccl() -> str:
    """The version of the XPU's collectives in use: "False", because the kernels here run on the CPU."""
    return "False"


def mkl() -> str:
    """Whether MKL is in use: "OFF", because the kernels are the package's own."""
    return "OFF"


def show() -> None:
    """Prints the versions.

    >>> paddle.version.show()
    full_version: 2.6.2
    major: 2
    minor: 6
    patch: 2
    rc: 0
    dygraph: 0.1.0
    cuda: False
    cudnn: False
    """
    full = _context.rules.version
    major, minor, patch = full.split(".")
    rows = {"full_version": full, "major": major, "minor": minor, "patch": patch, "rc": rc,
            "dygraph": dygraph_version, "cuda": cuda(), "cudnn": cudnn()}
    if full.startswith("3"):
        rows.update(hip=hip, nccl=nccl(), xpu_xre=xpu_xre(), xpu_xccl=xpu_xccl(), xpu_xhpc=xpu_xhpc(), cinn=cinn(),
                    tensorrt_version=tensorrt(), cuda_archs=cuda_archs())
    for name, value in rows.items():
        print(f"{name}: {value}")


def cuda_archs() -> list:
    """The kinds of GPUs that kernels were built for: none."""
    return []


hip = None


def cinn() -> str:
    """The version of CINN: "False"."""
    return "False"


def tensorrt() -> str:
    """The version of TensorRT: "None"."""
    return "None"


def xpu_xre() -> str:
    """The version of the XPU's runtime: "False"."""
    return "False"


def xpu_xhpc() -> str:
    """The version of the XPU's kernels: "False"."""
    return "False"
