"""Classes that a migrated program gets where those of 2.x do not do what the old ones did; see helpers.py."""

CLASSES = {
    "StaticExecutor": '''
class StaticExecutor(paddle.static.Executor):
    """An executor that runs programs in dynamic mode too."""

    def run(self, *args, **settings):
        dynamic = paddle.in_dynamic_mode()
        paddle.enable_static()
        try:
            return super(StaticExecutor, self).run(*args, **settings)
        finally:
            if dynamic:
                paddle.disable_static()
''',
    "Ploter": '''
class Ploter(object):
    """Curves by title, drawn where matplotlib is installed."""

    def __init__(self, *titles):
        self.curves = {title: ([], []) for title in titles}

    def append(self, title, step, value):
        self.curves[title][0].append(step)
        self.curves[title][1].append(float(value))

    def plot(self, path=None):
        try:
            from matplotlib import pyplot
        except ImportError:
            return
        for title, (steps, values) in self.curves.items():
            pyplot.plot(steps, values, label=title)
        pyplot.legend()
        pyplot.savefig(path) if path else pyplot.show()
        pyplot.clf()

    def reset(self):
        for steps, values in self.curves.values():
            del steps[:], values[:]
''',
    "GRUUnit": '''
class GRUUnit(paddle.nn.Layer):
    """One step of a GRU whose inputs are projected already: size is three times the hidden size."""

    def __init__(self, size, param_attr=None, bias_attr=None, activation="tanh", gate_activation="sigmoid", origin_mode=False):
        super(GRUUnit, self).__init__()
        self.width, self.origin_mode = size // 3, origin_mode
        self.weight = self.create_parameter([size // 3, size], attr=param_attr)
        self.bias = None if bias_attr is False else self.create_parameter([1, size], attr=bias_attr, is_bias=True)
        self.act, self.gate = getattr(paddle.nn.functional, activation), getattr(paddle.nn.functional, gate_activation)

    def forward(self, input, hidden):
        n = self.width
        flat = paddle.reshape(self.weight, [-1])
        gates, last = paddle.reshape(flat[:2 * n * n], [n, 2 * n]), paddle.reshape(flat[2 * n * n:], [n, n])
        x = input if self.bias is None else input + self.bias
        both = self.gate(x[:, :2 * n] + paddle.matmul(hidden, gates))
        update, reset = both[:, :n], both[:, n:]
        kept = reset * hidden
        new = self.act(x[:, 2 * n:] + paddle.matmul(kept, last))
        mixed = update * hidden + (1 - update) * new if self.origin_mode else (1 - update) * hidden + update * new
        return mixed, kept, paddle.concat([both, new], axis=1)
''',
    "TracedLayer": '''
class TracedLayer(object):
    """A layer with the inputs that it was traced with, which can be saved as a program."""

    def __init__(self, layer, inputs):
        self.layer = layer
        self.specs = [paddle.static.InputSpec([None] + list(x.shape)[1:], x.dtype) for x in inputs]

    @staticmethod
    def trace(layer, inputs):
        inputs = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
        return layer(*inputs), TracedLayer(layer, inputs)

    def __call__(self, inputs):
        results = self.layer(*inputs)
        return list(results) if isinstance(results, (list, tuple)) else [results]

    def save_inference_model(self, dirname, feed=None, fetch=None):
        import os
        static = paddle.jit.to_static(self.layer, input_spec=self.specs, full_graph=True)
        results = static.forward.concrete_program.outputs
        chosen = None if fetch is None else [results[k] for k in fetch]
        paddle.jit.save(static, os.path.join(dirname, "model"), output_spec=chosen)
        rename_model(dirname)
''',
    "LateLinear": '''
class LateLinear(paddle.nn.Layer):
    """A linear layer that takes the number of its inputs from its first call."""

    def __init__(self, size, num_flatten_dims=1, param_attr=None, bias_attr=None, act=None):
        super(LateLinear, self).__init__()
        self.size, self.axes, self.attrs, self.act, self.inner = size, num_flatten_dims, (param_attr, bias_attr), act, None

    def forward(self, x):
        width = 1
        for n in x.shape[self.axes:]:
            width *= n
        if self.inner is None:
            self.inner = paddle.nn.Linear(width, self.size, weight_attr=self.attrs[0], bias_attr=self.attrs[1])
        out = self.inner(paddle.reshape(x, list(x.shape[:self.axes]) + [width]))
        return with_activation(out, self.act)

    weight = property(lambda self: self.inner.weight)
    bias = property(lambda self: self.inner.bias)
''',
    "LateConv2D": '''
class LateConv2D(paddle.nn.Layer):
    """A convolution that takes the number of its channels from its first call."""

    def __init__(self, num_filters, filter_size, stride=1, padding=0, dilation=1, groups=None, param_attr=None, bias_attr=None,
                 act=None):
        super(LateConv2D, self).__init__()
        self.sizes, self.act, self.inner = (num_filters, filter_size), act, None
        self.settings = dict(stride=stride, padding=padding, dilation=dilation, groups=groups or 1, weight_attr=param_attr,
                             bias_attr=bias_attr)

    def forward(self, x):
        if self.inner is None:
            self.inner = paddle.nn.Conv2D(x.shape[1], *self.sizes, **self.settings)
        out = self.inner(x)
        return with_activation(out, self.act)

    weight = property(lambda self: self.inner.weight)
    bias = property(lambda self: self.inner.bias)
''',
    "ColumnEmbedding": '''
class ColumnEmbedding(paddle.nn.Embedding):
    """Rows of a table by numbers whose last axis has size 1: the row takes its place, as before 1.7."""

    def forward(self, x):
        return super(ColumnEmbedding, self).forward(paddle.squeeze(x, -1))
''',
    "LateOptimizer": '''
class LateOptimizer(object):
    """An optimizer that is made when it is first used: by then its layers have all their parameters."""

    def __init__(self, make, layers=None):
        self.make, self.layers, self.made = make, layers, None

    def __getattr__(self, name):
        if self.made is None:
            layers = [x for x in self.layers() if isinstance(x, paddle.nn.Layer)] if self.layers else []
            self.made = self.make([p for layer in layers for p in layer.parameters()] or None)
        return getattr(self.made, name)
''',
    "FluidAdam": '''
class FluidAdam(paddle.optimizer.Adam):
    """Adam of 1.x, which added epsilon as it is: 2.x multiplies it by sqrt(1 - beta2 ** step)."""

    def __init__(self, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8, **settings):
        self.given, self.added, self.beta2, self.power = (learning_rate, beta1, beta2), epsilon, beta2, 1.0
        self.settings = settings
        self.epsilon = paddle.to_tensor(epsilon, "float32") if paddle.in_dynamic_mode() else epsilon
        super(FluidAdam, self).__init__(learning_rate, beta1, beta2, self.epsilon, **settings)

    def minimize(self, loss, startup_program=None, *args, **settings):
        if paddle.in_dynamic_mode():
            self.power *= self.beta2
            self.epsilon.set_value(paddle.to_tensor(self.added / (1 - self.power) ** 0.5, "float32"))  # read at every step
            return super(FluidAdam, self).minimize(loss, startup_program, *args, **settings)
        epsilon = self.epsilon_of(loss.block.program, startup_program or paddle.static.default_startup_program())
        return paddle.optimizer.Adam(*self.given, epsilon, **self.settings).minimize(loss, startup_program, *args, **settings)

    def epsilon_of(self, program, startup_program):
        """The epsilon of a step as a result of operators, which copies of the program for testing leave out."""
        with paddle.static.program_guard(program, startup_program), program._lr_schedule_guard(is_with_opt=True):
            power = paddle.static.create_global_var([1], 1.0, "float32", persistable=True)
            paddle.assign(power * self.beta2, power)
            return self.added * (1 - power) ** -0.5

    def set_state_dict(self, state_dict):
        powers = [float(value) for name, value in state_dict.items() if "beta2_pow_acc" in name]
        self.power = powers[0] / self.beta2 if powers else self.power
        super(FluidAdam, self).set_state_dict(state_dict)
''',
    "ArrayLayer": '''
class ArrayLayer(paddle.nn.Layer):
    """A layer whose static methods forward(inputs) and backward(inputs) work on lists of arrays."""

    def __call__(self, *tensors):
        kind = type(self)

        class Step(paddle.autograd.PyLayer):
            @staticmethod
            def forward(ctx, *inputs):
                outs = kind.forward([x.numpy() for x in inputs])
                outs = [paddle.to_tensor(out) for out in (outs if isinstance(outs, (list, tuple)) else [outs])]
                ctx.save_for_backward(*inputs, *outs)
                return tuple(outs)

            @staticmethod
            def backward(ctx, *gradients):
                saved = [x.numpy() for x in ctx.saved_tensor()]
                grads = kind.backward(saved + [g.numpy() for g in gradients])
                grads = [paddle.to_tensor(g) for g in (grads if isinstance(grads, (list, tuple)) else [grads])]
                return grads[0] if len(grads) == 1 else tuple(grads)

        for x in tensors:
            x.stop_gradient = False
        return Step.apply(*tensors)
''',
}
