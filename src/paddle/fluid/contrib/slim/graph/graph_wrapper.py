"""Views of a program, its variables and its operators (fluid.contrib.slim of 1.x)."""

from __future__ import annotations

import copy
import math
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Any

from .....static.ir.lower import EMPTY
from .....static.program.program import Operator, Program, program_guard
from .....static.program.variable import Variable
from .... import io
from ....compiler import BuildStrategy, CompiledProgram
from ....executor import Executor

__all__ = ["GraphWrapper", "OpWrapper", "VarWrapper"]


class VarWrapper:
    """A variable of a graph; equal to others of its name (1.x; successor: none)."""

    def __init__(self, var: Variable, graph: GraphWrapper):
        self._var, self._graph = var, graph

    def __eq__(self, other: object) -> bool:
        return isinstance(other, VarWrapper) and self._var.name == other._var.name

    def __hash__(self) -> int:
        return hash(self._var.name)

    def name(self) -> str:
        """Its name."""
        return self._var.name

    def shape(self) -> tuple:
        """Its sizes."""
        return self._var.shape

    def set_shape(self, shape: Iterable[int]) -> None:
        """Let it have other sizes; its value in a scope is left alone."""
        self._var.desc.set_shape(shape)

    def inputs(self) -> list[OpWrapper]:
        """The operators that read it."""
        return [op for op in self._graph.ops() if self in op.all_inputs()]

    def outputs(self) -> list[OpWrapper]:
        """The operators that write it."""
        return [op for op in self._graph.ops() if self in op.all_outputs()]


class OpWrapper:
    """An operator of a graph (1.x; successor: none)."""

    def __init__(self, op: Operator, graph: GraphWrapper):
        self._op, self._graph = op, graph

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OpWrapper) and self._op is other._op

    def __hash__(self) -> int:
        return id(self._op)

    def _wrapped(self, names: Iterable[str]) -> list[VarWrapper]:
        return [VarWrapper(self._op.block._var_recursive(name), self._graph) for name in names if name != EMPTY]

    def all_inputs(self) -> list[VarWrapper]:
        """The variables it reads."""
        return self._wrapped(self._op.input_arg_names)

    def all_outputs(self) -> list[VarWrapper]:
        """The variables it writes."""
        return self._wrapped(self._op.output_arg_names)

    def inputs(self, name: str) -> list[VarWrapper]:
        """The variables of an input slot."""
        return self._wrapped(self._op.input(name))

    def outputs(self, name: str) -> list[VarWrapper]:
        """The variables of an output slot."""
        return self._wrapped(self._op.output(name))

    def idx(self) -> int:
        """Its number in its block."""
        return self._op.idx

    def type(self) -> str:
        """The operator's name."""
        return self._op.type

    def is_bwd_op(self) -> bool:
        """Does it compute gradients of another operator?"""
        return self._op.type.endswith("_grad")

    def is_opt_op(self) -> bool:
        """Does it update a parameter by its gradient?"""
        return {"Param", "Grad"} <= set(self._op.input_names)

    def attr(self, name: str) -> Any:
        """The value of an attribute."""
        return self._op.attr(name)

    def set_attr(self, key: str, value: Any) -> None:
        """Set an attribute."""
        self._op._set_attr(key, value)


