"""PyTorch's names of what layers can do, which Paddle 3 took over: ``modules``, ``load_state_dict``, ``requires_grad_`` ..."""

import collections

from ...core.errors import describe
from ...core.tensor import Parameter, Tensor
from ...tensor.creation import to_tensor

REGISTRIES = ("_parameters", "_sub_layers", "_buffers")
IncompatibleKeys = collections.namedtuple("IncompatibleKeys", ("missing_keys", "unexpected_keys"))


class Yielding:
    """A method that gives way to a parameter, sublayer or buffer of its name: programs of 2.x may have called one so."""

    def __init__(self, name, function):
        self.__wrapped__, self.__doc__, self.name = function, function.__doc__, name

    def __get__(self, layer, owner=None):
        if layer is None:
            return self.__wrapped__
        for registry in REGISTRIES:
            known = layer.__dict__.get(registry, ())
            if self.name in known:
                return known[self.name]
        return self.__wrapped__.__get__(layer, owner)


def _yielding(cls):
    for name, value in list(vars(cls).items()):
        if callable(value) and not name.startswith("_"):
            setattr(cls, name, Yielding(name, value))
    return cls


def is_free(layer, name):
    """May a parameter or buffer be registered under this name?"""
    return not hasattr(layer, name) or isinstance(vars(ModuleNames).get(name), Yielding) and name not in layer.__dict__ \
        and getattr(type(layer), name, None) is vars(ModuleNames)[name].__wrapped__


