"""Graph and IrGraph: a program as nodes, operators between the variables they read and write, for passes written in Python.

A Graph works on a copy of the program it is made of. Each write of a variable is a node of its own, so that what an operator reads
says who wrote it; ``to_program`` puts the operators in an order that keeps reads before the next write of the same name.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable

from ..core.errors import check_type, describe
from ..core.op import Symbolic
from ..serialization.program_desc import VarKind
from . import draw
from .op_desc import OpDesc, ProgramDesc
from .program.program import Operator, Program
from .program.transform import clone
from .program.variable import LOD_TENSOR, Variable


class IrNode:
    """A node of a graph. ``node`` is the node itself: nothing lies below it."""

    _ids = itertools.count()

    def __init__(self, graph: Graph):
        self.graph, self._id = graph, next(self._ids)
        self.inputs: list = []
        self.outputs: list = []

    node = property(lambda self: self)

    def __hash__(self) -> int:
        return self._id  # sets of nodes have the same order in every run

    def __eq__(self, other) -> bool:
        return self is other

    def name(self) -> str:
        """The type of an operator, the name of a variable."""
        return self.op().type() if self.is_op() else self.var().name()

    def id(self) -> int:
        """Its number."""
        return self._id

    def is_op(self) -> bool:
        """Is it an operator?"""
        return isinstance(self, IrOpNode)

    def is_var(self) -> bool:
        """Is it a variable?"""
        return isinstance(self, IrVarNode)

    def is_ctrl_var(self) -> bool:
        """Does it stand for an order of two operators and nothing else?"""
        return isinstance(self, IrVarNode) and self.variable is None

    def clear_inputs(self) -> None:
        """Cut all links that lead here, on this side."""
        self.inputs.clear()

    def clear_outputs(self) -> None:
        """Cut all links that lead away, on this side."""
        self.outputs.clear()

    def remove_input(self, node: IrNode) -> None:
        """Cut the link from a node, on this side."""
        self.inputs = [n for n in self.inputs if n is not node]

    def remove_output(self, node: IrNode) -> None:
        """Cut the link to a node, on this side."""
        self.outputs = [n for n in self.outputs if n is not node]

    def remove_input_by_id(self, node_id: int) -> None:
        """Cut the link from the node of that number, on this side."""
        self.inputs = [n for n in self.inputs if n.id() != node_id]

    def remove_output_by_id(self, node_id: int) -> None:
        """Cut the link to the node of that number, on this side."""
        self.outputs = [n for n in self.outputs if n.id() != node_id]

    def append_input(self, node: IrNode) -> None:
        """Note a link from a node, on this side."""
        self.inputs.append(node)

    def append_output(self, node: IrNode) -> None:
        """Note a link to a node, on this side."""
        self.outputs.append(node)

    def op(self):
        """The description of the operator; None for variables."""
        return None

    def var(self):
        """The description of the variable; None for operators."""
        return None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name()})"


class IrVarNode(IrNode):
    """One value of a variable: what an operator wrote, or what there was before."""

    def __init__(self, graph: Graph, variable: Variable | None):
        super().__init__(graph)
        self.variable = variable

    def name(self) -> str:
        return f"__control_var@{self._id}" if self.variable is None else self.variable.name

    def var(self):
        return None if self.variable is None else self.variable.desc

    def persistable(self) -> bool:
        """Does the variable keep its value between runs?"""
        return self._described().persistable

    def type(self) -> VarKind:
        """The kind of the variable."""
        return VarKind(self._described().kind)

    def dtype(self):
        """The variable's element type."""
        return self._described().dtype

    def shape(self) -> list:
        """The variable's sizes."""
        return list(self._described().shape)

    def set_shape(self, shape: list) -> None:
        """Let the variable have other sizes."""
        self._described().desc.set_shape(shape)

    def _described(self) -> Variable:
        if self.variable is None:
            raise ValueError(f"{self.name()} stands for an order of operators, it has no description")
        return self.variable


