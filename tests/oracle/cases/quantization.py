"""paddle.quantization: training with rounded layers, calibration, and models made ready for use."""

from oracle_table import f, program


def network(ns):
    """Convolution, activation and linear map with weights that both frameworks compute alike."""
    paddle, np = ns["paddle"], ns["np"]
    net = paddle.nn.Sequential(paddle.nn.Conv2D(1, 2, 3, padding=1), paddle.nn.ReLU(), paddle.nn.Flatten(), paddle.nn.Linear(32, 3))
    for k, p in enumerate(net.parameters()):
        p.set_value((np.sin(np.arange(p.size) * 1.3 + k) * 0.4).astype("float32").reshape(p.shape))
    return net


def quantized_values(net):
    return [p.clone() for p in net.state_dict().values()]


def forms(net):
    return [type(layer).__name__ for layer in net.sublayers()]


@program(x=f(2, 1, 4, 4), grad=False, rtol=1e-5)
def quantization_aware_training(ns, x):
    paddle = ns["paddle"]
    from paddle.quantization import QAT, QuantConfig
    from paddle.quantization.quanters import FakeQuanterWithAbsMaxObserver
    quanter = FakeQuanterWithAbsMaxObserver(moving_rate=0.9)
    qat = QAT(QuantConfig(activation=quanter, weight=quanter))
    net = qat.quantize(network(ns))
    sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())
    outputs = []
    for _ in range(3):
        out = net(x)
        (out * out).mean().backward()
        sgd.step()
        sgd.clear_grad()
        outputs.append(out.detach())
    net.eval()
    outputs.append(net(x).detach())
    converted = qat.convert(net)
    return [outputs, forms(net), list(net.state_dict()), quantized_values(net), converted(x).detach(), forms(converted),
            list(converted.state_dict()), quantized_values(converted), qat.convert(net, remain_weight=True)(x).detach()]


@program(x=f(2, 1, 4, 4), grad=False, rtol=1e-5)
def post_training_quantization(ns, x):
    from paddle.quantization import PTQ, QuantConfig
    from paddle.quantization.observers import AbsmaxObserver
    ptq = PTQ(QuantConfig(activation=AbsmaxObserver(quant_bits=8), weight=AbsmaxObserver(quant_bits=6)))
    net = network(ns)
    net.eval()
    net = ptq.quantize(net)
    outputs = [net(x), net(x * 0.5)]
    converted = ptq.convert(net)
    return [outputs, forms(net), converted(x), converted(x * 0.3), forms(converted), list(converted.state_dict()),
            quantized_values(converted)]


@program(x=f(2, 1, 4, 4), grad=False, rtol=1e-5)
def quantization_of_some_layers(ns, x):
    paddle = ns["paddle"]
    from paddle.quantization import QAT, QuantConfig
    from paddle.quantization.quanters import FakeQuanterWithAbsMaxObserver
    quanter = FakeQuanterWithAbsMaxObserver(moving_rate=0.9, bit_length=4)
    found = []
    for choose in (lambda c, net: c.add_type_config(paddle.nn.Linear, activation=quanter, weight=quanter),
                   lambda c, net: c.add_layer_config([net[0]], activation=None, weight=quanter),
                   lambda c, net: c.add_name_config(net[3].full_name(), activation=quanter)):
        net = network(ns)
        config = QuantConfig(activation=None, weight=None)
        choose(config, net)
        quantized = QAT(config).quantize(net)
        found += [forms(quantized), quantized(x)]
    return found
