"""Static programs on several ranks: gradients are averaged by operators of the program itself."""

from ...core.errors import describe
from ...ops.math.arithmetic import add
from ...optimizer import Adam, Lamb
from ...static import nn as static_nn
from ...static.amp import AutoMixedPrecisionLists, decorate
from ...static.optimize import append_gradients, append_group, append_updates, grouped, persistable
from ...static.program import program as program_module
from ...utils import unique_name
from ..env import ParallelEnv
from ..ops import c_allreduce_sum


class ProgramOptimizer:
    """An optimizer whose ``minimize`` adds the averaging over ranks between backward and updates.

    The startup program ends with every parameter taking rank 0's value. ``strategy.sharding``: a rank updates its share of the
    parameters and has the states of those alone. ``strategy.gradient_merge``: updates happen at every so many runs.
    ``strategy.fp16_allreduce``: float32 gradients travel as float16. ``strategy.recompute``: results between checkpoints are
    computed again. ``strategy.lamb``: Lamb updates with what Adam was given. ``strategy.amp``: checked, programs stay in float32.
    """

    def __init__(self, optimizer, strategy):
        self._inner, self._checkpoints = _opened(optimizer)
        self._sharding, self._halves = strategy.sharding, strategy.fp16_allreduce
        if strategy.recompute:
            self._checkpoints = strategy.recompute_configs["checkpoints"]
        if strategy.amp:
            _check_amp(self._inner, strategy.amp_configs)
        if strategy.lamb:
            self._inner = _lamb(self._inner, **strategy.lamb_configs)
        self._merge = strategy.gradient_merge_configs if strategy.gradient_merge else {"k_steps": 1, "avg": True}

    def __getattr__(self, name):
        return getattr(self._inner, name)

    def minimize(self, loss, startup_program=None, parameters=None, no_grad_set=None):
        """Add backward, averages and updates; returns (update operators, pairs of parameter and gradient)."""
        ranks, merged = ParallelEnv().world_size, self._merge["k_steps"] > 1
        if ranks < 2 and not merged and not self._checkpoints:
            return self._inner.minimize(loss, startup_program, parameters, no_grad_set)
        startup = startup_program or program_module.default_startup_program()
        pairs = append_gradients(self._inner, loss, startup, parameters, no_grad_set, checkpoints=self._checkpoints)
        if not pairs:
            raise ValueError(f"minimize(): the loss {loss.name} depends on no trainable parameter")
        program = loss.block.program
        with program_module.program_guard(program, startup):
            updates = self._merged(pairs, startup) if merged else self._updated(pairs, startup)
        share_parameters(program, startup)
        return updates, pairs

    def _merged(self, pairs, startup):
        """Add the gradients up; at every so many runs update with their sum or mean, and begin anew."""
        every = self._merge["k_steps"]
        count = persistable(unique_name.generate("gradient_merge_step"), [1], "int64", 0)
        sums = [(p, persistable(p.name + "@GRAD@GradientMerge", p.shape, p.dtype, 0.0)) for p, _ in pairs]
        program = program_module.default_main_program()
        updates = []

        def update():
            factor = 1.0 / every if self._merge["avg"] else 1.0
            updates.extend(self._updated([(p, total * factor) for p, total in sums], startup))
            for _, total in sums:
                _write(program, total, total * 0)
            _write(program, count, count * 0)

        with program.with_role(program_module.OPTIMIZE):
            for (_, g), (_, total) in zip(pairs, sums):
                _write(program, total, add(total, g))
            _write(program, count, count + 1)
            static_nn.cond((count == every).all(), update)
        return updates

    def _mean(self, g, ranks):
        if self._halves and g.dtype == "float32":
            return c_allreduce_sum((g * (1.0 / ranks)).astype("float16")).astype("float32")
        return c_allreduce_sum(g) * (1.0 / ranks)

    def _updated(self, pairs, startup):
        """Average the gradients and update; with sharding every rank its share of the parameters."""
        env = ParallelEnv()
        if env.world_size > 1:
            pairs = [(p, self._mean(g, env.world_size)) for p, g in pairs]
        if not self._sharding or env.world_size < 2:
            return append_updates(self._inner, pairs, startup, True)
        program, updates = program_module.default_main_program(), []
        owner = owners([p for p, _ in pairs], env.world_size)
        with program.with_role(program_module.OPTIMIZE):
            for group, chosen in grouped(self._inner, pairs):
                if group["grad_clip"] is not None:  # by a norm of all gradients, not of a rank's share
                    chosen = group["grad_clip"](chosen)
                mine = [(p, g) for p, g in chosen if owner[p.name] == env.rank]
                updates += append_group(self._inner, mine, {**group, "grad_clip": None}) if mine else []
            for p, _ in pairs:
                program.current_block().append_op("c_broadcast", {"X": p.name}, {"Out": p.name}, {"root": owner[p.name], "ring_id":
                0})
        return updates


