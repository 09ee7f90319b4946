"""``import torch`` that gives Paddle: what Paddle 3 has as ``paddle.enable_compat``, for programs in PyTorch's style.

While it is on, ``torch`` and the modules below it are ours of the same paths, in which functions and layers of ``paddle.compat``
stand in the place of those that mean something else in PyTorch. What Paddle lacks is an AttributeError or ModuleNotFoundError.
"""

import contextlib
import importlib
import importlib.abc
import importlib.machinery
import sys
import types
import warnings

from ..core.errors import check_choice, describe
from ..tensor import torchlike

__all__ = []


def _overrides(path):
    """The names of a module of PyTorch that paddle.compat has with PyTorch's meaning, and where they are."""
    if path == "torch":
        return {"relu": "paddle.nn.functional", **dict.fromkeys(torchlike.__all__, "paddle.compat")}
    if path in ("torch.nn", "torch.nn.functional"):
        home = "paddle.compat" + path.removeprefix("torch")
        return dict.fromkeys(importlib.import_module(home).__all__, home)
    return {}


class _Torch(types.ModuleType):
    """A module of PyTorch's path whose names are those of ours."""

    def __init__(self, path):
        super().__init__(path)
        self.__path__ = []  # whatever is below it is looked for as it is
        self._ours, self._homes = importlib.import_module("paddle" + path.removeprefix("torch")), _overrides(path)

    def __getattr__(self, name):
        if name.startswith("__") and name != "__version__":
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(self._homes[name]) if name in self._homes else self._ours, name)
        if not isinstance(value, types.ModuleType) or callable(value):
            return value
        below = _Torch(f"{self.__name__}.{name}")
        setattr(self, name, below)
        return below

    def __dir__(self):
        return [*dir(self._ours), *self._homes]


class _TorchLoader(importlib.abc.Loader):
    def create_module(self, spec):
        try:
            return _Torch(spec.name)
        except ImportError as error:
            raise ModuleNotFoundError(f"No module named {spec.name!r}: Paddle has no module of that path ({error})",
                                      name=spec.name) from None

    def exec_module(self, module):
        """Nothing: its names are found when they are asked for."""


class _BlockedLoader(importlib.abc.Loader):
    """Loads a module for which ``torch`` is what is installed."""

    def __init__(self, loader):
        self._loader = loader

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        with use_torch_proxy_guard(enable=False, silent=True):
            self._loader.exec_module(module)


class _Finder(importlib.abc.MetaPathFinder):
    """Answers for torch and what is below it; modules that were blocked are loaded without it."""

    def __init__(self):
        self.blocked, self.hidden = {"tvm_ffi"}, {}  # hidden: modules of an installed torch, which come back

    def find_spec(self, fullname, path, target=None):
        if fullname.partition(".")[0] == "torch":
            return importlib.machinery.ModuleSpec(fullname, _TorchLoader(), is_package=True)
        if not any(f"{fullname}.".startswith(name + ".") for name in self.blocked):
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path)
        if spec is not None and spec.loader is not None:
            spec.loader = _BlockedLoader(spec.loader)
        return spec


_finder = _Finder()


def _take_out():
    """The modules named torch that are imported, taken out of sys.modules."""
    return {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] == "torch"}


def _names(given, argument):
    if isinstance(given, str):
        return {given}
    names = set(given)
    if not all(isinstance(name, str) for name in names):
        raise TypeError(f"enable_compat(): {argument} must be names of modules, got {describe(given)}")
    return names


def enable_torch_proxy(*, scope=None, blocked_modules=None, backend="torch", silent=False):
    """From here on ``import torch`` gives Paddle.

    Args:
        scope: None; modules for which alone it holds are refused: whose import it is cannot be told.
        blocked_modules: names of modules that get the installed torch when they are imported.
        backend: 'torch'.
        silent: no warning where torch has been imported already (whoever did keeps it).

    >>> paddle.enable_compat()
    >>> import torch
    >>> torch.sin is paddle.sin, torch.max is paddle.compat.max
    (True, True)
    >>> paddle.disable_compat()
    """
    check_choice(backend, ("torch",), "enable_compat", "backend")
    if scope is not None:
        raise NotImplementedError("enable_compat(): scope is not supported: whose import of torch it is cannot be told")
    if blocked_modules is not None:
        extend_torch_proxy_blocked_modules(blocked_modules)
    if _finder in sys.meta_path:
        return
    if "torch" in sys.modules and not silent:
        warnings.warn("enable_compat(): torch has been imported already; modules that did so keep it", UserWarning, stacklevel=2)
    _finder.hidden = _take_out()
    sys.meta_path.insert(0, _finder)


def disable_torch_proxy():
    """``import torch`` gives what is installed again, or fails; whoever imported ours keeps it."""
    if _finder in sys.meta_path:
        sys.meta_path.remove(_finder)
        _take_out()
        sys.modules.update(_finder.hidden)
        _finder.hidden = {}


@contextlib.contextmanager
def use_torch_proxy_guard(*, enable=True, silent=False):
    """``enable_compat``, or its opposite, inside the ``with`` block.

    >>> with paddle.use_compat_guard():
    ...     import torch
    >>> torch.sin is paddle.sin
    True
    """
    before = _finder in sys.meta_path
    switch = {True: lambda: enable_torch_proxy(silent=silent), False: disable_torch_proxy}
    switch[bool(enable)]()
    try:
        yield
    finally:
        switch[before]()


def extend_torch_proxy_blocked_modules(modules):
    """Further modules that get the installed torch when they are imported while this is on."""
    _finder.blocked |= _names(modules, "blocked_modules")
