"""Program, Block, Variable, Operator: the static graph, in the vocabulary of Paddle's files.

Operators hold their attributes as files do; ``attributes.py`` converts to and from an op's Python arguments.
"""

import contextlib
import itertools
from collections import OrderedDict

import numpy as np

from ...core import random
from ...core.attributes import VarName
from ...core.context import changed, context, process
from ...core.errors import describe, suggest
from ...core.rooms import rooms
from ...core.tensor import Tensor
from ..at_once import empty, run
from ..scope import Scope, global_scope
from . import op_table
from .variable import (  # noqa: F401  (part of this module's vocabulary)
    GRAD,
    LOD_TENSOR,
    LOD_TENSOR_ARRAY,
    RAW,
    STEP_SCOPES,
    OpenVariable,
    Parameter,
    Variable,
    dtypes_name,
)

FORWARD, BACKWARD, OPTIMIZE, SCHEDULE, LOSS = 0, 1, 2, 16, 256  # roles of operators, as files number them (attribute op_role)


class Attributes(dict):
    """An op's attributes; called, as programs of Paddle 3 do, they come in its names (see ``static/inspection.py``)."""

    __slots__ = ("type",)
    translate = None  # put in from above: of an op's type and its attributes

    def __init__(self, type, attrs):
        super().__init__(attrs)
        self.type = type

    def __call__(self):
        return Attributes.translate(self.type, self)

    def __reduce__(self):
        return dict, (dict(self),)  # a copy is a plain dict


class Operator:
    """One op of a block: type, names of its variables by slot, attributes in file terms."""

    __slots__ = ("block", "type", "inputs", "outputs", "attrs", "where")

    def __init__(self, block, type, inputs, outputs, attrs, where=None):
        self.block, self.type = block, type
        self.inputs = {slot: list(names) for slot, names in inputs.items()}
        self.outputs = {slot: list(names) for slot, names in outputs.items()}
        self.attrs = Attributes(type, attrs)
        self.where = where  # (file, line) of the user's call

    def input(self, name):
        """Names of the variables in an input slot."""
        return self.inputs.get(name, [])

    def output(self, name):
        """Names of the variables in an output slot."""
        return self.outputs.get(name, [])

    input_names = property(lambda self: list(self.inputs))
    output_names = property(lambda self: list(self.outputs))
    input_arg_names = property(lambda self: [n for names in self.inputs.values() for n in names])
    output_arg_names = property(lambda self: [n for names in self.outputs.values() for n in names])
    attr_names = property(lambda self: list(self.all_attrs()))

    def attr(self, name):
        """Value of an attribute; what was not set has its default."""
        return self.attrs[name] if name in self.attrs else self.all_attrs()[name]

    def has_attr(self, name):
        """Does the op carry this attribute?"""
        return name in self.attrs or name in self.all_attrs()

    def attr_type(self, name):
        """The type with which files hold an attribute."""
        return op_table.attr_type(self.type, name, self.attr(name))

    def all_attrs(self):
        """All attributes as a dict, those that were not set with their defaults."""
        return {**op_table.EVERY, **op_table.defaults(self.type), **self.attrs}

    def _set_attr(self, name, value):
        self.attrs[name] = value
        self.block.program.touch()

    def _rename_input(self, old, new):
        self.inputs = {s: [new if n == old else n for n in names] for s, names in self.inputs.items()}
        self.block.program.touch()

    def _rename_output(self, old, new):
        self.outputs = {s: [new if n == old else n for n in names] for s, names in self.outputs.items()}
        self.block.program.touch()

    @property
    def idx(self):
        """Its number in the block."""
        return next(i for i, op in enumerate(self.block.ops) if op is self)

    def to_string(self, throw_on_error=True):
        """Readable text of the op."""
        def slots(table):
            return ", ".join(f"{slot}={names[0] if len(names) == 1 else names}" for slot, names in table.items() if names)
        attrs = ", ".join(f"{k}={_shown(v)}" for k, v in sorted(self.attrs.items()) if not k.startswith("op_"))
        return f"{{{slots(self.outputs)}}} = {self.type}({slots(self.inputs)}{'; ' + attrs if attrs else ''})"

    def _to_readable_code(self, skip_op_callstack=True):
        """The text that is printed; where the operators were called is not part of it."""
        return self.to_string()

    __repr__ = __str__ = lambda self: self.to_string()


