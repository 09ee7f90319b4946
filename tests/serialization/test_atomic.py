"""Whole files or none, whatever happens to the writer."""

import os
import random
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from paddle.serialization import atomic

SOURCE = Path(atomic.__file__)
# Runs without importing the package: these processes are started often and killed.
PREAMBLE = f"""
import importlib.util, sys
spec = importlib.util.spec_from_file_location("atomic", {str(SOURCE)!r})
atomic = importlib.util.module_from_spec(spec)
spec.loader.exec_module(atomic)
path = sys.argv[1]
"""
WRITER = PREAMBLE + """
print("ready", flush=True)
letter, count = int(sys.argv[2]), int(sys.argv[3])
while count:
    with atomic.atomic_open(path) as file:
        for _ in range(40):
            file.write(bytes([letter]) * 5000)
            file.flush()
    letter = letter + 1 if letter < 255 else 1
    count -= 1
"""
FILLER = PREAMBLE + """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))
try:
    atomic.write_bytes(path, b"n" * 1000000)
except OSError as error:
    print(error)
"""


def leftovers(folder):
    return [name for name in os.listdir(folder) if name.endswith(".tmp")]


def start(script, *arguments):
    command = [sys.executable, "-S", "-c", script, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_content_replaces_old(tmp_path):
    path = tmp_path / "file"
    atomic.write_bytes(path, b"old")
    atomic.write_bytes(str(path), b"new")
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["file"]


def test_exception_inside_keeps_old(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(KeyError), atomic.atomic_open(path) as file:
        file.write(b"half")
        raise KeyError("stop")
    assert path.read_bytes() == b"old" and not leftovers(tmp_path)


def test_mode_is_kept_and_umask_respected(tmp_path):
    path = tmp_path / "file"
    atomic.write_bytes(path, b"1")
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask
    path.chmod(0o640)
    atomic.write_bytes(path, b"2")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_link_still_points(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    atomic.write_bytes(link, b"new")
    assert link.is_symlink() and target.read_bytes() == b"new"


def test_devices_are_written_not_replaced(tmp_path):
    atomic.write_bytes(os.devnull, b"gone")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    with pytest.raises(IsADirectoryError, match="is a directory"):
        atomic.write_bytes(tmp_path, b"x")


def test_missing_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"unchanged.*absent"):
        atomic.write_bytes(tmp_path / "absent" / "file", b"x")


def test_longest_file_name(tmp_path):
    path = tmp_path / ("n" * 255)
    atomic.write_bytes(path, b"x")
    assert path.read_bytes() == b"x"


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX resource limits")
def test_full_disk_keeps_old(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    child = start(FILLER, path)
    message = child.communicate()[0]
    assert "unchanged" in message and "File too large" in message
    assert path.read_bytes() == b"old" and not leftovers(tmp_path)


def test_killed_writer_leaves_a_whole_file(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(bytes([0]) * 200000)
    moments = random.Random(5)
    seen = set()
    for _ in range(10):
        child = start(WRITER, path, moments.randrange(1, 255), -1)
        child.stdout.readline()
        time.sleep(moments.uniform(0, 0.03))
        child.kill()
        child.wait()
        child.stdout.close()
        content = path.read_bytes()
        assert len(content) == 200000 and len(set(content)) == 1
        seen.add(content[0])
    assert len(seen) > 1, "no writer ever got a file done: the test shows nothing"


def test_several_writers_of_one_path(tmp_path):
    path = tmp_path / "file"
    atomic.write_bytes(path, bytes([0]) * 200000)
    children = [start(WRITER, path, 20 * number + 1, 8) for number in range(3)]
    while any(child.poll() is None for child in children):
        content = path.read_bytes()
        assert len(content) == 200000 and len(set(content)) == 1
    for child in children:
        child.stdout.close()
        assert child.returncode == 0
    assert not leftovers(tmp_path)


HOLDER = PREAMBLE + """
with atomic.atomic_open(path) as file:
    file.write(b"half")
    file.flush()
    print("ready", flush=True)
    sys.stdin.read()
"""


def hold(path):
    """A process in the middle of writing ``path``."""
    command = [sys.executable, "-S", "-c", HOLDER, str(path)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    return process


def test_temporary_file_of_a_private_file_is_private(tmp_path):
    path = tmp_path / "file"
    atomic.write_bytes(path, b"old")
    for mode in (0o600, 0o640, 0o400, 0o666):
        path.chmod(mode)
        with atomic.atomic_open(path) as file:
            (temporary,) = leftovers(tmp_path)
            assert stat.S_IMODE((tmp_path / temporary).stat().st_mode) == 0o600
            file.write(b"new")
        assert stat.S_IMODE(path.stat().st_mode) == mode


def test_what_a_killed_writer_left_is_removed_by_the_next(tmp_path):
    dead, alive = hold(tmp_path / "a"), hold(tmp_path / "b")
    try:
        dead.kill()
        dead.communicate()
        others = [".saving-1-abcdefabcdef.tmp", ".saving-0123.45-1-abcdefabcdef.tmp", "mine.tmp", ".saving-.tmp"]
        for name in others:
            (tmp_path / name).write_bytes(b"")
        assert len(leftovers(tmp_path)) == 2 + len(others)
        atomic.write_bytes(tmp_path / "c", b"whole")
        left = set(leftovers(tmp_path)) - set(others)
        assert len(left) == 1 and f"-{alive.pid}-" in left.pop()  # the living writer's, and nobody else's
        assert set(others) <= set(leftovers(tmp_path))
    finally:
        alive.communicate("")
    assert (tmp_path / "b").read_bytes() == b"half"


def test_only_plain_files_are_swept(tmp_path):
    dead = hold(tmp_path / "a")
    dead.kill()
    dead.communicate()
    (name,) = leftovers(tmp_path)
    (tmp_path / name).unlink()
    (tmp_path / name).symlink_to(tmp_path / "precious")
    (tmp_path / "precious").write_bytes(b"kept")
    atomic.write_bytes(tmp_path / "c", b"whole")
    assert (tmp_path / name).is_symlink() and (tmp_path / "precious").read_bytes() == b"kept"
