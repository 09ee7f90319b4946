"""fluid.layers: recurrence written as a ``with`` block that is recorded once and runs for every step, as a while loop."""

import contextlib

from ...core.errors import check_type
from ...core.op import BY_NAME, Symbolic
from ...static import array as arrays
from ...static.program import lod
from ...static.program import program as program_module
from ...static.program.record import assign_to
from ...static.sub_block import SubBlock, append_block_op, carry, store
from ...tensor import functions as tensor
from ...utils import unique_name
from .. import state
from .rank_table import (
    array_to_lod_tensor,
    lod_rank_table,
    lod_tensor_to_array,
    max_sequence_len,
    reorder_lod_tensor_by_rank,
    shrink_memory,
)

__all__ = ["StaticRNN", "DynamicRNN"]


@contextlib.contextmanager
def in_front(parent):
    """Ops inside the ``with`` block go into ``parent``, in front of the loop that is being recorded."""
    program = parent.program
    recorded, program.current_block_idx = program.current_block_idx, parent.idx
    try:
        yield
    finally:
        program.current_block_idx = recorded


class _Recurrence:
    """What both kinds share: a counter, values carried from step to step, and an array for each output."""

    def __init__(self, name=None):
        self._name = name or unique_name.generate(type(self).__name__)
        self._block = self._parent = self._step = self._results = None
        self._carried, self._updates, self._outputs, self._arrays = {}, {}, [], []

    @contextlib.contextmanager
    def _recorded(self):
        if self._parent is not None:
            raise RuntimeError(f"{type(self).__name__}: the block was recorded already")
        with state.era_mode():
            self._parent = program_module.default_main_program().current_block()
            self._step = carry(tensor.zeros([1], "int64"), self._parent)
            with SubBlock() as self._block:
                yield
                self._finish()
            self._block = None

    def _finish(self):
        """The end of a step: outputs are stored, memories and the counter move on; then the loop is put around it."""
        if not self._outputs:
            raise ValueError(f"{type(self).__name__}: the block has no output")
        missing = [name for name in self._carried if name not in self._updates]
        if missing:
            raise ValueError(f"{type(self).__name__}: update_memory was not called for the memory {missing[0]}")
        with self._outside():
            self._arrays = [arrays.new_array(out.dtype) for out in self._outputs]
            count = self._count()
            going = carry(self._step < count, self._parent)
        for out, array in zip(self._outputs, self._arrays):
            arrays.array_write(out, self._step, array)
        names = list(self._carried)
        store(self._block, [self._next(n) for n in names], [self._carried[n] for n in names])
        assign_to(self._step + 1, self._step)
        assign_to(self._step < count, going)
        append_block_op(self._parent, self._block, "while", {"Condition": going}, "StepScopes", {"is_test": False})

    def _outside(self):
        """Ops inside the ``with`` block go in front of the loop."""
        self._inside("memory and inputs")
        return in_front(self._parent)

    def _inside(self, what):
        if self._block is None:
            raise RuntimeError(f"{type(self).__name__}: {what} can be used inside the block only")

    def _keep(self, first):
        """The variable that carries a memory, rows without sequence lengths, from step to step."""
        with self._outside():
            return lod.give(carry(first, self._parent), ())

    def _next(self, name):
        """What a memory will be in the next step."""
        return self._updates[name]

    def _update(self, memory, new):
        self._inside("update_memory")
        if memory.name not in self._carried:
            raise ValueError(f"{type(self).__name__}.update_memory(): {memory.name} is no memory of this block")
        self._updates[memory.name] = new

    def output(self, *outputs):
        """The results of a step."""
        self._inside("output")
        for out in outputs:
            check_type(out, Symbolic, f"{type(self).__name__}.output", "outputs")
        self._outputs += outputs

    def __call__(self):
        """The results of all steps: one Variable, or a list of them."""
        if self._parent is None or self._block is not None:
            raise RuntimeError(f"{type(self).__name__}: the results are there when the block has ended")
        if self._results is None:
            with state.era_mode():
                self._results = [self._joined(array) for array in self._arrays]
        return self._results[0] if len(self._results) == 1 else self._results