def _shown(value):
    """An attribute as the text of an op has it: blocks by number, variables by name."""
    if isinstance(value, Block):
        return f"block[{value.idx}]"
    if isinstance(value, VarName):
        return f"Var[{value}]"
    if isinstance(value, list) and value and isinstance(value[0], VarName):
        return f"Vars[{', '.join(map(str, value))}]"
    return describe(_numbers(value))


def _numbers(value):
    """An attribute with Python's numbers in place of NumPy's, which print with their types."""
    if isinstance(value, (list, tuple)):
        return type(value)(_numbers(v) for v in value[:5])
    return value.item() if isinstance(value, np.generic) else value


def _same(var, wanted):
    """An existing variable; ValueError if it was asked for with another shape."""
    shape = wanted.get("shape")
    if shape and tuple(-1 if n is None else int(n) for n in shape) != tuple(var.shape):
        raise ValueError(f"create_var(): {var.name!r} has shape {list(var.shape)} already, got {list(shape)}")
    return var


class Block:
    """Variables and ops of one scope of names; sub-blocks are the bodies of control flow."""

    def __init__(self, program, idx, parent_idx=-1):
        self.program, self.idx, self.parent_idx, self.forward_block_idx = program, idx, parent_idx, -1
        self.vars, self.ops = OrderedDict(), []

    @property
    def parent(self):
        return self.program.blocks[self.parent_idx] if self.parent_idx >= 0 else None

    def create_var(self, **kwargs):
        """A new variable of this block (the existing one of that name if there is one).

        In dynamic mode, unless a guard says which program is built, it is a Tensor that waits for the result of ``append_op``. A
        default program that holds variables is one of 1.x, which are static outside guards and only there.
        """
        unused = self.program is process.main and not self.program.global_block().vars
        unbuilt = self.program.dynamic or unused and context.main is None or context.guard is not None
        outside = context.rules.is_fluid and context.guard is None  # 1.x was static there
        if unbuilt and not context.static_mode and context.trace is None and not outside:
            return empty(**kwargs)
        return self.new_var(**kwargs)

    def _clone_variable(self, var, force_persistable=True):
        """A variable of this block like one of another program, which Executors find under the same name."""
        return self.new_var(name=var.name, shape=var.shape, dtype=var.dtype, kind=var.kind, lod_level=var.lod_level,
                            persistable=force_persistable or var.persistable, is_data=var.is_data,
                            need_check_feed=var.need_check_feed, stop_gradient=var.stop_gradient)

    def new_var(self, initializer=None, **kwargs):
        """A new variable of this block (the existing one of that name if there is one), whatever the mode; an initializer adds
        the operator that fills it to this program."""
        name = kwargs.get("name")
        known = name is not None and name in self.vars
        var = _same(self.vars[name], kwargs) if known else (OpenVariable if kwargs.get("shapes") else Variable)(self, **kwargs)
        if initializer is not None:
            rooms.initialize(initializer, var, self)
        if initializer is not None or not known:
            self.vars[var.name] = var
            self.program.touch()
        return var

    def create_parameter(self, shape, dtype, name=None, attr=None, initializer=None, **kwargs):
        """A new parameter, always in the global block; an initializer adds the operator that fills it to this program."""
        if shape is None or dtype is None:
            raise ValueError(f"create_parameter(): shape and dtype of {name!r} must be given, got {shape} and {dtype}")
        if any(n < 0 for n in shape) or not len(shape) and context.rules.is_fluid:
            raise ValueError(f"create_parameter(): the sizes of {name!r} must be known and not negative, got {list(shape)}")
        block = self.program.global_block()
        before, p = block.vars.get(name), Parameter(block, name, shape, dtype, attr, **kwargs)
        name = p.name
        block.vars[name] = p
        self.program.touch()
        if initializer is not None:
            block.vars.pop(name) if before is None else block.vars.update({name: before})
            rooms.initialize_once(initializer, p, block)
            block.vars[name], p.initializer = p, initializer
        return p

    def rename(self, var, name, ops):
        """Give a variable of this block another name, in the given ops too."""
        old, var.name = var.name, name
        self.vars[name] = self.vars.pop(old)
        for op in ops:
            op._rename_output(old, name)
            op._rename_input(old, name)

    def _rename_var(self, name, new_name):
        """Give a variable of this block another name, in the ops of the block too; returns it."""
        var, new_name = self.var(name), new_name.decode() if isinstance(new_name, bytes) else new_name
        self.rename(var, new_name, self.ops)
        return var

    def has_var(self, name):
        """Does this very block have a variable of that name?"""
        return name in self.vars

    def var(self, name):
        """The variable of that name in this block; ValueError with the nearest names if there is none."""
        found = self.vars.get(name)
        if found is None:
            raise ValueError(f"block {self.idx} has no variable {name!r}{suggest(str(name), self.vars)}")
        return found

    def find(self, name):
        """The variable of that name here or in an enclosing block, or None."""
        block = self
        while block is not None:
            if name in block.vars:
                return block.vars[name]
            block = block.parent
        return None

    def _var_recursive(self, name):
        found = self.find(name)
        if found is None:
            raise ValueError(f"no variable {name!r} in block {self.idx} or around it")
        return found

    _find_var_recursive = find

    def append_op(self, type, inputs=None, outputs=None, attrs=None, where=None, stop_gradient=False):
        """Add an op; inputs and outputs map slots to variables, names, or lists of them. Of Tensors it is run at once, without
        a gradient if ``stop_gradient``; in programs, variables say that themselves, as in Paddle.

        Outputs that were created without a shape or an element type get those that follow from the inputs. Attributes given as
        None have their defaults. Tensors among the inputs of Variables, such as a layer's parameters, are captured.
        """
        attrs = {key: value for key, value in (attrs or {}).items() if value is not None}
        if any(isinstance(v, Tensor) for values in (outputs or {}).values() for v in _listed(values)):
            with changed(grad=context.grad and not stop_gradient):
                return run(type, inputs, outputs, attrs)
        if any(isinstance(v, Tensor) for values in (inputs or {}).values() for v in _listed(values)):
            inputs = {slot: [rooms.as_variable(v, self) if isinstance(v, Tensor) else v for v in _listed(values)]
                      for slot, values in inputs.items()}
        op = Operator(self, type, _names(inputs), _names(outputs), attrs, where)
        if self.program.role:
            op.attrs["op_role"] = self.program.role
        if self.program.device:
            op.attrs["op_device"] = self.program.device
        if context.name_scopes not in (None, "/"):
            op.attrs["op_namescope"] = context.name_scopes
        self.ops.append(op)
        self.program.touch()
        if any(n in self.vars and self.vars[n].waits for n in op.output_arg_names):
            op.settle()
        return op

    def _prepend_op(self, type, inputs=None, outputs=None, attrs=None):
        return self._insert_op(0, type, inputs, outputs, attrs)

    def _insert_op(self, index, type, inputs=None, outputs=None, attrs=None):
        op = Operator(self, type, _names(inputs), _names(outputs), attrs or {})
        self.ops.insert(index, op)
        self.program.touch()
        return op

    def _remove_op(self, index):
        del self.ops[index]
        self.program.touch()

    def _remove_var(self, name):
        del self.vars[name]
        self.program.touch()

    def all_parameters(self):
        """The parameters of this block."""
        return [v for v in self.vars.values() if v.is_parameter]

    def iter_parameters(self):
        """The parameters of this block, one after the other."""
        return iter(self.all_parameters())

    def to_string(self, throw_on_error=True, with_details=False):
        """Readable text: variables, then ops; with details also what is in force for each parameter."""
        lines = [f"{{ // block {self.idx}" + (f", parent {self.parent_idx}" if self.parent_idx >= 0 else "")]
        lines += [f"    {v._to_readable_code(with_details)}" for v in self.vars.values()]
        lines += ["", *[f"    {op}" for op in self.ops]]
        return "\n".join([*lines, "}"])

    def _to_readable_code(self, skip_op_callstack=True):
        """The text that is printed; where the operators were called is not part of it."""
        return self.to_string()

    __repr__ = __str__ = lambda self: self.to_string()


