"""Static graphs: programs that are built first and run by an Executor."""

from . import record  # noqa: F401  (plugs recording into the engine)
from .program import (  # noqa: F401
    Program,
    Variable,
    default_main_program,
    default_startup_program,
    program_guard,
)
from .scope import Scope, global_scope, scope_guard  # noqa: F401
