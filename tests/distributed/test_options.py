"""The launcher's command line: what it prints and which ranks it plans."""

import os
import subprocess
import sys

import pytest

from paddle.distributed.launch.job import BannerFilter
from paddle.distributed.launch.options import configuration_lines, parse
from paddle.distributed.launch.plan import make_plan, slurm_hosts
from paddle.distributed.launch.rendezvous import proxy_arguments, split_master

SEED_003 = """\
-----------  Configuration Arguments -----------
cluster_node_ips: 127.0.0.1
log_dir: ./mylog
node_ip: 127.0.0.1
print_config: True
selected_gpus: 0,1
started_port: 6170
training_script: train.py
training_script_args: []
use_paddlecloud: False
------------------------------------------------
trainers_endpoints: 127.0.0.1:6170,127.0.0.1:6171 , node_id: 0 , current_node_ip: 127.0.0.1 , num_nodes: 1 , \
node_ips: ['127.0.0.1'] , nranks: 2"""


def plan_of(*argv, **environ):
    options = parse([*argv, "train.py"], environ)
    return options, *make_plan(options, environ)


def test_prints_what_the_document_shows():
    options = parse(["--log_dir", "./mylog", "train.py"], {})
    plan, current = make_plan(options, {"CUDA_VISIBLE_DEVICES": "0,1"})
    assert "\n".join([*configuration_lines(options), plan.summary(current)]) == SEED_003


def test_prints_in_the_way_of_2_6():
    options = parse(["--nproc_per_node", "2", "train.py", "--lr", "0.1"], {})
    lines = configuration_lines(options)
    assert all(line.startswith("LAUNCH INFO ") for line in lines)
    assert lines[0].endswith("-----------  Configuration  ----------------------")
    assert lines[-2].endswith("training_script_args: ['--lr', '0.1']")
    assert options.log_dir == "log"


@pytest.mark.parametrize("argv, environ, ranks, devices", [
    ([], {}, 1, ["0"]),
    ([], {"CUDA_VISIBLE_DEVICES": "4,5"}, 2, ["0", "1"]),
    (["--selected_gpus", "5"], {"CUDA_VISIBLE_DEVICES": "4,5"}, 1, ["1"]),
    (["--selected_gpus=0,1,2"], {}, 3, ["0", "1", "2"]),
    (["--nproc_per_node", "3"], {}, 3, ["0", "1", "2"]),
    (["--nproc_per_node", "3"], {"CUDA_VISIBLE_DEVICES": "0,1"}, 3, ["0", "1", "2"]),
    (["--devices", "2,3"], {}, 2, ["2", "3"]),
    (["--gpus", "2,3"], {}, 2, ["2", "3"]),
    ([], {"PADDLE_NPROC_PER_NODE": "4"}, 4, ["0", "1", "2", "3"]),
])
def test_number_of_ranks(argv, environ, ranks, devices):
    _, plan, _ = plan_of(*argv, **environ)
    assert (plan.size, plan.devices) == (ranks, devices)


def test_several_machines():
    _, plan, current = plan_of("--cluster_node_ips", "10.0.0.1,10.0.0.2", "--node_ip", "10.0.0.2", "--selected_gpus", "0,1")
    assert current == "10.0.0.2"
    assert plan.endpoints == ["10.0.0.1:6170", "10.0.0.1:6171", "10.0.0.2:6170", "10.0.0.2:6171"]
    _, plan, current = plan_of("--ips", "a,b", "--start_port", "7000")
    assert (current, plan.endpoints) == ("a", ["a:7000", "b:7000"])
    _, plan, current = plan_of("--use_paddlecloud", "True", PADDLE_TRAINERS="a,b", POD_IP="b")
    assert (current, plan.size) == ("b", 2)
    _, plan, _ = plan_of("--launcher", "slurm", SLURM_JOB_NODELIST="n[1-2]")
    assert [node.address for node in plan.nodes] == ["n1", "n2"]