def _names(table):
    return {slot: [v if isinstance(v, str) else v.name for v in _listed(values)] for slot, values in (table or {}).items()}


def _listed(values):
    return values if isinstance(values, (list, tuple)) else [] if values is None else [values]


class Program:
    """A static graph: block 0 and the sub-blocks of its control flow. Executors run it, ``save`` writes it.

    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.data('x', [None, 2])
    ...     y = paddle.exp(x)
    >>> [op.type for op in main.global_block().ops]
    ['exp']
    """

    _ids = itertools.count()

    def __init__(self):
        self.blocks = [Block(self, 0)]
        self.current_block_idx, self._seed, self.version = 0, process.program_seed, 0
        self.id = next(self._ids)
        self.dynamic = False  # is it the empty one of a dygraph guard, where calls run at once?
        self.role, self.device = FORWARD, ""  # of the operators being added
        self.exact_shapes = False  # are all known sizes of variables certain, because the program was traced just so?
        self.captured = {}  # name -> Tensor: eager tensors that a traced program reads
        self.loaders = []  # DataLoader.from_generator(iterable=False): executors ask them for what is not fed
        self.learning_rates = {}  # name -> optimize.Schedule: variables that follow an optimizer's learning rate

    def touch(self):
        """Note that the program has changed (compiled plans depend on it)."""
        self.version += 1

    @property
    def random_seed(self):
        """Seed of the program's random ops; 0 means the global generator."""
        return self._seed

    @random_seed.setter
    def random_seed(self, seed):
        if not isinstance(seed, int):
            raise ValueError(f"Program.random_seed must be an int, got {describe(seed)}")
        self._seed = seed
        self.touch()
        if context.guard is not None and context.rules.program_seeds:
            seed_dynamic_code(self)

    def global_seed(self, seed=0):
        """Set the seed of the random operators (``random_seed``) of this program and of all that are made from now on."""
        self.random_seed = seed
        process.program_seed = seed

    @property
    def num_blocks(self):
        return len(self.blocks)

    def global_block(self):
        """Block 0."""
        return self.blocks[0]

    def block(self, index):
        """The block of that number."""
        return self.blocks[index]

    def current_block(self):
        """The block that new ops go to."""
        return self.blocks[self.current_block_idx]

    def _sync_with_cpp(self):
        """Nothing is to be done: descriptions (``desc``) are views of these objects, so what is changed there is here."""

    @contextlib.contextmanager
    def with_role(self, role):
        """Give the operators added inside the ``with`` block a role."""
        before, self.role = self.role, role
        try:
            yield
        finally:
            self.role = before

    def _optimized_guard(self, param_and_grads):
        """Operators added inside the ``with`` block are part of an optimizer's step, which test programs leave out."""
        return self.with_role(OPTIMIZE)

    def _lr_schedule_guard(self, is_with_opt=False):
        """Operators added inside the ``with`` block compute a learning rate, which test programs leave out."""
        return self.with_role(SCHEDULE | OPTIMIZE if is_with_opt else SCHEDULE)

    def _backward_role_guard(self):
        """Operators added inside the ``with`` block are part of a backward pass."""
        return self.with_role(BACKWARD)

    def _create_block(self, parent_idx=None):
        parent = self.current_block_idx if parent_idx is None else parent_idx
        self.blocks.append(Block(self, len(self.blocks), parent))
        self.current_block_idx = len(self.blocks) - 1
        return self.current_block()

    def _rollback(self):
        self.current_block_idx = self.current_block().parent_idx

    def list_vars(self):
        """All variables of all blocks, one after the other."""
        for block in self.blocks:
            yield from block.vars.values()

    def all_parameters(self):
        """All parameters."""
        return [p for block in self.blocks for p in block.all_parameters()]

    def __deepcopy__(self, memo):
        return self.clone()

    def to_string(self, throw_on_error=True, with_details=False):
        """Readable text of all blocks; with details also what is in force for each parameter."""
        return "\n".join(b.to_string(throw_on_error, with_details) for b in self.blocks)

    def _to_readable_code(self, skip_op_callstack=True):
        """The text that is printed; where the operators were called is not part of it."""
        return self.to_string()

    __repr__ = __str__ = lambda self: self.to_string()

    def state_dict(self, mode="all", scope=None):
        """Values of the persistable variables by name: 'param' for parameters, 'opt' for the others, 'all' for both."""
        if not isinstance(mode, str):
            raise TypeError(f"Program.state_dict(): mode must be a string, got {describe(mode)}")
        if scope is not None and not isinstance(scope, Scope):
            raise TypeError(f"Program.state_dict(): scope must be a Scope, got {describe(scope)}")
        scope = scope or global_scope()
        if mode not in ("all", "param", "opt"):
            raise ValueError(f"Program.state_dict(): mode must be 'all', 'param' or 'opt', got {mode!r}")
        chosen = [v.name for v in self.list_vars() if v.persistable and v.kind == LOD_TENSOR
                  and (mode == "all" or v.is_parameter == (mode == "param"))]
        return OrderedDict((name, self.captured[name] if name in self.captured else scope.find_var(name).get_tensor())
                           for name in chosen if name in self.captured or scope.has(name))

