"""A program run op by op on the tape: how gradients of a traced function's gradients are found."""

from ..core import random
from ..core.autograd import enable_grad
from ..core.backward import grad as tape_grad
from ..core.tensor import wrap
from ..static.ir.lower import Lowering


def differentiate(runner, tensors, before, state, wanted, gradients):
    """Gradients of the wanted leaves as Tensors that lead back to the leaves and to the given gradients.

    Args:
        tensors: inputs of the forward call; before: arrays of the captured tensors then; state: of the random generator.
    """
    lowering = Lowering(runner.program.global_block(), runner.inputs).run()
    n = len(tensors)
    leaves, env = [], {}
    for k, value in enumerate([*lowering.graph.inputs, *[lowering.graph.states[n] for n in runner.function.state_names]]):
        tensor = tensors[k] if k < n else runner.captured[k - n]
        if k not in wanted:
            tensor = wrap(tensor._data if k < n else before[k - n])
        env[value] = tensor
        leaves.append(tensor)
    generator = random.default_generator()
    now = generator.get_state()
    try:
        if state is not None:
            generator.set_state(state)
        with enable_grad():
            lowering.graph.run_tensors(env)
    finally:
        generator.set_state(now)
    pairs = []
    for name, g in zip(runner.outputs, gradients):
        out = env[lowering.read(name)]
        pairs += [(o, d) for o, d in (zip(out, g) if isinstance(out, list) else [(out, g)] if g is not None else [])
                  if d is not None and not o.stop_gradient]
    asked = [leaves[k] for k in wanted]
    if not pairs:
        return [None] * len(asked)
    return tape_grad([o for o, _ in pairs], asked, [g for _, g in pairs], create_graph=True, retain_graph=True,
                     allow_unused=True)
