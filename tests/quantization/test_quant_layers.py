"""The layers of paddle.nn.quant.quant_layers: the numbers and names of real Paddle 2.6.2."""

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.distributed import fleet
from paddle.nn.quant import quant_layers

DRAW = np.random.RandomState(1)
PICTURES = [DRAW.randn(2, 4, 6, 6).astype("float32") * (k + 1) for k in range(4)]
ROWS = [DRAW.randn(3, 4).astype("float32") * (k + 1) for k in range(4)]
CHANNELS = {"weight_quantize_type": "channel_wise_abs_max", "activation_quantize_type": "moving_average_abs_max"}
FEW_BITS = {"activation_quantize_type": "moving_average_abs_max", "moving_rate": 0.8, "weight_bits": 4, "activation_bits": 6}


class Twice(nn.Layer):
    def forward(self, x):
        return paddle.tanh(x) * 2


BEFORE = {"weight_pre_layer": Twice, "act_pre_layer": Twice}


def filled(net):
    draw = np.random.RandomState(0)
    for parameter in net.parameters():
        if not parameter.stop_gradient:
            parameter.set_value((draw.randn(*parameter.shape) * 0.2).astype("float32"))
    return net


class Product(nn.Layer):
    def __init__(self, **options):
        super().__init__()
        self.product, self.weight = quant_layers.QuantizedMatmul(**options), self.create_parameter([5, 4])

    def forward(self, x):
        return self.product(x, self.weight, transpose_y=True)


MADE = {"conv": lambda **o: quant_layers.QuantizedConv2D(filled(nn.Conv2D(4, 6, 3, padding=1, groups=2)), **o),
        "transposed": lambda **o: quant_layers.QuantizedConv2DTranspose(
            filled(nn.Conv2DTranspose(4, 6, 3, stride=2, output_padding=1)), **o),
        "linear": lambda **o: quant_layers.QuantizedLinear(filled(nn.Linear(4, 5)), **o),
        "product": lambda **o: filled(Product(**o))}


def size(arrays):
    return float(sum(np.abs(a).sum() for a in arrays))


def trained(net, call, batches):
    """Sums of magnitudes of results and of gradients in three steps."""
    sgd = paddle.optimizer.SGD(0.05, parameters=[p for p in net.parameters() if not p.stop_gradient])
    results, gradients = [], []
    for batch in batches[:3]:
        x = paddle.to_tensor(batch, stop_gradient=False)
        out = call(x)
        (out * out).mean().backward()
        results.append(size([out.numpy()]))
        gradients.append(size([t.grad.numpy() for t in [x, *net.parameters()] if t.grad is not None]))
        sgd.step()
        sgd.clear_grad()
    return results, gradients


