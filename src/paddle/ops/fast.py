"""How ops try a native kernel that checks its own arguments."""

from .. import kernels


def native_call(call):
    """A kernel for ``Op.kernel()``: ``call(native, *arguments)``, declined where there is no native module, or where it
    refuses the arguments (a dtype, layout or broadcast it has no code for)."""
    def kernel(*values):
        native = kernels.native
        if native is None:
            return NotImplemented
        try:
            return call(native, *values)
        except (TypeError, ValueError):
            return NotImplemented
    return kernel
