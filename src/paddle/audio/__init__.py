"""Audio functions; so far the windows (see docs/coverage.md for what is absent)."""

from . import functional  # noqa: F401
