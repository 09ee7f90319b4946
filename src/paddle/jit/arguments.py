"""Arguments of translated functions: how they are bound, what InputSpecs they must fit, and what keys and names they give."""

import inspect

import numpy as np

from ..core import dtype as dtypes
from ..core.attributes import exactly
from ..core.errors import describe
from ..core.op import Symbolic
from ..core.tensor import Tensor, wrap
from ..static.input import InputSpec
from .values import is_tensor


class Signature:
    """How a function's arguments are bound, with the InputSpecs it was given."""

    def __init__(self, function, input_spec=None, bound=False):
        self.function = function
        try:
            self.signature = inspect.signature(function)
        except (TypeError, ValueError):
            self.signature = None
        self.specs = None if input_spec is None else self._checked(input_spec)
        parameters = [] if self.signature is None else list(self.signature.parameters.values())
        if bound and parameters and parameters[0].kind in (inspect.Parameter.POSITIONAL_ONLY,
                                                            inspect.Parameter.POSITIONAL_OR_KEYWORD):
            parameters = parameters[1:]
        self.names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        self.defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
        self.plain = all(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)

    def _checked(self, input_spec):
        if not isinstance(input_spec, (list, tuple)):
            raise TypeError(f"to_static(): input_spec must be a list or tuple of InputSpec, got {describe(input_spec)}")
        return list(input_spec)

    def bind(self, args, kwargs):
        """(positional arguments with defaults filled in, remaining keyword arguments)."""
        if not self.plain:
            return args, kwargs
        if not kwargs and len(args) == len(self.names):
            return args, kwargs
        args, kwargs = list(args), dict(kwargs)
        for name in self.names[len(args):]:
            if name in kwargs:
                args.append(kwargs.pop(name))
            elif name in self.defaults:
                args.append(self.defaults[name])
            else:
                break
        if kwargs and self.specs is not None:
            raise ValueError(f"{self.function.__name__}(): there is no argument {next(iter(kwargs))!r} beside those of input_spec: "
                             f"{', '.join(self.names)}")
        return tuple(args), kwargs

    def check_complete(self, args):
        """ValueError if an argument without default is missing."""
        missing = [name for name in self.names[len(args):] if name not in self.defaults] if self.plain else []
        if missing:
            raise ValueError(f"to_static(): {self.function.__name__}() needs a value for {missing[0]!r}")

    def spec_args(self, input_spec=None):
        """Arguments for tracing without a call: InputSpecs where the specs have them, defaults for the rest."""
        specs = self.specs if input_spec is None else self._checked(input_spec)
        specs = [] if specs is None else list(specs)
        args = [as_spec(s) for s in specs]
        for name in self.names[len(args):]:
            if name not in self.defaults:
                raise ValueError(f"to_static(): {self.function.__name__}() needs a value for {name!r}; input_spec has "
                                 f"{len(specs)} entries for {', '.join(self.names)}")
            args.append(self.defaults[name])
        if self.plain and len(args) > len(self.names):
            raise ValueError(f"to_static(): input_spec has {len(specs)} entries, but {self.function.__name__}() takes "
                             f"{len(self.names)}: {', '.join(self.names)}")
        return tuple(args)


def as_spec(value):
    """InputSpecs in place of tensors, in nested structures."""
    if isinstance(value, (list, tuple)):
        return type(value)(as_spec(v) for v in value)
    if isinstance(value, dict):
        return {k: as_spec(v) for k, v in value.items()}
    if isinstance(value, Tensor):
        return InputSpec.from_tensor(value, value._meta.name if value._meta is not None else None)
    if isinstance(value, np.ndarray):
        return InputSpec.from_numpy(value)
    if isinstance(value, Symbolic):
        return InputSpec(value.shape, value.dtype, value.name)
    return value


def matching_specs(specs, structure_args, function):
    """For every leaf of the arguments the InputSpec that it must fit, or None."""
    found = []

    def walk(spec, value):
        if isinstance(value, (list, tuple)):
            parts = spec if isinstance(spec, (list, tuple)) else [None] * len(value)
            if len(parts) != len(value):
                raise ValueError(f"{function}(): input_spec has {len(parts)} entries where the argument has {len(value)}")
            for s, v in zip(parts, value):
                walk(s, v)
        elif isinstance(value, dict):
            for k, v in value.items():
                walk(spec.get(k) if isinstance(spec, dict) else None, v)
        elif hasattr(value.__class__, "of_tensors"):  # sparse: one program serves any number of values
            found.extend(InputSpec(shape, t.dtype) for shape, t in zip(value.open_shapes(), value.taken_apart()[1]))
        else:
            found.append(spec if isinstance(spec, InputSpec) else None)
    for k, value in enumerate(structure_args):
        walk(specs[k] if specs is not None and k < len(specs) else None, value)
    return found


def fits(spec, value):
    """Has a tensor the spec's dtype, rank and known sizes?"""
    shape, kind = list(value.shape), dtypes.of(value) if isinstance(value, np.ndarray) else value.dtype
    return kind is spec.dtype and len(shape) == len(spec.shape) and all(s in (-1, n) for s, n in zip(spec.shape, shape))


def as_tensor(value):
    """The Tensor of an input."""
    return value if isinstance(value, Tensor) else wrap(value)


def constant_key(value):
    """Something hashable that is equal for arguments with which a program can be used again."""
    if isinstance(value, (bool, int, float, complex, str, bytes)) or value is None:
        return exactly(value)
    if isinstance(value, (set, frozenset)):
        return (value.__class__, frozenset(map(constant_key, value)))
    if isinstance(value, (np.generic, dtypes.DType)):
        return (value.__class__, str(value))
    return (value.__class__, id(value))


def key_of(leaf, spec):
    """What one leaf of the arguments adds to the key of a trace."""
    if not is_tensor(leaf):
        return constant_key(leaf)
    array = leaf if leaf.__class__ is np.ndarray else leaf._data
    return (array.shape, array.dtype) if spec is None else (spec.shape, spec.dtype)


def input_names(signature, structure):
    """Names of inputs: the parameter's own, numbered inside lists; the key inside dicts, unless another input has that name."""
    names = []

    def walk(part, name):
        if part is None:
            names.append(name)
        elif part[0] is dict:
            for key, inner in part[1:]:
                walk(inner, f"{name}_{key}" if key in names or key in signature.names else str(key))
        else:
            for k, inner in enumerate(part[2 if hasattr(part[0], "of_tensors") else 1:]):
                walk(inner, f"{name}_{k}")
    _, args, kwargs = structure
    for k, part in enumerate(args[1:]):
        walk(part, signature.names[k] if k < len(signature.names) else f"arg_{k}")
    for key, part in kwargs[1:]:
        walk(part, str(key))
    return names
