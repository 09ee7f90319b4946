"""File systems under the names that fleet programs use: this machine's, and Hadoop's through its command."""

import os
import shutil
import subprocess
import time

from ....core.addresses import lookup as _lookup


class ExecuteError(Exception):
    """A command of a file system failed."""


class FSFileExistsError(FileExistsError):
    """What was to be made is there already."""


class FSFileNotExistsError(FileNotFoundError):
    """What was to be read is not there."""


class FSTimeOut(TimeoutError):
    """A command of a file system did not end in time."""


class FSShellCmdAborted(ExecuteError):
    """A command of a file system was ended by a signal."""


class LocalFS:
    """Files of this machine, with the methods of Paddle's file-system clients."""

    def ls_dir(self, fs_path):
        """(folders, files) of a folder; two empty lists when it does not exist."""
        if not os.path.exists(fs_path):
            return [], []
        names = sorted(os.listdir(fs_path))
        folders = [n for n in names if os.path.isdir(os.path.join(fs_path, n))]
        return folders, [n for n in names if n not in folders]

    def list_dirs(self, fs_path):
        """Folders of a folder."""
        return self.ls_dir(fs_path)[0]

    def is_dir(self, fs_path):
        """Is it a folder?"""
        return os.path.isdir(fs_path)

    def is_file(self, fs_path):
        """Is it a file?"""
        return os.path.isfile(fs_path)

    def is_exist(self, fs_path):
        """Does it exist?"""
        return os.path.exists(fs_path)

    def mkdirs(self, fs_path):
        """Make a folder and those above it."""
        os.makedirs(fs_path, exist_ok=True)

    def touch(self, fs_path, exist_ok=True):
        """Make an empty file."""
        if not exist_ok and os.path.exists(fs_path):
            raise FSFileExistsError(f"LocalFS.touch(): {fs_path} exists")
        with open(fs_path, "a"):
            pass

    def delete(self, fs_path):
        """Remove a file or a folder with all it holds."""
        if os.path.isdir(fs_path):
            shutil.rmtree(fs_path)
        elif os.path.exists(fs_path):
            os.remove(fs_path)

    def mv(self, src_path, dst_path, overwrite=False, test_exists=False):
        """Move a file or folder; an existing target is replaced only with ``overwrite``."""
        if not os.path.exists(src_path):
            raise FSFileNotExistsError(f"LocalFS.mv(): {src_path} does not exist")
        if os.path.exists(dst_path):
            if not overwrite:
                raise FSFileExistsError(f"LocalFS.mv(): {dst_path} exists; overwrite=True replaces it")
            self.delete(dst_path)
        os.rename(src_path, dst_path)

    rename = mv

    def need_upload_download(self):
        """Always False: the files are here."""
        return False


