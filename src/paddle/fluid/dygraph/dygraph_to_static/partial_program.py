"""A translated program as a layer (1.8; successor: paddle.jit.to_static)."""

from ....core.errors import check_type, describe
from ....core.tensor import Parameter
from ....static.schedule.function import Runner
from ..base import to_variable
from ..layers import Layer

__all__ = ["PartialProgramLayer", "partial_program_from"]


class PartialProgramLayer(Layer):
    """Runs a program on tensors and arrays; gradients reach its inputs and parameters (1.8; successor: paddle.jit.to_static).

    Args:
        main_program: the program, traced from dynamic code.
        inputs, outputs: Variables of it.
        parameters: all parameters that it reads.
    """

    def __init__(self, main_program, inputs, outputs, parameters=None):
        super().__init__()
        parameters = [] if parameters is None else parameters
        check_type(parameters, (list, tuple), "PartialProgramLayer", "parameters")
        for k, parameter in enumerate(parameters):
            if not isinstance(parameter, Parameter):
                raise TypeError(f"PartialProgramLayer(): parameters[{k}] must be a Parameter, got {describe(parameter)}")
        known = {parameter.name for parameter in parameters}
        lost = [var.name for var in main_program.list_vars() if var.is_parameter and var.name not in known]
        if lost:
            raise ValueError(f"PartialProgramLayer(): the program has a parameter {lost[0]!r} that is not among parameters")
        for parameter in parameters:
            self.add_parameter(parameter.name.replace(".", "_"), parameter)
        self.inputs, self.outputs = inputs, outputs
        self._runner = Runner(main_program, [v.name for v in inputs], [v.name for v in outputs], "PartialProgramLayer")

    def forward(self, inputs):
        found = self._runner([to_variable(value) for value in inputs])
        return found[0] if len(found) == 1 else found


def partial_program_from(concrete_program):
    """The layer of a translated function's program (1.8; successor: paddle.jit.to_static)."""
    return PartialProgramLayer(concrete_program.main_program, concrete_program.inputs, concrete_program.outputs,
                               concrete_program.parameters)
