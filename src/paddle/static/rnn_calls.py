"""Recurrent layers in training: the forward keeps its tape for the backward, which would otherwise run the forward again."""

from ..core.autograd import enable_grad
from ..core.backward import grad as tape_grad
from ..core.tensor import Tensor, wrap
from ..ops import rnn as R
from ..ops.dropout import dropout
from ..ops.manip import transpose
from .calls import Call


class KeepingRnn(Call):
    """rnn on Tensors: its outputs, then the tape. Input and output are time-major as in files, or batch-major if so said."""

    type, pure = "rnn_keeping", False

    def __init__(self, inner, wanted, batch_in=False, batch_out=False):
        self.inner, self.wanted = inner, tuple(wanted)  # the rnn's OpCall; flat positions of the inputs that get gradients
        self.batch_in, self.batch_out = batch_in, batch_out
        self.values = dict(zip(inner.op.attr_names, inner.values))

    def label(self):
        return self.inner.label().replace("rnn", self.type, 1)

    def prepare(self):
        a, inner, wanted = self.values, self.inner, self.wanted
        directions, batch_in, batch_out = 2 if a["is_bidirec"] else 1, self.batch_in, self.batch_out

        def between(y):
            return dropout(y, p=a["dropout_prob"], mode="upscale_in_train")[0]
        dropped = between if a["dropout_prob"] and not a["is_test"] else None

        def run(*flat):
            leaves = [None if v is None else wrap(v) for v in flat]
            for w in wanted:
                leaves[w].stop_gradient = False
            x, states, weights, lengths = inner.nest(leaves)
            with enable_grad():
                y, finals = R.run_stack(a["mode"], x if batch_in else transpose(x, [1, 0, 2]), states,
                                        R._unpack_weights(weights, a["num_layers"], directions), a["num_layers"], directions,
                                        R._plain_lengths(None if lengths is None else lengths._data), dropped)
                outs = [y if batch_out else transpose(y, [1, 0, 2]), *finals]
            return [*[o._data if isinstance(o, Tensor) else o for o in outs], (outs, [leaves[w] for w in wanted])]
        return run


class KeepingRnnGrad(Call):
    """Gradients of a KeepingRnn: tape and gradients of the outputs in, one gradient per input of the rnn out."""

    type = "rnn_keeping_grad"

    def __init__(self, n_in, wanted):
        self.n_in, self.wanted = n_in, tuple(wanted)

    def prepare(self):
        n_in, wanted = self.n_in, self.wanted

        def run(tape, *grads):
            outs, leaves = tape
            pairs = [(o, wrap(g)) for o, g in zip(outs, grads) if g is not None and not o.stop_gradient]
            found = tape_grad([o for o, _ in pairs], leaves, [g for _, g in pairs], allow_unused=True)
            result = [None] * n_in
            for w, leaf, g in zip(wanted, leaves, found):
                result[w] = leaf._data * 0 if g is None else g._data
            return result
        return run
