"""Run a program on several processes, on one machine or several: what ``python -m paddle.distributed.launch`` does."""

from ..distributed.launch import launch

HELP = "run a program on several processes (paddle launch --help)"


def arguments(parser):
    """What the subcommand takes: the launcher's own command line, which the launcher reads."""
    parser.add_argument("rest", nargs="*", help="options of the launcher, the program and its arguments")


def run(given):
    """Start the job; the exit code is the job's."""
    return launch(given.rest)
