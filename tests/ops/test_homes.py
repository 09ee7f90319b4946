"""homes.json says where every op is declared, and lower.HOMES where types without an op are."""

import importlib.util
import pathlib
import subprocess
import sys

from paddle.ops import homes
from paddle.static.ir import lower


def script():
    """scripts/homes.py as a module."""
    path = pathlib.Path(__file__).parents[2] / "scripts" / "homes.py"
    spec = importlib.util.spec_from_file_location("homes_script", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_table_is_what_the_modules_declare():
    module = script()
    assert module.TARGET.read_text(encoding="utf8") == module.text(), "run python scripts/homes.py"


def test_an_op_comes_with_its_module():
    code = """
import sys
import paddle.core.op as engine
from paddle.ops import homes
assert "roi_align" not in engine.OPS and "paddle.ops.detection.regions" not in sys.modules
assert homes.find("roi_align") is engine.OPS["roi_align"] and "paddle.tensor" not in sys.modules
assert engine.BY_NAME["matmul"].type == "matmul_v2" and engine.OPS["matmul"].name == "legacy_matmul"
assert homes.find("nowhere") is None
# types of 1.x that are another op under its old name, which is declared elsewhere
for old in ("reshape", "squeeze", "unsqueeze", "flatten", "transpose", "expand", "sync_batch_norm", "deformable_conv_v1"):
    assert homes.find(old).type == old
try:
    engine.OPS["nowhere"]
except KeyError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "'nowhere'\n"), done.stderr


def test_special_types_are_registered_by_their_homes():
    for kind, home in lower.HOMES.items():
        importlib.import_module(home, lower.__package__)
        assert lower.SPECIAL[kind].__module__ == importlib.util.resolve_name(home, lower.__package__), kind
    assert homes.find("while") is None and lower.is_special("while")
    elsewhere = {kind for kind, function in lower.SPECIAL.items() if function.__module__ != lower.__name__}
    assert elsewhere == set(lower.HOMES)
