"""fluid.install_check (1.x; successor: paddle.utils.run_check)."""

from ..utils.install_check import run_check

__all__ = ["run_check"]
