"""Training steps: ``backward``, gradients of leaves, and optimizers' updates inside a function that is traced.

While the function is traced, ``_grad`` of the leaves that it touches holds Variables of the program. Afterwards the leaves are
put back, and every run of the program sets the gradients that the code leaves behind.
"""

import operator

import numpy as np

from ..core import autograd
from ..core.context import context, process
from ..core.errors import UnusedInputError, describe
from ..core.op import Symbolic
from ..core.rows_tensor import whole_array
from ..core.tensor import ZERO, Tensor, wrap
from ..optimizer.lr import LRScheduler
from ..static.backward import append
from ..static.ir.differentiate import Differentiation
from ..static.ir.lower import Lowering
from ..static.program.program import BACKWARD
from ..static.program.record import capture
from ..tensor.creation import zeros, zeros_like
from ..utils import unique_name
from .errors import Untranslatable
from .places import Field, Setter

# What a leaf's gradient must be when the program begins; ADDED_TO: none or a cleared one, which are alike to what is added
ANY, NONE, CLEARED, TENSOR, ADDED_TO = range(5)


def kind_of(gradient):
    """NONE, CLEARED or TENSOR."""
    return NONE if gradient is None else CLEARED if gradient is ZERO else TENSOR


class Gradient(Field):
    """The gradient of a leaf that the code touches. To the program it is the tensor that the gradient is at the beginning."""

    stop_gradient = True

    def __init__(self, leaf):
        super().__init__(leaf, "_grad")
        self.before, self.expected, self.written, self.name = leaf._grad, ANY, False, leaf.name + "@GRAD_BEFORE"

    shape = property(lambda self: self.owner.shape)
    dtype = property(lambda self: self.owner.dtype)
    _data = property(lambda self: whole_array(self.owner._grad))

    def holds(self):
        """Is the gradient what the program expects?"""
        expected, kind = self.expected, kind_of(self.owner._grad)
        return expected == kind or expected == ANY or expected == ADDED_TO and kind != TENSOR


