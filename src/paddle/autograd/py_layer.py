"""PyLayer: an operation with a forward and a backward of one's own."""

import numpy as np

from ..core import autograd
from ..core import dtype as dtypes
from ..core.addresses import lookup as _lookup
from ..core.autograd import BackwardRecipe, Node, attach
from ..core.context import context
from ..core.errors import LeafError, NotDefinedError, WrongKindError, describe
from ..core.op import Symbolic
from ..core.rooms import rooms
from ..core.tensor import Tensor, wrap
from . import saved as saved_hooks


class PyLayerContext:
    """What forward and backward of a PyLayer share: ``save_for_backward`` and any attributes of one's own."""

    def __init__(self):
        self._saved, self._unpack, self._not_differentiable = (), None, ()
        self._materialize, self._not_inplace, self._consistent = True, (), True

    def save_for_backward(self, *tensors):
        """Keep tensors for backward; call it once, in forward."""
        hooks = saved_hooks.current()
        if hooks is None:
            self._saved = tensors
        else:
            self._saved, self._unpack = tuple(hooks.pack(t) for t in tensors), hooks.unpack

    def saved_tensor(self):
        """The kept tensors, as a tuple."""
        return self._saved if self._unpack is None else tuple(self._unpack(t) for t in self._saved)

    def mark_not_inplace(self, *args):
        """Say that these inputs, which forward returns, were not changed in place: a copy is returned for each."""
        self._not_inplace = tuple(id(a) for a in args)

    def mark_non_differentiable(self, *args):
        """Say that these outputs get no gradient."""
        self._not_differentiable = tuple(id(a) for a in args)

    def set_materialize_grads(self, value):
        """Should missing gradients reach backward as zeros (True, the default) or as None?"""
        self._materialize = bool(value)

    def set_grad_in_dtype_consistent(self, value=True):
        """Should gradients reach backward in the types of the outputs (True, the default) or as they come?"""
        self._consistent = bool(value)


class _Recipe(BackwardRecipe):
    """How backward goes through one PyLayer call: ``metas`` has the shape and type of each output, None for what is no Tensor."""

    __slots__ = ("layer", "ctx", "tensor_positions", "several", "metas", "name", "outlines")

    def __init__(self, layer, ctx, tensor_positions, several, metas, outlines):
        self.layer, self.ctx, self.tensor_positions, self.several, self.metas = layer, ctx, tensor_positions, several, metas
        self.outlines = outlines  # of inputs and outputs that are cut over ranks, None for others
        self.name = layer.__name__

    takes_none = True  # missing gradients are filled in here, as the context wants them

    def gradients(self, node, g, create_graph, final):
        grads = list(g) if isinstance(g, (tuple, list)) else [g]
        given = []
        for one, meta, where in zip(grads, self.metas, self.outlines[1]):
            if meta is None:
                continue  # what is no Tensor has no gradient
            if one is None:
                given.append(wrap(np.zeros(*meta)) if self.ctx._materialize else None)
            else:
                one = one if isinstance(one, Tensor) else wrap(one)
                other = self.ctx._consistent and meta is not None and one._data.dtype != meta[1]
                given.append(one.astype(dtypes.find(meta[1])) if other else one)
            if where is not None and given[-1] is not None:
                given[-1] = where.whole_gradient(given[-1])
        results = self.layer.backward(self.ctx, *given)
        results = list(results) if isinstance(results, (tuple, list)) else [results]
        expected = len(self.tensor_positions)
        if len(results) != expected:
            raise ValueError(f"{self.name}.backward() must return a gradient for each of its {expected} tensor inputs, "
                             f"got {len(results)}")
        chosen = []
        for position, active in self.tensor_positions:
            if active:
                r = results[position]
                if r is not None and not isinstance(r, Tensor):
                    raise WrongKindError(f"{self.name}.backward() must return Tensors or None, got {describe(r)}")
                where = self.outlines[0][position]
                r = r if r is None or where is None else where.own_gradient(r)
                chosen.append(r if r is None or create_graph else r._data)
        return chosen


