"""paddle.fft: discrete Fourier transforms.

``norm`` says where the factor 1/n goes: backward (into inverse transforms), forward, or ortho (its root into both).
"""

import numbers

from .core import dtype as dtypes
from .core.docstrings import documented_like
from .core.errors import ElementTypeError, WrongKindError, check_choice, describe
from .core.op import Symbolic
from .core.spelling import spelled
from .ops.arguments import axis_tuple
from .ops.manipulation import joining, reshape
from .ops.manipulation.pad import pad
from .ops.signal import fft as fft_ops
from .tensor.attribute import shape
from .tensor.convert import as_tensor, axis_arg, cast, int_arg, numpy_dtype, real_arg, to_float
from .tensor.creation import arange
from .tensor.cumulative import part
from .tensor.shapes import ints
from .utils import naming

__all__ = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fft2", "ifft2", "rfft2", "irfft2", "hfft2", "ihfft2", "fftn",
           "ifftn", "rfftn", "irfftn", "hfftn", "ihfftn", "fftfreq", "rfftfreq", "fftshift", "ifftshift"]


def _arguments(x, s, axes, norm, function):
    """x as a floating tensor, the axes as positive numbers, the sizes (or None)."""
    x = to_float(as_tensor(x, function))
    check_choice(norm, ("forward", "backward", "ortho"), function, "norm")
    if isinstance(s, numbers.Number):
        raise WrongKindError(f"{function}(): s must be a list of sizes, got {s}")
    sizes = None if s is None else ints(s, function, "s")
    if axes is None:
        ndim = len(x.shape)
        first = 0 if sizes is None else ndim - len(sizes)
        if first < 0:
            raise ValueError(f"{function}(): s {sizes} has more sizes than x {list(x.shape)} has axes")
        axes = tuple(range(first, ndim))
    else:
        axes = axis_tuple(ints(axes, function, "axes"), len(x.shape), function, "axes")
    if not len(x.shape) or not axes:
        raise ValueError(f"{function}(): x must have at least one axis to transform, got shape {list(x.shape)}")
    if sizes is not None and len(sizes) != len(axes):
        raise ValueError(f"{function}(): s {sizes} and axes {list(axes)} differ in length")
    if sizes is not None and min(sizes) < 1:
        raise ValueError(f"{function}(): sizes must be at least 1, got {sizes}")
    if any(x.shape[a] == 0 for a in axes):
        raise ValueError(f"{function}(): no elements to transform in shape {list(x.shape)}")
    return x, sizes, axes


def _resized(x, sizes, axes):
    """x cut, or filled up with zeros, to the given sizes."""
    for n, a in zip(sizes, axes):
        size = x.shape[a]
        if size > n or size < 0 <= n:  # a size that is known only when the program runs may be more or less
            x = part(x, a, 0, n)
        if 0 <= size < n:  # as Paddle's files have it
            x = pad(x, [0, 0] * a + [0, n - size] + [0, 0] * (len(x.shape) - a - 1), 0.0)
        elif size < n:
            x = fft_ops.spectrum_fill(x, a, n)
    return x


def _to_complex(x):
    kind = numpy_dtype(x)
    return x if kind.kind == "c" else cast(x, dtypes.to_numpy("complex128" if kind.name == "float64" else "complex64"))


def _complex(x, s, axes, norm, forward, function):
    x, sizes, axes = _arguments(x, s, axes, norm, function)
    x = x if sizes is None else _resized(x, sizes, axes)
    if numpy_dtype(x).kind == "c":
        return fft_ops.fft_c2c(x, axes, norm, forward)
    return fft_ops.fft_r2c(x, axes, norm, forward, False)


def _from_real(x, s, axes, norm, forward, function):
    x, sizes, axes = _arguments(x, s, axes, norm, function)
    if numpy_dtype(x).kind == "c":
        raise ElementTypeError(f"{function}(): x must be real, got {describe(x)}")
    return fft_ops.fft_r2c(x if sizes is None else _resized(x, sizes, axes), axes, norm, forward, True)


