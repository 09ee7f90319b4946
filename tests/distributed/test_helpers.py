"""Environment, readers, checkpoints of ranks, fleet's settings, and a model of cost."""

import os
import warnings

import numpy as np
import pytest

import paddle
import paddle.distributed as dist
from paddle.distributed import fleet
from paddle.distributed.buckets import make_buckets
from paddle.distributed.env import warn_shared_path
from paddle.distributed.fleet.utils.fs import ExecuteError
from paddle.distributed.sharding import assign_owners


@pytest.fixture
def rank_1_of_2(monkeypatch):
    for name, value in (("PADDLE_TRAINER_ID", "1"), ("PADDLE_TRAINERS_NUM", "2"), ("FLAGS_selected_gpus", "3"),
                        ("PADDLE_TRAINER_ENDPOINTS", "a:1,b:2"), ("PADDLE_CURRENT_ENDPOINT", "b:2")):
        monkeypatch.setenv(name, value)


def test_parallel_env(rank_1_of_2):
    env = dist.ParallelEnv()
    assert (env.rank, env.local_rank, env.world_size, env.nranks, env.device_id, env.dev_id) == (1, 1, 2, 2, 3, 3)
    assert (env.trainer_endpoints, env.current_endpoint) == (["a:1", "b:2"], "b:2")
    assert dist.Env is dist.ParallelEnv


def test_parallel_env_of_other_starters(monkeypatch):
    monkeypatch.setenv("PMI_RANK", "2")
    monkeypatch.setenv("PMI_SIZE", "4")
    assert (dist.ParallelEnv().rank, dist.ParallelEnv().world_size) == (2, 4)


def test_parallel_env_alone(monkeypatch):
    env = dist.ParallelEnv()
    assert (env.nranks, env.local_rank, env.dev_id, env.trainer_endpoints, env.current_endpoint) == (1, 0, 0, [], "")
    monkeypatch.setenv("PADDLE_TRAINER_ID", "3")
    with pytest.raises(ValueError, match="rank 3 does not fit 1 ranks"):
        dist.ParallelEnv()


def test_batch_reader_takes_every_second_batch_and_drops_the_rest(rank_1_of_2):
    reader = dist.distributed_batch_reader(lambda: iter([[1], [2], [3], [4], [5]]))
    assert list(reader()) == [[2], [4]]
    assert list(reader()) == [[2], [4]]


