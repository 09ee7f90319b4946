"""Dynamic to static: eager code made into static programs, saved, and loaded again."""

from .api import enable_to_static, ignore_module, not_to_static, set_code_level, set_verbosity, to_static  # noqa: F401
