"""Recomputation: less memory for activations, paid for with a second forward pass."""

import contextlib
import random as python_random

import numpy as np

from ...core import random
from ...core.addresses import lookup as _lookup
from ...core.autograd import BackwardRecipe, Node, attach, enable_grad, no_grad
from ...core.backward import backward
from ...core.context import context
from ...core.tensor import Tensor, wrap
from ...framework.random import get_rng_state, set_rng_state
from ...nn import Layer
from .layers.mpu.random import get_rng_state_tracker
from .utils.log_util import logger


def recompute(function, *args, preserve_rng_state=True, use_reentrant=True, **kwargs):
    """Run ``function`` without keeping its intermediate results; backward runs it again to get them.

    Args:
        function: a layer or function of Tensors; its parameters receive gradients as usual.
        args: its arguments; gradients flow to those that are Tensors.
        preserve_rng_state: draw the same random numbers in the second run, from the default stream and those of the
            ``get_rng_state_tracker()``.
        use_reentrant: names one of two ways that Paddle has; both give the same gradients, and so does this one.
        kwargs: keyword arguments for the function; gradients flow to those that are Tensors.
    """
    if not isinstance(use_reentrant, bool):
        raise TypeError(f"recompute(): use_reentrant must be True or False, got {use_reentrant!r}")
    if not context.grad:
        return function(*args, **kwargs)
    streams = _Streams() if preserve_rng_state else None
    with no_grad():
        outputs = function(*args, **kwargs)
    several = isinstance(outputs, (tuple, list))
    results = [wrap(o._data) if isinstance(o, Tensor) else o for o in (outputs if several else [outputs])]
    rerun = _Rerun(function, args, kwargs, streams)
    node = Node(rerun, [None if t.stop_gradient else t._edge or t for t in rerun.inputs()])
    tensors = [r for r in results if isinstance(r, Tensor)]
    if len(tensors) > 1:
        node.out_metas = [(r._data.shape, r._data.dtype) for r in tensors]
    for k, r in enumerate(tensors):
        attach(r, node, k)
    given = list(outputs) if several else [outputs]
    results = [o.alike(r) if isinstance(o, Tensor) and o._placed else r for o, r in zip(given, results)]
    return type(outputs)(results) if several else results[0]


def check_recompute_necessary(inputs):
    """Warn where none of the inputs of a part to be recomputed wants a gradient.

    Args:
        inputs: Tensors, tuples of them, and other values, which do not count.
    """
    tensors = [t for value in inputs for t in (value if type(value) is tuple else (value,)) if isinstance(t, Tensor)]
    if all(t.stop_gradient for t in tensors):
        logger.warning("recompute(): none of the inputs wants a gradient, so that nothing needs to be computed again")


def recompute_sequential(ctx, functions, *args, **kwargs):
    """Run functions one after the other in ``ctx["segments"]`` parts, each recomputed in backward.

    Args:
        ctx: {"segments": number of parts, "preserve_rng_state": True}.
        functions: a Sequential or a list of functions.
    """
    segments, preserve = int(ctx.get("segments", 1)), bool(ctx.get("preserve_rng_state", True))
    steps = list(functions.children()) if isinstance(functions, Layer) else list(functions)
    if not 1 <= segments <= max(len(steps), 1):
        raise ValueError(f"recompute_sequential(): ctx['segments'] must be 1 to {len(steps)}, got {segments}")
    width = len(steps) // segments
    for n in range(segments):
        part = steps[n * width:] if n == segments - 1 else steps[n * width:(n + 1) * width]
        result = recompute(_Chain(part), *args, preserve_rng_state=preserve, **kwargs)
        args, kwargs = (result if isinstance(result, tuple) else (result,)), {}
    return args if len(args) > 1 else args[0]


def recompute_hybrid(ctx, function, *args, **kwargs):
    """``recompute`` as pipelines of hybrid jobs call it.

    Args:
        ctx: {"mp_group": group, "offload": False, "partition": False, "preserve_rng_state": True}; offloading kept inputs, or
            cutting them over the model axis, is not supported.
    """
    if ctx.get("mp_group") is None:
        raise ValueError("recompute_hybrid(): ctx must have 'mp_group'")
    for name in ("offload", "partition"):
        if ctx.get(name):
            raise NotImplementedError(f"recompute_hybrid(): ctx[{name!r}]=True is not supported")
    return recompute(function, *args, preserve_rng_state=bool(ctx.get("preserve_rng_state", True)), **kwargs)