class Gradients:
    """What a function that is traced does about gradients."""

    def __init__(self, trace):
        self.trace, self.program = trace, trace.program
        self.leaves = {}  # id -> Gradient
        self.of_inputs = {}  # number of an input -> its gradient
        self.spent = set()  # operators that a backward pass has gone through
        self.before = []  # what happens in Python before every run: rates are read, schedulers go on
        self.optimizers = []  # Settings
        self.goes_back = self.updates = False  # does the code call backward; does it change what receives gradients?

    @property
    def trains(self):
        """Is the function a training step, which leaves nothing to differentiate behind?"""
        return self.goes_back or self.updates

    # ---- gradients of leaves ----
    def leaf(self, tensor):
        """The Gradient of a tensor."""
        return self.leaves.setdefault(id(tensor), Gradient(tensor))

    def look(self, tensor):
        """The gradient as it stands: None, ZERO or a Variable. The program depends on which of them it was at first."""
        leaf = self.leaf(tensor)
        if leaf.expected == ANY and not leaf.written:
            leaf.expected = kind_of(leaf.before)
            if leaf.expected == TENSOR:
                tensor._grad = capture(leaf, self.program)
        return tensor._grad

    def read(self, tensor):
        """``tensor.grad``."""
        gradient = self.look(tensor)
        if gradient is ZERO:
            return zeros(tensor.shape, tensor.dtype)
        return gradient

    def write(self, tensor, value):
        """``tensor.grad = value``."""
        if self.program.current_block_idx:
            raise Untranslatable("a gradient changes under the control of a tensor")
        if value is not None and value is not ZERO and not isinstance(value, (Tensor, Symbolic)):
            raise TypeError(f"grad: must be a Tensor or None, got {describe(value)}")
        self.leaf(tensor).written = True
        tensor._grad = self.trace.variable(value) if isinstance(value, Tensor) else value

    def clear(self, tensor, to):
        """``tensor.clear_gradient()``."""
        if self.look(tensor) is not None:
            self.write(tensor, to)

    def add(self, tensor, gradient):
        """Add to the gradient of a leaf."""
        leaf = self.leaf(tensor)
        if leaf.expected == ANY and not leaf.written and kind_of(leaf.before) != TENSOR:
            leaf.expected = ADDED_TO
        before = None if leaf.expected == ADDED_TO and not leaf.written else self.look(tensor)
        self.write(tensor, gradient if before is None or before is ZERO else before + gradient)

    def of_variable(self, variable):
        """``variable.grad`` of an input."""
        for k, given in enumerate(self.trace.inputs):
            if given.variable is variable:
                if given.before is ZERO and k not in self.of_inputs:
                    return zeros_like(variable)
                return self.of_inputs.get(k)
        raise Untranslatable("grad of a tensor that the function computes itself")

    # ---- differentiation ----
    def backward(self, tensors, grad_tensors=None):
        """``backward`` of some tensors: gradients are added to those of all leaves that they depend on."""
        if process.leaf_watchers or process.end_watchers:
            raise Untranslatable("backward() that others watch (data parallel training)")
        if context.rules.accumulates == "none":
            raise Untranslatable("backward() of 2.0 alpha, which does not accumulate")
        self.goes_back = True
        roots = self.variables(tensors, "backward", "tensors")
        seeds = self.seeds(roots, grad_tensors)
        with autograd.no_grad():
            lowering = self.lowered()
            owners = self.owners(lowering)
            found = self.append(lowering, roots, seeds, set(owners))
            if not any(v in found for v in owners):
                raise RuntimeError("backward(): this tensor has stop_gradient=True: there is nothing to differentiate")
            for value, owner in owners.items():
                if value in found:
                    self.arrive(owner, found[value].var)

    def arrive(self, owner, gradient):
        """Give a leaf its gradient."""
        gradient.stop_gradient = True
        if owner is None:
            raise Untranslatable("backward() to values that a parameter had before it was changed")
        if isinstance(owner, int):
            before = self.of_inputs.get(owner)
            self.of_inputs[owner] = gradient if before is None else before + gradient
            return
        for hook in list(owner._meta.hooks.values()) if owner._meta is not None else ():
            result = self.trace.convert(hook)(gradient)
            gradient = gradient if result is None else result
        self.add(owner, gradient)

    def grad(self, outputs, inputs, grad_outputs, create_graph, allow_unused, no_grad_vars):
        """``paddle.grad``."""
        outputs, inputs = self.variables(outputs, "grad", "outputs"), self.variables(inputs, "grad", "inputs")
        if any(v.stop_gradient for v in inputs):
            raise RuntimeError("grad(): an input has stop_gradient=True; set it to False before computing the outputs")
        constants = self.variables(no_grad_vars or [], "grad", "no_grad_vars")
        seeds = self.seeds(outputs, grad_outputs)
        with autograd.enable_grad() if create_graph else autograd.no_grad():
            lowering = self.lowered()
            values = [lowering.read(v.name) for v in inputs]
            found = self.append(lowering, outputs, seeds, set(values), [v.name for v in constants])
        results = []
        for n, value in enumerate(values):
            if value not in found and not allow_unused:
                raise UnusedInputError(f"grad(): no output depends on input {n} (shape {list(inputs[n].shape)}); "
                                       "allow_unused=True gives None for it")
            results.append(found[value].var if value in found else None)
            if results[-1] is not None:
                results[-1].stop_gradient = not create_graph
        return results

    def variables(self, value, function, argument):
        """A list of Variables from one tensor or several."""
        items = [value] if isinstance(value, (Tensor, Symbolic)) else value
        if not isinstance(items, (list, tuple, set)) or not all(isinstance(t, (Tensor, Symbolic)) for t in items):
            raise TypeError(f"{function}(): {argument} must be a Tensor or a list of Tensors, got {describe(value)}")
        return [self.trace.variable(t) if isinstance(t, Tensor) else t for t in items]

    def seeds(self, roots, given):
        """One Variable, or None for ones, per root."""
        given = list(given) if isinstance(given, (list, tuple)) else [given] * len(roots) if given is None else [given]
        if len(given) != len(roots):
            raise ValueError(f"backward(): {len(roots)} tensors but {len(given)} gradients")
        return [self.trace.variable(g) if isinstance(g, Tensor) else g for g in given]

    def lowered(self):
        """The program so far as a graph."""
        if self.program.current_block_idx:
            raise Untranslatable("backward() or grad() under the control of a tensor")
        return Lowering(self.program.global_block(), []).run()

    def append(self, lowering, roots, seeds, wanted, blocked=()):
        """Add gradient operators; returns Value -> Value of its gradient."""
        values = [lowering.read(v.name) for v in roots]
        self.spent.update(node.operator for node in _ancestors(lowering.graph, values))
        with self.program.with_role(BACKWARD):
            return append(lowering, values, [None if s is None else lowering.read(s.name) for s in seeds], wanted, blocked)

    def owners(self, lowering):
        """Value -> the tensor (or number of the input) that its gradient goes to; None for earlier values of a tensor."""
        found, current = {}, lowering.values
        leaves = {name: t for name, t in self.program.captured.items()
                  if not t.stop_gradient and t._data.dtype.kind in "fcV"}
        for name, tensor in leaves.items():
            if tensor._edge is not None:
                raise Untranslatable(f"backward() goes on to what computed the tensor {name!r} outside the function")
        for value in [*lowering.graph.states.values(), *[v for node in lowering.graph.nodes for v in node.outs]]:
            if value is not None and value.name in leaves:
                found[value] = leaves[value.name] if current.get(value.name) is value else None
        for k, given in enumerate(self.trace.inputs):
            value = lowering.graph.states.get(given.name)
            if value is not None and not value.var.stop_gradient and value.var.dtype.is_floating:
                if given.attached or kind_of(given.before) == TENSOR:
                    raise Untranslatable("backward() to an argument that has a gradient, or was computed, already")
                found[value] = k
        return found

    def finish(self, outputs):
        """What running the training step needs to know (nothing that keeps layers alive)."""
        return Training(self.before, self.goes_back, self.check_results(outputs))

    def check_results(self, outputs):
        """The numbers of outputs that lead back to what backward has gone through; Untranslatable if one leads elsewhere."""
        lowering = Lowering(self.program.global_block(), []).run()
        active = Differentiation(lowering, set(self.owners(lowering))).active
        values = [lowering.read(v.name) for v in outputs]
        found = [k for k, v in enumerate(values) if v in active]
        for k in found:
            if not any(node.operator in self.spent for node in _ancestors(lowering.graph, [values[k]], active)):
                raise Untranslatable("a training step returns a tensor of which gradients could be asked later; detach() it")
        return found

    # ---- optimizers ----
    def rate(self, optimizer):
        """The variable that has the optimizer's learning rate."""
        if not isinstance(optimizer._learning_rate, (int, float, LRScheduler)) or getattr(optimizer, "_decay", None) is not None:
            raise Untranslatable(f"{type(optimizer).__name__}: a learning rate that is neither a number nor an LRScheduler")
        self.updates = True
        for action in reversed(self.before):
            if not isinstance(action, Rate):
                break
            if action.optimizer is optimizer:
                return capture(action.tensor, self.program)
        self.before.append(Rate(optimizer))
        self.optimizers.append(Settings(optimizer))
        return capture(self.before[-1].tensor, self.program)

    def later(self, method, *args, **kwargs):
        """``scheduler.step()`` and the like: called before every run."""
        if any(isinstance(a, Symbolic) for a in [*args, *kwargs.values()]) or self.program.current_block_idx:
            raise Untranslatable(f"{method.__qualname__}() depends on a tensor")
        self.before.append(lambda: method(*args, **kwargs))

    def ask(self, read):
        """A learning rate that the code asks for: another one needs another program."""
        if any(not isinstance(action, Rate) for action in self.before):
            raise Untranslatable("the learning rate is asked for after it was changed")
        return self.trace.journal.ask(read)

    # ---- the end ----
    def rewind(self):
        """Put the leaves back."""
        for leaf in self.leaves.values():
            leaf.refill(leaf.before)

    def settle(self):
        """Put the leaves back; returns the setters of what the code left behind."""
        left = [Setter(leaf, leaf.owner._grad) for leaf in self.leaves.values() if leaf.written]
        self.rewind()
        flags = [(k, given.variable.stop_gradient) for k, given in enumerate(self.trace.inputs)
                 if given.variable.stop_gradient is not given.stopped and not given.changed()]
        return [*left, *[Setter(Field(k, "_grad"), g) for k, g in self.of_inputs.items()],
                *[Setter(Field(k, "stop_gradient"), flag) for k, flag in flags]]


