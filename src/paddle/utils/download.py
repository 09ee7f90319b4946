"""Downloads: https only, checked by md5, never half a file in place."""

import hashlib
import http.client
import logging
import os
import urllib.error
import urllib.parse
import urllib.request

from .archive import extract, is_archive

__all__ = ["fetch", "get_path_from_url", "get_weights_path_from_url", "is_url", "md5file"]

WEIGHTS_HOME = os.path.expanduser("~/.cache/paddle/hapi/weights")

logger = logging.getLogger(__name__)

_CHUNK = 1 << 20
_ATTEMPTS = 3
_TIMEOUT_SECONDS = 20


def is_url(path: str) -> bool:
    """Whether `path` is a web address.

    >>> paddle.utils.download.is_url("https://example.org/a.pdparams"), paddle.utils.download.is_url("models/a.pdparams")
    (True, False)
    """
    return path.startswith(("http://", "https://"))


def md5file(fname: str | os.PathLike) -> str:
    """The md5 of a file's bytes, in hexadecimal."""
    digest = hashlib.md5(usedforsecurity=False)
    with open(fname, "rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def fetch(url: str, path: str | os.PathLike, md5sum: str | None = None, max_bytes: int = 16 << 30) -> str:
    """Downloads `url` to `path` and returns the path; the file appears there only when it is complete and right.

    A download with a sum that broke off is gone on with the next time.

    Args:
        url: an https address; redirections to anything else are refused.
        path: where the file goes. Missing folders are made.
        md5sum: what the md5 of the file must be; None skips the check.
        max_bytes: the largest file accepted.

    Raises:
        ValueError: the address isn't https.
        RuntimeError: there is no network, the server refuses, or the file isn't what it should be.
    """
    if not isinstance(url, str) or not url.startswith("https://"):
        raise ValueError(f"fetch(): url must start with https://, got {url!r}")
    path = os.path.abspath(os.fspath(path))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            return _fetch_once(url, path, md5sum, max_bytes)
        except (http.client.IncompleteRead, ConnectionResetError) as error:
            if attempt == _ATTEMPTS:
                raise _failed(url, path, md5sum, f"the connection broke {attempt} times") from error
        except (urllib.error.URLError, http.client.HTTPException, TimeoutError, ConnectionError) as error:
            raise _failed(url, path, md5sum, getattr(error, "reason", None) or error) from error
    raise _failed(url, path, md5sum, "no attempt was made")


def get_weights_path_from_url(url: str, md5sum: str | None = None) -> str:
    """The local path of a weights file, downloaded into ~/.cache/paddle/hapi/weights unless it is there already."""
    return get_path_from_url(url, WEIGHTS_HOME, md5sum)


def get_path_from_url(url: str, root_dir: str, md5sum: str | None = None, check_exist: bool = True,
                      decompress: bool = True, method: str = "get") -> str:
    """The local path of what `url` holds, downloaded into `root_dir` unless it is there already.

    A tar or zip file is unpacked beside itself (`decompress`), and the path is then that of its one file or folder, or
    of a folder named after the archive. `check_exist=False` downloads even when the file is there.
    `method` must be "get": no other program is started for a download.
    """
    if not is_url(url):
        raise ValueError(f"get_path_from_url(): url must start with https://, got {url!r}")
    if method != "get":
        raise ValueError(f"get_path_from_url(): method must be 'get', got {method!r}")
    name = os.path.basename(urllib.parse.urlsplit(url).path)
    if name in ("", ".", ".."):
        raise ValueError(f"get_path_from_url(): url names no file: {url!r}")
    path = os.path.join(root_dir, name)
    present = check_exist and os.path.isfile(path) and (md5sum is None or md5file(path) == md5sum)
    if not present:
        fetch(url, path, md5sum)
    if decompress and is_archive(path):
        return _unpack(path)
    return path


def _unpack(path: str) -> str:
    """Unpacks an archive in its own folder; into a folder of its own when it has more than one thing at the top."""
    folder = os.path.dirname(path)
    names = _top_names(path)
    if len(names) != 1:
        stem = os.path.basename(path).split(".")[0]
        folder = os.path.join(folder, stem)
        extract(path, folder)
        return folder
    extract(path, folder)
    return os.path.join(folder, names.pop())


def _decompress(fname: str) -> str:
    """Unpacks a tar or zip file beside itself; the path of what was in it."""
    if not is_archive(fname):
        raise TypeError(f"_decompress(): {fname} is neither a tar nor a zip file")
    return _unpack(fname)


def _get_unique_endpoints(trainer_endpoints: list[str]) -> set[str]:
    """One address for each machine: the first of those with its name."""
    first = {}
    for endpoint in sorted(trainer_endpoints):
        first.setdefault(endpoint.split(":")[0], endpoint)
    return set(first.values())


def _top_names(path: str) -> set[str]:
    import tarfile
    import zipfile

    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    else:
        with tarfile.open(path) as archive:
            names = archive.getnames()
    return {os.path.normpath(name).split(os.sep)[0] for name in names} - {"."}


class _HttpsOnly(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, req, fp, code, msg, headers, newurl):
        if not newurl.startswith("https://"):
            raise urllib.error.URLError(f"redirected to {newurl}, which isn't https")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _request(url: str, start: int) -> urllib.request.Request:
    """A GET of a file, from byte ``start`` on."""
    return urllib.request.Request(url, headers={"Range": f"bytes={start}-"} if start else {})


def _open(url: str, start: int = 0):
    """The response to a GET; tests put a local one in its place."""
    return urllib.request.build_opener(_HttpsOnly).open(_request(url, start), timeout=_TIMEOUT_SECONDS)


def _fetch_once(url: str, path: str, md5sum: str | None, max_bytes: int) -> str:
    """Download into ``path.part`` and put that in place. What an earlier attempt left there is gone on with, if a sum tells in the
    end that both belong together."""
    part = f"{path}.part"
    begun = os.path.getsize(part) if md5sum is not None and os.path.isfile(part) else 0
    try:
        with _open(url, begun) if begun else _open(url) as response:
            resumed = begun and getattr(response, "status", 200) == 206
            _receive(response, part, begun if resumed else 0, max_bytes, lambda reason: _failed(url, path, md5sum, reason))
        found = md5file(part)
        if md5sum is not None and found != md5sum:
            os.remove(part)
            if resumed:
                raise http.client.IncompleteRead(b"")  # from the beginning, then
            raise _failed(url, path, md5sum, f"what came has md5 {found}")
        os.replace(part, path)
    except RuntimeError:
        _remove(part)
        raise
    except (http.client.HTTPException, OSError):
        if md5sum is None:
            _remove(part)
        raise
    return path


def _receive(response, part: str, start: int, max_bytes: int, failed) -> None:
    """Append the answer to the first ``start`` bytes of a file."""
    received = start
    announced = response.headers.get("Content-Length")
    expected = start + int(announced) if announced and announced.isdigit() else None
    with open(part, "ab" if start else "wb") as file:
        while chunk := response.read(_CHUNK):
            received += len(chunk)
            if received > max_bytes:
                raise failed(f"the file is larger than {max_bytes} bytes")
            file.write(chunk)
    if expected is not None and received != expected:
        raise http.client.IncompleteRead(b"", expected - received)


def _remove(path: str) -> None:
    if os.path.exists(path):
        os.remove(path)


def _failed(url: str, path: str, md5sum: str | None, reason) -> RuntimeError:
    wanted = f" with md5 {md5sum}" if md5sum else ""
    return RuntimeError(f"download of {url} failed: {reason}. Without a network, put the file{wanted} at {path}")
