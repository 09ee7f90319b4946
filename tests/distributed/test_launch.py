"""The launcher starts ranks, tells them who they are, watches them, and leaves nothing behind."""

import os
import re
import signal
import subprocess
import sys
import time

import pytest
from distributed.conftest import clean_environment, processes_of

pytestmark = pytest.mark.usefixtures("nothing_left")

SHOW = """
    import os, sys
    keys = ("PADDLE_TRAINER_ID PADDLE_TRAINERS_NUM PADDLE_CURRENT_ENDPOINT PADDLE_TRAINER_ENDPOINTS PADDLE_LOCAL_RANK "
            "FLAGS_selected_gpus PADDLE_NNODES http_proxy PADDLE_LAUNCH_DEVICES").split()
    print(*[os.environ.get(k, "-") for k in keys])
    print(sys.argv[1:], "to stderr", file=sys.stderr)
"""


def test_environment_logs_and_arguments(launch):
    done = launch(SHOW, 2, args=["--lr", "0.1"], env={"http_proxy": "http://example.invalid"})
    both = "127.0.0.1:6170,127.0.0.1:6171"
    assert done.log(0).splitlines() == [f"0 2 127.0.0.1:6170 {both} 0 0 1 - -", "['--lr', '0.1'] to stderr"]
    assert done.log(1).splitlines() == [f"1 2 127.0.0.1:6171 {both} 1 1 1 - -", "['--lr', '0.1'] to stderr"]
    assert "nranks: 2" in done.out and "to stderr" not in done.out + done.err


def test_threads_are_cores_by_ranks(tmp_path):
    pytest.importorskip("mpi4py")
    (tmp_path / "train.py").write_text("import os; os.write(1, b'threads %s\\n' % os.environ['OMP_NUM_THREADS'].encode())")
    env = clean_environment()
    del env["OMP_NUM_THREADS"]
    done = subprocess.run([sys.executable, "-m", "paddle.distributed.launch", "--selected_gpus", "0,1", "train.py"],
                          cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60)
    share = max(1, len(os.sched_getaffinity(0)) // 2)
    assert re.findall(r"threads (\d+)", done.stdout) == [str(share)] * 2  # without --log_dir all ranks print here


def test_flags_of_2_6_show_rank_0_and_append_logs(launch):
    program = "import os; print('rank', os.environ['PADDLE_TRAINER_ID'])"
    flags = ["--max_restart", "0"]
    assert "rank 0" in launch(program, 2, *flags).out
    again = launch(program, 2, *flags)
    assert "rank 1" not in again.out
    assert again.log(0) == "rank 0\nrank 0\n"
    assert launch(program, 2, *flags, "--log_overwrite", "True").log(0) == "rank 0\n"


def test_failing_rank_is_named_and_its_log_shown(launch):
    done = launch("""
        import os, sys, time
        if os.environ["PADDLE_TRAINER_ID"] == "1":
            print("just before the end")
            sys.exit(7)
        time.sleep(600)
    """, 2, code=7)
    assert re.search(r"rank 1 on \S+ \(process \d+\) ended with exit code 7", done.err)
    assert "just before the end" in done.err
    assert "BAD TERMINATION" not in done.out + done.err


def test_killed_rank_is_named(launch):
    done = launch("""
        import os, signal, time
        if os.environ["PADDLE_TRAINER_ID"] == "0":
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(600)
    """, 2, code=128 + 9)
    assert re.search(r"rank 0 on .* was killed by SIGKILL", done.err)


def test_one_rank_needs_no_mpi(launch):
    done = launch("import sys; print('mpi4py' in sys.modules); raise SystemExit(3)", 1, code=3)
    assert done.log(0) == "False\n"
    assert "rank 0" in done.err


def test_restart_until_it_works(launch):
    program = """
        import os, sys
        print("try", os.environ["PADDLE_RESTART_COUNT"])
        sys.exit(1 if os.environ["PADDLE_RESTART_COUNT"] < "2" and os.environ["PADDLE_TRAINER_ID"] == "1" else 0)
    """
    assert launch(program, 2, "--max_restart", "2").log(1) == "try 0\ntry 1\ntry 2\n"
    assert "starting again, 1 of 1" in launch(program, 2, "--max_restart", "1", "--log_overwrite", "1", code=1).err


WAITING = """
    import os, signal, sys, time
    signal.signal(signal.SIGTERM, lambda *_: print("asked to end") or sys.exit(0))
    signal.signal(signal.SIGUSR1, lambda *_: print("poked", flush=True))
    print("ready", flush=True)
    while True:
        time.sleep(0.05)
"""


@pytest.fixture
def running(tmp_path):
    """A job of two ranks that waits, and a function that waits for a text in both logs."""
    pytest.importorskip("mpi4py")
    started = []

    def start(program, *flags):
        (tmp_path / "train.py").write_text("\n".join(line[4:] for line in program.splitlines()))
        job = subprocess.Popen([sys.executable, "-m", "paddle.distributed.launch", "--selected_gpus", "0,1", "--log_dir",
                                "logs", *flags, "train.py"], cwd=tmp_path, env=clean_environment(),
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        started.append(job)

        def until(text):
            for _ in range(600):
                logs = list(tmp_path.glob("logs/workerlog.*"))
                if len(logs) == 2 and all(text in log.read_text() for log in logs):
                    return
                time.sleep(0.05)
            pytest.fail(f"{text!r} never came")

        return job, until

    yield start
    for job in started:
        job.stdout.close()
        if job.poll() is None:
            job.kill()
            job.wait()


def test_signals_reach_the_ranks(running):
    job, until = running(WAITING)
    until("ready")
    job.send_signal(signal.SIGUSR1)
    until("poked")
    job.send_signal(signal.SIGTERM)
    until("asked to end")
    assert job.wait(30) == 128 + signal.SIGTERM


def test_ranks_that_ignore_the_signal_are_killed(running):
    job, until = running(WAITING.replace("sys.exit(0)", "None"), "--grace", "0.5")
    until("ready")
    job.send_signal(signal.SIGINT)
    assert job.wait(30) == 128 + signal.SIGINT


def test_a_killed_launcher_takes_its_ranks_along(running, tmp_path):
    job, until = running(WAITING)
    until("ready")
    assert len(processes_of(tmp_path)) >= 4
    job.kill()
    job.wait()  # nothing_left sees to the rest