class HDFSClient:
    """Files of Hadoop, through its command; each call begins a process, without a shell.

    Args:
        hadoop_home: the folder with ``bin/hadoop``.
        configs: settings for it, such as {"fs.default.name": "hdfs://host:port", "hadoop.job.ugi": "user,password"}.
        time_out, sleep_inter: milliseconds that a call may take, and that pass before a failed command is tried again.
    """

    def __init__(self, hadoop_home, configs, time_out=5 * 60 * 1000, sleep_inter=1000):
        self._command = [f"{hadoop_home}/bin/hadoop", "fs", *(f"-D{key}={value}" for key, value in (configs or {}).items())]
        self._time_out, self._sleep = time_out / 1000, sleep_inter / 1000

    def _run(self, *arguments, attempts=1):
        """(code, lines) of a command."""
        end = time.monotonic() + self._time_out
        for attempt in range(attempts):
            try:
                done = subprocess.run([*self._command, *arguments], capture_output=True, text=True, check=False,
                                      timeout=max(end - time.monotonic(), 0))
            except subprocess.TimeoutExpired:
                raise FSTimeOut(f"HDFSClient: {' '.join(arguments)} took more than {self._time_out} s") from None
            if done.returncode < 0:
                raise FSShellCmdAborted(f"HDFSClient: {' '.join(arguments)} was ended by signal {-done.returncode}")
            if not done.returncode or attempt == attempts - 1:
                return done.returncode, done.stdout.splitlines()
            time.sleep(self._sleep)

    def _need(self, *arguments):
        """The lines of a command that must succeed."""
        code, lines = self._run(*arguments, attempts=5)
        if code:
            raise ExecuteError(f"HDFSClient: {' '.join(arguments)} failed with code {code}")
        return lines

    def ls_dir(self, fs_path):
        """(folders, files) of a folder; two empty lists when it does not exist."""
        if not self.is_exist(fs_path):
            return [], []
        rows = [row for row in (line.split(None, 7) for line in self._need("-ls", fs_path)) if len(row) == 8]
        names = [[os.path.basename(row[7]) for row in rows if row[0].startswith("d") == folder] for folder in (True, False)]
        return names[0], names[1]

    def list_dirs(self, fs_path):
        """Folders of a folder."""
        return self.ls_dir(fs_path)[0]

    def list_files_info(self, path_list):
        """[{"path": ..., "size": bytes}] of files."""
        rows = [line.split(None, 7) for line in (self._need("-ls", *path_list) if path_list else ())]
        return [{"path": row[7], "size": int(row[4])} for row in rows if len(row) == 8]

    def is_dir(self, fs_path):
        """Is it a folder?"""
        return not self._run("-test", "-d", fs_path)[0]

    def is_file(self, fs_path):
        """Is it a file?"""
        return self.is_exist(fs_path) and not self.is_dir(fs_path)

    def is_exist(self, fs_path):
        """Does it exist?"""
        return not self._run("-test", "-e", fs_path)[0]

    def upload_dir(self, local_dir, dest_dir, overwrite=False):
        """Copy a folder of this machine below ``dest_dir``."""
        local_dir, dest_dir = local_dir.rstrip("/"), dest_dir.rstrip("/")
        target = f"{dest_dir}/{os.path.basename(local_dir)}"
        if self.is_exist(target) and overwrite:
            self.delete(target)
        self.mkdirs(dest_dir)
        self._need("-put", local_dir, dest_dir)

    def upload(self, local_path, fs_path, multi_processes=5, overwrite=False):
        """Copy a file, or a folder, of this machine to ``fs_path``; one process does it."""
        if not os.path.exists(local_path):
            raise FSFileNotExistsError(f"HDFSClient.upload(): {local_path} does not exist")
        if os.path.isdir(local_path):
            return self.upload_dir(local_path, fs_path, overwrite)
        if self.is_file(fs_path) and overwrite:
            self.delete(fs_path)
        self._need("-put", local_path, fs_path)

    def download(self, fs_path, local_path, multi_processes=5, overwrite=False):
        """Copy a file, or the files of a folder, to this machine; one process does it."""
        if not self.is_exist(fs_path):
            raise FSFileNotExistsError(f"HDFSClient.download(): {fs_path} does not exist")
        if overwrite:
            LocalFS().delete(local_path)
        if not self.is_file(fs_path):
            os.makedirs(local_path, exist_ok=True)
            for name in self.ls_dir(fs_path)[1]:
                self._need("-get", f"{fs_path.rstrip('/')}/{name}", local_path)
        else:
            self._need("-get", fs_path, local_path)

    def mkdirs(self, fs_path):
        """Make a folder and those above it."""
        if not self.is_exist(fs_path):
            self._need("-mkdir", "-p", fs_path)

    def mv(self, fs_src_path, fs_dst_path, overwrite=False, test_exists=True):
        """Move a file or folder; an existing target is replaced only with ``overwrite``."""
        if overwrite and self.is_exist(fs_dst_path):
            self.delete(fs_dst_path)
        if test_exists and not self.is_exist(fs_src_path):
            raise FSFileNotExistsError(f"HDFSClient.mv(): {fs_src_path} does not exist")
        if test_exists and self.is_exist(fs_dst_path):
            raise FSFileExistsError(f"HDFSClient.mv(): {fs_dst_path} exists; overwrite=True replaces it")
        self._need("-mv", fs_src_path, fs_dst_path)

    def delete(self, fs_path):
        """Remove a file or a folder with all it holds."""
        if self.is_exist(fs_path):
            self._need("-rm", *(["-r"] if self.is_dir(fs_path) else []), fs_path)

    def touch(self, fs_path, exist_ok=True):
        """Make an empty file."""
        if self.is_exist(fs_path):
            if not exist_ok:
                raise FSFileExistsError(f"HDFSClient.touch(): {fs_path} exists")
            return
        self._need("-touchz", fs_path)

    def cat(self, fs_path=None):
        """The text of a file; empty when it does not exist."""
        return "\n".join(self._need("-cat", fs_path)) if self.is_file(fs_path) else ""

    def need_upload_download(self):
        """Always True: the files are elsewhere."""
        return True


__getattr__ = _lookup(__name__)
