"""Programs rewritten for bfloat16."""

import contextlib

import numpy as np

from ....amp.auto_cast import Caster
from ....core import dtype as dtypes
from ...program.parameters import name_scope
from ...scope import global_scope
from ..rewrite import guarded, rewrite
from .amp_lists import AutoMixedPrecisionListsBF16

GUARD = "__use_bf16__"


@contextlib.contextmanager
def bf16_guard():
    """Mark the operators of a block as those that bfloat16 is for."""
    with name_scope(GUARD):
        yield


def convert_float_to_uint16(in_list):
    """The bits of numbers as bfloat16, those that do not fit cut off.

    >>> hex(paddle.static.amp.bf16.convert_float_to_uint16([1.0])[0])
    '0x3f80'
    """
    return (np.asarray(in_list, np.float32).view(np.uint32) >> 16).astype(np.uint16)


def caster_of(amp_lists, level):
    """What chooses the types of operators by such lists."""
    return Caster("bfloat16", level, amp_lists._custom_white_list or (), amp_lists._custom_black_list or ())


def rewrite_program_bf16(main_prog, amp_lists=None):
    """Let the operators on the list of bfloat16 run in it, with casts around them.

    Args:
        main_prog: a Program without gradients.
        amp_lists: AutoMixedPrecisionListsBF16.
    """
    lists = amp_lists or AutoMixedPrecisionListsBF16()
    rewrite(main_prog, caster_of(lists, "O1"), guarded(None, lists.black_varnames))


def cast_model_to_bf16(program, startup_prog=None, amp_lists=None, use_bf16_guard=True):
    """Let all operators run in bfloat16 that are not on the list of float32, with casts around them.

    Args:
        program: a Program without gradients.
        startup_prog: stays as it is: parameters are stored in float32.
        amp_lists: AutoMixedPrecisionListsBF16.
        use_bf16_guard: only those added inside ``bf16_guard``.
    Returns:
        set of the names of the parameters that are read in bfloat16.
    """
    lists = amp_lists or AutoMixedPrecisionListsBF16()
    return rewrite(program, caster_of(lists, "O2"), guarded(GUARD if use_bf16_guard else None, lists.black_varnames))


def cast_parameters_to_bf16(place, program, scope=None, to_bf16_var_names=None):
    """Round the values of parameters to bfloat16; they are stored in float32 as before.

    Args:
        place: where they are: the CPU.
        program: the Program that has them.
        scope: the scope with their values; the global one for None.
        to_bf16_var_names: their names, as ``cast_model_to_bf16`` returns them.
    """
    scope, kind = scope or global_scope(), dtypes.to_numpy("bfloat16")
    for parameter in program.all_parameters():
        if parameter.name in (to_bf16_var_names or ()):
            scope.set(parameter.name, np.asarray(scope.get(parameter.name)).astype(kind).astype(np.float32))
