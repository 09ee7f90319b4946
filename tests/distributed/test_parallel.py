"""Two ranks with half a batch each end with the weights of one process that has the whole batch."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest
from distributed.conftest import LIMIT, clean_environment

HEAD = """
    import sys
    import numpy as np
    import paddle
    import paddle.distributed as dist
    from paddle import nn
    import paddle.nn.functional as F

    dist.init_parallel_env()
    rank, size = dist.get_rank(), dist.get_world_size()
    results = {}


    def share(array):
        part = len(array) // size
        return paddle.to_tensor(array[rank * part:(rank + 1) * part])


    def batches(steps, rows=8, seed=0):
        rng = np.random.RandomState(seed)
        for _ in range(steps):
            yield rng.randn(rows, 6).astype("float32"), rng.randn(rows, 2).astype("float32")


    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(6, 8), nn.Linear(8, 2)

        def forward(self, x):
            return self.b(F.relu(self.a(x)))


    def mse(out, y):
        return ((out - y) * (out - y)).mean()


    def keep(name, model):
        results[name] = np.concatenate([p.numpy().ravel() for p in model.parameters()])


    def sgd(model, rate=0.1):
        return paddle.optimizer.Momentum(rate, parameters=model.parameters())
"""
TAIL = """
    for name, value in results.items():  # every rank has the same weights, bit for bit
        parts = []
        dist.all_gather_object(parts, value)
        assert all((part == value).all() for part in parts), name
    if rank == 0:
        np.savez(f"results{size}.npz", **results)
