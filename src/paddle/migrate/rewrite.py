"""Rewrites the text of a program by the table of rules, keeping comments and layout; what it cannot decide it marks in place."""

import ast
import re
from dataclasses import dataclass

import libcst as cst
from libcst import matchers
from libcst.metadata import MetadataWrapper, PositionProvider

from ..core import detection
from .head import is_import, with_head, without_paddle
from .helpers import HELPERS
from .rules import REQUIRED, table
from .scan import (
    aliases_of,
    carried_states,
    classes_of,
    computed,
    gradient_reads,
    is_none,
    is_scope,
    layers_of,
    literal,
    short,
)
from .templates import TIGHT, fill, laid_out, names, separated

MARK = "# migrate: "
_SILENT = {  # parameters without an effect on the results
    "use_cudnn", "use_mkldnn", "name", "is_distributed", "force_cpu", "numeric_stable_mode", "in_place", "inplace", "model_dict",
    "keep_name_table", "executor", "zero_copy", "do_model_average_for_mean_and_var", "strategy"}
_METHODS = {"set_dict": "set_state_dict", "load_dict": "set_state_dict", "current_step_lr": "get_lr", "_filter_param": "weight",
            "_bias_param": "bias", "_stop_gradient": "stop_gradient"}
_ANYWHERE = cst.parse_expression("(paddle.CUDAPlace(id) if paddle.is_compiled_with_cuda() else paddle.CPUPlace())")
_OF_ARRAY = matchers.Arg(matchers.Call(matchers.Attribute(attr=matchers.Name("numpy")), []), keyword=None)
_NUMBER_OF_ARRAY = matchers.Call(matchers.Name("float") | matchers.Name("int"), [_OF_ARRAY])
_OLD_ROOMS = ("paddle.fluid.", "paddle.imperative.", "paddle.declarative.")
_SAME_NAMES = {  # activations that have the same name and settings as functions of 2.x
    "relu", "sigmoid", "tanh", "softmax", "log_softmax", "relu6", "swish", "gelu", "elu", "selu", "softplus", "softsign", "mish",
    "softshrink", "thresholded_relu"}
_WITHOUT_EFFECT = re.compile(r"\w+\.permissions = True")  # tensors take no attributes; it kept variables alive
_LOADS_TWO = re.compile(r"^\s*\w+, *\w+ = .*\bload_persistables\(", re.MULTILINE)
_IMPERATIVE = re.compile(r"\bpaddle\.imperative\b|\bfrom paddle import .*\bimperative\b|\benable_imperative\b")
_SCHEDULE = re.compile(r"\b(Piecewise|Noam|Exponential|Cosine)Decay\(|\b(piecewise|noam|exponential|cosine)_decay\(")
GONE_IN_3 = ("paddle.static.nn.sequence_lod.", "paddle.static.ExecutionStrategy")
_ALPHA = {"paddle.nn.functional.": "paddle.fluid.layers.", "paddle.nn.": "paddle.fluid.dygraph.",
          "paddle.optimizer.": "paddle.fluid.optimizer.", "paddle.tensor.": "paddle.fluid.layers."}


@dataclass
class Migration:
    """A migrated program."""

    text: str
    marks: list   #: (line of the old program, what was not decided)
    changed: int  #: calls and names that were rewritten


def migrate(text, file="<program>", to="2.6"):
    """The Migration of a program's text."""
    ast.parse(text, file)
    rewriter = _Rewriter(text, to)
    if not rewriter.is_old:
        return Migration(text, [], 0)
    module = MetadataWrapper(_parsed(text)).visit(rewriter)
    code = module.with_changes(body=with_head(module, rewriter)).code
    ast.parse(code, file)  # what is handed out is a program
    return Migration(code, sorted(set(rewriter.marks)), rewriter.changed)


def _parsed(text):
    """The tree of a text that Python reads; libcst does not follow tabs among spaces, so these become spaces then."""
    try:
        return cst.parse_module(text)
    except cst.ParserSyntaxError:
        return cst.parse_module(re.sub(r"^[ \t]+", lambda indent: indent[0].expandtabs(8), text, flags=re.MULTILINE))


