"""Operators with effects or that look outside: Print, Assert, load, and functions of the user's own."""

import numpy as np

from ..core.errors import check_choice, describe
from ..core.op import Symbolic
from ..serialization.lod_tensor import read_tensor
from .ir.lower import EMPTY, special
from .ir.nodes.op import GRAD, Call
from .program import lod, program
from .program.record import as_variable, user_line

_functions = []  # what py_func operators call, by number


def _show(array, summarize):
    flat = array.reshape(-1)
    shown = flat if summarize < 0 else flat[:summarize]
    text = np.array2string(shown, threshold=shown.size + 1, max_line_width=1 << 20, separator=" ")
    return text if shown.size == flat.size else text[:-1] + " ...]"


# ---------------------------------------------------------------- Print

class PrintCall(Call):
    """print: show a value and hand it on."""

    type, single, effect, pure, differentiable = "print", True, True, False, True
    in_slots, out_slots = [("In", 1, False)], [("Out", 1, False)]

    def __init__(self, attrs, name, phase="forward"):
        self.attrs, self.name, self.phase = attrs, name, phase
        self.count = [0]

    def prepare(self):
        attrs, phase = self.attrs, str(self.attrs.get("print_phase", "BOTH")).lower()
        visible = phase in ("both", self.phase)

        def run(x):
            self.count[0] += 1
            if visible and (attrs.get("first_n", -1) < 0 or self.count[0] <= attrs["first_n"]):
                print(self.text(x), flush=True)
            return x
        return run

    def text(self, x):
        """What is printed for a value."""
        a, lines = self.attrs, []
        head = a.get("message") or ""
        if a.get("print_tensor_name", True):
            head = f"{head} Variable: {self.name}{GRAD if self.phase == 'backward' else ''}".strip()
        lines.append(head or "Variable")
        if a.get("print_tensor_lod", True):
            lines.append("  - lod: {}")
        lines.append("  - place: Place(cpu)")
        if a.get("print_tensor_shape", True):
            lines.append(f"  - shape: {list(x.shape)}")
        if a.get("print_tensor_layout", True):
            lines.append("  - layout: NCHW")
        if a.get("print_tensor_type", True):
            lines.append(f"  - dtype: {x.dtype.name}")
        lines.append(f"  - data: {_show(x, a.get('summarize', 20))}")
        return "\n".join(lines)

    def gradient(self, wanted, given):
        return PrintGrad(self.attrs, self.name)


class PrintGrad(PrintCall):
    """The gradient of print: shown and handed on."""

    type, single = "print_grad", False
    in_slots = [("In", 1, False), ("Out", 1, False), ("Out" + GRAD, 1, False)]
    out_slots = [("In" + GRAD, 1, False)]

    def __init__(self, attrs, name):
        super().__init__(attrs, name, "backward")

    def trim(self, ins):
        return [None, None, ins[2]]

    def prepare(self):
        show = super().prepare()
        return lambda _in, _out, g: [show(g)]


@special("print")
def _print(lowering, operator):
    name = operator.input("In")[0]
    lowering.add(PrintCall(operator.attrs, name), [lowering.read(name)], operator.output("Out"), operator)


@special("print_grad")
def _print_grad(lowering, operator):
    name = operator.input("Out" + GRAD)[0]
    lowering.add(PrintGrad(operator.attrs, name.split(GRAD)[0]), [None, None, lowering.read(name)],
                 operator.output("In" + GRAD), operator)


def Print(input, first_n=-1, message=None, summarize=20, print_tensor_name=True, print_tensor_type=True,
          print_tensor_shape=True, print_tensor_layout=True, print_tensor_lod=True, print_phase="both"):
    """Show a value whenever the program computes it; returns it, to be used in place of the input.

    Args:
        first_n: only the first so many times; -1: always.
        message: text in front.
        summarize: how many elements; -1: all.
        print_phase: 'forward', 'backward' (the gradient) or 'both'.
    """
    check_choice(str(print_phase).lower(), ("forward", "backward", "both"), "Print", "print_phase")
    block = program.default_main_program().current_block()
    x = as_variable(input, block)
    out = block.new_var(shape=x.shape, dtype=x.dtype, stop_gradient=x.stop_gradient)
    block.append_op("print", {"In": x}, {"Out": out}, {
        "first_n": int(first_n), "message": message or "", "summarize": int(summarize), "print_phase": print_phase.upper(),
        "print_tensor_name": bool(print_tensor_name), "print_tensor_type": bool(print_tensor_type),
        "print_tensor_shape": bool(print_tensor_shape), "print_tensor_layout": bool(print_tensor_layout),
        "print_tensor_lod": bool(print_tensor_lod), "is_forward": True}, user_line())
    return lod.give(out, x.lod)


