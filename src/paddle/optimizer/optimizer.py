"""Optimizer: the step every optimizer shares. A subclass says which op it is, which states it keeps, and nothing more.

Order of a step: collect gradients, clip, add weight decay, update. The update runs as one native call for all parameters
where there is one, else as the optimizer's op parameter by parameter; static programs get the same op.
"""

import warnings
from collections import OrderedDict, defaultdict

import numpy as np

from ..core.autograd import no_grad
from ..core.context import context, process
from ..core.errors import WrongKindError, describe
from ..core.generation import construction
from ..core.hooks import phase
from ..core.op import OPS, Symbolic
from ..core.rooms import rooms
from ..core.rows_tensor import RowsTensor, packed
from ..core.tensor import Tensor, wrap
from ..nn.clip import ClipGradBase, ClipGradByGlobalNorm
from ..ops.families.rows import step_in_place
from ..regularizer import L2Decay
from .lr import LRScheduler
from .state import array_of, as_number, decay_from, load_into, state_dtype


class Optimizer:
    """Base of optimizers.

    Args:
        learning_rate: a number or an ``lr.LRScheduler``.
        parameters: the parameters to update: a list, or a list of groups: dicts with 'params' and their own settings
            ('learning_rate', a factor on the optimizer's; 'weight_decay', 'grad_clip', and options such as 'beta1').
            What a group says, or inherits from the optimizer, comes before what the parameter's ParamAttr says.
        weight_decay: a number (L2) or a regularizer, added to the gradients; a parameter's own regularizer wins.
        grad_clip: a ``nn.ClipGradBy...`` applied before weight decay.
        name: prefix of the optimizer's own variables.
    """

    type = None  # the op's type in files
    of_programs = None  # that of the op in programs, where it is another one
    powers = ()  # (slot of a state, option): what that op only reads and another one multiplies by the option
    states = ()  # State records
    needs_parameters = True  # in dynamic mode; optimizers of fluid find those of their guard
    options = ()  # settings that a group may have of its own: the optimizer's are attributes of that name behind "_"

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        for state in cls.__dict__.get("states", ()):  # optimizers that packages derive ask for states by these names
            setattr(cls, f"_{state.name.strip('_').removesuffix('_acc')}_acc_str", state.name)

    def __init__(self, learning_rate, parameters=None, weight_decay=None, grad_clip=None, name=None, multi_precision=False):
        who = type(self).__name__
        if not isinstance(learning_rate, (int, float, LRScheduler)) or isinstance(learning_rate, bool):
            raise WrongKindError(f"{who}(): learning_rate must be a number or an LRScheduler, got {describe(learning_rate)}")
        if isinstance(parameters, (Tensor, dict)):
            raise TypeError(f"{who}(): parameters must be a list of parameters or of groups, got {describe(parameters)}")
        if parameters is None and self.needs_parameters and not context.static_mode:
            raise AttributeError(f"{who}(): parameters must be given in dynamic mode, such as parameters=net.parameters()")
        self._learning_rate, self._name = learning_rate, name
        self._grad_clip, self._weight_decay = grad_clip, decay_from(weight_decay, who)
        self.regularization = self._weight_decay
        self._multi_precision = bool(multi_precision)
        self._accumulators = defaultdict(dict)  # state name -> parameter name -> Tensor; Variable of the last program it was put in
        self._master_weights = {}
        self._pending_state = {}  # loaded before the states were made
        self._groups = self._make_groups(parameters)
        self._parameter_list = [p for g in self._groups for p in g["params"]] if parameters is not None else None

    @property
    def _dtype(self):
        """The element type of the first parameter; None without parameters. Derived optimizers ask for it."""
        return self._parameter_list[0].dtype if self._parameter_list else None

    def _make_groups(self, parameters):
        parameters = list(parameters or [])
        if parameters and isinstance(parameters[0], dict):
            groups = [self._group(g) for g in parameters]
        else:
            groups = [{**self._group({"params": parameters}), "given": False}]
        self._check_once(groups)
        return groups

    def _check_once(self, groups):
        seen = set()
        for p in (p for g in groups for p in g["params"]):
            if id(p) in seen:
                raise ValueError(f"{type(self).__name__}(): parameter {p.name} is in more than one group or given twice")
            seen.add(id(p))

    def _group(self, given):
        """A group with all its settings, from a dict of some of them."""
        who = type(self).__name__
        if not isinstance(given, dict) or "params" not in given:
            raise ValueError(f"{who}(): a group of parameters must be a dict with 'params', got {describe(given)}")
        group = dict(given, given=True)
        params = group["params"]
        if isinstance(params, (set, frozenset)):
            raise TypeError(f"{who}(): 'params' of a group must have an order, got a set")
        group["params"] = [params] if isinstance(params, Tensor) else list(params)
        own = group.get("weight_decay")
        group["weight_decay"] = self._weight_decay if own is None else decay_from(own, who)
        group.setdefault("grad_clip", self._grad_clip)
        group.setdefault("learning_rate", 1.0)
        for name in self.options:
            group.setdefault(name, getattr(self, "_" + name))
        self._check_group(group, who)
        if unknown := sorted(set(given) - set(self.options) - {"params", "weight_decay", "grad_clip", "learning_rate"}):
            warnings.warn(f"{who}(): {', '.join(unknown)} of a group of parameters has no meaning and changes nothing",
                          UserWarning, stacklevel=4)
        return group

    def _check_group(self, group, who):
        group["learning_rate"] = as_number(group["learning_rate"], who, "learning_rate of a group, a factor on the optimizer's,")
        if group["grad_clip"] is not None and not isinstance(group["grad_clip"], ClipGradBase):
            raise TypeError(f"{who}(): grad_clip must be a paddle.nn.ClipGradBy..., got {describe(group['grad_clip'])}")

    def _add_param_group(self, param_group):
        """Add another group of parameters."""
        group = self._group(param_group)
        self._check_once([*self._groups, group])
        self._groups.append(group)
        self._parameter_list = (self._parameter_list or []) + group["params"]

    @property
    def _param_groups(self):
        return self._groups if self._groups[0]["given"] else self._groups[0]["params"]

    def decay_of(self, param, group):
        """The regularizer that adds to a parameter's gradient, or None."""
        return group["weight_decay"] if group["given"] else getattr(param, "regularizer", None) or group["weight_decay"]

    def rate_factor(self, param, group):
        """What the learning rate is multiplied by for a parameter."""
        own = group if group["given"] else getattr(param, "optimize_attr", group)  # plain tensors have none
        return float(own["learning_rate"])

    # ---- learning rate ---------------------------------------------------------------------------------------------
    def _global_learning_rate(self, program=None):
        """The learning rate as a Tensor, or as a Variable of a program that ``minimize`` was called for; None if it was not."""
        if context.static_mode or isinstance(self._learning_rate, Symbolic):
            return self._learning_rate_of(program)
        return wrap(np.array(self.get_lr(), "float32"))

    def _learning_rate_of(self, program):
        if isinstance(self._learning_rate, Symbolic):
            return self._learning_rate
        program = rooms.default_main_program() if program is None else program
        names = [name for name, schedule in program.learning_rates.items() if schedule.optimizer is self]
        return program.global_block().var(names[0]) if names else None

    def get_lr(self):
        """The learning rate of the next step.

        >>> paddle.optimizer.SGD(0.1, parameters=paddle.nn.Linear(1, 1).parameters()).get_lr()
        0.1
        """
        return self._learning_rate() if isinstance(self._learning_rate, LRScheduler) else float(self._learning_rate)

    def set_lr(self, value):
        """Set the learning rate to a number; not allowed while a scheduler decides it."""
        if isinstance(self._learning_rate, LRScheduler):
            raise RuntimeError("set_lr(): the learning rate is decided by an LRScheduler; step that instead")
        if not isinstance(value, (int, float)):
            raise TypeError(f"set_lr(): value must be a number, got {describe(value)}")
        self._learning_rate = float(value)

    def set_lr_scheduler(self, scheduler):
        """Let a scheduler decide the learning rate from now on."""
        if not isinstance(scheduler, LRScheduler):
            raise TypeError(f"set_lr_scheduler(): scheduler must be an LRScheduler, got {describe(scheduler)}")
        self._learning_rate = scheduler

    # ---- the step --------------------------------------------------------------------------------------------------
    @no_grad()
    @phase("Optimization")
    def step(self):
        """Update every parameter that has a gradient."""
        if self._parameter_list is None:
            raise ValueError(f"{type(self).__name__}.step(): no parameters were given to the optimizer")
        idle = True
        for group in self._groups:
            pairs = self._with_gradients(group["params"])
            if pairs:
                idle = False
                self._apply(pairs, group)
        if idle:
            warnings.warn(f"{type(self).__name__}.step(): no parameter has a gradient, so none is changed; call backward() of a "
                          "loss that depends on them first", stacklevel=4)

    @staticmethod
    def _with_gradients(params):
        return [(p, g) for p in params if not p.stop_gradient and (g := p._grad_ivar()) is not None]

    def _apply(self, pairs, group):
        """Clip, decay and update; in a program, append the operators that do and return them."""
        if not isinstance(pairs[0][1], Tensor):
            return rooms.append_group(self, pairs, group)
        placed = True in [p._placed for p, _ in pairs]
        sparse = RowsTensor in [g.__class__ for _, g in pairs]
        if sparse:
            pairs = [(p, packed(g._content().merged()) if g.__class__ is RowsTensor else g) for p, g in pairs]
        if placed and OPS[self.type].facts.whole:
            raise NotImplementedError(f"{type(self).__name__}.step(): its update needs whole parameters; some are cut over ranks")
        overridden = self._updates_itself()
        if overridden:
            pairs = [(p, g.whole() if g.__class__ is RowsTensor else g) for p, g in pairs]
        pairs, scale = self._clipped(pairs, group["grad_clip"], placed)
        if placed:
            pairs = [(p, p.own_gradient(g) if p._placed else g) for p, g in pairs]
        decays = [self.decay_of(p, group) for p, _ in pairs]
        rate = self.get_lr()
        rates = [rate * self.rate_factor(p, group) for p, _ in pairs]
        if sparse and not overridden:
            pairs, decays, rates = self._update_rows(pairs, decays, rates, scale, group)
        plain = False not in [d is None or type(d) is L2Decay for d in decays]
        native = plain and not overridden
        if not pairs or native and self._run_native(pairs, group, rates, [d.coeff if d else 0.0 for d in decays], scale):
            return []
        if overridden:
            block = rooms.default_main_program().global_block()
            self._create_accumulators(block, [p for p, _ in pairs])
        for (p, g), decay, rate in zip(pairs, decays, rates):
            target = self._master(p)
            grad = g._data.astype(state_dtype(target._data.dtype), copy=False)
            grad = grad if scale == 1.0 else grad * grad.dtype.type(scale)
            if decay is not None:
                grad = grad + decay(target)._data.astype(grad.dtype, copy=False)
            if overridden:
                self._append_optimize_op(block, (p, wrap(grad)))
            else:
                self._update(p, grad, rate, group)
        return []

    # ---- what derived optimizers override: Paddle calls these for every parameter -----------------------------------
    def _updates_itself(self):
        """Does a derived class say itself how one parameter is updated?"""
        return type(self)._append_optimize_op is not Optimizer._append_optimize_op

    def _append_optimize_op(self, block, param_and_grad):
        """Update one parameter by its gradient, which is clipped and decayed; in a program, append the operator that does. A
        derived class may change the parameter's rate around this, or update it by itself, with accumulators of its own."""
        p, grad = param_and_grad
        group = self._group_of(p)
        if not isinstance(grad, Tensor):
            return rooms.append_update(self, p, grad, group)
        self._update(p, grad._data, self.get_lr() * self.rate_factor(p, group), group)
        return None

    def _group_of(self, p):
        found = [g for g in self._groups if any(q.name == p.name for q in g["params"])] if len(self._groups) > 1 else self._groups
        return found[0]

    def _create_accumulators(self, block, parameters):
        """Make the states of parameters; a derived class makes its own, by ``_add_accumulator``."""
        for p in parameters:
            if isinstance(p, Tensor):
                self._states_of(p, self._group_of(p))
            else:
                rooms.program_states(self, p, self._group_of(p))

    def _add_accumulator(self, name, param, dtype=None, fill_value=0.0, shape=None, type=None, device=None):
        """A state of a parameter, by a name of the derived class: made once, saved with the others."""
        if device is not None and device != "cpu":
            raise ValueError(f"_add_accumulator(): device must be 'cpu' or None, got {device!r}")
        if not isinstance(param, Tensor):
            return rooms.add_state(self, name, param, dtype, fill_value, shape)
        if not isinstance(self._accumulators[name].get(param.name), Tensor):
            made = wrap(np.full(param._data.shape if shape is None else shape, fill_value, dtype or param._data.dtype))
            self._accumulators[name][param.name] = self._registered(made, f"{param.name}_{name}_0")
        return self._accumulators[name][param.name]

    def _get_accumulator(self, name, param):
        """The state of a parameter: a Tensor, or a Variable of the program that the optimizer was put in last."""
        if param.name not in self._accumulators.get(name, ()):
            raise KeyError(f"{type(self).__name__}: no accumulator {name!r} was made for {param.name}")
        return self._accumulators[name][param.name]

    def _create_param_lr(self, param_and_grad):
        """The learning rate of one parameter, as a Tensor or a Variable."""
        p = param_and_grad[0]
        return self._global_learning_rate() * self.rate_factor(p, self._group_of(p))

    @staticmethod
    def _clipped(pairs, clip, placed):
        """Pairs with clipped gradients and 1, or, where all are made smaller alike, as they are and the factor for the update."""
        if clip is None:
            return pairs, 1.0
        everywhere = not placed and all(getattr(p, "need_clip", True) for p, _ in pairs)
        plain = type(clip) is ClipGradByGlobalNorm and "_dygraph_clip" not in vars(clip)  # programs set their own on an object
        if plain and process.native is not None and everywhere:
            return pairs, clip.factor([g._data for _, g in pairs])
        return clip(pairs), 1.0

    def _update_rows(self, pairs, decays, rates, scale, group):
        """Update what has gradients of selected rows, in place; returns pairs, decays and rates of what is left to do. Where there
        is decay, or the update looks at whole parameters, the gradient becomes a whole one."""
        left, op = [], OPS[self.type]
        for (p, g), decay, rate in zip(pairs, decays, rates):
            target = self._master(p)
            if g.__class__ is not RowsTensor or decay is not None or op.facts.whole or target._data.dtype.itemsize <= 2:
                left.append(((p, g.whole() if g.__class__ is RowsTensor else g), decay, rate))
                continue
            states = self._states_of(p, group)
            rows = g._content()
            if scale != 1.0:
                rows = rows.with_values(rows.values * rows.dtype.type(scale))
            values = self._arguments(p, group, target.writable(), rows, rate, [t.writable() for t in states])
            step_in_place(op, values)
            target._version += 1
            by_slot = {s.slot: t for s, t in zip(self.states, states)}
            for k in op.updates[1:]:
                by_slot[op.inputs[k].name].replace(values[k])
            if target is not p:
                p.replace(target._data.astype(p._data.dtype))
        return [[row[k] for row in left] for k in range(3)]

    def _arguments(self, p, group, param, grad, rate, states):
        """The arguments of the optimizer's op for one parameter."""
        op, attrs = OPS[self.type], self.attrs(p, group)
        given = {"Param": param, "Grad": grad, "LearningRate": np.asarray([rate], param.dtype)}
        given.update({s.slot: array.astype(param.dtype, copy=False) for s, array in zip(self.states, states)})
        return [*[given[slot.name] for slot in op.inputs],
                *[attrs.get(n, d) for n, d in zip(op.attr_names, op.defaults[op.n_in:])]]

    def _update(self, p, grad, rate, group):
        """One parameter through the optimizer's op."""
        target = self._master(p)
        states = self._states_of(p, group)
        op, kind = OPS[self.type], state_dtype(target._data.dtype)
        param = target._data.astype(kind, copy=False)
        outs = op.run_arrays(self._arguments(p, group, param, grad, rate, [t._data for t in states]))
        outs = outs if isinstance(outs, tuple) else (outs,)
        by_slot = {"Param": target, **{s.slot: t for s, t in zip(self.states, states)}}
        for k, out in zip(op.updates, outs):
            kept = by_slot[op.inputs[k].name]
            kept.replace(np.ascontiguousarray(out, kept._data.dtype))
        if target is not p:
            p.replace(target._data.astype(p._data.dtype))

    def attrs(self, param, group):
        """Attributes of the optimizer's op for one parameter (None: those that all parameters of the group share)."""
        return {name: group[name] for name in self.options}

    # Subclasses: native(kernels, params, grads, states, rates, decays, scale, pairs, group), False where it can't
    native = None

    def _run_native(self, pairs, group, rates, decays, scale):
        """One native call for the whole group; False where that does not apply."""
        if self.native is None or process.native is None:
            return False
        targets = [self._master(p) if self._multi_precision else p for p, _ in pairs]
        kind = targets[0]._data.dtype
        if kind.char not in "fd":
            return False
        for t in targets:
            if t._data.dtype != kind or not t._data.flags.c_contiguous:
                return False
        rates = np.array(rates, kind).tolist()  # as a program's variable holds them
        states = [self._states_of(p, group) for p, _ in pairs]
        columns = [[row[k].writable() for row in states] for k in range(len(self.states))]
        params, grads = [], []
        for t, (_, g) in zip(targets, pairs):
            params.append(t.writable())
            t._version += 1
            g = g._data
            grads.append(g if g.dtype is kind and g.flags.c_contiguous else np.ascontiguousarray(g, kind))
        if False in [t._data is array for t, array in zip(targets, params)]:
            return False  # two of them share memory: one after the other
        if self.native(process.native, params, grads, columns, rates, decays, scale, pairs, group) is False:
            return False
        for t, (p, _) in zip(targets, pairs):
            if t is not p:
                p.replace(t._data.astype(p._data.dtype))
        return True

    # ---- states ----------------------------------------------------------------------------------------------------
    def _states_of(self, p, group):
        row = []
        for s in self.states:
            table = self._accumulators[s.name]
            t = table.get(p.name)
            if not isinstance(t, Tensor):
                t = table[p.name] = self._new_state(p, s, group)
            row.append(t)
        return row

    def _new_state(self, p, s, group):
        name = f"{p.name}_{s.name}_0"
        t = wrap(np.full(s.shape(self, p._data.shape), s.start(self, group), self._state_type(p, s)))
        return self._registered(p.state(t) if p._placed else t, name)

    def _registered(self, t, name):
        """A new state under its name, with what was loaded for it before."""
        t.name, t.meta().persistable = name, True
        if name in self._pending_state:
            load_into(t, self._pending_state.pop(name), name)
        return t

    def _state_type(self, p, s):
        """The data type of a state of a parameter."""
        return state_dtype(self._master(p)._data.dtype)

    def _master(self, p):
        """The tensor that is really updated: the parameter, or its float32 master copy under multi_precision."""
        if not self._multi_precision or p._data.dtype.itemsize > 2:
            return p
        m = self._master_weights.get(p.name)
        if m is None:
            m = wrap(p._data.astype(np.float32))
            m.name = p.name + "_fp32_master_0"
            self._master_weights[p.name] = m
        return m

    def get_opti_var_name_list(self):
        """Names of the states that were made so far."""
        return [t.name for t in self._all_states()]

    def _all_states(self):
        names = dict.fromkeys([*(s.name for s in self.states), *self._accumulators])  # those of derived classes come last
        return [t for name in names for t in self._accumulators[name].values()]

    def state_dict(self):
        """States by name, as ``.pdopt`` files hold them, with the scheduler's state under 'LR_Scheduler'."""
        state = OrderedDict()
        for t in self._all_states():
            if isinstance(t, Tensor):  # those of a program are in its scope
                state[t.name] = t
        for name, value in self._pending_state.items():  # loaded, and not asked for since
            state[name] = value if isinstance(value, Tensor) else wrap(np.array(array_of(value)))
        if self._master_weights:
            state["master_weights"] = dict(self._master_weights)
        if isinstance(self._learning_rate, LRScheduler):
            state["LR_Scheduler"] = self._learning_rate.state_dict()
        return state

    def set_state_dict(self, state_dict):
        """Load what ``state_dict`` returned; states of parameters not yet stepped are kept until they are needed.

        States that belong to none of the parameters are named in a warning, and left out.
        """
        state = dict(state_dict)
        state.pop("StructuredToParameterName@@", None)
        scheduler = state.pop("LR_Scheduler", None)
        if scheduler is not None and isinstance(self._learning_rate, LRScheduler):
            self._learning_rate.set_state_dict(scheduler)
        for name, value in (state.pop("master_weights", None) or {}).items():
            m = wrap(np.array(array_of(value), np.float32))
            m.name = name + "_fp32_master_0"
            self._master_weights[name] = m
        known = {t.name: t for t in self._all_states() if isinstance(t, Tensor)}
        state = self._renamed(state)
        expected = {f"{p.name}_{s.name}_0" for p in self._parameter_list or () for s in self.states}
        if type(self)._create_accumulators is not Optimizer._create_accumulators:  # states of names that the derived class knows
            expected.update(n for n in state if any(n.startswith(p.name + "_") for p in self._parameter_list or ()))
        strange = [name for name in state if expected and name not in expected and name not in known]
        if strange:
            warnings.warn(f"{type(self).__name__}.set_state_dict(): {len(strange)} of {len(state)} states belong to no "
                          f"parameter and are not loaded: {', '.join(strange[:5])}; the parameters are "
                          f"{self._parameter_list[0].name}, ...", stacklevel=2)
        for name, value in state.items():
            if name in known:
                load_into(known[name], value, name)
            elif name not in strange:
                self._pending_state[name] = value

    def _renamed(self, state):
        """A state dict under the names of these parameters where it has other names throughout: that of a model that was
        built before this one in the same process. Parameters are then told apart by their order, if all shapes agree."""
        params = [p for p in self._parameter_list or () if not p.stop_gradient]
        if not params or any(name.startswith(p.name + "_") for name in state for p in params):
            return state
        renamed = {}
        for s in self.states:
            saved = [name for name in state if name.endswith(f"_{s.name}_0")]
            shapes = [tuple(s.shape(self, tuple(p.shape))) for p in params]
            if [array_of(state[name]).size for name in saved] != [int(np.prod(shape)) for shape in shapes]:
                return state
            renamed.update({f"{p.name}_{s.name}_0": state[name] for p, name in zip(params, saved)})
        return renamed if len(renamed) == len(state) else state

    set_dict = set_state_dict

    # ---- the older interface ---------------------------------------------------------------------------------------
    def clear_grad(self, set_to_zero=True):
        """Clear the gradients of all parameters: they read as zeros, or None when ``set_to_zero`` is False."""
        for p in self._parameter_list or ():
            if not p.stop_gradient:
                p.clear_gradient(set_to_zero)

    clear_gradients = clear_grad

    def zero_grad(self, set_to_none=True):
        """Clear the gradients of all parameters, or set them to zeros: PyTorch's name and argument."""
        self.clear_grad(not set_to_none)

    def load_state_dict(self, state_dict):
        """As ``set_state_dict``."""
        self.set_state_dict(state_dict)

    def backward(self, loss, startup_program=None, parameters=None, no_grad_set=None, callbacks=None):
        """The (parameter, gradient) pairs of a loss whose backward has been called (static: the backward is appended)."""
        if in_program(loss):
            return rooms.append_gradients(self, loss, startup_program, parameters, no_grad_set, callbacks)
        return self._with_gradients(parameters or self._parameter_list)

    @no_grad()
    @phase("Optimization")
    def apply_gradients(self, params_grads):
        """Clip, decay and update with the given (parameter, gradient) pairs."""
        pairs = [(p, g) for p, g in params_grads if g is not None]
        if pairs and not isinstance(pairs[0][0], Tensor):
            return rooms.append_updates(self, pairs)
        done = []
        for group in self._groups:
            members = {id(p) for p in group["params"]}
            chosen = [(p, g) for p, g in pairs if id(p) in members]
            if chosen:
                done += self._apply(chosen, group)
        return done

    def append_regularization_ops(self, parameters_and_grads, regularization=None):
        """(parameter, gradient) pairs with the weight decay added: a parameter's own, else ``regularization``."""
        return rooms.append_decays(parameters_and_grads, regularization)

    def minimize(self, loss, startup_program=None, parameters=None, no_grad_set=None):
        """Update the parameters with the gradients that ``loss.backward()`` left; returns (ops, (parameter, gradient) pairs).

        In static mode the backward and the updates are appended to the program.
        """
        if in_program(loss):
            return rooms.append_minimize(self, loss, startup_program, parameters, no_grad_set)
        pairs = self.backward(loss, startup_program, parameters, no_grad_set)
        return self.apply_gradients(pairs), pairs


def older_arguments(name):
    """Class decorator: the optimizer of fluid where the arguments are 2.0 alpha's."""
    return construction("paddle.fluid.optimizer." + name, alpha_only={"parameter_list", "regularization"},
                        only_modern={"parameters", "weight_decay", "multi_precision", "use_multi_tensor"})


def in_program(loss):
    """Is a loss part of a program that is built by hand? In a function that is being traced, calls mean what they mean eagerly."""
    return not isinstance(loss, Tensor) and context.trace is None
