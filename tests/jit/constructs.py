"""One small function per construct that to_static translates. The text in a decorator is its row in docs/jit.md."""

import contextlib
import functools

import paddle

CASES = []


def case(text, **options):
    """Register a function with its description."""
    def add(function):
        CASES.append((text, function, options))
        return function
    return add


@case("`if` / `elif` / `else` on tensors, nested")
def if_elif_else(x):
    if x.sum() > 4:
        y = x * 2
        if x.max() > 4:
            y = y - 1
    elif x.sum() > 0:
        y = x + 1
    else:
        y = -x
    return y


@case("early `return`, on some paths or on all")
def early_return(x):
    if x.sum() > 0:
        return x * 2
    y = x + 1
    if y.min() < -2:
        return y * 3
    return y


@case("`return` inside loops")
def return_in_loop(x):
    for i in range(8):
        x = x * 1.5
        if x.abs().sum() > 20:
            return x + i
    return x - 1


@case("`while` on a tensor")
def while_loop(x):
    i = paddle.to_tensor(0)
    while i < 3:
        x = x * 1.5
        i += 1
    return x, i


@case("`while True` with `break` on a tensor")
def while_true(x):
    n = 0
    while True:
        x = x * 2
        n += 1
        if x.abs().sum() > 30:
            break
    return x, n


@case("`while` with `else`")
def while_else(x):
    i = paddle.to_tensor(0)
    while i < 2:
        x = x * 1.5
        if x.sum() > 100:
            break
        i += 1
    else:
        x = x + 1
    return x


@case("`for` over `range` of a tensor")
def for_range(x):
    total = x * 0
    n = (x * x).sum().astype("int64")
    for i in range(n):
        total = total + x * i
    for i in range(n, 0, -3):
        total = total + i
    return total


@case("`for` over a tensor")
def for_tensor(x):
    total = 0.0
    for row in x:
        total = total + row * row
    return total


@case("`for` over `enumerate` and `zip`")
def for_enumerate_zip(x):
    total = x.sum() * 0
    for i, (a, b) in enumerate(zip(x, x * 2)):
        total += a * b * i
    return total


@case("`for` over Python lists, tuples and dicts, with `break`, `continue` and `else` on tensors")
def for_list(x):
    for factor in [1.0, 2.0, 3.0]:
        if x.sum() > 11:
            break
        if x.min() > 1.5:
            continue
        x = x * factor
    else:
        x = x - 1
    for name, value in {"a": 1.0, "b": 2.0}.items():
        x = x + value if name == "a" else x
    return x


@case("`break` and `continue` in loops of the program")
def break_continue(x):
    total, i = paddle.zeros([3]), paddle.to_tensor(0)
    while i < 10:
        i += 1
        if i == 3:
            continue
        if i > 6:
            break
        total = total + x * i
    return total, i


@case("`and`, `or`, `not`, evaluated lazily")
def logic(x):
    i = paddle.to_tensor(0)
    while i < x.shape[0] and x[i] < 2.5:
        i += 1
    if x.sum() > 0 and x.max() > 2 or not x.min() < -2:
        return x * i
    return -x * i


@case("chained comparison")
def chained(x):
    return x * 2 if -1 < x.sum() < 10 else x * 3


@case("conditional expression")
def ternary(x):
    return (x if x.sum() > 0 else x * 2) + (1.0 if x.max() > 2 else 2.0)


@case("`assert`")
def asserted(x):
    assert x.shape[0] == 3
    assert x.abs().sum() > 0, "nothing to do"
    return x * 2


@case("`print` of tensors", prints=True)
def printed(x):
    print("x", x)
    return x * 2


@case("`int()`, `float()`, `bool()` of tensors")
def casts(x):
    n = int(x.sum().abs())
    if bool(n > 2):
        x = x * n
    return x + float(x.max())


@case("slices of lists that grow in loops on tensors, with steps in either direction")
def slices_of_a_list(x):
    members, i = [], paddle.zeros([1], "int64")
    while i < 6:
        members.append(x * i.astype(x.dtype))
        i = i + 1
    return (paddle.stack(members[::-1]), paddle.stack(members[1::2]), paddle.stack(members[4:0:-2]), paddle.stack(members[-2::-1]),
            paddle.stack(members[1:-1]))