class _Rewriter(cst.CSTTransformer):
    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self, text, to):
        super().__init__()
        self.aliases, self.marks, self.pending, self.used, self.changed = aliases_of(text), [], [], set(), 0
        self.class_depth = 0
        self.depth = 0  # of blocks around the statement at hand
        self.called, self.parts = set(), set()  # functions of calls, and names that are no values: attributes and keywords
        self.owners = set()  # what attributes are taken of
        self.classes, self.layers = classes_of(text), []  # classes of layers; by scope the names of their objects
        self.to, self.gone = to, GONE_IN_3 if to == "3" else ()
        self.is_dygraph = "dygraph" in text
        self.alpha = _IMPERATIVE.search(text) is not None
        self.optional = []  # by function the parameters that are tensors or None
        self.is_late = False  # does some optimizer get to know its layers when it is used?
        self.has_schedule = (self.is_dygraph or self.alpha) and _SCHEDULE.search(text) is not None
        self.other_scopes_minimize = ".minimize(" in text and self.is_dygraph
        self.is_mixed = "Executor(" in text and re.search(r"enable_(imperative|dygraph)\(", text) is not None
        self.loads_one = _LOADS_TWO.search(text) is None  # 1.4 gave the state of the layer alone
        self.kept = gradient_reads(text)
        self.carried = carried_states(text) if self.is_dygraph or self.alpha else set()
        # data received gradients before 1.6; later programs ask for them
        self.reads_data_gradients = bool(self.kept) and not self.alpha and "stop_gradient = False" not in text
        rules = detection.of_text(text).rules()
        self.zeros = {"cut": "gradient_of", "zeros": "any_gradient_of"}.get(rules and rules.missing_gradient)
        self.adds_epsilon = rules is None or rules.raw_moments  # Adam, as it is
        self.translators = set()  # names of ProgramTranslators
        self.left = set()  # aliases that could not be replaced
        self.is_old = self.alpha or "paddle.fluid" in text or "import fluid" in text

    # ---- imports ----
    def visit_Import(self, node):
        return False

    visit_ImportFrom = visit_Import

    def visit_IndentedBlock(self, node):
        self.depth += 1

    def leave_IndentedBlock(self, original, updated):
        self.depth -= 1
        return updated if updated.body else updated.with_changes(body=[cst.parse_statement("pass")])

    # ---- names and calls ----
    def leave_Attribute(self, original, updated):
        name = self._full(original)
        if name is None:
            if original.attr.value in _METHODS and self.is_old:
                self.changed += 1
                return updated.with_changes(attr=cst.Name(_METHODS[original.attr.value]))
            return updated
        return self._name(original, updated, name)

    def leave_Name(self, original, updated):
        name = self.aliases.get(original.value)
        return updated if name is None or "." not in name else self._name(original, updated, name)

    def visit_Call_func(self, node):
        self.called.add(id(node.func))

    def visit_Attribute(self, node):
        self.parts.add(id(node.attr))
        self.owners.add(id(node.value))

    def visit_Arg_keyword(self, node):
        if node.keyword is not None:
            self.parts.add(id(node.keyword))

    def leave_Call(self, original, updated):
        name = self._full(original.func)
        rules = self._rules(name) if name is not None else None
        if name is None and isinstance(original.func, cst.Attribute):
            return self._method(original, updated)
        if name is None and matchers.matches(original, _NUMBER_OF_ARRAY):
            self.changed += 1  # NumPy 2.4 makes numbers of arrays without axes only
            array = updated.args[0]
            return updated.with_deep_changes(array, value=cst.Call(cst.Attribute(array.value, cst.Name("item"))))
        if name is not None and name.endswith(".CUDAPlace") and "dev_id" in cst.Module([]).code_for_node(original):
            self.changed += 1  # the device of this rank: builds without GPUs do not know one
            return fill(_ANYWHERE, {"id": updated.args[0].value}, {"id"})
        if not rules:
            return updated
        if rules[0].is_refusal:
            self._mark(original, f"{short(name)}: {rules[0].new}")
            return updated
        if not rules[0].is_call:
            return updated
        bound = False
        for rule in rules:
            given = self._bind(rule, updated)
            bound = bound or given is not None
            if given is not None and self._fits(rule, given):
                return self._apply(rule, given, original)
        self._mark(original, f"{short(name)}: which form it takes depends on {' and '.join(rules[0].when)}" if bound else
                   f"{short(name)}: the arguments do not fit {name.rpartition('.')[2]}({', '.join(rules[0].parameters)})")
        return updated

    def _method(self, original, updated):
        """A call of a method that does another thing in 2.x, or has gone."""
        method, owner = original.func.attr.value, updated.func.value
        if method == "minimize":
            return self._minimize(updated, owner)
        if method == "with_data_parallel":
            self.changed += 1
            return owner
        if method in ("sublayers", "parameters", "named_parameters"):
            kept = [a for a in updated.args if a.keyword is None or a.keyword.value != "include_sublayers"]
            return updated.with_changes(args=separated(kept)) if len(kept) < len(updated.args) else updated
        if method == "gradient" and self.zeros and not original.args:
            self.used.add(self.zeros)
            self.changed += 1
            return cst.Call(cst.Name(self.zeros), [cst.Arg(owner)])
        if method == "save_inference_model" and isinstance(owner, cst.Name) and owner.value in self.translators:
            layers = self.layers[-1]
            if len(layers) != 1:
                self._mark(original, "ProgramTranslator.save_inference_model: use paddle.jit.save(layer, path)")
                return updated
            self.used.add("save_traced")
            self.changed += 1
            return cst.Call(cst.Name("save_traced"), separated([cst.Arg(cst.Name(layers[0])), *updated.args]))
        return updated

    def _minimize(self, updated, owner):
        updated = updated.with_changes(args=[a.with_changes(keyword=cst.Name("parameters")) if a.keyword is not None
                                             and a.keyword.value == "parameter_list" else a for a in updated.args])
        if self.is_late and self.layers[-1] and len(updated.args) == 1:
            given = cst.Arg(cst.parse_expression(f"[{', '.join(self.layers[-1])}]"), keyword=cst.Name("layers"), equal=TIGHT)
            updated = updated.with_changes(args=separated([*updated.args, given]))
        clips = any(a.keyword is not None and a.keyword.value == "grad_clip" for a in updated.args)
        if self.has_schedule or self.is_late or clips:
            self.used.add("minimize")
            return cst.Call(cst.Name("minimize"), separated([cst.Arg(owner), *updated.args]))
        return updated

    def visit_Assign(self, node):
        name = self._full(node.value.func) if isinstance(node.value, cst.Call) else None
        if name is not None and name.endswith(".ProgramTranslator") and isinstance(node.targets[0].target, cst.Name):
            self.translators.add(node.targets[0].target.value)

    def leave_Assign(self, original, updated):
        if self._line(original) in self.carried:  # 2.x would go back through the steps before, whose tape is gone
            self.changed += 1
            return updated.with_changes(value=cst.Call(cst.Attribute(updated.value, cst.Name("detach"))))
        return updated

    def _full(self, node):
        """The full name of a chain of attributes that begins with an import of paddle, or None."""
        parts = []
        while isinstance(node, cst.Attribute):
            parts.append(node.attr.value)
            node = node.value
        if not isinstance(node, cst.Name) or node.value not in self.aliases:
            return None
        return ".".join([self.aliases[node.value], *reversed(parts)])

    def _rules(self, name):
        found = table().get("@" + name) if self.alpha else None
        found = found or table().get(name)
        if found is None and self.alpha:
            for new, old in _ALPHA.items():
                if name.startswith(new):
                    return table().get(old + name[len(new):])
        return found

    def _name(self, original, updated, name):
        """A name that is not called, or the function of a call that is handled with it."""
        if id(original) in self.parts:
            return updated
        rules = self._rules(name)
        if rules is None:
            return self._unruled(original, updated, name)
        rule, called = rules[0], id(original) in self.called
        if rule.new.startswith(self.gone or "-"):
            self._mark(original, f"{short(name)}: Paddle 3 has no {rule.new.partition('(')[0]}")
        if rule.is_refusal and not called:
            self._mark(original, f"{short(name)}: {rule.new}")
        if rule.is_refusal or rule.is_call and called:
            return updated
        new = rule.new
        if rule.is_call:
            new = new.partition("(")[0]
            if len(rules) > 1 or rule.then or new in HELPERS:
                self._mark(original, f"{short(name)} is passed on; its arguments are others in 2.x")
                return updated
        else:
            self.used |= {new.partition(".")[0]} & set(HELPERS)
        self.changed += 1
        return cst.parse_expression(new)

    def _unruled(self, original, updated, name):
        """A name without a rule of its own: it stays, and what 2.x lacks is marked."""
        owner = self._rules(name.rpartition(".")[0])
        if owner and not owner[0].is_call and not owner[0].is_refusal:
            return updated  # of a class that has a rule
        if name.startswith(_OLD_ROOMS) and not any(n.startswith(name + ".") for n in table()):
            self._mark(original, f"{short(name)} has no rule")
            self.left.add(name)
        elif isinstance(original, cst.Name) and not name.startswith(_OLD_ROOMS) and name + "." not in _OLD_ROOMS:
            return cst.parse_expression(name)  # its import is replaced by that of paddle
        elif (name + ".").startswith(_OLD_ROOMS) and id(original) not in self.owners:
            self._mark(original, f"the module {short(name)} is passed on; 2.x has none")
        return updated

    # ---- one call ----
    def _bind(self, rule, updated):
        """{parameter: its CST} of a call, or None if it does not fit."""
        given, names, args = {}, list(rule.parameters), updated.args
        args = args[_has_scope(rule, args):]
        for k, arg in enumerate(args):
            if arg.star:
                return None
            name = arg.keyword.value if arg.keyword is not None else names[k] if k < len(names) else None
            if name == "name" and name not in rule.parameters:
                continue  # nearly everything took one
            if name not in rule.parameters or name in given:
                return None
            given[name] = arg.value
        missing = [n for n, default in rule.parameters.items() if default is REQUIRED and n not in given]
        return None if missing else given

    def _fits(self, rule, given):
        for name, wanted in rule.when.items():
            value = literal(given[name]) if name in given else rule.parameters[name]
            if value != wanted or isinstance(value, bool) != isinstance(wanted, bool):
                return False
        return True

    def _apply(self, rule, given, original):
        if rule.new.startswith("paddle.ParamAttr(") and self.class_depth and self.is_dygraph and not self.is_mixed:
            # in 2.x every layer needs parameters of other names
            given = {n: v for n, v in given.items() if n != "name" or not isinstance(v, cst.SimpleString)}
        forced = {n for n in rule.parameters if f"{n}!" in rule.new}
        values = {**{n: cst.parse_expression(repr(rule.parameters[n])) for n in forced}, **given}
        template = cst.parse_expression(rule.new.replace("!", ""))
        read = names(template) | ({"act"} if rule.then.endswith("act") else set()) | set(rule.when)
        if rule.when.get("global_pooling"):
            read |= set(given)  # the window is the whole image
        dropped = [n for n in given if n not in read | _SILENT and literal(given[n]) != rule.parameters[n]]
        if dropped:
            self._mark(original, f"{short(rule.old)}: 2.x has no {', '.join(dropped)}")
        filled = fill(template, values, set(rule.parameters))
        self.used |= names(template) & names(filled) & set(HELPERS)
        result = laid_out(filled, original)
        result = self._adapted(rule, given, result, original)
        if rule.then.endswith("act") and "act" in given and not is_none(given["act"]):
            result = self._activated(rule.then, result, given["act"])
        if rule.then == "step" and not self.has_schedule:
            self._mark(original, f"{short(rule.old)}: call its step() after every run of the training program")
        self.changed += 1
        is_late = self.is_dygraph and "parameter_list" in rule.parameters and "parameter_list" not in given
        return self._late(rule, result, original) if is_late else result

    def _adapted(self, rule, given, result, original):
        """The new call as this program needs it: by a helper, of another shape."""
        if rule.new.startswith("paddle.optimizer.Adam(") and self.adds_epsilon:
            result = self._by_helper("FluidAdam", result)
        if rule.new.startswith("paddle.nn.Embedding(") and _has_scope(rule, original.args):
            result = self._by_helper("ColumnEmbedding", result)
        if self.is_mixed and rule.new.startswith("paddle.static.Executor("):
            result = self._by_helper("StaticExecutor", result)
        if self.reads_data_gradients and rule.old.endswith("to_variable"):
            result = self._by_helper("to_variable", result)
        if "lr.PiecewiseDecay(" in rule.new and literal(given["boundaries"]) is REQUIRED:  # there may be none
            result = self._by_helper("piecewise_decay", result)
        if rule.new == "load_state(dirname)" and self.loads_one:
            result = cst.Subscript(result, [cst.SubscriptElement(cst.Index(cst.Integer("0")))])
        if rule.then == "one":
            result = cst.parse_expression("paddle.reshape(x, [1])").with_changes(
                args=separated([cst.Arg(result), cst.Arg(cst.parse_expression("[1]"))]))
        return result

    def _by_helper(self, name, call):
        """A call of a helper with the arguments of another."""
        self.used.add(name)
        return call.with_changes(func=cst.Name(name))

    def _late(self, rule, result, original):
        """An optimizer without parameters: of the layers that the function at hand has made by then."""
        layers = self.layers[-1]
        if not layers and not self.other_scopes_minimize:
            self._mark(original, f"{short(rule.old)}: pass parameters=model.parameters(), unless the program is a static one")
            return result
        self.used.add("LateOptimizer")
        self.is_late = self.is_late or not layers
        given = cst.Arg(cst.Name("parameters"), keyword=cst.Name("parameters"), equal=TIGHT)
        made = result.with_changes(args=separated([*result.args, given]))
        make = cst.Lambda(cst.Parameters([cst.Param(cst.Name("parameters"))]), made)
        by_then = [cst.Arg(cst.parse_expression(f"lambda: [{', '.join(layers)}]"))] if layers else []
        return cst.Call(cst.Name("LateOptimizer"), separated([cst.Arg(make), *by_then]))

    # ---- layers that the program makes ----
    def visit_Module(self, node):
        self.layers.append(layers_of(node, self.classes, self._line))

    def visit_FunctionDef(self, node):
        optional = {p.name.value for p in node.params.params if p.default is not None and is_none(p.default)}
        self.optional.append(optional if node.name.value == "forward" else optional & computed(node))
        self.layers.append(layers_of(node, self.classes, self._line))

    def _activated(self, then, result, act):
        if then == "act" and isinstance(act, cst.SimpleString) and ast.literal_eval(act.value) in _SAME_NAMES:
            return cst.Call(cst.parse_expression("paddle.nn.functional." + ast.literal_eval(act.value)), [cst.Arg(result)])
        helper = "activated" if then == "layer act" else "with_activation"
        self.used.add(helper)
        return cst.Call(cst.Name(helper), separated([cst.Arg(result), cst.Arg(act)]))

    def _line(self, node):
        return self.get_metadata(PositionProvider, node).start.line

    # ---- marks ----
    def _mark(self, node, reason):
        self.marks.append((self._line(node), reason))
        self.pending.append(reason)

    def leave_SimpleStatementLine(self, original, updated):
        if _WITHOUT_EFFECT.fullmatch(cst.Module([]).code_for_node(original.with_changes(leading_lines=[])).strip()):
            return cst.RemoveFromParent()
        if self.depth and is_import(original):
            return without_paddle(updated, self) or cst.RemoveFromParent()  # the head of the module imports it
        kept = self.kept.get(self._line(original)) if isinstance(original, cst.SimpleStatementLine) else None
        if kept and not self.pending:
            self.used.add("keep_gradients")
            return cst.FlattenSentinel([cst.parse_statement(f"keep_gradients({', '.join(kept)})"), updated])
        if not self.pending:
            return updated
        lines = [cst.EmptyLine(comment=cst.Comment(MARK + reason)) for reason in dict.fromkeys(self.pending)]
        self.pending = []
        return updated.with_changes(leading_lines=[*updated.leading_lines, *lines])

    def _marked_block(self, original, updated):
        return self.leave_SimpleStatementLine(original, updated)

    def _marked_scope(self, original, updated):
        self.layers.pop()
        self.optional.pop()
        return self.leave_SimpleStatementLine(original, updated)

    def leave_If(self, original, updated):
        test = original.test
        if isinstance(test, cst.Name) and self.optional and test.value in self.optional[-1]:
            self.changed += 1  # a tensor, or None: several elements have no truth value in 2.x
            updated = updated.with_changes(test=cst.parse_expression(f"{test.value} is not None"))
        return self._marked_block(original, updated)

    def visit_ClassDef(self, node):
        self.class_depth += 1

    def leave_ClassDef(self, original, updated):
        self.class_depth -= 1
        return self._marked_block(original, updated)

    leave_For = leave_While = leave_With = _marked_block
    leave_FunctionDef = _marked_scope


def _has_scope(rule, args):
    """Whether a call of a layer gives it a scope for names first, as 1.4 to 1.6 did."""
    return ".dygraph." in rule.old and rule.old.rpartition(".")[2][:1].isupper() and bool(args) and is_scope(args[0])
