"""Optimizers in static programs: gradients, clipping, weight decay and update operators."""

import contextlib
import warnings

import numpy as np

from ..core.attributes import to_file
from ..core.context import context
from ..core.op import Symbolic
from ..nn.initializer import Constant
from ..ops.manipulation.reshape import cast
from ..ops.math.arithmetic import add_n
from ..optimizer.state import state_dtype
from ..utils import unique_name
from .backward import append_backward
from .clips import clip_of, error_clip_callback
from .program import program as program_module
from .program.record import as_variable, capture, initialize
from .program.registry import find


class Schedule:
    """Keeps a program's learning-rate variable at what the optimizer says."""

    def __init__(self, name, dtype, optimizer):
        self.name, self.dtype, self.optimizer, self.last = name, dtype, optimizer, optimizer.get_lr()

    def refresh(self, scope):
        """Write the rate into a scope if a scheduler decides it, or if it was set since the last run."""
        rate = self.optimizer.get_lr()
        if rate != self.last or not isinstance(self.optimizer._learning_rate, (int, float)):
            scope.values[self.name] = np.array([rate], self.dtype)
            self.last = rate


def append_gradients(optimizer, loss, startup_program=None, parameters=None, no_grad_set=None, callbacks=None, checkpoints=None):
    """Add the backward of a loss; returns pairs (parameter, gradient) of what the optimizer trains."""
    if parameters is None:
        parameters = optimizer._parameter_list
    with _into(loss.block.program, startup_program):
        return append_backward(loss, parameters or None, no_grad_set, callbacks or [error_clip_callback], checkpoints)


def append_updates(optimizer, pairs, startup_program=None, here=False):
    """Add clipping, weight decay and one update operator per pair; returns the update operators. ``here``: into the block that is
    being filled."""
    if here:
        return [op for group, chosen in grouped(optimizer, pairs) for op in optimizer._apply(chosen, group)]
    program = pairs[0][0].block.program
    with _into(program, startup_program):
        return [op for group, chosen in grouped(optimizer, pairs) for op in optimizer._apply(chosen, group)]


def append_decays(parameters_and_grads, regularization=None):
    """Pairs of parameters and gradients with the decay added: a parameter's own, else ``regularization``."""
    pairs = []
    for parameter, grad in parameters_and_grads:
        decay = getattr(parameter, "regularizer", None) or regularization
        if grad is not None and decay is not None:
            with _into(parameter.block.program, None) if isinstance(parameter, Symbolic) else contextlib.nullcontext():
                grad = add_n([grad, decay(parameter)])
        pairs.append((parameter, grad))
    return pairs


def minimize(optimizer, loss, startup_program=None, parameters=None, no_grad_set=None):
    """Add backward and updates; returns (update operators, pairs of parameter and gradient)."""
    pairs = append_gradients(optimizer, loss, startup_program, parameters, no_grad_set)
    if not pairs:
        warnings.warn(f"{type(optimizer).__name__}.minimize(): the loss {loss.name} depends on no trainable parameter",
                      stacklevel=3)
        with _into(loss.block.program, startup_program):
            _learning_rate(optimizer, loss.block.program, loss.dtype)  # programs fetch it all the same
        return [], []
    return append_updates(optimizer, pairs, startup_program), pairs


@contextlib.contextmanager
def _into(program, startup):
    with program_module.program_guard(program, startup or program_module.default_startup_program()):
        yield


def grouped(optimizer, pairs):
    """(group, its pairs) for every group of settings that the optimizer has."""
    groups = optimizer._groups
    if len(groups) == 1:
        return [(groups[0], pairs)]
    found = []
    for group in groups:
        names = {p.name for p in group["params"]}
        found.append((group, [(p, g) for p, g in pairs if p.name in names]))
    return [(group, chosen) for group, chosen in found if chosen]


def _learning_rate(optimizer, program, dtype):
    """The persistable variable with the optimizer's learning rate, one per program and optimizer; or the given Variable."""
    if isinstance(optimizer._learning_rate, Symbolic):
        return optimizer._learning_rate
    if context.trace is not None:
        return context.trace.gradients.rate(optimizer)
    for name, schedule in program.learning_rates.items():
        if schedule.optimizer is optimizer:
            return program.global_block().var(name)
    name = unique_name.generate("learning_rate")
    program.learning_rates[name] = Schedule(name, state_dtype(dtype), optimizer)
    return persistable(name, [1], state_dtype(dtype), optimizer.get_lr())


def persistable(name, shape, dtype, value):
    """A persistable variable of the default main program that the default startup program fills with a number."""
    var = program_module.default_main_program().global_block().new_var(name=name, shape=shape, dtype=dtype, persistable=True,
                                                             stop_gradient=True)
    initialize(Constant(float(value)), var)
    return var


