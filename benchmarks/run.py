"""`make bench`: prepare the rivals' environments, then run compare.py with the arguments given (after `growth`: growth.py).

Environments are made once under build/rivals; BENCH_TORCH_PYTHON and BENCH_PADDLE_PYTHON name interpreters to use instead.
``--against DIR`` compares with another checkout of ours, and with rivals only where these two name them:

    python benchmarks/run.py --against ../before --only small_forward,small_train,lenet_step,static_step --rounds 7
"""

import os
import subprocess
import sys
import venv

HERE = os.path.dirname(os.path.abspath(__file__))
RIVALS = {"BENCH_TORCH_PYTHON": ("torch", ["torch==2.13.0", "numpy"]),
          "BENCH_PADDLE_PYTHON": ("paddle", ["paddlepaddle==2.6.2", "numpy<2", "setuptools"])}


def prepare(name, packages):
    """The interpreter of an environment with these packages, or None (with the reason) when they do not install."""
    folder = os.path.join(os.path.dirname(HERE), "build", "rivals", name)
    python = os.path.join(folder, "bin", "python")
    done = os.path.join(folder, ".ready")
    if not os.path.exists(done):
        print(f"installing {' '.join(packages)} ...", file=sys.stderr)
        venv.create(folder, with_pip=True)
        if subprocess.run([python, "-m", "pip", "--quiet", "install", *packages]).returncode:
            print(f"{name} did not install; its column is left out", file=sys.stderr)
            return None
        with open(done, "w"):
            pass
    return python


def main():
    env = dict(os.environ)
    for variable, (name, packages) in RIVALS.items():
        if variable not in env and not any(a.startswith("--against") for a in sys.argv):
            python = prepare(name, packages)
            if python is not None:
                env[variable] = python
    script, rest = ("growth.py", sys.argv[2:]) if sys.argv[1:2] == ["growth"] else ("compare.py", sys.argv[1:])
    return subprocess.run([sys.executable, os.path.join(HERE, script), *rest], env=env).returncode


if __name__ == "__main__":
    sys.exit(main())
