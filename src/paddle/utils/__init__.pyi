"""Written by scripts/stubs.py; change the functions, not this file."""

from paddle.utils.plot import Ploter as Ploter
from . import archive as archive
from . import cpp_extension as cpp_extension
from paddle.utils.compat import deprecated as deprecated
from . import dlpack as dlpack
from . import download as download
from . import naming as naming
from . import plot as plot
from paddle.utils.compat import require_version as require_version
from paddle.utils.install_check import run_check as run_check
from paddle.utils.compat import try_import as try_import
from . import unique_name as unique_name
