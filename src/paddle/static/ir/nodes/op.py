"""What a node does. A Call knows how to run on arrays and which call computes its gradients.

Values of a call are flat lists: a list slot contributes as many entries as it has members, an absent optional slot one
None. ``in_slots`` / ``out_slots`` say which entries belong to which slot of the file's operator.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ....core import sizes
from ....core.attributes import exactly
from ....core.autograd import enable_grad
from ....core.backward import grad as tape_grad
from ....core.errors import describe
from ....core.tensor import Tensor, wrap
from ....core.walk import sum_to

if TYPE_CHECKING:
    from ....core.op import Op
    from ...schedule.binding import Binding

GRAD = "@GRAD"
_FLOATS = "fcV"  # kinds of NumPy dtypes that have gradients (V: bfloat16)


class Call:
    """Base of calls."""

    type: Any = None
    pure = True  # the same inputs give the same outputs
    effect = False  # something happens besides computing the outputs: the call is never left out
    differentiable = False
    wants_env = False  # is it called with the plan's registers in front of its inputs?
    in_slots: Any = ()  # (slot name, number of flat entries, is it a list slot)
    out_slots: Any = ()
    attrs: Any = {}  # file attributes, for printing and for gradient operators

    def label(self) -> Any:
        """Text of the call for printed graphs."""
        return self.type

    def key(self) -> Any:
        """Something hashable that is equal for calls doing the same, or None if they are never merged."""
        return None

    def prepare(self) -> Any:
        """A function of the flat input values that returns the flat output values (one bare value if ``single``)."""
        raise NotImplementedError(f"{self.type}: this operator can't run")

    single = False

    def run_tensors(self, ins: Any) -> Any:
        """The flat outputs for Tensors, recorded on the tape."""
        if self.differentiable and any(isinstance(t, Tensor) and not t.stop_gradient for t in ins):
            raise NotImplementedError(f"gradients of gradients through the operator {self.type} of a translated function")
        out = self.prepare()(*[getattr(t, "_data", t) for t in ins])
        return [o if o is None else wrap(np.asarray(o)) for o in ([out] if self.single else out or ())]

    def bind(self, note: Binding, ins: list[Any]) -> Any:
        """Run on Operands and note what was called, for runs on values of the same forms (see ``binding.py``); the flat outputs."""
        run = self.prepare()
        return [note(run, *ins)] if self.single else note.several(run, *ins, wants_registers=self.wants_env)

    def grad_positions(self) -> Any:
        """Which of the flat inputs can have gradients."""
        return range(sum(n for _, n, _ in self.in_slots))

    def overwritten(self) -> Any:
        """Positions of the inputs whose memory the call may write into."""
        return ()

    def named(self, ins: list[Any]) -> list[Any]:
        """The inputs that the operator of this call names in a program (None for others)."""
        return ins

    def gradient(self, wanted: Any, given: Any) -> Any:
        """The Call that computes gradients of the ``wanted`` inputs from those of the ``given`` outputs.

        Its inputs are this call's inputs, its outputs, then one gradient per output (None where not given).
        """
        raise NotImplementedError(f"{self.type}: this operator has no gradient")


class OpCall(Call):
    """A declared op with its attribute values; ``layout`` has one entry per slot: None, or its number of list members."""

    differentiable = property(lambda self: self.op.differentiable)

    def __init__(self, op: Op, values: list[Any] | tuple[Any, ...], layout: list[Any], n_outs: int,
                 attrs: dict[Any, Any] | None = None) -> None:
        self.op, self.values, self.layout, self.n_outs = op, list(values), layout, n_outs
        self.type, self.attrs = op.type, attrs or {}
        self.single = op.single
        self.pure = op.is_pure(self.values)
        self.effect = op.is_random(self.values) and self.draws()
        self.flat = all(n is None for n in layout)

    @property
    def in_slots(self) -> list[Any]:
        return [(s.name, 1 if n is None else n, n is not None) for s, n in zip(self.op.inputs, self.layout)]

    @property
    def out_slots(self) -> list[Any]:
        left, slots = self.n_outs, []
        for s in self.op.outputs:
            n = left if s.is_list else 1
            slots.append((s.name, n, s.is_list))
            left -= n
        return slots

    def label(self) -> str:
        shown = [f"{n}={describe(v)}" for n, v, d in zip(self.op.attr_names, self.values, self.op.defaults[self.op.n_in:])
                 if not _same(v, d)]
        return self.type + (f"{{{', '.join(shown)}}}" if shown else "")

    def key(self) -> tuple[Any, ...] | None:
        return (self.type, tuple(self.layout), self.n_outs, freeze(self.values)) if self.pure else None

    def draws(self) -> bool:
        """Does this random op take numbers from the global generator? Then it runs even if nobody reads its results."""
        values = dict(zip(self.op.attr_names, self.values))
        return not values.get("seed") and not values.get("is_test")

    def nest(self, flat: list[Any] | tuple[Any, ...]) -> list[Any]:
        """The op's tensor arguments from flat values."""
        if self.flat:
            return list(flat)
        args, k = [], 0
        for n in self.layout:
            if n is None:
                args.append(flat[k])
                k += 1
            else:
                args.append(list(flat[k:k + n]) or None)
                k += n
        return args

    def flatten(self, args: Any) -> Any:
        """The opposite of ``nest``."""
        flat = []
        for a, n in zip(args, self.layout):
            if n is None:
                flat.append(a)
            else:
                flat += list(a) if a is not None else [None] * n
        return flat

    def prepare(self) -> Callable[..., Any]:
        op, values = self.op, tuple(self.values)
        if not self.flat:
            return lambda *flat: op.run_arrays([*self.nest(flat), *values])
        if not op.kernels:
            fn = op.fn
            return lambda *flat: fn(*flat, *values)
        return lambda *flat: op.run_arrays((*flat, *values))

    def bind(self, note: Binding, ins: list[Any]) -> Any:
        found = note.op(self.op, [*self.nest([None if k.value is None else k for k in ins]), *self.values])
        return [found] if self.single else found

    def run_tensors(self, flat: Any) -> Any:
        """Run on Tensors, recording on the tape; returns flat outputs."""
        out = self.op(*self.nest(flat), *self.values)
        return [out] if self.single else list(out)

    def grad_positions(self) -> list[Any]:
        op, position, found = self.op, 0, []
        for i, (_, n, _) in enumerate(self.in_slots):
            if op.rules.get(i, op.shared_rule) is not None:
                found += range(position, position + n)
            position += n
        return found

    def gradient(self, wanted: list[Any], given: list[Any]) -> GradCall:
        return GradCall(self, wanted, given)


