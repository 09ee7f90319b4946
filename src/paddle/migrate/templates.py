"""The right sides of rules as expressions: filled with the arguments of a call, with its line breaks."""

import libcst as cst
from libcst import matchers

from .rules import REQUIRED
from .scan import literal

TIGHT = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))


def laid_out(call, original):
    """A call with the line breaks between its arguments that the one it replaces had."""
    breaks = [a.comma.whitespace_after for a in original.args if isinstance(a.comma, cst.Comma)
              and isinstance(a.comma.whitespace_after, cst.ParenthesizedWhitespace)]
    if not breaks or not isinstance(call, cst.Call) or len(call.args) < 2:
        return call
    return call.with_changes(args=separated(call.args, breaks[0]), whitespace_before_args=original.whitespace_before_args)


def names(node):
    found = set()

    class Names(cst.CSTVisitor):
        def visit_Name(self, node):
            found.add(node.value)

        def visit_Arg_keyword(self, node):
            return

        def visit_Attribute(self, node):
            return False
    node.visit(Names())
    return found


def fill(template, values, parameters):
    """A template with its parameters replaced; arguments whose parameters have no value are left out."""
    class Filler(cst.CSTTransformer):
        def visit_Attribute(self, node):
            return False

        def leave_Arg(self, original, updated):
            return updated.with_changes(keyword=original.keyword)

        def leave_Name(self, original, updated):
            return values.get(original.value, updated) if original.value in parameters else updated

        def leave_Call(self, original, updated):
            kept, gap = [], False
            for old, new in zip(original.args, updated.args):
                read = names(old.value) & parameters
                if read and not read & set(values):
                    gap = True
                elif gap and old.keyword is None and isinstance(old.value, cst.Name):
                    kept.append(new.with_changes(keyword=old.value, equal=TIGHT))  # templates call it what the function does
                else:
                    kept.append(new)
            call = updated.with_changes(func=updated.func if isinstance(original.func, cst.Call) else original.func,
                                        args=separated(kept))
            return _with_batch(call) if matchers.matches(call.func, matchers.Name("with_batch")) else call
    return template.visit(Filler())


def _with_batch(call):
    """A call of the helper with_batch, or the list that it gives for sizes that stand there."""
    shape = call.args[0].value
    sizes = [literal(e.value) for e in shape.elements] if isinstance(shape, (cst.List, cst.Tuple)) else [REQUIRED]
    if not all(size is None or isinstance(size, int) for size in sizes):
        return call
    is_open = any(size is None or size < 0 for size in sizes)
    return cst.parse_expression(repr(sizes if is_open else [-1, *sizes]))


def separated(args, space=None):
    """Arguments with commas between them."""
    space = cst.SimpleWhitespace(" ") if space is None else space
    args = [a.with_changes(comma=cst.Comma(whitespace_after=space)) for a in args]
    if args:
        args[-1] = args[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return args
