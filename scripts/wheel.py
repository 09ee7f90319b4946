"""Builds a wheel into dist/, tries it in a clean virtual environment outside the repository and has auditwheel look at it."""

import re
import subprocess
import sys
import zipfile

from sandbox import PIP, ROOT, build_wheel, folder, run

TRIAL = """
import paddle
paddle.utils.run_check()
paddle.seed(0)
model = paddle.nn.Sequential(paddle.nn.Linear(4, 16), paddle.nn.ReLU(), paddle.nn.Linear(16, 1))
adam = paddle.optimizer.Adam(0.01, parameters=model.parameters())
x = paddle.randn([64, 4])
y = x.sum(axis=1, keepdim=True)
losses = []
for _ in range(200):
    loss = paddle.nn.functional.mse_loss(model(x), y)
    loss.backward(); adam.step(); adam.clear_grad()
    losses.append(float(loss))
print(f"loss {losses[0]:.4f} -> {losses[-1]:.4f}")
assert losses[-1] < 0.1 * losses[0]
"""


def main() -> None:
    with folder() as work:
        (ROOT / "dist").mkdir(exist_ok=True)
        wheel = build_wheel(work, ROOT / "dist")
        names = zipfile.ZipFile(wheel).namelist()
        for wanted in ("paddle/py.typed", "paddle/version.py"):
            if wanted not in names:
                sys.exit(f"{wheel.name} lacks {wanted}")
        sources = (".c", ".h", ".inc", ".gz")
        strangers = [n for n in names if not n.startswith(("paddle/", "dygraph-", "dygraph_command.py"))
                     or n.endswith(sources) and not n.startswith("paddle/include/")]
        if strangers:
            sys.exit(f"{wheel.name} has files it should not have: {strangers[:5]}")
        env = work / "env"
        run([sys.executable, "-m", "venv", env])
        run([*PIP, "--python", env / "bin" / "python", "install", wheel])
        run([env / "bin" / "python", "-W", "error", "-c", TRIAL], cwd=work)
        print(f"{wheel.relative_to(ROOT)}: {wheel.stat().st_size / 1e6:.2f} MB, {len(names)} files, tried{platform_of(wheel)}")


def platform_of(wheel) -> str:
    """What auditwheel says of a wheel's C: the oldest Linux it runs on. One that needs a library of its own is refused."""
    if not sys.platform.startswith("linux") or wheel.stem.endswith("-any"):
        return ""
    done = subprocess.run([sys.executable, "-m", "auditwheel", "show", wheel], capture_output=True, text=True, check=True)
    said = " ".join(done.stdout.split())
    tag = re.search(r'platform tag: "((?:many|musl)linux\w+)"', said)
    if tag is None or "you'll need to eliminate" in said:
        sys.exit(f"{wheel.name} is not for other Linux systems: {said}")
    return f", {tag[1]}"


if __name__ == "__main__":
    main()