def _to_real(x, s, axes, norm, forward, function):
    x, sizes, axes = _arguments(x, s, axes, norm, function)
    x = _to_complex(x)
    if sizes is None and isinstance(x, Symbolic):
        return fft_ops.fft_c2r(x, axes, norm, forward, 0)  # by the size that is fed
    last = 2 * (x.shape[axes[-1]] - 1) if sizes is None else sizes[-1]
    if last < 1:
        raise ValueError(f"{function}(): the result's last axis would have {last} elements; give its size")
    halves = [x.shape[a] for a in axes] if sizes is None else list(sizes)
    halves[-1] = last // 2 + 1
    return fft_ops.fft_c2r(_resized(x, halves, axes), axes, norm, forward, last)


def _one(n, function):
    return None if n is None else [int_arg(n, function, "n")]


def _one_axis(axis, function):
    return [int_arg(axis, function, "axis")]


def _pair(axes, function):
    axes = axis_arg(axes, function, "axes")
    if axes is None:
        return None  # all axes, as Paddle has it
    if not isinstance(axes, tuple) or len(axes) != 2:
        raise ValueError(f"{function}(): axes must name two axes, got {describe(axes)}")
    return axes


def fft(x, n=None, axis=-1, norm="backward", name=None):
    """The discrete Fourier transform along an axis.

    Args:
        x: Tensor, real or complex.
        n: size to cut or fill the axis to; as it is for None.
        axis: which axis.
        norm: backward, forward or ortho.

    >>> paddle.fft.fft(paddle.to_tensor([1., 0., 0., 0.])).tolist()
    [(1+0j), (1+0j), (1+0j), (1+0j)]
    """
    return naming.named(_complex(x, _one(n, "fft"), _one_axis(axis, "fft"), norm, True, "fft"), name)


@documented_like(fft)
def ifft(x, n=None, axis=-1, norm="backward", name=None):
    """The inverse Fourier transform along an axis.

    >>> paddle.fft.ifft(paddle.to_tensor([4., 0., 0., 0.])).tolist()
    [(1+0j), (1+0j), (1+0j), (1+0j)]
    """
    return naming.named(_complex(x, _one(n, "ifft"), _one_axis(axis, "ifft"), norm, False, "ifft"), name)


@documented_like(fft)
def rfft(x, n=None, axis=-1, norm="backward", name=None):
    """The transform of a real signal along an axis: the first n // 2 + 1 frequencies, which the others mirror.

    Args:
        x: real Tensor.

    >>> paddle.fft.rfft(paddle.to_tensor([1., 0., 0., 0.])).tolist()
    [(1+0j), (1+0j), (1+0j)]
    """
    return naming.named(_from_real(x, _one(n, "rfft"), _one_axis(axis, "rfft"), norm, True, "rfft"), name)


def irfft(x, n=None, axis=-1, norm="backward", name=None):
    """The inverse of ``rfft``: a real signal of n numbers (2 * (m - 1) unless given) from its first frequencies.

    Args:
        x: Tensor, the first half of the frequencies.
        n: size to cut or fill the result to; as it is for None.
        axis: which axis.
        norm: backward, forward or ortho.

    >>> paddle.fft.irfft(paddle.to_tensor([1., 1., 1.])).tolist()
    [1.0, 0.0, 0.0, 0.0]
    """
    return naming.named(_to_real(x, _one(n, "irfft"), _one_axis(axis, "irfft"), norm, False, "irfft"), name)


@documented_like(irfft)
def hfft(x, n=None, axis=-1, norm="backward", name=None):
    """The transform of a signal whose second half mirrors the first (Hermitian), along an axis: real numbers.

    >>> paddle.fft.hfft(paddle.to_tensor([1., 1., 1.])).tolist()
    [4.0, 0.0, 0.0, 0.0]
    """
    return naming.named(_to_real(x, _one(n, "hfft"), _one_axis(axis, "hfft"), norm, True, "hfft"), name)


@documented_like(rfft)
def ihfft(x, n=None, axis=-1, norm="backward", name=None):
    """The inverse of ``hfft``: the first half of the Hermitian signal that has this real spectrum.

    >>> paddle.fft.ihfft(paddle.to_tensor([4., 0., 0., 0.])).real().tolist()
    [1.0, 1.0, 1.0]
    """
    return naming.named(_from_real(x, _one(n, "ihfft"), _one_axis(axis, "ihfft"), norm, False, "ihfft"), name)


