"""What programs and their parts can do by the rooms above them.

Variables get the operators and methods of Tensors: functions compose ops, and ops record themselves. Programs, blocks and
operators get their copies, descriptions and pictures.
"""

import importlib
import warnings

import numpy as np

from ..core import dtype as dtypes
from ..core.context import context
from ..core.errors import ModeError, describe
from ..core.op import BY_NAME
from ..core.spelling import spelled
from ..serialization import program_desc
from ..serialization.state_dict import NAME_TABLE
from ..tensor import functions
from ..tensor.indexing import item as indexed
from ..tensor.indexing import setitem
from ..tensor.operators import OPERATORS
from ..tensor.tensor_kinds import SPARSE_FORMS
from ..utils import naming
from . import gradient_hooks, inspection, model_files
from .array import array_length, array_read, array_write, is_array
from .inference_io import set_values
from .op_desc import BlockDesc, OpDesc, ProgramDesc, settle
from .program.desc import to_desc
from .program.program import Attributes, Block, Operator, Program
from .program.transform import clone as copy_program
from .program.transform import prune
from .program.variable import Variable


def _install_functions():
    for module_name in functions._MODULES:
        try:
            module = importlib.import_module("..tensor." + module_name, __package__)
        except ModuleNotFoundError as missing:
            if missing.name != f"paddle.tensor.{module_name}":
                raise
            continue
        for name in vars(module).get("METHODS", ()):  # getattr would look in the addresses of other generations
            if name not in Variable.__dict__:
                setattr(Variable, name, spelled(name, getattr(module, name)))
        for name in vars(module).get("INPLACE", ()):
            setattr(Variable, name + "_", getattr(functions, name + "_"))
        for name, there in vars(module).get("METHOD_ALIASES", {}).items():
            setattr(Variable, name, spelled(there, getattr(functions, there)) if isinstance(there, str) else there)


def _method(function):
    setattr(Variable, function.__name__, function)
    return function


@_method
def astype(self, dtype):
    """The variable in another element type."""
    with naming.numbered("tmp"):
        return BY_NAME["cast"](self, dtypes.convert(dtype, "astype"), self.dtype)


@_method
def clone(self):
    """A copy that gradients pass."""
    return BY_NAME["assign"](self)


@_method
def dim(self):
    """The number of dimensions."""
    return len(self.shape)


@_method
def register_hook(self, hook):
    """Call ``hook(grad)`` with a Tensor whenever the gradient of this variable was computed; a returned Tensor replaces it.

    Args:
        hook: a function of the gradient.
    Returns:
        A handle, whose ``remove()`` takes the hook off.
    Raises:
        RuntimeError: the variable has ``stop_gradient=True``.

    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.data('x', [2]); x.stop_gradient = False
    ...     handle = x.register_hook(lambda g: g * 10)
    ...     dx, = paddle.static.gradients(x * 3, x)
    >>> paddle.static.Executor().run(main, feed={'x': np.ones(2, 'float32')}, fetch_list=[dx])[0].tolist()
    [30.0, 30.0]
    """
    return gradient_hooks.register_hook(self, hook)


@_method
def element_size(self):
    """Bytes of one element."""
    return self.dtype.itemsize


@_method
def backward(self, grad_tensor=None, retain_graph=False):
    """Gradients of what a function that is being traced computed; not for Variables of programs built by hand."""
    if context.trace is None:
        raise self._mode_error(f"backward(): {self.name} is a static Variable; use paddle.static.append_backward or an "
                        "optimizer's minimize()")
    context.trace.gradients.backward([self], [grad_tensor])


@_method
def gradient(self):
    """Refused: a Variable has no gradient of its own; None of one that was made inside a guard of 1.x."""
    if self.made_in_guard:
        return None
    raise ModeError(f"gradient(): {self.name} is a static Variable; paddle.static.gradients gives gradients in programs")


@_method
def clear_gradient(self, set_to_zero=True):
    """Refused: a Variable keeps no gradient between runs."""
    raise self._mode_error(f"clear_gradient(): {self.name} is a static Variable, which keeps no gradient from run to run")


def _grad(self):
    if context.trace is None:
        raise AttributeError(f"grad: {self.name} is a static Variable; paddle.static.gradients gives gradients in programs")
    return context.trace.gradients.of_variable(self)


Variable.grad = property(_grad)


@_method
def __setitem__(self, index, value):
    self.become(setitem(self, index, value), "__setitem__")


@_method
def append(self, value):
    """Add a tensor at the end of a tensor array.

    Args:
        value: Variable, Tensor or array.
    Raises:
        TypeError: this is a Variable of another kind.

    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.data('x', [2])
    ...     array = paddle.tensor.create_array('float32', [x])
    ...     array.append(x * 2)
    ...     last = array[1]
    >>> paddle.static.Executor().run(main, feed={'x': np.ones(2, 'float32')}, fetch_list=[last])[0].tolist()
    [2.0, 2.0]
    """
    if not is_array(self):
        raise TypeError(f"append(): {self.name} must be a tensor array, it is a Variable of shape {list(self.shape)}")
    array_write(value, array_length(self), self)


@_method
def item(self, *index):
    """The Variable itself, if it has at most one axis, as in Paddle; refused while a function is traced that may run eagerly."""
    if index or len(self.shape) > 1 or context.trace is not None and not context.trace.values_stay:
        raise TypeError(f"item(): the value of {self.name}, a static Variable of shape {list(self.shape)}, is not known while the "
                        "program is built")
    return self


