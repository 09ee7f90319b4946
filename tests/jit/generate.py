"""Random small functions with nested control flow, as source text."""

import random

NAMES = ("a", "b", "c")


class Writer:
    """Writes one function; the same seed gives the same text."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines, self.depth, self.numbers = [], 1, 0
        self.loops = []  # kinds of the loops around

    def add(self, text):
        self.lines.append("    " * self.depth + text)

    def pick(self, *choices):
        return self.random.choice(choices)

    def name(self):
        return self.pick(*NAMES)

    def number(self):
        return round(self.random.uniform(-1.5, 1.5), 2)

    # ---- expressions ----
    def tensor(self):
        """A float tensor of shape [3], of bounded size."""
        p, q = self.name(), self.name()
        return self.pick(f"paddle.tanh({p} + {q} * {self.number()})", f"{p} * 0.5 - {q} * 0.25",
                         f"paddle.sin({p}) * {self.number()}", f"({p} if {self.condition()} else {q}) * 0.5",
                         f"helper({p}, {self.number()})",
                         f"paddle.where({p} > 0, {q}, -{p})", "table['k'] * 0.5 + a", f"paddle.stack([{p}, {q}]).mean(0)",
                         f"[v * {self.number()} for v in ({p}, {q})][1]", "members[-1] * 0.5", "members[0] - members[1]",
                         f"(lambda v: v * {self.number()})({p})", f"box.mixed({p})", "box.value * 0.5",
                         f"{p} * {self.whole()} * 0.1", f"descend({p}, {self.random.randint(0, 2)})", "grow(a) * 0.5",
                         f"max({p}.sum(), {q}.sum()) * {p} * 0.1", f"sum([{p}, {q}]) * 0.3",
                         f"{p} * float({q}.mean()) * 0.5")

    def whole(self):
        """A whole number, which may have become a tensor."""
        return self.pick("k", "len(members)", "a.shape[0]", f"(1 if {self.condition()} else 2)", "int(a.abs().max() < 1)")

    def flag(self):
        """A condition on tensors."""
        p, q = self.name(), self.name()
        return self.pick(f"{p}.sum() > {self.number()}", f"{p}.max() < {q}.max()", f"{p}[1] > {self.number()}",
                         f"paddle.mean({p}) <= {self.number()}", f"-1 < {p}.sum() < {self.number()}",
                         f"bool({p}.min() > {q}.min())", f"any([{p}[0] > {self.number()}, {q}[0] > 0])",
                         f"box.value.max() > {self.number()}", "table['k'].sum() < members[-1].sum()")

    def condition(self):
        """A condition on tensors or Python numbers."""
        kind = self.random.random()
        if kind < 0.5:
            return self.flag()
        if kind < 0.6:
            return f"not {self.flag()}"
        if kind < 0.75:
            return f"{self.flag()} {self.pick('and', 'or')} {self.flag()}"
        if kind < 0.85:
            return f"k {self.pick('>', '<', '==')} {self.random.randint(0, 3)}"
        if kind < 0.9:
            return f"{self.random.randint(0, 1)} <= k < len(members)"
        return f"k > 1 {self.pick('and', 'or')} {self.flag()}"

    # ---- statements ----
    def block(self, budget):
        for _ in range(self.random.randint(1, 3)):
            self.statement(budget)

    def statement(self, budget):
        choices = [self.assign, self.assign, self.swap, self.item, self.entry, self.append, self.replace, self.augment,
                   self.count, self.attribute, self.call]
        if budget > 0:
            choices += [self.if_, self.if_, self.while_, self.for_, self.for_, self.endless, self.if_return, self.with_, self.take]
        if self.loops and budget > 0:
            choices += [self.leave]
        self.random.choice(choices)(budget - 1)

    def assign(self, budget):
        self.add(f"{self.name()} = {self.tensor()}")

    def augment(self, budget):
        self.add(f"{self.name()} {self.pick('+=', '-=')} {self.name()} * {self.number()}")

    def count(self, budget):
        self.add(self.pick("k = (k + 1) % 4", "k = len(members) % 3", f"k = k if {self.condition()} else 2"))

    def attribute(self, budget):
        self.add(self.pick(f"box.value = {self.tensor()}", f"box.keep({self.name()})", "box.value = box.value * 0.5 + c"))

    def call(self, budget):
        self.add(self.pick("grow(b)", f"c = grow({self.name()})", f"assert {self.name()}.abs().max() < 1e6"))

    def swap(self, budget):
        self.add("a, b = b, a * 0.5")

    def item(self, budget):
        p = self.name()
        self.add(f"{p} = {p} * 1.0")
        self.add(f"{p}[{self.random.randint(0, 2)}] = {self.name()}.mean()")

    def entry(self, budget):
        self.add(f"table['k'] = {self.tensor()}")

    def append(self, budget):
        self.add(f"members.append({self.name()} * 0.5)")

    def replace(self, budget):
        self.add(f"members[{self.pick(0, 1, -1)}] = {self.name()} * {self.number()}")

    def take(self, budget):
        """A member is added and another, or the same, taken off."""
        self.append(budget)
        if self.random.random() < 0.5:
            self.add(f"if {self.condition()}:")
            self.nested(0)
        self.add(f"{self.name()} = members.pop()")

    def if_(self, budget):
        self.add(f"if {self.condition()}:")
        self.nested(budget)
        if self.random.random() < 0.3:
            self.add(f"elif {self.condition()}:")
            self.nested(budget)
        if self.random.random() < 0.6:
            self.add("else:")
            self.nested(budget)

    def if_return(self, budget):
        self.add(f"if {self.condition()}:")
        self.depth += 1
        self.add(self.result())
        self.depth -= 1

    def nested(self, budget):
        self.depth += 1
        self.block(budget)
        self.depth -= 1

    def while_(self, budget):
        i = f"i{self.numbers}"
        self.numbers += 1
        self.add(f"{i} = {self.pick('paddle.to_tensor(0)', '0')}")
        extra = f" and {self.flag()}" if self.random.random() < 0.3 else ""
        self.add(f"while {i} < {self.pick('2', 'n', '3')}{extra}:")
        self.depth += 1
        self.add(f"{i} = {i} + 1")
        self.loops.append("while")
        self.block(budget)
        self.loops.pop()
        self.depth -= 1

    def endless(self, budget):
        i = f"e{self.numbers}"
        self.numbers += 1
        self.add(f"{i} = {self.pick('paddle.to_tensor(0)', '0')}")
        self.add("while True:")
        self.depth += 1
        self.add(f"{i} = {i} + 1")
        self.add(f"if {i} > {self.pick('2', 'n')}{self.pick('', ' or ' + self.flag())}:")
        self.add("    break")
        self.loops.append("while")
        self.block(budget)
        self.loops.pop()
        self.depth -= 1

    def with_(self, budget):
        """Blocks that end in a way of their own."""
        kind = self.pick("with contextlib.suppress(KeyError):", "try:")
        self.add(kind)
        self.nested(budget)
        if kind == "try:":
            self.add("finally:")
            self.depth += 1
            self.assign(0)
            self.depth -= 1

    def for_(self, budget):
        i = f"j{self.numbers}"
        self.numbers += 1
        source = self.pick("range(2)", "range(n)", "range(1, n)", "range(n, 0, -1)", "enumerate(a)", "zip(a, b)", "(0.5, 1.5)",
                           "(a, b)", "range(k)", "enumerate([a, c])", "zip((a, b), range(n))", "a")
        pair = source.startswith(("enumerate", "zip"))
        w = f"w{i[1:]}"
        self.add(f"for {i}, {w} in {source}:" if pair else f"for {i} in {source}:")
        self.depth += 1
        if pair:
            self.add(f"c = c * 0.5 + {w} * 0.1 + {i} * 0.1")
        elif source[0] == "(":
            self.add(f"c = c * 0.5 + {i} * 0.1")
        else:
            self.add(f"c = c + {i} * 0.1")
        self.loops.append("for")
        self.block(budget)
        self.loops.pop()
        self.depth -= 1
        if self.random.random() < 0.2:
            self.add("else:")
            self.nested(0)

    def leave(self, budget):
        self.add(f"if {self.condition()}:")
        self.depth += 1
        if self.random.random() < 0.3:
            self.add(f"a = {self.tensor()}")
        self.add(self.pick("break", "continue"))
        self.depth -= 1

    def result(self):
        return "return a, b * 1.0, c, table['k'], paddle.stack(members).sum(0), box.value"

    def function(self, name):
        self.lines = [f"def {name}(x, y, n):"]
        self.add("a, b, c = x * 1.0, y * 1.0, x - y")
        self.add("k, table, members, box = 1, {'k': x}, [x, y], Box(x)")
        self.add("")
        self.add("def grow(v):")
        self.add("    nonlocal c, k")
        self.add("    if v.sum() > 0:")
        self.add("        c = c * 0.5 + v * 0.1")
        self.add("        return v * 0.5")
        self.add("    k = k % 3 + 1")
        self.add("    return c * k * 0.1")
        for _ in range(self.random.randint(2, 4)):
            self.statement(2)
        self.add(self.result())
        return "\n".join(self.lines) + "\n"


HEAD = '''import contextlib

import paddle


def helper(v, factor):
    if v.sum() > 0:
        return v * factor
    for _ in range(2):
        v = v * 0.5
        if v.min() > -0.2:
            return v
    return v - factor


def descend(v, depth):
    if depth == 0:
        return v
    return descend(v * 0.5, depth - 1) if v.max() > 0.1 else v + depth * 0.1


class Box:
    def __init__(self, value):
        self.value = value

    def mixed(self, v):
        if v.max() > self.value.max():
            return self.value * 0.5 + v
        return v * 0.5

    def keep(self, v):
        for _ in range(2):
            if v.sum() > 1:
                self.value = v * 0.3
                return
            v = v + 0.4


'''


def module(seeds):
    """The text of a module with one function per seed, ``program_<seed>``."""
    return HEAD + "\n\n".join(Writer(seed).function(f"program_{seed}") for seed in seeds)
