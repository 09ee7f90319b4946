"""fluid.op: single operators that run on the values of a scope, as tests of 1.x made them."""

import numpy as np

from ..base.framework import get_all_op_protos
from ..base.protos import get_op_extra_attrs
from ..core.rows import SelectedRows
from ..static import Executor
from ..static.lod_tensor import LoDTensorArray
from ..static.program import op_table
from ..static.program.program import LOD_TENSOR, LOD_TENSOR_ARRAY, Program
from ..static.program.variable import SELECTED_ROWS

__all__ = ["Operator", "get_all_op_protos"]


class _Operator:
    """One operator with the names of its inputs and outputs."""

    def __init__(self, type, inputs, outputs, attrs):
        self._type, self._inputs, self._outputs, self._attrs = type, inputs, outputs, attrs

    def type(self):
        """The operator's type."""
        return self._type

    def _names(self, table):
        return [name for names in table.values() for name in names]

    def input_names(self):
        """The slots of the inputs."""
        return list(self._inputs)

    def inputs(self, slot):
        """The names of the variables in an input slot."""
        return list(self._inputs[slot])

    def outputs(self, slot):
        """The names of the variables in an output slot."""
        return list(self._outputs[slot])

    def run(self, scope, place):
        """Compute the outputs from the values of a scope, and put them there."""
        program = Program()
        block = program.global_block()
        for name in self._names(self._inputs):
            value = scope.get(name)
            kind = (LOD_TENSOR_ARRAY if isinstance(value, (list, LoDTensorArray))
                    else SELECTED_ROWS if isinstance(value, SelectedRows) else LOD_TENSOR)
            array = np.zeros([0], np.float32) if kind == LOD_TENSOR_ARRAY else np.asarray(getattr(value, "values", value))
            block.new_var(name=name, shape=list(array.shape), dtype=array.dtype.name, kind=kind, persistable=True)
        for name in self._names(self._outputs):
            if name not in block.vars:
                block.new_var(name=name, dtype="float32", persistable=True)
        block.append_op(self._type, self._inputs, self._outputs, self._attrs)
        Executor(place).run(program, scope=scope)


class _Factory:
    """``Operator("sum", X=["a", "b"], Out="c")`` makes an operator: keywords are slots, with names of variables, and attributes."""

    def types(self):
        """The types that there are."""
        return [proto.type for proto in get_all_op_protos()]

    def get_op_inputs(self, type):
        """[(input slot, does it take several?)] of a type."""
        return [(slot.rstrip("*?~"), "*" in slot) for slot in op_table.table()[type]["in"]]

    def get_op_outputs(self, type):
        """[(output slot, does it take several?)] of a type."""
        return [(slot.rstrip("*?~"), "*" in slot) for slot in op_table.table()[type]["out"]]

    def get_op_input_names(self, type):
        """The input slots of a type."""
        return [slot for slot, _ in self.get_op_inputs(type)]

    def get_op_output_names(self, type):
        """The output slots of a type."""
        return [slot for slot, _ in self.get_op_outputs(type)]

    def get_op_attr_names(self, type):
        """The attributes of a type."""
        return list(op_table.table()[type]["attrs"])

    def get_op_extra_attr_names(self, type):
        """The attributes of a type that do not count for training, such as those of other devices' kernels (2.4)."""
        return list(get_op_extra_attrs(type))

    def __call__(self, type, **given):
        row = op_table.table().get(type)
        if row is None:
            raise ValueError(f"Operator(): there is no operator {type!r}")
        slots = {kind: [slot.rstrip("*?~") for slot in row[kind]] for kind in ("in", "out")}
        tables = {kind: {slot: [v] if isinstance(v := given.pop(slot), str) else list(v) for slot in names if slot in given}
                  for kind, names in slots.items()}
        return _Operator(type, tables["in"], tables["out"], given)


Operator = _Factory()
