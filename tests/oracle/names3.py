"""Write names3.json: the public names of the real PaddlePaddle 3.3.1, module by module and of six classes.

Run with an interpreter that has that release installed; the file is committed, so nobody else needs it:

    python tests/oracle/names3.py
"""

import importlib
import json
import pathlib

import paddle

PATH = pathlib.Path(__file__).parent / "names3.json"
CLASSES = ("Tensor", "nn.Layer", "optimizer.Optimizer", "static.Variable", "inference.Config", "inference.Predictor")
OF_PYTHON = {"__dict__", "__weakref__", "__annotations__", "__slots__", "__abstractmethods__"}


def of_class(dotted):
    """The public names and special methods of a class."""
    module, _, name = f"paddle.{dotted}".rpartition(".")
    names = dir(getattr(importlib.import_module(module), name))
    return sorted(n for n in names if n not in OF_PYTHON and (n[0] != "_" or n.startswith("__") and n.endswith("__")))


def of_module(path):
    """The names of ``__all__``, or those without an underscore."""
    module = importlib.import_module(path)
    return sorted(set(getattr(module, "__all__", None) or [n for n in vars(module) if n[0] != "_"]))


def main():
    """Record the modules that the file has already, and the classes."""
    classes = {f"paddle.{dotted}": of_class(dotted) for dotted in CLASSES}
    modules = [path for path in json.loads(PATH.read_text())["names"] if path not in classes]
    names = {**{path: of_module(path) for path in modules}, **classes}
    rows = ",\n".join(f"  {json.dumps(path)}: {json.dumps(members)}" for path, members in names.items())
    PATH.write_text(f'{{\n "version": "{paddle.__version__}",\n "names": {{\n{rows}\n }}\n}}\n')


if __name__ == "__main__":
    main()
