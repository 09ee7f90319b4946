"""Operators of their own, outside of any program: made from an OpDesc message, run on the variables of a scope."""

from __future__ import annotations

import enum

import numpy as np

from ..core.attributes import from_file
from ..core.rows import SelectedRows
from ..serialization import program_desc, wire
from ..static.ir.lower import op_call
from ..static.op_desc import OpDesc
from ..static.program import op_table
from ..static.program.desc import operator_of
from ..static.program.lod_files import complete
from ..static.program.program import BACKWARD, FORWARD, LOSS, OPTIMIZE, SCHEDULE, Program
from ..static.program.registry import declared, find
from ..static.schedule.compile import Compiled
from ..static.scope import Scope


class Operator:
    """An operator that runs in a scope: ``Operator.create(bytes of an OpDesc).run(scope, place)``."""

    def __init__(self, message: program_desc.OpDesc):
        self._message, self._compiled = message, {}

    @classmethod
    def create(cls, serialized: bytes) -> Operator:
        """The operator of an OpDesc message; NotImplementedError where there is no such operator here."""
        message = wire.decode(program_desc.OpDesc, serialized)
        op, _ = declared(message.type)
        if op is None:
            raise NotImplementedError(f"Operator.create(): there is no operator {message.type!r}")
        from_file(op, message.attributes())
        return cls(message)

    def type(self) -> str:
        """Its type."""
        return self._message.type

    def inputs(self) -> dict:
        """Names by input slot."""
        return {slot.parameter: list(slot.arguments) for slot in self._message.inputs}

    def outputs(self) -> dict:
        """Names by output slot."""
        return {slot.parameter: list(slot.arguments) for slot in self._message.outputs}

    def input_vars(self) -> list:
        """Names of all inputs."""
        return [name for slot in self._message.inputs for name in slot.arguments]

    def output_vars(self, has_intermediate: bool = True) -> list:
        """Names of all outputs, with or without those that only the gradient reads."""
        hidden = op_table.intermediate(self.type())
        return [name for slot in self._message.outputs for name in slot.arguments
                if has_intermediate or slot.parameter not in hidden]

    def run(self, scope: Scope, place=None) -> None:
        """Read the inputs from a scope, compute, write the outputs into it."""
        if any(scope.get(name).__class__ is SelectedRows for name in self.input_vars()):
            self._run_on_rows(scope)
            return
        lods = tuple((name, len(scope.lods.get(name, ()))) for name in self.input_vars())
        if lods not in self._compiled:
            self._compiled[lods] = self._compile(dict(lods), scope)
        feeds, fetches, of, compiled = self._compiled[lods]
        arrays = [scope.get(name) if level is None else np.asarray(scope.lods[name][level], np.int64) for name, level in feeds]
        results = compiled(arrays, scope)
        for name, array in zip(fetches, results):
            scope.set(name, array)
        for name, places in of.items():
            scope.lods[name] = [results[k].tolist() for k in places]

    def _run_on_rows(self, scope):
        """Run on SelectedRows among other values."""
        program, op = Program(), find(self.type())
        call, names, outs = op_call(op, operator_of(program, program.global_block(), self._message))
        values = [None if name is None else scope.get(name) for name in names]
        results = op.run_rows([*call.nest(values), *call.values])
        for name, result in zip(outs, [results] if op.single else results):
            if name is not None and result.__class__ is SelectedRows:
                held = scope.var(name).get_selected_rows()  # which the program may hold
                held.index, held.values, held.extent = result.index, result.values, result.extent
            elif name is not None:
                scope.values[name] = result

    def _compile(self, lods, scope):
        program = Program()
        block = program.global_block()
        for name in dict.fromkeys(self.input_vars()):
            array = scope.get(name)
            block.vars[name] = type(self)._variable(block, name, array.shape, array.dtype, lods[name])
        for name in self.output_vars():
            if name not in block.vars:
                block.vars[name] = type(self)._variable(block, name, (), None, 0)
        operator = operator_of(program, block, self._message)
        block.ops.append(operator)
        OpDesc(operator).infer_shape()
        OpDesc(operator).infer_var_type()
        complete(program)
        feeds = [(name, None) for name in lods]
        feeds += [(name, k) for name in lods for k in range(len(block.vars[name].lod))]
        names = [name if level is None else block.vars[name].lod[level] for name, level in feeds]
        fetches = [name for name in dict.fromkeys(self.output_vars()) if self._is_made(operator, name)]
        more, of = [], {}
        for name in fetches:
            of[name] = [len(fetches) + len(more) + k for k in range(len(block.vars[name].lod))]
            more += block.vars[name].lod
        return feeds, fetches, of, Compiled(program, names, fetches + more)

    @staticmethod
    def _variable(block, name, shape, dtype, levels):
        var = block.new_var(name=name, shape=shape, dtype=dtype, lod_level=levels)
        var.is_data = var.need_check_feed = bool(levels)
        return var

    @staticmethod
    def _is_made(operator, name):
        """Is it computed here? Some outputs exist in files only."""
        op, level = declared(operator.type)
        known = {slot.name for slot in op.outputs}
        return level > 0 or any(name in names for slot, names in operator.outputs.items() if slot in known)

    def __repr__(self):
        return f"Operator({self._message.type}, inputs={self.inputs()}, outputs={self.outputs()})"


class OpRole(enum.IntEnum):
    """What an operator is there for, as files number it."""

    Forward = FORWARD
    Backward = BACKWARD
    Optimize = OPTIMIZE
    RPC = 4
    Dist = 8
    LRSched = SCHEDULE
    Loss = LOSS


class op_proto_and_checker_maker:
    """Names of the attributes that every operator carries."""

    OpRole = OpRole
    kOpRoleAttrName = staticmethod(lambda: "op_role")
    kOpRoleVarAttrName = staticmethod(lambda: "op_role_var")
    kOpNameScopeAttrName = staticmethod(lambda: "op_namescope")
    kOpCreationCallstackAttrName = staticmethod(lambda: "op_callstack")
    kOpDeviceAttrName = staticmethod(lambda: "op_device")
    kOpWithQuantAttrName = staticmethod(lambda: "with_quant_attr")


