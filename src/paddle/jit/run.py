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
    """

    def __init__(self, program, inputs, outputs, name):
        self.program, self.inputs, self.outputs = program, list(inputs), list(outputs)
        self.function = Function(program, self.inputs, self.outputs)
        self.step = Step(self, name)
        self.captured = [(len(self.inputs) + k, program.captured[n]) for k, n in enumerate(self.function.state_names)
                         if n in program.captured]
        self.trainable = [(k, t) for k, t in self.captured if t._data.dtype.kind in "fcV"]
        self.draws = any(op.type in RANDOM for block in program.blocks for op in block.ops)

    def __call__(self, tensors):
        """Output Tensors (lists of them for tensor arrays) for input Tensors."""
        arrays = [t._data for t in tensors]
        wanted = ()
        if autograd.mode.grad:
            wanted = tuple([k for k, t in enumerate(tensors) if not t.stop_gradient and t._data.dtype.kind in "fcV"]
                           + [k for k, t in self.trainable if not t.stop_gradient])
        if not wanted:
            return [_wrapped(o) for o in self.function(arrays)]
        given = self.function.given(wanted)
        if not given:
            return [_wrapped(o) for o in self.function(arrays)]
        return self.record(tensors, arrays, wanted, given)

    def record(self, tensors, arrays, wanted, given):
        """Run forward and put one node on the tape."""
        state = random.default_generator().get_state() if self.draws else None
        before = [t._data for _, t in self.captured]
        outputs, kept = self.function.forward(arrays, wanted)
        leaves = dict(self.trainable)
        edges = [t._edge or t for t in [tensors[k] if k < len(tensors) else leaves[k] for k in wanted]]
        slots, metas, results = [], [], []
        node = Node(self.step, edges, (kept, wanted, slots, list(tensors), before, state))
        for k, out in enumerate(outputs):
            members = out if isinstance(out, list) else [out]
            made = []
            for j, array in enumerate(members):
                tensor = wrap(array)
                if k in given:
                    autograd.attach(tensor, node, len(slots))
                slots.append((k, j if isinstance(out, list) else None))
                metas.append((array.shape, array.dtype))
                made.append(tensor)
            results.append(made if isinstance(out, list) else made[0])
        node.out_metas = metas
        return results


class Step:
    """How a Runner's node goes back."""

    partial = True  # it is told None for outputs that no gradient reached

    def __init__(self, runner, name):
        self.runner, self.name = runner, name

    def __call__(self, node, g, create_graph):
        kept, wanted, slots, tensors, before, state = node.saved
        gradients = [None] * len(self.runner.outputs)
        for (k, j), one in zip(slots, g):
            if j is None:
                gradients[k] = one
            else:
                gradients[k] = [*(gradients[k] or []), one]
        if create_graph:
            from .taped import differentiate
            return differentiate(self.runner, tensors, before, state, wanted, gradients)
        return self.runner.function.backward(kept, gradients, wanted)


def _wrapped(value):
    return [_wrapped(v) for v in value] if isinstance(value, list) else wrap(value)
