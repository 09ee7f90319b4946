"""``python -m paddle``: the command line (see ``paddle.command``)."""

import sys

from .command import main

if __name__ == "__main__":
    sys.exit(main())
