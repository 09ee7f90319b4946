"""A rank killed in mid-training: the job starts again, resumes, and ends with the weights of an undisturbed run."""

import pathlib

import numpy as np
import pytest

import paddle

pytestmark = pytest.mark.usefixtures("nothing_left")
EXAMPLE = pathlib.Path(__file__).parents[2] / "examples/distributed/resume.py"


def test_resume_after_a_killed_rank(launch, tmp_path):
    source = EXAMPLE.read_text(encoding="utf-8")
    launch(source, 2, "--max_restart", "1", args=["--epochs", "2", "--checkpoint", "quiet.pdparams"])
    done = launch(source, 2, "--max_restart", "1",
                  args=["--epochs", "2", "--checkpoint", "hurt.pdparams", "--die_at", "17"])
    assert "rank 1 on" in done.err and "SIGKILL" in done.err and "starting again, 1 of 1" in done.err
    quiet, hurt = (paddle.load(str(tmp_path / name)) for name in ("quiet.pdparams", "hurt.pdparams"))
    assert quiet["step"] == hurt["step"] == 32
    for part in ("model", "optimizer"):
        for key, value in quiet[part].items():
            if hasattr(value, "numpy"):
                np.testing.assert_array_equal(hurt[part][key].numpy(), value.numpy(), err_msg=key)
    assert list(tmp_path.glob("*.tmp*")) == []
