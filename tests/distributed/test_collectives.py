"""Collectives give what NumPy gives for the same values, on two and three ranks, in a world of one, and in groups."""

import numpy as np
import pytest

import paddle
import paddle.distributed as dist

PROGRAM = """
    import numpy as np
    import paddle
    import paddle.distributed as dist

    world = dist.init_parallel_env()
    rank, size = dist.get_rank(), dist.get_world_size()
    assert dist.is_initialized() and dist.get_backend() == "MPI" and world.ranks == list(range(size))


    def data(r, dtype="float32", shape=(3, 4)):
        values = np.random.RandomState(r).randn(*shape) * 5
        return (values > 0) if dtype == "bool" else values.astype(dtype)


    def everybody(dtype="float32", shape=(3, 4)):
        return np.stack([data(r, dtype, shape) for r in range(size)])


    def tensor(*args):
        return paddle.to_tensor(data(rank, *args))


    def same(got, expected, tol=0):
        got = got.numpy()
        assert got.dtype == expected.dtype and got.shape == expected.shape, (got, expected)
        np.testing.assert_allclose(got.astype("float64"), expected.astype("float64"), rtol=tol, atol=tol)


    Op = dist.ReduceOp
    REFERENCE = {Op.SUM: np.sum, Op.MAX: np.max, Op.MIN: np.min, Op.PROD: np.prod, Op.AVG: np.mean}
    for op, reference in REFERENCE.items():
        for dtype in ("float32", "float64", "float16", "int32", "int64", "uint8", "int8", "bool"):
            if dtype == "bool" and op in (Op.SUM, Op.AVG) or op == Op.AVG and "int" in dtype:
                try:
                    dist.all_reduce(tensor(dtype), op)
                except TypeError as error:
                    assert dtype in str(error)
                else:
                    raise AssertionError("a TypeError was expected")
                continue
            t = tensor(dtype)
            dist.all_reduce(t, op)
            if dtype == "float16":
                same(t, reference(everybody(dtype).astype("float32"), 0).astype(dtype), 2e-3)
            else:
                same(t, reference(everybody(dtype), 0).astype(dtype), 1e-6 if "float" in dtype else 0)

    t = paddle.to_tensor((data(rank) + 1j).astype("complex64"))
    dist.all_reduce(t)
    np.testing.assert_allclose(t.numpy(), (everybody() + 1j).sum(0), rtol=1e-5)

    # memory: what others look at is not changed under their eyes; a transposed tensor keeps its shape
    t = tensor()
    view = t.numpy()
    before = view.copy()
    dist.all_reduce(t)
    assert (view == before).all()
    t = tensor().transpose([1, 0])
    dist.all_reduce(t)
    same(t, everybody().sum(0).T, 1e-6)
    t = paddle.to_tensor(float(rank))
    dist.all_reduce(t)
    assert t.shape == [] and float(t) == sum(range(size))

    for root in range(size):
        t = tensor()
        dist.broadcast(t, root)
        same(t, data(root))
        t = tensor()
        dist.reduce(t, root, Op.MAX)
        same(t, everybody().max(0) if rank == root else data(rank))
        parts = []
        dist.gather(tensor("float16"), parts if rank == root else None, root)
        assert len(parts) == (size if rank == root else 0)
        for r, p in enumerate(parts):
            same(p, data(r, "float16"))
        t = paddle.zeros([3, 4])
        dist.scatter(t, [paddle.to_tensor(data(10 + r)) for r in range(size)] if rank == root else None, root)
        same(t, data(10 + rank))

    parts = []
    dist.all_gather(parts, tensor("bool"))
    for r, p in enumerate(parts):
        same(p, data(r, "bool"))
    mine = [paddle.zeros([3, 4]) for _ in range(size)]
    dist.all_gather(mine, tensor())
    same(mine[-1], data(size - 1))
    out = paddle.zeros([size * 3, 4])
    dist.stream.all_gather(out, tensor())
    same(out, everybody().reshape(-1, 4))

    rows = [paddle.to_tensor(data(rank * 10 + r)) for r in range(size)]
    for op, reference in REFERENCE.items():
        t = paddle.zeros([3, 4])
        dist.reduce_scatter(t, rows, op)
        same(t, reference(np.stack([data(r * 10 + rank) for r in range(size)]), 0), 1e-6)
    t = paddle.zeros([3, 4])
    dist.stream.reduce_scatter(t, paddle.concat(rows))
    same(t, np.sum([data(r * 10 + rank) for r in range(size)], 0), 1e-6)

    out = []
    dist.alltoall(rows, out)
    for r, p in enumerate(out):
        same(p, data(r * 10 + rank))
    # uneven parts: rank r sends r + 1 rows to everybody
    given = paddle.to_tensor(np.full([(rank + 1) * size, 2], rank, "int64"))
    taken = paddle.zeros([sum(range(1, size + 1)), 2], "int64")
    dist.alltoall_single(given, taken, [rank + 1] * size, list(range(1, size + 1)))
    same(taken, np.repeat(np.arange(size), np.arange(1, size + 1))[:, None].repeat(2, 1))

    # messages
    after, before = (rank + 1) % size, (rank - 1) % size
    t = paddle.zeros([3, 4])
    tasks = dist.batch_isend_irecv([dist.P2POp(dist.isend, tensor(), after), dist.P2POp(dist.irecv, t, before)])
    for task in tasks:
        task.wait()
    same(t, data(before))
    if rank == 0:
        dist.send(tensor(), 1)
        dist.recv(t, 1)
        same(t, data(1))
    elif rank == 1:
        dist.recv(t, 0)
        same(t, data(0))
        dist.send(tensor(), 0)

    # tasks: results are there after wait(), by task or by tensor
    big = paddle.to_tensor(np.full(300000, rank + 1.0, "float32"))
    task = dist.all_reduce(big, sync_op=False)
    other = tensor()
    dist.all_reduce(other, sync_op=False)
    dist.wait(other)
    same(other, everybody().sum(0), 1e-6)
    task.wait()
    assert task.is_completed() and float(big[7]) == sum(range(1, size + 1))

    # objects
    got = []
    dist.all_gather_object(got, {"rank": rank, "text": "x" * rank})
    assert got == [{"rank": r, "text": "x" * r} for r in range(size)]
    objects = [rank, {"of": rank}]
    dist.broadcast_object_list(objects, 1)
    assert objects == [1, {"of": 1}]
    got = []
    dist.scatter_object_list(got, list("abcdef")[:size] if rank == 0 else None, 0)
    assert got == ["abcdef"[rank]]
    passed = ["text", {"of": 0}] if rank == 0 else [None, None]
    if rank == 0:
        dist.send_object_list(passed, 1)
    elif rank == 1:
        dist.recv_object_list(passed, src_in_group=0)
    assert passed == (["text", {"of": 0}] if rank < 2 else [None, None])

    # groups
    import warnings
    last = dist.new_group([0, size - 1])
    assert last.nranks == 2 and dist.get_rank(last) == {0: 0, size - 1: 1}.get(rank, -1)
    t = tensor()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        dist.all_reduce(t, group=last)
    if last.is_member():
        same(t, data(0) + data(size - 1), 1e-6)
        assert dist.get_group(last.id) is last and not caught
        dist.broadcast(t, size - 1, group=last)
    else:
        same(t, data(rank))
        assert "not among the ranks" in str(caught[0].message)
        assert dist.get_world_size(last) == -1
    dist.barrier()
    if last.is_member():
        dist.destroy_process_group(last)
        try:
            dist.barrier(last)
        except RuntimeError as error:
            assert "destroyed" in str(error)
    dist.destroy_process_group()
    assert not dist.is_initialized()
    dist.init_parallel_env()
    dist.barrier()
    print("all well")
"""