def fft2(x, s=None, axes=(-2, -1), norm="backward", name=None):
    """The Fourier transform over two axes.

    Args:
        x: Tensor, real or complex.
        s: sizes to cut or fill the axes to.
        axes: which axes.
        norm: backward, forward or ortho.

    >>> paddle.fft.fft2(paddle.ones([2, 4, 6])).shape
    [2, 4, 6]
    """
    return naming.named(_complex(x, s, _pair(axes, "fft2"), norm, True, "fft2"), name)


@documented_like(fft2)
def ifft2(x, s=None, axes=(-2, -1), norm="backward", name=None):
    """The inverse Fourier transform over two axes.

    >>> paddle.fft.ifft2(paddle.ones([2, 4, 6])).shape
    [2, 4, 6]
    """
    return naming.named(_complex(x, s, _pair(axes, "ifft2"), norm, False, "ifft2"), name)


@documented_like(fft2)
def rfft2(x, s=None, axes=(-2, -1), norm="backward", name=None):
    """The transform of real numbers (half of the last axis) over two axes.

    Args:
        x: real Tensor.

    >>> paddle.fft.rfft2(paddle.ones([2, 4, 6])).shape
    [2, 4, 4]
    """
    return naming.named(_from_real(x, s, _pair(axes, "rfft2"), norm, True, "rfft2"), name)


def irfft2(x, s=None, axes=(-2, -1), norm="backward", name=None):
    """The inverse of ``rfft`` over two axes.

    Args:
        x: Tensor, the first half of the frequencies.
        s: sizes to cut or fill the result's axes to.
        axes: which axes.
        norm: backward, forward or ortho.

    >>> paddle.fft.irfft2(paddle.ones([2, 4, 6])).shape
    [2, 4, 10]
    """
    return naming.named(_to_real(x, s, _pair(axes, "irfft2"), norm, False, "irfft2"), name)


@documented_like(irfft2)
def hfft2(x, s=None, axes=(-2, -1), norm="backward", name=None):
    """The transform of Hermitian signals to real numbers over two axes.

    >>> paddle.fft.hfft2(paddle.ones([2, 4, 6])).shape
    [2, 4, 10]
    """
    return naming.named(_to_real(x, s, _pair(axes, "hfft2"), norm, True, "hfft2"), name)


@documented_like(rfft2)
def ihfft2(x, s=None, axes=(-2, -1), norm="backward", name=None):
    """The inverse of ``hfft`` over two axes.

    >>> paddle.fft.ihfft2(paddle.ones([2, 4, 6])).shape
    [2, 4, 4]
    """
    return naming.named(_from_real(x, s, _pair(axes, "ihfft2"), norm, False, "ihfft2"), name)


@documented_like(fft2)
def fftn(x, s=None, axes=None, norm="backward", name=None):
    """The Fourier transform over several axes (all, or the last ones that s names, for None).

    >>> paddle.fft.fftn(paddle.ones([2, 4, 6])).shape
    [2, 4, 6]
    """
    return naming.named(_complex(x, s, axes, norm, True, "fftn"), name)


@documented_like(fft2)
def ifftn(x, s=None, axes=None, norm="backward", name=None):
    """The inverse Fourier transform over several axes (all, or the last ones that s names, for None).

    >>> paddle.fft.ifftn(paddle.ones([2, 4, 6])).shape
    [2, 4, 6]
    """
    return naming.named(_complex(x, s, axes, norm, False, "ifftn"), name)


@documented_like(rfft2)
def rfftn(x, s=None, axes=None, norm="backward", name=None):
    """The transform of real numbers (half of the last axis) over several axes (all, or the last ones that s names, for None).

    >>> paddle.fft.rfftn(paddle.ones([2, 4, 6])).shape
    [2, 4, 4]
    """
    return naming.named(_from_real(x, s, axes, norm, True, "rfftn"), name)


@documented_like(irfft2)
def irfftn(x, s=None, axes=None, norm="backward", name=None):
    """The inverse of ``rfft`` over several axes (all, or the last ones that s names, for None).

    >>> paddle.fft.irfftn(paddle.ones([2, 4, 6])).shape
    [2, 4, 10]
    """
    return naming.named(_to_real(x, s, axes, norm, False, "irfftn"), name)