@_yielding
class ModuleNames:
    """The part of Layer that Paddle 3 added."""

    def modules(self):
        """The layer itself and all sublayers, one after the other.

        >>> len(list(paddle.nn.Sequential(paddle.nn.ReLU()).modules()))
        2
        """
        yield from (layer for _, layer in self.named_modules())

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        """Pairs of a name and a layer: this one and all sublayers.

        Args:
            memo: a set of layers to leave out; those that are given are added.
            prefix: what the names start with.
            remove_duplicate: give a layer that is there twice only once?
        """
        memo = set() if memo is None else memo
        if remove_duplicate and self in memo:
            return
        memo.add(self)
        yield prefix, self
        for name, layer in self._sub_layers.items():
            if layer is not None:
                yield from layer.named_modules(memo, f"{prefix}.{name}" if prefix else name, remove_duplicate)

    def add_module(self, name, module):
        """Register a sublayer."""
        self.add_sublayer(name, module)

    def register_module(self, name, module):
        """Register a sublayer."""
        self.add_sublayer(name, module)

    def register_parameter(self, name, param):
        """Register a parameter, or None for one that may come later."""
        self.add_parameter(name, param)

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False):
        """As ``register_forward_post_hook``."""
        return self.register_forward_post_hook(hook, prepend=prepend, with_kwargs=with_kwargs, always_call=always_call)

    def get_sublayer(self, target):
        """The sublayer of a dotted name; this layer for "".

        >>> paddle.nn.Sequential(paddle.nn.ReLU()).get_sublayer('0')
        ReLU()
        """
        layer = self
        for part in target.split(".") if target else ():
            found = getattr(layer, part, None)
            if not isinstance(found, ModuleNames):
                what = "no attribute" if found is None else "an attribute that is no layer:"
                raise AttributeError(f"get_sublayer(): {type(layer).__name__} has {what} `{part}`")
            layer = found
        return layer

    get_submodule = get_sublayer

    def set_sublayer(self, target, layer, strict=False):
        """Put a layer in the place of the one of a dotted name, or into a new place unless ``strict`` is set.

        >>> net = paddle.nn.Sequential(paddle.nn.ReLU()); net.set_sublayer('0', paddle.nn.Tanh()); net[0]
        Tanh()
        """
        owner, _, name = target.rpartition(".")
        if not name:
            raise ValueError("set_sublayer(): target must name a sublayer, got ''")
        if not isinstance(layer, ModuleNames):
            raise ValueError(f"set_sublayer(): layer must be a Layer, got {describe(layer)}")
        owner = self.get_sublayer(owner)
        if strict or hasattr(owner, name):
            owner.get_sublayer(name)
        setattr(owner, name, layer)

    set_submodule = set_sublayer

    def _member(self, target, registry, what):
        owner, _, name = target.rpartition(".")
        members = getattr(self.get_sublayer(owner), registry)
        if name not in members:
            raise AttributeError(f"{type(self).__name__} has no {what} `{target}`")
        return members[name]

    def get_parameter(self, target):
        """The parameter of a dotted name.

        >>> paddle.nn.Linear(2, 3).get_parameter('weight').shape
        [2, 3]
        """
        return self._member(target, "_parameters", "parameter")

    def get_buffer(self, target):
        """The buffer of a dotted name."""
        return self._member(target, "_buffers", "buffer")

    def get_extra_state(self):
        """What a layer saves besides parameters and buffers; a layer that has such a thing defines this."""
        raise RuntimeError(f"get_extra_state(): {type(self).__name__} has no extra state")

    def load_state_dict(self, state_dict, strict=True, assign=False):
        """Load parameters and buffers by name; RuntimeError where names differ, unless ``strict`` is False.

        Args:
            state_dict: {name: Tensor or array}.
            strict: must the names be the same?
            assign: let the layer have the given tensors themselves, in their own types, rather than their values?

        Returns:
            (missing_keys, unexpected_keys).

        >>> layer = paddle.nn.Linear(2, 2); layer.load_state_dict(paddle.nn.Linear(2, 2).state_dict())
        IncompatibleKeys(missing_keys=[], unexpected_keys=[])
        """
        own = self.state_dict()
        missing, unexpected = [k for k in own if k not in state_dict], [k for k in state_dict if k not in own]
        if strict and (missing or unexpected):
            raise RuntimeError(f"load_state_dict(): {type(self).__name__} lacks a value for {missing or 'nothing'} "
                               f"and does not know {unexpected or 'none'}")
        known = {key: value for key, value in state_dict.items() if key in own}
        if assign:
            self._take_over(known)
        else:
            self.set_state_dict(known)
        return IncompatibleKeys(missing, unexpected)

    def _take_over(self, tensors):
        """Put tensors in the places of parameters and buffers by their dotted names."""
        for key, value in tensors.items():
            owner, _, name = key.rpartition(".")
            layer = self.get_sublayer(owner)
            value = value if isinstance(value, Tensor) else to_tensor(value)
            old = layer._parameters[name] if name in layer._parameters else layer._buffers[name]
            if list(value.shape) != list(old.shape):
                raise ValueError(f"load_state_dict(): {key} has shape {list(old.shape)}, the given value {list(value.shape)}")
            if name in layer._buffers:
                layer._buffers[name] = value
            else:
                layer._parameters[name] = value if isinstance(value, Parameter) else Parameter.from_tensor(
                    value, old.name, not old.stop_gradient, dict(old.optimize_attr), old.regularizer, need_clip=old.need_clip)

    def requires_grad_(self, requires_grad=True):
        """Say of every parameter whether gradients reach it; returns the layer.

        >>> paddle.nn.Linear(2, 2).requires_grad_(False).weight.stop_gradient
        True
        """
        for parameter in self.parameters():
            parameter.stop_gradient = not requires_grad
        return self

    def zero_grad(self, set_to_none=True):
        """Clear the gradients of all parameters, or set them to zeros.

        >>> layer = paddle.nn.Linear(1, 1); layer(paddle.ones([1, 1])).sum().backward(); layer.zero_grad()
        >>> layer.weight.grad
        """
        for parameter in self.parameters():
            parameter.clear_gradient(not set_to_none)

    def half(self):
        """Convert floating-point parameters and buffers to float16; returns the layer."""
        return self.to(dtype="float16")

    def double(self):
        """Convert floating-point parameters and buffers to float64; returns the layer.

        >>> paddle.nn.Linear(1, 1).double().weight.dtype
        paddle.float64
        """
        return self.to(dtype="float64")

    def type(self, dst_type):
        """Convert floating-point parameters and buffers to the given data type; returns the layer."""
        return self.to(dtype=dst_type)

    def cpu(self):
        """The layer itself: it is on the CPU."""
        return self.to(device="cpu")

    def cuda(self, device=None):
        """The layer itself: there is no GPU, so this warns once and means the CPU, or raises (FLAGS_strict_device)."""
        return self.to(device=f"gpu:{device}" if isinstance(device, int) else device or "gpu")

    def xpu(self, device=None):
        """The layer itself: there is no XPU, so this warns once and means the CPU, or raises (FLAGS_strict_device)."""
        return self.to(device=f"xpu:{device}" if isinstance(device, int) else device or "xpu")

    def backward(self, *inputs):
        """Not supported: gradients come from the tape, a layer defines none."""
        raise ValueError("Layer.backward(): a layer defines no backward pass; see paddle.autograd.PyLayer")