SIZES = """
    import numpy as np
    import paddle
    import paddle.distributed as dist
    from paddle.distributed.comm import headers

    dist.init_parallel_env()
    rank, size = dist.get_rank(), dist.get_world_size()
    SMALL = headers.SMALL_BYTES // 8  # numbers that still follow the header


    def data(r, count):
        return np.random.RandomState(r * 7919 + count).randn(count)


    def check(tasks):
        for task in tasks[::-1]:
            task.wait()


    for count in (0, 1, SMALL - 1, SMALL, SMALL + 1, 3 * SMALL):
        each = [data(r, count) for r in range(size)]
        sums, roots, rows, tasks = [], [], [], []
        for k in range(6):  # the same lines again while the last calls are under way
            sums.append(paddle.to_tensor(data(rank, count) * (k + 1)))
            roots.append(paddle.to_tensor(data(rank, count)))
            rows.append([])
            tasks += [dist.all_reduce(sums[k], sync_op=False), dist.broadcast(roots[k], k % size, sync_op=False),
                      dist.all_gather(rows[k], paddle.to_tensor(data(rank, count) - k), sync_op=False)]
        check(tasks)
        for k in range(6):
            np.testing.assert_allclose(sums[k].numpy(), sum(each) * (k + 1), rtol=1e-12, atol=1e-14)
            np.testing.assert_array_equal(roots[k].numpy(), each[k % size])
            np.testing.assert_array_equal([row.numpy() for row in rows[k]], [one - k for one in each])
        bits = []
        dist.all_gather(bits, sums[0])
        assert len({one.numpy().tobytes() for one in bits}) == 1  # every rank has the same bits

    worst = paddle.to_tensor([float("inf"), 3e38, float("nan")])
    dist.all_reduce(worst)  # beyond the largest number, without a warning
    assert worst.numpy()[:2].tolist() == [np.inf, np.inf] and np.isnan(worst.numpy()[2])

    for kind in ("float32", "float64", "int64", "float16"):
        for op, rule in ((dist.ReduceOp.SUM, np.sum), (dist.ReduceOp.PROD, np.prod), (dist.ReduceOp.MAX, np.max),
                         (dist.ReduceOp.AVG, np.mean)):
            for k in range(4 if kind != "int64" or op != dist.ReduceOp.AVG else 0):  # from one line: the later calls are prepared
                x = paddle.to_tensor((np.arange(6.0).reshape(2, 3) + rank + k).astype(kind))
                assert dist.all_reduce(x, op).is_sync()
                exact = rule([np.arange(6.0).reshape(2, 3) + r + k for r in range(size)], 0)
                np.testing.assert_allclose(x.numpy(), exact, rtol=1e-3 if kind == "float16" else 1e-6)
                assert x.shape == [2, 3] and x.numpy().dtype == kind
    for k in range(4):
        x = paddle.full([3], 1e38 * 3)
        pending = dist.all_reduce(paddle.ones([5000]), sync_op=False) if k == 2 else None  # another one is under way
        dist.all_reduce(x)
        assert np.isinf(x.numpy()).all() and (pending is None or pending.wait())

    line = dist.get_group(0).process_group.headers
    assert line.quick
    for n in range(2 * headers.MOST_PREPARED):
        x = paddle.full([n % 300 + 1], float(rank))
        dist.all_reduce(x)
        assert x.numpy().tolist() == [sum(range(size))] * (n % 300 + 1)
    assert len(line.made) <= headers.MOST_PREPARED
    print("sizes are fine")
    """


