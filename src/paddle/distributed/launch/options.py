"""The launcher's command line: the flags of the first generations and those of 2.6, and how they are printed."""

import argparse
import os
import time

OLD_KEYS = ("cluster_node_ips", "log_dir", "node_ip", "print_config", "selected_gpus", "started_port",
            "training_script", "training_script_args", "use_paddlecloud")
NEW_KEYS = ("devices", "grace", "host", "iface", "ips", "job_id", "join_timeout", "launcher", "launcher_exec",
            "log_dir", "log_level", "log_overwrite", "master", "max_restart", "nnodes", "nproc_per_node", "rank",
            "run_mode", "sort_ip", "start_port", "training_script", "training_script_args")
# Flags that only 2.6 has: any of them selects that generation's printed form and its default log folder.
NEW_FLAGS = ("--devices", "--gpus", "--host", "--ips", "--job_id", "--log_level", "--log_overwrite", "--master",
             "--max_restart", "--nnodes", "--nproc_per_node", "--rank", "--run_mode", "--sort_ip", "--start_port")
UNSUPPORTED = {
    "--servers": "parameter servers", "--trainers": "parameter servers", "--trainer_num": "parameter servers",
    "--server_num": "parameter servers", "--gloo_port": "parameter servers", "--with_gloo": "parameter servers",
    "--elastic_level": "levels of elastic training (--nnodes 2:4 with --elastic_timeout is)",
    "--auto_parallel_config": "automatic parallelism", "--auto_tuner_json": "automatic tuning",
    "--xpus": "XPU devices", "--npus": "NPU devices", "--ipus": "IPU devices",
}
LOG_LEVELS = {"DEBUG": 10, "INFO": 20, "WARNING": 30, "ERROR": 40, "CRITICAL": 50}


def boolean(text):
    """True or False from the spellings that Paddle's flags accept."""
    word = str(text).lower()
    if word in ("1", "true", "yes", "y", "t", "on"):
        return True
    if word in ("0", "false", "no", "n", "f", "off"):
        return False
    raise argparse.ArgumentTypeError(f"expected true or false, got {text!r}")


def seconds(text):
    """A number of seconds, zero or more."""
    value = float(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"expected zero or more seconds, got {text!r}")
    return value


class Unsupported(argparse.Action):
    """Refuses a flag of Paddle's launcher that names something outside collective data parallelism."""

    def __call__(self, parser, namespace, values, option_string=None):
        parser.error(f"{option_string}: {UNSUPPORTED[option_string]} not supported")