# ---------------------------------------------------------------- Assert

class AssertCall(Call):
    """assert: raise unless the condition holds."""

    type, effect, pure = "assert", True, False

    def __init__(self, attrs, names, where):
        self.attrs, self.names, self.where = attrs, names, where
        self.in_slots = [("Cond", 1, False), ("Data", len(names), True)]

    def prepare(self):
        def run(condition, *data):
            if not bool(condition.reshape(())):
                if "__message__" in self.attrs:  # an assert statement
                    raise AssertionError(f"{self.attrs['__message__']}{_at(self.where)}")
                shown = "".join(f"\n  {n} {list(d.shape)}: {_show(d, self.attrs.get('summarize', -1))}"
                                for n, d in zip(self.names, data))
                raise ValueError(f"Assert(): the condition is false{shown}")
            return ()
        return run


def _at(where):
    return f" (at {where[0]}:{where[1]})" if where else ""


@special("assert")
def _assert(lowering, operator):
    names = operator.input("Data")
    lowering.add(AssertCall(operator.attrs, names, operator.where),
                 [lowering.read(n) for n in [*operator.input("Cond"), *names]], [], operator)


def Assert(cond, data=None, summarize=20, name=None):
    """Raise, when the program runs, unless the condition holds; the error shows ``data``.

    Args:
        cond: bool tensor with one element.
        data: list of tensors to show.
        summarize: how many elements of each.
    """
    if not isinstance(cond, Symbolic):
        if not bool(cond):
            shown = "".join(f"\n  {_show(np.asarray(d), summarize)}" for d in data or ())
            raise ValueError(f"Assert(): the condition is false{shown}")
        return
    if cond.dtype.name != "bool":
        raise TypeError(f"Assert(): cond must be a bool tensor, got {cond.dtype.name}")
    block = program.default_main_program().current_block()
    block.append_op("assert", {"Cond": cond, "Data": list(data or ())}, {}, {"summarize": int(summarize)}, user_line())


# ---------------------------------------------------------------- load

class LoadCall(Call):
    """load: the tensor of a file, read at every run."""

    type, single, pure = "load", True, False
    in_slots, out_slots = [], [("Out", 1, False)]

    def __init__(self, attrs):
        self.attrs = attrs

    def prepare(self):
        path, half = self.attrs["file_path"], self.attrs.get("load_as_fp16", False)

        def run():
            stored = read_tensor(path)
            if stored.lod:
                raise NotImplementedError(f"load(): {path!r} has sequence lengths (LoD), which are not taken over")
            return stored.array.astype(np.float16) if half else stored.array
        return run


@special("load")
def _load(lowering, operator):
    lowering.add(LoadCall(operator.attrs), [], operator.output("Out"), operator)


def load(out, file_path, load_as_fp16=None):
    """Read one saved tensor into a Variable whenever the program runs."""
    if not isinstance(out, Symbolic) or not isinstance(file_path, str):
        raise TypeError(f"load(): out must be a Variable and file_path text, got {describe(out)} and {describe(file_path)}")
    attrs = {"file_path": file_path, **({} if load_as_fp16 is None else {"load_as_fp16": bool(load_as_fp16)})}
    program.default_main_program().current_block().append_op("load", {}, {"Out": out}, attrs, user_line())


# ---------------------------------------------------------------- py_func

class PyFuncCall(Call):
    """py_func: a function of the user's on arrays."""

    type, effect, pure, differentiable = "py_func", True, False, True

    def __init__(self, attrs, n_in, specs):
        self.attrs, self.n_in, self.specs = attrs, n_in, specs
        self.in_slots, self.out_slots = [("X", n_in, True)], [("Out", len(specs), True)]
        self.differentiable = attrs.get("backward_callable_id", -1) >= 0

    def prepare(self):
        function, specs = _functions[self.attrs["forward_callable_id"]], self.specs
        return lambda *flat: _arrays(function(*flat), specs, "py_func")

    def gradient(self, wanted, given):
        return PyFuncGrad(self, wanted)


