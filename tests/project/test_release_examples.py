"""scripts/release_examples.py: why examples of a release fail, by rule."""

import pathlib
import subprocess
import sys
import textwrap

import pytest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "release_examples.py"
EXAMPLES = {
    "runs": "import paddle.fluid as fluid\nprint(fluid.layers)",
    "fragment": "import paddle\npaddle.to_tensor(some_array)",
    "misprint": "import paddle.fluid as fluid\nfluid.layers.no_such_name()",
    "misprint_2": "print 'Python 2'",
    "file": "open('not_there.txt')",
    "package": "import a_package_of_somebody_else",
    "device": "from paddle.fluid.incubate.fleet.utils.fleet_util import FleetUtil",
    "refused": "raise NotImplementedError('not supported')",
    "other": "import paddle.fluid as fluid\nfluid.layers.there()",
    "skipped": "import paddle  # doctest: +SKIP\nnot_defined",
}
EXPECTED = {"fragment": "fragment", "misprint": "misprint", "misprint_2": "misprint", "file": "file", "package": "package",
            "device": "device", "refused": "refused", "other": "other"}


def _function(name, code):
    return f'def {name}():\n    """Says.\n\n    .. code-block:: python\n\n{textwrap.indent(code, " " * 8)}\n    """\n'


@pytest.mark.skipif(not SCRIPT.exists(), reason="the scripts are not part of a source distribution")
def test_each_rule_has_its_example(tmp_path):
    package = tmp_path / "python" / "paddle" / "fluid"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").touch()
    (package / "__init__.py").write_text("from . import layers\n")
    (package / "layers.py").write_text("def there():\n    pass\n")
    (package / "documented.py").write_text("\n".join(_function(*item) for item in EXAMPLES.items()))
    commit = ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "a"]
    for command in (["init", "-q"], ["add", "."], commit, ["tag", "v1.8.5"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    listed = tmp_path / "list.tsv"
    done = subprocess.run([sys.executable, SCRIPT, tmp_path, "v1.8.5", "--all", "--list", listed], capture_output=True, text=True,
                          check=True)
    found = {line.split("\t")[2].split(":")[1]: line.split("\t")[1] for line in listed.read_text().splitlines()}
    assert found == EXPECTED
    assert "| v1.8.5 | 9 | 1 | 1 | 2 | 1 | 0 | 1 | 1 | 1 | 0 | 0 | 1 |" in done.stdout
