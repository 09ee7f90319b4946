"""A program as one node of the tape: forward and backward are two plans."""

from ..core import autograd, random
from ..core.autograd import BackwardRecipe, Node
from ..core.context import context
from ..core.tensor import wrap
from ..static.backward import gradients
from ..static.ir.lower import op_of
from ..static.schedule.function import Function
from .taped import differentiate


class Runner:
    """Calls a program with Tensors; gradients reach its inputs and the tensors that it captured.

    Args:
        program: its ``captured`` tensors are read, and written where it updates them.
        inputs, outputs: names of variables.
        name: shown in errors of backward.
        skip: names of passes to leave out.
    """

    def __init__(self, program, inputs, outputs, name, skip=()):
        self.program, self.inputs, self.outputs, self.name = program, list(inputs), list(outputs), name
        self.function = Function(program, self.inputs, self.outputs, skip=skip)
        missing = [n for n in self.function.state_names if n not in program.captured]
        if missing:
            raise ValueError(f"{name}: the program reads {missing[0]!r}, which nothing gives a value")
        self.captured = [program.captured[n] for n in self.function.state_names]
        self.draws = any(_draws(op.type) for block in program.blocks for op in block.ops)
        self.recordings = {}  # which leaves have stop_gradient -> Recording, or None if no output depends on the others

    def __call__(self, tensors):
        """Output Tensors (lists of them for tensor arrays) for input Tensors."""
        if context.grad:
            stopped = tuple([t.stop_gradient for t in tensors] + [t.stop_gradient for t in self.captured])
            try:
                recording = self.recordings[stopped]
            except KeyError:
                recording = self.recordings[stopped] = self.prepare(tensors)
            if recording is not None:
                return recording.run(tensors)
        return [_wrapped(o) for o in self.function([t._data for t in tensors])]

    @property
    def forward_program(self):
        """The program that is called."""
        return self.program

    @property
    def backward_program(self):
        """The program with the operators of the gradients of its outputs with respect to its inputs."""
        program = self.program.clone()
        block = program.global_block()
        inputs = [block.var(n) for n in self.inputs if block.has_var(n)]
        for variable in inputs:
            variable.stop_gradient = False
        targets = [block.var(n) for n in self.outputs if block.var(n).dtype.is_floating or block.var(n).dtype.is_complex]
        if targets and inputs:
            gradients(targets, inputs)
        return program

    train_program = backward_program

    def prepare(self, tensors):
        """How to run where these tensors (and the captured ones) are to get gradients."""
        wanted = tuple([k for k, t in enumerate([*tensors, *self.captured])
                        if not t.stop_gradient and t._data.dtype.kind in "fcV"])
        pair = self.function.pair(wanted) if wanted else None
        return Recording(self, wanted, pair) if pair is not None and pair.given else None


class Trainer(Runner):
    """Calls a program that is a training step: it goes back by itself, and its results lead nowhere."""

    def __init__(self, training, *args):
        super().__init__(*args)
        self.training = training

    def __call__(self, tensors):
        if self.training.goes_back and not context.grad:
            raise RuntimeError(f"backward() in {self.name}: nothing was recorded, because it was called under no_grad")
        for action in self.training.before:
            action()
        outputs = [_wrapped(o) for o in self.function([t._data for t in tensors])]
        if self.training.spent:
            node = Node(Ended(self.name), [])
            node.free()
            for k in self.training.spent:
                autograd.attach(outputs[k], node)
        return outputs


class Ended(BackwardRecipe):
    """What a freed node shows of itself."""

    takes_none = True

    def __init__(self, name):
        self.name = name


class Recording(BackwardRecipe):
    """Runs a program forward and puts one node on the tape, whose way back this is too (``node.recipe``)."""

    takes_none = True  # it is told None for outputs that no gradient reached

    def __init__(self, runner, wanted, pair):
        self.runner, self.wanted, self.pair, self.name = runner, wanted, pair, runner.name
        captured, forward, n = runner.program.captured, pair.forward, len(runner.inputs)
        self.updated = [captured[name] for name in forward.update_names]
        self.states = None if forward.state_names == runner.function.state_names else [captured[n] for n in forward.state_names]
        self.inputs_wanted = [k for k in wanted if k < n]
        self.captured_wanted = [runner.captured[k - n] for k in wanted if k >= n]
        self.single = len(runner.outputs) == 1 and list(pair.given) == [0]

    def run(self, tensors):
        """Output Tensors that lead back to one node."""
        runner, pair = self.runner, self.pair
        state = random.default_generator().get_state() if runner.draws else None
        before = [t._data for t in runner.captured]
        arrays = [t._data for t in tensors]
        if pair.forward.overwritten:
            outputs, kept = runner.function.forward(arrays, self.wanted)
        else:
            values, updates = pair.forward(arrays, before if self.states is None else [t._data for t in self.states])
            for tensor, array in zip(self.updated, updates):
                tensor.replace(array)
            n = len(runner.outputs)
            outputs, kept = values[:n], values[n:]
        node = Node(self, [t._edge or t for t in [*[tensors[k] for k in self.inputs_wanted], *self.captured_wanted]])
        if self.single and outputs[0].__class__ is not list:
            node.saved = kept, None, tensors, before, state
            return [autograd.attach(wrap(outputs[0]), node)]
        slots, results = [], []  # one slot (output, member of a tensor array or None) per gradient
        for k, out in enumerate(outputs):
            if out.__class__ is list:
                results.append([self.output(array, node, (k, j), slots) for j, array in enumerate(out)])
            else:
                results.append(self.output(out, node, (k, None), slots))
        node.saved = kept, [slot for slot, _ in slots], tensors, before, state
        node.out_metas = [meta for _, meta in slots]
        return results

    def output(self, array, node, slot, slots):
        """One output Tensor, leading back to the node."""
        tensor = wrap(array)
        if slot[0] in self.pair.given:
            autograd.attach(tensor, node, len(slots))
        slots.append((slot, (array.shape, array.dtype)))
        return tensor

    def gradients(self, node, g, create_graph, final):
        """Gradients of the wanted leaves; what the node kept goes on the way where it is not needed any more."""
        kept, slots, tensors, before, state = node.saved
        gradients = [g] if slots is None else self.grouped(slots, g)
        if create_graph:
            return differentiate(self.runner, tensors, before, state, self.wanted, gradients)
        if final:
            kept, node.saved = list(kept), None
        return self.pair.gradients(kept, gradients, final)

    def grouped(self, slots, g):
        """Gradients by output, those of a tensor array's members in a list."""
        gradients = [None] * len(self.runner.outputs)
        for (k, j), one in zip(slots, g):
            gradients[k] = one if j is None else [*(gradients[k] or []), one]
        return gradients


def _wrapped(value):
    return [_wrapped(v) for v in value] if isinstance(value, list) else wrap(value)


def _draws(op_type):
    op = op_of(op_type)
    return op is not None and bool(op.facts.random)
