"""Plans of ``dist.parallelize``: what happens to a layer whose name a configuration mentions."""

import enum

from ...core.errors import describe
from ...core.tensor import Tensor
from ...ops.manipulation.reshape import transpose
from .api import reshard, shard_tensor
from .placement_type import Replicate, Shard

AXIS = "mp"  # the dimension of the mesh that cuts layers


class SplitPoint(enum.Enum):
    """Where a stage of a pipeline ends or begins: behind a layer, or before it."""

    BEGINNING = 0
    END = 1


def on_mesh(x, mesh):
    """A tensor on a mesh: as it is, or replicated."""
    return x if x._placed else shard_tensor(x, mesh, [Replicate()] * mesh.ndim)


def _placed_along(x, mesh, place):
    """A tensor with another placement along the dimension that cuts layers."""
    places = list(x.placements)
    places[mesh.dim_names.index(AXIS)] = place
    return reshard(x, mesh, places)


def _first(value, change, who):
    """The value with its first tensor changed, be it a tensor or a tuple."""
    first = value[0] if isinstance(value, tuple) else value
    if not isinstance(first, Tensor):
        raise TypeError(f"{who}: expected a Tensor, got {describe(first)}")
    return (change(first), *value[1:]) if isinstance(value, tuple) else change(first)


def _turned(x, wanted):
    return transpose(x, [1, 0, 2]) if wanted else x


def _cut_sequence(x, mesh, turn):
    """[b, s, h] (turned to [s, b, h]) cut along s, which is the axis beside the one that batches are cut along."""
    x = _turned(on_mesh(x, mesh), turn)
    batches = [p.dim for n, p in zip(mesh.dim_names, x.placements) if n == "dp" and p.is_shard()]
    return _placed_along(x, mesh, Shard(1 if batches == [0] else 0))


def _whole_sequence(x, mesh, turn):
    """What ``_cut_sequence`` undoes."""
    return _turned(_placed_along(on_mesh(x, mesh), mesh, Replicate()), turn)


class PlanBase:
    """One thing to do with a layer. ``kept`` maps ids of parameters to what became of them, so that tied ones stay tied."""

    kept = None

    def apply(self, layer, process_mesh, shard_param_list):
        """Change a layer; ``shard_param_list``: the parameters that the configuration names, none for the usual ones."""
        raise NotImplementedError(f"{type(self).__name__}.apply")

    def _place(self, layer, names, mesh, place_of):
        for name in names:
            p = getattr(layer, name, None)
            if p is None or p._placed:
                continue
            if self.kept is not None and id(p) in self.kept:
                setattr(layer, name, self.kept[id(p)][1])
                continue
            places = [place_of(p) if n == AXIS else Replicate() for n in mesh.dim_names]
            placed = shard_tensor(p, mesh, places)
            if self.kept is not None:
                self.kept[id(p)] = p, placed
            setattr(layer, name, placed)


class ColWiseParallel(PlanBase):
    """Cut ``weight`` along its second axis and ``bias`` along its only one: a Linear's outputs, the features of an Embedding.

    Args:
        gather_output: give whole outputs.
    """

    def __init__(self, gather_output=False):
        self.gather_output = gather_output

    def apply(self, layer, process_mesh, shard_param_list):
        """Cut the parameters."""
        def place_of(p):
            if len(p.shape) not in (1, 2):
                raise ValueError(f"ColWiseParallel: {p.name} must have 1 or 2 axes, got shape {list(p.shape)}")
            return Shard(len(p.shape) - 1)
        self._place(layer, shard_param_list or ["weight", "bias"], process_mesh, place_of)
        if self.gather_output:
            layer.register_forward_post_hook(
                lambda layer, inputs, output: _first(output, lambda x: _whole_sequence(x, process_mesh, False), "ColWiseParallel"))


class RowWiseParallel(PlanBase):
    """Cut ``weight`` along its first axis: a Linear's inputs, the rows of an Embedding.

    Args:
        is_input_parallel: inputs come cut along their last axis; if not they are cut first.
    """

    def __init__(self, is_input_parallel=True):
        self.is_input_parallel = is_input_parallel

    def apply(self, layer, process_mesh, shard_param_list):
        """Cut the weight."""
        def place_of(p):
            if len(p.shape) != 2:
                raise ValueError(f"RowWiseParallel: {p.name} must have 2 axes, got shape {list(p.shape)}")
            return Shard(0)
        self._place(layer, [n for n in shard_param_list if n != "bias"] or ["weight"], process_mesh, place_of)
        if not self.is_input_parallel:
            def cut(x):
                return _placed_along(on_mesh(x, process_mesh), process_mesh, Shard(len(x.shape) - 1))
            layer.register_forward_pre_hook(lambda layer, inputs: _first(inputs, cut, "RowWiseParallel"))


class _Prepare(PlanBase):
    def __init__(self, fn=None):
        if not callable(fn):
            raise TypeError(f"{type(self).__name__}(): fn must be callable, got {describe(fn)}")
        self.fn = fn


class PrepareLayerInput(_Prepare):
    """``fn(process_mesh=mesh)`` gives a hook that is called before forward."""

    def apply(self, layer, process_mesh, shard_param_list):
        """Register the hook."""
        layer.register_forward_pre_hook(self.fn(process_mesh=process_mesh))


class PrepareLayerOutput(_Prepare):
    """``fn(process_mesh=mesh)`` gives a hook that is called after forward."""

    def apply(self, layer, process_mesh, shard_param_list):
        """Register the hook."""
        layer.register_forward_post_hook(self.fn(process_mesh=process_mesh))


class _Sequence(PlanBase):
    """Sequences cut along the dimension that cuts layers; ``before`` and ``after`` forward: what is done to the first tensor."""

    before = after = None

    def __init__(self, need_transpose=True):
        self.need_transpose = need_transpose

    def apply(self, layer, process_mesh, shard_param_list):
        """Register the hooks."""
        who, turn, before, after = type(self).__name__, self.need_transpose, self.before, self.after
        if before is not None:
            layer.register_forward_pre_hook(
                lambda layer, inputs: _first(inputs, lambda x: before(x, process_mesh, turn), who))
        if after is not None:
            layer.register_forward_post_hook(
                lambda layer, inputs, output: _first(output, lambda x: after(x, process_mesh, turn), who))


class SequenceParallelBegin(_Sequence):
    """Behind the layer sequences are cut; ``need_transpose``: it gives [b, s, h], later layers take [s, b, h]."""

    after = staticmethod(_cut_sequence)


class SequenceParallelEnd(_Sequence):
    """From the layer on sequences are whole; ``need_transpose``: it takes [b, s, h], the layers before give [s, b, h]."""

    before = staticmethod(_whole_sequence)


class SequenceParallelEnable(_Sequence):
    """Within the layer, whose inputs and outputs are [b, s, h], sequences are cut."""

    before, after = staticmethod(_cut_sequence), staticmethod(_whole_sequence)

    def __init__(self):
        super().__init__(True)


class SequenceParallelDisable(_Sequence):
    """Within the layer sequences are whole; ``need_transpose``: it takes and gives [b, s, h], the others [s, b, h]."""

    before, after = staticmethod(_whole_sequence), staticmethod(_cut_sequence)
