"""Models as a list of layers that is cut into the stages of a pipeline."""

import functools
import os
import re

from ....core.addresses import lookup as _lookup
from ....framework.io import load, save
from ....nn import Layer
from ...buckets import broadcast_tensors
from ...group import new_groups
from ...reducer import sum_gradients
from ..recompute import recompute
from ..topology import current


class LayerDesc:
    """A layer that is made only on the stage that runs it.

    >>> from paddle.distributed.fleet.meta_parallel import LayerDesc
    >>> LayerDesc(paddle.nn.Linear, 2, 3).build_layer().weight.shape
    [2, 3]
    """

    def __init__(self, layer_func, *inputs, **kwargs):
        if not (isinstance(layer_func, type) and issubclass(layer_func, Layer)):
            raise TypeError(f"LayerDesc(): layer_func must be a class of layers, got {layer_func!r}")
        self.layer_func, self.inputs, self.kwargs = layer_func, inputs, kwargs

    def build_layer(self):
        """Make the layer."""
        return self.layer_func(*self.inputs, **self.kwargs)

    def __repr__(self):
        given = [*map(repr, self.inputs), *(f"{k}={v!r}" for k, v in self.kwargs.items())]
        return f"{self.layer_func.__name__}({', '.join(given)})"


class SharedLayerDesc(LayerDesc):
    """A layer that stands at several places of the model with one weight; the stages that have it keep it equal.

    Args:
        key: its name; descriptions with one key are one layer.
        forward_func: called with (layer, input) at this place; None calls the layer.
        shared_weight_attr: attribute of the layer that holds the weight.
    """

    def __init__(self, key, layer_func, forward_func=None, shared_weight_attr="weight", *inputs, **kwargs):
        LayerDesc.__init__(self, layer_func, *inputs, **kwargs)
        self.layer_name, self.forward_func, self.shared_weight_attr = key, forward_func, shared_weight_attr


class LocalSharedLayerDesc(LayerDesc):
    """A layer that two places of one stage share, in a pipeline of two directions (3.x). Such pipelines are not here: PipelineLayer
    refuses it, as Paddle's does outside of them."""

    __init__ = SharedLayerDesc.__init__


class SegmentLayers:
    """Cuts a list of layers into parts.

    Args:
        layers_desc: the layers.
        num_parts: how many parts.
        method: "uniform" (parts of equal length, the last ones one longer), "layer:NAME" (an equal number of layers whose class
            name matches in each), or the list of boundaries.
    """

    def __init__(self, layers_desc, num_parts, method="uniform", num_virtual_pipeline_stage=None):
        self._layers_desc, self.method = layers_desc, method
        self.num_parts = num_parts * (num_virtual_pipeline_stage or 1)
        self.num_items = len(layers_desc)
        if self.num_items < self.num_parts:
            raise ValueError(f"SegmentLayers(): {self.num_items} layers can't be cut into {self.num_parts} parts")

    def do_segment(self):
        """The boundaries: part k has the layers from the k-th to before the next."""
        if isinstance(self.method, (list, tuple)):
            return self._given(list(self.method))
        if self.method == "uniform":
            return self.uniform(self.num_items, self.num_parts)
        if isinstance(self.method, str) and self.method.startswith("layer:"):
            return self._by_name(self.method.removeprefix("layer:"))
        raise ValueError(f"SegmentLayers(): method must be 'uniform', 'layer:NAME' or a list of boundaries, got {self.method!r}")

    def _given(self, bounds):
        if len(bounds) == self.num_parts:
            bounds = [*bounds, self.num_items]
        if len(bounds) != self.num_parts + 1 or bounds[0] != 0 or bounds[-1] != self.num_items or bounds != sorted(set(bounds)):
            raise ValueError(f"SegmentLayers(): boundaries must be {self.num_parts + 1} growing numbers from 0 to "
                             f"{self.num_items}, got {bounds}")
        return bounds

    def _by_name(self, name):
        pattern = re.compile(name, re.IGNORECASE)
        chosen = [n for n, desc in enumerate(self._layers_desc) if pattern.search(_name_of(desc))]
        if not chosen or len(chosen) % self.num_parts:
            raise ValueError(f"SegmentLayers(): {len(chosen)} layers match {name!r}, which can't be shared out among "
                             f"{self.num_parts} parts")
        each = len(chosen) // self.num_parts
        return [0, *(chosen[k * each - 1] + 1 for k in range(1, self.num_parts)), self.num_items]

    @staticmethod
    def uniform(num_items, num_parts):
        """Boundaries of parts of equal length; the last ones are one longer where it does not divide."""
        each, more = divmod(num_items, num_parts)
        bounds = [0]
        for part in range(num_parts):
            bounds.append(bounds[-1] + each + (part >= num_parts - more))
        return bounds