class StaticRNN(_Recurrence):
    """Steps along the first axis of tensors [T, N, ...], all of one length (1.x; successor: paddle.nn.RNN,
    paddle.static.nn.while_loop)."""

    def __init__(self, name=None):
        super().__init__(name)
        self._inputs, self._length = {}, None

    def step(self):
        """Context manager that records one step."""
        return self._recorded()

    def step_input(self, x):
        """The step of x [T, ...] that the block is at."""
        self._inside("step_input")
        if self._length is not None and self._length != x.shape[0] and self._length >= 0 and x.shape[0] >= 0:
            raise ValueError(f"StaticRNN.step_input(): x has {x.shape[0]} steps, the inputs before {self._length}")
        self._length = x.shape[0] if self._length is None else max(self._length, x.shape[0])
        made = tensor.index_select(x, self._step, 0).squeeze(0)
        self._inputs[made.name] = x
        return made

    def memory(self, init=None, shape=None, batch_ref=None, init_value=0.0, init_batch_dim_idx=0, ref_batch_dim_idx=1):
        """What ``update_memory`` stored in the step before; at first ``init``, or a constant with the batch size of
        ``batch_ref`` (its axis ``ref_batch_dim_idx``, counted with the steps)."""
        self._inside("memory")
        if init is None:
            if shape is None or batch_ref is None:
                raise ValueError("StaticRNN.memory(): init, or shape and batch_ref, must be given")
            with self._outside():
                init = BY_NAME["fill_constant_batch_size_like"](
                    self._inputs.get(batch_ref.name, batch_ref), shape=[int(n) for n in shape], value=float(init_value),
                    dtype=batch_ref.dtype, input_dim_idx=ref_batch_dim_idx, output_dim_idx=init_batch_dim_idx)
                init.stop_gradient = False
        made = self._keep(init)
        self._carried[made.name] = made
        return made

    def update_memory(self, mem, var):
        """Let a memory be var in the next step."""
        self._update(mem, var)

    def step_output(self, o):
        """One result of a step."""
        self.output(o)

    def _count(self):
        if self._length is None:
            raise ValueError("StaticRNN: the block has no step_input")
        first = next(iter(self._inputs.values()))  # what is fed may be longer than was declared
        return tensor.cast(tensor.shape(first)[0:1], "int64")

    def _joined(self, array):
        out = arrays.tensor_array_to_tensor(array, 0, use_stack=True)[0]
        out.shape = (self._length, *out.shape[1:])
        return out


class DynamicRNN(_Recurrence):
    """Steps along packed sequences (LoD): a step holds one row of every sequence that is that long, longest sequence first
    (1.x; successor: paddle.nn.RNN with sequence_length)."""

    def __init__(self, name=None):
        super().__init__(name)
        self._table = self._first = None

    @property
    def step_idx(self):
        """The number of the step, [1] int64."""
        return self._step

    def block(self):
        """Context manager that records one step."""
        return self._recorded()

    def step_input(self, x, level=0):
        """The rows of x that the step takes; the sequences of the level below, if x has one."""
        self._inside("step_input")
        lod.need(x, "DynamicRNN.step_input", "x", level + 1)
        with self._outside():
            if self._table is None:
                self._table = lod_rank_table(x, level)
            array = lod_tensor_to_array(x, self._table)
            self._first = self._first or array
        return arrays.array_read(array, self._step)

    def static_input(self, x):
        """The rows (or whole sequences, if x has lengths) of x that belong to the sequences of the step."""
        self._need_steps("static_input")
        with self._outside():
            ordered = reorder_lod_tensor_by_rank(x, self._table)
        return shrink_memory(ordered, self._step, self._table)

    def memory(self, init=None, shape=None, value=0.0, need_reorder=False, dtype="float32"):
        """What ``update_memory`` stored in the step before, for the sequences that go on; at first ``init`` (``need_reorder``:
        its rows are in the order of the sequences), or a constant of a shape without the batch."""
        self._inside("memory")
        if shape is not None:
            check_type(shape, (list, tuple), "DynamicRNN.memory", "shape")
        self._need_steps("memory")
        if init is None and shape is None:
            raise ValueError("DynamicRNN.memory(): init or shape must be given")
        with self._outside():
            if init is None:
                step = arrays.array_read(self._first, tensor.zeros([1], "int64"))
                first = BY_NAME["fill_constant_batch_size_like"](step, shape=[-1, *[int(n) for n in shape]], value=float(value),
                                                                 dtype=dtype)
                first.stop_gradient = False
            else:
                first = reorder_lod_tensor_by_rank(init, self._table) if need_reorder else init
            kept = carry(first, self._parent)  # with its sequence lengths, if it has any
        made = shrink_memory(kept, self._step, self._table)
        self._carried[made.name] = kept
        return made

    def update_memory(self, ex_mem, new_mem):
        """Let a memory be new_mem in the next step."""
        self._update(ex_mem, new_mem)

    def _next(self, name):
        """Rows without sequence lengths become sequences of one row where the memory began as sequences."""
        new, kept = self._updates[name], self._carried[name]
        if not kept.lod or new.lod:
            return new
        if len(kept.lod) > 1:
            raise ValueError(f"DynamicRNN.update_memory(): the memory has {len(kept.lod)} levels of sequence lengths, "
                             f"{new.name} none")
        offsets = tensor.arange(0, tensor.shape(new)[0] + 1, dtype="int64")
        return lod.give(tensor.assign(new), [offsets])

    def _need_steps(self, what):
        self._inside(what)
        if self._table is None:
            raise ValueError(f"DynamicRNN.{what}(): step_input must come first")

    def _count(self):
        if self._table is None:
            raise ValueError("DynamicRNN: the block has no step_input")
        return max_sequence_len(self._table)

    def _joined(self, array):
        return array_to_lod_tensor(array, self._table)
