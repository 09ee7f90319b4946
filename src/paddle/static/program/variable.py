"""Variable and Parameter: tensors of a static program, without values until it runs."""

import copy
import types
import warnings

import numpy as np

from ...core import dtype as dtypes
from ...core.context import context, in_dynamic_mode
from ...core.errors import ModeError, describe
from ...core.op import Symbolic
from ...core.place import CPUPlace
from ...core.size import Size
from ...core.tensor import Parameter as TensorParameter
from ...core.tensor import Tensor
from ...ops.manipulation.creation import assign
from ...ops.manipulation.reshape import transpose
from ...serialization.program_desc import VarKind
from ...utils import unique_name
from ..lod_tensor import LoDTensor
from ..scope import Scope, global_scope

LOD_TENSOR, SELECTED_ROWS, LOD_TENSOR_ARRAY, STEP_SCOPES, RAW = 7, 8, 13, 11, 17  # kinds of variables (VarKind in files)
GRAD = "@GRAD"
PARAMETER_FACTS = ("trainable", "optimize_attr", "regularizer", "do_model_average", "need_clip")


class EitherMode(type):
    """Kind of Variable and Parameter: in dynamic mode their tensors count as instances, as in Paddle."""

    def __instancecheck__(cls, value):
        return type.__instancecheck__(cls._stands_for or cls, value) or cls._dynamic() and isinstance(value, cls._tensors)

    def __subclasscheck__(cls, kind):
        return type.__subclasscheck__(cls._stands_for or cls, kind) or cls._dynamic() and issubclass(kind, cls._tensors)


