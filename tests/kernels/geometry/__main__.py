"""See __init__.py."""

import faulthandler
import sys

from . import run

faulthandler.enable()
run(sys.argv[1], *map(int, sys.argv[2:]))
