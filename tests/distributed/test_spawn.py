"""paddle.distributed.spawn: a function on several ranks, from inside a program."""

import subprocess
import sys
import textwrap

import pytest
from distributed.conftest import LIMIT, clean_environment

import paddle.distributed as dist

pytestmark = pytest.mark.usefixtures("nothing_left")

PROGRAM = """
    import sys, time
    import numpy as np
    import paddle
    import paddle.distributed as dist


    def work(start, fail=False):
        dist.init_parallel_env()
        x = paddle.to_tensor(np.float32(start + dist.get_rank()))
        dist.all_reduce(x)
        sys.stdout.write(f"sum {float(x)}\\n")  # in one piece: ranks share the terminal
        if fail and dist.get_rank() == 1:
            raise ValueError("not today")
        dist.barrier()


    if __name__ == "__main__":
        dist.spawn(work, (1,), nprocs=2)
        context = dist.spawn(work, args=(10,), nprocs=2, join=False)
        while not context.join(0.1):
            pass
        try:
            dist.spawn(work, (0, True), gpus="0,1")
        except RuntimeError as error:
            text = str(error)
            assert "rank 1 on" in text and "ValueError: not today" in text and "in work" in text, text
            print("told")
        dist.spawn(work, (5,), nprocs=1)
"""


def test_spawn(tmp_path):
    pytest.importorskip("mpi4py")
    (tmp_path / "program.py").write_text(textwrap.dedent(PROGRAM))
    done = subprocess.run([sys.executable, "program.py"], cwd=tmp_path, env=clean_environment(TMPDIR=tmp_path),
                          capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.split()) == sorted("sum 3.0 sum 3.0 sum 21.0 sum 21.0 sum 1.0 sum 1.0 told sum 5.0".split())
    assert list(tmp_path.glob("paddle-spawn-*")) == []


@pytest.mark.parametrize("kwargs, message", [
    ({"nprocs": 0}, "nprocs"), ({"nprocs": 2, "gpus": "0"}, "disagrees"), ({"start_method": "fork"}, "start_method"),
    ({"backend": "nccl"}, "backend"), ({"xpus": "0"}, "unknown options xpus"),
])
def test_wrong_use(kwargs, message):
    with pytest.raises(ValueError, match=message):
        dist.spawn(print, **kwargs)


def test_functions_that_were_typed_in_carry_their_code(tmp_path):
    pytest.importorskip("mpi4py")
    pytest.importorskip("cloudpickle")
    typed = ("import sys, paddle.distributed as dist\ndef work(n): sys.stdout.write(f'got {n}\\n')\n\n"
             "context = dist.spawn(work, (3,), nprocs=1)\n")
    done = subprocess.run([sys.executable, "-i"], input=typed, cwd=tmp_path, env=clean_environment(TMPDIR=tmp_path),
                          capture_output=True, text=True, timeout=LIMIT)
    assert "got 3" in done.stdout, done.stderr


def test_output_reaches_streams_of_characters(tmp_path):
    """Notebooks have such a stream for standard output."""
    pytest.importorskip("mpi4py")
    program = ("import io, sys, paddle.distributed as dist\nfrom module import work\n"
               "shown, sys.stdout = sys.stdout, io.StringIO()\n"
               "dist.spawn(work, nprocs=1)\nshown.write(ascii(sys.stdout.getvalue()))\n")
    (tmp_path / "module.py").write_text("import sys\ndef work(): sys.stdout.buffer.write('grün'.encode()); sys.stdout.flush()\n",
                                        encoding="utf-8")
    (tmp_path / "program.py").write_text(f"if __name__ == '__main__':\n{textwrap.indent(program, '    ')}")
    done = subprocess.run([sys.executable, "program.py"], cwd=tmp_path, env=clean_environment(TMPDIR=tmp_path),
                          capture_output=True, text=True, timeout=LIMIT)
    assert done.stdout == "'gr\\xfcn'", done.stderr