@case("`list.append`, `pop`, indexing and `len` in branches and loops on tensors")
def lists(x):
    members, i = [x], paddle.to_tensor(0)
    while i < 3:
        members.append(x * i)
        i += 1
    last = members[-1]
    if x.sum() > 0:
        members.append(last * 5)
    n = len(members)
    return paddle.stack(members).sum(0) + members[1], paddle.concat(members).sum(), n


@case("a list popped in a branch on a tensor")
def popped(x):
    members = [x, x * 2, x * 3]
    if x.sum() > 0:
        last = members.pop()
    else:
        last = x
    return members[-1] + last, len(members)


@case("dict entries set in branches")
def dicts(x):
    table = {"a": x}
    if x.sum() > 0:
        table["a"], table["b"] = x * 2, x
    else:
        table["b"] = x * 9
    return table


class Box:
    """A user's class as a value."""

    def __init__(self, value):
        self.value = value

    def grow(self, x):
        if x.sum() > 0:
            self.value = self.value + x
        return self

    def __call__(self, x):
        return self.value * x if x.max() > 2 else self.value


@case("attributes set in branches; objects of user classes, their methods and `__call__`")
def attributes(x):
    box = Box(x * 0)
    box.grow(x).grow(x * 2)
    return box(x) + box.value


@case("`x.shape[i]`, `len(x)`")
def sizes(x):
    return paddle.reshape(x, [x.shape[0], 1]) * len(x)


@case("tensors written by index (`x[i] = v`), other names for them included")
def items(x):
    y = x * 1
    z = y
    if x.sum() > 0:
        y[0] = 10.0
    for i in range(paddle.to_tensor(3)):
        y[i] = y[i] * i
    return y, z


@case("in-place methods")
def in_place(x):
    y = x * 1
    if x.sum() > 0:
        y.add_(x)
    return y.scale_(2.0)


def helper(v, depth=0):
    if v.abs().sum() > 10:
        return v
    return helper(v * 2, depth + 1) if depth < 4 else v


@case("user functions, recursion, keyword and default arguments")
def calls(x):
    return helper(x) + helper(v=x * 3, depth=1)


@case("nested functions, closures, `nonlocal`")
def closures(x):
    count = 1.0

    def inner(v):
        nonlocal count
        count = count + 1
        if v.sum() > 0:
            return v * count
        return v
    return inner(x) + inner(x)


FACTOR = 3.0


@case("lambdas, global names, `functools.partial`")
def lambdas(x):
    double = lambda v: v * FACTOR if v.sum() > 0 else v  # noqa: E731
    return double(x) + functools.partial(helper, depth=2)(x)


def twice(function):
    @functools.wraps(function)
    def run(*args):
        return function(*args) * 2
    return run


@twice
def decorated_helper(x):
    return x if x.sum() > 0 else x * 4


@case("decorators")
def decorated(x):
    return decorated_helper(x)


class Base:
    def scale(self, x):
        return x * 2 if x.sum() > 0 else x


class Derived(Base):
    def scale(self, x):
        return super().scale(x) + self.__private(x)

    def __private(self, x):
        return x * 0.5


@case("`super()`, private names, inheritance")
def inherited(x):
    return Derived().scale(x)


@case("f-strings, comprehensions, generator expressions, `:=`, tuple swaps")
def expressions(x):
    parts = [v * i for i, v in enumerate(x) if i != 1]
    text = f"{len(parts)}"
    if (total := x.sum()) > 0:
        x = x * total
    a, b = x, x * 2
    a, b = b, a
    return a - b * int(text) + sum(p for p in parts)


@case("`with` blocks: `no_grad` and others")
def with_blocks(x):
    with paddle.no_grad():
        y = x * 2
    with contextlib.suppress(KeyError):
        if x.sum() > 0:
            y = y + x
    return x + y


@case("`try` / `finally`")
def tries(x):
    try:
        if x.sum() > 0:
            x = x * 2
    finally:
        x = x + 1
    return x


@case("a name that is None before, or assigned on every path")
def names(x):
    out = None
    if x.sum() > 0:
        out = x
    else:
        out = x * 2
    return out if out is not None else x


