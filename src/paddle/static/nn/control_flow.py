"""Branches and loops of static programs: cond, case, switch_case, while_loop."""

import contextlib
import copy

import numpy as np

from ...core import errors
from ...core.addresses import lookup as _lookup
from ...core.context import context
from ...core.errors import CheckError, WrongKindError, describe
from ...core.op import Symbolic
from ...core.tensor import Tensor
from ...tensor import logic
from ...utils import unique_name
from ..array import is_array
from ..program import program
from ..program.open_ranks import extent
from ..program.record import as_variable
from ..program.registry import find
from ..structure import flatten, pack, shape_of
from ..sub_block import SubBlock, append_block_op, carry, select, store

_OPEN = ("cond(): true_fn and false_fn return tensors of different numbers of dimensions, which can be returned and given to "
         "operators of any shape, but what is done here asks for the shape; do it in the functions")


def _check_condition(pred, function, argument="pred"):
    if pred.dtype is not None and pred.dtype.name != "bool":
        raise TypeError(f"{function}(): {argument} must be a bool tensor, got {pred.dtype.name}")
    if any(n not in (1, -1) for n in pred.shape):
        raise WrongKindError(f"{function}(): {argument} must have one element, got shape {list(pred.shape)}")


def _branch(pred, fn, function):
    """A conditional_block that runs fn; returns (what fn returned, the outer Variables that hold its leaves)."""
    parent = program.default_main_program().current_block()
    outer = []
    with SubBlock() as block:
        result = fn() if fn is not None else None
        for leaf in flatten(result):
            if leaf is None or is_array(leaf):
                outer.append(leaf)
                continue
            if not isinstance(leaf, (Symbolic, Tensor, int, float, bool, np.ndarray, np.generic)):
                raise TypeError(f"{function}(): a branch must return Variables, numbers or None, got {describe(leaf)}")
            v = as_variable(leaf, block)
            made = parent.new_var(name=unique_name.generate("_generated_var"), dtype=v.dtype, stop_gradient=v.stop_gradient,
                                  **extent(v))
            block.append_op("assign", {"X": v}, {"Out": made})
            outer.append(made)
    append_block_op(parent, block, "conditional_block", {"Cond": pred}, "Scope", {"is_scalar_condition": True})
    return result, outer


def cond(pred, true_fn=None, false_fn=None, name=None, return_names=None):
    """true_fn() if pred holds, else false_fn(); in a program both become blocks and pred decides when it runs.

    Args:
        pred: a bool tensor with one element.
        true_fn, false_fn: functions without arguments that return the same structure of tensors, or None.

    >>> x = paddle.to_tensor(3.)
    >>> float(paddle.static.nn.cond(x > 2, lambda: x * 2, lambda: x))
    6.0
    """
    for fn, argument in ((true_fn, "true_fn"), (false_fn, "false_fn")):
        if fn is not None and not callable(fn):
            raise TypeError(f"cond(): {argument} must be callable, got {describe(fn)}")
    errors.check_type(name, (str, type(None)), "cond", "name")
    if not isinstance(pred, Symbolic):
        if not isinstance(pred, (Tensor, np.ndarray, bool, np.bool_)):  # what is no condition would always be a false one
            raise CheckError(f"cond(): pred must be a bool tensor, got {describe(pred)}")
        chosen = true_fn if bool(pred) else false_fn
        return None if chosen is None else chosen()
    _check_condition(pred, "cond")
    if true_fn is None and false_fn is None:
        return None
    true, true_vars = _branch(pred, true_fn, "cond")
    false, false_vars = _branch(find("logical_not")(pred), false_fn, "cond")
    if true is None and false is None:
        return None
    if shape_of(true) != shape_of(false):
        raise ValueError(f"cond(): true_fn and false_fn must return the same structure, got {shape_of(true)} and "
                         f"{shape_of(false)}")
    mask = find("cast")(pred, "int32", pred.dtype)
    why = None if context.trace is None else _OPEN
    return pack(true, [select(mask, f, t, why) for f, t in zip(false_vars, true_vars)])


