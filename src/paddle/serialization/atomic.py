"""Writing files so that every reader finds either the old content or the new one, whole."""

import contextlib
import os
import secrets
import stat


@contextlib.contextmanager
def atomic_open(path):
    """Open `path` for binary writing; the new content takes the old one's place only when the block ends well.

    The bytes go to a temporary file in the same folder, are flushed to the disk and then renamed, so a crash, a kill
    or a full disk leaves the old file as it was. Several processes may write one path: the last one to finish wins.
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
    try:
        temporary, file = _create_beside(folder)
    except OSError as error:
        raise _explained(error, path) from error
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(temporary, stat.S_IMODE(mode))
        os.replace(temporary, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        if isinstance(error, OSError):
            raise _explained(error, path) from error
        raise
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


def _create_beside(folder):
    # The name does not contain the target's, which may already be as long as the file system allows.
    while True:
        temporary = os.path.join(folder, f".saving-{os.getpid()}-{secrets.token_hex(6)}.tmp")
        with contextlib.suppress(FileExistsError):
            return temporary, open(temporary, "xb")


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
