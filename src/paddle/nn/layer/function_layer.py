"""Layers that are one function with settings: the settings are attributes, read at every call."""

from .. import functional as F
from .layers import Layer


class FunctionLayer(Layer):
    """A layer that hands its settings to a function: ``class ReLU(FunctionLayer, function="relu")``.

    ``prefix`` and ``renamed`` say under which attribute a setting is kept, so that programs find the names that Paddle has.
    """

    function, prefix, renamed = None, "", {}

    def __init_subclass__(cls, **facts):
        super().__init_subclass__()
        for name, value in facts.items():
            setattr(cls, name, value)

    def __init__(self, name, **settings):
        super().__init__()
        settings = {**settings, "name": name}
        keywords = tuple((key, self.renamed.get(key, self.prefix + key)) for key in settings)
        for key, attribute in keywords:
            setattr(self, attribute, settings[key])
        self._keywords = keywords if name is not None else keywords[:-1]  # results of programs are called by the name

    def _given(self):
        """The settings as they are now, as keywords of the function."""
        state, given = self.__dict__, {}
        for key, attribute in self._keywords:
            given[key] = state[attribute] if attribute in state else getattr(self, attribute)
        return given

    def _call(self, *inputs):
        return getattr(F, self.function)(*inputs, **self._given())

    def forward(self, x):
        return self._call(x)