# three results, one in evaluation, three gradients (sums of magnitudes); names and sums of what is kept
RECORDED = [
    ("conv", {}, [290.5711, 549.1283, 732.3451, 895.6561], [7.7219, 26.4818, 46.7939], {"conv2d_0.w_0.scale_0": 0.49385}),
    ("conv", CHANNELS, [283.9183, 524.1239, 698.9153, 776.54], [7.2802, 24.1545, 41.9527],
     {"conv2d_0.w_0.scale_0": 2.32777, "conv2d_0.scale_0": 5.83894, "conv2d_0.state_0": 3.439, "conv2d_0.accum_0": 20.08012}),
    ("conv", BEFORE, [676.4345, 776.1634, 736.7983, 682.78], [40.4687, 51.8432, 49.3423], {"conv2d_0.w_0.scale_0": 0.84332}),
    ("transposed", CHANNELS, [864.525, 1755.7552, 2430.8042, 2882.7534], [2.4393, 10.1941, 19.6358],
     {"conv2d_transpose_0.w_0.scale_0": 2.53051, "conv2d_transpose_0.scale_0": 5.83894, "conv2d_transpose_0.state_0": 3.439,
      "conv2d_transpose_0.accum_0": 20.08012}),
    ("transposed", {}, [886.6246, 1811.1697, 2540.9167, 3270.51], [2.5879, 10.9982, 21.9686],
     {"conv2d_transpose_0.w_0.scale_0": 0.50405}),
    ("linear", CHANNELS, [5.6627, 12.4828, 11.4056, 6.3652], [1.8726, 11.6392, 10.7224],
     {"linear_0.w_0.scale_0": 1.48623, "linear_0.scale_0": 2.77678, "linear_0.state_0": 3.439, "linear_0.accum_0": 9.54935}),
    ("linear", FEW_BITS, [5.7744, 13.6884, 12.198, 6.8079], [1.9229, 13.1885, 12.0097],
     {"linear_0.w_0.scale_0": 0.40101, "linear_0.scale_0": 2.93108, "linear_0.state_0": 2.952, "linear_0.accum_0": 8.65255}),
    ("product", FEW_BITS, [2.6257, 11.7648, 8.1682, 7.2695], [0.8763, 9.4387, 8.3688],
     {"quant_dequant.scale_0": 2.93108, "quant_dequant.state_0": 2.952, "quant_dequant.accum_0": 8.65255,
      "quant_dequant.scale_1": 0.53476, "quant_dequant.state_1": 2.952, "quant_dequant.accum_1": 1.57861}),
]


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("kind, options, results, gradients, kept", RECORDED)
def test_layers_round_and_learn(kind, options, results, gradients, kept, traced, tmp_path):
    batches = ROWS if kind in ("linear", "product") else PICTURES
    with paddle.utils.unique_name.guard():
        net = MADE[kind](**options)
        call = paddle.jit.to_static(net.forward) if traced else net
        found = trained(net, call, batches)
        state = {p.name: float(p.numpy().sum()) for p in net.parameters() if p.stop_gradient}
        net.eval()
        tested = call(paddle.to_tensor(batches[3]))
    np.testing.assert_allclose([*found[0], size([tested.numpy()])], results, rtol=1e-4)
    np.testing.assert_allclose(found[1], gradients, rtol=2e-4)
    assert list(state) == list(kept)
    np.testing.assert_allclose(list(state.values()), list(kept.values()), rtol=1e-4)
    if not traced:
        paddle.jit.save(net, str(tmp_path / "net"), [paddle.static.InputSpec([None, *batches[0].shape[1:]])])
        loaded = paddle.jit.load(str(tmp_path / "net"))
        np.testing.assert_allclose(loaded(paddle.to_tensor(batches[3])).numpy(), tested.numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kind", ["Column", "Row"])
def test_layers_over_ranks_are_linear_on_one(kind):
    fleet.init(is_collective=True)
    whole = nn.Linear(4, 6)
    cut = getattr(fleet.meta_parallel, f"{kind}ParallelLinear")(4, 6, has_bias=True)
    filled(cut), filled(whole)
    made = getattr(quant_layers, f"Quantized{kind}ParallelLinear")(cut, **FEW_BITS)
    same = quant_layers.QuantizedLinear(whole, **FEW_BITS)
    np.testing.assert_allclose(trained(made, made, ROWS), trained(same, same, ROWS), rtol=1e-5)
    with pytest.raises(ValueError, match="weight_quant_layer"):
        getattr(quant_layers, f"Quantized{kind}ParallelLinear")(cut, weight_quant_layer=Twice)


def test_programs_keep_scales_in_place():
    paddle.enable_static()
    try:
        main, startup, scope = paddle.static.Program(), paddle.static.Program(), paddle.static.Scope()
        with paddle.utils.unique_name.guard(), paddle.static.program_guard(main, startup), paddle.static.scope_guard(scope):
            x = paddle.static.data("x", [None, 4])
            net = quant_layers.MAOutputScaleLayer(quant_layers.QuantizedLinear(nn.Linear(4, 5), **FEW_BITS))
            out = net(x)
            loss = (out * out).mean()
            test = main.clone(for_test=True)
            paddle.optimizer.SGD(0.05).minimize(loss)
            executor, draw = paddle.static.Executor(), np.random.RandomState(0)
            executor.run(startup)
            for p in net.parameters():
                if p.trainable:
                    scope.find_var(p.name).get_tensor().set((draw.randn(*p.shape) * 0.2).astype("float32"), paddle.CPUPlace())
            losses = [float(executor.run(main, {"x": batch}, [loss])[0]) for batch in ROWS[:3]]
            executor.run(test, {"x": ROWS[3]}, [out])  # measures nothing
            kept = {n: float(np.array(scope.find_var(n).get_tensor())[0]) for n in
                    ("linear_0.scale_0", "linear_0.accum_0", "quantized_linear_0.scale_0", "quantized_linear_0.state_0")}
    finally:
        paddle.disable_static()
    np.testing.assert_allclose(losses, [0.190697, 1.090175, 0.813855], rtol=1e-4)
    np.testing.assert_allclose(list(kept.values()), [2.93108, 8.65255, 1.33953, 2.71], rtol=1e-4)
    assert [op.type for op in test.global_block().ops] == [
        "fake_quantize_dequantize_moving_average_abs_max", "fake_quantize_dequantize_abs_max", "matmul_v2", "elementwise_add",
        "moving_average_abs_max_scale", "elementwise_mul", "reduce_mean"]


def test_what_only_measures():
    with paddle.utils.unique_name.guard():
        net = nn.Sequential(filled(nn.Linear(4, 5)), nn.quant.QuantStub())
        trained(net, net, ROWS)
        net.eval()
        net(paddle.to_tensor(ROWS[3]))
    kept = {p.name: float(p) for p in net[1].parameters()}
    assert kept == pytest.approx({"outscale.scale_0": 1.47456, "outscale.state_0": 2.71, "outscale.accum_0": 3.99606}, rel=1e-4)
