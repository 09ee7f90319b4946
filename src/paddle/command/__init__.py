"""The command ``paddle`` (``python -m paddle``): one module per subcommand.

Such a module has ``HELP`` (one line), ``arguments(parser)``, and ``run(given)``, which may return an exit code.
"""

import argparse
import importlib
import os
import sys

from ..version import dygraph_version, full_version

SUBCOMMANDS = ("doctor", "show", "convert", "migrate", "bench", "board", "launch")


def main(arguments=None):
    """Run a subcommand; returns the exit code. What went wrong is printed to the error output, in one line."""
    parser = argparse.ArgumentParser(prog="paddle", description="Tools for models and programs.")
    parser.add_argument("--version", action="version", version=f"dygraph {dygraph_version} (API of Paddle {full_version})")
    choices = parser.add_subparsers(dest="subcommand", metavar="COMMAND")
    modules = {}
    arguments = sys.argv[1:] if arguments is None else arguments
    for name in [arguments[0]] if arguments and arguments[0] in SUBCOMMANDS else SUBCOMMANDS:  # one needs few of the others' rooms
        module = modules[name] = importlib.import_module(f".{name}", __name__)
        module.arguments(choices.add_parser(name, help=module.HELP, description=module.__doc__))
    if arguments[:1] == ["launch"]:  # its options are read where they always were
        return modules["launch"].run(argparse.Namespace(rest=arguments[1:]))
    given = parser.parse_args(arguments)
    if given.subcommand is None:
        parser.print_help()
        return 2
    try:
        return modules[given.subcommand].run(given) or 0
    except BrokenPipeError:  # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except FileNotFoundError as error:
        said = f"there is no file {error.filename!r}" if error.filename else str(error)
        print(f"paddle {given.subcommand}: {said}", file=sys.stderr)
        return 1
    except (OSError, ValueError, NotImplementedError) as error:
        print(f"paddle {given.subcommand}: {error}", file=sys.stderr)
        return 1