def _ancestors(graph, values, among=None):
    """The nodes that values were computed by, going back through some Values only."""
    reached, found = set(values), []
    for node in reversed(graph.nodes):
        if any(v in reached for v in node.outs):
            found.append(node)
            reached.update(v for v in node.ins if v is not None and (among is None or v in among))
    return found


class Training:
    """How a training step runs: what happens before, does it go back, and which of its outputs lead to a freed graph."""

    def __init__(self, before, goes_back, spent):
        self.before, self.goes_back, self.spent = before, goes_back, spent


class Rate:
    """Keeps a tensor at an optimizer's learning rate."""

    def __init__(self, optimizer):
        self.optimizer, self.last = optimizer, None
        self.tensor = wrap(np.zeros([1], np.float32))
        self.tensor.name, self.tensor.persistable = unique_name.generate("learning_rate"), True

    def __call__(self):
        rate = self.optimizer.get_lr()
        if rate != self.last:
            self.last, self.tensor._data = rate, np.array([rate], np.float32)


class Settings:
    """What updates of an optimizer depend on besides its states and learning rate."""

    def __init__(self, optimizer):
        self.optimizer, self.known = optimizer, self.now(optimizer)

    @staticmethod
    def now(optimizer):
        """The settings as a list of objects."""
        found = []
        for group in optimizer._groups:
            found += group.values()
            found += group["params"]
            for p in group["params"]:
                found += (p.optimize_attr["learning_rate"], p.regularizer, p.need_clip)
        return found

    def hold(self):
        """Are they what they were?"""
        now = self.now(self.optimizer)
        return len(now) == len(self.known) and all(map(operator.is_, now, self.known))


class StepGuards:
    """True while gradients, what receives them, and optimizers are as they were when a training step was traced."""

    def __init__(self, trace):
        gradients = trace.gradients
        self.leaves, self.optimizers = [leaf for leaf in gradients.leaves.values() if leaf.expected != ANY], gradients.optimizers
        own = {id(t) for s in self.optimizers for table in s.optimizer._accumulators.values() for t in table.values()}
        self.captured, self.inputs = [], []
        if gradients.trains:
            self.captured = [(t, t.stop_gradient) for t in trace.program.captured.values()
                             if isinstance(t, Tensor) and id(t) not in own]
            self.inputs = [(given.stopped, given.before) for given in trace.inputs]

    def hold(self, tensors):
        """May the program be used with these arguments?"""
        for leaf in self.leaves:
            if not leaf.holds():
                return False
        for tensor, stopped in self.captured:
            if tensor.stop_gradient is not stopped or tensor._edge is not None:
                return False
        for tensor, (stopped, before) in zip(tensors, self.inputs):
            if tensor.stop_gradient is not stopped or not stopped and (tensor._edge is not None or tensor._grad is not before):
                return False
        return all(settings.hold() for settings in self.optimizers)
