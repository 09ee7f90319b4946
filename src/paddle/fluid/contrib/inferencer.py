"""fluid.contrib.inferencer: a network with the parameters of a folder (1.x; successor: paddle.Model.predict)."""

from ...core.addresses import lookup as _lookup
from ...core.errors import describe
from ...utils import unique_name
from .. import io
from ..compiler import CompiledProgram
from ..core import Scope
from ..executor import Executor, scope_guard
from ..framework import Program, program_guard
from .trainer import check_and_get_place

__all__ = ["Inferencer"]


class Inferencer:
    """Runs a network for inference (1.x; successor: paddle.Model.predict).

    Args:
        infer_func: builds the network, whose names are numbered from 0 on; returns its output.
        param_path: the folder of its parameters, of ``Trainer.save_params`` or ``fluid.io.save_params``.
        place: a place.
        parallel: divide batches over as many places as the environment variable CPU_NUM says.
    """

    def __init__(self, infer_func, param_path, place=None, parallel=False):
        self.param_path, self.parallel, self.place = param_path, parallel, check_and_get_place(place)
        self.scope, self.exe, program = Scope(), Executor(self.place), Program()
        with program_guard(program, Program()), unique_name.guard():
            self.predict_var = infer_func()
        self.inference_program = program.clone(for_test=True)
        with scope_guard(self.scope):
            io.load_params(self.exe, param_path, self.inference_program)
        self._runs = CompiledProgram(self.inference_program).with_data_parallel() if parallel else self.inference_program

    def infer(self, inputs, return_numpy=True):
        """[the output] for a dict of name to input."""
        if not isinstance(inputs, dict):
            raise ValueError(f"Inferencer.infer(): inputs must be a dict of name to array, got {describe(inputs)}")
        with scope_guard(self.scope):
            return self.exe.run(self._runs, inputs, [self.predict_var.name], return_numpy=return_numpy)


__getattr__ = _lookup(__name__)