def test_saving_one_file_from_several_ranks_warns(rank_1_of_2, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # whose own path may have the rank's number in it
    with pytest.warns(UserWarning, match="rank 1 of 2 writes"):
        paddle.save({"w": paddle.ones([1])}, "model.pdparams")
    assert paddle.load("model.pdparams")["w"].tolist() == [1.0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_shared_path("model_1.pdparams")
    with pytest.warns(UserWarning):
        warn_shared_path("model_11.pdparams")


def test_rank_0_saves_quietly(monkeypatch):
    monkeypatch.setenv("PADDLE_TRAINERS_NUM", "2")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_shared_path("model.pdparams")
    assert dist.is_writer()


def test_state_dict_folder(tmp_path):
    net = paddle.nn.Linear(2, 3)
    expected = net.weight.numpy().copy()
    dist.save_state_dict(net.state_dict(), str(tmp_path / "folder"))
    net.weight.set_value(np.zeros([2, 3], "float32"))
    dist.load_state_dict(net.state_dict(), str(tmp_path / "folder"))
    np.testing.assert_array_equal(net.weight.numpy(), expected)
    with pytest.raises(ValueError, match="has no other"):
        dist.load_state_dict({"other": net.weight}, str(tmp_path / "folder"))
    with pytest.raises(ValueError, match=r"\[3\] here and \[2, 3\]"):
        dist.load_state_dict({"weight": net.bias}, str(tmp_path / "folder"))


def test_incomplete_checkpoints_are_refused(tmp_path):
    state = {"model": {"w": paddle.ones([2], "bfloat16")}, "n": paddle.to_tensor(3)}
    dist.save_state_dict(state, str(tmp_path))
    first = sorted(p.name for p in tmp_path.iterdir())
    dist.save_state_dict(state, str(tmp_path))  # replaces the first
    second = sorted(p.name for p in tmp_path.iterdir())
    assert len(first) == len(second) == 2 and first != second
    target = {"model": {"w": paddle.zeros([2], "bfloat16")}, "n": paddle.to_tensor(0)}
    dist.load_state_dict(target, str(tmp_path))
    assert target["n"].item() == 3 and target["model"]["w"].astype("float32").tolist() == [1.0, 1.0]
    next(tmp_path.glob("*.distcp")).unlink()
    with pytest.raises(FileNotFoundError, match="is missing"):
        dist.load_state_dict(target, str(tmp_path))
    next(tmp_path.glob("*.json")).unlink()
    with pytest.raises(FileNotFoundError, match="no complete checkpoint"):
        dist.load_state_dict(target, str(tmp_path))
    with pytest.raises(TypeError, match="must be a Tensor"):
        dist.save_state_dict({"x": 1}, str(tmp_path))


def test_gloo_names():
    dist.gloo_init_parallel_env(0, 1, "127.0.0.1:6170")
    dist.gloo_barrier()
    dist.gloo_release()
    with pytest.raises(ValueError, match="rank 1 of 2"):
        dist.gloo_init_parallel_env(1, 2, "127.0.0.1:6170")


def tensors(*sizes, dtype="float32"):
    return [paddle.to_tensor(np.zeros(n, dtype)) for n in sizes]


def test_buckets_go_from_the_last_layer_to_the_first():
    params = tensors(10, 20, 300, 40)
    buckets = make_buckets(params, largest=1000, last=130)
    assert [[p.size for p in bucket.params] for bucket in buckets] == [[40], [300], [20, 10]]
    mixed = tensors(10) + tensors(10, dtype="float64")
    assert {str(bucket.dtype) for bucket in make_buckets(mixed, 1000, 1000)} == {"float32", "float64"}
    for bucket in buckets:
        bucket.buffer()
        assert all(bucket.view(n).ctypes.data % 4 == 0 and bucket.view(n).shape == tuple(p.shape)
                   for n, p in enumerate(bucket.params))


def test_owners_have_equal_loads():
    params = tensors(100, 90, 50, 40, 10)
    owners = assign_owners(params, 2)
    loads = [sum(p.size for p in params if owners[id(p)] == r) for r in range(2)]
    assert sum(loads) == 290 and abs(loads[0] - loads[1]) <= 10


@pytest.mark.parametrize("setting, value, error, message", [
    ("localsgd", 1, TypeError, "localsgd"), ("nccl_comm_num", "two", TypeError, "nccl_comm_num"),
    ("hybrid_configs", {"mp_degree": "2"}, ValueError, "mp_degree"),
    ("hybrid_configs", {"order": ["dp", "mp"]}, ValueError, "order"),
    ("hybrid_configs", {"mp_configs": {"sync_grad": True}}, NotImplementedError, "sync_grad"),
    ("hybrid_configs", {"pp_configs": {"no_such": True}}, ValueError, "no_such"),
    ("pipeline_configs", {"accumulate_steps": 0}, ValueError, "accumulate_steps"),
    ("pipeline_configs", {"schedule_mode": "B1F1"}, ValueError, "schedule_mode"),
    ("hybrid_configs", {"pd": 2}, ValueError, "unknown pd"), ("sharding_configs", {"stage": 2}, NotImplementedError, "2"),
    ("gradient_merge_configs", {"k_steps": 0}, ValueError, "k_steps"), ("gradient_merge_configs", 3, TypeError, "dict"),
    ("no_such", 1, AttributeError, "no_such"), ("find_unused_parameters", "yes", TypeError, "bool"),
    ("localsgd_configs", 3, TypeError, "localsgd_configs"),
])
def test_strategy_refuses(setting, value, error, message):
    with pytest.raises(error, match=message):
        setattr(fleet.DistributedStrategy(), setting, value)


def test_strategy_keeps_settings():
    strategy = fleet.DistributedStrategy()
    strategy.pipeline = False
    strategy.hybrid_configs = {"dp_degree": 2}
    assert strategy.hybrid_configs["dp_degree"] == 2 and strategy.pipeline is False
    assert "dp_degree" in repr(strategy)


def test_fleet_alone(monkeypatch):
    strategy = fleet.DistributedStrategy()
    strategy.dgc, strategy.dgc_configs, strategy.nccl_comm_num = True, {"rampup_step": 1}, 2
    with pytest.raises(NotImplementedError, match="DistributedStrategy.dgc is not supported"):
        fleet.init(strategy=strategy)
    fleet.init()
    with pytest.raises(NotImplementedError, match="DistributedStrategy.dgc is not supported"):
        fleet.distributed_optimizer(paddle.optimizer.SGD(parameters=[paddle.ones([1])]), strategy)
    monkeypatch.setenv("PADDLE_PSERVERS_IP_PORT_LIST", "127.0.0.1:1")
    with pytest.raises(NotImplementedError, match="is_collective"):
        fleet.init()
    monkeypatch.delenv("PADDLE_PSERVERS_IP_PORT_LIST")
    with pytest.raises(RuntimeError, match="fleet.init"):
        fleet.Fleet().distributed_model(None)
    fleet.init(is_collective=True)
    layer = paddle.nn.Linear(1, 1)
    assert fleet.distributed_model(layer) is layer
    assert fleet.worker_num() == 1 and fleet.is_first_worker() and fleet.is_worker() and not fleet.is_server()
    assert fleet.util.get_file_shard(["a", "b"]) == ["a", "b"]
    with pytest.raises(NotImplementedError, match="parameter server"):
        fleet.init_server()


def test_topology():
    grid = fleet.CommunicateTopology(["data", "pipe", "model"], [2, 2, 2])
    assert grid.get_comm_list("data") == [[0, 4], [1, 5], [2, 6], [3, 7]]
    assert grid.get_coord(5) == (1, 0, 1) and grid.get_axis_list("model", 1) == [1, 3, 5, 7]
    assert grid.get_dim("pipe") == 2 and grid.world_size() == 8


@pytest.mark.parametrize("level, settings, error, message", [
    ("x", {}, ValueError, "level"), ("os_g", {"offload": True}, NotImplementedError, "offload"),
    ("p_g_os", {"optimizer": paddle.optimizer.Lamb}, NotImplementedError, "Lamb needs whole parameters")])
def test_sharding_refuses(level, settings, error, message):
    layer = paddle.nn.Linear(1, 1)
    optimizer = settings.pop("optimizer", paddle.optimizer.SGD)(0.1, parameters=layer.parameters())
    with pytest.raises(error, match=message):
        dist.sharding.group_sharded_parallel(layer, optimizer, level, **settings)


@pytest.mark.parametrize("level", ["os", "os_g", "p_g_os"])
def test_sharding_alone_trains_and_saves_as_without(level, tmp_path):
    random = np.random.RandomState(0)
    x, start = paddle.to_tensor(random.rand(4, 3).astype("float32")), random.rand(3, 2).astype("float32")
    layer = paddle.nn.Linear(3, 2)
    results = []
    for wrap in (False, True):
        layer = paddle.nn.Linear(3, 2)
        layer.weight.set_value(start)
        model, optimizer = layer, paddle.optimizer.Adam(0.1, parameters=layer.parameters())
        if wrap:
            model, optimizer, _ = dist.sharding.group_sharded_parallel(layer, optimizer, level, segment_size=2)
        for _ in range(3):
            for part in (x[:2], x[2:]):  # two passes are added up
                (model(part) ** 2).sum().backward()
            optimizer.step()
            optimizer.clear_grad()
        results.append(model.state_dict()["weight"].numpy())
    np.testing.assert_allclose(results[1], results[0], rtol=1e-6)
    dist.sharding.save_group_sharded_model(model, str(tmp_path), optimizer)
    np.testing.assert_array_equal(paddle.load(str(tmp_path / "model.pdmodel"))["weight"].numpy(), results[1])
    moments = [v for k, v in paddle.load(str(tmp_path / "model.pdopt")).items() if "moment1" in k]
    assert sorted(list(m.shape) for m in moments) == [[2], [3, 2]]


def test_recompute_gives_the_same_gradients():
    from paddle.distributed.fleet.utils import recompute
    layer = paddle.nn.Linear(3, 2)
    x = paddle.to_tensor(np.ones([2, 3], "float32"), stop_gradient=False)
    grads = []
    for call in (lambda f, v: f(v), recompute):
        x.clear_grad()
        layer.clear_gradients()
        (paddle.tanh(call(layer, x)) * paddle.to_tensor([1.0, 2.0])).sum().backward()
        grads.append([x.grad.numpy().copy(), layer.weight.grad.numpy().copy()])
    for plain, again in zip(*grads):
        np.testing.assert_array_equal(plain, again)


def test_recompute_of_keyword_arguments():
    from paddle.distributed.fleet.utils import recompute
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    recompute(lambda a, b: (a * b).sum(), paddle.to_tensor([3.0, 4.0]), b=x, use_reentrant=False).backward()
    assert x.grad.tolist() == [3.0, 4.0]
    x.clear_grad()
    recompute(lambda a, b: (a * b).sum(), x, b=x * 1).backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_local_files(tmp_path):
    fs = fleet.utils.LocalFS()
    fs.mkdirs(str(tmp_path / "a/b"))
    fs.touch(str(tmp_path / "a/f"))
    assert fs.ls_dir(str(tmp_path / "a")) == (["b"], ["f"])
    fs.mv(str(tmp_path / "a/f"), str(tmp_path / "a/g"))
    with pytest.raises(FileExistsError):
        fs.touch(str(tmp_path / "a/g"), exist_ok=False)
    fs.delete(str(tmp_path / "a"))
    assert not fs.is_exist(str(tmp_path / "a"))


HADOOP = """#!/bin/sh
# hadoop fs -Dkey=value -command: the file system of this machine below the folder in "root"
root=${2#-Droot=}; command=$3; shift 3
case $command in
  -ls) test -e "$root$1" && for f in "$root$1"/*; do
         test -d "$f" && kind=d || kind=-; echo "${kind}rw-r--r-- 1 me all $(stat -c %s "$f") 2024-01-01 10:00 $1/${f##*/}"; done ;;
  -test) test $1 "$root$2" ;;
  -mkdir) mkdir -p "$root$2" ;;
  -touchz) touch "$root$1" ;;
  -mv) mv "$root$1" "$root$2" ;;
  -rm) test "$1" = -r && rm -r "$root$2" || rm "$root$1" ;;
  -put) cp -r "$1" "$root$2" ;;
  -get) cp "$root$1" "$2" ;;
  -cat) cat "$root$1" ;;
esac
"""


@pytest.mark.skipif(os.name != "posix", reason="the command is a script of sh")
def test_files_of_hadoop(tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "store").mkdir()
    command = tmp_path / "bin" / "hadoop"
    command.write_text(HADOOP)
    command.chmod(0o755)
    fs = fleet.utils.HDFSClient(str(tmp_path), {"root": tmp_path / "store"}, sleep_inter=1)
    fs.mkdirs("/a/b")
    fs.touch("/a/with space")
    (tmp_path / "text").write_text("one\ntwo\n")
    fs.upload(str(tmp_path / "text"), "/a/text")
    assert fs.ls_dir("/a") == (["b"], ["text", "with space"]) and fs.list_dirs("/a") == ["b"] and fs.ls_dir("/none") == ([], [])
    assert fs.is_dir("/a") and fs.is_file("/a/text") and not fs.is_file("/a") and fs.need_upload_download()
    assert fs.cat("/a/text") == "one\ntwo" and fs.cat("/none") == ""
    fs.mv("/a/text", "/a/b/moved")
    fs.download("/a/b", str(tmp_path / "copies"))
    assert (tmp_path / "copies" / "moved").read_text() == "one\ntwo\n"
    for call, kind in ((lambda: fs.touch("/a", exist_ok=False), FileExistsError), (lambda: fs.mv("/none", "/x"), FileNotFoundError),
                       (lambda: fs.mv("/a/b/moved", "/a/with space"), FileExistsError),
                       (lambda: fs.download("/none", "x"), FileNotFoundError), (lambda: fs._need("-cat", "/none"), ExecuteError)):
        with pytest.raises(kind):
            call()
    fs.delete("/a")
    assert not fs.is_exist("/a")
