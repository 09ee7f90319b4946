"""``dist.parallelize``: a plain model and its optimizer, put on a mesh of ranks as a configuration says."""

import re
import warnings

from ...core.errors import describe
from ...core.tensor import Parameter, Tensor
from ...nn import Layer
from .api import STAGES, reshard, shard_optimizer, shard_tensor
from .placement_type import Replicate
from .plans import AXIS, PlanBase, SplitPoint
from .process_mesh import ProcessMesh, get_mesh, set_mesh


def parallelize(model, optimizer=None, mesh=None, config=None):
    """Cut a model, and what its optimizer keeps, over the ranks of a mesh; returns both. The model itself is changed.

    Args:
        mesh: a ProcessMesh whose dimensions are named "dp", "mp", "pp"; by default what ``set_mesh`` was given.
        config: {"dp_config": {"sharding_level": 0 to 3}, "mp_config": {"parallelize_plan": {name of a layer or parameter, or a
            regular expression: a plan or a list of plans}}, "pp_config": {"split_spec": the name of a list of layers, or {name of
            a layer: SplitPoint}, "global_spec": layers whose outputs all stages get}}.

    >>> import paddle.distributed as dist
    >>> mesh = dist.ProcessMesh([[0]], dim_names=["dp", "mp"])
    >>> model = paddle.nn.Sequential(paddle.nn.Linear(4, 8), paddle.nn.Linear(8, 4))
    >>> plan = {"0": dist.ColWiseParallel(), "1": dist.RowWiseParallel()}
    >>> model, _ = dist.parallelize(model, mesh=mesh, config={"mp_config": {"parallelize_plan": plan}})
    >>> model[0].weight.placements
    [Replicate(), Shard(dim=1)]
    """
    if config is None:
        warnings.warn("parallelize(): without a config nothing is cut", stacklevel=2)
        return model, optimizer
    _check(model, mesh, config)
    if mesh is not None:
        set_mesh(mesh)
    mesh = get_mesh()
    if mesh is None:
        raise ValueError("parallelize(): give mesh, or call dist.auto_parallel.set_mesh first")
    for key, axis in (("dp_config", "dp"), ("mp_config", AXIS), ("pp_config", "pp")):
        if config.get(key) is not None and axis not in mesh.dim_names:
            raise ValueError(f"parallelize(): {key} needs a dimension {axis!r} of the mesh, there are {', '.join(mesh.dim_names)}")
    stages = _Stages(model, mesh, config.get("pp_config"))
    kept = {}
    _apply_plans(model, stages, (config.get("mp_config") or {}).get("parallelize_plan") or {}, kept)
    _place_rest(model, stages, kept)
    return model, None if optimizer is None else _on_parts(optimizer, kept, config.get("dp_config") or {})


def _check(model, mesh, config):
    if not isinstance(model, Layer):
        raise TypeError(f"parallelize(): model must be a paddle.nn.Layer, got {describe(model)}")
    if mesh is not None and not isinstance(mesh, ProcessMesh):
        raise TypeError(f"parallelize(): mesh must be a ProcessMesh, got {describe(mesh)}")
    known = {"dp_config": ("sharding_level", "sharding_mesh_dim"), "mp_config": ("parallelize_plan",),
             "pp_config": ("split_spec", "global_spec")}
    if not isinstance(config, dict):
        raise TypeError(f"parallelize(): config must be a dict, got {describe(config)}")
    for key, settings in config.items():
        if key == "cp_config":
            raise NotImplementedError("parallelize(): cp_config (context parallelism) is not supported; SequenceParallelBegin and "
                                      "SequenceParallelEnd in mp_config cut sequences")
        unknown = sorted(set(settings or ()) - set(known[key])) if key in known else [key]
        if unknown:
            raise ValueError(f"parallelize(): unknown {', '.join(unknown)}; known: {known}")


class _Stages:
    """Which stage of the pipeline a layer belongs to, and the mesh of each stage."""

    def __init__(self, model, mesh, config):
        self._mesh, self._of = mesh, {}
        if config is None or config.get("split_spec") is None:
            return
        named, count = dict(model.named_sublayers()), mesh.get_dim_size("pp")
        splits = _splits(list(named), config["split_spec"], count)
        names, stage = list(named), 0
        starts = {_start(names, name, point) for name, point in splits.items()}
        for name in names:
            stage += name in starts
            self._of[id(named[name])] = stage
        for name, point in splits.items():
            if point is SplitPoint.END:
                after = self.mesh_of(named[name], 1)
                named[name].register_forward_post_hook(lambda layer, inputs, output, after=after: _brought(output, after))
        spread = config.get("global_spec") or []
        for name in [spread] if isinstance(spread, str) else spread:
            if name not in named:
                raise ValueError(f"parallelize(): global_spec names {name!r}, which the model has not")
            named[name].register_forward_post_hook(lambda layer, inputs, output: _brought(output, mesh, whole=True))
        for layer in named.values():  # what an earlier stage, or the whole mesh, has
            here = self.mesh_of(layer)
            layer.register_forward_pre_hook(
                lambda layer, inputs, keywords, here=here: (_brought(inputs, here), _brought(keywords, here)), with_kwargs=True)

    def mesh_of(self, layer, later=0):
        """The mesh of a layer's stage, or of a later one."""
        if "pp" not in self._mesh.dim_names:
            return self._mesh
        return self._mesh.get_mesh_with_dim("pp", self._of.get(id(layer), 0) + later)


