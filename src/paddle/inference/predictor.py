"""Predictor: a model ready to run, with handles for its inputs and outputs."""

import numpy as np

from ..core.errors import check_type, describe, suggest
from ..core.rooms import rooms
from ..core.tensor import Tensor as EagerTensor
from ..core.tensor import wrap
from .config import Config
from .engines import Model
from .types import DataType


class Tensor:
    """A handle of one input or output of a Predictor."""

    def __init__(self, declared, is_input):
        self._name, self._declared, self._is_input, self._array, self._shape = declared.name, declared, is_input, None, None
        self._lod = []  # offsets of sequences, an array for each level

    def name(self):
        """The tensor's name in the model."""
        return self._name

    def copy_from_cpu(self, data):
        """Give an input its value (a copy of the array)."""
        if not self._is_input:
            raise RuntimeError(f"copy_from_cpu(): {self._name} is an output")
        if isinstance(data, EagerTensor):
            data = data._data
        check_type(data, (np.ndarray, list), "copy_from_cpu", "data")
        self._set(np.array(data, order="C"))

    def share_external_data(self, data):
        """Give an input its value without a copy; the array must stay as it is while the predictor runs."""
        if not self._is_input:
            raise RuntimeError(f"share_external_data(): {self._name} is an output")
        if not isinstance(data, (np.ndarray, EagerTensor)):
            raise TypeError(f"share_external_data(): data must be an array or a Tensor, got {describe(data)}")
        self._set(np.asarray(data._data if isinstance(data, EagerTensor) else data, order="C"))

    def _set(self, array):
        var = self._declared
        if var.dtype is not None and array.dtype != var.dtype.dtype:
            raise ValueError(f"input {self._name!r} is {var.dtype.name}, the given array {array.dtype.name}")
        if self._shape is not None and array.size == int(np.prod(self._shape)):
            array = array.reshape(self._shape)
        elif len(var.shape) != array.ndim:  # other sizes than declared are the program's to take or to refuse
            raise ValueError(f"input {self._name!r} has shape {list(var.shape)}, the given array {list(array.shape)}")
        self._array = array

    def copy_to_cpu(self):
        """The value as an array of its own."""
        if self._array is None:
            raise RuntimeError(f"copy_to_cpu(): {self._name} has no value yet; run the predictor first")
        return np.array(self._array, order="C")

    def reshape(self, shape):
        """Announce the shape of the next input; flat arrays of as many elements are then taken too."""
        self._shape = [int(n) for n in shape]

    def shape(self):
        """The value's shape, or the declared one (-1: any) before there is a value."""
        if self._array is not None:
            return list(self._array.shape)
        return list(self._shape or self._declared.shape)

    def type(self):
        """The element type."""
        name = self._array.dtype.name if self._array is not None else self._declared.dtype.name
        return DataType(name)

    def lod(self):
        """Offsets of the sequences, level by level; none for most tensors."""
        return [level.tolist() for level in self._lod]

    def set_lod(self, lod):
        """Say where the sequences of an input lie, whose rows are packed: offsets, level by level."""
        if len(lod) != self._declared.levels:
            raise ValueError(f"set_lod(): {self._name} has {self._declared.levels} levels of sequence lengths, got {len(lod)}")
        self._lod = [np.asarray(level, np.int64) for level in lod]


