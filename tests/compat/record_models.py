"""Record what real paddlepaddle 2.6 computes with models that we saved: tests/fixtures/ours.

    PADDLE_ORACLE_PYTHON=PYTHON_WITH_PADDLE python tests/compat/record_models.py

Writes, for each small model, our .pdmodel and .pdiparams, and an .npz with the input (in_0), our output (ours) and the outputs
of real Paddle by jit.load, Executor and Predictor. `tests/static/test_recorded.py` compares them at every run.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from test_real_paddle_models import MODELS, train_and_save  # noqa: E402

TARGET = HERE.parent / "fixtures/ours"
SMALL = ("attention", "branches", "mlp", "normed", "static_functions", "words")


def main():
    TARGET.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ours = {n: train_and_save(*MODELS[n], folder / n)[0] for n in SMALL}
        clean = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        subprocess.run([os.environ["PADDLE_ORACLE_PYTHON"], str(HERE / "run_models_with_paddle.py"), str(folder)], check=True,
                       env=clean, cwd=folder)
        with np.load(folder / "seen.npz") as seen:
            for n in SMALL:
                for end in ("pdmodel", "pdiparams"):
                    (TARGET / f"{n}.{end}").write_bytes((folder / f"{n}.{end}").read_bytes())
                np.savez(TARGET / f"{n}.npz", in_0=MODELS[n][1], ours=ours[n],
                         **{way: seen[f"{n}|{way}|0"] for way in ("jit", "executor", "predictor")})


if __name__ == "__main__":
    main()