class Variable(Symbolic, metaclass=EitherMode):
    """A tensor of a program: it has a shape (unknown sizes are -1) and a dtype, but no value until the program runs."""

    _dynamic, _tensors = staticmethod(in_dynamic_mode), Tensor  # when and which tensors are instances too
    _stands_for = None  # the class whose instances are this one's

    is_parameter = False
    shapes = None  # those that it may have, where not even the number of dimensions is known: see OpenVariable
    family = None  # while a function is translated: the list of variables that would be views of one memory, itself among them
    stale = None  # what changed another one of them in place afterwards: programs have no views, so its value is not known
    _info = types.MappingProxyType({})  # what _set_info noted
    lod = ()  # names of the int64 variables that hold the offsets of its sequences, outermost level first (see lod.py)

    def __init__(self, block, name=None, shape=(), dtype="float32", persistable=False, stop_gradient=False, lod_level=0,
                 kind=LOD_TENSOR, is_data=False, need_check_feed=False, type=None):
        self.block = block
        self.waits = kind == LOD_TENSOR and (shape is None or dtype is None)  # for an operator to say what it is
        self.name = name or unique_name.generate("_generated_var")
        sizes = tuple(-1 if n is None else int(n) for n in shape or ())
        self.shape = Size(sizes) if context.rules.sizes else sizes
        self._dtype = dtypes.convert(dtype) if dtype is not None else None
        self.persistable, self.stop_gradient, self.lod_level = persistable, stop_gradient, lod_level or 0
        self.kind = kind if type is None else int(type)  # files say kind, Paddle's programs type
        self.is_data, self.need_check_feed = is_data, need_check_feed
        self.known = None  # the value (a small array) where it is known while the program is built
        self.error_clip = None
        self.made_in_guard = context.guard is not None

    @property
    def desc(self):
        """The part of Paddle's description of a variable that programs use: whether feeds are checked."""
        return VariableDesc(self)

    @property
    def dtype(self):
        return self._dtype

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def type(self):
        return VarKind(self.kind)

    @property
    def place(self):
        """The CPU. Calling it, which is all that Paddle's variables know, warns and gives None."""
        return _PLACE

    @property
    def grad_name(self):
        """Name of the variable that holds this one's gradient."""
        return self.name + GRAD

    @property
    def is_leaf(self):
        return self.is_data or self.is_parameter

    @property
    def T(self):
        """The variable with its axes reversed."""
        return transpose(self, list(range(self.ndim))[::-1])

    @property
    def op(self):
        """The operator of its block that computed the variable last, or None."""
        return next((op for op in reversed(self.block.ops) if self.name in op.output_arg_names), None)

    def detach(self):
        """The same values, with no gradient passing."""
        self._refuse_in_1("detach")
        out = assign(self)
        out.stop_gradient = True
        return out

    def become(self, other, by, reshapes=False):
        """Stand for another variable from here on: how in-place functions work on static Variables.

        The program keeps what was computed before under its old name. Outside functions being translated, functions whose
        names end in ``_`` leave the variable as it is and only return the result, as in Paddle.
        """
        if context.trace is None and by.endswith("_") and not by.startswith("__"):
            warnings.warn(f"{by}(): variables of programs are not changed in place; use what the call returns", stacklevel=4)
            return other
        if self.is_parameter or self.persistable:
            raise RuntimeError(f"{by}(): {self.name} is a persistable variable, which can't be changed in place; "
                               "use paddle.assign(value, output=variable)")
        if not isinstance(other, Symbolic):
            raise TypeError(f"{by}(): needs a Variable, got {describe(other)}")
        if other.shape != self.shape and not reshapes and len(other.shape) != len(self.shape):
            raise ValueError(f"{by}(): the result's shape {list(other.shape)} is not the variable's own {list(self.shape)}, "
                             "so it can't be stored in place")
        if context.journal is not None:
            context.journal.note(self)
        family = self.family
        if family is not None and context.trace is not None and other.family is not family and by.endswith("_"):
            self._outdate_views(by)
            family = None
        if self.block.vars.get(self.name) is self:
            self.block.vars[self.name] = copy.copy(self)
        self.__dict__.update(other.__dict__)
        self.family, self.stale = family, None
        return self

    def _outdate_views(self, by):
        """Note that tensors of the same memory, had the function run eagerly, would have changed too."""
        for var in self.family:
            if var is not self:
                if var.is_data or var.persistable:
                    context.trace.refuse_views(var, by)
                var.stale = by

    def take_layer_name(self, name):
        """Let the layer that has just computed this variable carry a name of the user's: ``<name>.tmp_0`` for its outputs.

        The number that the layer drew is free again. What an earlier layer computed keeps its name.
        """
        block = self.block
        base, numbered, _ = self.name.rpartition(".tmp_")
        if not block.ops or self.name not in block.ops[-1].output_arg_names or not unique_name.is_last(base or self.name):
            return
        if not numbered:
            block.rename(self, name, block.ops[-1:])
        else:
            made = [op for op in block.ops[-8:] if any(n.startswith(base + ".tmp_") for n in op.output_arg_names)]
            for old in sorted({n for op in made for n in op.output_arg_names if n.startswith(base + ".tmp_")},
                              key=lambda n: int(n.rpartition("_")[2])):
                block.rename(block.vars[old], unique_name.generate(name + ".tmp"), made)
        unique_name.give_back_name(base or self.name)

    def contiguous(self):
        """The variable itself: programs have no strides."""
        return self

    def is_contiguous(self):
        """True: programs have no strides."""
        return True

    def numpy(self):
        raise self._mode_error(f"numpy(): {self.name} is a static Variable: it has a value only while an Executor runs; "
                        "fetch it with Executor.run(fetch_list=[...])")

    def __len__(self):
        if self.kind == LOD_TENSOR_ARRAY:
            raise TypeError(f"len(): {self.name} is a tensor array, whose length is known in a run; use paddle.tensor.array_length")
        if not self.shape or self.shape[0] < 0:
            raise TypeError(f"len(): the first size of {self.name} {list(self.shape)} is not known")
        return self.shape[0]

    def __bool__(self):
        if context.rules.is_fluid:
            return True  # there it asked only whether there is one
        raise TypeError(f"bool(): {self.name} is a static Variable, whose value is not known while the program is built; "
                        "use paddle.static.nn.cond / while_loop, or paddle.jit.to_static")

    def __iter__(self):
        if not self.shape or self.shape[0] < 0:
            raise TypeError(f"iteration over {self.name} {list(self.shape)}: its first size is not known")
        return (self[i] for i in range(self.shape[0]))

    def get_value(self, scope=None):
        """The value this persistable variable has in a scope."""
        return self._holding("get_value", scope).find_var(self.name).get_tensor()

    def _holding(self, method, scope):
        """The scope to look in, if it has a value of this variable."""
        scope = global_scope() if scope is None else scope
        if not isinstance(scope, Scope):
            raise TypeError(f"{method}(): scope must be a Scope, got {describe(scope)}")
        if not scope.has(self.name):
            raise ValueError(f"{method}(): {self.name} has no value in the scope; run the startup program first")
        return scope

    def _set_error_clip(self, error_clip):
        """Clip the gradient of the variable on its way back, by a ``paddle.nn.clip.ErrorClipByValue`` (None: not at all)."""
        if error_clip is not None and not hasattr(error_clip, "_append_clip_op"):
            raise TypeError(f"_set_error_clip(): error_clip must be an ErrorClipByValue, got {describe(error_clip)}")
        self.error_clip = error_clip

    @property
    def _mode_error(self):
        """The kind of error for what dynamic tensors alone have; in guards of 1.x the variable is one without a value."""
        return ValueError if self.made_in_guard else ModeError

    def _refuse_in_1(self, method):
        """Inside a guard of 1.x a static Variable has none of the methods of dynamic ones."""
        if context.guard is not None and context.rules.is_fluid and context.trace is None:
            raise ModeError(f"{method}(): {self.name} is a static Variable, {context.rules.name} has it for dynamic ones")

    def _set_info(self, key, value):
        """Note something about the variable."""
        self._info = {**self._info, key: value}

    def _get_info(self, key):
        """What was noted under that key, or None."""
        return self._info.get(key)

    def set_value(self, value, scope=None):
        """Put a value for this persistable variable into a scope."""
        self._refuse_in_1("set_value")
        if not isinstance(value, (np.ndarray, Tensor, LoDTensor)):
            raise TypeError(f"set_value(): value must be an array, a Tensor or a LoDTensor, got {describe(value)}")
        scope = self._holding("set_value", scope)
        scope.set(self.name, value, np.shape(scope.get(self.name)))

    def to_string(self, throw_on_error=True, with_details=False):
        """The variable as the text of its description in files; with details also, of a parameter, how it is trained."""
        tensor = [f"data_type: {VarKind(self.dtype.code).name}"] if self.dtype is not None else []
        tensor = _message("tensor", [*tensor, *[f"dims: {n}" for n in self.shape or ()]])
        levels = [f"lod_level: {self.lod_level}"] if self.lod_level else []
        kind = [f"type: {VarKind(self.kind).name}"]
        if self.kind == SELECTED_ROWS:
            kind += _message("selected_rows", tensor[1:-1])
        elif self.kind in (LOD_TENSOR, LOD_TENSOR_ARRAY):
            kind += _message("tensor_array" if self.kind == LOD_TENSOR_ARRAY else "lod_tensor", [*tensor, *levels])
        lines = [f'name: "{self.name}"', *_message("type", kind), f"persistable: {str(self.persistable).lower()}"]
        flags = {"need_check_feed": self.need_check_feed, "is_parameter": self.is_parameter}
        lines += [f"{name}: true" for name, holds in flags.items() if holds]
        lines.append(f"stop_gradient: {str(self.stop_gradient).lower()}")
        names = ["error_clip", *(PARAMETER_FACTS if self.is_parameter else ())] if with_details else []
        return "\n".join([*lines, *[f"{name}: {getattr(self, name)}" for name in names], ""])

    def _to_readable_code(self, with_details=False):
        """One line about the variable; with details also its sequence lengths and, of a parameter, how it is trained."""
        kind = "persist " if self.persistable else ""
        kind += ("trainable param" if self.trainable else "param") if self.is_parameter else "var"
        if self.kind not in (LOD_TENSOR, SELECTED_ROWS):
            return f"{kind} {self.name} : {VarKind(self.kind).name})"
        return (f"{kind} {self.name} : {VarKind(self.kind).name}.shape{tuple(self.shape)}.dtype({dtypes_name(self)})"
                f".stop_gradient({self.stop_gradient}){self._details() if with_details else ''}")

    def _details(self):
        """What the short text leaves out."""
        facts = {"lod_level": self.lod_level, **{name: getattr(self, name) for name in PARAMETER_FACTS if self.is_parameter}}
        return "".join(f" {name}={value}" for name, value in facts.items())

    __repr__ = __str__ = lambda self: self._to_readable_code()
    __hash__ = object.__hash__