def append_group(optimizer, pairs, group):
    """Add clipping, weight decay and updates of parameters that share a group's settings; returns the operators of the updates:
    for each parameter its rate, if it has one of its own, and its update, and then what its states are multiplied by."""
    program, block = program_module.default_main_program(), program_module.default_main_program().current_block()
    pairs = [(as_variable(p, block), g) for p, g in pairs]
    with program.with_role(program_module.OPTIMIZE):
        _learning_rate(optimizer, program, pairs[0][0].dtype)
        clip = clip_of(program) if group["grad_clip"] is None else group["grad_clip"]
        if clip is not None:
            pairs = clip(pairs)
        decayed = []
        for p, g in pairs:
            target = _target(optimizer, p)
            g = g if target is p else cast(g, "float32")
            decay = optimizer.decay_of(p, group)
            decayed.append((p, target, g if decay is None else add_n([g, decay(target)])))
        first = len(block.ops)
        if optimizer._updates_itself():
            optimizer._create_accumulators(block, [p for p, _, _ in decayed])
        for p, target, g in decayed:
            if optimizer._updates_itself():
                if target is not p:
                    raise NotImplementedError(f"{type(optimizer).__name__}: an overridden _append_optimize_op() in a program needs "
                                              f"parameters of 32 or 64 bits, {p.name} is {p.dtype}")
                optimizer._append_optimize_op(block, (p, g))
                continue
            append_update(optimizer, p, g, group, target)
            if target is not p:
                _append_cast(block, target, p)
        for p, _, _ in decayed:
            _append_powers(optimizer, p, group)
    return block.ops[first:]


def append_update(optimizer, p, g, group, target=None):
    """Add the update of one parameter at its own rate."""
    rate = _learning_rate(optimizer, program_module.default_main_program(), p.dtype)
    factor = optimizer.rate_factor(p, group)
    return _append_update(optimizer, p, p if target is None else target, g, group, rate if factor == 1.0 else rate * factor)


def _target(optimizer, p):
    """The variable that is really updated: the parameter; for a 16-bit one its float32 master copy (multi_precision), or itself
    in float32."""
    program = program_module.default_main_program()
    if p.dtype.itemsize > 2:
        return p
    if not optimizer._multi_precision:
        return cast(p, "float32")
    if p.name in program.captured:
        return capture(optimizer._master(program.captured[p.name]), program)
    blocks = program.global_block(), program_module.default_startup_program().global_block()
    master, filled = [block.new_var(name=p.name + "_fp32_master_0", shape=p.shape, dtype="float32", persistable=True,
                                       stop_gradient=True) for block in blocks]
    _append_cast(blocks[1], p, filled)
    return master


def _append_cast(block, x, out):
    """Write a variable into another of another type."""
    op = find("cast")
    given = {"dtype": out.dtype, "in_dtype": x.dtype}
    block.append_op(op.type, {"X": x.name}, {"Out": out.name}, to_file(op, [given[name] for name in op.attr_names]))


def states(optimizer, p, group):
    """Variables of the optimizer's states of a parameter; those of an eager parameter are the optimizer's eager ones."""
    program = program_module.default_main_program()
    if p.name in program.captured:
        return [capture(t, program) for t in optimizer._states_of(program.captured[p.name], group)]
    return [add_state(optimizer, s.name, p, state_dtype(p.dtype), s.start(optimizer, group), s.shape(optimizer, p.shape))
            for s in optimizer.states]


def add_state(optimizer, name, p, dtype=None, value=0.0, shape=None):
    """The variable of one state of a parameter, which the optimizer knows by the state's name from then on."""
    program = program_module.default_main_program()
    if p.name in program.captured:
        return capture(optimizer._add_accumulator(name, program.captured[p.name], dtype, value, shape), program)
    full = f"{p.name}_{name}_0"
    known = optimizer._accumulators[name].get(p.name)
    if known is None or program.global_block().vars.get(full) is not known:
        known = optimizer._accumulators[name][p.name] = persistable(full, p.shape if shape is None else shape,
                                                                    p.dtype if dtype is None else dtype, value)
    return known


def _append_update(optimizer, p, target, g, group, rate):
    """The update operator of one parameter; an output slot ``XOut`` is the input slot ``X`` again."""
    op = find(optimizer.of_programs or optimizer.type)
    slots = {"Param": target, "Grad": g, "LearningRate": rate}
    slots.update({state.slot: var for state, var in zip(optimizer.states, states(optimizer, p, group))})
    attrs = optimizer.attrs(p, group)
    given = {slot: attrs.pop(name) for slot, name in (op.facts.numbers or {}).items() if isinstance(attrs[name], Symbolic)}
    values = [attrs.get(n, d) for n, d in zip(op.attr_names, op.defaults[op.n_in:])]
    inputs = {**{s.name: slots[s.name] for s in op.inputs if s.name in slots}, **given}
    outputs = {s.name: slots[op.inputs[k].name] for s, k in zip(op.outputs, op.updates)}
    return program_module.default_main_program().current_block().append_op(op.type, inputs, outputs, to_file(op, values))


def _append_powers(optimizer, p, group):
    """The operators that multiply those states of a parameter which its update in programs only reads."""
    names = [state.slot for state in optimizer.states]
    for slot, option in optimizer.powers:
        power = states(optimizer, p, group)[names.index(slot)]
        program_module.default_main_program().current_block().append_op(
            "scale", {"X": power}, {"Out": power}, {"scale": float(group[option]), "bias": 0.0, "bias_after_scale": True})
