"""Prune the weights of a layer or a program to an n:m pattern, and optimizers that keep the zeros."""

import logging
import weakref

import numpy as np

from ...autograd import no_grad
from ...core.context import in_dynamic_mode
from ...core.errors import describe
from ...core.place import CPUPlace
from ...nn.initializer import Constant
from ...nn.layer.layers import Layer, snake_case
from ...static import Program, default_main_program, default_startup_program, global_scope, program_guard
from ...tensor.creation import create_parameter
from .masks import CheckMethod, MaskAlgo, check_sparsity, create_mask

__all__ = []
_log = logging.getLogger(__name__)
_ALGORITHMS = {"mask_1d": MaskAlgo.MASK_1D, "mask_2d_greedy": MaskAlgo.MASK_2D_GREEDY, "mask_2d_best": MaskAlgo.MASK_2D_BEST}


def _default_pruning(weight_nparray, m, n, func_name, param_name):
    """A weight with its pattern along the axis that products sum over, and its mask; as it is when that axis is shorter than m."""
    shape = weight_nparray.shape
    summed = {2: 0, 4: 1}.get(len(shape))
    if summed is not None and shape[summed] < m:
        _log.warning("%s is not pruned because axis %d of %s is smaller than %d", param_name, summed, list(shape), m)
        return weight_nparray.copy(), np.ones_like(weight_nparray)
    mask = create_mask(weight_nparray.T, func_name, n, m).T
    pruned = weight_nparray * mask
    if not check_sparsity(pruned.T, CheckMethod.get_checking_method(func_name), n, m):
        raise RuntimeError(f"prune_model(): {param_name} of shape {list(shape)} could not be brought into the pattern {n}:{m}")
    return pruned, mask


supported_layers_and_prune_func_map = {}


def add_supported_layer(layer, pruning_func=None):
    """Prune the weights of a further kind of layer.

    Args:
        layer: a layer, its class, or a name with which names of parameters begin.
        pruning_func: called with (weight, m, n, algorithm, name); returns the pruned weight and its mask. None: the usual one.

    >>> paddle.incubate.asp.add_supported_layer(paddle.nn.Conv1D)
    """
    if isinstance(layer, Layer):
        layer = type(layer)
    if isinstance(layer, type) and issubclass(layer, Layer):
        layer = snake_case(layer.__name__)
    if not isinstance(layer, str):
        raise TypeError(f"add_supported_layer(): layer must be a name, a layer or its class, got {describe(layer)}")
    if pruning_func is not None and not callable(pruning_func):
        raise TypeError(f"add_supported_layer(): pruning_func must be callable, got {describe(pruning_func)}")
    supported_layers_and_prune_func_map[layer] = pruning_func or _default_pruning


for _kind in ("fc", "linear", "conv2d"):
    add_supported_layer(_kind)


class ProgramASPInfo:
    """What is known of one program (eager layers count to the default one): mask parameters, masks, names left out."""

    def __init__(self):
        self.mask_vars = {}
        self.masks = {}
        self.excluded_layers = []


