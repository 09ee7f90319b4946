"""Data order, summaries, hapi: what is decided and not drawn."""
# ruff: noqa: E501, a line of the table is a case's name

import numpy as np
from oracle_table import f, i, program, table

IO = "import paddle.io as io; "
table(f"""
{IO}list(io.BatchSampler(sampler=io.SequenceSampler(range(7)), batch_size=3))
{IO}list(io.BatchSampler(sampler=io.SequenceSampler(range(7)), batch_size=3, drop_last=True))
{IO}len(io.BatchSampler(dataset=list(range(7)), batch_size=3))
{IO}list(io.SequenceSampler(range(4)))
{IO}sorted(io.RandomSampler(range(5)))
{IO}len(io.RandomSampler(range(5), replacement=True, num_samples=8))
{IO}list(io.DistributedBatchSampler(list(range(10)), 2, num_replicas=2, rank=0))
{IO}list(io.DistributedBatchSampler(list(range(10)), 3, num_replicas=3, rank=2))
{IO}list(io.DistributedBatchSampler(list(range(10)), 2, num_replicas=3, rank=1, drop_last=True))
{IO}d = io.TensorDataset([x, k]); len(d), d[1]
{IO}d = io.TensorDataset([x, k]); [b for b in io.DataLoader(d, batch_size=2)]
{IO}d = io.TensorDataset([x, k]); [b for b in io.DataLoader(d, batch_size=2, drop_last=True)]
{IO}d = io.TensorDataset([x, k]); len(io.DataLoader(d, batch_size=2)), len(io.DataLoader(d, batch_size=2, drop_last=True))
{IO}d = io.TensorDataset([x, k]); [b for b in io.DataLoader(d, batch_sampler=io.BatchSampler(d, batch_size=4))]
{IO}d = io.TensorDataset([x, k]); [b for b in io.DataLoader(d, batch_size=None)][:2]
{IO}d = io.TensorDataset([x, k]); [b[0].shape for b in io.DataLoader(d, batch_size=5)()]
{IO}d = io.ConcatDataset([io.TensorDataset([x]), io.TensorDataset([x * 2])]); len(d), d[6], d[-1]
{IO}d = io.ComposeDataset([io.TensorDataset([x]), io.TensorDataset([k])]); len(d), d[0]
{IO}d = io.Subset(io.TensorDataset([x]), [3, 1]); len(d), d[0]
{IO}[len(s) for s in io.random_split(list(range(10)), [7, 3])]
{IO}sorted(sum([list(s) for s in io.random_split(list(range(10)), [7, 3])], []))
{IO}list(io.WeightedRandomSampler(np.array([0.0, 1.0]), 6, True))
""", x=f(5, 2), k=i(5), grad=False)


@program(grad=False)
def collate_nested_samples(ns):
    io, np = __import__("paddle.io").io, ns["np"]

    class Samples(io.Dataset):
        def __getitem__(self, index):
            return {"a": np.full([2], index, "float32"), "b": [index, (float(index), np.int64(index))], "s": str(index)}

        def __len__(self):
            return 3
    return list(io.DataLoader(Samples(), batch_size=2))


@program(grad=False)
def iterable_dataset(ns):
    io, np = __import__("paddle.io").io, ns["np"]

    class Stream(io.IterableDataset):
        def __iter__(self):
            return iter([np.array([n], "float32") for n in range(5)])
    # list() would ask for a length that the real one refuses to tell
    return [b for b in io.DataLoader(Stream(), batch_size=2)], [s for s in io.ChainDataset([Stream(), Stream()])]  # noqa: C416


table("""
m = nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 2)); [int(n) for n in paddle.summary(m, (1, 4)).values()]
m = nn.Sequential(nn.Conv2D(1, 4, 3), nn.BatchNorm2D(4), nn.MaxPool2D(2)); [int(n) for n in paddle.summary(m, (2, 1, 8, 8)).values()]
m = nn.LSTM(4, 3); [int(n) for n in paddle.summary(m, (2, 5, 4)).values()]
""", grad=False)


def shown(ns, model, size):
    """The table that paddle.summary prints."""
    import contextlib
    import io
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        ns["paddle"].summary(model, size)
    return out.getvalue()


@program(grad=False)
def summary_text_linear(ns):
    nn, guard = ns["nn"], ns["paddle"].utils.unique_name.guard
    with guard():
        return shown(ns, nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 2)), (1, 4))


@program(grad=False)
def summary_text_convolution(ns):
    nn, guard = ns["nn"], ns["paddle"].utils.unique_name.guard
    with guard():
        return shown(ns, nn.Sequential(nn.Conv2D(1, 4, 3), nn.BatchNorm2D(4), nn.Flatten(), nn.Linear(144, 2)), (1, 1, 8, 8))


@program(grad=False, x=f(8, 4), k=i(8, 1, high=3), rtol=1e-4)
def model_train_batch(ns, x, k):
    paddle, nn = ns["paddle"], ns["nn"]
    network = ns["fill"](nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Linear(5, 3)))
    model = paddle.Model(network)
    model.prepare(paddle.optimizer.Adam(0.05, parameters=network.parameters()), nn.CrossEntropyLoss(),
                  paddle.metric.Accuracy())
    first = model.train_batch([x], [k])
    second = model.train_batch([x], [k])
    evaluated = model.eval_batch([x], [k])
    return first, second, evaluated, model.predict_batch([x]), network[0].weight


@program(grad=False, x=f(8, 4), k=i(8, 1, high=3), rtol=1e-4)
def model_fit_evaluate_predict(ns, x, k):
    paddle, nn = ns["paddle"], ns["nn"]
    data = paddle.io.TensorDataset([x, k])
    network = ns["fill"](nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Linear(5, 3)))
    model = paddle.Model(network)
    model.prepare(paddle.optimizer.SGD(0.1, parameters=network.parameters()), nn.CrossEntropyLoss(),
                  paddle.metric.Accuracy(topk=(1, 2)))
    model.fit(data, epochs=3, batch_size=4, shuffle=False, verbose=0)
    found = model.evaluate(data, batch_size=3, verbose=0)
    found = {name: value if isinstance(value, list) else np.float64(value) for name, value in found.items()}
    return found, model.predict(data, batch_size=3, stack_outputs=True, verbose=0)


table("""
paddle.get_flags(['FLAGS_check_nan_inf'])
paddle.in_dynamic_mode()
paddle.is_grad_enabled()
str(paddle.CPUPlace())
paddle.device.get_device()
paddle.device.is_compiled_with_cuda(), paddle.is_compiled_with_cuda()
str(paddle.float32), paddle.float32 == paddle.ones([1]).dtype
paddle.utils.unique_name.generate('some_key_of_ours')
""")
