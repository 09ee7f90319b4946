"""What layers share that keep numbers about what passed."""

from ...core.errors import check_choice
from ...core.op import Symbolic
from ...core.rooms import rooms
from ..initializer import Constant
from ..layer.layers import Layer
from ..param_attr import ParamAttr


class Keeping(Layer):
    """What layers share that keep numbers about what passed."""

    def __init__(self, reduce_type):
        super().__init__()
        if reduce_type is not None:
            check_choice(reduce_type, ("max",), type(self).__name__, "reduce_type")
        self._reduce_type = reduce_type

    def _number(self, name, start, dtype, count=1):
        """A parameter that no optimizer moves."""
        return self.create_parameter([count], ParamAttr(name=name, initializer=Constant(start), trainable=False), dtype)

    def _reduce(self, x, *kept):
        """Give all ranks the largest of any of some numbers, where that was asked for; in programs ranks keep their own."""
        if self._reduce_type is not None and not isinstance(x, Symbolic):
            from ...distributed import ReduceOp, all_reduce  # only a job of several processes needs the room
            for number in kept:
                all_reduce(number, op=ReduceOp.MAX)

    def _keep(self, out, **slots):
        """Put new numbers in the place of the old: ``slot=(new, old)``."""
        if isinstance(out, Symbolic):
            rooms.write_over(**slots)
        else:
            for new, old in slots.values():
                if new is not None:
                    old.set_value(new)
