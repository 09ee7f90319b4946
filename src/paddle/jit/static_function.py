"""to_static, and the StaticFunction that it makes of a function: traced once for each kind of arguments."""

import contextlib
import functools
import types
import warnings
import weakref
from collections import OrderedDict
from typing import Any

import numpy as np

from ..core.autograd import no_grad, node_of
from ..core.context import context
from ..core.errors import check_type, describe
from ..core.folding import folded
from ..core.tensor import Tensor, wrap
from ..nn.layer.layers import Layer
from ..static.input import InputSpec
from ..static.primitive import to_prim
from ..static.program.record import _HERE
from ..static.schedule.function import Runner, Trainer
from ..static.strategy import BuildStrategy
from ..utils.environments import BooleanEnvironmentVariable, EnvironmentVariableGuard
from . import convert, settings  # noqa: F401  (convert says what translated code calls)
from .arguments import Signature, as_tensor, fits, input_names, key_of, matching_specs
from .calls import convert_call, translated_source
from .errors import Untranslatable
from .journal import Guards
from .log import translator
from .tracing import Concrete, Given, Trace, tracing
from .values import containers, flatten, is_tensor, rebuild

CACHE_SIZE = 64  # traced programs that one function keeps
MOST_RETRACES = 24  # traces of one signature, one after the other, after which the function runs eagerly
# may functions that can't be translated run eagerly, where to_static's full_graph doesn't say it?
ENV_ENABLE_SOT = BooleanEnvironmentVariable("ENABLE_FALL_BACK", True)


@contextlib.contextmanager
def sot_mode_guard(value):
    """Within the block, to_static without ``full_graph`` lets what it can't translate run eagerly (True) or raises (False)."""
    with EnvironmentVariableGuard(ENV_ENABLE_SOT, value):
        yield


def to_static(function=None, input_spec=None, build_strategy=None, backend=None, **kwargs) -> Any:
    """Make a function, method or Layer run as a static program, Python control flow included.

    What can't be translated runs eagerly after all, with one warning.

    Args:
        function (function, Layer or None): None as a decorator with arguments.
        input_spec (list of InputSpec or None): for the leading tensor arguments; sizes None there take any
            size.
        build_strategy (BuildStrategy or None): which passes the program goes through.
        backend (str or None): None; other compilers ('CINN') are not part of this build.
        full_graph (bool): True raises where the code can't be translated; not given, the variable ``ENABLE_FALL_BACK`` of the
            environment decides (off: as True).
        property (bool): a function of no tensors, whose result is saved as a constant by ``jit.save``.
    Returns:
        A callable in place of the function, or the Layer itself with such a ``forward``; a decorator if ``function`` is None.
    Raises:
        TypeError: ``function`` cannot be called, or ``input_spec`` is not a list.
        ValueError: ``backend`` is not available.

    >>> @paddle.jit.to_static
    ... def f(x):
    ...     return x * 2 if x.sum() > 0 else -x
    >>> f(paddle.to_tensor([1.])).tolist(), f(paddle.to_tensor([-1.])).tolist()
    ([2.0], [1.0])
    """
    full_graph = kwargs.pop("full_graph", None)
    options = {"input_spec": input_spec, "full_graph": full_graph, "backend": backend,
               "build_strategy": None if build_strategy is False else build_strategy,  # as Paddle reads it
               "property": kwargs.pop("property", False)}
    if kwargs:
        raise TypeError(f"to_static(): unknown argument {next(iter(kwargs))!r}")
    check_type(full_graph, (bool, type(None)), "to_static", "full_graph")
    check_type(options["build_strategy"], (BuildStrategy, type(None)), "to_static", "build_strategy")
    if backend is not None and str(backend).upper() == "CINN":
        raise ValueError("to_static(): backend 'CINN' is not available; leave it out")
    if function is None:
        return functools.partial(to_static, **options)
    if full_graph is None:
        options["full_graph"] = not ENV_ENABLE_SOT.get()
    return _translated(function, options)