class PyLayer:
    """Base of operations with their own gradient: static methods ``forward(ctx, ...)`` and ``backward(ctx, *grads)``.

    ``apply`` runs it. Backward receives a gradient per output and returns one per tensor input.

    >>> class Cube(paddle.autograd.PyLayer):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x ** 3
    ...     @staticmethod
    ...     def backward(ctx, grad):
    ...         x, = ctx.saved_tensor()
    ...         return grad * 3 * x * x
    >>> x = paddle.to_tensor(2., stop_gradient=False)
    >>> Cube.apply(x).backward()
    >>> float(x.grad)
    12.0
    """

    @staticmethod
    def forward(ctx, *args, **kwargs):
        """The computation; every subclass defines it."""
        raise NotImplementedError("a PyLayer must define forward(ctx, ...)")

    @staticmethod
    def backward(ctx, *grads):
        """The gradients; every subclass defines it."""
        raise NotDefinedError("a PyLayer must define backward(ctx, *grads)")

    @classmethod
    def apply(cls, *args, **kwargs):
        """Run forward; what it returns leads back through backward."""
        ctx = PyLayerContext()
        if any(isinstance(a, Symbolic) for a in (*args, *kwargs.values())):
            return rooms.record_layer(cls, ctx, args, kwargs)
        inputs = [a for a in (*args, *kwargs.values()) if isinstance(a, Tensor)]
        record = context.grad and any(not t.stop_gradient for t in inputs)
        with autograd.no_grad():
            result = cls.forward(ctx, *args, **kwargs)
        outputs = list(result) if isinstance(result, (tuple, list)) else [result]
        if not any(isinstance(o, Tensor) for o in outputs):
            raise WrongKindError(f"{cls.__name__}.forward() must return at least one Tensor, got {describe(result)}")
        if not record:
            return result
        made = cls._recorded(ctx, inputs, outputs)
        return type(result)(made) if isinstance(result, (tuple, list)) else made[0]

    @classmethod
    def _recorded(cls, ctx, inputs, outputs):
        """The outputs, leading back through backward."""
        changed = [t for t in inputs if any(o is t for o in outputs) and id(t) not in ctx._not_inplace]
        for t in changed:
            if t._edge is None and not t.stop_gradient:
                raise LeafError(f"{cls.__name__}.forward() returns a leaf tensor with stop_gradient=False, as if it was changed in "
                                "place; return a copy, or say ctx.mark_not_inplace(x)")
        places = [[t.outline() if isinstance(t, Tensor) and t._placed else None for t in side] for side in (inputs, outputs)]
        fresh = cls._attached(ctx, inputs, outputs, places)
        made = [o if where is None else where.alike(o) for o, where in zip(fresh, places[1])]
        for k, o in enumerate(outputs):  # an input that forward returns was changed in place: it becomes the result
            if any(o is t for t in changed):
                o._edge, o.stop_gradient, made[k] = made[k]._edge, made[k].stop_gradient, o
                o._version += 1
        return made

    @classmethod
    def _attached(cls, ctx, inputs, outputs, places):
        """The outputs as new Tensors at a node of the tape."""
        fresh = [wrap(o._data) if isinstance(o, Tensor) else o for o in outputs]
        tensor_positions = [(k, not t.stop_gradient) for k, t in enumerate(inputs)]
        metas = [(o._data.shape, o._data.dtype) if isinstance(o, Tensor) else None for o in fresh]
        recipe = _Recipe(cls, ctx, tensor_positions, len(fresh) > 1, metas, places)
        node = Node(recipe, [t._edge or t for t in inputs if not t.stop_gradient])
        if len(fresh) > 1:
            node.out_metas = metas
        for k, (o, given) in enumerate(zip(fresh, outputs)):
            if isinstance(o, Tensor):
                o.stop_gradient = id(given) in ctx._not_differentiable
                if not o.stop_gradient:
                    attach(o, node, k, any_kind=True)
        return fresh


__getattr__ = _lookup(__name__)