class IrOpNode(IrNode):
    """One operator."""

    def __init__(self, graph: Graph, operator: Operator):
        super().__init__(graph)
        self.operator = operator

    def op(self) -> OpDesc:
        return OpDesc(self.operator)

    def input(self, name: str) -> list:
        """Names in an input slot."""
        return list(self.operator.input(name))

    def output(self, name: str) -> list:
        """Names in an output slot."""
        return list(self.operator.output(name))

    def input_arg_names(self) -> list:
        """Names in all input slots."""
        return self.operator.input_arg_names

    def output_arg_names(self) -> list:
        """Names in all output slots."""
        return self.operator.output_arg_names

    def rename_input(self, old_input_name: str, new_input_name: str) -> None:
        """Read another name in place of one."""
        self.operator._rename_input(old_input_name, new_input_name)

    def rename_output(self, old_output_name: str, new_output_name: str) -> None:
        """Write another name in place of one."""
        self.operator._rename_output(old_output_name, new_output_name)

    def set_type(self, new_type: str) -> None:
        """Make it an operator of another type."""
        self.op().set_type(new_type)

    def set_attr(self, name: str, val) -> None:
        """Set an attribute."""
        self.operator._set_attr(name, val)


class Graph:
    """The nodes of a block of a program, made of a ProgramDesc or a Program: ``core.Graph(program.desc)``."""

    def __init__(self, program_desc, *, block: int = 0, of: Program | None = None):
        if of is None:
            check_type(program_desc, (ProgramDesc, Program), "Graph", "program_desc")
            of = clone(program_desc if isinstance(program_desc, Program) else program_desc.program)
        self.program, self.block = of, of.blocks[block]
        self._others = {block: self}
        self._nodes: dict = {}  # in the order of their making, which is the order of a name's values
        last: dict = {}
        for operator in self.block.ops:
            node = self._enter(IrOpNode(self, operator))
            for name in dict.fromkeys(operator.input_arg_names):
                link(last.get(name) or self._value(name, last), node)
            for name in dict.fromkeys(operator.output_arg_names):
                link(node, self._value(name, last))
        for name in self.block.vars:
            if name not in last:
                self._value(name, last)

    def _value(self, name, last):
        found = self.block.find(name)
        if found is None:
            found = self.block.new_var(name=name, shape=None, dtype=None)
        last[name] = self._enter(IrVarNode(self, found))
        return last[name]

    def _enter(self, node):
        self._nodes[node] = None
        return node

    def nodes(self) -> set:
        """All nodes."""
        return set(self._nodes)

    def ordered(self) -> list:
        """All nodes in the order of their making."""
        return list(self._nodes)

    def __contains__(self, node) -> bool:
        return node in self._nodes

    def sub_graph_size(self) -> int:
        """The number of the program's blocks."""
        return len(self.program.blocks)

    def get_sub_graph(self, index: int) -> Graph:
        """The graph of a block; number 0 is this one."""
        if index not in self._others:
            self._others[index] = Graph(None, block=index, of=self.program)
        return self._others[index]

    def clone(self) -> Graph:
        """A graph of a copy of the program as it is now."""
        return Graph(self.to_program())

    def create_var_node(self, desc) -> IrVarNode:
        """A further value of a described variable, which the block gets if it has none of that name."""
        variable = desc if isinstance(desc, Symbolic) else desc._var
        if self.block.find(variable.name) is None:
            variable.block, self.block.vars[variable.name] = self.block, variable
        return self._enter(IrVarNode(self, self.block.find(variable.name)))

    def create_control_dep_var(self) -> IrVarNode:
        """A node that puts the operator it leads to behind the one it comes from."""
        return self._enter(IrVarNode(self, None))

    def create_op_node(self, desc: OpDesc) -> IrOpNode:
        """A node of a described operator, linked to nothing yet."""
        operator = desc.operator
        return self._enter(IrOpNode(self, Operator(self.block, operator.type, operator.inputs, operator.outputs, operator.attrs)))

    def remove(self, nodes: Iterable) -> None:
        """Take nodes and their links away."""
        for node in nodes:
            for other in node.inputs:
                other.remove_output(node)
            for other in node.outputs:
                other.remove_input(node)
            self._nodes.pop(node, None)

    def order(self) -> list:
        """The operators, each behind those it needs, else as they were made; ValueError for a circle."""
        before, placed, found = _needed(self), {}, []
        for first in before:
            stack = [first]
            while stack:
                node = stack[-1]
                waiting = [n for n in before[node] if placed.get(n) != "done"] if placed.get(node) != "done" else []
                if any(placed.get(n) == "open" for n in waiting):
                    raise ValueError(f"the graph has a circle through {node.name()}")
                if waiting and placed.get(node) != "done":
                    placed[node] = "open"
                    stack.append(waiting[0])
                    continue
                stack.pop()
                if placed.get(node) != "done":
                    placed[node] = "done"
                    found.append(node)
        return found

    def to_program(self) -> Program:
        """A program of the nodes: this block and, as they are, the graphs of the others."""
        for graph in self._others.values():
            graph.block.ops = [node.operator for node in graph.order()]
            named = {node.name() for node in graph._nodes if node.is_var()}
            for name in [n for n in graph.block.vars if n not in named]:
                del graph.block.vars[name]
        self.program.touch()
        program = clone(self.program)
        program.learning_rates = dict(self.program.learning_rates)
        return program


