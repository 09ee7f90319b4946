"""A program as one node of the tape: forward and backward are two plans."""

from ..core import autograd, random
from ..core.autograd import Node
from ..core.tensor import wrap
from ..static.calls import RANDOM
from ..static.function import Function


class Runner:
    """Calls a program with Tensors; gradients reach its inputs and the tensors that it captured.

    Args:
        program: its ``captured`` tensors are read, and written where it updates them.
        inputs, outputs: names of variables.
        name: shown in errors of backward.
        skip: names of passes to leave out.
    """

    def __init__(self, program, inputs, outputs, name, skip=()):
        self.program, self.inputs, self.outputs = program, list(inputs), list(outputs)
        self.function = Function(program, self.inputs, self.outputs, skip=skip)
        self.step = Step(self, name)
        missing = [n for n in self.function.state_names if n not in program.captured]
        if missing:
            raise ValueError(f"{name}: the program reads {missing[0]!r}, which nothing gives a value")
        self.captured = [program.captured[n] for n in self.function.state_names]
        n = len(self.inputs)
        self.trainable = [(n + k, t) for k, t in enumerate(self.captured) if t._data.dtype.kind in "fcV"]
        self.draws = any(op.type in RANDOM for block in program.blocks for op in block.ops)
        self.pairs = {}  # wanted leaves -> (plans, numbers of the outputs that depend on them, captured tensors to update)

    def __call__(self, tensors):
        """Output Tensors (lists of them for tensor arrays) for input Tensors."""
        arrays = [t._data for t in tensors]
        if autograd.mode.grad:
            wanted = tuple([k for k, t in enumerate(tensors) if not t.stop_gradient and t._data.dtype.kind in "fcV"]
                           + [k for k, t in self.trainable if not t.stop_gradient])
            if wanted:
                found = self.pairs.get(wanted) or self.prepare(wanted)
                if found[1]:
                    return self.record(tensors, arrays, wanted, *found)
        return [_wrapped(o) for o in self.function(arrays)]

    def prepare(self, wanted):
        """Plans for some wanted leaves."""
        pair = self.function.pair(wanted)
        captured = self.program.captured
        found = self.pairs[wanted] = (pair, frozenset(pair.given), [captured[n] for n in pair.forward.update_names],
                                      [captured[n] for n in pair.forward.state_names], not pair.forward.overwritten)
        return found

    def record(self, tensors, arrays, wanted, pair, given, updated, states, direct):
        """Run forward and put one node on the tape."""
        state = random.default_generator().get_state() if self.draws else None
        before = [t._data for t in self.captured]
        if direct:
            values, updates = pair.forward(arrays, [t._data for t in states])
            for tensor, array in zip(updated, updates):
                tensor.replace(array)
            n = len(self.outputs)
            outputs, kept = values[:n], values[n:]
        else:
            outputs, kept = self.function.forward(arrays, wanted)
        n = len(tensors)
        leaves = [tensors[k] if k < n else self.captured[k - n] for k in wanted]
        slots = []
        node = Node(self.step, [t._edge or t for t in leaves], (pair, kept, wanted, slots, tensors, before, state))
        metas, results = [], []
        for k, out in enumerate(outputs):
            if out.__class__ is list:
                results.append([self.output(array, node, k in given, (k, j), slots, metas) for j, array in enumerate(out)])
            else:
                results.append(self.output(out, node, k in given, (k, None), slots, metas))
        node.out_metas = metas
        return results

    def output(self, array, node, has_gradient, slot, slots, metas):
        """One output Tensor, leading back to the node."""
        tensor = wrap(array)
        if has_gradient:
            autograd.attach(tensor, node, len(slots))
        slots.append(slot)
        metas.append((array.shape, array.dtype))
        return tensor


class Trainer(Runner):
    """Calls a program that is a training step: it goes back by itself, and its results lead nowhere."""

    def follow(self, gradients, spent):
        """Do what the traced code does in Python before every run; ``spent``: outputs whose graph backward has freed."""
        self.before, self.goes_back, self.spent = gradients.before, gradients.goes_back, spent

    def __call__(self, tensors):
        if self.goes_back and not autograd.mode.grad:
            raise RuntimeError(f"backward() in {self.step.name}: nothing was recorded, because it was called under no_grad")
        for action in self.before:
            action()
        outputs = [_wrapped(o) for o in self.function([t._data for t in tensors])]
        if self.spent:
            node = Node(self.step, [])
            node.free()
            for k in self.spent:
                autograd.attach(outputs[k], node)
        return outputs


class Step:
    """How a Runner's node goes back."""

    partial = True  # it is told None for outputs that no gradient reached

    def __init__(self, runner, name):
        self.runner, self.name = runner, name

    def __call__(self, node, g, create_graph):
        pair, kept, wanted, slots, tensors, before, state = node.saved
        n = len(self.runner.outputs)
        gradients = g if n == 1 and slots[0][1] is None else self.grouped(slots, g, n)
        if create_graph:
            from .taped import differentiate
            return differentiate(self.runner, tensors, before, state, wanted, gradients)
        return pair.gradients(kept, gradients)

    def grouped(self, slots, g, n):
        """Gradients by output, those of a tensor array's members in a list."""
        gradients = [None] * n
        for (k, j), one in zip(slots, g):
            gradients[k] = one if j is None else [*(gradients[k] or []), one]
        return gradients


def _wrapped(value):
    return [_wrapped(v) for v in value] if isinstance(value, list) else wrap(value)
