"""Every address of the table leads to the object that does the work, by attribute and by import."""

import enum
import importlib
import inspect
import os
import subprocess
import sys

import pytest

import paddle
from paddle.core import addresses


@pytest.mark.parametrize("module", sorted(addresses.table()))
def test_addresses_lead_to_the_object_itself(module):
    here = importlib.import_module(module)
    for name, (home, there) in addresses.table()[module].items():
        value = getattr(here, name)  # first: it gives a function back that the path of its name had hidden
        target = importlib.import_module(home) if there is None else getattr(importlib.import_module(home), there)
        assert value is target is not None, f"{module}.{name}"


def test_every_public_function_does_something():
    here = os.path.dirname(os.path.abspath(__file__))
    page = os.path.join(here, "..", "..", "docs", "differences.md")
    command = [sys.executable, os.path.join(here, "called_addresses.py"), page]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    *wrong, last = run.stdout.splitlines()
    assert wrong == [] and int(last.split()[0]) > 1000, last


def test_every_public_class_is_a_base_or_has_members():
    classes = {getattr(importlib.import_module(home), there) for names in addresses.table().values()
               for name, (home, there) in names.items() if there is not None and not name.startswith("_")
               if inspect.isclass(getattr(importlib.import_module(home), there))}
    assert len(classes) > 500
    for base in classes:
        if issubclass(base, enum.Enum):
            assert len(base), base
            continue
        derived = type(base)("Derived", (base,), {})
        own = {n for kind in base.__mro__ if kind is not object for n in vars(kind)} - {"__module__", "__doc__", "__dict__"}
        assert base in derived.__mro__ and (issubclass(base, Exception) or own), base


def test_paths_without_a_file_import_like_modules():
    import paddle
    from paddle.distribution.lognormal import LogNormal
    from paddle.nn.layer import MaxPool2D
    assert LogNormal is paddle.distribution.LogNormal
    assert MaxPool2D is paddle.nn.MaxPool2D


def test_a_path_does_not_hide_the_function_of_its_name():
    import paddle
    from paddle.nn.utils.clip_grad_norm_ import clip_grad_norm_
    assert paddle.nn.utils.clip_grad_norm_ is clip_grad_norm_


def test_a_path_is_called_as_the_function_of_its_name():
    script = ("import paddle.batch\nimport paddle.batch as batch\n"
              "for make in (paddle.batch, batch):\n    print(list(make(lambda: iter(range(3)), 2)()))\n")
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout == "[[0, 1], [2]]\n" * 2


@pytest.mark.parametrize("name", ["all", "any", "max", "min", "sum"])
def test_an_address_hides_no_builtin_from_the_code_of_its_module(name):
    module = importlib.import_module("paddle.tensor.math")
    assert getattr(module, name) is getattr(paddle, name)
    assert name not in vars(module)


def test_unknown_names_and_paths_say_so():
    with pytest.raises(ImportError, match="Linaer"):
        from paddle.nn.layer import Linaer  # noqa: F401
    with pytest.raises(AttributeError, match="did you mean .*Linear"):
        importlib.import_module("paddle.nn.layer").Linaer
    with pytest.raises(ModuleNotFoundError, match="paddle.nn.nowhere"):
        importlib.import_module("paddle.nn.nowhere")
