"""nn.functional activations and their layers."""

from oracle_table import d, f, lit, table

FUNCTIONS = """
F.celu(x)
F.celu(x, alpha=0.7)
F.elu(x)
F.elu(x, 0.5)
F.gelu(x)
F.gelu(x, approximate=True)
F.hardshrink(x)
F.hardshrink(x, 0.8)
F.hardtanh(x)
F.hardtanh(x, -0.5, 1.5)
F.hardsigmoid(x)
F.hardsigmoid(x, slope=0.2, offset=0.4)
F.hardswish(x)
F.leaky_relu(x)
F.leaky_relu(x, 0.2)
F.log_sigmoid(x)
F.maxout(y.unsqueeze(0), groups=2)
F.maxout(y.unsqueeze(0), 2, axis=-1)
F.prelu(y, w)
F.prelu(y, paddle.to_tensor([0.25]))
F.prelu(y.transpose([0, 2, 1]), w, data_format='NLC')
F.relu(x)
F.relu6(x * 4)
F.selu(x)
F.selu(x, 1.1, 1.7)
F.softmax(x)
F.softmax(x, axis=0)
F.softmax(x, axis=1, dtype='float64')
F.softmax(y, axis=1)
F.softplus(x)
F.softplus(x, beta=2, threshold=1)
F.softshrink(x)
F.softshrink(x, 0.9)
F.softsign(x)
F.sigmoid(x)
F.silu(x)
F.swish(x)
F.mish(x)
F.tanh(x)
F.tanhshrink(x)
F.thresholded_relu(x)
F.thresholded_relu(x, 0.3)
F.log_softmax(x)
F.log_softmax(x, axis=0)
F.log_softmax(y, axis=1)
F.glu(y)
F.glu(y, axis=1)
F.rrelu(x, training=False)
F.rrelu(x, 0.2, 0.4, training=False)
z = x * 1; F.relu_(z); z
z = x * 1; F.elu_(z); z
z = x * 1; F.softmax_(z); z
z = x * 1; F.tanh_(z); z
z = x * 1; F.leaky_relu_(z); z
z = x * 1; F.hardtanh_(z); z
z = x * 1; F.thresholded_relu_(z); z
F.gumbel_softmax(x.detach()).sum(-1)
F.gumbel_softmax(x.detach(), hard=True).sum(-1)
"""
table(FUNCTIONS, rtol=3e-5, x=f(3, 4), y=f(2, 4, 6), w=f(4))
table("""
F.gelu(x)
F.softmax(x)
F.log_softmax(x)
F.mish(x)
F.selu(x)
F.softplus(x)
F.silu(x)
F.log_sigmoid(x)
""", x=d(2, 3), rtol=1e-6)
table("""
F.relu(x)
F.softmax(x, axis=-1)
F.gelu(x)
F.sigmoid(x)
F.log_softmax(x)
F.hardswish(x)
""", x=f())
table("""
F.softmax(x)
F.sigmoid(x)
F.softplus(x)
F.log_sigmoid(x)
F.gelu(x)
F.mish(x)
F.selu(x)
F.elu(x)
F.softsign(x)
F.tanhshrink(x)
""", x=lit([[-1e4, -50.0, 0.0], [30.0, 60.0, 88.0]]), rtol=3e-5)
for name, arguments in [("CELU", ""), ("CELU", "0.5"), ("ELU", ""), ("ELU", "alpha=0.3"), ("GELU", ""),
                        ("GELU", "approximate=True"), ("GLU", ""), ("GLU", "axis=0"), ("Hardshrink", ""),
                        ("Hardsigmoid", ""), ("Hardswish", ""), ("Hardtanh", "-1.5, 0.5"), ("LeakyReLU", "0.3"),
                        ("LogSigmoid", ""), ("LogSoftmax", ""), ("LogSoftmax", "0"), ("Mish", ""), ("PReLU", ""),
                        ("PReLU", "4, 0.1"), ("RReLU", ""), ("ReLU", ""), ("ReLU6", ""), ("SELU", ""), ("Sigmoid", ""),
                        ("Silu", ""), ("Softmax", ""), ("Softmax", "axis=0"), ("Softplus", "beta=2"),
                        ("Softshrink", ""), ("Softsign", ""), ("Swish", ""), ("Tanh", ""), ("Tanhshrink", ""),
                        ("ThresholdedReLU", "0.5"), ("Identity", "")]:
    table(f"m = nn.{name}({arguments}); m.eval(); layer(m, x)", x=f(2, 4), rtol=3e-5)
table("layer(nn.Softmax2D(), x)\nlayer(nn.Maxout(2), x)\nlayer(nn.PReLU(4), x)", x=f(2, 4, 3, 3), rtol=3e-5)