for _name in ("tolist", "__float__", "__int__", "__index__", "__complex__", "__array__"):
    def _no_value(self, *args, _name=_name, **kwargs):
        if context.trace is not None:
            raise TypeError(f"{_name.strip('_')}(): the value of a tensor is asked for while the program is built")
        raise TypeError(f"{_name.strip('_')}(): {self.name} is a static Variable: it has no value while the program is built; "
                        "fetch it with Executor.run(fetch_list=[...])")
    setattr(Variable, _name, _no_value)

def _operator(function):
    """A Python operator of variables: what it computes is called ``tmp_0``, ``tmp_1`` ..."""
    def operator(*operands):
        with naming.numbered("tmp"):
            return function(*operands)
    return operator


def _comparisons_turned(name):
    """What ``a <name> b`` is as an operator of b."""
    return {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}.get(name, "r" + name)


_UFUNCS = {np.add: "add", np.subtract: "sub", np.multiply: "mul", np.true_divide: "truediv", np.floor_divide: "floordiv",
           np.remainder: "mod", np.power: "pow", np.matmul: "matmul", np.less: "lt", np.less_equal: "le", np.greater: "gt",
           np.greater_equal: "ge", np.equal: "eq", np.not_equal: "ne", np.bitwise_and: "and", np.bitwise_or: "or",
           np.bitwise_xor: "xor"}


@_method
def __array_ufunc__(self, ufunc, method, *inputs, **options):
    """NumPy's numbers and arrays as first operands, ``np.float32(2) * x``; its functions of one operand are the methods of that
    name, ``np.log(x)``."""
    name, found = _UFUNCS.get(ufunc), None
    if method == "__call__" and not options:
        if name is None and len(inputs) == 1:
            found = getattr(self, ufunc.__name__, None)
            inputs = ()
        elif name is not None and inputs[0] is self:
            found = getattr(self, f"__{name}__", None)
            inputs = inputs[1:]
        elif name is not None:
            found = getattr(self, f"__{_comparisons_turned(name)}__", None)
            inputs = [inputs[0][()] if isinstance(inputs[0], np.ndarray) else inputs[0]]  # numbers came as arrays without axes
    if found is None:
        raise TypeError(f"np.{ufunc.__name__}: {self.name} is a static Variable, which has no such operator or method")
    return found(*inputs)


@_method
def __getitem__(self, index):
    if is_array(self):  # its shape is that of its members
        return array_read(self, index)
    with naming.numbered(self.name + "_slice"):
        return indexed(self, index)


for _name, _function in SPARSE_FORMS.items():
    setattr(Variable, _name, _function)
for _name, _function in OPERATORS.items():
    setattr(Variable, _name, _function if _name == "__hash__" else _operator(_function))
Variable.ndimension = dim
Variable.cpu = Variable.cuda = lambda self, *args, **kwargs: self
Variable.size = property(lambda self: BY_NAME["size"](self))
_install_functions()


def _set_state_dict(self, state_dict, scope=None):
    """Put values of persistable variables into a scope; a shape that differs raises, a name that the program lacks warns.

    Names of a layer's parameters are looked up in the table that ``paddle.load(path, keep_name_table=True)`` keeps.
    """
    if not isinstance(state_dict, dict):
        raise TypeError(f"Program.set_state_dict(): state_dict must be a dict, got {describe(state_dict)}")
    known, table, values = {v.name for v in self.list_vars() if v.persistable}, state_dict.get(NAME_TABLE, {}), {}
    for key, value in state_dict.items():
        name = table.get(key, key)
        if name in known:
            values[name] = getattr(value, "_data", value)
        elif key != NAME_TABLE:
            warnings.warn(f"Program.set_state_dict(): the program has no variable {name!r}; its value is left out", stacklevel=2)
    set_values(self, values, scope)


def _parse_from_string(binary_str):
    """A program from the bytes of a ``.pdmodel`` or ``.json`` file."""
    return model_files.parse(binary_str)


def _notebook_view(self):
    """A notebook's view: the drawn graph of a small program above its text."""
    from html import escape  # these two are for notebooks alone

    from .draw import to_svg  # and would be loaded with every predictor
    drawn = to_svg(self.blocks) if 0 < sum(len(block.ops) for block in self.blocks) <= 60 else ""
    text = escape(self.to_string())
    return f"{drawn}<details{'' if drawn else ' open'}><summary>Program</summary><pre>{text}</pre></details>"


def _prune_with_input(self, feeded_var_names, targets):
    """A copy with only the operators that the targets (Variables or names) need, given the fed names."""
    feeds = [feeded_var_names] if isinstance(feeded_var_names, str) else list(feeded_var_names)
    targets = targets if isinstance(targets, (list, tuple)) else [targets]
    return prune(self, feeds, [t if isinstance(t, str) else t.name for t in targets])


def _bytes(self):
    """The bytes of a ``.pdmodel`` file."""
    return program_desc.write(to_desc(self))


def _prune(self, targets):
    """A copy with only the operators that the targets need."""
    return self._prune_with_input([], targets)


Program._prune, Program._prune_with_input = _prune, _prune_with_input
Program.clone, Program.set_state_dict, Program._repr_html_ = copy_program, _set_state_dict, _notebook_view
Program.parse_from_string = staticmethod(_parse_from_string)
Program.desc = property(ProgramDesc, doc="The program with the interface of Paddle's ProgramDesc.")
Program.serialize_to_string = _bytes
Block.desc = property(BlockDesc, doc="The block with the interface of Paddle's BlockDesc.")
Operator.desc = property(OpDesc, doc="The operator with the interface of Paddle's OpDesc.")
Operator.settle = settle
Attributes.translate = staticmethod(inspection.attributes)
for _owner, _functions in ((Operator, inspection.OPERATOR), (Variable, inspection.VALUE), (Program, inspection.PROGRAM)):
    for _function in _functions:
        setattr(_owner, _function.__name__, _function)