class RowsCall(Call):  # no OpCall: passes leave it alone
    """A declared op some of whose inputs may be SelectedRows (see ``Op.run_rows``)."""

    def __init__(self, call: OpCall) -> None:
        self.inner, self.op, self.values = call, call.op, call.values
        self.type, self.attrs, self.single = call.type, call.attrs, call.single
        self.in_slots, self.out_slots = call.in_slots, call.out_slots
        self.gives_rows = call.op.facts.on_rows is not None and call.op.family != "update"

    def label(self) -> str:
        return f"{self.inner.label()} of rows"

    def key(self) -> tuple[Any, ...] | None:
        inner = self.inner.key()
        return None if inner is None else ("rows", inner)

    def prepare(self) -> Callable[..., Any]:
        inner, op, values = self.inner, self.op, tuple(self.values)
        return lambda *flat: op.run_rows([*inner.nest(flat), *values])


class GradCall(Call):
    """Gradients of another call: an OpCall by the rules of its op, or (gradients of gradients) a GradCall by the tape.

    It has one output per input of the other call, None where that is not wanted.
    """

    differentiable = True

    def __init__(self, inner: Any, wanted: list[Any], given: list[Any]) -> None:
        self.inner, self.wanted, self.given = inner, tuple(wanted), tuple(given)
        self.level = getattr(inner, "level", 0) + 1
        self.suffix = GRAD if self.level == 1 else f"{GRAD}{self.level}"
        self.type, self.attrs = inner.type + "_grad", inner.attrs
        self.n_in = sum(n for _, n, _ in inner.in_slots)
        self.n_out = sum(n for _, n, _ in inner.out_slots)
        if isinstance(inner, OpCall):
            self._plan_rules()

    def _plan_rules(self) -> None:
        """Which op arguments are wanted, and which values (or only their shapes) the rules need."""
        op, position, self.slot_of = self.inner.op, 0, []
        for i, (_, n, _) in enumerate(self.inner.in_slots):
            self.slot_of += [(i, k) for k in range(n)]
        mask = 0
        for w in self.wanted:
            mask |= 1 << self.slot_of[w][0]
        self.recipe = op.recipe(mask)
        if self.recipe is None:
            raise NotImplementedError(f"{op.type}: the operator has no gradient with respect to its inputs "
                                      f"{sorted({op.inputs[self.slot_of[w][0]].name for w in self.wanted})}")
        rules = [op.rules[i] for i in self.recipe.active] if op.shared_rule is None else [op.shared_rule]
        names = {n for rule in rules for n in rule.names}
        shapes = {n.rpartition("_")[0] for n in names if n not in op.params}
        if op.family == "broadcast":
            shapes |= {op.params[i] for i in self.recipe.active}
        # files match the second operand from an axis on; rules know broadcasting from the right only
        self.aligns = op.family == "broadcast" and op.attr_names[:1] == ["axis"] and self.inner.values[0] not in (-1, None)
        self.needs_data, self.needs_shape = set(), set()
        for position, (i, _) in enumerate(self.slot_of):
            name = op.params[i]
            if name in names:
                self.needs_data.add(position)
            elif name in shapes:
                self.needs_shape.add(position)
        for k in range(self.n_out):
            if self.recipe.saves_out:
                self.needs_data.add(self.n_in + k)
            elif k not in self.given and not op.takes_none:
                self.needs_shape.add(self.n_in + k)

    @property
    def in_slots(self) -> list[Any]:
        inner = self.inner
        return [*inner.in_slots, *inner.out_slots, *[(s + self.suffix, n, many) for s, n, many in inner.out_slots]]

    @property
    def out_slots(self) -> list[Any]:
        return [(s + self.suffix, n, many) for s, n, many in self.inner.in_slots]

    def key(self) -> tuple[Any, ...] | None:
        inner = self.inner.key()
        return None if inner is None else (self.type, inner, self.wanted, self.given)

    @property
    def gives_rows(self) -> bool:
        """May its results be SelectedRows?"""
        said = self.inner.op.facts.sparse if isinstance(self.inner, OpCall) else None
        return said is not None and bool(self.inner.values[self.inner.op.attr_names.index(said)])

    def trim(self, ins: list[Any]) -> list[Any]:
        """The inputs with None in place of those that no rule looks at."""
        if not isinstance(self.inner, OpCall):
            return list(ins)
        first_grad = self.n_in + self.n_out
        return [v if p >= first_grad or p in self.needs_data or p in self.needs_shape else None for p, v in enumerate(ins)]

    def prepare(self) -> Callable[..., Any]:
        if not isinstance(self.inner, OpCall):
            return self._run_by_tape
        return lambda *flat: self._run_rules(flat)

    def bind(self, note: Binding, ins: list[Any]) -> Any:
        flat, first = [k.value if k.value is None or isinstance(k.value, Meta) else k for k in ins], self.n_in + self.n_out
        ready = isinstance(self.inner, OpCall) and (self.inner.op.takes_none or all(g is not None for g in flat[first:]))
        found = note.attempt(self._run_rules, flat) if ready else None
        return super().bind(note, ins) if found is None else found

    def _run_rules(self, flat: list[Any] | tuple[Any, ...], tensors: bool = False) -> list[Any]:
        """Call the op's rules on arrays (or, recording, on Tensors)."""
        inner, recipe, op = self.inner, self.recipe, self.inner.op
        n, m = self.n_in, self.n_out
        ins, outs, grads = flat[:n], flat[n:n + m], flat[n + m:]
        if all(g is None for g in grads):
            return [None] * n
        if not op.takes_none:
            grads = [_zeros(o, tensors) if g is None else g for g, o in zip(grads, outs)]
        shapes = [None if v is None else tuple(v.shape) for v in ins] if op.family == "broadcast" else None
        if self.aligns:
            ins = _aligned(ins, len(next(g for g in grads if g is not None).shape), inner.values[0])
        args = (*inner.nest(ins), *inner.values)
        node = _Kept(recipe.keep(args), None, tuple([args[i] for i in recipe.tensors]))
        if recipe.saves_out:
            node.out = outs[0] if op.single else tuple(outs)
        results = recipe.gradients(node, grads[0] if op.single else tuple(grads), tensors, False)
        by_slot = dict(zip(recipe.active, results))
        found = [None] * n
        for w in self.wanted:
            i, k = self.slot_of[w]
            r = by_slot.get(i)
            if r is not None and inner.layout[i] is not None:
                r = r[k]
            if r is not None:
                if shapes is not None and tuple(r.shape) != shapes[w]:
                    r = sum_to(r, tuple(ins[w].shape))
                    r = r.reshape(list(shapes[w])) if self.aligns else r
                if isinstance(r, (np.generic, float, int)):
                    r = np.asarray(r)
            found[w] = r
        return found

    def run_tensors(self, flat: Any) -> Any:
        """Run on Tensors, recording on the tape; returns flat outputs."""
        if isinstance(self.inner, OpCall):
            return self._run_rules(flat, tensors=True)
        k, ins = len(flat) - self.n_out, list(flat[:self.n_in])
        for w in self.wanted:
            if isinstance(ins[w], Tensor) and ins[w].stop_gradient:  # whoever differentiates this call does not ask for it
                ins[w] = ins[w].detach()
                ins[w].stop_gradient = False
        with enable_grad():
            return _tape_gradients(self.inner, ins, flat[k:], self.wanted, create_graph=True)

    def _run_by_tape(self, *flat: Any) -> Any:
        k = len(flat) - self.n_out
        ins = []
        for p, a in enumerate(flat[:self.n_in]):
            t = wrap(a) if a.__class__ is np.ndarray else a
            if isinstance(t, Tensor) and p in self.wanted:
                t.stop_gradient = False
            ins.append(t)
        grads = [wrap(g) if g is not None else None for g in flat[k:]]
        with enable_grad():
            found = _tape_gradients(self.inner, ins, grads, self.wanted, create_graph=False)
        return [None if t is None else t._data for t in found]

    def grad_positions(self) -> Any:
        """Which of the flat inputs can have gradients: of a first gradient any (those whose shape alone counts come as such), of
        further ones those whose values count."""
        return super().grad_positions() if isinstance(self.inner, OpCall) else sorted(self._reads())

    @property
    def _linear(self) -> bool:
        """Does the result depend on nothing but the incoming gradients, linearly?"""
        return not self.needs_data if isinstance(self.inner, OpCall) else getattr(self.inner, "_linear", False)

    def _reads(self) -> set[int]:
        """The flat inputs whose values count. A gradient of gradients computes the other call once more: its results are not read,
        and if that is linear in its own incoming gradients, neither are its inputs."""
        first = self.n_in + self.n_out
        grads = {first + k for k in self.given}
        if isinstance(self.inner, OpCall):
            return grads | self.needs_data
        if not isinstance(self.inner, GradCall):
            return grads | set(range(self.n_in))
        return grads if self.inner._linear else grads | self.inner._reads()

    def gradient(self, wanted: Any, given: Any) -> Any:
        return GradCall(self, wanted, given)


