"""Finding where numbers go wrong: which types ops ran in, values that are not finite, two runs side by side."""

import contextlib
import enum
import functools
import os
import random

import numpy as np

from ..core import flags, nan
from ..core.errors import check, check_type, describe
from ..core.hooks import OpHook
from ..core.random import default_generator
from ..core.random import seed as seed_tensors
from ..core.tensor import Tensor, wrap
from .accuracy_compare import compare

__all__ = ["DebugMode", "TensorCheckerConfig", "check_numerics", "enable_operator_stats_collection",
           "disable_operator_stats_collection", "collect_operator_stats", "enable_tensor_checker", "disable_tensor_checker",
           "compare_accuracy", "check_layer_numerics"]


class DebugMode(enum.Enum):
    """What a check does with the results of ops.

    CHECK_NAN_INF_AND_ABORT raises at the first one with NaN or Inf; CHECK_NAN_INF reports those and goes on;
    CHECK_ALL_FOR_OVERFLOW reports also what float16 can't hold; CHECK_ALL reports every one.
    """

    CHECK_NAN_INF_AND_ABORT = nan.ABORT
    CHECK_NAN_INF = nan.BAD
    CHECK_ALL_FOR_OVERFLOW = nan.OVERFLOW
    CHECK_ALL = nan.ALL


# ---- checks of all ops ---------------------------------------------------------------------------------------------------
class TensorCheckerConfig:
    """Settings of ``enable_tensor_checker``.

    Args:
        enable: check at all?
        debug_mode: a DebugMode.
        output_dir: a directory for the report, file ``worker_cpu``; None: it is printed.
        checked_op_list, skipped_op_list: types of ops to check (None: all), and not to check; those of gradients end in ``_grad``.
        debug_step: (first, end): check only while the number of earlier calls of ``enable_tensor_checker`` is in that
            range, so call it once per training step.
        stack_height_limit: 0 leaves layer and line out of errors.

    One that is enabled starts the random numbers of paddle, NumPy and Python again, from paddle's seed or, if that is none for
    NumPy, from 123, so that runs can be compared; ``seed`` is what they were started from.

    >>> config = paddle.amp.debugging.TensorCheckerConfig(True, paddle.amp.debugging.DebugMode.CHECK_NAN_INF)
    """

    current_step_id = 0

    def __init__(self, enable, debug_mode=DebugMode.CHECK_NAN_INF_AND_ABORT, output_dir=None, checked_op_list=None,
                 skipped_op_list=None, debug_step=None, stack_height_limit=1):
        who = "TensorCheckerConfig"
        check_type(debug_mode, DebugMode, who, "debug_mode")
        check_type(stack_height_limit, int, who, "stack_height_limit")
        for name, value in (("checked_op_list", checked_op_list), ("skipped_op_list", skipped_op_list), ("debug_step", debug_step)):
            if value is not None and not isinstance(value, (list, tuple)):
                raise ValueError(f"{who}(): {name} must be a list or tuple, got {describe(value)}")
        check(debug_step is None or (len(debug_step) == 2 and 0 <= debug_step[0] < debug_step[1]),
              "TensorCheckerConfig(): debug_step must be (first, end) with 0 <= first < end, got {}", debug_step)
        self.enable, self.debug_mode, self.output_dir = bool(enable), debug_mode, output_dir
        self.checked_op_list, self.skipped_op_list = checked_op_list, skipped_op_list
        self.debug_step, self.stack_height_limit = debug_step, stack_height_limit
        self.initial_seed = default_generator().initial_seed()
        self.seed = self.initial_seed if 0 <= self.initial_seed < 2 ** 32 else 123
        if self.enable:
            for start in (seed_tensors, np.random.seed, random.seed):
                start(self.seed)

    def update_and_check_step_id(self):
        """Count a step; is it one to check?"""
        step = self.current_step_id
        if self.debug_step is not None and step < self.debug_step[1]:  # behind the range nothing is counted
            TensorCheckerConfig.current_step_id = step + 1
        return self.enable and (self.debug_step is None or self.debug_step[0] <= step < self.debug_step[1])

    def start_check_nan_inf(self):
        """Check from here on."""
        nan.watch(nan.NanFinder(self.debug_mode.value, self.checked_op_list, self.skipped_op_list, self.output_dir,
                                self.stack_height_limit != 0))
        flags.set_flags({"FLAGS_check_nan_inf": True})

    def stop_check_nan_inf(self):
        """Check no longer."""
        flags.set_flags({"FLAGS_check_nan_inf": False})
        nan.watch(None)