@pytest.mark.parametrize("ranks", [2, 3])
def test_small_and_large_data(launch, ranks):
    """Small data travel behind their headers, others when the ranks agree; calls of both kinds may be under way at once."""
    done = launch(SIZES, ranks)
    assert all("sizes are fine" in done.log(r) for r in range(ranks))


@pytest.mark.parametrize("ranks", [2, 3])
def test_collectives(launch, ranks):
    done = launch(PROGRAM, ranks)
    assert [done.log(r).strip() for r in range(ranks)] == ["all well"] * ranks


def test_world_of_one():
    x = paddle.to_tensor([[1.0, 2.0]])
    dist.all_reduce(x)
    dist.broadcast(x, 0)
    dist.reduce(x, 0)
    parts, out = [], paddle.zeros([1, 2])
    dist.all_gather(parts, x)
    dist.scatter(out, parts)
    dist.reduce_scatter(out, parts)
    gathered, exchanged = [], []
    dist.gather(x, gathered)
    dist.alltoall(parts, exchanged)
    dist.alltoall_single(x, out)
    dist.send(x, 0)
    received = paddle.zeros([1, 2])
    dist.recv(received, 0)
    for t in (x, parts[0], out, gathered[0], exchanged[0], received):
        assert t.tolist() == [[1.0, 2.0]]
    objects = []
    dist.all_gather_object(objects, "a")
    assert objects == ["a"]
    assert dist.get_backend() == "SINGLE"
    with pytest.raises(RuntimeError, match="from itself"):
        dist.recv(received, 0)