class GraphWrapper:
    """A program with names for what is fed and fetched (1.x; successor: none).

    Args:
        program: the program; None for a new one.
        in_nodes, out_nodes: {any name: name of a variable}, or pairs. Training looks for "loss" or "cost" in ``out_nodes``.
    """

    def __init__(self, program: Program | None = None, in_nodes: Mapping[str, str] | Iterable[tuple[str, str]] | None = (),
                 out_nodes: Mapping[str, str] | Iterable[tuple[str, str]] | None = ()):
        self.program = Program() if program is None else program
        self.persistables = self._persistables()
        self.teacher_persistables: dict[str, Variable] = {}
        self.compiled_graph: CompiledProgram | None = None
        self.in_nodes, self.out_nodes = OrderedDict(in_nodes or ()), OrderedDict(out_nodes or ())

    def _persistables(self) -> dict[str, Variable]:
        return {var.name: var for var in self.program.list_vars() if var.persistable}

    def all_parameters(self) -> list[VarWrapper]:
        """Its parameters."""
        return [VarWrapper(param, self) for block in self.program.blocks for param in block.all_parameters()]

    def is_parameter(self, var: VarWrapper) -> bool:
        """Is the variable a parameter?"""
        return var._var.is_parameter

    def is_persistable(self, var: VarWrapper) -> bool:
        """Does the variable keep its value between runs?"""
        return var._var.persistable

    def ops(self) -> list[OpWrapper]:
        """The operators of all blocks."""
        return [OpWrapper(op, self) for block in self.program.blocks for op in block.ops]

    def vars(self) -> list[VarWrapper]:
        """The variables of all blocks."""
        return [VarWrapper(var, self) for var in self.program.list_vars()]

    def var(self, name: str) -> VarWrapper:
        """A variable of the main block."""
        return VarWrapper(self.program.global_block().var(name), self)

    def pre_ops(self, op: OpWrapper) -> list[OpWrapper]:
        """The operators that write what ``op`` reads, once for each such variable."""
        return [other for other in self.ops() for var in op.all_inputs() if var in other.all_outputs()]

    def next_ops(self, op: OpWrapper) -> list[OpWrapper]:
        """The operators that read what ``op`` writes, once for each such variable."""
        return [other for other in self.ops() for var in op.all_outputs() if var in other.all_inputs()]

    def get_param_by_op(self, op: OpWrapper) -> list[VarWrapper]:
        """The parameters that an operator reads; ValueError where there are none."""
        params = [var for var in op.all_inputs() if self.is_parameter(var)]
        if not params:
            raise ValueError(f"get_param_by_op(): {op.type()} reads no parameters")
        return params

    def numel_params(self) -> int:
        """How many numbers all parameters have together."""
        return sum(math.prod(param.shape()) for param in self.all_parameters())

    def flops(self, only_conv: bool = False) -> float:
        """How many operations one row takes, by the formulae of 1.x: convolutions, pooling, ``mul``, relu, sigmoid and
        batch_norm count, all else does not.

        Args:
            only_conv: count convolutions only.
        """
        return sum(_flops(op) for op in self.ops() if not only_conv or op.type() in _CONVOLUTIONS)

    def compile(self, for_parallel: bool = True, for_test: bool = False, mem_opt: bool = False) -> None:
        """Set ``compiled_graph``, which is to be done again after changes of the program.

        Args:
            for_parallel: for data parallel runs.
            for_test: there is no loss among ``out_nodes``.
            mem_opt: let results share memory.
        """
        self.compiled_graph = CompiledProgram(self.program)
        loss = None if for_test else self.out_nodes["loss"]
        if for_parallel:
            strategy = BuildStrategy()
            strategy.enable_inplace = strategy.memory_optimize = mem_opt
            strategy.fuse_all_reduce_ops = False
            self.compiled_graph = self.compiled_graph.with_data_parallel(loss_name=loss, build_strategy=strategy)

    def clone(self, for_test: bool = False) -> GraphWrapper:
        """A graph of a clone of the program."""
        return GraphWrapper(self.program.clone(for_test), self.in_nodes, self.out_nodes)

    def merge(self, graph: GraphWrapper) -> None:
        """Append the operators of another graph, such as a teacher. Variables of the same name become one; parameters that
        only the other has become variables that no optimizer trains."""
        if len(graph.program.blocks) > 1:
            raise NotImplementedError("GraphWrapper.merge(): control flow in the graph to be merged is not supported")
        block = self.program.global_block()
        for var in graph.program.list_vars():
            if var.persistable:
                self.teacher_persistables[var.name] = var
            if block.has_var(var.name):
                continue
            if var.is_parameter:
                block.new_var(name=var.name, shape=var.shape, dtype=var.dtype, persistable=True, stop_gradient=var.stop_gradient)
            else:
                made = block.vars[var.name] = copy.copy(var)
                made.block = block
        self.program.captured.update(graph.program.captured)
        for op in list(graph.program.global_block().ops):
            block.append_op(op.type, op.inputs, op.outputs, dict(op.attrs), op.where)

    def get_optimize_graph(self, optimizer: Any, place: Any, scope: Any, no_grad_var_names: Iterable[str] = ()
                           ) -> GraphWrapper | None:
        """A clone that trains: with gradients of "loss" or "cost" of ``out_nodes`` and the optimizer's updates; None where there
        is neither. What the optimizer keeps is set up in ``scope``.

        Args:
            no_grad_var_names: variables that receive no gradients.
        """
        graph, startup = self.clone(), Program()
        target = graph.out_nodes.get("loss", graph.out_nodes.get("cost"))
        if target is None:
            return None
        with program_guard(graph.program, startup):
            optimizer.minimize(graph.var(target)._var, no_grad_set=set(no_grad_var_names))
        Executor(place).run(startup, scope=scope)
        return graph

    def save_model(self, path: str, exe: Any) -> None:
        """Write what computes ``out_nodes`` from ``in_nodes``, for load_inference_model: __model__ and __params__.

        Args:
            exe: a SlimGraphExecutor.
        """
        self._save(path, exe, self.in_nodes.values(), self.out_nodes.values(), "__model__")

    def save_infer_model(self, path: str, exe: Any, in_out: Any, program_only: bool = False) -> None:
        """Like save_model, for other variables: __model__.infer and __params__.

        Args:
            in_out: names of what is fed and names of what is fetched.
            program_only: write no parameters.
        """
        self._save(path, exe, in_out[0], in_out[1], "__model__.infer", program_only)

    def _save(self, path: str, exe: Any, feeds: Iterable[str], fetches: Iterable[str], file: str,
              program_only: bool = False) -> None:
        feeds, targets = list(feeds), [self.var(name)._var for name in fetches]
        if not feeds or not targets:
            raise ValueError("a model needs variables that are fed and variables that are fetched")
        io.save_inference_model(path, feeds, targets, exe.exe, main_program=self.program.clone(), model_filename=file,
                                params_filename="__params__", program_only=program_only)

    def save_persistables(self, path: str, exe: Any) -> None:
        """Write the variables that keep their values, one file each, those of merged graphs excepted."""
        self.persistables = {**self._persistables(), **self.persistables}
        io.save_vars(exe.exe, path, self.program, [var for var in self._stored() if var.name not in self.teacher_persistables])

    def load_persistables(self, path: str, exe: Any) -> None:
        """Read what ``save_persistables`` wrote."""
        io.load_vars(exe.exe, path, self.program, self._stored())

    def _stored(self) -> list[Variable]:
        """The variables that files hold: not those of readers."""
        return [var for name, var in self.persistables.items() if "reader" not in name and "double_buffer" not in name]

    def update_param_shape(self, scope: Any) -> None:
        """Let parameters have the sizes of their values in a scope, after pruning."""
        for param in self.all_parameters():
            param.set_shape(scope.find_var(param.name()).get_tensor().shape())

    def infer_shape(self) -> None:
        """Let results have the sizes that follow from those of parameters, after pruning."""
        for op in self.ops():
            if op.type() != "conditional_block":
                op._op.desc.infer_shape(op._op.block.desc)

    def update_groups_of_conv(self) -> None:
        """Let depthwise convolutions have as many groups as filters, after pruning."""
        for op in self.ops():
            if op.type() in ("depthwise_conv2d", "depthwise_conv2d_grad"):
                op.set_attr("groups", op.inputs("Filter")[0].shape()[0])


_CONVOLUTIONS = ("conv2d", "depthwise_conv2d")


def _flops(op: OpWrapper) -> float:
    """Operations of one operator as 1.x counted them: of ``mul`` the first column size of x counts, and channels of filters are
    divided by groups once more."""
    kind = op.type()
    if kind in _CONVOLUTIONS:
        filters, channels, *sizes = op.inputs("Filter")[0].shape()
        height, width = op.outputs("Output")[0].shape()[2:]
        each = math.prod(sizes) * (channels / op.attr("groups")) + bool(op.inputs("Bias"))
        return 2 * height * width * filters * each
    if kind == "pool2d":
        return math.prod(op.outputs("Out")[0].shape()[1:]) * op.attr("ksize")[0] ** 2
    if kind in ("mul", "relu", "sigmoid", "batch_norm"):
        rows, *sizes = op.inputs("X")[0].shape()
        rows = 1 if rows == -1 else rows
        return 2 * rows * sizes[0] * op.inputs("Y")[0].shape()[1] if kind == "mul" else rows * math.prod(sizes)
    return 0