def _translated(function, options):
    """What ``to_static`` makes of any kind of function: what it is bound to stays the same."""
    if isinstance(function, StaticFunction):
        unchanged = options["full_graph"] == function.full_graph
        if unchanged and options["input_spec"] is None and options["build_strategy"] is None:
            return function
        if options["input_spec"] is None:
            options = {**options, "input_spec": function.input_spec}
        return StaticFunction(function.dygraph_function, instance=function.instance, **options)
    if isinstance(function, Layer):
        forward = function.forward
        if isinstance(forward, StaticFunction):
            forward = forward.dygraph_function
        elif isinstance(forward, types.MethodType):
            forward = forward.__func__
        else:
            forward = type(function).forward
        function.__dict__["forward"] = StaticFunction(forward, instance=function, **options)
        return function
    if isinstance(function, types.MethodType):
        return StaticFunction(function.__func__, instance=function.__self__, **options)
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(_translated(function.__func__, options))
    if not callable(function):
        raise TypeError(f"to_static(): function must be a function, method or Layer, got {describe(function)}")
    if not isinstance(function, types.FunctionType):
        return StaticFunction(type(function).__call__, instance=function, **options)
    return StaticFunction(function, **options)


def runner_of(concrete, skip=()):
    """What runs a traced program: called with its input Tensors, in a list, it gives its outputs. ``skip``: passes to leave out."""
    make = Runner if concrete.training is None else functools.partial(Trainer, concrete.training)
    return make(concrete.program, [v.name for v in concrete.inputs], [v.name for v in concrete.outputs],
                f"to_static({concrete.function.__name__})", skip)


class Entry:
    """One traced program of a function."""

    def __init__(self, concrete, guards, arguments, skip=()):
        self.concrete, self.guards = concrete, guards
        self.arguments = arguments  # (structure, leaves) with InputSpecs in place of tensors, to trace it once more
        self.runner = runner_of(concrete, skip)
        self.simple = concrete.structure is None and concrete.places == [("output", 0)] and not concrete.setters
        self.reference = weakref.ref(self)
        self.whole = [k for k, v in enumerate(concrete.outputs) if not (v.dtype.is_floating or v.dtype.is_complex)]
        self.apart = ()  # (number, reference) of the latest such outputs: no gradient leads back from them

    def noting(self, outputs):
        """The program, once it is noted which of its outputs could not be told by their place on the tape (see ``jit.save``)."""
        if self.whole:
            self.apart = [(k, weakref.ref(outputs[k])) for k in self.whole if outputs[k].__class__ is Tensor]
        return self.concrete

    def output_number(self, tensor):
        """Which of the program's outputs a tensor is, or None."""
        node, k = node_of(tensor)
        if getattr(getattr(node, "recipe", None), "runner", None) is self.runner:
            return k
        return next((k for k, reference in self.apart if reference() is tensor), None)

    def last(self):
        """(arguments, (program, what runs it)), as 1.8's cache of programs gave its newest entry."""
        return self.arguments, (self.concrete, self.runner)


class ProgramCache(OrderedDict):
    """Traced programs: {key of the arguments: its Entries, the newest first}."""

    used = None  # the Entry that ran last, or was traced last

    def concrete_programs(self):
        """All traced programs."""
        return [entry.concrete for entries in self.values() for entry in entries]

    def last(self):
        """(key, (program, what runs it)) of the one that was used last."""
        if self.used is None:
            raise AssertionError("program_cache.last(): no program has been traced yet")
        return self.used.key, (self.used.concrete, self.used.runner)


class Store:
    """The traced programs of a function (for one instance, if it is a method)."""

    alive = weakref.WeakSet()  # all of them

    def __init__(self):
        self.clear()
        Store.alive.add(self)

    def clear(self):
        """Forget everything: as if the function had not been called yet."""
        self.entries = ProgramCache()
        self.quick = {}  # shapes and dtypes of the arguments -> Entry, for calls with tensors only
        self.retraces = {}  # key -> how often it was traced, for the keys of entries
        self.eager = False

    def find(self, key, tensors):
        for entry in self.entries.get(key, ()):
            if entry.guards.hold(tensors):
                return entry
        return None

    def add(self, key, entry):
        found = self.entries.setdefault(key, [])
        found.insert(0, entry)
        del found[8:]
        self.entries.move_to_end(key)
        while sum(map(len, self.entries.values())) > CACHE_SIZE:
            forgotten, _ = self.entries.popitem(last=False)
            del self.retraces[forgotten]
        entry.key = key
        self.entries.used = entry