def build_parser():
    """The parser; every flag may also come from the variable PADDLE_<FLAG> as in 2.6."""
    parser = argparse.ArgumentParser(
        prog="python -m paddle.distributed.launch", allow_abbrev=False,
        description="Start one process per worker, on this machine or on several, joined by MPI.")
    old = parser.add_argument_group("flags of every generation before 2.2")
    old.add_argument("--cluster_node_ips", default="127.0.0.1", metavar="IP,IP", help="machines, first one starts all")
    old.add_argument("--node_ip", default="127.0.0.1", metavar="IP", help="address of this machine")
    old.add_argument("--started_port", type=int, default=6170, metavar="PORT", help="first port of the endpoints")
    old.add_argument("--print_config", type=boolean, default=True, metavar="BOOL", help="print the configuration")
    old.add_argument("--selected_gpus", metavar="0,1", help="device numbers, one worker each")
    old.add_argument("--use_paddlecloud", nargs="?", const=True, type=boolean, default=False, metavar="BOOL",
                     help="take the machines from PADDLE_TRAINERS and POD_IP")
    old.add_argument("--log_dir", metavar="DIR", help="folder of workerlog.N; 2.6 flags make it ./log by default")
    new = parser.add_argument_group("flags of 2.2 to 2.6")
    new.add_argument("--nproc_per_node", type=int, metavar="N", help="workers on each machine")
    new.add_argument("--devices", "--gpus", metavar="0,1", help="device numbers, one worker each")
    new.add_argument("--ips", metavar="IP,IP", help="machines; run on the first, which starts the others by --launcher")
    new.add_argument("--nnodes", default="1", metavar="N[:M]",
                     help="machines that meet at --master, each running launch; 2:4 goes on with those that are left")
    new.add_argument("--elastic_timeout", type=seconds, default=30.0, metavar="SECONDS",
                     help="how long to wait for more machines when there are enough")
    new.add_argument("--master", metavar="IP:PORT", help="where the machines of --nnodes meet")
    new.add_argument("--rank", type=int, default=-1, metavar="R", help="place of this machine among --nnodes")
    new.add_argument("--host", metavar="IP", help="address of this machine")
    new.add_argument("--sort_ip", type=boolean, default=False, metavar="BOOL", help="order --nnodes by address")
    new.add_argument("--start_port", type=int, default=6070, metavar="PORT", help="first port of the endpoints")
    new.add_argument("--job_id", default="default", help="name of the job; machines of another job are turned away")
    new.add_argument("--run_mode", default="collective", choices=["collective"], help="only collective training exists")
    new.add_argument("--log_level", default="INFO", choices=list(LOG_LEVELS), help="of the launcher's own lines")
    new.add_argument("--log_overwrite", type=boolean, default=False, metavar="BOOL",
                     help="empty workerlog.N first instead of appending")
    new.add_argument("--max_restart", type=int, default=0, metavar="N", help="start again after a failure, N times")
    own = parser.add_argument_group("flags of this implementation")
    own.add_argument("--launcher", metavar="NAME", help="how mpiexec reaches machines: ssh (default), slurm, rsh, ...")
    own.add_argument("--launcher_exec", metavar="FILE", help="the program --launcher runs instead of its own")
    own.add_argument("--iface", metavar="NAME", help="network interface of mpiexec and of the ranks")
    own.add_argument("--join_timeout", type=seconds, default=600.0, metavar="SECONDS",
                     help="how long to wait at --master for the other machines")
    own.add_argument("--grace", type=seconds, default=15.0, metavar="SECONDS", help="between SIGTERM and SIGKILL")
    for flag in UNSUPPORTED:
        parser.add_argument(flag, action=Unsupported, help=argparse.SUPPRESS)
    parser.add_argument("training_script", help="the program, as after `python`")
    parser.add_argument("training_script_args", nargs=argparse.REMAINDER)
    return parser


def given(flags, argv):
    """True when one of the flags stands in the command line (before the script)."""
    return any(a.split("=", 1)[0] in flags for a in argv)


def parse(argv, environ=os.environ):
    """Options of the command line ``argv``; ``options.modern`` says whose printed form and defaults apply."""
    parser = build_parser()
    from_environment = {}
    for flag in NEW_FLAGS + ("--log_dir",):
        name = flag[2:]
        # PADDLE_RANK and friends configure the launcher itself; --devices has an alias without a variable.
        text = environ.get("PADDLE_" + name.upper())
        if text is not None and name != "gpus":
            from_environment[name] = text
    parser.set_defaults(**from_environment)
    options = parser.parse_args(argv)
    before_script = argv[:len(argv) - len(options.training_script_args)]
    options.modern = given(NEW_FLAGS, before_script) or bool(from_environment.keys() - {"log_dir"})
    if options.modern and options.log_dir is None:
        options.log_dir = "log"
    return options


def configuration_lines(options):
    """The configuration as the generation in use prints it."""
    shown = NEW_KEYS if options.modern else OLD_KEYS
    rows = [f"{key}: {getattr(options, key)}" for key in sorted(shown)]
    if options.modern:
        stamp = time.strftime("LAUNCH INFO %Y-%m-%d %H:%M:%S") + f",{int(time.time() * 1000) % 1000:03d} "
        rows = ["-----------  Configuration  ----------------------", *rows, "-" * 50]
        return [stamp + row for row in rows]
    return ["-----------  Configuration Arguments -----------", *rows, "-" * 48]
