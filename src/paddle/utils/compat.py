"""What programs and libraries use to cope with versions: of this package, of others, of a function."""

import functools
import importlib
import re
import warnings
from collections.abc import Callable

from ..core.context import context

__all__ = ["deprecated", "require_version", "try_import"]


def try_import(module_name: str, err_msg: str | None = None):
    """Imports a module that need not be installed; the ImportError otherwise says what to install.

    >>> paddle.utils.try_import("math").sqrt(4.0)
    2.0
    """
    try:
        return importlib.import_module(module_name)
    except ImportError as error:
        name = module_name.split(".")[0]
        raise ImportError(err_msg or f"the package {name!r} is needed here and could not be imported ({error}); "
                                     f"try: pip install {_DISTRIBUTIONS.get(name, name)}") from error


_DISTRIBUTIONS = {"cv2": "opencv-python-headless", "PIL": "pillow", "sklearn": "scikit-learn", "yaml": "pyyaml"}


def require_version(min_version: str, max_version: str | None = None) -> None:
    """Raises unless the API version that this package follows (paddle.__version__) lies between the two, both included.

    >>> paddle.utils.require_version("2.0.0")
    >>> paddle.utils.require_version("1.8", "2.1")
    Traceback (most recent call last):
        ...
    Exception: require_version(): version 2.6.2 is in use, from 1.8 to 2.1 is required
    """
    check_version_range(min_version, max_version, context.rules.version, context.rules.version)


def check_version_range(min_version: str, max_version: str | None, oldest: str, newest: str) -> None:
    """Raises unless some version from ``oldest`` to ``newest`` lies between the two that are required."""
    low = _parsed("min_version", min_version)
    high = None if max_version is None else _parsed("max_version", max_version)
    if _parsed("version", newest) < low or (high is not None and _parsed("version", oldest) > high):
        wanted = f"at least {min_version}" if max_version is None else f"from {min_version} to {max_version}"
        here = newest if newest == oldest else f"{oldest} to {newest}"
        raise Exception(f"require_version(): version {here} is in use, {wanted} is required")


def _parsed(argument: str, version: str) -> tuple[int, ...]:
    if not isinstance(version, str):
        raise TypeError(f"require_version(): {argument} must be a str, got {type(version).__name__}")
    if not re.fullmatch(r"\d+(\.\d+){0,3}", version):
        raise ValueError(f"require_version(): {argument} must look like '2.0.1', got {version!r}")
    numbers = [int(part) for part in version.split(".")]
    return tuple(numbers + [0] * (4 - len(numbers)))


def deprecated(update_to: str = "", since: str = "", reason: str = "", level: int = 0) -> Callable:
    """Decorates a function that should no longer be used.

    Args:
        update_to: the name to use instead.
        since: the version that deprecated it.
        reason: why.
        level: 0 says so in the docstring; 1 also warns at the first call from each place; 2 raises at a call.

    >>> @paddle.utils.deprecated(update_to="new_name", since="2.0.0", level=2)
    ... def old_name(): ...
    >>> old_name()
    Traceback (most recent call last):
        ...
    RuntimeError: old_name() is deprecated since 2.0.0; use new_name
    """
    if level not in (0, 1, 2):
        raise ValueError(f"deprecated(): level must be 0, 1 or 2, got {level!r}")

    def decorate(function: Callable) -> Callable:
        text = f"{function.__name__}() is deprecated"
        text += f" since {since}" if since else ""
        text += f"; use {update_to}" if update_to else ""
        text += f" ({reason})" if reason else ""

        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            if level == 2:
                raise RuntimeError(text)
            warnings.warn(text, DeprecationWarning, stacklevel=2)
            return function(*args, **kwargs)

        chosen = wrapper if level else function
        chosen.__doc__ = f"{function.__doc__ or ''}\n\n    Deprecated: {text}.\n"
        return chosen

    return decorate
