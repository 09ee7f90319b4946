"""Installs real Paddle and this package into one environment, in both orders, and checks what users are told: ``make test-beside``.

Both own a folder ``paddle``, so each overwrites files of the other. Installed last, this package must say so when imported;
installed first, the module of its command must. The commands that the message names must repair the environment.
An argument is a wheel to take instead of building one.
"""

import pathlib
import subprocess
import sys
import tempfile
import venv

ROOT = pathlib.Path(__file__).resolve().parent.parent
OTHER = "paddlepaddle==2.6.2"


def run(*command, cwd=None):
    return subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True, check=False)


def pip(python, *arguments):
    done = run(python, "-m", "pip", "--disable-pip-version-check", "--quiet", *arguments)
    if done.returncode:
        sys.exit(f"pip {' '.join(map(str, arguments))}: {done.stderr}")


def environment(folder, *installed):
    """The Python of a new environment with these distributions, installed in this order."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    for distribution in installed:
        pip(python, "install", distribution, "numpy<2", "setuptools")
    return python


def told(done):
    """Whether a process failed with the sentence that names both distributions and the way out."""
    text = done.stdout + done.stderr
    return done.returncode != 0 and "paddlepaddle 2.6.2" in text and "pip uninstall -y paddlepaddle dygraph" in text


def expect(condition, what):
    print(("right: " if condition else "WRONG: ") + what)
    if not condition:
        sys.exit(1)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if len(sys.argv) > 1:
            ours = pathlib.Path(sys.argv[1]).resolve()
        else:
            pip(sys.executable, "wheel", "--no-deps", "--wheel-dir", folder, ROOT)
            ours = next(folder.glob("dygraph-*.whl"))
        after = environment(folder / "after", OTHER, ours)
        expect(told(run(after, "-c", "import paddle", cwd=folder)), "installed after Paddle, `import paddle` tells")
        expect(told(run(after.parent / "paddle", "doctor", cwd=folder)), "and so does `paddle doctor`")
        pip(after, "uninstall", "-y", "paddlepaddle", "dygraph")
        pip(after, "install", ours)
        done = run(after, "-c", "import paddle; paddle.utils.run_check()", cwd=folder)
        expect(done.returncode == 0 and "works" in done.stdout, "the first way out leaves this package working")
        before = environment(folder / "before", ours, OTHER)
        # Paddle brings a script `paddle` of its own, which has replaced the command
        asked = run(before, "-m", "dygraph_command", "doctor", cwd=folder)
        expect(told(asked), "installed before Paddle, the module of the command tells")
        pip(before, "uninstall", "-y", "dygraph")
        pip(before, "install", "--force-reinstall", "--no-deps", OTHER)
        done = run(before, "-c", "import paddle; print(paddle.__version__)", cwd=folder)
        expect(done.stdout.strip().endswith("2.6.2"), "the second way out leaves Paddle working")


if __name__ == "__main__":
    main()
