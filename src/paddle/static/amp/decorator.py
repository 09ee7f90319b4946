"""Optimizers for mixed precision, and the lists of operators that it goes by."""

import contextlib

from ...amp.auto_cast import Caster, black_list, usable, white_list
from ...core.addresses import lookup as _lookup
from ...core.errors import check_choice, describe
from ..program.parameters import global_var, name_scope
from .rewrite import guarded, in_float32, rewrite

__all__ = ["AutoMixedPrecisionLists", "CustomOpLists", "decorate", "fp16_guard"]

_SETTINGS = {"level": "O1", "dtype": "float16", "master_weight": None, "master_grad": False, "init_loss_scaling": 2.0 ** 16,
             "incr_every_n_steps": 2000, "decr_every_n_nan_or_inf": 1, "incr_ratio": 2.0, "decr_ratio": 0.5,
             "use_dynamic_loss_scaling": None, "use_amp_guard": False, "use_promote": False}
_OLDER = ("init_loss_scaling", "incr_every_n_steps", "decr_every_n_nan_or_inf", "incr_ratio", "decr_ratio",
          "use_dynamic_loss_scaling", "use_pure_fp16", "use_fp16_guard", "use_bf16")


class AutoMixedPrecisionLists:
    """Which operators a program in mixed precision would run in the short type (white) and in float32 (black).

    Args:
        custom_white_list, custom_black_list: types of operators to move to a list.
        custom_black_varnames: variables that stay in float32.
        dtype: the short type.

    >>> lists = paddle.static.amp.CustomOpLists(custom_black_list=['conv2d'])
    >>> 'conv2d' in lists.white_list, 'conv2d' in lists.black_list
    (False, True)
    """

    def __init__(self, custom_white_list=None, custom_black_list=None, custom_black_varnames=None, dtype="float16"):
        check_choice(dtype, ("float16", "bfloat16"), "AutoMixedPrecisionLists", "dtype")
        white, black = set(custom_white_list or ()), set(custom_black_list or ())
        if white & black:
            raise ValueError(f"AutoMixedPrecisionLists(): {sorted(white & black)} are on both custom lists")
        self.amp_dtype, self._custom_white_list, self._custom_black_list = dtype, white, black
        self.white_list = (white_list()[dtype]["O1"] | white) - black
        self.black_list = (black_list()[dtype]["O1"] | black) - white
        self.black_varnames = set(custom_black_varnames or ())


CustomOpLists = AutoMixedPrecisionLists


def _keep_layer_norm_scale_bias_to_fp32(*value):
    """Do scales and shifts of ``layer_norm`` stay in float32? Yes, as all parameters do; given a value, ask for that."""
    if value and not value[0]:
        raise NotImplementedError("_keep_layer_norm_scale_bias_to_fp32(): parameters stay in float32; False is not supported")
    return True if not value else None


@contextlib.contextmanager
def fp16_guard():
    """Mark the operators of a block as those that mixed precision is for; their names get the scope ``__use_fp16__``.

    Returns:
        A context manager.

    >>> with paddle.static.amp.fp16_guard():
    ...     pass
    """
    with name_scope("__use_fp16__"):
        yield