def case(pred_fn_pairs, default=None, name=None):
    """The result of the first function whose condition holds, else of ``default`` (the last function for None).

    Args:
        pred_fn_pairs: list of (bool tensor with one element, function without arguments).
    """
    if not isinstance(pred_fn_pairs, (list, tuple)) or not pred_fn_pairs:
        raise TypeError(f"case(): pred_fn_pairs must be a list of (condition, function) pairs, got {describe(pred_fn_pairs)}")
    for pair in pred_fn_pairs:
        if not isinstance(pair, tuple) or len(pair) != 2 or not callable(pair[1]) or not isinstance(pair[0], (Symbolic, Tensor)):
            raise TypeError(f"case(): pred_fn_pairs must hold (condition, function) tuples, got {describe(pair)}")
    if default is not None and not callable(default):
        raise TypeError(f"case(): default must be callable, got {describe(default)}")
    pairs = list(pred_fn_pairs)
    if default is None:
        default = pairs.pop()[1]
    result = default
    for pred, fn in reversed(pairs):
        def result(pred=pred, fn=fn, otherwise=result):
            return cond(pred, fn, otherwise)
    return result()


def switch_case(branch_index, branch_fns, default=None, name=None):
    """The result of the function that an integer tensor numbers, else of ``default`` (the function of the largest number).

    Args:
        branch_index: integer tensor with one element.
        branch_fns: dict of number to function, list of (number, function), or list of functions numbered from 0.
    """
    if isinstance(branch_fns, dict):
        pairs = sorted(branch_fns.items())
    elif isinstance(branch_fns, (list, tuple)):
        pairs = [p if isinstance(p, tuple) else (k, p) for k, p in enumerate(branch_fns)]
    else:
        raise TypeError(f"switch_case(): branch_fns must be a dict or list, got {describe(branch_fns)}")
    if not pairs or not all(len(p) == 2 and isinstance(p[0], int) and callable(p[1]) for p in pairs):
        raise TypeError(f"switch_case(): branch_fns must give one function per number, got {describe(branch_fns)}")
    if len({k for k, _ in pairs}) != len(pairs):
        raise ValueError(f"switch_case(): branch_fns must give one function per number, got numbers {[k for k, _ in pairs]}")
    if default is None:
        pairs = sorted(pairs)
        default = pairs[-1][1]
    if not isinstance(branch_index, (Symbolic, Tensor)):
        raise TypeError(f"switch_case(): branch_index must be a tensor, got {describe(branch_index)}")
    if branch_index.dtype.name not in ("uint8", "int32", "int64"):
        raise TypeError(f"switch_case(): branch_index must be uint8, int32 or int64, got {branch_index.dtype.name}")
    return case([(branch_index == k, fn) for k, fn in pairs], default)


