"""Written by scripts/stubs.py; change the functions, not this file."""


