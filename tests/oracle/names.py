"""Write names.json and signatures.json: the public names of the real PaddlePaddle 2.6.2 and how they are called.

Run with an interpreter that has that release installed; the two files are committed, so nobody else needs it:

    python tests/oracle/names.py
"""

import importlib
import inspect
import json
import pathlib
import re

import paddle

HERE = pathlib.Path(__file__).parent

MODULES = """
    paddle paddle.linalg paddle.fft paddle.signal paddle.distribution paddle.distribution.transform
    paddle.nn paddle.nn.functional paddle.nn.initializer paddle.nn.utils paddle.nn.quant
    paddle.optimizer paddle.optimizer.lr paddle.io
    paddle.vision paddle.vision.transforms paddle.vision.datasets paddle.vision.models paddle.vision.ops
    paddle.metric paddle.amp paddle.amp.debugging paddle.static paddle.static.nn paddle.jit
    paddle.autograd paddle.regularizer paddle.text paddle.callbacks paddle.hub paddle.onnx
    paddle.utils paddle.utils.cpp_extension paddle.utils.dlpack paddle.utils.download paddle.utils.unique_name
    paddle.device paddle.device.cuda paddle.device.xpu paddle.distributed paddle.distributed.fleet
    paddle.incubate paddle.incubate.autograd paddle.incubate.nn paddle.incubate.nn.functional paddle.incubate.optimizer
    paddle.sparse paddle.sparse.nn paddle.sparse.nn.functional paddle.geometric
    paddle.audio paddle.audio.functional paddle.audio.features paddle.audio.datasets paddle.audio.backends
    paddle.inference paddle.profiler paddle.quantization paddle.version paddle.sysconfig
""".split()


def public_names(module):
    """Names of `module.__all__`, or those without a leading underscore where the module has no such list."""
    names = getattr(module, "__all__", None)
    if names:
        return list(dict.fromkeys(names))
    return sorted(n for n in vars(module) if not n.startswith("_") and not inspect.ismodule(getattr(module, n)))


def signature(value):
    """The signature of a callable as text without machine addresses, or None where it has none."""
    try:
        text = str(inspect.signature(value))
    except (TypeError, ValueError):
        return None
    return re.sub(r" at 0x[0-9a-f]+", "", text)


def operators(cls):
    """Special methods that `cls` defines itself rather than inheriting them from object."""
    return sorted(n for n in dir(cls) if n.startswith("__") and getattr(cls, n) is not getattr(object, n, None)
                  and n not in {"__module__", "__dict__", "__weakref__", "__doc__", "__init_subclass__",
                                "__subclasshook__", "__new__", "__init__"})


def main():
    names, listed, signatures = {}, [], {}
    for name in MODULES:
        module = importlib.import_module(name)
        names[name] = public_names(module)
        if getattr(module, "__all__", None):
            listed.append(name)
        for member in names[name]:
            signatures[f"{name}.{member}"] = signature(getattr(module, member, None))
    names["paddle.Tensor"] = sorted(n for n in dir(paddle.Tensor) if not n.startswith("_"))
    names["paddle.Tensor operators"] = operators(paddle.Tensor)
    for member in names["paddle.Tensor"]:
        signatures[f"paddle.Tensor.{member}"] = signature(getattr(paddle.Tensor, member))
    signatures = {name: text for name, text in sorted(signatures.items()) if text is not None}
    (HERE / "names.json").write_text(
        json.dumps({"version": paddle.__version__, "from_all": listed, "names": names}, indent=1) + "\n")
    (HERE / "signatures.json").write_text(json.dumps(signatures, indent=0) + "\n")
    for name, members in names.items():
        print(f"{name:34} {len(members)}")


if __name__ == "__main__":
    main()
