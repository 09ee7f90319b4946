"""Models by name out of a folder or repository that has a ``hubconf.py``.

That file and what it imports is Python code of somebody else, and asking for it runs it: name only repositories that you
trust. A repository of GitHub or Gitee is downloaded (https) once, into ~/.cache/paddle/hub, and unpacked there.
"""

import builtins
import hashlib
import importlib.util
import os
import re
import shutil
import sys
import urllib.parse

from .framework.io import load as load_file
from .utils.archive import extract, is_archive
from .utils.download import fetch

__all__ = ["help", "list", "load", "load_state_dict_from_url"]

HUB_HOME = os.path.join(os.path.expanduser("~"), ".cache", "paddle", "hub")
_ADDRESSES = {"github": "https://github.com/{}/{}/archive/{}.zip", "gitee": "https://gitee.com/{}/{}/repository/archive/{}.zip"}
_BRANCHES = {"github": "main", "gitee": "master"}


def list(repo_dir, source="github", force_reload=False):
    """The names of the models that a repository offers.

    Args:
        repo_dir: a folder for the source 'local'; 'owner/name' or 'owner/name:branch' for the others.
        source: 'local', 'github' or 'gitee'.
        force_reload: download again even if it is there already.

    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> written = (folder / "hubconf.py").write_text("def tiny(width=2):\\n    'A line.'\\n    return [0] * width\\n")
    >>> paddle.hub.list(str(folder), source="local")
    ['tiny']
    """
    module = _configuration(repo_dir, source, force_reload, "list")
    return [name for name, value in vars(module).items() if callable(value) and not name.startswith("_")]


def help(repo_dir, model, source="github", force_reload=False):
    """The docstring of a model. See ``list`` for the arguments."""
    return _entry(repo_dir, model, source, force_reload, "help").__doc__


def load(repo_dir, model, source="github", force_reload=False, **kwargs):
    """What the model's function returns for ``kwargs``. See ``list`` for the other arguments.

    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> written = (folder / "hubconf.py").write_text("def tiny(width=2):\\n    'A line.'\\n    return [0] * width\\n")
    >>> paddle.hub.load(str(folder), "tiny", source="local", width=3)
    [0, 0, 0]
    """
    return _entry(repo_dir, model, source, force_reload, "load")(**kwargs)


def load_state_dict_from_url(url, model_dir=None, check_hash=False, file_name=None, map_location=None):
    """The state dict of a file on the net (https), downloaded once, into ``model_dir``; an archive is unpacked there.

    Args:
        model_dir: ~/.cache/paddle/hub/checkpoints by default.
        check_hash: must the name of the file end with the first digits of its SHA-256 sum, as in ``name-<digits>.pdparams``?
        file_name: name for the file; the one in ``url`` by default.
        map_location: None or "cpu" for Tensors, "numpy" or "np" for arrays.
    """
    if map_location not in (None, "cpu", "numpy", "np"):
        raise ValueError(f"hub.load_state_dict_from_url(): map_location must be None, 'cpu' or 'numpy' on this CPU build, got "
                         f"{map_location!r}")
    folder = os.path.join(HUB_HOME, "checkpoints") if model_dir is None else os.fspath(model_dir)
    name = file_name or os.path.basename(urllib.parse.urlsplit(url).path)
    if name != os.path.basename(name) or name in ("", ".", ".."):
        raise ValueError(f"hub.load_state_dict_from_url(): file_name must be the name of a file, got {name!r}")
    path = os.path.join(folder, name)
    if not os.path.isfile(path):
        fetch(url, path)
    if check_hash:
        _check_digits(path, name)
    if is_archive(path):
        extract(path, folder)
        path = os.path.splitext(path)[0]
    return load_file(path, return_numpy=map_location in ("numpy", "np"))


def _check_digits(path, name):
    """ValueError unless the file's SHA-256 sum begins as its name says."""
    found = re.search(r"-([0-9a-f]{8,64})\.", name)
    if found is None:
        raise ValueError(f"hub.load_state_dict_from_url(): check_hash needs a name like name-<digits>.pdparams, got {name!r}")
    with open(path, "rb") as file:
        digits = hashlib.sha256(file.read()).hexdigest()
    if not digits.startswith(found[1]):
        raise ValueError(f"hub.load_state_dict_from_url(): {path} has the SHA-256 sum {digits}, its name says {found[1]}")


def _entry(repo_dir, model, source, force_reload, function):
    if not isinstance(model, str):
        raise ValueError(f"hub.{function}(): model must be a str, got {model!r}")
    module = _configuration(repo_dir, source, force_reload, function)
    missing = [name for name in getattr(module, "dependencies", ()) if importlib.util.find_spec(name) is None]
    if missing:
        raise RuntimeError(f"hub.{function}(): {repo_dir} needs packages that are not installed: {', '.join(missing)}")
    entry = getattr(module, model, None)
    if not callable(entry):
        offered = [name for name, value in vars(module).items() if callable(value) and not name.startswith("_")]
        raise RuntimeError(f"hub.{function}(): {repo_dir} has no model {model!r}; it has {', '.join(offered) or 'none'}")
    return entry


def _configuration(repo_dir, source, force_reload, function):
    """The module hubconf of a repository. It may import its neighbours."""
    if source == "local":
        folder = os.path.abspath(os.path.expanduser(repo_dir))
    elif source in _ADDRESSES:
        folder = _downloaded(repo_dir, source, force_reload, function)
    else:
        raise ValueError(f"hub.{function}(): source must be 'github', 'gitee' or 'local', got {source!r}")
    path = os.path.join(folder, "hubconf.py")
    if not os.path.isfile(path):
        raise FileNotFoundError(f"hub.{function}(): there is no {path}")
    spec = importlib.util.spec_from_file_location("hubconf", path)
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, folder)
    try:
        spec.loader.exec_module(module)
    except ImportError as error:
        raise RuntimeError(f"hub.{function}(): {path} can't be imported: {error}") from error
    finally:
        sys.path.remove(folder)
    return module


def _downloaded(repo, source, force_reload, function):
    """The folder of a repository in the cache."""
    found = re.fullmatch(r"([\w-][\w.-]*)/([\w-][\w.-]*)(?::([\w-][\w./-]*))?", repo) if isinstance(repo, str) else None
    if found is None or ".." in repo:
        raise ValueError(f"hub.{function}(): repo_dir must be 'owner/name' or 'owner/name:branch', got {repo!r}")
    owner, name, branch = found[1], found[2], found[3] or _BRANCHES[source]
    folder = os.path.join(HUB_HOME, "_".join([source, owner, name, branch.replace("/", "_")]))
    if os.path.isdir(folder) and not force_reload:
        return folder
    archive, fresh = folder + ".zip", folder + ".new"
    fetch(_ADDRESSES[source].format(owner, name, branch), archive)
    shutil.rmtree(fresh, ignore_errors=True)
    extract(archive, fresh)
    os.remove(archive)
    inside = builtins.list(os.scandir(fresh))  # an archive of a repository holds one folder
    if len(inside) != 1 or not inside[0].is_dir():
        raise ValueError(f"hub.{function}(): the archive of {repo} must hold one folder, it holds {len(inside)} things")
    shutil.rmtree(folder, ignore_errors=True)
    os.rename(inside[0].path, folder)
    os.rmdir(fresh)
    return folder