class ASPHelper:
    """What the functions of this module do, program by program."""

    MASK_APPENDDED_NAME = "asp_mask"
    PADDLE_WEIGHT_SUFFIX = "w_"
    _known = weakref.WeakKeyDictionary()

    @classmethod
    def _get_program_asp_info(cls, main_program):
        return cls._known.setdefault(main_program, ProgramASPInfo())

    @classmethod
    def _get_mask_name(cls, param_name):
        return f"{param_name}.{cls.MASK_APPENDDED_NAME}"

    @classmethod
    def _get_prune_func_by_name(cls, param_name):
        """The pruning function for the first that is known: the parameter, its layer, the layer's kind; else the usual one."""
        layer = param_name.partition(".")[0]
        for name in (param_name, layer, layer.rpartition("_")[0]):
            if name in supported_layers_and_prune_func_map:
                return supported_layers_and_prune_func_map[name]
        return _default_pruning

    @classmethod
    def _is_supported_layer(cls, main_program, param_name):
        """Whether a parameter is a weight that is pruned."""
        parts = param_name.split(".")
        excluded = cls._get_program_asp_info(main_program).excluded_layers
        if cls.MASK_APPENDDED_NAME in parts or any(name in param_name for name in excluded):
            return False
        if param_name in supported_layers_and_prune_func_map:
            return True
        if len(parts) == 1 or cls.PADDLE_WEIGHT_SUFFIX not in parts[1]:
            return False
        return bool({parts[0], parts[0].rpartition("_")[0]} & supported_layers_and_prune_func_map.keys())

    @classmethod
    def _get_not_ASP_relevant_vars(cls, main_program):
        """The parameters of a program but for masks."""
        return [p for p in main_program.global_block().all_parameters() if cls.MASK_APPENDDED_NAME not in p.name]

    @classmethod
    def _create_mask_variables(cls, main_program, startup_program, params):
        """A parameter of ones, which is not trained, for each weight that can be pruned."""
        known = cls._get_program_asp_info(main_program).mask_vars
        with program_guard(main_program, startup_program):
            for param in params:
                if param.name not in known and cls._is_supported_layer(main_program, param.name):
                    mask = create_parameter(list(param.shape), param.dtype, name=cls._get_mask_name(param.name),
                                            default_initializer=Constant(1.0))
                    mask.stop_gradient = True
                    mask.trainable = False
                    known[param.name] = mask

    @classmethod
    def _minimize(cls, optimizer, loss, main_program=None, startup_program=None, parameter_list=None, no_grad_set=None):
        """``minimize``, and behind the updates a product of each weight with its mask."""
        program = main_program or loss.block.program
        startup_program = startup_program or default_startup_program()
        result = optimizer.minimize(loss, startup_program, parameter_list, no_grad_set)
        params = [param for param, _ in result[1]]
        cls._create_mask_variables(program, startup_program, params)
        for param in params:
            mask = cls._get_program_asp_info(program).mask_vars.get(param.name)
            if mask is not None:
                program.global_block().append_op(type="elementwise_mul", inputs={"X": [param], "Y": [mask]},
                                                 outputs={"Out": [param]}, attrs={"axis": -1, "op_role": 2})
        return result

    @classmethod
    @no_grad()
    def _step(cls, optimizer):
        """A step, and the product of each weight with its mask."""
        optimizer.step()
        known = cls._get_program_asp_info(default_main_program()).mask_vars
        for param in optimizer._parameter_list:
            if param.name in known:
                param.multiply_(known[param.name])

    @classmethod
    def prune(cls, program, params, n, m, algorithm, with_mask):
        """Prune those of ``params``, triples of a name, its tensor and its mask's or None, that are supported."""
        known = cls._get_program_asp_info(program)
        for name, tensor, mask_tensor in params:
            if not cls._is_supported_layer(program, name):
                continue
            weight = np.array(tensor)
            pruned, mask = cls._get_prune_func_by_name(name)(weight, m, n, algorithm, name)
            if with_mask:
                if mask_tensor is None:
                    raise RuntimeError(f"prune_model(): there is no {cls._get_mask_name(name)}; first call asp.decorate(), "
                                       "and in static mode its minimize() and the startup program")
                _set(mask_tensor, np.asarray(mask, weight.dtype))
            _set(tensor, np.asarray(pruned, weight.dtype))
            known.masks[name] = mask
        return dict(known.masks)


def _set(tensor, value):
    """Put a value into a parameter, or into what a scope holds."""
    if hasattr(tensor, "set_value"):
        tensor.set_value(value)
    else:
        tensor.set(value, CPUPlace())


def _scope_tensor(name):
    """What the scope holds under a name, or None."""
    variable = global_scope().find_var(name)
    return None if variable is None else variable.get_tensor()


def set_excluded_layers(param_names, main_program=None):
    """Leave out weights whose names contain one of ``param_names``; to be called before ``decorate``. Up to 2.3 the program comes
    first.

    >>> paddle.incubate.asp.set_excluded_layers(["linear_7"])
    >>> paddle.incubate.asp.reset_excluded_layers()
    """
    if isinstance(param_names, Program):
        param_names, main_program = main_program, param_names
    if not isinstance(param_names, (list, tuple)) or not all(isinstance(name, str) for name in param_names):
        raise TypeError(f"set_excluded_layers(): param_names must be a list of names, got {describe(param_names)}")
    ASPHelper._get_program_asp_info(main_program or default_main_program()).excluded_layers.extend(param_names)