@case("shapes that grow in a loop")
def growing(x):
    i = paddle.to_tensor(0)
    while i < 2:
        x = paddle.concat([x, x])
        i += 1
    return x, x.shape[0]


@case("loops in loops, branches in loops")
def nested_loops(x):
    i = paddle.to_tensor(0)
    while i < 3:
        for j in range(i):
            if x.sum() > 2:
                x = x - j
            else:
                x = x + 0.5
        i += 1
    return x


@case("swapped and dependent loop variables")
def dependent(x):
    a, b, i = x, x * 2, paddle.to_tensor(0)
    while i < 4:
        a, b = b, (a + b) * 0.5
        i += 1
    return a - b


@case("`any`, `all`, `min`, `max`, `sum`, `isinstance`, `type` of tensors")
def built_in(x):
    if all([x.sum() > 0, x.max() < 100]) or any(v < -2 for v in x):
        x = x * 2
    if isinstance(x, paddle.Tensor) and type(x) is paddle.Tensor:
        x = x + max(x.sum(), x.max()) - min(x[0], x[1], 0.5)
    return sum([x, x * 2])


@case("names bound in a loop's condition")
def bound_in_condition(x):
    n = 0
    while (size := x.abs().sum()) < 20:
        x = x * 2
        n += 1
    return x + size, n


TOTALS = {"sum": 0.0, "calls": 0}
LATEST = None


def remember(x):
    global LATEST
    LATEST = x
    TOTALS["sum"] = TOTALS["sum"] + x.sum()
    TOTALS["calls"] += 1


@case("`global` names, dicts, lists and attributes that functions change in branches and loops on tensors")
def side_effects(x):
    global LATEST
    LATEST, TOTALS["sum"], TOTALS["calls"] = x * 1, x.sum() * 0, 0
    box, members, count = Box(x), [x, x], 0

    def put(values, v):
        nonlocal count
        values[0] = v
        count += 1
        box.value = box.value * 0.5
    if x.sum() > 0:
        remember(x * 3)
        put(members, x * 2)
    for i in range(paddle.to_tensor(2)):
        put(members, members[0] + i)
        remember(x)
    return LATEST + members[0] + box.value, TOTALS["sum"] * TOTALS["calls"], count


@case("`zip` of Python sequences with a `range` of a tensor")
def mixed_zip(x):
    for factor, part, i in zip((1.0, 2.0, 3.0), [x, x * 2, x * 3], range(paddle.to_tensor(2))):
        x = x + part * factor * i
    return x


@case("lists that have shrunk, stacked, concatenated and iterated over")
def shrunk(x):
    members = [x, x * 2, x * 3, x * 4]
    if x.sum() > 0:
        members.pop()
    i = paddle.to_tensor(0)
    while i < 1:
        x = x + members.pop()
        i += 1
    for m in members:
        x = x * 0.5 + m
    return x, paddle.stack(members).sum(0), paddle.concat(members).sum()


@case("lists as conditions; tensor arrays")
def list_conditions(x):
    waiting, turns = [x], 0
    while waiting and turns < 4:
        part = waiting.pop()
        turns += 1
        if part.sum() < 10:
            waiting.append(part * 2)
        x = x + part
    array = paddle.tensor.array_write(x * 2, paddle.zeros([1], "int64"))
    return x + paddle.tensor.array_read(array, paddle.zeros([1], "int64")) if not waiting else x


@case("annotated names (`y: Tensor = x`), in branches and loops too")
def annotated(x):
    kept: list
    if x.sum() > 0:
        kept: list[paddle.Tensor] = [x * 2]
    else:
        kept: list[paddle.Tensor] = [x - 1]
    turns: int = 0
    while kept[0].sum() < 10:
        turns: int = turns + 1
        kept[0]: paddle.Tensor = kept[0] * 0.5 + 4
    return kept[0] + turns


@case("tensor arrays filled by `append` and iterated over")
def grown_array(x):
    array = paddle.tensor.create_array("float32")
    for i in range(paddle.to_tensor(3)):
        array.append(x * i)
    if x.sum() > 0:
        array.append(x + 1)
    total = x * 0
    for k, member in enumerate(array):
        total = total * 0.5 + member * k
    return total
