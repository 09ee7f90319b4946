"""What the datasets have in common."""

import os

from ...dataset.common import cached
from ...dataset.common import download as fetch_into_cache
from ...utils.download import md5file


def checked_mode(mode, allowed, function):
    """A ``mode`` argument in lower case, if it is one of those allowed."""
    if not isinstance(mode, str) or mode.lower() not in allowed:
        raise ValueError(f"{function}(): mode must be one of {list(allowed)}, got {mode!r}")
    return mode.lower()


def needed(url, folder, md5sum, download, function, argument):
    """The path of a file in the cache folder, downloaded if it is not there and may be."""
    if download:
        return fetch_into_cache(url, folder, md5sum)
    path = cached(folder, url.split("/")[-1])
    if os.path.isfile(path) and md5file(path) == md5sum:
        return path
    raise ValueError(f"{function}(): give {argument}, or download=True: there is no right {os.path.basename(path)} at {path}")