def enable_tensor_checker(checker_config):
    """Check the results of all ops and gradients from here on, as a TensorCheckerConfig says.

    >>> debugging = paddle.amp.debugging
    >>> debugging.enable_tensor_checker(debugging.TensorCheckerConfig(True, debugging.DebugMode.CHECK_NAN_INF))
    >>> y = paddle.log(paddle.to_tensor([0., 1.]))  # doctest: +ELLIPSIS
    [PRECISION] [ERROR] in [device=cpu, op=log, tensor=, dtype=fp32], numel=2, num_nan=0, num_inf=1, ...
    >>> debugging.disable_tensor_checker()
    """
    check_type(checker_config, TensorCheckerConfig, "enable_tensor_checker", "checker_config")
    if checker_config.update_and_check_step_id():
        checker_config.start_check_nan_inf()
    else:
        checker_config.stop_check_nan_inf()


def disable_tensor_checker():
    """Stop what ``enable_tensor_checker`` started.

    >>> paddle.amp.debugging.disable_tensor_checker()
    """
    flags.set_flags({"FLAGS_check_nan_inf": False})
    nan.watch(None)


# ---- checks of one tensor, of one layer ------------------------------------------------------------------------------------
def check_numerics(tensor, op_type, var_name, debug_mode=DebugMode.CHECK_NAN_INF_AND_ABORT):
    """([NaNs, infinities, zeros], [largest, smallest, mean]) of a tensor, reported or raised at as the mode says.

    >>> counts, values = paddle.amp.debugging.check_numerics(paddle.to_tensor([1., 0.]), "op", "x")
    >>> counts.tolist(), values.tolist()
    ([0, 0, 1], [1.0, 0.0, 0.5])
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(f"check_numerics(): tensor must be a Tensor with values, got {describe(tensor)}; operators of static "
                        "programs are checked while they run with FLAGS_check_nan_inf")
    check_type(debug_mode, DebugMode, "check_numerics", "debug_mode")
    found, level = nan.Numerics(tensor._data), debug_mode.value
    if found.wanted(level):
        nan.report(found.line(op_type, var_name), None)
    if found.bad and level == nan.ABORT:
        raise RuntimeError(f"check_numerics(): {var_name} of {op_type} has {found.nans} NaN and {found.infs} infinite values")
    return (wrap(np.array([found.nans, found.infs, found.zeros], np.int64)),
            wrap(np.array([found.max, found.min, found.mean], np.float32)))


def check_layer_numerics(func):
    """Check the input of a layer's ``forward`` and the results of all ops in it; the first with NaN or Inf raises.

    >>> paddle.amp.debugging.check_layer_numerics(lambda self, x: x)(paddle.nn.ReLU(), paddle.ones([1])).tolist()
    [1.0]
    """
    @functools.wraps(func)
    def checked(self, *args, **kwargs):
        if not args or not isinstance(args[0], Tensor):
            raise RuntimeError(f"check_layer_numerics(): the first input of {type(self).__name__} must be a Tensor, got "
                               f"{describe(args[0]) if args else 'none'}")
        for i, value in enumerate(args):
            if isinstance(value, Tensor):
                check_numerics(value, type(self).__name__, f"input {i}")
        with nan.NanFinder(nan.ABORT):
            return func(self, *args, **kwargs)
    return checked


# ---- types that ops ran in -------------------------------------------------------------------------------------------------
class _Statistics(OpHook):
    """Counts calls of ops and of their gradients by the type of their results."""

    gradients = True
    kinds = ("float16", "bfloat16", "float32")

    def __init__(self):
        self.counts = {}

    def after(self, op, args, outs):
        """Count one call."""
        first = outs[0] if isinstance(outs, (list, tuple)) and outs else outs
        if isinstance(first, Tensor) or nan.is_gradient(op):
            kind = first.dtype.name if isinstance(first, Tensor) else getattr(getattr(first, "dtype", None), "name", "")
            row = self.counts.setdefault(nan.type_of(op), [0, 0, 0, 0])
            row[self.kinds.index(kind) if kind in self.kinds else 3] += 1


def table_of_types(counts):
    """{type of operators: [calls in float16, bfloat16, float32, others]} as text."""
    titles = ((" FP16 Calls ", 17), (" BF16 Calls ", 17), (" FP32 Calls", 17), (" Other Calls ", 17))
    lines = [f"<{' op list ':-^120}>", f"<{' Op Name ':-^40} | " + " | ".join(f"{t:-^{n}}" for t, n in titles) + ">"]
    for name, row in sorted(counts.items()):
        lines.append(f"  {name:<40}|  " + "|  ".join(f"{n:<17}" for n in row))
    return "\n".join([*lines, f"<{f' op count: {len(counts)} ':-^120}>\n"])


_running = []
_latest = []  # the counts of the collection that was started last


def operator_counts():
    """{type: "float16,bfloat16,float32,other"}: the calls that the collection which was started last has counted."""
    return {name: ",".join(map(str, row)) for hook in _latest for name, row in hook.counts.items()}


def enable_operator_stats_collection():
    """Start to count ops by the type of their results.

    >>> paddle.amp.debugging.enable_operator_stats_collection()
    >>> y = paddle.ones([1]) + 1
    >>> paddle.amp.debugging.disable_operator_stats_collection()  # doctest: +ELLIPSIS
    <...
    """
    if not _running:
        _running.append(_Statistics().install())
        _latest[:] = _running


def disable_operator_stats_collection():
    """Stop counting and print the table.

    >>> paddle.amp.debugging.disable_operator_stats_collection()
    """
    if _running:
        hook = _running.pop()
        hook.remove()
        print(table_of_types(hook.counts))


@contextlib.contextmanager
def collect_operator_stats():
    """Count ops inside a ``with`` block and print the table behind it.

    >>> with paddle.amp.debugging.collect_operator_stats():  # doctest: +ELLIPSIS
    ...     y = paddle.ones([1]) + 1
    <...
    """
    enable_operator_stats_collection()
    try:
        yield
    finally:
        disable_operator_stats_collection()


# ---- two runs --------------------------------------------------------------------------------------------------------------
def compare_accuracy(dump_path, another_dump_path, output_filename, loss_scale=1, dump_all_tensors=False):
    """Write a spreadsheet that sets the reports of two runs side by side, say one in float32 and one in a short type.

    Args:
        dump_path, another_dump_path: directories that were ``output_dir`` of a TensorCheckerConfig (mode CHECK_ALL).
        output_filename: the .xlsx file to write.
        loss_scale: what the losses of the second run were multiplied by; the gradients of the first are for the comparison.
        dump_all_tensors: must be False.
    """
    if dump_all_tensors:
        raise NotImplementedError("compare_accuracy(): dump_all_tensors=True is not supported: reports hold no tensors")
    for path in (dump_path, another_dump_path):
        if not os.path.isdir(path):
            raise FileNotFoundError(f"compare_accuracy(): no directory {path}")
    compare(dump_path, another_dump_path, output_filename, float(loss_scale))
