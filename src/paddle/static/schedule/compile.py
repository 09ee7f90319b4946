"""Programs made into functions: ``compile(program, feeds, fetches)`` gives a callable from arrays to arrays."""

from __future__ import annotations

from operator import getitem
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.collection import uncollected
from ...core.errors import suggest
from ...core.references import references
from ..ir import passes
from ..ir.lower import lower
from ..program.variable import LOD_TENSOR_ARRAY
from ..scope import global_scope
from .plan import Plan

if TYPE_CHECKING:
    from ..program.program import Program
    from ..scope import Scope


class Compiled:
    """A program's block 0 from fed arrays to fetched ones; persistable variables are read from and written to a scope.

    Variables that stand for eager tensors (``program.captured``) are read from and written to those instead.
    """

    @uncollected()
    def __init__(self, program: Program, feeds: list[Any], fetches: list[Any], skip: tuple[Any, ...] = ()) -> None:
        self.program, self.feeds, self.fetches = program, list(feeds), list(fetches)
        self.graph = passes.apply(lower(program, self.feeds, self.fetches), skip)
        self.plan = Plan(self.graph)
        self.stored = {*self.plan.state_names, *self.plan.update_names}

    def __call__(self, arrays: list[Any], scope: Scope | None = None) -> list[Any]:
        """Run on arrays in the order of ``feeds``; returns the fetched arrays."""
        scope = global_scope() if scope is None else scope
        return list(run(self.plan, self.program, arrays, scope))


def run(plan: Plan, program: Program, arrays: list[Any], scope: Scope) -> tuple[Any, ...]:
    """Run a plan of a program on arrays, its persistable variables read from and written to a scope or the captured tensors."""
    outputs, updates = plan(arrays, _read_states(plan, program, scope))
    captured = program.captured
    for name, array in zip(plan.update_names, updates):
        if name in captured:
            captured[name].replace(array)
        else:
            scope.values[name] = array
    return outputs


def _read_states(plan: Plan, program: Program, scope: Scope) -> list[Any]:
    """The values of the persistable variables that a plan reads, in its order."""
    captured, values, over, found = program.captured, scope.values, plan.overwritten, []
    for name in plan.state_names:
        tensor = captured.get(name)
        if tensor is not None:
            found.append(np.array(tensor._data) if name in over and not tensor._sole else tensor._data)
        elif name in values and isinstance(values[name], list):  # an array of tensors: as a program put them there, LoDTensors
            found.append([np.asarray(member) for member in values[name]])
        elif name in values:
            shared = name in over and references(getitem, values, name) > 1
            found.append(np.array(values[name]) if shared else values[name])
        elif _is_array(program, name):
            found.append([])
        else:
            raise _missing(name, plan, program, scope)
    return found


def _is_array(program: Program, name: str) -> bool:
    var = program.global_block().find(name)
    return var is not None and var.kind == LOD_TENSOR_ARRAY


def _missing(name: str, plan: Plan, program: Program, scope: Scope) -> Any:
    var = program.global_block().find(name)
    if var is not None and (var.is_data or var.need_check_feed):
        fed = ", ".join(v.name for v in plan.graph.inputs)
        return ValueError(f"Executor.run(): the program reads the input {name!r}, which was not fed; fed: {fed or 'nothing'}")
    if var is not None and not var.persistable:
        return RuntimeError(f"Executor.run(): {name!r} is read or fetched, but no operator of the program gives it a value")
    known = suggest(name, [*scope.values, *program.captured])
    return RuntimeError(f"Executor.run(): variable {name!r} has no value{known}; run the startup program "
                        "(or load parameters) first")


def compile(program: Any, feeds: Any, fetches: Any, skip: Any = ()) -> Any:
    """A function from a list of arrays (one per fed name) to the list of fetched arrays; see Compiled.

    >>> import numpy
    >>> from paddle.static.schedule.compile import compile
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.data('x', [None])
    ...     y = paddle.exp(x)
    >>> compile(main, ['x'], [y.name])([numpy.zeros([2], 'float32')])
    [array([1., 1.], dtype=float32)]
    """
    return Compiled(program, feeds, fetches, skip)
