"""``fleet.utils``: recomputation, and the local file system under the names that fleet programs use."""

import os
import shutil

from ...core import random
from ...core.addresses import lookup as _lookup
from ...core.autograd import BackwardRecipe, Node, attach, enable_grad, no_grad
from ...core.backward import backward
from ...core.context import context
from ...core.tensor import Tensor, wrap


def recompute(function, *args, preserve_rng_state=True, use_reentrant=True, **kwargs):
    """Run ``function`` without keeping its intermediate results; backward runs it again to get them.

    Args:
        function: a layer or function of Tensors; its parameters receive gradients as usual.
        args: its arguments; gradients flow to those that are Tensors.
        preserve_rng_state: draw the same random numbers in the second run.
        use_reentrant: must be True, the only way this is done here.
        kwargs: keyword arguments for the function; no gradient flows to them.
    """
    if not use_reentrant:
        raise NotImplementedError("recompute(): use_reentrant=False is not supported")
    if not context.grad:
        return function(*args, **kwargs)
    state = random.default_generator().get_state() if preserve_rng_state else None
    with no_grad():
        outputs = function(*args, **kwargs)
    several = isinstance(outputs, (tuple, list))
    results = [wrap(o._data) for o in (outputs if several else [outputs])]
    inputs = [a for a in args if isinstance(a, Tensor)]
    rerun = _Rerun(function, args, kwargs, state)
    edges = [None if t.stop_gradient else t._edge or t for t in inputs]
    node = Node(rerun, edges)
    if len(results) > 1:
        node.out_metas = [(r._data.shape, r._data.dtype) for r in results]
    for k, r in enumerate(results):
        attach(r, node, k)
    return type(outputs)(results) if several else results[0]


class _Rerun(BackwardRecipe):
    """The recipe of a recomputed node: run forward again with the tape on, go back through it."""

    name = "recompute"

    def __init__(self, function, args, kwargs, state):
        self.function, self.args, self.kwargs, self.state = function, args, kwargs, state

    def gradients(self, node, g, create_graph, final):
        if create_graph:
            raise NotImplementedError("recompute(): gradients of gradients are not supported")
        inner, inputs = [], []
        for a in self.args:
            if isinstance(a, Tensor):
                a, before = wrap(a._data), a
                a.stop_gradient = before.stop_gradient
                inputs.append(a)
            inner.append(a)
        generator = random.default_generator()
        now = generator.get_state()
        if self.state is not None:
            generator.set_state(self.state)
        with enable_grad():
            outputs = self.function(*inner, **self.kwargs)
            outputs = list(outputs) if isinstance(outputs, (tuple, list)) else [outputs]
        generator.set_state(now)
        pairs = [(o, wrap(one)) for o, one in zip(outputs, g if len(outputs) > 1 else [g])
                 if not o.stop_gradient and one is not None]
        if pairs:
            backward([o for o, _ in pairs], [one for _, one in pairs])
        return [None if t._grad is None else t._grad._data for t in inputs]


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
__path__ = []  # a package in Paddle: the paths below it are addresses
