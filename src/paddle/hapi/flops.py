"""Counting the arithmetic of a network, op by op."""

from ..core.autograd import no_grad
from ..core.hooks import OpHook
from ..core.tensor import Tensor
from .summary import make_inputs

__all__ = ["flops"]

def op_flops(op, args, outs):
    """Multiply-add pairs (or single operations where there are no pairs) of one call, as the op says."""
    said = op.facts.flops
    if callable(said):
        return said(args, outs)
    first = outs[0] if isinstance(outs, (tuple, list)) else outs
    return said * (sum(map(_size, first)) if isinstance(first, list) else _size(first))


def _size(value):
    return int(value._data.size) if isinstance(value, Tensor) else 0


class Counter(OpHook):
    """Adds up what ops cost, in all and by op."""

    def __init__(self):
        self.total, self.by_op = 0, {}

    def after(self, op, args, outs):
        """Count one call."""
        if any(isinstance(o, Tensor) for o in (outs if isinstance(outs, (tuple, list)) else [outs])):
            cost = op_flops(op, args, outs)
            self.total += cost
            calls, sum_ = self.by_op.get(op.name, (0, 0))
            self.by_op[op.name] = calls + 1, sum_ + cost


@no_grad()
def flops(net, input_size, custom_ops=None, print_detail=False):
    """Print and return how many operations one forward pass takes (a multiplication with its addition counts once).

    Args:
        net: Layer.
        input_size: shape of its input.
        custom_ops: {layer class: function(layer, inputs, output)} that sets ``layer.total_ops`` (or returns the number)
            instead of counting what the layer's ops do.
        print_detail: also print the count of every op.

    >>> paddle.flops(paddle.nn.Linear(4, 3, bias_attr=False), [1, 4])
    Total Flops: 12     Total Params: 12
    12
    """
    inputs, counter, handles = make_inputs(input_size, None, "flops"), Counter(), []
    custom, before = 0, {}

    def start(layer, given):
        before[layer] = counter.total, dict(counter.by_op)

    def end(layer, given, result):
        nonlocal custom
        counter.total, counter.by_op = before.pop(layer)
        counted = custom_ops[type(layer)](layer, given, result)
        custom += int(getattr(layer, "total_ops", 0) if counted is None else counted)

    for layer in net.sublayers(include_self=True):
        if type(layer) in (custom_ops or {}):
            handles += [layer.register_forward_pre_hook(start), layer.register_forward_post_hook(end)]
    modes = {layer: layer.training for layer in net.sublayers(include_self=True)}
    net.eval()
    try:
        with counter:
            net(*inputs)
    finally:
        for handle in handles:
            handle.remove()
        for layer, mode in modes.items():
            layer.training = mode
    if print_detail:
        print(f"{'Op':<28}{'Calls':>8}{'Flops':>16}")
        for name, (calls, cost) in sorted(counter.by_op.items(), key=lambda item: -item[1][1]):
            print(f"{name:<28}{calls:>8}{cost:>16,}")
    total, params = counter.total + custom, sum(int(p.size) for p in net.parameters())
    print(f"Total Flops: {total}     Total Params: {params}")
    return total
