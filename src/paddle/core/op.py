"""An operator, declared once.

    @op("leaky_relu(X) -> Out", family="same", negative_slope="alpha")
    def leaky_relu(x, negative_slope=0.01):
        '''max(x, 0) + negative_slope * min(x, 0), elementwise.'''
        return np.where(x > 0, x, x * x.dtype.type(negative_slope))

    leaky_relu.grad(x=lambda g, x, negative_slope: g * step(x, negative_slope, 1.0))

The signature string holds the names that Paddle's files use (``X*`` takes a list, ``X?`` may be None, an output ``Out?``
exists in files only). The parameters of the function are first the tensors, in slot order, then the attributes; keyword
arguments of ``op`` rename attributes for files. What an op does depends on what it is called with:

* Tensors: run, wrap, record on the tape;
* plain arrays: run (this is how gradient rules call ops);
* symbolic Variables, or no tensor at all in static mode: append to the static program;
* a sharded Tensor (``_placed``): run on every rank's part, according to the fact ``sharding``.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import autograd, engine, hooks, rules, sizes, steps, walk  # noqa: F401  (walk introduces the tape to the C engine)
from .autograd import Node
from .context import context, process
from .errors import KEPT, describe
from .facts import BY_NAME, FACTS, FAMILIES, Declared, Facts
from .folding import fold
from .formula import Traced
from .recipe import Recipe, Rule
from .rooms import rooms
from .rows import has_rows, whole
from .signature import REQUIRED, arguments
from .symbolic import Symbolic
from .tensor import Tensor, wrap

OPS = Declared()  # ProgramDesc type -> Op


def static_mode() -> bool:
    """Do functions that make tensors from nothing record themselves?"""
    return context.static_mode


class Slot:
    """One input or output of an op as files name it."""

    __slots__ = ("name", "is_list", "optional")

    def __init__(self, text: str) -> None:
        text = text.strip()
        self.is_list, self.optional = "*" in text, "?" in text
        self.name = text.rstrip("*?")

    def __repr__(self) -> str:
        return self.name + "*" * self.is_list + "?" * self.optional


def _parse(signature: str) -> tuple[str, list[Slot], list[Slot]]:
    head, _, outs = signature.partition("->")
    op_type, _, ins = head.strip().partition("(")

    def split(text: str) -> list[Slot]:
        return [Slot(s) for s in text.split(",") if s.strip()]

    return op_type, split(ins.strip().rstrip(")")), split(outs)


class Op(engine.OpBase):
    """A callable operator; see the module's docstring."""

    def __init__(self, fn: Callable[..., Any], signature: str, family: str, facts: Facts, renames: dict[str, str],
                 extra: dict[str, Any] | None, to_desc: Any, from_desc: Any, step: Any = None) -> None:
        self.type, self.inputs, outputs = _parse(signature)
        self.outputs = [o for o in outputs if not o.optional]
        self.file_outputs = outputs
        self.fn, self.name, self.__doc__ = fn, fn.__name__, fn.__doc__
        self.__name__, self.__module__ = fn.__name__, fn.__module__
        self.__wrapped__ = fn
        given = arguments(fn)
        self.params = list(given)
        self.n_in, self.arity = len(self.inputs), len(given)
        if self.arity < self.n_in:
            raise TypeError(f"op {self.name}: {self.n_in} slots but only {self.arity} parameters")
        self.defaults = tuple(given.values())
        self.attr_names = self.params[self.n_in:]
        self.single = len(self.outputs) == 1 and not self.outputs[0].is_list
        self.family, self.facts = family, facts
        self.shape_rule: tuple[Callable[..., Any], list[int]] | None = None
        self.renames, self.extra = renames, extra or {}
        self.to_desc, self.from_desc = to_desc, from_desc
        self.rules: dict[int, Rule | None] = {}
        self.shared_rule: Rule | None = None
        self.takes_none, self.reads = False, None
        self.quick_rule: Any = None  # see first_order, keeping, together
        self.kept_run: Any = None
        self.group: tuple[str, Callable[..., Any]] | None = None
        self.in_programs: Callable[..., Any] | None = None  # what a program records in place of this op, by its arguments
        self.attached: tuple[Any, ...] = ()  # (when, function(k, ...), noted, native)
        self.kernels: tuple[tuple[Any, Any], ...] = ()  # pairs (when, k bound)
        self._in_range = tuple(range(self.n_in))
        self.unbroadcast = family == "broadcast"
        self.view_since = -1 if facts.view is None else rules.find(facts.view, "op").number
        self.simple = bool(self.outputs) and not any(o.is_list for o in self.outputs)  # may the C engine take it?
        # mask of the inputs that need gradients -> Recipe, or None if there is no rule for any
        self.recipes: dict[int, Recipe | None] = {}
        self.step = step
        if step is not None:
            step.declare(self)
            self.kernel(step.when)(step)

    def __repr__(self) -> str:
        ins = ", ".join(map(repr, self.inputs))
        return f"<op {self.name}: {self.type}({ins}) -> {', '.join(map(repr, self.file_outputs))}>"

    # ---- declaring -------------------------------------------------------------------------------------------------
    def grad(self, **rules: Callable[..., Any]) -> Op:
        """Attach one gradient rule per named input; ``None`` says that the input has no gradient."""
        for name, fn in rules.items():
            i = self.params.index(name)
            rule = self.rules[i] = Rule(self, fn) if fn is not None else None
            if rule is not None and self.step is not None:
                rule.fn, rule.takes_repeated = self.step.rule(rule), True
        self.recipes.clear()
        return self

    def vjp(self, fn: Any = None, *, takes_none: bool = False, reads: Any = None) -> Any:
        """Attach one rule ``fn(needs, g, ...)`` that returns the gradients of all tensor inputs at once.

        With ``takes_none`` the rule takes None for outputs that no gradient reached (else the engine fills in zeros).
        ``reads`` says which of the outputs it looks at: numbers, or an attribute's name (none where that is 0).
        """
        if fn is None:
            return lambda rule: self.vjp(rule, takes_none=takes_none, reads=reads)
        self.shared_rule, self.takes_none, self.reads = Rule(self, fn, extra=("needs",)), takes_none, reads
        self.recipes.clear()
        return fn

    def kernel(self, when: Any = None, noted: bool = True, native: bool = True) -> Callable[..., Any]:
        """Attach a fast kernel ``fn(k, *arguments)``: used when ``when(*arguments)`` is true. The op's function stays the
        reference.

        ``k`` has the native functions: it is the module itself when arrays are computed, and takes notes when a routine of a static
        program is made (``static/schedule/binding.py``). A kernel looks at shapes and dtypes, reshapes, and calls functions of k.
        One that does more, in NumPy or with random numbers, says ``noted=False`` and is noted as one call; one that needs no
        native function says ``native=False`` and stays while native kernels are off. Without ``when`` it is always tried.
        A kernel that has no code for a case returns NotImplemented; any exception is an error of the call.
        """
        def attach(fn: Callable[..., Any]) -> Any:
            self.attached = (*self.attached, (when, fn, noted, native))
            self.choose_kernels()
            return fn
        return attach

    def choose_kernels(self) -> None:
        """Bind the attached kernels to the native module; without one only those that need none are left."""
        k = process.native
        self.kernels = tuple([(when, bound_kernel(fn, k)) for when, fn, _, native in self.attached if k or not native])

    def first_order(self, fn: Callable[..., Any]) -> Any:
        """Attach ``fn(needs, gradients, *arguments)`` for gradients on arrays to an op whose rule is to run it again on the tape
        (ops/composed.py)."""
        self.quick_rule = fn
        return fn

    def keeping(self, fn: Callable[..., Any]) -> Any:
        """Attach a function that returns the outputs and the function from their gradients to those of the inputs: a program
        that can keep the latter calls it instead of the op."""
        self.kept_run = fn
        return fn

    def together(self, native: str) -> Callable[..., Any]:
        """Attach ``fn(kernel, params, grads, states, rates, attributes)``, which updates many parameters at once, in place, by the
        native kernel of this name."""
        def attach(fn: Callable[..., Any]) -> Any:
            self.group = native, fn
            return fn
        return attach

    def infer(self, fn: Callable[..., Any]) -> Any:
        """Attach the shape rule: a function that takes Specs by the names of the inputs, and attributes by theirs (those that it
        names), and returns the Spec of the output, or one for each; None where it can't tell. It comes before the family's."""
        code = fn.__code__
        self.shape_rule = fn, [self.params.index(n) for n in code.co_varnames[:code.co_argcount]]
        return fn

    def under(self, signature: str, name: str, **rest: Any) -> Op:
        """Declare the same op under another type and name; ``rest``: other arguments that differ."""
        @functools.wraps(self.fn)
        def again(*args: Any) -> Any:
            return self.fn(*args)
        again.__name__, again.__doc__ = name, f"{self.__doc__} (As {self.name}.)"
        again.__module__ = sys._getframe(1).f_globals["__name__"]  # which homes.json names: not where the other one is declared
        same = {f: getattr(self.facts, f) for f in FACTS}
        twin = op(signature, self.family, self.extra, self.to_desc, self.from_desc, **{**self.renames, **same, **rest})(again)
        twin.rules, twin.shared_rule, twin.takes_none = self.rules, self.shared_rule, self.takes_none
        return twin

    def is_random(self, values: Sequence[Any]) -> bool:
        """Does a call with these attribute values draw numbers?"""
        said = self.facts.random
        return bool(values[self.attr_names.index(said)]) if isinstance(said, str) else said

    def is_pure(self, values: Sequence[Any]) -> bool:
        """Do two calls with these attribute values and equal inputs give equal results, so that one can stand for both?"""
        return self.facts.pure and not self.is_random(values)

    @functools.cached_property
    def updates(self) -> list[int]:
        """For an op of the family ``update``, the input whose next value each output is (``ParamOut`` that of ``Param``, and
        ``SquaredAccumOut`` that of ``SquaredAccumulator``), by its position."""
        names = [slot.name for slot in self.inputs]
        stems = [slot.name.removesuffix("Out").replace("out_", "in_", 1) for slot in self.outputs]
        return [names.index(min((n for n in names if n.startswith(stem)), key=len)) for stem in stems]

    @property
    def differentiable(self) -> bool:
        return self.shared_rule is not None or any(r is not None for r in self.rules.values())

    # ---- calling ---------------------------------------------------------------------------------------------------
    def python_call(self, *args: Any, **kwargs: Any) -> Any:
        """The call in Python: every call without the C engine, uncommon ones with it."""
        if kwargs or len(args) != self.arity:
            args = self.bind(args, kwargs)
        if self.unbroadcast and self.attr_names == ["axis"] and args[2] != -1:
            args = self._aligned(args)
        installed = hooks.installed()
        outs = self._run_hooked(args, installed) if installed else self._run(args)
        if process.on_scalar is not None:
            for out in outs if isinstance(outs, (tuple, list)) else (outs,):
                if isinstance(out, Tensor) and not out._data.ndim:
                    process.on_scalar(out)
        return outs

    def _aligned(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """(x, y, -1) for a call whose ``axis`` matches y's dimensions to x's from that axis on: y is reshaped, on the tape,
        so that its gradient is summed over the right axes."""
        x, y, axis = args
        if not isinstance(x, Tensor) or not isinstance(y, Tensor) or x._data.ndim == y._data.ndim:
            return args
        return x, y.reshape(sizes.matched(list(y._data.shape), x._data.ndim, axis)), -1

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """All arguments in declared order, defaults filled in."""
        if not kwargs:
            n = len(args)
            rest = self.defaults[n:]
            if n <= self.arity and REQUIRED not in rest:
                return (*args, *rest)
        values = list(self.defaults)
        if len(args) > self.arity:
            raise TypeError(f"{self.name}() takes {self.arity} arguments but {len(args)} were given")
        values[:len(args)] = args
        for name, value in kwargs.items():
            if name not in self.params:
                raise TypeError(f"{self.name}() got an unexpected argument {name!r}; it takes {', '.join(self.params)}")
            i = self.params.index(name)
            if i < len(args):
                raise TypeError(f"{self.name}() got two values for argument {name!r}")
            values[i] = value
        for name, value in zip(self.params, values):
            if value is REQUIRED:
                raise TypeError(f"{self.name}() misses its argument {name!r}")
        return tuple(values)

    def _run(self, args: tuple[Any, ...]) -> Any:
        values, mask, traced, plain, recorder = self._operands(args)
        if recorder is not None:
            return recorder.record(self, args)
        if context.static_mode and not traced and not plain:
            return rooms.record(self, args)
        view = 0 <= self.view_since <= context.rules.number and isinstance(args[0], Tensor)
        if view:
            values[0] = _settled(args[0])
        try:
            out = self.run_arrays(values)
        except (ValueError, TypeError, IndexError, ZeroDivisionError, np.linalg.LinAlgError) as error:
            told = self.explained(error, args)
            raise told from told.__cause__
        if plain and not traced:
            return out
        if self.single and out.__class__ is not np.ndarray:
            out = np.asarray(out)
        tensors = self._hand_out(args, values, out, mask)
        if view:
            engine.note_views(args[0], values[0], [tensors] if self.single else tensors)
        return tensors

    def _operands(self, args: tuple[Any, ...]) -> tuple[list[Any], int, bool, bool, Any]:
        """Arguments with arrays in the place of tensors; bits of the inputs that need a gradient; whether there are Tensors, and
        other values, among the inputs; and what records the call in its place: a Variable or a tensor that ranks share, or None."""
        values, mask, traced, plain = list(args), 0, False, False
        for i in self._in_range:
            a = args[i]
            if isinstance(a, Tensor):
                if a._placed:
                    return values, mask, traced, plain, a
                values[i], traced = a._data, True
                if not a.stop_gradient:
                    mask |= 1 << i
            elif a is None:
                continue
            elif a.__class__ is np.ndarray:
                plain = True
            elif isinstance(a, Symbolic):
                return values, mask, traced, plain, a
            elif self.inputs[i].is_list and isinstance(a, (list, tuple)):
                recorder = next((t for t in a if isinstance(t, Symbolic) or isinstance(t, Tensor) and t._placed), None)
                if recorder is not None:
                    return values, mask, traced, plain, recorder
                values[i] = [item._data if isinstance(item, Tensor) else self._as_array(item, i) for item in a]
                tensors = [item for item in a if isinstance(item, Tensor)]
                traced, plain = traced or bool(tensors), plain or len(tensors) < len(a)
                if not all(t.stop_gradient for t in tensors):
                    mask |= 1 << i
            else:
                values[i], plain = self._as_array(a, i), True
        return values, mask, traced, plain, None

    def _hand_out(self, args: tuple[Any, ...], values: list[Any], out: Any, mask: int) -> Any:
        """The Tensors of a call's result, recorded if any input needs a gradient."""
        if mask and context.grad:
            recipe = self.recipe(mask)
            if recipe is not None:
                node = self._record(recipe, args, values, out)
                if self.single:
                    return autograd.attach(wrap(out), node)
                parts = self.outputs[0].is_list  # of one value, which may be integers: split, unbind
                return self._map_outputs(out, lambda o, k: autograd.attach(wrap(np.asarray(o)), node, k,
                                                                           parts and np.asarray(o).dtype.kind in "iu"))
        if self.single:
            return wrap(out)
        return self._map_outputs(out, lambda o, k: wrap(np.asarray(o)))

    def _record(self, recipe: Recipe, args: tuple[Any, ...], values: list[Any], out: Any) -> Node:
        """The node of one call: edges to what made its inputs, and what the recipe needs."""
        edges = []
        for i in recipe.active:
            a = args[i]
            if a.__class__ is list or a.__class__ is tuple:
                edges.append([None if not isinstance(t, Tensor) or t.stop_gradient else t if t._edge is None else t._edge for t in
                a])
            else:
                edges.append(a if a._edge is None else a._edge)
        tensors = tuple([args[i] for i in recipe.tensors])
        node = Node(recipe, edges, recipe.keep(values), tensors, out if recipe.saves_out else None)
        if not self.single:
            node.out_metas = [None if o is None else (np.shape(o), o.dtype) for o in out]
        elif self.unbroadcast and any(values[i].shape != out.shape for i in recipe.active):
            node.shapes = [values[i].shape for i in recipe.active]
        return node

    def run_arrays(self, values: Sequence[Any]) -> Any:
        """Run on bound arguments whose tensors are arrays: the first fast kernel that applies, else the reference."""
        for when, fast in self.kernels:
            if when is None or when(*values):
                out = fast(*values)
                if out is not NotImplemented:
                    return out
        return self.fn(*values)

    def run_rows(self, values: list[Any]) -> Any:
        """Run on bound arguments, arrays or SelectedRows: by the fact ``on_rows``, else on whole arrays."""
        out = NotImplemented
        if self.facts.on_rows is not None and has_rows(values):
            out = self.facts.on_rows(self, values)
        return self.run_arrays([whole(v) for v in values]) if out is NotImplemented else out

    def operand(self, value: Any, i: int) -> Any:
        """An argument for input i as kernels take it; Symbolic ones stay what they are."""
        if value is None or isinstance(value, Symbolic):
            return value
        if self.inputs[i].is_list and isinstance(value, (list, tuple)):
            return [self.operand(item, i) for item in value]
        return self._as_array(value, i)

    def _as_array(self, value: Any, i: int) -> Any:
        if isinstance(value, (bool, int, float, complex, np.generic)):
            return np.asarray(value)
        if value.__class__ is np.ndarray:
            return value
        raise TypeError(f"{self.name}(): {self.params[i]} must be a Tensor, got {describe(value)}")

    def _map_outputs(self, outs: Any, fn: Callable[[Any, int], Any]) -> Any:
        """Apply fn(output, number) to every output, keeping the structure (a list slot gives a list)."""
        if self.single:
            return fn(outs, 0)
        if len(self.outputs) == 1:
            return [fn(o, k) for k, o in enumerate(outs)]
        return tuple(None if o is None else fn(o, k) for k, o in enumerate(outs))

    def recipe(self, mask: int) -> Recipe | None:
        """The backward recipe where these inputs need gradients (bit i: input i), or None if no rule gives one."""
        try:
            return self.recipes[mask]
        except KeyError:
            return self.make_recipe(mask)

    def make_recipe(self, mask: int) -> Recipe | None:
        active = [i for i in self._in_range if mask >> i & 1 and (self.shared_rule or self.rules.get(i))]
        recipe = self.recipes[mask] = Recipe(self, active) if active else None
        return recipe

    def _run_hooked(self, args: tuple[Any, ...], installed: Sequence[Any]) -> Any:
        if any(isinstance(a, Traced) for a in args[:self.n_in]):  # a formula that is being noted: nothing runs
            return self._run(args)
        for hook in installed:
            args = hook.before(self, args)
        outs = self._run(args)
        for hook in installed:
            hook.after(self, args, outs)
        return outs

    def explained(self, error: Exception, args: tuple[Any, ...]) -> Exception:
        """What running failed with, explained and folded: to be raised."""
        explained = self.explain(error, args)
        if explained is not error:
            explained.__cause__ = error
        return fold(explained)

    def explain(self, error: Exception, args: Sequence[Any]) -> Exception:
        """The error to raise when running failed: of the same kind, naming the op and what it was called with."""
        text = str(error)
        if text.startswith(self.name + "(") or "():" in text.split("\n")[0]:
            return error
        tensors = [(n, v) for n, v in zip(self.params[:self.n_in], args) if isinstance(v, (Tensor, np.ndarray))]
        if "broadcast" in text and tensors:  # NumPy's words tell neither names nor, at times, shapes
            text = f"the shapes of {' and '.join(f'{n} {list(v.shape)}' for n, v in tensors)} do not broadcast together"
        elif text.startswith("ufunc "):
            text = f"not defined for {' and '.join(f'{n} of {v.dtype.name}' for n, v in tensors)}"
        received = ", ".join(f"{n}={describe(v)}" for n, v in zip(self.params, (*args, *self.defaults[len(args):])))
        kind = type(error) if type(error) in KEPT else ValueError
        return kind(f"{self.facts.public or self.name.removeprefix('elementwise_')}(): {text}\n\nArguments received: {received}")


def _settled(tensor: Any) -> Any:
    """The array of a tensor that is about to be viewed: its elements in row-major order, where only a kernel's way of computing
    left them in another, so that views of it are views as the program means them."""
    if tensor._storage is None and not tensor._data.flags.c_contiguous:
        tensor._data = np.array(tensor._data, order="C")
    return tensor._data


def bound_kernel(kernel: Any, k: Any) -> Any:
    """A kernel as a function of its op's arguments alone."""
    return kernel.eager(k) if hasattr(kernel, "eager") else functools.partial(kernel, k)


def use_native(module: Any) -> None:
    """Let the kernels of all ops run on a module of native functions; on None, let the references run."""
    process.native = module
    for declared in BY_NAME.values():
        declared.choose_kernels()


def op(signature: str, family: str = "", extra: dict[str, Any] | None = None, to_desc: Any = None, from_desc: Any = None,
       step: Any = None, **rest: Any) -> Callable[[Callable[..., Any]], Op]:
    """Declare an operator (see the module's docstring).

    family: what kind of op it is (a key of FAMILIES): shape rule and facts come with it. extra: constant attributes that files
    must carry. to_desc(attrs) / from_desc(attrs): where file attributes are not simply renamed ones. step: the native
    elementwise step that the op is (``core/steps.py``). rest: facts of the op's own (fields of Facts), and names of
    attributes in files.
    """
    if family not in FAMILIES:
        raise ValueError(f"op {signature!r}: family must be one of {sorted(FAMILIES)}, got {family!r}")
    own = {name: rest.pop(name) for name in FACTS if name in rest}
    facts = Facts(**{**FAMILIES[family].facts, **own})

    def declare(fn: Callable[..., Any]) -> Op:
        declared = Op(fn, signature, family, facts, rest, extra, to_desc, from_desc, step)
        if declared.type in OPS or declared.name in BY_NAME:
            raise ValueError(f"op {declared.type} / {declared.name} is declared twice")
        if callable(facts.shapes):
            declared.infer(facts.shapes)
        OPS[declared.type] = declared
        BY_NAME[declared.name] = declared
        return declared

    return declare