"""

SCENARIOS = {
    "convolution": """
        class LeNet(nn.Layer):
            def __init__(self):
                super().__init__()
                self.conv, self.fc = nn.Conv2D(1, 3, 3, padding=1), nn.Linear(3 * 4 * 4, 4)
            def forward(self, x):
                x = F.max_pool2d(F.relu(self.conv(x)), 2, 2)
                return self.fc(x.reshape([x.shape[0], -1]))
        paddle.seed(1)
        model = paddle.DataParallel(LeNet(), comm_buffer_size=0.0005, last_comm_buffer_size=0.0001)
        if size > 1:
            assert len(model._reducer.buckets) > 2
        opt, rng = sgd(model), np.random.RandomState(0)
        for _ in range(5):
            x, y = rng.randn(8, 1, 8, 8).astype("float32"), rng.randint(0, 4, [8])
            F.cross_entropy(model(share(x)), share(y)).backward()
            opt.step()
            opt.clear_grad()
        keep("convolution", model)
    """,
    "start": """
        paddle.seed(2 + 10 * rank)  # rank 0's parameters and buffers count
        net = Net()
        net.register_buffer("seen", paddle.to_tensor([float(rank)]))
        model = paddle.DataParallel(net)
        keep("start", model)
        assert float(net.seen) == 0.0
        assert sorted(model.state_dict()) == sorted(net.state_dict())
        assert model.full_name() .startswith(net.full_name() + "_data_parallel")
    """,
    "accumulate": """
        for name in ("no_sync", "every"):
            paddle.seed(3)
            model = paddle.DataParallel(Net())
            opt = sgd(model)
            for step, (x, y) in enumerate(batches(6)):
                if name == "no_sync" and step % 2 == 0:
                    with model.no_sync():
                        mse(model(share(x)), share(y)).backward()
                else:
                    mse(model(share(x)), share(y)).backward()
                if step % 2:
                    opt.step()
                    opt.clear_grad()
            keep("accumulate_" + name, model)
    """,
    "uneven": """
        paddle.seed(4)
        model = paddle.DataParallel(Net())
        opt = sgd(model)
        for x, y in [*batches(2), *batches(1, rows=7)]:
            cut = [0, len(x)] if size == 1 else [0, (len(x) + 1) // 2, len(x)]
            mine = slice(cut[rank], cut[rank + 1])
            count = paddle.to_tensor(float(cut[rank + 1] - cut[rank]))
            total = count.clone()
            dist.all_reduce(total)
            loss = mse(model(paddle.to_tensor(x[mine])), paddle.to_tensor(y[mine])) * (count * size / total)
            loss.backward()
            opt.step()
            opt.clear_grad()
        keep("uneven", model)
    """,
    "unused": """
        class Heads(Net):
            def __init__(self):
                super().__init__()
                self.second, self.never = nn.Linear(8, 2), nn.Linear(8, 2)
            def forward(self, x, second):
                h = F.relu(self.a(x))
                return self.second(h) if second else self.b(h)
        paddle.seed(5)
        model = paddle.DataParallel(Heads(), find_unused_parameters=True)
        opt = sgd(model)
        for x, y in batches(4):
            half = len(x) // 2
            if size == 1:  # what rank 0 and rank 1 do below, in one process
                losses = [mse(model(paddle.to_tensor(x[:half]), False), paddle.to_tensor(y[:half])),
                          mse(model(paddle.to_tensor(x[half:]), True), paddle.to_tensor(y[half:]))]
                ((losses[0] + losses[1]) / 2).backward()
            else:
                mse(model(share(x), rank == 1), share(y)).backward()
            never = (model._layers if isinstance(model, paddle.DataParallel) else model).never
            assert never.weight.grad is None
            opt.step()
            opt.clear_grad(set_to_zero=False)
        keep("unused", model)
    """,
    "legacy": """
        paddle.seed(6)
        strategy = dist.prepare_context()
        assert (strategy is None) == (size == 1)
        model = dist.LegacyDataParallel(Net(), strategy)
        opt = sgd(model)
        for x, y in batches(4):
            loss = model.scale_loss(mse(model(share(x)), share(y)))
            loss.backward()
            model.apply_collective_grads()
            opt.minimize(loss)
            model.clear_gradients()
        keep("legacy", model)
    """,
    "two_models": """
        paddle.seed(7)
        one, two = paddle.DataParallel(Net()), paddle.DataParallel(nn.Linear(2, 2))
        opts = [sgd(one), sgd(two)]
        for x, y in batches(4):
            first, second = two(one(share(x))), two(share(y))
            mse(first, share(y)).backward()  # through both
            mse(second, share(y)).backward()  # through the second, again
            for opt in opts:
                opt.step()
                opt.clear_grad()
        keep("two_models_1", one)
        keep("two_models_2", two)
    """,
    "recompute": """
        from paddle.distributed.fleet.utils import recompute
        class Twice(Net):
            def forward(self, x):
                h = F.relu(recompute(self.a, x))
                return self.b(h) + recompute(self.b, recompute(lambda v: F.relu(self.a(v)), x))
        paddle.seed(8)
        model = paddle.DataParallel(Twice(), comm_buffer_size=0.0001, last_comm_buffer_size=0.0001)
        opt = sgd(model)
        for x, y in batches(3):
            mse(model(share(x)), share(y)).backward()
            opt.step()
            opt.clear_grad()
        keep("recompute", model)
    """,
    "through": """
        from paddle.distributed.ops import all_reduce_sum
        paddle.seed(12)
        model = paddle.DataParallel(Net())
        opt = sgd(model)
        for x, y in batches(4):
            out = model(share(x))
            mean = all_reduce_sum(out.sum(0)) / len(x)  # over the whole batch, as a synchronised norm layer does
            var = all_reduce_sum(((out - mean) * (out - mean)).sum(0)) / len(x)
            mse((out - mean) / (var + 0.1), share(y)).backward()
            opt.step()
            opt.clear_grad()
        keep("through", model)
    """,
    "sync_batch_norm": """
        class Normed(nn.Layer):
            def __init__(self):
                super().__init__()
                self.conv, self.norm, self.fc = nn.Conv2D(1, 3, 3), nn.BatchNorm2D(3), nn.Linear(3 * 36, 2)
            def forward(self, x):
                x = F.relu(self.norm(self.conv(x)))
                return self.fc(x.reshape([x.shape[0], -1]))
        paddle.seed(13)
        net = nn.SyncBatchNorm.convert_sync_batchnorm(Normed())
        assert isinstance(net.norm, nn.SyncBatchNorm)
        model = paddle.DataParallel(net)
        opt, rng = sgd(model, 0.02), np.random.RandomState(0)
        for _ in range(3):
            x, y = rng.randn(8, 1, 8, 8).astype("float32") + 3, rng.randn(8, 2).astype("float32")
            mse(model(share(x)), share(y)).backward()
            opt.step()
            opt.clear_grad()
        keep("sync_batch_norm", model)
        results["running"] = np.concatenate([net.norm._mean.numpy(), net.norm._variance.numpy()])
    """,
    "to_static": """
        class Traced(Net):
            @paddle.jit.to_static
            def forward(self, x):
                return self.b(F.relu(self.a(x)))
        for name, net in (("inside", Traced()), ("outside", None)):
            paddle.seed(14)
            model = paddle.DataParallel(Traced() if net else paddle.jit.to_static(Net()))
            opt = sgd(model)
            for x, y in batches(3):
                mse(model(share(x)), share(y)).backward()
                opt.step()
                opt.clear_grad()
            keep("to_static_" + name, model)
    """,
    "sampler": """
        class Rows(paddle.io.Dataset):
            x, y = next(batches(1, rows=9))
            def __len__(self):
                return 9
            def __getitem__(self, n):
                return self.x[n], self.y[n]
        paddle.seed(9)
        model = paddle.DataParallel(Net())
        opt, seen = sgd(model), []
        if size > 1:
            sampler = paddle.io.DistributedBatchSampler(Rows(), batch_size=2)
            for x, y in paddle.io.DataLoader(Rows(), batch_sampler=sampler):
                mse(model(x), y).backward()
                opt.step()
                opt.clear_grad()
        else:  # the batches of both ranks together: the last ones are filled up with the first rows
            x, y = next(batches(1, rows=9))
            for chosen in [[0, 1, 2, 3], [4, 5, 6, 7], [8, 0]]:
                mse(model(paddle.to_tensor(x[chosen])), paddle.to_tensor(y[chosen])).backward()
                opt.step()
                opt.clear_grad()
        keep("sampler", model)
    """,
    "sharded": """
        paddle.seed(10)
        model = Net()
        opt = paddle.optimizer.Adam(0.05, parameters=model.parameters(), grad_clip=nn.ClipGradByGlobalNorm(0.5))
        model, opt, _ = dist.sharding.group_sharded_parallel(model, opt, "os")
        for step, (x, y) in enumerate(batches(6)):
            mse(model(share(x)), share(y)).backward()
            opt.step()
            opt.clear_grad()
            if step == 2:
                state = opt.state_dict()
                assert len(state) >= 4 * 2
                if size > 1:
                    assert len(opt._inner._accumulators["moment1"]) < 4
                opt.set_state_dict(state)
        keep("sharded", model)
        dist.sharding.save_group_sharded_model(model, f"saved{size}", opt)
        assert set(paddle.load(f"saved{size}/model.pdopt")) >= set(state)
    """,
    "fleet": """
        from paddle.distributed import fleet
        strategy = fleet.DistributedStrategy()
        strategy.gradient_merge = True
        strategy.gradient_merge_configs = {"k_steps": 2, "avg": True}
        strategy.fuse_grad_size_in_MB = 1
        fleet.init(is_collective=True, strategy=strategy)
        assert (fleet.worker_index(), fleet.worker_num()) == (rank, size)
        paddle.seed(11)
        model = fleet.distributed_model(Net())
        opt = fleet.distributed_optimizer(sgd(model))
        for x, y in batches(4):
            mse(model(share(x)), share(y)).backward()
            opt.step()
            opt.clear_grad()
        keep("fleet", model)
        assert fleet.util.all_reduce(rank + 1).tolist() == sum(range(1, size + 1))
        assert fleet.util.all_gather(rank) == list(range(size))
        assert fleet.get_hybrid_communicate_group().get_data_parallel_world_size() == size
        fleet.barrier_worker()
    """,
}


def program(names):
    bodies = "".join(f"\n\ndef {name}():\n" + textwrap.indent(textwrap.dedent(SCENARIOS[name]), "    ") + f"\n\n{name}()\n"
                     for name in names)
    return textwrap.dedent(HEAD) + bodies + textwrap.dedent(TAIL)


def run_alone(tmp_path, source):
    (tmp_path / "alone.py").write_text(source)
    done = subprocess.run([sys.executable, "-W", "error", "alone.py"], cwd=tmp_path, env=clean_environment(),
                          capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 0, done.stderr
    return np.load(tmp_path / "results1.npz")


def test_two_ranks_are_one_process_with_the_whole_batch(launch, tmp_path):
    source = program(SCENARIOS)
    one = run_alone(tmp_path, source)
    launch(source, 2)
    two = np.load(tmp_path / "results2.npz")
    assert set(one.files) == set(two.files) and len(one.files) >= len(SCENARIOS)
    for name in one.files:
        np.testing.assert_allclose(two[name], one[name], rtol=1e-6, atol=1e-6, err_msg=name)


def test_three_ranks(launch, tmp_path):
    """Divisions by three are not exact: the same weights within rounding."""
    source = program(["accumulate", "legacy", "sharded"]).replace("rows=8", "rows=9")
    one = run_alone(tmp_path, source)
    launch(source, 3)
    three = np.load(tmp_path / "results3.npz")
    for name in one.files:
        np.testing.assert_allclose(three[name], one[name], rtol=2e-6, atol=2e-6, err_msg=name)


def test_missing_gradient_is_an_error_that_names_the_parameter(launch):
    done = launch(program([]) + textwrap.dedent("""
        class Two(nn.Layer):
            def __init__(self):
                super().__init__()
                self.used = self.create_parameter([2])
                self.left_out = self.create_parameter([2])
            def forward(self, x):
                return x * self.used
        model = paddle.DataParallel(Two())
        name = model._layers.left_out.name
        try:
            model(paddle.ones([2])).sum().backward()
        except RuntimeError as error:
            assert name in str(error) and "find_unused_parameters=True" in str(error), error
            print("named")
    """), 2)
    assert done.log(0) == done.log(1) == "named\n"


def test_kept_gradients_stay_what_they_were(launch):
    launch(program([]) + textwrap.dedent("""
        model = paddle.DataParallel(Net())
        kept = []
        for x, y in batches(3):
            mse(model(share(x)), share(y)).backward()
            kept.append((model.parameters()[0].grad, model.parameters()[0].grad.numpy().copy()))
            model.clear_gradients()
        for grad, copy in kept:
            assert (grad.numpy() == copy).all()
    """), 2)


def test_world_of_one_is_transparent():
    import paddle
    layer = paddle.nn.Linear(2, 2)
    model = paddle.DataParallel(layer)
    with model.no_sync():
        model(paddle.ones([1, 2])).sum().backward()
    assert model.scale_loss(3) == 3
    assert layer.weight.grad.tolist() == [[1.0, 1.0], [1.0, 1.0]]


@pytest.mark.parametrize("kwargs, error, message", [
    ({"layers": 3}, TypeError, "layers"), ({"comm_buffer_size": 0}, ValueError, "comm_buffer_size"),
    ({"strategy": "x"}, TypeError, "prepare_context"),
])
def test_wrong_arguments(kwargs, error, message):
    import paddle
    with pytest.raises(error, match=message):
        paddle.DataParallel(**{"layers": paddle.nn.Linear(1, 1), **kwargs})
