"""Tracing: a function is called with static Variables; every op it calls, also on eager tensors, goes into a program."""

import contextlib
import functools
import weakref

from ..core import hooks
from ..core.context import changed, context
from ..core.errors import describe
from ..core.names import Counters
from ..core.op import Symbolic
from ..core.random import program_seed
from ..core.tensor import Tensor
from ..nn.layer import layers
from ..static.array import is_array
from ..static.program import program as program_module
from ..static.program.record import CONSTANT_LIMIT, as_variable, capture, constant
from .arrays import TensorList
from .errors import NoValue, Unset, Untranslatable
from .journal import Frame, Journal
from .looping import trimmed
from .places import Argument, Setter
from .training import Gradients
from .values import flatten


def current():
    """The Trace that is under way in this thread, or None."""
    return context.trace


class _Capture(hooks.OpHook):
    """Puts variables of the program in place of eager tensors that ops meet while a function is traced."""

    def __init__(self, trace):
        self.trace = trace

    def before(self, op, args):
        program = self.trace.program
        if program_module.default_main_program() is not program:
            return args
        args = list(args)
        for i in op._in_range:
            a = args[i]
            if isinstance(a, Tensor):
                args[i] = self.trace.variable(a)
            elif isinstance(a, (list, tuple)) and any(isinstance(item, Tensor) for item in a):
                args[i] = [self.trace.variable(item) if isinstance(item, Tensor) else item for item in a]
        return tuple(args)


class Trace:
    """One function call being written into a program."""

    values_stay = False  # are numpy() and item() of a Variable the Variable, rather than refused?

    def __init__(self, convert):
        self.program = program_module.Program()
        self.program.exact_shapes = True
        self.program.random_seed = program_seed("main")  # a dropout restarts with it, traced or not
        self.convert = convert  # what to call in place of a function
        self.inputs = []  # Given
        self.journal = Journal()
        self.gradients = Gradients(self)

    def variable(self, tensor):
        """The variable that stands for an eager tensor: one that reads it, or a constant for a small one met by chance."""
        journal = self.journal
        journal.met.add(id(tensor))
        chance = tensor.__class__ is Tensor and tensor.stop_gradient and not tensor.persistable and id(tensor) not in journal.known
        if chance and tensor._data.size <= CONSTANT_LIMIT and tensor._data.dtype.kind in "fiub":
            journal.frozen.append((weakref.ref(tensor), tensor._version))
            return constant(tensor._data)
        name = tensor.name
        known = self.program.captured.get(name)
        if known is not tensor and (known is not None or name in self.program.global_block().vars):
            raise Untranslatable(f"two different tensors are named {name!r}")
        return capture(tensor, self.program)

    def translated(self, method):
        """The method to call in place of a layer's ``forward``."""
        return self.convert(method)

    def refuse_views(self, var, by):
        """Called when a variable is wanted whose memory a view of it, or what it is a view of, changed; or would have changed."""
        raise Untranslatable(f"{by} changes a tensor that shares memory with another one ({var.name}), which programs do not; "
                             "use a copy (x.clone()) before")

    def refuse_shape(self, var):
        """Called when the shape of a variable is wanted whose number of dimensions only a run knows."""
        raise NoValue(var.why)

    def refuse_stale(self, leaf):
        """Called with what the function returns or stores."""
        if getattr(leaf, "stale", None) is not None:
            self.refuse_views(leaf, leaf.stale)

    def refuse_parameter(self, name):
        """Called when the function makes a parameter."""
        raise Untranslatable(f"the parameter {name!r} is made inside the function; make it in __init__")

    def rewind(self):
        """Put all layers and gradients back into the state they had before."""
        self.gradients.rewind()
        self.journal.rewind()

    def settle(self):
        """What the code stored in layers: tensors go back at every run, in the program; returns the setters of new ones."""
        setters = [*self.gradients.settle(), *self.journal.settle()]
        for slot, old, value in self.journal.stored():
            setter = Setter(slot, value)
            for leaf in setter.leaves:
                self.refuse_stale(leaf)
            if isinstance(old, Tensor) and isinstance(value, Symbolic) and old.stop_gradient:
                self.store(old, value, slot.name)
            else:
                setters.append(setter)
        self.journal.rewind_layers()
        return setters

    def store(self, tensor, value, what):
        """Let the program write a value into an eager tensor."""
        if not tensor.stop_gradient:
            if context.grad and what != "set_value":
                raise Untranslatable(f"{what}: a tensor that receives gradients is changed in place")
            self.gradients.updates = True
        self.journal.known.add(id(tensor))
        target = self.variable(tensor)
        value = as_variable(value, self.program.current_block())
        if len(value.shape) != len(target.shape) or value.dtype is not target.dtype:
            raise Untranslatable(f"{what} changes from {describe(tensor)} to a tensor of shape {list(value.shape)} and dtype "
                                 f"{value.dtype.name}")
        self.program.current_block().append_op("assign", {"X": value}, {"Out": target})


