"""Tensors from the ranks of one mesh to those of another.

All ranks run the program, also the calls on meshes that they are not in: there a tensor has its shape and its placements, but no
elements, and passes gradients on. So every rank knows the whole graph, and the order in which it meets its transfers, forward and
backward, fits that of the others.
"""

import atexit
import zlib

import numpy as np

from ...core.op import op
from ..group import get_rank, init_parallel_env
from ..post import Post
from .placement_type import Replicate
from .process_mesh import ProcessMesh
from .resharding import moved, offsets
from .tensor import local_of, placed_over

TAGS = 8000  # transfers are told apart by so many numbers; each has four: forward, backward, and gradients of these


class _Office:
    """The post of this process, and how many transfers there were between two meshes."""

    def __init__(self):
        self._post, self._counts = None, {}

    def post(self):
        whole = init_parallel_env()
        if self._post is None or self._post.group is not whole:
            self._post = Post(whole)
            atexit.register(self._post.finish)
        return self._post

    def tag(self, source, target):
        key = str((source.process_ids, target.process_ids))
        count = self._counts[key] = self._counts.get(key, -1) + 1
        return 4 + 4 * ((zlib.crc32(key.encode()) + count) % TAGS)


_office = _Office()


@op("dist_transfer(X) -> Out", family="own", pure=False)
def transferred(x, forth=(), back=(), shape=(), tag=0):
    """This rank's part after the ranks have passed theirs on, as the pairs (from, to) in ``forth`` say; no elements where nothing
    came. Gradients go as ``back`` says."""
    me = get_rank()
    for source, target in forth:
        if source == me != target:
            _office.post().send(np.array(x, order="C"), target, tag)
    origin = next((source for source, target in forth if target == me), None)
    if origin is None:
        return np.zeros((0,) * x.ndim, x.dtype)
    return x if origin == me else _office.post().receive(shape, x.dtype, origin, tag)


transferred.grad(x=lambda g, x_shape, forth, back, tag: transferred(g, back, forth, tuple(x_shape), tag + 1))


def across(tensor, mesh, placements):
    """The tensor on another mesh; ranks that are in neither get a tensor without elements."""
    source, sizes = tensor.process_mesh, tensor._sizes
    tag = _office.tag(source, mesh)
    if source.shape == mesh.shape and tensor.placements == list(placements):  # each rank's part goes to one rank
        pairs, at = list(zip(source.process_ids, mesh.process_ids)), mesh.coordinates()
        shape = () if at is None else tuple(size for _, size in offsets(mesh, placements, sizes, at))
        part = transferred(local_of(tensor), pairs, [(b, a) for a, b in pairs], shape, tag)
        return placed_over(part, mesh, placements, sizes)
    part = local_of(moved(tensor, [Replicate()] * source.ndim))
    part = transferred(part, _givers(source, mesh), _givers(mesh, source), tuple(sizes), tag)
    return moved(placed_over(part, mesh, [Replicate()] * mesh.ndim, sizes), placements)


def _givers(source, target):
    """Pairs (from, to) that give every rank of a mesh what all ranks of another have; it keeps its own."""
    have = source.process_ids
    return [(rank if rank in have else have[k % len(have)], rank) for k, rank in enumerate(target.process_ids)]


def meeting(terms):
    """Tensors that may lie on different meshes, all of them on one: theirs, or else one of all ranks that they lie on."""
    meshes = {t.process_mesh for t in terms}
    if len(meshes) == 1:
        return terms
    union = ProcessMesh(sorted({rank for mesh in meshes for rank in mesh.process_ids}))
    return [across(t, union, [Replicate()]) for t in terms]
