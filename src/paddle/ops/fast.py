"""How ops try a native kernel that checks its own arguments."""

from .. import kernels


def native_call(call):
    """A kernel for ``Op.kernel()``: ``call(native, *arguments)``, which declines by returning NotImplemented (a dtype,
    layout or broadcast that it has no code for); declined where there is no native module."""
    def kernel(*values):
        native = kernels.native
        return NotImplemented if native is None else call(native, *values)
    return kernel
