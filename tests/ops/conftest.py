"""Lets the case files and the harness import each other by plain names."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
