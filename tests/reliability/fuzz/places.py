"""Names that lead elsewhere, for what keeps downloads: hubs, data sets, weights. Nothing may be written outside the cache."""

import io
import os
import random
import tempfile
import zipfile
from unittest import mock

import paddle
from paddle import hub
from paddle.dataset import common
from paddle.utils import download

from .files import HOSTILE, tar_bytes, tree, zip_bytes

PARTS = ("..", ".", "", "a", "~", "%2e%2e", "..%2f..", "a\0b", "\\..\\x", "n" * 300, "/etc", "C:", "a b", "*", "-rf", "ü", "a?b",
         "a#b", "x.zip", "x.tar.gz", "x.tar")
REFUSALS = (ValueError, TypeError, OSError, RuntimeError)


def name_of(rng):
    """A hostile or harmless name of some parts."""
    return rng.choice(HOSTILE) if rng.random() < 0.2 else "/".join(rng.choice(PARTS) for _ in range(rng.randrange(1, 4)))


def answer_of(rng):
    """What the network sends: an archive, sound or hostile, or anything."""
    chance = rng.random()
    if chance < 0.3:
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as made:
            made.writestr("models-main/hubconf.py", "def number():\n    return 1\n")
        data = file.getvalue()
    else:
        data = zip_bytes(rng) if chance < 0.6 else tar_bytes(rng, "w:gz") if chance < 0.8 else rng.randbytes(100)
    response = io.BytesIO(data)
    response.headers = {}
    return response


def ways(rng, cache):
    """One call of one of the functions that keep what they download."""
    name, url = name_of(rng), "https://example.org/" + name_of(rng)
    return rng.choice((
        lambda: hub.list(name + rng.choice(["", ":main", ":../x", "/b"]), source=rng.choice(["github", "gitee"])),
        lambda: hub.load(f"a/{name}", "number", force_reload=rng.random() < 0.5),
        lambda: hub.load_state_dict_from_url(url, file_name=name if rng.random() < 0.5 else None, check_hash=rng.random() < 0.5),
        lambda: common.download(url, name, None, name_of(rng) if rng.random() < 0.5 else None),
        lambda: download.get_path_from_url(url, cache, decompress=rng.random() < 0.7),
        lambda: download.get_weights_path_from_url(url),
        lambda: common.split(lambda: iter([1, 2, 3]), 2, suffix=os.path.join(cache, "%05d.pickle")),
        lambda: paddle.dataset.common.cluster_files_reader(os.path.join(cache, name.replace("\0", "")), 1, 0)(),
    ))


def attack(seed, number):
    """One call; returns "kept" or "refused". Any other exception, and any file outside the cache, is a finding."""
    rng = random.Random(f"places {seed} {number}")
    with tempfile.TemporaryDirectory() as folder:
        cache = os.path.join(folder, "home", "cache")
        os.makedirs(cache)
        before = tree(folder)
        with mock.patch.object(hub, "HUB_HOME", cache), mock.patch.object(common, "DATA_HOME", cache), \
                mock.patch.object(download, "WEIGHTS_HOME", cache), \
                mock.patch.object(download, "_open", lambda url, start=0: answer_of(rng)):
            try:
                ways(rng, cache)()
                result = "kept"
            except REFUSALS as error:
                assert str(error), f"{type(error).__name__} without a text"
                result = "refused"
        outside = {p for p in tree(folder) - before if not p.startswith(cache + os.sep)}
        assert not outside, f"places.attack({seed}, {number}): written outside: {outside}"
        links = [p for p in tree(cache) if os.path.islink(p)]
        assert not links, f"places.attack({seed}, {number}): links were made: {links}"
    return result