def _tape_gradients(inner: Any, ins: Any, grads: Any, wanted: Any, create_graph: Any) -> Any:
    """Gradients of the call ``inner`` at Tensors: one per input, zeros where its outputs do not depend on it."""
    outs = inner.run_tensors(ins)
    pairs = [(o, g) for o, g in zip(outs, grads) if o is not None and g is not None and not o.stop_gradient]
    result: list[Any] = [None] * len(ins)
    asked = [ins[w] for w in wanted]
    found: Any = [None] * len(asked)
    if pairs:
        found = tape_grad([o for o, _ in pairs], asked, [g for _, g in pairs], create_graph=create_graph, retain_graph=True,
                          allow_unused=True)
    for w, t, f in zip(wanted, asked, found):
        result[w] = wrap(np.zeros_like(t._data)) if f is None else f
    return result


def _aligned(ins: list[Any] | tuple[Any, ...], ndim: int, axis: int) -> list[Any] | tuple[Any, ...]:
    """The inputs of an elementwise op with the second one's shape extended to the right, as its axis means it."""
    x, y = ins
    if y is None or len(y.shape) >= ndim:
        return ins
    shape = tuple(sizes.matched(list(y.shape), ndim, axis))
    return [x, Meta(y, shape) if isinstance(y, Meta) else y.reshape(list(shape))]