class StaticFunction:
    """A function that runs as a static program, traced once for each kind of arguments.

    Args:
        function: the eager function.
        input_spec: InputSpecs of its leading arguments; unknown sizes there are not traced anew.
        full_graph: raise where the code can't be translated, rather than run it eagerly.
    """

    def __init__(self, function, input_spec=None, full_graph=False, build_strategy=None, backend=None, instance=None,
                 stores=None, property=False):
        functools.update_wrapper(self, function)
        self.dygraph_function, self.full_graph, self.instance = function, full_graph, instance
        self.build_strategy, self.backend, self.is_property = build_strategy, backend, property
        self.input_spec = input_spec
        self.signature = Signature(function, input_spec, bound=False if instance is None else True)
        self._stores = weakref.WeakKeyDictionary() if stores is None else stores
        self._own = Store()
        self._bound_signature, self._training = None, True

    simplifies = True  # may its operators be replaced by simpler ones, if a program asked for that? Not in files

    # ---- methods ----
    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        bound = object.__new__(StaticFunction)
        bound.__dict__.update(self.__dict__)
        bound.instance = instance
        if self._bound_signature is None:
            self._bound_signature = Signature(self.dygraph_function, self.input_spec, bound=True)
        bound.signature = self._bound_signature
        try:
            store = self._stores.get(instance)
            if store is None:
                store = self._stores[instance] = Store()
        except TypeError:  # neither hashed nor weakly referred to
            store = Store()
        bound._own = store
        return bound

    def __deepcopy__(self, memo):
        if self.instance is None:  # as in Paddle: a copy of a function is the function as it was written
            return self.dygraph_function
        return StaticFunction(self.dygraph_function, self.input_spec, self.full_graph, self.build_strategy, self.backend,
                              memo.get(id(self.instance), self.instance), property=self.is_property)

    # ---- modes ----
    def train(self):
        """Let calls be recorded for gradients, as they are at first. A layer's method follows ``layer.train()`` instead."""
        self._switch(True, "train")

    def eval(self):
        """Let calls not be recorded for gradients. A layer's method follows ``layer.eval()`` instead."""
        self._switch(False, "eval")

    def _switch(self, training, name):
        if isinstance(self.instance, Layer) and self.instance.training is not training:
            raise RuntimeError(f"{name}(): {self.__qualname__} is a method of a layer; call the layer's {name}()")
        self._training = training

    # ---- calling ----
    def __call__(self, *args, **kwargs):
        if not self._training and context.grad:
            with no_grad():
                return self(*args, **kwargs)
        store = self._own
        if not settings.enabled or store.eager or self.is_property or (context.trace is None and context.static_mode):
            if self.full_graph and settings.enabled and not self.is_property and not store.eager:
                raise RuntimeError(f"to_static(full_graph=True): {self.__qualname__} is a program of its own and runs in dynamic "
                                   "mode only; call paddle.disable_static() before")
            return self.eager(*args, **kwargs)
        if context.trace is not None:  # inside another traced function: part of its program
            return convert_call(self)(*args, **kwargs)
        if kwargs:
            return self._run(store, None, args, kwargs)
        quick = tuple([(a._data.shape, a._data.dtype) if a.__class__ is Tensor else None for a in args])
        entry = store.quick.get(quick)  # the usual call, with plain tensors only: its own short table
        if entry is None or not entry.guards.hold(args):
            return self._run(store, None if None in quick else quick, args, kwargs)
        settings.latest, store.entries.used = entry.reference, entry
        outputs = entry.runner(list(args))
        return outputs[0] if entry.simple else finish(entry.noting(outputs), outputs, args)

    def _run(self, store, quick, args, kwargs):
        """Run the program of these arguments, whatever they are; one that is new is traced. ``quick``: where the short table is to
        have it, or None."""
        args, kwargs = self.signature.bind(args, kwargs)
        leaves = []
        structure = flatten((args, kwargs), leaves)
        specs = [None if spec is not None and is_tensor(leaf) and not fits(spec, leaf) else spec  # what comes counts, as in Paddle
                 for leaf, spec in zip(leaves, self._specs(args, kwargs, leaves))]
        tensors = [leaf if leaf.__class__ is Tensor else as_tensor(leaf) for leaf in leaves if is_tensor(leaf)]
        key = (structure, *[key_of(leaf, spec) for leaf, spec in zip(leaves, specs)])
        entry = store.find(key, tensors)
        if entry is None:
            entry = self._trace_or_fall_back(store, key, structure, leaves, specs)
            if entry is None:
                return self.eager(*args, **kwargs)
        if quick is not None and len(tensors) == len(quick):
            store.quick[quick] = entry
            if len(store.quick) > 4 * CACHE_SIZE:
                store.quick.clear()
        settings.latest, store.entries.used = entry.reference, entry
        outputs = entry.runner(tensors)
        return finish(entry.noting(outputs), outputs, tensors)

    @folded
    def eager(self, *args, **kwargs):
        """The function itself."""
        if self.instance is not None:
            return self.dygraph_function(self.instance, *args, **kwargs)
        return self.dygraph_function(*args, **kwargs)

    eager.__wrapped_by_jit__ = True

    def _specs(self, args, kwargs, leaves):
        if self.signature.specs is None:
            return [None] * len(leaves) if len(args) == len(leaves) - len(kwargs) else self._matching(None, args, leaves)
        if len(self.signature.specs) > len(args) + len(kwargs):
            raise ValueError(f"to_static(): input_spec has {len(self.signature.specs)} entries, but {self.__name__}() was called "
                             f"with {len(args)} arguments")
        return self._matching(self.signature.specs, args, leaves)

    def _matching(self, specs, args, leaves):
        found = matching_specs(specs, args, self.__name__)
        return found + [None] * (len(leaves) - len(found))

    def _trace_or_fall_back(self, store, key, structure, leaves, specs):
        count = store.retraces[key] = store.retraces.get(key, 0) + 1
        if count > MOST_RETRACES:
            return self._fall_back(store, f"its Python state changes from call to call ({count - 1} different traces)", None)
        try:
            entry = self._trace(structure, leaves, specs)
        except Exception as error:
            if self.full_graph and not (self.build_strategy is not None and self.build_strategy.build_cinn_pass):
                raise  # code for a compiler may fall back all the same, as in Paddle
            return self._fall_back(store, str(error) or type(error).__name__, error)
        store.add(key, entry)
        return entry

    def _fall_back(self, store, why, error):
        store.eager = True
        warnings.warn(f"to_static: {self.__qualname__} runs eagerly, because it could not be made into a program"
                      f"{place_of(error)}: {why}", stacklevel=5)
        return None

    def _trace(self, structure, leaves, specs):
        """An Entry for these arguments."""
        trace = Trace(convert_call)
        trace.values_stay = bool(self.full_graph)  # nothing else can be done with numpy() then; Paddle does the same
        names = input_names(self.signature, structure)
        try:
            with tracing(trace):
                values = []
                for k, (leaf, spec) in enumerate(zip(leaves, specs)):
                    if is_tensor(leaf) or isinstance(leaf, InputSpec):
                        like = spec if spec is not None else leaf
                        name = names[k] if getattr(like, "name", None) is None or isinstance(like, Tensor) else like.name
                        given = Given(like if not isinstance(like, np.ndarray) else wrap(like), leaf, name, trace.program)
                        trace.inputs.append(given)
                        values.append(given.variable)
                    else:
                        values.append(leaf)
                args, kwargs = rebuild(structure, iter(values))
                trace.journal.arguments = {number for value in [*args, *kwargs.values()] for number in containers(value)}
                if isinstance(self.instance, Layer):
                    trace.journal.meet(self.instance)
                target = self.dygraph_function if self.instance is None else types.MethodType(self.dygraph_function,
                                                                                             self.instance)
                concrete = Concrete(trace, functools.partial(convert_call(target), *args, **kwargs), self.dygraph_function)
        except BaseException:
            trace.rewind()
            raise
        if self.simplifies:
            to_prim(concrete.program.blocks)  # nothing, unless a program asked for simpler operators
        specs = iter([InputSpec(v.shape, v.dtype, v.name) for v in concrete.inputs])
        leaves = [next(specs) if is_tensor(leaf) or isinstance(leaf, InputSpec) else leaf for leaf in leaves]
        translator.log(1, "program of %s\n%s", self.__qualname__, concrete.program)
        skip = () if self.build_strategy is None else self.build_strategy.skipped()
        return Entry(concrete, Guards(trace), (structure, leaves), skip)

    # ---- looking inside ----
    def get_concrete_program(self, *args, **kwargs):
        """(traced program, its Runner) for arguments, which may be InputSpecs in place of tensors."""
        if kwargs.pop("with_hook", False) or kwargs.pop("is_train", None):
            raise Untranslatable("get_concrete_program(): with_hook and is_train are not supported")
        args, kwargs = self.signature.bind(args, kwargs)
        self.signature.check_complete(args)
        leaves = []
        structure = flatten((args, kwargs), leaves)
        specs, store = self._specs(args, kwargs, leaves), self._own
        tensors = [leaf for leaf in leaves if is_tensor(leaf)]
        key = (structure, *[leaf if isinstance(leaf, InputSpec) else key_of(leaf, spec) for leaf, spec in zip(leaves, specs)])
        entry = None if tensors else store.find(key, tensors)
        if entry is None:
            entry = self._trace(structure, leaves, specs)
            store.retraces.setdefault(key, 0)
            store.add(key, entry)
        store.entries.used = entry
        return entry.concrete, entry.runner

    def trace_again(self):
        """The program for the arguments of the last call, traced anew (modes of layers may have changed)."""
        structure, leaves = self._own.entries.used.arguments
        return self._trace(structure, leaves, [None] * len(leaves)).concrete

    @property
    def concrete_program(self):
        """The program that was used last; traced now from ``input_spec`` if it was not called before."""
        if context.static_mode and context.trace is None:
            raise RuntimeError(f"to_static(): the program of {self.__qualname__} is only available in dynamic mode; call "
                               "paddle.disable_static() before its parameters are made")
        if self._own.entries.used is not None:
            return self._own.entries.used.concrete
        if self._own.eager:
            raise RuntimeError(f"to_static(): {self.__qualname__} could not be made into a program and runs eagerly")
        return self.get_concrete_program(*self.signature.spec_args())[0]

    def concrete_program_specify_input_spec(self, input_spec=None, with_hook=False, is_prim_infer=False):
        """The program for given InputSpecs (those of the decorator, or of the last call, for None)."""
        if with_hook or is_prim_infer:
            raise NotImplementedError("concrete_program_specify_input_spec(): with_hook and is_prim_infer are not supported; "
                                      "paddle.jit.save writes a program with the hooks of its layer")
        if input_spec is None:
            return self.concrete_program
        return self.get_concrete_program(*self.signature.spec_args(input_spec))[0]

    @property
    def main_program(self):
        """The Program of ``concrete_program``."""
        return self.concrete_program.program

    @property
    def inputs(self):
        """Input Variables of ``concrete_program``."""
        return self.concrete_program.inputs

    @property
    def outputs(self):
        """Output Variables of ``concrete_program``."""
        return self.concrete_program.outputs

    @property
    def code(self):
        """Source of the translated function."""
        return translated_source(self.dygraph_function)

    @property
    def function_spec(self):
        """How the arguments are bound (see Signature)."""
        return self.signature

    @property
    def program_cache(self):
        """The traced programs by key."""
        return self._own.entries

    def get_traced_count(self):
        """How many programs have been traced."""
        return len(self.program_cache.concrete_programs())

    def rollback(self):
        """The eager function again; the object gets its own method back, others of its class stay as they are."""
        if self.instance is None:
            return self.dygraph_function
        for name, value in list(self.instance.__dict__.items()):
            if isinstance(value, StaticFunction) and value.dygraph_function is self.dygraph_function:
                del self.instance.__dict__[name]
        method, name = types.MethodType(self.dygraph_function, self.instance), self.dygraph_function.__name__
        of_class = getattr(type(self.instance), name, None)
        if isinstance(of_class, StaticFunction) and of_class.dygraph_function is self.dygraph_function:  # decorated in the class
            self.instance.__dict__[name] = method
        return method


# ---- results -------------------------------------------------------------------------------------------------------------
def finish(concrete, outputs, inputs):
    """The function's result from the program's outputs."""
    def pick(place):
        kind, k = place
        if kind == "input" or kind == "argument":
            return inputs[k if kind == "input" else k[0]]
        return concrete.constants[k] if kind == "constant" else outputs[k]
    for setter in concrete.setters:
        setter(rebuild(setter.structure, iter([pick(p) for p in setter.places])), inputs)
    return rebuild(concrete.structure, iter([pick(p) for p in concrete.places]))


def place_of(error):
    """' (construct at file:line)' of an error's innermost frame outside this package."""
    if error is None:
        return ""
    found, trace = None, error.__traceback__
    while trace is not None:
        filename = trace.tb_frame.f_code.co_filename
        if not filename.startswith(_HERE):
            found = (filename, trace.tb_lineno)
        trace = trace.tb_next
    return f" ({found[0]}:{found[1]})" if found else ""
