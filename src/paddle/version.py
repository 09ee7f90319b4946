"""Versions: of this distribution, and of the Paddle API that programs written for 2.x ask about."""

__all__ = [
    "cuda", "cudnn", "dygraph_version", "full_version", "major", "minor", "mkl", "nccl", "patch", "rc", "show", "xpu",
    "xpu_xccl", "cuda_archs", "hip", "tensorrt", "xpu_xre", "xpu_xhpc",
]

#: The version of this distribution (pip's `dygraph`). The only place where it is written.
dygraph_version = "0.1.0"

#: The Paddle release whose documented behaviour this package follows. Programs that branch on
#: `paddle.__version__` or call `paddle.utils.require_version` are answered with this one.
full_version = "2.6.2"
major, minor, patch = full_version.split(".")
rc = "0"
__version__ = full_version
commit = "unknown"  #: packages do not record the commit that they were built from
istaged = True  #: is it a release?

#: The commit a build was made from, as builds outside of a repository say it.
commit = "Unknown"


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

    >>> show()
    full_version: 2.6.2
    major: 2
    minor: 6
    patch: 2
    rc: 0
    dygraph: 0.1.0
    cuda: False
    cudnn: False
    """
    rows = {"full_version": full_version, "major": major, "minor": minor, "patch": patch, "rc": rc,
            "dygraph": dygraph_version, "cuda": cuda(), "cudnn": cudnn()}
    for name, value in rows.items():
        print(f"{name}: {value}")


def cuda_archs() -> list:
    """The kinds of GPUs that kernels were built for: none."""
    return []


hip = None


def tensorrt() -> str:
    """The version of TensorRT: "None"."""
    return "None"


def xpu_xre() -> str:
    """The version of the XPU's runtime: "False"."""
    return "False"


def xpu_xhpc() -> str:
    """The version of the XPU's kernels: "False"."""
    return "False"