class PyFuncGrad(Call):
    """The gradient of py_func: the user's backward function of inputs, outputs and gradients of outputs."""

    type, pure = "py_func_grad", False

    def __init__(self, inner, wanted):
        self.inner, self.attrs, self.wanted = inner, inner.attrs, wanted
        outs = inner.out_slots
        self.in_slots = [*inner.in_slots, *outs, *[(s + GRAD, n, many) for s, n, many in outs]]
        self.out_slots = [(s + GRAD, n, many) for s, n, many in inner.in_slots]

    def trim(self, ins):
        return list(ins)

    def prepare(self):
        function = _functions[self.attrs["backward_callable_id"]]
        skipped, n, m = set(self.attrs.get("skipped_positions") or ()), self.inner.n_in, len(self.inner.specs)

        def run(*flat):
            grads = [np.zeros_like(o) if g is None else g for g, o in zip(flat[n + m:], flat[n:n + m])]
            found = function(*[v for k, v in enumerate(flat[:n + m]) if k not in skipped], *grads)
            found = list(found) if isinstance(found, (list, tuple)) else [found]
            found += [None] * (n - len(found))
            return [None if g is None else np.asarray(g, flat[k].dtype) for k, g in enumerate(found)]
        return run


def _arrays(results, specs, function):
    results = [] if results is None else list(results) if isinstance(results, (list, tuple)) else [results]
    if len(results) != len(specs):
        raise ValueError(f"{function}(): the function returned {len(results)} values for {len(specs)} outputs")
    return [np.asarray(r, dtype) for r, dtype in zip(results, specs)]


def _specs(block, names):
    return [block._var_recursive(n).dtype.dtype for n in names]


@special("py_func")
def _py_func(lowering, operator):
    names, outs = operator.input("X"), operator.output("Out")
    _check_known(operator)
    call = PyFuncCall(operator.attrs, len(names), _specs(lowering.block, outs))
    lowering.add(call, [lowering.read(n) for n in names], outs, operator)


@special("py_func_grad")
def _py_func_grad(lowering, operator):
    _check_known(operator)
    outs = operator.input("Out")
    inner = PyFuncCall(operator.attrs, len(operator.input("X")), _specs(lowering.block, outs))
    call = PyFuncGrad(inner, ())
    names = [*operator.input("X"), *outs, *operator.input("Out" + GRAD)]
    lowering.add(call, [None if n == EMPTY else lowering.read(n) for n in names], operator.output("X" + GRAD), operator)


def _check_known(operator):
    if not 0 <= operator.attrs.get("forward_callable_id", -1) < len(_functions):
        raise NotImplementedError("py_func: the Python function of a program from a file is not known in this process")


def py_func(func, x, out, backward_func=None, skip_vars_in_backward_input=None):
    """Call a Python function on arrays in the middle of a program.

    Args:
        func: function of the input arrays; returns an array or list of arrays for ``out``.
        x: Variable or list of Variables.
        out: Variable or list of Variables made beforehand (``block.create_var``), or None.
        backward_func: function of input arrays, output arrays and gradients of outputs; returns gradients of inputs.
        skip_vars_in_backward_input: inputs or outputs that ``backward_func`` does not take.
    """
    if not callable(func) or (backward_func is not None and not callable(backward_func)):
        raise TypeError(f"py_func(): func and backward_func must be callable, got {describe(func)}, {describe(backward_func)}")
    xs = [] if x is None else list(x) if isinstance(x, (list, tuple)) else [x]
    outs = [] if out is None else list(out) if isinstance(out, (list, tuple)) else [out]
    for v in [*xs, *outs]:
        if not isinstance(v, Symbolic):
            raise TypeError(f"py_func(): x and out must be Variables, got {describe(v)}")
    skipped = skip_vars_in_backward_input
    skipped = [] if skipped is None else skipped if isinstance(skipped, (list, tuple, set)) else [skipped]
    names = {v if isinstance(v, str) else v.name for v in skipped}
    order = [v.name for v in [*xs, *outs]]
    if names - set(order):
        raise ValueError(f"py_func(): skip_vars_in_backward_input has {sorted(names - set(order))}, which are not in x or out")
    _functions.append(func)
    attrs = {"forward_callable_id": len(_functions) - 1, "backward_callable_id": -1}
    if backward_func is not None:
        _functions.append(backward_func)
        attrs["backward_callable_id"] = len(_functions) - 1
        attrs["skipped_positions"] = [k for k, n in enumerate(order) if n in names]
    block = program.default_main_program().current_block()
    block.append_op("py_func", {"X": xs}, {"Out": outs}, attrs, user_line())
    return out
