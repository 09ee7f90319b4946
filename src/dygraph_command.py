"""The console script ``paddle``. It stands outside the package, which another distribution may have overwritten."""

import importlib.util
import os
import sys


def main():
    """Run the command line of ``paddle.command``; one line and exit code 1 where the package is not whole."""
    packages = os.path.dirname(os.path.abspath(__file__))
    spec = importlib.util.spec_from_file_location("neighbours", os.path.join(packages, "paddle", "neighbours.py"))
    try:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
        from paddle import command
    except ImportError as error:
        print(f"paddle: {error}", file=sys.stderr)
        return 1
    return command.main()


if __name__ == "__main__":
    sys.exit(main())