@contextlib.contextmanager
def tracing(trace):
    """Ops called inside the ``with`` block go into the trace's program."""
    if context.trace is not None:
        raise RuntimeError("a function is traced inside the tracing of another one")
    with changed(trace=trace, static_mode=True, grad=True, names=Counters(), main=trace.program,
                 startup=program_module.Program()), \
            _Capture(trace):
        trace.journal.frames.append(Frame())
        yield trace


class Concrete:
    """A traced function: its program, inputs and outputs, and how to put results together.

    Args:
        run: calls the function; that its result is known nowhere else shows what the function made for itself.
    """

    def __init__(self, trace, run, function):
        leaves = []
        self.structure = flatten(run(), leaves)
        for leaf in leaves:
            _check_result(leaf)
            trace.refuse_stale(leaf)
        self.program, self.function = trace.program, function
        self.inputs = [trace.program.global_block().vars[given.name] for given in trace.inputs]  # Variables, in order
        self.layers = [weakref.ref(slots.owner) for slots in trace.journal.layers.values()]
        self.setters = trace.settle()
        self.constants, self.outputs = [], []
        self.places = [self._place(leaf, trace) for leaf in leaves]
        for setter in self.setters:
            setter.places = [self._place(leaf, trace) for leaf in setter.leaves]
        for k, given in enumerate(trace.inputs):
            if given.changed():
                self.setters.append(Setter(Argument(k), given.variable))
                self.setters[-1].places = [("output", self._output(given.variable))]
        self.training = trace.gradients.finish(self.outputs) if trace.gradients.trains else None  # a Training

    def _place(self, leaf, trace):
        """Where a leaf of the result comes from: ('input' | 'output' | 'list' | 'constant', which), or ('argument', (which,
        output)) for an argument that the function changes in place."""
        if leaf.__class__ is Unset:
            leaf.fail()
        if isinstance(leaf, TensorList):
            leaf = trimmed(leaf)
        if isinstance(leaf, Tensor):
            self.constants.append(leaf)
            return "constant", len(self.constants) - 1
        if isinstance(leaf, Symbolic):
            for k, given in enumerate(trace.inputs):
                if leaf is given.variable and given.changed():
                    return "argument", (k, self._output(leaf))
                if leaf.name == given.name and not _written(self.program, leaf.name):
                    return "input", k
            return "list" if is_array(leaf) else "output", self._output(leaf)
        self.constants.append(leaf)
        return "constant", len(self.constants) - 1

    def _output(self, variable):
        """The number of an output; the same one for the same Variable."""
        for k, known in enumerate(self.outputs):
            if variable is known:
                return k
        self.outputs.append(variable)
        return len(self.outputs) - 1

    @functools.cached_property
    def parameters(self):
        """The parameters that the program reads."""
        return [t for n, t in self.program.captured.items() if self.program.global_block().vars[n].is_parameter]

    main_program = property(lambda self: self.program)
    startup_program = property(lambda self: program_module.Program())


def _check_result(leaf):
    """Objects of user classes are returned as they are: they can't hold tensors of the program."""
    if isinstance(leaf, (Symbolic, Tensor, TensorList, layers.Layer, type)):
        return
    held = []
    flatten(dict(getattr(leaf, "__dict__", ())), held)
    if any(isinstance(v, Symbolic) for v in held):
        raise Untranslatable(f"return: an object of class {type(leaf).__name__} that holds tensors; return the tensors")


def _written(program, name):
    return any(name in op.output_arg_names for block in program.blocks for op in block.ops)


class Given:
    """An argument of the function that is traced: the Variable that stands for it, and what is known of the tensor."""

    def __init__(self, like, given, name, program):
        self.name = name
        self.stopped = bool(getattr(given if isinstance(given, Tensor) else like, "stop_gradient", True))
        self.before = given._grad if isinstance(given, Tensor) else None
        self.attached = isinstance(given, Tensor) and given._edge is not None
        self.variable = program.global_block().new_var(name=name, shape=like.shape, dtype=like.dtype, is_data=True,
                                                          need_check_feed=True, stop_gradient=self.stopped)

    def changed(self):
        """Was the argument changed in place?"""
        return self.variable.name != self.name
