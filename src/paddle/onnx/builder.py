"""Builder: the ONNX graph being made, and what converters of single operators use."""

import numpy as np

from ..static.ir.lower import ByType, place
from ..static.program import op_table
from .proto import DTYPES, AttributeProto, NodeProto, TensorProto

CONVERTERS = ByType()  # type of a Paddle operator -> function(builder, operator view)
converts = CONVERTERS.of


class Builder:
    """Collects nodes and constants."""

    def __init__(self, block, opset):
        self.block, self.nodes, self.constants, self.opset = block, [], {}, opset
        self._count = 0

    def fresh(self, base="t"):
        """A name that is not used yet."""
        self._count += 1
        return f"{base}_onnx_{self._count}"

    def constant(self, value, dtype=None, name=None):
        """The name of a constant."""
        name = name or self.fresh("const")
        self.constants[name] = TensorProto.of(np.asarray(value, dtype), name)
        return name

    def ints(self, values):
        """The name of a constant vector of int64."""
        return self.constant(list(values), np.int64)

    def node(self, kind, inputs, outputs=None, **attrs):
        """Add a node and return its first output; ``outputs``: a name, a list of names, or None for a fresh one."""
        if outputs is None:
            outputs = [self.fresh(kind.lower())]
        elif isinstance(outputs, str):
            outputs = [outputs]
        inputs = ["" if i is None else i for i in inputs]
        while inputs and not inputs[-1]:  # optional ones at the end are left out
            inputs.pop()
        self.nodes.append(NodeProto(input=inputs, output=list(outputs),
                                    name=self.fresh(kind), op_type=kind,
                                    attribute=[AttributeProto.of(k, v) for k, v in sorted(attrs.items()) if v is not None]))
        return outputs[0]

    def since(self, opset):
        """Say that a node needs this version of ONNX's operators, at least."""
        self.opset = max(self.opset, opset)

    def cast(self, name, dtype):
        """The tensor in another element type."""
        return self.node("Cast", [name], to=DTYPES[np.dtype(dtype).name])

    def rank(self, name):
        """How many axes a tensor of the program has."""
        return len(self.var(name).shape)

    def var(self, name):
        """The Variable of a name."""
        return self.block._var_recursive(name)


class View:
    """An operator as converters see it: attributes with defaults, slots, shapes and types."""

    def __init__(self, builder, operator):
        self.builder, self.operator, self.type = builder, operator, operator.type
        self.attrs = {**op_table.defaults(operator.type), **operator.attrs}

    def __getitem__(self, name):
        return self.attrs[name]

    def get(self, name, default=None):
        return self.attrs.get(name, default)

    def x(self, slot="X"):
        """The name in an input slot, or None."""
        names = self.operator.input(slot)
        return names[0] if names else None

    def xs(self, slot="X"):
        """The names in an input slot."""
        return self.operator.input(slot)

    def out(self, slot="Out"):
        """The name in an output slot, or None."""
        names = self.operator.output(slot)
        return names[0] if names else None

    def outs(self, slot="Out"):
        """The names in an output slot."""
        return self.operator.output(slot)

    def shape(self, slot="X"):
        """The declared shape of an input."""
        return list(self.builder.var(self.x(slot)).shape)

    def dtype(self, slot="X"):
        """The NumPy dtype of an input."""
        return self.builder.var(self.x(slot)).dtype.dtype

    def unsupported(self, what):
        """Raise NotImplementedError for a use of the operator that can't be expressed."""
        raise NotImplementedError(f"export(): operator {self.type}: {what}{place(self.operator)}")

    def no_tensors(self, *slots):
        """Raise if sizes come from tensors in these slots."""
        for slot in slots:
            if self.operator.input(slot):
                self.unsupported(f"values given by tensors ({slot})")