def _message(name, lines):
    """The lines of a part of a description."""
    return [name + " {", *["  " + line for line in lines], "}"]


class _VariablePlace(CPUPlace):
    """The CPU, as the place of something that is nowhere before it runs."""

    def __call__(self):
        warnings.warn("Variable: there is no place before a program runs (Value do not have 'place' interface)", stacklevel=2)


_PLACE = _VariablePlace()


class VariableDesc:
    """What ``Variable.desc`` gives: name, shape, dtype, and the check of feeds."""

    __slots__ = ("_var",)

    def __init__(self, var):
        self._var = var

    def name(self):
        """The variable's name."""
        return self._var.name

    def shape(self):
        """The variable's sizes."""
        return list(self._var.shape)

    def dtype(self):
        """The variable's element type."""
        return self._var.dtype

    def type(self):
        """The variable's kind."""
        return self._var.type

    def persistable(self):
        """Does the variable keep its value between runs?"""
        return self._var.persistable

    def set_persistable(self, persistable):
        """Let the variable keep its value between runs, or not."""
        self._var.persistable = bool(persistable)
        self._var.block.program.touch()

    def set_shape(self, shape):
        """Let the variable have other sizes."""
        self._var.shape = tuple(int(n) for n in shape)
        self._var.block.program.touch()

    def set_dtype(self, dtype):
        """Let the variable have another element type."""
        self._var._dtype = dtypes.convert(dtype)
        self._var.block.program.touch()

    def __eq__(self, other):
        return isinstance(other, VariableDesc) and self._var is other._var

    def __hash__(self):
        return id(self._var)

    def set_type(self, kind):
        """Let it be another kind of variable."""
        self._var.kind = int(kind)
        self._var.block.program.touch()

    def lod_level(self):
        """How many levels of sequence lengths it has."""
        return self._var.lod_level

    def need_check_feed(self):
        """Must what is fed have the variable's shape and type?"""
        return self._var.need_check_feed

    def set_need_check_feed(self, need_check_feed):
        """Let feeds be of another shape and type, or not; the program runs with what is fed."""
        self._var.need_check_feed = bool(need_check_feed)
        self._var.block.program.touch()