def while_loop(cond, body, loop_vars, is_test=False, name=None):
    """Call body again and again, from loop_vars on, as long as cond of its results holds; returns the last results.

    Args:
        cond: function of the loop variables that returns a bool tensor with one element.
        body: function of the loop variables that returns as many, of the same structure.
        loop_vars: list of tensors, numbers, tensor arrays or nested structures of these.
        is_test: of no effect; gradients are kept only if they are asked for.

    >>> i, = paddle.static.nn.while_loop(lambda i: i < 10, lambda i: [i * 2], [paddle.to_tensor(1)])
    >>> int(i)
    16
    """
    if not callable(cond) or not callable(body):
        raise TypeError(f"while_loop(): cond and body must be callable, got {describe(cond)} and {describe(body)}")
    if not isinstance(loop_vars, (list, tuple)):
        raise TypeError(f"while_loop(): loop_vars must be a list or tuple, got {describe(loop_vars)}")
    if not loop_vars:
        raise ValueError("while_loop(): loop_vars must have at least one entry")
    before = cond(*loop_vars)
    if not isinstance(before, Symbolic):
        if not isinstance(before, Tensor) and all(isinstance(v, Symbolic) for v in loop_vars):
            raise TypeError(f"while_loop(): cond must return a bool tensor, got {describe(before)}")
        return _run_loop(cond, body, loop_vars, before)
    _check_condition(before, "while_loop", "what cond returns")
    parent = program.default_main_program().current_block()
    carried = pack(list(loop_vars), [carry(v, parent) for v in flatten(list(loop_vars))])
    going = carry(before, parent)
    with SubBlock() as block:
        # the body gets stand-ins: what it changes in place must not rename the variables that the loop keeps
        given = pack(list(loop_vars), [v if v is None or is_array(v) else copy.copy(v) for v in flatten(carried)])
        results = _as_list(body(*given), loop_vars)
        store(block, flatten(results), flatten(carried))
        again = cond(*carried)  # the results stand in the loop variables now
        block.append_op("assign", {"X": as_variable(again, block)}, {"Out": going})
    append_block_op(parent, block, "while", {"Condition": going}, "StepScopes", {"is_test": bool(is_test)})
    if context.rules.loops_write:
        for given, last in zip(flatten(list(loop_vars)), flatten(carried)):
            if isinstance(given, Symbolic) and not is_array(given) and not given.dtype.is_floating:
                parent.append_op("assign", {"X": last}, {"Out": given})
    return carried


def _run_loop(cond, body, loop_vars, going):
    values = list(loop_vars)
    while bool(going):
        values = _as_list(body(*values), loop_vars)
        going = cond(*values)
    return values


def _as_list(results, loop_vars):
    results = list(results) if isinstance(results, (list, tuple)) else [results]
    if len(results) != len(loop_vars):
        raise ValueError(f"while_loop(): body returned {len(results)} values for {len(loop_vars)} loop_vars")
    return results


@contextlib.contextmanager
def _block(kind, inputs, scope_slot, attrs):
    """Ops inside go to a sub-block that an operator of that kind runs."""
    parent = program.default_main_program().current_block()
    with SubBlock() as block:
        yield
    append_block_op(parent, block, kind, inputs, scope_slot, attrs)


def _static_only(cond, who):
    if not isinstance(cond, Symbolic):
        raise TypeError(f"{who}(): cond must be a Variable of a static program; in a guard use Python's own statements")
    _check_condition(cond, who, "cond")


class While:
    """A loop of a static program: the ``with while_op.block():`` body runs as long as ``cond`` holds and must update it
    (1.x; successor: paddle.static.nn.while_loop)."""

    def __init__(self, cond, is_test=False, name=None):
        _static_only(cond, "While")
        self._cond, self._is_test = cond, bool(is_test)

    def block(self):
        """Context manager that records the body."""
        return _block("while", {"Condition": self._cond}, "StepScopes", {"is_test": self._is_test})


class Switch:
    """The first case whose condition holds runs, else the default (1.x; successor: paddle.static.nn.case)."""

    def __init__(self, name=None):
        self._before = None

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return False

    def case(self, condition):
        """Context manager that records what runs when ``condition`` is the first to hold."""
        _static_only(condition, "Switch.case")
        chosen = condition if self._before is None else logic.logical_and(condition, logic.logical_not(self._before))
        self._before = condition if self._before is None else logic.logical_or(self._before, condition)
        return _block("conditional_block", {"Cond": chosen}, "Scope", {"is_scalar_condition": True})

    def default(self):
        """Context manager that records what runs when no case did."""
        if self._before is None:
            raise ValueError("Switch.default(): there must be a case before the default")
        return _block("conditional_block", {"Cond": logic.logical_not(self._before)}, "Scope", {"is_scalar_condition": True})


__getattr__ = _lookup(__name__)