class OptimizerWithMixedPrecision:
    """What ``decorate`` gives: the optimizer itself, with the methods of one that scales losses. The scale is 1.

    Args:
        optimizer: the optimizer.
        amp_lists: AutoMixedPrecisionLists.
        settings: the arguments of ``decorate``.
        caster: what chooses the types of operators; None: all run in float32.
        guard: only operators of the name scope of this guard are cast; None: all.
    """

    def __init__(self, optimizer, amp_lists, settings, caster=None, guard=None):
        self._optimizer, self._amp_lists, self.settings = optimizer, amp_lists, settings
        self._caster, self._guard = caster, guard
        self._loss_scaling = self._scaled_loss = None

    def _rewrite(self, program):
        if self._caster is not None:
            rewrite(program, self._caster, guarded(self._guard, self._amp_lists.black_varnames))

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._optimizer, name)

    def get_loss_scaling(self):
        """The variable with the scale of the loss, after ``backward``: 1."""
        return self._loss_scaling

    def get_scaled_loss(self):
        """The loss that was differentiated, after ``backward``."""
        return self._scaled_loss

    def amp_init(self, place, scope=None, test_program=None, use_fp16_test=False, rewrite_master_weight=False):
        """Prepare a program for testing too; parameters stay in float32, so there is nothing to convert before the first run."""
        if test_program is not None and (use_fp16_test or self.settings.get("level") == "O2"):
            self._rewrite(test_program)

    def backward(self, loss, startup_program=None, parameter_list=None, no_grad_set=None, callbacks=None):
        """Add the operators of the gradients; returns pairs of parameters and gradients."""
        self._rewrite(loss.block.program)
        self._scaled_loss = loss = in_float32(loss)
        self._loss_scaling = global_var([1], 1.0, "float32", "loss_scaling_0")
        return self._optimizer.backward(loss, startup_program, parameter_list, no_grad_set, callbacks)

    def apply_gradients(self, params_grads):
        """Add the operators of the update."""
        return self._optimizer.apply_gradients(params_grads)

    def minimize(self, loss, startup_program=None, parameter_list=None, no_grad_set=None):
        """Add the operators of the gradients and of the update."""
        pairs = self.backward(loss, startup_program, parameter_list, no_grad_set)
        return self.apply_gradients(pairs), pairs


def decorate(optimizer, amp_lists=None, *args, **settings):
    """An optimizer for mixed precision.

    Args:
        optimizer (Optimizer): what updates the parameters.
        amp_lists (AutoMixedPrecisionLists or None): which operators run in the short type.
        level, dtype, master_weight, master_grad, init_loss_scaling, incr_every_n_steps, decr_every_n_nan_or_inf, incr_ratio,
            decr_ratio, use_dynamic_loss_scaling, use_amp_guard, use_promote: how the short type is used; those of 2.4 and before
            (``use_pure_fp16``, ``use_fp16_guard``, ``use_bf16``) are known too.
    Returns:
        Optimizer whose ``minimize`` does what mixed precision does.
    Raises:
        ValueError: ``level`` or ``dtype`` is unknown.

    >>> sgd = paddle.static.amp.decorate(paddle.optimizer.SGD(0.1, paddle.nn.Linear(2, 1).parameters()))
    >>> hasattr(sgd, "minimize")
    True
    """
    if amp_lists is not None and not isinstance(amp_lists, AutoMixedPrecisionLists):
        raise TypeError(f"decorate(): amp_lists must be AutoMixedPrecisionLists, got {describe(amp_lists)}")
    order = tuple(_SETTINGS) if args and isinstance(args[0], str) else _OLDER
    if len(args) > len(order):
        raise TypeError(f"decorate(): takes at most {len(order) + 2} arguments, got {len(args) + 2}")
    given = {**dict(zip(order, args)), **settings}
    strange = [name for name in given if name not in _SETTINGS and name not in _OLDER]
    if strange:
        raise TypeError(f"decorate(): unexpected arguments {strange}")
    check_choice(given.get("level", "O1"), ("O0", "OD", "O1", "O2"), "decorate", "level")
    dtype = "bfloat16" if given.get("use_bf16") else given.get("dtype", "float16")
    lists, settings = amp_lists or AutoMixedPrecisionLists(dtype=dtype), {**_SETTINGS, **given}
    level = "O2" if given.get("use_pure_fp16") else settings["level"]
    if level == "O0" or not usable(dtype, "decorate"):
        return OptimizerWithMixedPrecision(optimizer, lists, settings)
    guard = "__use_fp16__" if settings["use_amp_guard"] or given.get("use_fp16_guard") else None
    caster = Caster(dtype, level, lists._custom_white_list, lists._custom_black_list)
    return OptimizerWithMixedPrecision(optimizer, lists, {**settings, "level": level}, caster, guard)

__getattr__ = _lookup(__name__)