def link(before: IrNode, after: IrNode) -> None:
    """Let a link lead from one node to another."""
    before.append_output(after)
    after.append_input(before)


def _needed(graph: Graph) -> dict:
    """{operator: operators before it}: who wrote what it reads, and who reads or wrote the value of a name that it replaces."""
    before: dict = {node: {} for node in graph._nodes if node.is_op()}
    last: dict = {}
    for node in graph._nodes:
        if not node.is_var():
            continue
        writers = [n for n in node.inputs if n in before]
        for reader in node.outputs:
            if reader in before:
                before[reader].update(dict.fromkeys(w for w in writers if w is not reader))
        older = last.get(node.name())
        for writer in writers if older is not None else ():
            before[writer].update(dict.fromkeys(n for n in (*older.inputs, *older.outputs) if n in before and n is not writer))
        last[node.name()] = node
    return before


class IrGraph:
    """A Graph with the names that passes call.

    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     y = paddle.exp(paddle.static.data('x', [None, 2]))
    >>> graph = paddle.base.framework.IrGraph(paddle.base.core.Graph(main.desc))
    >>> [node.name() for node in graph.all_op_nodes()]
    ['exp']
    """

    def __init__(self, graph: Graph, for_test: bool = False):
        if not isinstance(graph, Graph):
            raise TypeError(f"IrGraph(): graph must be a core.Graph, got {describe(graph)}")
        self.graph, self._for_test = graph, for_test

    def clone(self) -> IrGraph:
        """A graph of a copy of the program as it is now."""
        return IrGraph(self.graph.clone(), self._for_test)

    def is_test(self) -> bool:
        """Is it the graph of a program that is not trained?"""
        return self._for_test

    def all_nodes(self) -> set:
        """All nodes."""
        return self.graph.nodes()

    def all_var_nodes(self) -> set:
        """The nodes of variables."""
        return {node for node in self.graph.ordered() if node.is_var()}

    def all_persistable_nodes(self) -> set:
        """The nodes of variables that keep their values between runs."""
        return {node for node in self.all_var_nodes() if not node.is_ctrl_var() and node.persistable()}

    def all_op_nodes(self) -> set:
        """The nodes of operators."""
        return {node for node in self.graph.ordered() if node.is_op()}

    def all_sub_graphs(self, for_test: bool = False) -> list:
        """The graphs of all blocks, this one first."""
        return [self.get_sub_graph(i, for_test) for i in range(self.graph.sub_graph_size())]

    def get_sub_graph(self, i: int, for_test: bool = False) -> IrGraph:
        """The graph of a block."""
        return IrGraph(self.graph.get_sub_graph(i), for_test)

    def create_persistable_node(self, name, var_type, shape, var_dtype) -> IrVarNode:
        """A node of a new variable that keeps its value between runs."""
        return self._created(name, var_type, shape, var_dtype, True)

    def create_var_node(self, name, var_type, shape, var_dtype) -> IrVarNode:
        """A node of a new variable."""
        return self._created(name, var_type, shape, var_dtype, False)

    def _created(self, name, kind, shape, dtype, persistable):
        kind = LOD_TENSOR if kind is None else int(kind)
        made = Variable(self.graph.block, name, shape, dtype, persistable=persistable, stop_gradient=True, kind=kind)
        return self.graph.create_var_node(made)

    def create_control_dep_var(self) -> IrVarNode:
        """A node that puts the operator it leads to behind the one it comes from."""
        return self.graph.create_control_dep_var()

    def create_var_node_from_desc(self, var_desc) -> IrVarNode:
        """A further value of a described variable."""
        return self.graph.create_var_node(var_desc)

    def create_op_node(self, op_type, attrs, inputs, outputs) -> IrOpNode:
        """A node of a new operator; ``inputs`` and ``outputs`` map slots to nodes, and nothing is linked yet."""
        def names(table):
            listed = {slot: nodes if isinstance(nodes, (list, tuple)) else [nodes] for slot, nodes in table.items()}
            return {slot: [node.name() for node in nodes] for slot, nodes in listed.items()}
        return self.graph.create_op_node(OpDesc(Operator(self.graph.block, op_type, names(inputs), names(outputs), attrs)))

    def create_op_node_from_desc(self, op_desc: OpDesc) -> IrOpNode:
        """A node of a described operator."""
        return self.graph.create_op_node(op_desc)

    def update_input_link(self, old_input_node, new_input_node, op_node) -> None:
        """Let an operator read another node in place of one."""
        self._check("update_input_link", old_input_node, new_input_node, op_node)
        old_input_node.remove_output(op_node)
        op_node.remove_input(old_input_node)
        link(new_input_node, op_node)
        op_node.rename_input(old_input_node.name(), new_input_node.name())

    def update_output_link(self, old_output_node, new_output_node, op_node) -> None:
        """Let an operator write another node in place of one."""
        self._check("update_output_link", old_output_node, new_output_node, op_node)
        old_output_node.remove_input(op_node)
        op_node.remove_output(old_output_node)
        link(op_node, new_output_node)
        op_node.rename_output(old_output_node.name(), new_output_node.name())

    def link_to(self, node_in, node_out) -> None:
        """Let a link lead from one node to another."""
        self._check("link_to", node_in, node_out)
        link(node_in, node_out)

    def _check(self, function, *nodes):
        for node in nodes:
            if node not in self.graph:
                raise ValueError(f"IrGraph.{function}(): {describe(node)} is no node of this graph")

    def safe_remove_nodes(self, remove_nodes) -> None:
        """Take nodes and their links away."""
        self.graph.remove(list(remove_nodes) if isinstance(remove_nodes, Iterable) else [remove_nodes])

    def resolve_hazard(self) -> None:
        """Check that the operators have an order in which no value is replaced before it was read; ValueError if not."""
        self.graph.order()

    def has_circle(self) -> bool:
        """Does some operator need its own result?"""
        try:
            self.graph.order()
        except ValueError:
            return True
        return False

    def graph_num(self) -> int:
        """The number of parts without a link between them."""
        left, count = dict.fromkeys(self.graph.ordered()), 0
        while left:
            count, stack = count + 1, [next(iter(left))]
            while stack:
                node = stack.pop()
                if node in left:
                    del left[node]
                    stack += [*node.inputs, *node.outputs]
        return count

    def topology_sort(self) -> list:
        """The operators, each behind those it needs."""
        return self.graph.order()

    def build_adjacency_list(self) -> dict:
        """{operator: operators it needs}."""
        return {node: set(before) for node, before in _needed(self.graph).items()}

    def draw(self, save_path, name, marked_nodes=None, remove_ctr_var=True) -> None:
        """Write a picture of the program: ``save_path/name.svg``."""
        if marked_nodes:
            raise NotImplementedError("IrGraph.draw(): marked_nodes is not supported")
        if remove_ctr_var:
            self.safe_remove_nodes([node for node in self.all_var_nodes() if node.is_ctrl_var()])
        os.makedirs(save_path, exist_ok=True)
        draw.draw(self.to_program(), os.path.join(save_path, name) + ".svg")

    def to_program(self) -> Program:
        """A program of the nodes."""
        return self.graph.to_program()

    def _find_node_by_name(self, nodes, node_name):
        found = [node for node in nodes if node.name() == node_name]
        if not found:
            raise ValueError(f"no node {node_name!r} among {[node.name() for node in nodes]}")
        return found[-1]
