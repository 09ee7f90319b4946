"""fluid.dygraph.static_runner: an inference model as a layer that can be trained on (1.8)."""

from ...jit.save_load import TranslatedLayer, _Loaded, _read

__all__ = ["StaticModelRunner"]

LOADED = "@LOADED"  # what the names of loaded parameters end in


class StaticModelRunner(TranslatedLayer):
    """The model that ``fluid.io.save_inference_model`` wrote into a folder, as a layer in training mode (1.8; successor:
    paddle.jit.load).

    Args:
        model_dir: the folder.
        model_filename: the file of the program; ``__model__`` for None.
        params_filename: the file of all parameters; None where each has a file of its own.
    """

    def __init__(self, model_dir, model_filename=None, params_filename=None):
        super().__init__(_Loaded(*_read(model_dir, model_filename, params_filename)))
        for name, tensor in self._tensors.items():
            tensor.name = name + LOADED
        self.train()