@pytest.mark.parametrize("text, hosts", [
    ("n1", ["n1"]), ("n[1-3]", ["n1", "n2", "n3"]), ("n[08-10,12]", ["n08", "n09", "n10", "n12"]),
    ("a,b[1,3],c", ["a", "b1", "b3", "c"]), ("r[1-2]x", ["r1x", "r2x"]),
])
def test_slurm_hosts(text, hosts):
    assert slurm_hosts(text) == hosts


@pytest.mark.parametrize("argv, environ, message", [
    (["--selected_gpus", "a"], {}, "expected device numbers"),
    (["--selected_gpus", "3"], {"CUDA_VISIBLE_DEVICES": "0,1"}, "3 not in CUDA_VISIBLE_DEVICES"),
    (["--nproc_per_node", "0"], {}, "at least 1"),
    (["--nproc_per_node", "2", "--devices", "0"], {}, "disagrees"),
    (["--ips", "a,a"], {}, "named twice"),
    (["--ips", ","], {}, "no address"),
    (["--ips", "a", "--host", "b"], {}, "not among"),
    (["--use_paddlecloud", "1"], {}, "PADDLE_TRAINERS"),
])
def test_wrong_plans(argv, environ, message):
    with pytest.raises(ValueError, match=message):
        plan_of(*argv, **environ)


@pytest.mark.parametrize("argv", [["--servers", "a", "train.py"], ["--elastic_level", "1", "train.py"],
                                  ["--run_mode", "ps", "train.py"], ["--no_such_flag", "train.py"], [],
                                  ["--print_config", "perhaps", "train.py"], ["--grace", "-1", "train.py"]])
def test_refused_flags(argv, capsys):
    with pytest.raises(SystemExit) as ended:
        parse(argv, {})
    assert ended.value.code == 2
    assert "error" in capsys.readouterr().err


def test_flags_behind_the_script_are_the_scripts():
    options = parse(["--log_dir", "x", "train.py", "--nproc_per_node", "3"], {})
    assert options.training_script_args == ["--nproc_per_node", "3"]
    assert not options.modern


@pytest.mark.parametrize("text", [None, "10.0.0.1", "10.0.0.1:", ":80", "a:b"])
def test_master_is_an_address_with_port(text):
    with pytest.raises(ValueError, match="IP:PORT"):
        split_master(text)


def test_only_known_arguments_reach_the_proxy():
    assert proxy_arguments(["--control-port", "10.0.0.1:5", "--usize", "-1"]) == \
        ["--control-port", "10.0.0.1:5", "--usize", "-1"]
    for words in (["--exec", "x"], ["--iface", "a b"], ["--iface", "$(x)"], ["--iface"]):
        with pytest.raises(ValueError, match="proxy"):
            proxy_arguments(words)


def test_mpiexecs_notice_is_taken_out_wherever_it_is_cut():
    rule = b"=" * 83
    notice = b"\n" + rule + b"\n=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n=   PID 1\n" + rule + b"\n"
    for cut in range(len(notice)):
        text = BannerFilter()
        parts = [text(b"last line"), text(notice[:cut]), text(notice[cut:]), text.held]
        assert b"".join(parts).strip() == b"last line", cut
    plain = BannerFilter()
    assert plain(b"a\n====\nb") + plain(b"\n=== title") + plain.held == b"a\n====\nb\n=== title"


def test_another_machine_has_nothing_to_do(tmp_path):
    (tmp_path / "train.py").write_text("raise SystemExit(9)")
    command = [sys.executable, "-m", "paddle.distributed.launch", "--cluster_node_ips", "10.9.9.1,10.9.9.2", "--node_ip",
               "10.9.9.2", "train.py"]
    env = {k: v for k, v in os.environ.items() if not k.startswith("PADDLE_")}
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=30, env=env)
    assert done.returncode == 0
    assert "started by the launcher on 10.9.9.1" in done.stderr
