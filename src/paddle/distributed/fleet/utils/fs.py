"""The local file system under the names that fleet programs use."""

import os
import shutil

from ....core.addresses import lookup as _lookup


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
            raise FileExistsError(f"LocalFS.touch(): {fs_path} exists")
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
            raise FileNotFoundError(f"LocalFS.mv(): {src_path} does not exist")
        if os.path.exists(dst_path):
            if not overwrite:
                raise FileExistsError(f"LocalFS.mv(): {dst_path} exists; overwrite=True replaces it")
            self.delete(dst_path)
        os.rename(src_path, dst_path)

    rename = mv

    def need_upload_download(self):
        """Always False: the files are here."""
        return False


__getattr__ = _lookup(__name__)
