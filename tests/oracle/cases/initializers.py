"""Initializers: exact where nothing is random; otherwise bounds and rounded statistics of a large tensor."""
# ruff: noqa: E501, a line of the table is a case's name

from oracle_table import Case, add, evaluate, table

table("""
nn.Linear(3, 2, weight_attr=nn.initializer.Constant(0.7)).weight
nn.Linear(2, 2, weight_attr=nn.initializer.Assign(np.array([[1, 2], [3, 4]], 'float32'))).weight
nn.Linear(2, 2, weight_attr=nn.initializer.Assign([[1.0, 2.0], [3.0, 4.0]])).weight
nn.Conv2D(3, 3, 3, weight_attr=nn.initializer.Dirac()).weight
nn.Conv2D(4, 4, 3, weight_attr=nn.initializer.Dirac(groups=2)).weight
nn.Conv1D(2, 3, 3, weight_attr=nn.initializer.Dirac()).weight
w = nn.Linear(6, 4, weight_attr=nn.initializer.Orthogonal()).weight; w.t() @ w
w = nn.Linear(4, 6, weight_attr=nn.initializer.Orthogonal(gain=2.0)).weight; w @ w.t()
nn.initializer.calculate_gain('relu'), nn.initializer.calculate_gain('leaky_relu', 0.2), nn.initializer.calculate_gain('tanh')
nn.initializer.calculate_gain('sigmoid'), nn.initializer.calculate_gain('selu'), nn.initializer.calculate_gain('conv2d')
nn.Linear(3, 2).bias
nn.BatchNorm2D(3).weight, nn.BatchNorm2D(3).bias, nn.BatchNorm2D(3)._mean, nn.BatchNorm2D(3)._variance
nn.LayerNorm(3).weight, nn.LayerNorm(3).bias
nn.initializer.set_global_initializer(nn.initializer.Constant(0.5), nn.initializer.Constant(0.25)); m = nn.Linear(2, 2); nn.initializer.set_global_initializer(None); m.weight, m.bias
""", rtol=1e-4, atol=1e-5, grad=False)


def statistic(text):
    """Standard deviation (one and a half digits) and bound of what `text` gives."""
    def run(ns):
        ns["paddle"].seed(1)
        values = evaluate(text, ns).numpy()
        return ns["np"].array([values.mean(), values.std(), abs(values).max() / values.std()], "float32")
    add(Case(f"statistics: {text}", run, {}, 0.05, 0.02, grad=False))


for text in """
nn.Linear(300, 200).weight
nn.Linear(300, 200, weight_attr=nn.initializer.XavierUniform()).weight
nn.Linear(300, 200, weight_attr=nn.initializer.KaimingUniform()).weight
nn.Linear(300, 200, weight_attr=nn.initializer.KaimingUniform(negative_slope=0.5, nonlinearity='leaky_relu')).weight
nn.Linear(300, 200, weight_attr=nn.initializer.Uniform(-0.5, 0.25)).weight
nn.Linear(300, 200, weight_attr=nn.initializer.TruncatedNormal(0.0, 0.5)).weight
nn.LSTMCell(100, 100).weight_ih
nn.Embedding(300, 200).weight
nn.Conv2DTranspose(40, 50, 5).weight
paddle.uniform([300, 200], min=-2.0, max=1.0)
""".strip().splitlines():
    statistic(text)


def spread(text):
    """Mean and standard deviation only, for what has no bound."""
    def run(ns):
        ns["paddle"].seed(1)
        values = evaluate(text, ns).numpy().astype("float64")
        return ns["np"].array([values.mean(), values.std()], "float32")
    add(Case(f"spread: {text}", run, {}, 0.05, 0.02, grad=False))


for text in """
nn.Linear(300, 200, weight_attr=nn.initializer.Normal(0.5, 2.0)).weight
nn.Linear(300, 200, weight_attr=nn.initializer.XavierNormal()).weight
nn.Linear(300, 200, weight_attr=nn.initializer.KaimingNormal()).weight
nn.Linear(300, 200, weight_attr=nn.initializer.XavierNormal(fan_in=50, fan_out=50)).weight
nn.Conv2D(40, 50, 5).weight
nn.Conv2D(40, 50, 5, groups=2).weight
nn.Conv2D(40, 50, 5, weight_attr=nn.initializer.KaimingNormal()).weight
nn.Conv2D(40, 50, 5, weight_attr=nn.initializer.XavierNormal()).weight
paddle.randn([300, 200])
paddle.normal(1.0, 2.0, [300, 200])
paddle.poisson(paddle.full([300, 200], 4.0))
paddle.bernoulli(paddle.full([300, 200], 0.3))
paddle.randint(0, 10, [300, 200])
paddle.zeros([300, 200]).exponential_(2.0)
paddle.multinomial(paddle.to_tensor([1.0, 2.0, 1.0]), 60000, True)
F.dropout(paddle.ones([300, 200]), 0.4)
F.dropout(paddle.ones([300, 200]), 0.4, mode='downscale_in_infer')
F.alpha_dropout(paddle.ones([300, 200]), 0.4)
F.rrelu(paddle.full([300, 200], -1.0), 0.1, 0.5)
D.Normal(1.0, 2.0).sample([60000])
D.Uniform(1.0, 3.0).sample([60000])
D.Beta(2.0, 3.0).sample([60000])
D.Laplace(1.0, 0.5).sample([60000])
D.Gumbel(1.0, 0.5).sample([60000])
D.LogNormal(0.1, 0.3).sample([60000])
D.Bernoulli(0.3).sample([60000])
D.Categorical(paddle.to_tensor([1.0, 2.0, 1.0])).sample([60000])
D.Multinomial(10, paddle.to_tensor([0.3, 0.7])).sample([30000])
D.Dirichlet(paddle.to_tensor([1.0, 2.0])).sample([30000])
""".strip().splitlines():
    spread(text)