def _name_of(desc):
    if isinstance(desc, LayerDesc):
        return desc.layer_func.__name__
    return type(desc).__name__ if isinstance(desc, Layer) else getattr(desc, "__name__", type(desc).__name__)


class PipelineLayerChunk(Layer):
    """One of several parts of the model that a stage of an interleaved pipeline runs."""

    def __init__(self):
        super().__init__()
        self.run_function = []

    def append(self, sublayer):
        """Add a layer or function to the end."""
        if isinstance(sublayer, Layer):
            self.add_sublayer(str(len(self.run_function)), sublayer)
        self.run_function.append(sublayer)

    def get_run_function(self):
        """The layers and functions in order."""
        return self.run_function

    def forward(self, *args, **kwargs):
        raise PermissionError("PipelineLayerChunk: call the PipelineLayer with chunk_id instead")


class PipelineLayer(Layer):
    """A model for a pipeline, of which each stage makes its part only.

    Args:
        layers: layers, functions and descriptions of layers, in the order of the model.
        num_stages: number of stages; None takes that of the topology.
        topology: the grid of ranks; None takes that of ``fleet.init``.
        loss_fn: called with (output, label) on the last stage.
        seg_method: how to cut, see SegmentLayers.
        recompute_interval: recompute activations in backward, so many layers at a time; 0 keeps them.
        recompute_ctx: {"offload": False, "partition": False}; neither is supported.
        num_virtual_pipeline_stages: parts that each stage runs, for the interleaved schedule.

    >>> from paddle.distributed.fleet.meta_parallel import LayerDesc, PipelineLayer
    >>> model = PipelineLayer([LayerDesc(paddle.nn.Linear, 2, 3), paddle.tanh], num_stages=1)
    >>> model(paddle.ones([1, 2])).shape
    [1, 3]
    """

    def __init__(self, layers, num_stages=None, topology=None, loss_fn=None, seg_method="uniform", recompute_interval=0,
                 recompute_ctx=None, num_virtual_pipeline_stages=None):
        super().__init__()
        self._hcg = current("PipelineLayer()")
        self._topo = topology or self._hcg.topology()
        pipe = self._topo.get_dim("pipe")
        if num_stages is not None and num_stages != pipe:
            raise ValueError(f"PipelineLayer(): num_stages is {num_stages}, but the pipe axis of the topology has {pipe} ranks")
        for name in ("offload", "partition"):
            if (recompute_ctx or {}).get(name):
                raise NotImplementedError(f"PipelineLayer(): recompute_ctx[{name!r}]=True is not supported")
        if loss_fn is not None and not callable(loss_fn):
            raise TypeError(f"PipelineLayer(): loss_fn must be a layer or function, got {type(loss_fn).__name__}")
        self._num_stages, self._stage_id = pipe, self._hcg.get_stage_id()
        self._chunks = num_virtual_pipeline_stages or 1
        self._layers_desc, self._loss_fn, self._recompute_interval = [], loss_fn, recompute_interval
        self._layers_desc.extend(layers)  # of all stages: those of this one become sublayers, the others are not ours
        self.segment_parts = SegmentLayers(self._layers_desc, pipe, seg_method, self._chunks).do_segment()
        self.shared_layers, self._model_chunks = {}, []
        self.run_function = self._build(self._stage_id, self) if self._chunks == 1 else []
        if self._chunks > 1:
            for part in range(self._stage_id, pipe * self._chunks, pipe):
                chunk = PipelineLayerChunk()
                chunk.run_function.extend(self._build(part, chunk))
                self._model_chunks.append(chunk)
                self.add_sublayer(str(self.segment_parts[part]), chunk)
        self.shared_comm = self._share_weights()

    # ---- making ----
    def _build(self, part, owner):
        """The layers and functions of one part of the model, added to ``owner`` under their numbers in the whole model."""
        functions = []
        for number in range(self.segment_parts[part], self.segment_parts[part + 1]):
            desc = self._layers_desc[number]
            if isinstance(desc, SharedLayerDesc):
                functions.append(self._shared(desc))
                continue
            if isinstance(desc, LocalSharedLayerDesc):
                raise NotImplementedError(f"PipelineLayer(): {desc} is shared locally, for pipelines of two directions only")
            layer = desc.build_layer() if isinstance(desc, LayerDesc) else desc
            if isinstance(layer, Layer):
                owner.add_sublayer(str(number), layer)
            functions.append(layer)
        return functions

    def _shared(self, desc):
        key = desc.layer_name
        if key not in self.shared_layers:
            layer = self.shared_layers[key] = desc.build_layer()
            self.add_sublayer(key, layer)
        layer, call = self.shared_layers[key], desc.forward_func
        return layer if call is None else functools.partial(call, layer)

    def _share_weights(self):
        """Groups of the ranks that have a shared layer, {key: (group, weight)}; gives them the first stage's weight."""
        stages = {}
        for number, desc in enumerate(self._layers_desc):
            if isinstance(desc, SharedLayerDesc):
                found = stages.setdefault(desc.layer_name, (set(), desc.shared_weight_attr))
                found[0].add(self.get_stage_from_index(number))
        shared = {}
        for key, (holders, attribute) in stages.items():
            if len(holders) < 2:
                continue
            place = self._topo.get_coord
            partition = [[r for r in ranks if place(r).pipe in holders] for ranks in self._topo.get_comm_list("pipe")]
            rest = [[r] for r in range(self._topo.world_size()) if place(r).pipe not in holders]
            group = new_groups(partition + rest)
            if key in self.shared_layers:
                weight = getattr(self.shared_layers[key], attribute)
                weight.is_firstly_shared = self._stage_id == min(holders)
                broadcast_tensors([weight], group.comm)
                shared[key] = (group, weight)
        return shared

    def allreduce_shared_weight_gradients(self):
        """Add up the gradients of shared weights over the stages that have them."""
        for group, weight in self.shared_comm.values():
            sum_gradients([weight], group.comm)

    # ---- asking ----
    def get_stage_from_index(self, layer_idx):
        """The stage that runs a layer of the model."""
        if not 0 <= layer_idx < len(self._layers_desc):
            raise ValueError(f"get_stage_from_index(): there is no layer {layer_idx}; the model has {len(self._layers_desc)}")
        part = next(k for k, end in enumerate(self.segment_parts[1:]) if layer_idx < end)
        return part % self._num_stages

    def get_num_virtual_stages(self):
        """Parts of the model that each stage runs."""
        return self._chunks

    def get_model_chunks(self):
        """The parts of this stage, None where there is only one."""
        return self._model_chunks or None

    def topology(self):
        """The grid of ranks."""
        return self._topo

    def get_loss_fn(self):
        """The loss function."""
        return self._loss_fn

    # ---- running ----
    def forward_function(self, start, end):
        """A function that runs some of this stage's functions one after the other."""
        return _run_all(self.run_function[start:end])

    def forward(self, input, chunk_id=None):
        """Run this stage, or one of its chunks."""
        if chunk_id is None and self._chunks > 1:
            raise ValueError(f"PipelineLayer: this stage has {self._chunks} chunks; say which by chunk_id")
        functions = self._model_chunks[chunk_id].run_function if self._chunks > 1 else self.run_function
        width = self._recompute_interval
        if not width or not self.training:
            return _run_all(functions)(input)
        for start in range(0, len(functions), width):
            run = _run_all(functions[start:start + width])
            input = recompute(run, *(input if isinstance(input, tuple) else (input,)))
        return input

    # ---- files ----
    def save_state_dict(self, path):
        """Write each layer of this stage to a file of its own in the folder ``path``; stages together write the whole model.

        Of ranks that hold the same layers, the first along data writes; parts of cut layers have the rank's number in their name.
        """
        if self._hcg.get_data_parallel_rank() or self._hcg.get_sharding_parallel_rank():
            return
        os.makedirs(path, exist_ok=True)
        for name, layer in self._files():
            save(layer.state_dict(), os.path.join(path, name))

    def set_state_dir(self, path):
        """Read the layers of this stage from a folder that ``save_state_dict`` wrote, with any number of stages."""
        for name, layer in self._files():
            file = os.path.join(path, name)
            if not os.path.isfile(file):
                raise FileNotFoundError(f"PipelineLayer.set_state_dir(): {file} is missing")
            layer.set_state_dict(load(file))

    def _files(self):
        """(file name, layer) of every layer with parameters on this stage."""
        size, rank = self._hcg.get_model_parallel_world_size(), self._hcg.get_model_parallel_rank()
        part = f"-tensor_{rank:02d}" if size > 1 else ""
        layers = dict(self.shared_layers)
        for owner in self._model_chunks or [self]:
            layers.update({name: layer for name, layer in owner.named_children() if name not in self.shared_layers})
        for name, layer in layers.items():
            if layer is not self._loss_fn and layer.state_dict():
                yield f"layer_{name.zfill(4)}{part}-model.pdparams", layer


def _run_all(functions):
    def run(*args):
        value = args if len(args) > 1 else args[0]
        for function in functions:
            value = function(value)
        return value
    return run


__getattr__ = _lookup(__name__)