class _Kept:
    """What a backward recipe reads of a node."""

    __slots__ = ("saved", "out", "tensors")

    def __init__(self, saved: tuple[Any, ...], out: Any, tensors: tuple[Any, ...]) -> None:
        self.saved, self.out, self.tensors = saved, out, tensors

    def rewrap(self, out: Any) -> Any:
        return out


class Meta:
    """Shape and dtype of a value that is no longer kept; None for a tensor array."""

    __slots__ = ("shape", "dtype")
    fixed = True  # routines rely on its value (see core.routine.form_of)

    def __init__(self, value: Any, shape: tuple[Any, ...] | None = None) -> None:
        self.shape, self.dtype = (None, None) if isinstance(value, list) else (shape or value.shape, value.dtype)

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Meta) and self.shape == other.shape and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))


class MetaCall(Call):
    """The shape and dtype of a value, for gradient rules that need no more."""

    type, single = "shape_of", True
    in_slots, out_slots = [("X", 1, False)], [("Out", 1, False)]

    def key(self) -> tuple[Any, ...]:
        return ("shape_of",)

    def prepare(self) -> Callable[..., Any]:
        return lambda x: None if x is None else Meta(x)

    def run_tensors(self, ins: Any) -> Any:
        return [ins[0]]  # the tensor itself has the shape that is asked for

    def bind(self, note: Binding, ins: list[Any]) -> Any:
        return [note.constant(None if ins[0].value is None else Meta(ins[0].value))]


