"""paddle.Model on two ranks trains, evaluates and predicts as one process does with batches of twice the size."""

import os
import subprocess
import sys
import textwrap

import numpy as np
from distributed.conftest import LIMIT, clean_environment

PROGRAM = """
    import sys
    import numpy as np
    import paddle
    from paddle import nn

    size = paddle.distributed.ParallelEnv().nranks
    random = np.random.RandomState(0)
    x = random.rand(13, 4).astype("float32")
    data = paddle.io.TensorDataset([paddle.to_tensor(x), paddle.to_tensor((x.sum(1) > 2).astype("int64").reshape(-1, 1))])
    rows = paddle.io.Subset(data, range(12))
    paddle.seed(1)
    model = paddle.Model(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)))
    model.prepare(paddle.optimizer.Momentum(0.1, parameters=model.parameters()), nn.CrossEntropyLoss(), paddle.metric.Accuracy())
    out = {}
    model.fit(rows, batch_size=4 // size, epochs=2, shuffle=False, verbose=2, save_dir="saved")
    out["fitted"] = np.concatenate([p.numpy().ravel() for p in model.parameters()])
    model.fit(rows, batch_size=2 // size, epochs=1, shuffle=False, verbose=0, accumulate_grad_batches=3)
    out["accumulated"] = np.concatenate([p.numpy().ravel() for p in model.parameters()])
    out["acc"] = model.evaluate(data, batch_size=4 // size, verbose=0)["acc"]
    out["loss"] = model.evaluate(rows, batch_size=12 // size, verbose=0)["loss"]
    out["predicted"], = model.predict(data, batch_size=4 // size, verbose=0, stack_outputs=True)
    np.savez(f"out{size}.{paddle.distributed.ParallelEnv().rank}.npz", **out)
"""


def test_two_ranks_are_as_good_as_one(launch, tmp_path):
    outcome = launch(PROGRAM, 2)
    alone = subprocess.run([sys.executable, "-c", textwrap.dedent(PROGRAM)], cwd=tmp_path, env=clean_environment(), timeout=LIMIT,
                           capture_output=True, text=True)
    assert alone.returncode == 0, alone.stderr
    expected = np.load(tmp_path / "out1.0.npz")
    for rank in range(2):
        found = np.load(tmp_path / f"out2.{rank}.npz")
        for name in expected:
            np.testing.assert_allclose(found[name], expected[name], rtol=1e-4, atol=1e-5, err_msg=f"{name} on rank {rank}")
    assert expected["predicted"].shape == (13, 2)
    assert "Epoch 2/2" in outcome.log(0) and "Epoch" not in outcome.log(1)
    assert sorted(os.listdir(tmp_path / "saved")) == sorted(f"{n}.{k}" for n in ("0", "1", "final") for k in ("pdopt", "pdparams"))
