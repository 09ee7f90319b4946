"""Runs a case in whichever framework `import paddle` gives, and packs what came out into plain arrays and JSON."""

import importlib
import json
import zlib

import numpy as np

import paddle


class Lazy:
    """A module looked up at first use, so that one missing module does not spoil the cases that don't need it."""

    def __init__(self, name):
        self.__dict__["name"] = name

    def __getattr__(self, attribute):
        return getattr(importlib.import_module(self.name), attribute)


class Run:
    """One run of one case. Helpers that make parameters report them here, to be differentiated with the inputs."""

    def __init__(self, case):
        self.case = case
        self.wanted = {}

    def namespace(self):
        names = {"F": "paddle.nn.functional", "nn": "paddle.nn", "linalg": "paddle.linalg", "fft": "paddle.fft",
                 "signal": "paddle.signal", "D": "paddle.distribution", "optimizer": "paddle.optimizer",
                 "lr": "paddle.optimizer.lr", "vops": "paddle.vision.ops", "metric": "paddle.metric"}
        lazy = {short: Lazy(name) for short, name in names.items()}
        return dict(lazy, paddle=paddle, np=np, layer=self.layer, fill=self.fill)

    def fill(self, layer):
        """Give every parameter and float buffer seeded values (those of running variances positive)."""
        seen = set()
        for name, tensor in layer.state_dict().items():
            array = tensor.numpy()
            if id(tensor) in seen or array.dtype.kind != "f":
                continue
            seen.add(id(tensor))  # recurrent layers list a weight under two names; the first one counts
            random = np.random.RandomState(zlib.crc32(f"{self.case.id}/{name}".encode()))
            array = np.round(random.uniform(-0.8, 0.8, array.shape), 3).astype(array.dtype)
            tensor.set_value(np.abs(array) + 0.5 if "variance" in name else array)
        return layer

    def layer(self, layer, *inputs, **more):
        """Fill the layer, call it, ask for its parameters' gradients; gives the output and the buffers afterwards."""
        self.fill(layer)
        for name, parameter in layer.named_parameters():
            if not parameter.stop_gradient:
                self.wanted[name] = parameter
        out = layer(*inputs, **more)
        buffers = {name: value for name, value in layer.state_dict().items() if value.stop_gradient}
        return {"out": out, "buffers": buffers} if buffers else out

    def __call__(self):
        """Outcome as JSON with "@n" in place of arrays, and the list of arrays."""
        arrays = self.case.arrays()
        inputs = {}
        for name, spec in self.case.specs.items():
            inputs[name] = arrays[name] if spec.raw else paddle.to_tensor(arrays[name])
            if spec.differentiable and self.case.grad:
                inputs[name].stop_gradient = False
                self.wanted[name] = inputs[name]
        leaves = []
        tree = self.freeze(self.case.run(self.namespace(), **inputs), leaves)
        return tree, leaves

    def freeze(self, value, leaves):
        """Plain data for `value`; Tensors and arrays go to `leaves`."""
        if isinstance(value, (paddle.Tensor, np.ndarray, np.generic)):
            leaves.append(value)
            return f"@{len(leaves) - 1}"
        if isinstance(value, dict):
            return {str(key): self.freeze(item, leaves) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.freeze(item, leaves) for item in value]
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, complex):
            return [value.real, value.imag]
        return str(value)

    def gradients(self, leaves):
        """Gradients of all floating outputs, weighted with a seeded cotangent, by the wanted inputs."""
        outputs = [leaf for leaf in {id(leaf): leaf for leaf in leaves}.values() if isinstance(leaf, paddle.Tensor)
                   and not leaf.stop_gradient and kind(leaf) in "fc"]
        if not outputs or not self.wanted:
            return {}
        seeds = []
        for number, leaf in enumerate(outputs):
            random = np.random.RandomState(zlib.crc32(f"{self.case.id}/out{number}".encode()))
            seed = np.round(random.uniform(-1, 1, leaf.shape), 3)
            if kind(leaf) == "c":
                seed = seed + 1j * np.round(random.uniform(-1, 1, leaf.shape), 3)
            seeds.append(paddle.to_tensor(np.asarray(seed), dtype=dtype_name(leaf)))
        names = list(self.wanted)
        grads = paddle.grad(outputs, [self.wanted[n] for n in names], seeds, allow_unused=True, retain_graph=True)
        return dict(zip(names, grads))


def dtype_name(value):
    """'float32' for Tensors and arrays of either framework."""
    return str(value.dtype).replace("paddle.", "")


def kind(value):
    name = dtype_name(value)
    return "c" if name.startswith("complex") else "f" if "float" in name else "i"


def to_array(value):
    """NumPy array of a Tensor; bfloat16 as float32."""
    if isinstance(value, paddle.Tensor):
        value = value.detach()
        return np.asarray((value.astype("float32") if dtype_name(value) == "bfloat16" else value).numpy())
    return np.asarray(value)


def shape_of(value):
    return list(value.shape)


def pack(records):
    """{id: record with "leaves" and "grads" of (dtype, array)} as the two arrays of a recorded file."""
    index, chunks = {}, []

    def put(dtype, array):
        array = np.ascontiguousarray(array).reshape(array.shape)
        chunks.append(array.tobytes())
        return [dtype, array.dtype.str, list(array.shape)]

    for key, record in records.items():
        index[key] = {"tree": record["tree"], "leaves": [put(*leaf) for leaf in record["leaves"]]}
        if record["grads"] is not None:
            index[key]["grads"] = {name: grad and put(*grad) for name, grad in record["grads"].items()}
    text = json.dumps(index, separators=(",", ":")).encode()
    return {"index": np.frombuffer(text, np.uint8), "data": np.frombuffer(b"".join(chunks), np.uint8)}


def unpack(path):
    """{id: record} of a recorded file; each leaf is (dtype name, array)."""
    with np.load(path) as file:
        index, data = json.loads(file["index"].tobytes()), file["data"].tobytes()
    position = 0

    def take(entry):
        nonlocal position
        name, dtype, shape = entry
        array = np.frombuffer(data, dtype, int(np.prod(shape, dtype=np.int64)), position).reshape(shape)
        position += array.nbytes
        return name, array

    for record in index.values():
        record["leaves"] = [take(entry) for entry in record["leaves"]]
        record.setdefault("grads", None)
        if record["grads"] is not None:
            record["grads"] = {name: grad and take(grad) for name, grad in record["grads"].items()}
    return index
