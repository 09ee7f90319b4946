"""Activations and their gradients between the stages of a pipeline."""

import json

import numpy as np

from ....core import dtype as dtypes
from ....core.tensor import Tensor, wrap
from ...post import Post

HEADER = 4096  # bytes that describe one activation


class Messages(Post):
    """What a stage sends to and receives from others, the ranks of the pipe axis."""

    def send_forward(self, value, stage, part):
        """Send a tensor, or a tuple of tensors and None, to the stage that runs part ``part`` of the model."""
        values = value if isinstance(value, tuple) else (value,)
        for v in values:
            if not isinstance(v, Tensor | None):
                raise TypeError(f"PipelineLayer: stages pass Tensors, tuples of them and None on, got {type(v).__name__}")
        arrays = [None if v is None else np.ascontiguousarray(v._data) for v in values]
        about = [None if v is None else [dtypes.of(a).name, list(a.shape), bool(v.stop_gradient)] for v, a in zip(values, arrays)]
        text = json.dumps([isinstance(value, tuple), about]).encode()
        if len(text) > HEADER:
            raise ValueError(f"PipelineLayer: {len(values)} tensors are too many for one stage to pass on")
        self.send(np.frombuffer(text.ljust(HEADER), np.uint8), stage, 2 * part)
        for array in arrays:
            if array is not None:
                self.send(array, stage, 2 * part)

    def receive_forward(self, stage, part):
        """What ``send_forward`` sent, as leaves that collect gradients."""
        several, about = json.loads(self.receive(HEADER, np.uint8, stage, 2 * part).tobytes())
        values = []
        for entry in about:
            if entry is None:
                values.append(None)
                continue
            tensor = wrap(self.receive(entry[1], dtypes.to_numpy(entry[0]), stage, 2 * part))
            tensor.stop_gradient = entry[2]
            values.append(tensor)
        return tuple(values) if several else values[0]

    def send_backward(self, value, stage, part):
        """Send the gradients of what ``receive_forward`` gave, zeros where there is none."""
        for v in trained(value):
            g = np.zeros_like(v._data) if v._grad_ivar() is None else np.ascontiguousarray(v._grad_ivar()._data)
            self.send(g, stage, 2 * part + 1)

    def receive_backward(self, value, stage, part):
        """The gradients of what ``send_forward`` sent, in the order of the tensors that have one."""
        return [wrap(self.receive(v._data.shape, v._data.dtype, stage, 2 * part + 1)) for v in trained(value)]


def trained(value):
    """The tensors of a value that gradients flow to."""
    return [v for v in (value if isinstance(value, tuple) else (value,)) if isinstance(v, Tensor) and not v.stop_gradient]
