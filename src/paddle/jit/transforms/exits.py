"""``return``, ``break`` and ``continue`` inside control flow become flags, and what follows them depends on the flags."""

import ast
import itertools

from . import build
from .names import FLAG, walk_scope

_LOOPS = (ast.For, ast.While)


def rewrite(function):
    """Rewrite the statements of a function in place."""
    _Exits(function).run()


def _has(nodes, kind):
    return any(isinstance(n, kind) for n in walk_scope(nodes))


class _Exits:
    def __init__(self, function):
        self.function, self.numbers = function, itertools.count()
        body = function.body
        self.returns = any(_has([s], ast.Return) for s in body if not isinstance(s, ast.Return))
        self.flag, self.value = FLAG + "returned", FLAG + "value"

    def run(self):
        body = self.function.body
        if not self.returns:
            self.function.body = self.block(body, None)
            return
        first = body[0]
        nothing = build.helper("unset", build.constant(self.value))
        begin = build.placed([build.assign(self.flag, build.constant(False)), build.assign(self.value, nothing)], first)
        end = build.placed(ast.Return(value=build.helper("result", build.name(self.flag), build.name(self.value))), body[-1])
        self.function.body = [*begin, *self.block(body, None), end]

    def block(self, statements, loop):
        """Statements with flags; what comes after a possible exit is guarded."""
        done = []
        for k, statement in enumerate(statements):
            new, flags = self.statement(statement, loop)
            done += new
            rest = statements[k + 1:]
            if flags is None:  # control never goes on: the rest is dead
                break
            if flags and rest:
                test = build.helper("going", *[build.name(f) for f in flags])
                guarded = ast.If(test=test, body=self.block(rest, loop), orelse=[])
                done.append(build.placed(guarded, rest[0]))
                break
        return done

    def statement(self, node, loop):
        """(new statements, flags that may have been set; None if it always leaves)."""
        if isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
            node.value = build.placed(build.helper("returning", node.value), node)
        if isinstance(node, ast.Return) and self.returns:
            made = [build.assign(self.value, node.value or build.constant(None)), build.assign(self.flag, build.constant(True))]
            if loop is not None:
                made.append(build.assign(loop.stop, build.constant(True)))
                loop.stops = True
            return build.placed(made, node), None
        if isinstance(node, ast.Break):
            loop.stops = True
            return build.placed([build.assign(loop.stop, build.constant(True))], node), None
        if isinstance(node, ast.Continue):
            loop.skips = True
            return build.placed([build.assign(loop.skip, build.constant(True))], node), None
        if isinstance(node, _LOOPS):
            return self.loop(node, loop)
        flags = []
        for field in ("body", "orelse", "finalbody"):
            part = getattr(node, field, None)
            if isinstance(part, list) and part and isinstance(part[0], ast.stmt) and not isinstance(node, (ast.FunctionDef,
                                                                                                          ast.ClassDef)):
                flags += self.flags_of(part, loop)
                setattr(node, field, self.block(part, loop))
        for handler in getattr(node, "handlers", []):
            flags += self.flags_of(handler.body, loop)
            handler.body = self.block(handler.body, loop)
        for case in getattr(node, "cases", []):
            flags += self.flags_of(case.body, loop)
            case.body = self.block(case.body, loop)
        return [node], list(dict.fromkeys(flags))

    def flags_of(self, statements, loop):
        """Flags that the statements may set, for what follows them."""
        flags, outer, inner = [], list(statements), False
        stack = [(s, inner) for s in outer]
        while stack:
            node, inside = stack.pop()
            if isinstance(node, ast.Return) and self.returns:
                flags.append(self.flag if loop is None else loop.stop)
            elif isinstance(node, ast.Break) and not inside:
                flags.append(loop.stop)
            elif isinstance(node, ast.Continue) and not inside:
                flags.append(loop.skip)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
                continue
            deeper = inside or isinstance(node, _LOOPS)
            stack += [(n, deeper) for n in ast.iter_child_nodes(node)]
        return list(dict.fromkeys(flags))

    def loop(self, node, outer):
        k = next(self.numbers)
        mine = _Loop(f"{FLAG}stop_{k}", f"{FLAG}skip_{k}")
        returns = self.returns and _has(node.body, ast.Return)
        body = self.block(node.body, mine)
        before, after = [], []
        if mine.skips:
            body = build.placed([build.assign(mine.skip, build.constant(False))], node) + body
            before.append(build.assign(mine.skip, build.constant(False)))
        if mine.stops:
            before.append(build.assign(mine.stop, build.constant(False)))
            node.jit_stop = mine.stop
        node.body = body
        flags = []
        if returns:
            if outer is None:
                flags.append(self.flag)
            else:
                outer.stops = True
                after.append(ast.If(test=build.name(self.flag), body=[build.assign(outer.stop, build.constant(True))], orelse=[]))
                flags.append(outer.stop)
        if node.orelse:
            flags += self.flags_of(node.orelse, outer)
            orelse = self.block(node.orelse, outer)
            after += [ast.If(test=build.helper("going", build.name(mine.stop)), body=orelse, orelse=[])] if mine.stops else orelse
            node.orelse = []
        return [*build.placed(before, node), node, *build.placed(after, node)], list(dict.fromkeys(flags))


class _Loop:
    def __init__(self, stop, skip):
        self.stop, self.skip, self.stops, self.skips = stop, skip, False, False