@documented_like(irfft2)
def hfftn(x, s=None, axes=None, norm="backward", name=None):
    """The transform of Hermitian signals to real numbers over several axes (all, or the last ones that s names, for None).

    >>> paddle.fft.hfftn(paddle.ones([2, 4, 6])).shape
    [2, 4, 10]
    """
    return naming.named(_to_real(x, s, axes, norm, True, "hfftn"), name)


@documented_like(rfft2)
def ihfftn(x, s=None, axes=None, norm="backward", name=None):
    """The inverse of ``hfft`` over several axes (all, or the last ones that s names, for None).

    >>> paddle.fft.ihfftn(paddle.ones([2, 4, 6])).shape
    [2, 4, 4]
    """
    return naming.named(_from_real(x, s, axes, norm, False, "ihfftn"), name)


def _step(d, function):
    if real_arg(d, function, "d") == 0:
        raise ValueError(f"{function}(): d must not be 0")
    return float(d)


def _frequencies(places, n, d, dtype, function):
    name = dtypes.get_default_dtype() if dtype is None else dtypes.convert(dtype, function).name
    return cast(places, dtypes.to_numpy(name)) * (1.0 / (n * _step(d, function)))


def fftfreq(n, d=1.0, dtype=None, name=None):
    """The frequencies of the results of ``fft`` of n samples at distance d: 0, 1, ... and then the negative ones, over n * d.

    Args:
        dtype: floating type, the default type for None.

    >>> paddle.fft.fftfreq(4, 0.5).tolist()
    [0.0, 0.5, -1.0, -0.5]
    """
    n = int_arg(n, "fftfreq", "n")
    if n < 1:
        raise ValueError(f"fftfreq(): n must be at least 1, got {n}")
    places = reshape.roll(arange(-(n // 2), (n + 1) // 2), None, [-(n // 2)], [0])
    return naming.named(_frequencies(places, n, d, dtype, "fftfreq"), name)


@documented_like(fftfreq)
def rfftfreq(n, d=1.0, dtype=None, name=None):
    """The frequencies of the results of ``rfft`` of n samples at distance d.

    >>> paddle.fft.rfftfreq(4, 0.5).tolist()
    [0.0, 0.5, 1.0]
    """
    n = int_arg(n, "rfftfreq", "n")
    if n < 1:
        raise ValueError(f"rfftfreq(): n must be at least 1, got {n}")
    return naming.named(_frequencies(arange(0, n // 2 + 1), n, d, dtype, "rfftfreq"), name)


def _shift(x, axes, back, function):
    x = as_tensor(x, function)
    axes = axis_tuple(axis_arg(axes, function, "axes"), len(x.shape), function, "axes")
    if isinstance(x, Symbolic) and axes:  # by the sizes that are fed
        half = joining.concat([shape(x)[a:a + 1] // 2 for a in axes], None, 0)
        return reshape.roll(x, 0 - half if back else half, (), list(axes))
    sizes = [x.shape[a] for a in axes]
    return reshape.roll(x, None, [-(n // 2) if back else n // 2 for n in sizes], list(axes)) if axes else x


def fftshift(x, axes=None, name=None):
    """Move the frequency 0 to the middle of the axes (all for None).

    Args:
        x: Tensor.
        axes: int or list of ints; None for all.

    >>> paddle.fft.fftshift(paddle.to_tensor([0., 1., 2., -2., -1.])).tolist()
    [-2.0, -1.0, 0.0, 1.0, 2.0]
    """
    return naming.named(_shift(x, axes, False, "fftshift"), name)


@documented_like(fftshift)
def ifftshift(x, axes=None, name=None):
    """Undo ``fftshift``.

    >>> paddle.fft.ifftshift(paddle.to_tensor([-2., -1., 0., 1., 2.])).tolist()
    [0.0, 1.0, 2.0, -2.0, -1.0]
    """
    return naming.named(_shift(x, axes, True, "ifftshift"), name)


globals().update({name: spelled("fft." + name, globals()[name]) for name in __all__})