@pytest.mark.parametrize("call, error, message", [
    (lambda x: dist.all_reduce([1]), TypeError, r"all_reduce\(\): tensor must be a Tensor"),
    (lambda x: dist.all_reduce(x, "sum"), ValueError, "member of ReduceOp"),
    (lambda x: dist.broadcast(x, 5), ValueError, r"broadcast\(\): src=5 is not among the ranks \[0\]"),
    (lambda x: dist.reduce(x, -1), ValueError, "dst=-1"),
    (lambda x: dist.all_gather([x, x], x), ValueError, "one Tensor per rank, 1, got 2"),
    (lambda x: dist.all_gather([paddle.zeros([3])], x), ValueError, "tensor_list"),
    (lambda x: dist.stream.all_gather(paddle.zeros([3]), x), ValueError, "do not fit"),
    (lambda x: dist.scatter(x, [paddle.zeros([3])]), ValueError, "does not give 1 ranks"),
    (lambda x: dist.reduce_scatter(x, None), TypeError, "tensor_list"),
    (lambda x: dist.gather(x, None), TypeError, "gather_list must be a list"),
    (lambda x: dist.alltoall_single(x, x, [1], [3]), ValueError, "in_split_sizes"),
    (lambda x: dist.alltoall([x], None), TypeError, "out_tensor_list"),
    (lambda x: dist.irecv(x), ValueError, "src"),
    (lambda x: dist.P2POp(dist.send, x, 0), ValueError, "isend"),
    (lambda x: dist.batch_isend_irecv([]), TypeError, "P2POp"),
    (lambda x: dist.new_group([0, 3]), ValueError, "below 1"),
    (lambda x: dist.new_group([0, 0]), ValueError, "different"),
    (lambda x: dist.new_group(backend="nccl"), ValueError, "nccl"),
    (lambda x: dist.new_group(timeout=3), TypeError, "timedelta"),
    (lambda x: dist.get_group(77), ValueError, "no group 77"),
    (lambda x: dist.barrier("all"), TypeError, "group must come from new_group"),
    (lambda x: dist.all_gather_object({}, 1), TypeError, "list"),
    (lambda x: dist.all_gather_object([], lambda: 0), TypeError, "can't be sent"),
    (lambda x: dist.broadcast_object_list([], 0), TypeError, "not empty"),
    (lambda x: dist.stream.all_reduce(x, sync_op=False, use_calc_stream=True), RuntimeError, "sync_op=True"),
    (lambda x: dist.wait(3), TypeError, "wait"),
    (lambda x: dist.all_reduce(x).wait(1), ValueError, "timeout"),
    (lambda x: dist.shard_tensor(x, None, None), TypeError, "shard_tensor.*ProcessMesh"),
    (lambda x: dist.ProcessMesh("ranks"), ValueError, "mesh must be a nested list"),
    (lambda x: dist.ProbabilityEntry(1.5), ValueError, "probability"),
    (lambda x: dist.al_reduce, AttributeError, "did you mean.*all_reduce"),
])
def test_wrong_use(call, error, message):
    with pytest.raises(error, match=message):
        call(paddle.to_tensor([1.0, 2.0]))


def test_async_task_in_a_world_of_one():
    x = paddle.to_tensor(np.arange(3))
    task = dist.all_reduce(x, sync_op=False)
    assert task.is_completed() and task.wait() and task.is_sync()
    dist.wait(x)
    assert x.tolist() == [0, 1, 2]


def test_every_name_of_2_6_exists():
    import json
    import pathlib
    names = json.loads((pathlib.Path(__file__).parents[1] / "oracle/names.json").read_text())["names"]
    assert [n for n in names["paddle.distributed"] if not hasattr(dist, n)] == []


def test_objects_from_one_rank_to_another_name_their_peer():
    for function in (dist.send_object_list, dist.recv_object_list):
        with pytest.raises(TypeError, match="not empty"):
            function([], 0)
        with pytest.raises(ValueError, match="either"):
            function([1])
        with pytest.raises(ValueError, match="in_group"):
            function([1], None, None, 7)


def test_a_process_group_stands_for_its_group():
    group = dist.init_parallel_env()
    layer = paddle.DataParallel(paddle.nn.Linear(2, 1), group=group.process_group)
    layer(paddle.ones([3, 2])).sum().backward()
    assert layer._layers.weight.grad.tolist() == [[3.0], [3.0]]
