"""ProgramTranslator: the switch of to_static and what it made, as an object."""

import os

from ...core.addresses import lookup as _lookup
from ...core.errors import describe
from .. import settings
from ..api import enable_to_static
from ..api import to_static as declarative
from ..traced_layer import write
from ..tracing import Concrete as ConcreteProgram  # noqa: F401  (Paddle has it here)


class ProgramTranslator:
    """The one translator of older generations: ``ProgramTranslator()`` is always the same object."""

    _instance = None

    def __new__(cls):
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance

    @classmethod
    def get_instance(cls):
        """The translator."""
        return cls()

    @property
    def enable_to_static(self):
        return settings.enabled

    def enable(self, enable_to_static_=True, **kwargs):
        """Turn translation on or off."""
        for name in ("enable_to_static", "enable_declarative"):
            enable_to_static_ = kwargs.pop(name, enable_to_static_)
        if kwargs:
            raise TypeError(f"ProgramTranslator.enable(): unknown argument {next(iter(kwargs))!r}")
        enable_to_static(enable_to_static_)

    def get_output(self, dygraph_func, *args, **kwargs):
        """What the function returns, translated (eagerly if translation is off)."""
        return self.get_func(dygraph_func)(*args, **kwargs)

    def get_func(self, dygraph_func):
        """The translated function."""
        if not callable(dygraph_func):
            raise TypeError(f"ProgramTranslator.get_func(): dygraph_func must be callable, got {describe(dygraph_func)}")
        return dygraph_func if not settings.enabled else declarative(dygraph_func)

    def get_program(self, dygraph_func, *args, **kwargs):
        """(main program, startup program, input Variables, output Variables) for some arguments."""
        static = declarative(dygraph_func)
        concrete = static.get_concrete_program(*args, **kwargs)[0]
        return concrete.program, concrete.startup_program, concrete.inputs, concrete.outputs

    def get_code(self, dygraph_func):
        """Source of the translated function."""
        return declarative(dygraph_func).code

    def get_program_cache(self):
        """The program that ran last, or None; its ``last()`` is that of 1.8's cache."""
        return settings.latest_entry()

    def save_inference_model(self, dirname, feed=None, fetch=None):
        """Write the program that ran last into a folder; feed, fetch: numbers of the inputs and outputs to keep."""
        entry = settings.latest_entry()
        if entry is None:
            raise RuntimeError("ProgramTranslator.save_inference_model(): no translated function has run yet")
        write(entry.concrete, os.fspath(dirname), feed, fetch, True)


__getattr__ = _lookup(__name__)
