"""A predictor's model in Python: its program, read from files or memory, and the plan for it."""

from ..static.inference_io import read_inference, read_parameters
from ..static.ir.passes import names as pass_names  # noqa: F401  (for Config)
from ..static.model_files import read_program
from ..static.program.transform import feed_fetch_names
from ..static.schedule.frozen import Frozen


def load(config):
    """(a Frozen program, (names of inputs, of outputs)) for a Config; sequence lengths are inputs and outputs behind the others."""
    if config.model_from_memory():
        program, arrays = read_inference(None, *config._buffers)
    elif config.prog_file():
        program = read_program(config.prog_file())
        arrays = read_parameters(program, config.params_file())
    elif config.model_dir():
        program, arrays = read_inference(config.model_dir())
    else:
        raise ValueError("create_predictor(): the Config has no model; use set_model()")
    block, names = program.global_block(), feed_fetch_names(program)
    frozen = Frozen(program, *([*some, *[level for n in some for level in block.var(n).lod]] for some in names), arrays,
                    config.skipped_passes())
    if config._profile:
        print(frozen.plan)
    return frozen, names