class _Chain:
    """Functions called one after the other."""

    def __init__(self, steps):
        self.steps = steps

    def __call__(self, *args, **kwargs):
        for step in self.steps:
            result = step(*args, **kwargs)
            args, kwargs = (result if isinstance(result, tuple) else (result,)), {}
        return args if len(args) > 1 else args[0]


class _Streams:
    """The state of all random streams at one moment."""

    def __init__(self):
        self.default, self.named = random.default_generator().get_state(), get_rng_state_tracker().get_states_tracker()

    @contextlib.contextmanager
    def again(self):
        """Context that begins with these states and leaves the streams as they were before it."""
        now = _Streams()
        self._put()
        try:
            yield
        finally:
            now._put()

    def _put(self):
        random.default_generator().set_state(self.default)
        get_rng_state_tracker().set_states_tracker(self.named)


@contextlib.contextmanager
def switch_rng_state_tracker(rng_state, tracker, numpy_state=None, random_state=None, custom_state=None,
                             custom_get_state_func=None, custom_set_state_func=None):
    """Context that draws from given states of the random streams and leaves them as they were before it.

    Args:
        rng_state: what ``paddle.get_rng_state()`` gave.
        tracker: what ``get_rng_state_tracker().get_states_tracker()`` gave.
        numpy_state: of ``numpy.random``, or None to let that be.
        random_state: of Python's ``random``, or None to let that be.
        custom_state: another state, with the two functions that get and set it.
    """
    streams = [(tracker, get_rng_state_tracker().get_states_tracker, get_rng_state_tracker().set_states_tracker),
               (rng_state, get_rng_state, set_rng_state), (numpy_state, np.random.get_state, np.random.set_state),
               (random_state, python_random.getstate, python_random.setstate),
               (custom_state, custom_get_state_func, custom_set_state_func)]
    before = [(get(), put) for state, get, put in streams if state is not None]
    for state, _, put in streams:
        if state is not None:
            put(state)
    try:
        yield
    finally:
        for state, put in before:
            put(state)


swith_rng_state_tracker = switch_rng_state_tracker  # as 2.6 spells it


class _Rerun(BackwardRecipe):
    """The recipe of a recomputed node: run forward again with the tape on, go back through it."""

    name = "recompute"

    def __init__(self, function, args, kwargs, streams):
        self.function, self.args, self.kwargs, self.streams = function, args, kwargs, streams

    def inputs(self):
        """The Tensors that gradients flow to."""
        return [a for a in (*self.args, *self.kwargs.values()) if isinstance(a, Tensor)]

    def gradients(self, node, g, create_graph, final):
        if create_graph:
            raise NotImplementedError("recompute(): gradients of gradients are not supported")
        leaves = []

        def leaf(value):
            if not isinstance(value, Tensor):
                return value
            own = value.detach() if value._placed else wrap(value._data)
            own.stop_gradient = value.stop_gradient
            leaves.append(own)
            return own

        args = [leaf(a) for a in self.args]
        kwargs = {name: leaf(a) for name, a in self.kwargs.items()}
        with enable_grad(), self.streams.again() if self.streams else contextlib.nullcontext():
            outputs = self.function(*args, **kwargs)
        outputs = list(outputs) if isinstance(outputs, (tuple, list)) else [outputs]
        outputs = [o for o in outputs if isinstance(o, Tensor)]
        pairs = [(o, o.whole_gradient(wrap(one)) if o._placed else wrap(one)) for o, one in zip(outputs, g if len(outputs) > 1 else
                 [g]) if not o.stop_gradient and one is not None]
        if pairs:
            backward([o for o, _ in pairs], [one for _, one in pairs])
        return [None if t._grad is None else t._grad._content() for t in leaves]


__getattr__ = _lookup(__name__)
__path__ = []  # a package in Paddle: the paths below it are addresses
