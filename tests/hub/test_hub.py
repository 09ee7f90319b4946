import io
import sys
import urllib.error
import zipfile

import pytest

import paddle
from paddle import hub

CONFIGURATION = '''
"""Models to try."""
dependencies = ["json"]
from neighbour import width as _width
import neighbour

def tiny(scale=1):
    """A small model."""
    return neighbour.width * scale

def _hidden():
    return None

not_a_model = 3
'''


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "hubconf.py").write_text(CONFIGURATION)
    (tmp_path / "neighbour.py").write_text("width = 7\n")
    yield str(tmp_path)
    sys.modules.pop("neighbour", None)


@pytest.fixture
def served(tmp_path, monkeypatch):
    """A cache of its own, and a network that answers with an archive; the addresses that were asked for."""
    asked = []

    def answer(url):
        asked.append(url)
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr("models-main/hubconf.py", f"def number():\n    return {len(asked)}\n")
        response = io.BytesIO(buffer.getvalue())
        response.headers = {}
        return response

    monkeypatch.setattr(hub, "HUB_HOME", str(tmp_path / "hub"))
    monkeypatch.setattr("paddle.utils.download._open", answer)
    return asked


def test_a_local_folder(folder):
    path = list(sys.path)
    assert hub.list(folder, source="local") == ["tiny"]
    assert hub.help(folder, "tiny", source="local") == "A small model."
    assert hub.load(folder, "tiny", source="local", scale=2) == 14
    assert paddle.hub.load(folder, "tiny", "local") == 7
    assert sys.path == path and "hubconf" not in sys.modules


def test_what_is_wrong_is_said(folder, tmp_path):
    with pytest.raises(RuntimeError, match=r"hub.load\(\): .* has no model 'huge'; it has tiny"):
        hub.load(folder, "huge", source="local")
    with pytest.raises(RuntimeError, match="has no model 'not_a_model'"):
        hub.help(folder, "not_a_model", source="local")
    with pytest.raises(ValueError, match="model must be a str, got 123"):
        hub.load(folder, 123, source="local")
    with pytest.raises(FileNotFoundError, match=r"there is no .*hubconf.py"):
        hub.list(str(tmp_path / "elsewhere"), source="local")
    with pytest.raises(ValueError, match=r"source must be .* got 'svn'"):
        hub.list(folder, source="svn")
    (tmp_path / "hubconf.py").write_text("dependencies = ['no_such_package_here']\ndef tiny():\n    pass\n")
    with pytest.raises(RuntimeError, match="not installed: no_such_package_here"):
        hub.load(folder, "tiny", source="local")
    (tmp_path / "hubconf.py").write_text("import no_such_package_here\n")
    with pytest.raises(RuntimeError, match=r"hubconf.py can't be imported: .*no_such_package_here"):
        hub.list(folder, source="local")


def test_a_repository_is_downloaded_once(served, tmp_path):
    assert hub.load("owner/models", "number") == 1
    assert hub.load("owner/models", "number") == 1  # out of the cache
    assert hub.load("owner/models", "number", force_reload=True) == 2
    assert hub.list("owner/models:dev/next", source="gitee") == ["number"]
    assert served == ["https://github.com/owner/models/archive/main.zip"] * 2 + [
        "https://gitee.com/owner/models/repository/archive/dev/next.zip"]
    assert sorted(path.name for path in (tmp_path / "hub").iterdir()) == ["gitee_owner_models_dev_next", "github_owner_models_main"]


def test_without_a_network(served, monkeypatch):
    def refuse(url):
        raise urllib.error.URLError("no network")

    monkeypatch.setattr("paddle.utils.download._open", refuse)
    with pytest.raises(RuntimeError, match=r"download of https://github.com/owner/models/archive/main.zip failed: no network"):
        hub.load("owner/models", "number")


@pytest.mark.parametrize("repo", ["models", "a/b/c", "../x/y", "a/..", "a/b:../c", "http://a/b", "a/b?c", 3])
def test_names_that_lead_elsewhere(served, repo):
    with pytest.raises(ValueError, match="repo_dir must be 'owner/name'"):
        hub.list(repo)
    assert not served