class Predictor:
    """Runs a model. Predictors made by ``clone`` share its weights and plan and can run at the same time in other threads.

    Make one with ``create_predictor``.
    """

    def __init__(self, config, shared=None):
        check_type(config, Config, "Predictor", "config")
        self._config = config
        self._model = shared or Model(config)
        self._session = self._model.session()
        self._inputs = {d.name: Tensor(d, True) for d in self._model.inputs}
        self._outputs = {d.name: Tensor(d, False) for d in self._model.outputs}

    def __repr__(self):
        return f"<Predictor of {self._config.prog_file() or self._config.model_dir() or 'a model in memory'}, {self._model}>"

    def get_input_names(self):
        """Names of the inputs."""
        return list(self._inputs)

    def get_output_names(self):
        """Names of the outputs."""
        return list(self._outputs)

    def get_input_handle(self, name):
        """The handle of an input."""
        return self._handle(self._inputs, name, "input")

    def get_output_handle(self, name):
        """The handle of an output."""
        return self._handle(self._outputs, name, "output")

    def _handle(self, table, name, what):
        if name not in table:
            raise ValueError(f"the model has no {what} {name!r}{suggest(str(name), table)}; {what}s: {', '.join(table)}")
        return table[name]

    def run(self, inputs=None):
        """Run the model on what the input handles hold; or on a list of Tensors, returning a list of Tensors."""
        if inputs is not None:
            if not isinstance(inputs, (list, tuple)) or len(inputs) != len(self._inputs):
                raise ValueError(f"Predictor.run(): the model has {len(self._inputs)} inputs, got {describe(inputs)}")
            for handle, value in zip(self._inputs.values(), inputs):
                handle.share_external_data(value)
        missing = [n for n, h in self._inputs.items() if h._array is None]
        if missing:
            raise RuntimeError(f"Predictor.run(): the input {missing[0]!r} has no value; give it one with copy_from_cpu()")
        unsaid = [n for n, h in self._inputs.items() if len(h._lod) != h._declared.levels]
        if unsaid:
            raise RuntimeError(f"Predictor.run(): the input {unsaid[0]!r} has packed sequences; say where they lie with set_lod()")
        handles = self._inputs.values()
        outputs, offsets = self._model.run(self._session, [h._array for h in handles], [h._lod for h in handles])
        for handle, value, levels in zip(self._outputs.values(), outputs, offsets):
            handle._array, handle._lod = value, levels
        if inputs is not None:
            return [wrap(rooms.as_array(v)) for v in outputs]
        return True

    def clone(self, stream=None):
        """Another predictor of the same model, with inputs and outputs of its own."""
        return Predictor(self._config, self._model)

    def clear_intermediate_tensor(self):
        """Forget inputs and outputs; nothing else is kept between runs."""
        for handle in [*self._inputs.values(), *self._outputs.values()]:
            handle._array = None

    def try_shrink_memory(self):
        """Forget inputs and outputs; returns the number of bytes given back."""
        freed = sum(h._array.nbytes for h in [*self._inputs.values(), *self._outputs.values()] if h._array is not None)
        self.clear_intermediate_tensor()
        return freed

    def register_output_hook(self, hook):
        """Not supported: operators are joined before the model runs, so there is no output of each to be seen."""
        raise NotImplementedError("Predictor.register_output_hook(): results between operators are not kept; "
                                  "fetch them with paddle.static.Executor")

    def register_input_hook(self, hook):
        """Not supported: operators are joined before the model runs, so there is no input of each to be seen."""
        raise NotImplementedError("Predictor.register_input_hook(): values between operators are not kept; "
                                  "fetch them with paddle.static.Executor")


def create_predictor(config):
    """A Predictor for a Config.

    Args:
        config: ``paddle.inference.Config`` with a model.
    """
    check_type(config, Config, "create_predictor", "config")
    return Predictor(config)


class PredictorPool:
    """Several predictors of one model, for several threads: ``pool.retrive(k)``."""

    def __init__(self, config, size=1):
        if not isinstance(size, int) or size < 1:
            raise ValueError(f"PredictorPool(): size must be a positive int, got {describe(size)}")
        first = create_predictor(config)
        self._predictors = [first, *[first.clone() for _ in range(size - 1)]]

    def retrive(self, idx):
        """The predictor of that number."""
        if not 0 <= idx < len(self._predictors):
            raise IndexError(f"PredictorPool.retrive(): the pool has {len(self._predictors)} predictors, got number {idx}")
        return self._predictors[idx]

    retrieve = retrive


