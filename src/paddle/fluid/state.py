"""Where a fluid program is: inside ``dygraph.guard()`` calls run at once, outside they build the default Program. In programs of
2.0 and later, whose packages still use fluid, they run at once outside too, until static mode is turned on.

All of it is in the context of the thread (core/context.py): a guard changes nothing else.
"""

import contextlib
import functools

from ..base.framework import Tracer as _Tracer
from ..core import detection
from ..core import place as places
from ..core import rules as generations
from ..core.context import changed, context, process
from ..core.names import Counters
from ..core.tensor import Tensor
from ..static.program import program as programs
from ..tensor.argument_checks import check_call
from ..utils import naming


class Tracer(_Tracer):
    """What one guard knows: the parameters made inside it, in order, whether its layers train, and when its last backward
    pass ended (a number of a node)."""

    def __init__(self):
        self.parameters, self._known = [], set()
        self.training, self.last_pass = True, 0
        self.manager = None  # of a guard that lasts until it is turned off

    @property
    def _train_mode(self):
        """Is the guard training, and are calls recorded for gradients?"""
        return self.training and context.grad

    @_train_mode.setter
    def _train_mode(self, on):
        self.training = context.grad = on

    def train_mode(self):
        """Record calls for gradients; dropouts drop."""
        self._train_mode = True

    def eval_mode(self):
        """The opposite of ``train_mode``."""
        self._train_mode = False

    def all_parameters(self):
        """The parameters made inside the guard, in order."""
        return list(self.parameters)

    def _clear_ops(self):
        """Free the recorded calls, as programs of 1.5 ask for after every step. A record lives as long as the tensors that its
        call gave, and a backward pass uses it up: there is no list of them to empty."""

    def add(self, parameter):
        self.parameters.append(parameter)
        self._known.add(id(parameter))

    def knows(self, parameter):
        """Was the parameter made by a layer of fluid inside this guard?"""
        return id(parameter) in self._known


def tracer():
    """The innermost guard's tracer, or None outside any."""
    return context.guard


def register(parameter):
    """Let the innermost guard, if there is one, know a parameter that was made; returns the parameter."""
    if context.guard is not None and isinstance(parameter, Tensor):
        context.guard.add(parameter)
    return parameter


def seems(name):
    """A call says that the program is of this generation or an earlier one: the guard goes by its rules from now on, unless
    a generation was chosen or the program's source has told one."""
    rules, told = generations.find(name), process.chosen or process.found
    if context.guard is not None and told is None and context.rules.is_fluid and rules.number < context.rules.number:
        context.own_rules = rules


def in_dygraph_mode():
    """Is the program inside ``dygraph.guard()`` (or has it called ``enable_dygraph``), or of 2.0 or later and in no static mode?"""
    return context.guard is not None or process.fluid_at_once and not context.static_mode


def rules_of_fluid():
    """The rules of a guard of fluid: those of the generation that was chosen, if it had fluid, else those that the program's
    source tells, else those of 1.8 without what only some of 1.4 to 1.8 refuse."""
    if process.chosen is not None and process.chosen.number < generations.V2_5.number:
        return process.chosen
    return process.found or generations.FLUID


def adopt_version():
    """Go by the generation that the main program's source tells, unless one was chosen."""
    if process.chosen is None:
        process.found = detection.of_main().rules()
        process.rules = process.found or process.rules
        process.fluid_at_once = detection.of_main().is_modern()


def enter():
    """Begin as 2.0 to 2.4 do, if one of them was chosen: fluid runs at once beside paddle.*, until static mode is turned on."""
    if process.chosen is not None and process.chosen.fluid_eager and context.guard is None and not context.static_mode:
        open_guard(names=context.names)


@contextlib.contextmanager
def guard(place=None, rules=None, names=None):
    """Run calls at once inside the ``with`` block, with fresh name counters, so that a model built anew has the same names."""
    places.convert(place, "guard")
    rules = rules or rules_of_fluid()
    if rules.program_seeds:
        programs.seed_dynamic_code(programs.default_startup_program())
    with changed(own_rules=rules, guard=Tracer(), names=names or Counters(), static_mode=False, grad=True,
                 retain_all=rules.retains_all):
        yield


def set_training(on):
    """Switch the innermost guard: in evaluation its dropouts keep everything and nothing is recorded for gradients."""
    if context.guard is not None:
        context.guard.training = context.grad = on


def enable_dygraph(place=None):
    """Enter dygraph mode for the rest of the program, in this thread; further calls do nothing."""
    if context.guard is None:
        open_guard(place)


def open_guard(place=None, rules=None, names=None):
    """Enter a guard that lasts until ``disable_dygraph``."""
    manager = guard(place, rules, names)
    manager.__enter__()
    context.guard.manager = manager


def disable_dygraph():
    """Leave the mode that ``enable_dygraph`` entered."""
    if context.guard is not None and context.guard.manager is not None:
        context.guard.manager.__exit__(None, None, None)


def paused():
    """As outside any guard, inside a ``with`` block: fluid's calls build programs."""
    return changed(guard=None, static_mode=True)


def era_mode():
    """Static mode where fluid builds programs, dynamic where it runs at once, in a ``with`` block: how fluid calls decide when no
    argument does."""
    static = not in_dygraph_mode()
    return _AS_IT_IS if context.static_mode is static else changed(static_mode=static)


_AS_IT_IS = contextlib.nullcontext()
_NAMED_RESULTS = frozenset("""add_position_encoding affine_channel bilinear_tensor_product box_coder clip clip_by_norm gather_nd
    iou_similarity log_loss maxout mean mul polygon_box_transform scale scatter_nd_add sequence_reverse similarity_focus
    sigmoid_cross_entropy_with_logits space_to_depth yolov3_loss logical_and logical_or logical_xor logical_not elementwise_add
    elementwise_sub elementwise_mul elementwise_div elementwise_max elementwise_min elementwise_pow elementwise_mod
    elementwise_floordiv""".split())  # of 1.4 to 1.7; others and later ones give <name>.tmp_0


def _result_named(result, function, arguments):
    """The result of a function that was given a name: in some functions of 1.x that is the Variable's."""
    named, name = context.rules.named_results, arguments["name"]
    exact = named == "more" and function in _NAMED_RESULTS or named == "clip" and function in ("clip", "clip_by_norm")
    if exact and not arguments.get("act") and name not in result.block.vars:
        result.block.rename(result, name, result.block.ops[-1:])
    return result


def fluid_call(function, name=None):
    """Decorator: run a function of fluid, known there by that name, in the mode that fluid programs expect."""
    name = name or function.__name__

    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        if context.guard is None and context.rules.checks == "1.8":
            check_call("1.8", name, function, args, kwargs)
        if "name" in kwargs and context.guard is None and isinstance(kwargs["name"], str) and context.layer_key is None:
            with naming.layer(name, kwargs["name"]):
                return _result_named(wrapped(*args, **kwargs), name, kwargs)
        if context.rules.checks == "2.6":  # 2.6 has no fluid: what its functions refuse is no business of these
            with changed(static_mode=not in_dygraph_mode(), own_rules=context.rules.unchecked()):
                return function(*args, **kwargs)
        with era_mode():
            return function(*args, **kwargs)
    return wrapped