def _splits(names, spec, stages):
    """{name of a layer: SplitPoint}, one less than there are stages."""
    if not isinstance(spec, dict):
        prefixes = [spec] if isinstance(spec, str) else list(spec)
        chosen = [n for n in names if any(re.fullmatch(re.escape(p) + r"\.\d+", n) for p in prefixes)]
        if len(chosen) < stages:
            raise ValueError(f"parallelize(): split_spec {spec!r} matches {len(chosen)} layers, too few for {stages} stages")
        ends = [-(-len(chosen) * (k + 1) // stages) - 1 for k in range(stages - 1)]
        return {chosen[k]: SplitPoint.END for k in ends}
    missing = [n for n in spec if n not in names]
    if missing or len(spec) != stages - 1 or not all(isinstance(p, SplitPoint) for p in spec.values()):
        raise ValueError(f"parallelize(): split_spec must give {stages - 1} layers of the model a SplitPoint, got {spec!r}")
    return spec


def _start(names, name, point):
    """The first layer of the stage that a split begins."""
    if point is SplitPoint.BEGINNING:
        return name
    rest = [n for n in names[names.index(name) + 1:] if not n.startswith(name + ".")]
    if not rest:
        raise ValueError(f"parallelize(): split_spec ends a stage behind {name!r}, the last layer")
    return rest[0]


def _brought(value, mesh, whole=False):
    """A structure with its placed tensors on a mesh; those of another keep their placements where the shapes agree."""
    if isinstance(value, dict):
        return {k: _brought(v, mesh, whole) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_brought(v, mesh, whole) for v in value)
    if not isinstance(value, Tensor) or not (value._placed or whole):
        return value
    if not value._placed:
        return shard_tensor(value, mesh, [Replicate()] * mesh.ndim)
    if value.process_mesh == mesh:
        return value
    same = not whole and value.process_mesh.shape == mesh.shape
    return reshard(value, mesh, list(value.placements) if same else [Replicate()] * mesh.ndim)


def _apply_plans(model, stages, plans, kept):
    for name, layer in model.named_sublayers():
        for key, given in plans.items():
            parameters, pattern = [], key
            head, _, last = key.rpartition(".")
            if head and isinstance(getattr(layer, last, None), Tensor):
                parameters, pattern = [last], head
            if pattern != name and re.fullmatch(pattern, name) is None:
                continue
            for plan in given if isinstance(given, (list, tuple)) else [given]:
                if not isinstance(plan, PlanBase):
                    raise TypeError(f"parallelize(): parallelize_plan[{key!r}] must be plans such as dist.ColWiseParallel(), got "
                                    f"{describe(plan)}")
                plan.kept = kept
                plan.apply(layer, stages.mesh_of(layer), parameters)


def _place_rest(model, stages, kept):
    """Replicate what no plan cut on the mesh of its stage."""
    for layer in model.sublayers(include_self=True):
        mesh = stages.mesh_of(layer)
        for name, p in list(layer._parameters.items()):
            if p is None:
                continue
            if not p._placed:
                placed = kept[id(p)][1] if id(p) in kept else shard_tensor(p, mesh, [Replicate()] * mesh.ndim)
                kept[id(p)] = p, placed
                setattr(layer, name, placed)
                p = placed
            if p.process_mesh != mesh:
                raise NotImplementedError(f"parallelize(): the parameter {p.name} is tied between stages of the pipeline; keep its "
                                          "layers in one stage, or reshard it in forward")


def _on_parts(optimizer, kept, config):
    """The optimizer of the cut parameters, its states cut as well if the level says so."""
    level = str(config.get("sharding_level") or 0)
    if level not in ("0", *STAGES):
        raise ValueError(f"parallelize(): sharding_level must be 0, 1, 2 or 3, got {config['sharding_level']!r}")

    def placed(p):
        return kept[id(p)][1] if isinstance(p, Parameter) and id(p) in kept else p

    for group in optimizer._groups:
        group["params"] = [placed(p) for p in group["params"]]
    optimizer._parameter_list = [p for group in optimizer._groups for p in group["params"]]
    return shard_optimizer(optimizer, None if level == "0" else STAGES[level](config.get("sharding_mesh_dim", "dp")))
