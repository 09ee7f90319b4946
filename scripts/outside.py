"""Installs the package outside the repository, without a compiler, and checks it from there.

Three promises at once: an install without a compiler succeeds and works, the installed files are complete,
and a user's program is type-checked against them (py.typed), by mypy, and by pyright where that is installed.
"""

import importlib.util
import shutil
import sys
import sysconfig

from sandbox import PIP, ROOT, copy_sources, folder, run


def main() -> None:
    with folder() as work:
        env = work / "env"
        run([sys.executable, "-m", "venv", "--without-pip", env])
        python = env / "bin" / "python"
        # NumPy comes from this environment; a .pth file found through another isn't read, so the package doesn't.
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        (env / "lib" / version / "site-packages" / "numpy_from.pth").write_text(sysconfig.get_path("purelib") + "\n")
        run([*PIP, "--python", python, "install", "--no-deps", "--no-build-isolation", copy_sources(work / "sources")],
            CC=shutil.which("false") or "false")
        # mypy wants to see an error where there is one: the ignores in the program must all be used.
        program = work / "program.py"
        shutil.copy2(ROOT / "tests" / "project" / "user_program.py", program)
        run([sys.executable, "-m", "mypy", "--python-executable", python, "--cache-dir", work / "cache",
             "--warn-unused-ignores", "--warn-redundant-casts", "--check-untyped-defs", program], cwd=work)
        if importlib.util.find_spec("pyright"):  # it brings Node.js along: not among the tools that are installed
            run([sys.executable, "-m", "pyright", "--pythonpath", python, program], cwd=work)
        run([python, program], cwd=work)
        run([python, "-c", "import paddle; paddle.utils.run_check()"], cwd=work)


if __name__ == "__main__":
    main()
