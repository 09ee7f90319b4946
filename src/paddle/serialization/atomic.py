"""Writing files so that every reader finds either the old content or the new one, whole."""

import contextlib
import os
import re
import stat
import threading
import time

_TEMPORARY = re.compile(r"\.saving-([0-9a-f]+\.[0-9a-f]+)-([0-9]+)-[0-9a-f]{12}\.tmp")  # place and process of its writer
_last_sweeps: dict[str, tuple[float, float]] = {}  # folder -> when it was swept, and how long that took


@contextlib.contextmanager
def atomic_open(path):
    """Open `path` for binary writing; the new content takes the old one's place only when the block ends well.

    The bytes go to a temporary file in the same folder, are flushed to the disk and then renamed, so a crash, a kill
    or a full disk leaves the old file as it was. Several processes may write one path: the last one to finish wins.
    The temporary file is never open to more people than the file it becomes. What a killed writer left behind is removed
    by the next one in its folder.
    Devices and pipes cannot be replaced and are written directly.
    """
    path = os.path.realpath(os.fspath(path))  # a link keeps pointing at the file that is replaced
    mode = _mode_of(path)
    if mode is not None and not stat.S_ISREG(mode):
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(f"cannot write {path!r}: it is a directory")
        with open(path, "wb") as file:
            yield file
        return
    folder = os.path.dirname(path)
    _sweep(folder)
    # The name does not contain the target's, which may already be as long as the file system allows.
    temporary = os.path.join(folder, f".saving-{_place()}-{os.getpid()}-{os.urandom(6).hex()}.tmp")
    try:
        # A new file keeps the mode it is created with, which the umask narrows; one that replaces another gets that one's later.
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else 0o600), "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(temporary, stat.S_IMODE(mode))
        if _waiting.files is not None:
            _waiting.files.append((temporary, path))
            return
        os.replace(temporary, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        if isinstance(error, OSError):
            raise _explained(error, path) from error
        raise
    _sync_folder(folder)


class _Waiting(threading.local):
    files = None  # (temporary, path) of what waits for the end of a block of together()


_waiting = _Waiting()


@contextlib.contextmanager
def together():
    """Files of one model: what `atomic_open` completes inside takes its place when the block ends well, and else none of it.

    So a disk that is full at the last of them leaves all the old ones. A block inside another adds to that one's files.
    """
    if _waiting.files is not None:
        yield
        return
    _waiting.files = files = []
    try:
        try:
            yield
        finally:
            _waiting.files = None
        for temporary, path in files:
            os.replace(temporary, path)
    finally:
        for temporary, _ in files:
            with contextlib.suppress(OSError):
                os.unlink(temporary)  # there is one only if something was raised
    for folder in {os.path.dirname(path) for _, path in files}:
        _sync_folder(folder)


def write_bytes(path, data):
    """Write `data` to `path` atomically."""
    with atomic_open(path) as file:
        file.write(data)


def _mode_of(path):
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return None


def _place():
    """What process numbers are valid in: this start of this machine, and its namespace. "0" where that is not known."""
    try:
        with open("/proc/sys/kernel/random/boot_id") as file:
            return f"{file.read().strip().replace('-', '')}.{os.stat('/proc/self/ns/pid').st_ino:x}"
    except OSError:
        return "0"


def _sweep(folder):
    """Remove temporary files that processes of this machine left in a folder when they died."""
    begun = time.monotonic()
    last, took = _last_sweeps.get(folder, (0.0, -1.0))
    if took >= 0 and begun - last < 10 * took:  # many files saved into one large folder
        return
    place = _place()
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            found = _TEMPORARY.fullmatch(name)
            if found and found[1] == place and _has_ended(int(found[2])):
                _remove_own(os.path.join(folder, name))
    if len(_last_sweeps) > 1000:
        _last_sweeps.clear()
    now = time.monotonic()
    _last_sweeps[folder] = now, now - begun


def _has_ended(process):
    if not hasattr(os, "geteuid"):  # Windows, where signal 0 is a Ctrl+C for that process: what is not known to be dead is left
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False


def _remove_own(path):
    with contextlib.suppress(OSError):
        status = os.lstat(path)
        if stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid():
            os.unlink(path)


def _sync_folder(folder):
    # Makes the rename itself durable. Windows and some network file systems cannot open or sync a folder.
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _explained(error, path):
    return type(error)(error.errno, f"could not write the file, any earlier version of it is unchanged: "
                                    f"{error.strerror or error}", path)
