"""Calls between workers: values, tensors and errors come back; only functions of modules can be named."""

import socket
import subprocess
import sys

import numpy as np
import pytest
from distributed.conftest import LIMIT, clean_environment

import paddle
from paddle.distributed import rpc
from paddle.distributed.rpc.messages import function_of

PROGRAM = """
import sys, numpy as np, paddle
import paddle.distributed.rpc as rpc

def scaled(x, factor=1.0, note=None):
    return {"x": x * factor, "note": note, "at": rpc.get_current_worker_info().name}

def broken(x):
    raise KeyError("mine")

rank, port = int(sys.argv[1]), sys.argv[2]
rpc.init_rpc(f"worker{rank}", rank, 2, f"127.0.0.1:{port}")
assert [w.name for w in rpc.get_all_worker_infos()] == ["worker0", "worker1"] and rpc.get_worker_info("worker1").rank == 1
other = f"worker{1 - rank}"
found = rpc.rpc_sync(other, scaled, (paddle.ones([2, 3]),), {"factor": 2.0, "note": (1, [None, "a"], {"k": True})})
assert found["at"] == other and found["note"] == (1, [None, "a"], {"k": True}) and found["x"].numpy().tolist() == [[2.0] * 3] * 2
waiting = [rpc.rpc_async(other, paddle.add, (paddle.to_tensor([float(n)]), paddle.ones([1]))) for n in range(20)]
assert [float(w.wait()) for w in waiting] == [n + 1.0 for n in range(20)]
try:
    rpc.rpc_sync(other, broken, (1,))
    raise SystemExit("no error")
except KeyError as error:
    assert "mine" in str(error) and other in str(error)
rpc.shutdown()
print("done", rank)
"""


def test_two_workers(tmp_path):
    (tmp_path / "worker.py").write_text(PROGRAM)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    jobs = [subprocess.Popen([sys.executable, "worker.py", str(rank), port], cwd=tmp_path, env=clean_environment(),
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for rank in (0, 1)]
    outputs = [job.communicate(timeout=LIMIT)[0] for job in jobs]
    assert [job.returncode for job in jobs] == [0, 0] and outputs == ["done 0\n", "done 1\n"], outputs


def test_what_can_be_called():
    assert function_of("paddle:add") is paddle.add
    for name in ("os:system", "builtins:eval", "subprocess:run", "importlib:import_module"):
        with pytest.raises(PermissionError, match="Python's library"):
            function_of(name)


def test_one_worker_alone():
    with pytest.raises(RuntimeError, match="init_rpc first"):
        rpc.rpc_sync("alone", paddle.add)
    rpc.init_rpc("alone", 0, 1, "127.0.0.1:0")
    try:
        assert rpc.rpc_sync("alone", paddle.numel, (paddle.ones([2, 2]),)).item() == 4
        for value, error, text in ((lambda x: x, TypeError, "by its name"), (paddle.nn.Linear(1, 1), TypeError, "by its name")):
            with pytest.raises(error, match=text):
                rpc.rpc_sync("alone", value, (np.ones(1),))
        with pytest.raises(TypeError, match="values may be"):
            rpc.rpc_sync("alone", paddle.add, (object(), 1))
        with pytest.raises(ValueError, match="no worker 'other'"):
            rpc.rpc_sync("other", paddle.add)
    finally:
        rpc.shutdown()