def reset_excluded_layers(main_program=None):
    """Forget what ``set_excluded_layers`` said about a program, or about all for None."""
    for known in ASPHelper._known.values() if main_program is None else [ASPHelper._get_program_asp_info(main_program)]:
        known.excluded_layers.clear()


def decorate(optimizer):
    """The optimizer, whose steps then keep pruned weights at zero.

    >>> asp, linear = paddle.incubate.asp, paddle.nn.Linear(8, 4)
    >>> sgd = asp.decorate(paddle.optimizer.SGD(0.1, linear.parameters()))
    >>> masks = asp.prune_model(linear)
    >>> linear(paddle.ones([1, 8])).sum().backward()
    >>> sgd.step()
    >>> asp.calculate_density(linear.weight.numpy())
    0.5
    """
    if in_dynamic_mode():
        if optimizer._parameter_list is None:
            raise ValueError("asp.decorate(): the optimizer has no parameters")
        ASPHelper._create_mask_variables(default_main_program(), default_startup_program(), optimizer._parameter_list)
    return OptimizerWithSparsityGuarantee(optimizer)


def prune_model(model, n=2, m=4, mask_algo="mask_1d", with_mask=True):
    """Set n of every m neighbours in the weights of linear layers and convolutions to zero, the smallest ones.

    Args:
        model: a layer, or a program that has been initialised.
        mask_algo: 'mask_1d', or in m x m blocks 'mask_2d_greedy' or 'mask_2d_best'.
        with_mask: let the decorated optimizer know, so that training keeps the zeros.

    Returns:
        a dict of masks by name of parameter.
    """
    if mask_algo not in _ALGORITHMS:
        raise ValueError(f"prune_model(): mask_algo must be one of {', '.join(_ALGORITHMS)}, got {describe(mask_algo)}")
    algorithm = _ALGORITHMS[mask_algo]
    if isinstance(model, Layer) and in_dynamic_mode():
        known = ASPHelper._get_program_asp_info(default_main_program()).mask_vars
        params = [(p.name, p, known.get(p.name)) for p in model.parameters()]
        return ASPHelper.prune(default_main_program(), params, n, m, algorithm, with_mask)
    if isinstance(model, Layer):
        found = [p.block.program for p in model.parameters()]
        if not found:
            raise ValueError("prune_model(): the layer has no parameters")
        model = found[-1]
    if not isinstance(model, Program):
        raise TypeError(f"prune_model(): model must be a Layer or a Program, got {describe(model)}")
    params = [(p.name, _scope_tensor(p.name), _scope_tensor(ASPHelper._get_mask_name(p.name)))
              for p in model.global_block().all_parameters()]
    return ASPHelper.prune(model, params, n, m, algorithm, with_mask)


class OptimizerWithSparsityGuarantee:
    """An optimizer that multiplies weights with their masks behind each update; all else is the optimizer's."""

    def __init__(self, optimizer):
        self._optimizer = optimizer

    def __getattr__(self, name):
        return getattr(self._optimizer, name)

    def minimize(self, loss, startup_program=None, parameter_list=None, no_grad_set=None):
        """What the optimizer's does, and the products with masks."""
        return ASPHelper._minimize(self._optimizer, loss, None, startup_program, parameter_list, no_grad_set)

    def step(self):
        """A step that keeps the zeros."""
        ASPHelper._step(self._optimizer)

    def state_dict(self):
        """The optimizer's state and the masks, under the names of the parameters and '.asp_mask'."""
        masks = ASPHelper._get_program_asp_info(default_main_program()).mask_vars
        return {**self._optimizer.state_dict(), **{ASPHelper._get_mask_name(name): mask for name, mask in masks.items()}}

    def set_state_dict(self, state_dict):
        """Continue from what ``state_dict`` returned."""
        state = dict(state_dict)
        for name, mask in ASPHelper._get_program_asp_info(default_main_program()).mask_vars.items():
            saved = state.pop(ASPHelper._get_mask_name(name), None)
            if saved is not None:
                mask.set_value(saved)
        return self._optimizer.set_state_dict(state)