class FixedMeta(Meta):
    """Shape and dtype that are known before the program runs."""

    __slots__ = ()

    def __init__(self, shape: Any, dtype: Any) -> None:
        self.shape, self.dtype = shape, dtype


class Constant(Call):
    """A value known when the plan is made."""

    type, single = "constant", True
    out_slots = [("Out", 1, False)]

    def __init__(self, value: Any, steps: Any = None, axis: int | None = None) -> None:
        self.value = value
        self.steps = steps  # int8: of weights that are whole numbers times something
        self.axis = axis    # the something is another one for each slice along this axis; None: the same for all

    def label(self) -> str:
        return f"constant{{{describe(self.value)}}}"

    def prepare(self) -> Any:
        value = self.value
        return lambda: value

    def run_tensors(self, ins: Any) -> Any:
        return [list(self.value) if isinstance(self.value, list) else wrap(np.asarray(self.value))]


def _zeros(like: np.ndarray, tensors: bool) -> Any:
    if like is None or like.dtype.kind not in _FLOATS:
        return None
    shape = tuple(like.shape)
    zeros = np.zeros(shape, like._data.dtype if isinstance(like, Tensor) else like.dtype)
    return wrap(zeros) if tensors else zeros


def freeze(value: Any) -> Any:
    """A hashable copy of attribute values (arrays by their bytes)."""
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, *map(freeze, value))
    if isinstance(value, dict):
        return tuple(sorted((k, freeze(v)) for k, v in value.items()))
    if isinstance(value, np.ndarray):
        return (value.dtype.str, value.shape, value.tobytes())
    return exactly(value) if isinstance(value, (bool, int, float, complex)) else value


def _same(value: float | int, default: bool | float) -> bool:
    try:
        return bool(value == default)
    except ValueError:
        return False