process.main, process.startup = Program(), Program()


def default_main_program():
    """The program that ops are added to.

    Returns:
        Program.

    >>> paddle.static.default_main_program().num_blocks
    1
    """
    return context.main or process.main


def default_startup_program():
    """The program that initialises parameters.

    >>> paddle.static.default_startup_program().random_seed
    0
    """
    return context.startup or process.startup


def _need_program(value, function, argument):
    if not isinstance(value, Program):
        raise TypeError(f"{function}(): {argument} must be a Program, got {describe(value)}")


def switch_main_program(program):
    """Make another program the default one in this thread; returns the old."""
    _need_program(program, "switch_main_program", "program")
    old = default_main_program()
    context.main = None if program is process.main else program
    return old


def switch_startup_program(program):
    """Make another program the default startup one in this thread; returns the old."""
    _need_program(program, "switch_startup_program", "program")
    old = default_startup_program()
    context.startup = None if program is process.startup else program
    return old


def seed_dynamic_code(program):
    """Draw with the seed of a default program in dynamic code too, as guards of 1.x did: it makes runs repeatable."""
    if program.random_seed and program in (default_startup_program(), default_main_program()):
        random.seed(program.random_seed)


@contextlib.contextmanager
def program_guard(main_program, startup_program=None):
    """Ops and parameters inside the ``with`` block go to these programs, in this thread.

    Args:
        main_program (Program): receives the operators.
        startup_program (Program, None): receives what initialises parameters; the default startup program if None.

    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     paddle.static.default_main_program() is main
    True
    """
    _need_program(main_program, "program_guard", "main_program")
    if startup_program is not None:
        _need_program(startup_program, "program_guard", "startup_program")
    with changed(main=main_program, startup=startup_program or context.startup):
        yield