def dtypes_name(var):
    return "array" if var.kind == LOD_TENSOR_ARRAY else var.dtype.name if var.dtype else "raw"


class OpenVariable(Variable):
    """A variable whose number of dimensions only a run knows: what branches of different ranks give, and what follows from it.

    ``shapes`` are those that it may have, one of each rank. Operators are checked with each of them; a function that is being
    translated can't ask for the shape, as what it would do next depends on the answer. ``why`` is what it is told then.
    """

    def __init__(self, block, *, shapes, why, **kwargs):
        self.shapes, self.why = shapes, why
        super().__init__(block, shape=[-1] * max(map(len, shapes)), **kwargs)

    @property
    def shape(self):
        if context.trace is not None:
            context.trace.refuse_shape(self)
        return self.declared

    @shape.setter
    def shape(self, sizes):
        self.declared = sizes


class Parameter(Variable):
    """A trainable variable of a program; its first value is made by the startup program."""

    is_parameter = True
    _tensors = TensorParameter

    def __init__(self, block, name, shape, dtype, attr=None, **kwargs):
        own = {name: kwargs.pop(name) for name in ("trainable", "optimize_attr", "regularizer", "need_clip", "do_model_average",
                                                   "is_distributed", "gradient_clip_attr") if name in kwargs}
        super().__init__(block, name, shape, dtype, persistable=True, **kwargs)
        self.trainable = True if attr is None else attr.trainable
        self.stop_gradient = not self.trainable
        self.optimize_attr = {"learning_rate": 1.0 if attr is None else attr.learning_rate}
        self.regularizer = None if attr is None else attr.regularizer
        self.need_clip = True if attr is None else attr.need_clip
        self.do_model_average = True if attr is None else attr.do_model_average
        self.is_distributed = False
        self.initializer = None
        for name, value in own.items():  # programs of 1.x say them one by one
            setattr(self, name, value)
        self.stop_gradient = not self.trainable
