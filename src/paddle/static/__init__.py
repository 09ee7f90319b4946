"""Static graphs: programs that are built first and run by an Executor."""

from ..core.addresses import lookup as _lookup
from ..tensor.indexing import setitem  # noqa: F401
from . import methods, nn  # noqa: F401  (Variables get the methods of Tensors; recording is plugged into the engine)
from .averaging import ExponentialMovingAverage  # noqa: F401
from .backward import append_backward, gradients  # noqa: F401
from .debug import Print, py_func  # noqa: F401
from .executor import Executor  # noqa: F401
from .input import InputSpec, data  # noqa: F401
from .io import (  # noqa: F401
    deserialize_persistables,
    deserialize_program,
    load,
    load_from_file,
    load_inference_model,
    load_program_state,
    save,
    save_inference_model,
    save_to_file,
    serialize_persistables,
    serialize_program,
    set_program_state,
)
from .ipu import IpuCompiledProgram, IpuStrategy, ipu_shard_guard, set_ipu_shard  # noqa: F401
from .ir.nodes import (  # noqa: F401  (Variables get the methods of Tensors; recording is plugged into the engine)
    array as array_calls,
)
from .ir.nodes import (
    beam as beam_calls,
)
from .ir.nodes import (
    control as control_calls,
)
from .metric import accuracy, auc, ctr_metric_bundle  # noqa: F401
from .program import record  # noqa: F401  (Variables get the methods of Tensors; recording is plugged into the engine)
from .program.parameters import (  # noqa: F401
    cpu_places,
    create_global_var,
    create_parameter,
    cuda_places,
    device_guard,
    name_scope,
    xpu_places,
)
from .program.program import Program, Variable, default_main_program, default_startup_program, program_guard  # noqa: F401
from .program.transform import normalize_program  # noqa: F401
from .scope import Scope, global_scope, scope_guard  # noqa: F401
from .strategy import BuildStrategy, CompiledProgram, ExecutionStrategy  # noqa: F401
from .weight_norm import WeightNormParamAttr  # noqa: F401

__getattr__ = _lookup(__name__)