def _opened(optimizer):
    """(the optimizer that updates, checkpoints) of one that may be wrapped for recomputation or mixed precision."""
    checkpoints = None
    while "_optimizer" in vars(optimizer):
        checkpoints = vars(optimizer).get("_checkpoints") or checkpoints
        optimizer = optimizer._optimizer
    return optimizer, checkpoints


def _check_amp(optimizer, configs):
    """Let mixed precision of programs check its settings, and say what a CPU makes of them."""
    names = ("custom_white_list", "custom_black_list", "custom_black_varnames")
    lists = AutoMixedPrecisionLists(*[configs[name] or None for name in names])
    rest = {k: v for k, v in configs.items() if k not in (*names, "use_pure_bf16")}
    decorate(optimizer, lists, use_bf16=configs["use_pure_bf16"], **rest)


def _lamb(optimizer, lamb_weight_decay, exclude_from_weight_decay):
    """Lamb with the settings of an Adam."""
    if not isinstance(optimizer, Adam):
        raise TypeError(f"fleet.distributed_optimizer(): strategy.lamb takes the place of Adam, got {describe(optimizer)}")
    return Lamb(optimizer._learning_rate, lamb_weight_decay, optimizer._beta1, optimizer._beta2, optimizer._epsilon,
                optimizer._parameter_list, optimizer._grad_clip,
                lambda p: any(part in p.name for part in exclude_from_weight_decay))


def _write(program, target, value):
    """Write a value into a variable that keeps it between runs."""
    program.current_block().append_op("assign", {"X": value.name}, {"Out": target.name})


def owners(parameters, ranks):
    """{name of a parameter: the rank that updates it}, with about equally many elements for each."""
    load, owner = [0] * ranks, {}
    for p in sorted(parameters, key=lambda p: (-_size(p), p.name)):
        rank = load.index(min(load))
        owner[p.name], load[rank] = rank, load[rank] + _size(p)
    return owner


def _size(p):
    size = 1
    for n in p.shape:
        size *= n
    return size


def share_parameters(program, startup):
    """End a startup program with every parameter taking rank 0's value."""
    if ParallelEnv().world_size < 2:
        return
    block = startup.global_block()
    for p in program.all_parameters():
        if p.name in block.vars:
            block.append_op("c_broadcast", {"X": p.name}, {"Out": p.name}, {"root": 0, "ring_id": 0})


def average_gradients(program, startup=None):
    """Let a finished program, backward and updates included, average its gradients over all ranks; once, and not where it does
    already.

    Parameters take rank 0's value at the end of the startup program, where one is given.
    """
    ranks, block = ParallelEnv().world_size, program.global_block()
    if ranks < 2 or any(op.type == "c_allreduce_sum" for op in block.ops):
        return program
    roles = [op.attrs.get("op_role", 0) & ~program_module.LOSS for op in block.ops]
    at = next((k for k, role in enumerate(roles) if role == program_module.OPTIMIZE), None)
    if at is None:
        return program  # nothing is trained
    written = {name for op in block.ops[:at] for name in op.output_arg_names}
    for p in program.all_parameters():
        name = p.name + "@GRAD"
        if name in written:
            attrs = {"ring_id": 0, "op_role": program_module.BACKWARD}
            block._insert_op(at, "c_allreduce_sum", {"X": name}, {"Out": name}, attrs)
            block._insert_op(at + 1, "scale", {"X": name}, {"Out": name},
                             {"scale": 1.0 / ranks, "bias": 0.0, "bias_after_scale": True, "op_role": program_module.BACKWARD})
            at += 2
    if startup is not None:
        share_parameters(program, startup)
    return program


def check_trainers(function, trainers, trainer_id):
    """Raise where a program says another number of trainers, or another one to be, than the launcher."""
    env = ParallelEnv()
    count = len([e for e in trainers.split(",") if e]) if isinstance(trainers, str) else trainers
    if not isinstance(count, int) or (count, trainer_id) != (env.world_size, env.rank):
        raise ValueError(f"{function}(): trainer {trainer_id} of {describe(trainers)}, but the launcher says rank {env.rank} of "
                         f"{env.world_size}; start it with python -m paddle.distributed.launch")
