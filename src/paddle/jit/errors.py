"""What can go wrong while eager code is made into a program."""


class Untranslatable(Exception):
    """The code can't become a program (the construct is named); without ``full_graph`` the call runs eagerly instead."""


class NoValue(Untranslatable, UnboundLocalError):
    """A name is used that has no value, or none that a tensor can hold."""


class Unset:
    """Stands for a name that has no usable value: using it in any way raises, with the reason.

    ``perhaps`` is (value, a flag of the program that says whether it was set) of a name that only some paths set.
    """

    __slots__ = ("name", "why", "perhaps")

    def __init__(self, name, why=None, perhaps=None):
        self.name, self.why, self.perhaps = name, why, perhaps

    def __repr__(self):
        return self.why or f"local variable {self.name!r} is used before it has a value"

    def fail(self, *args, **kwargs):
        raise (UnboundLocalError if self.why is None else NoValue)(repr(self))

    def __getattr__(self, attribute):
        if attribute.startswith("__") and attribute.endswith("__"):  # what copying and inspecting tools look for
            raise AttributeError(attribute)
        self.fail()


for _name in ("call bool len iter next contains getitem setitem delitem int float complex index array enter exit add radd "
              "sub rsub mul rmul matmul rmatmul truediv rtruediv floordiv rfloordiv mod rmod pow rpow and rand or ror "
              "xor rxor lshift rlshift rshift rrshift neg pos abs invert lt le gt ge eq ne iadd isub imul itruediv").split():
    setattr(Unset, f"__{_name}__", Unset.fail)
Unset.__hash__ = object.__hash__


def check_set(values):
    """Raise if one of the values is Unset."""
    for value in values:
        if value.__class__ is Unset:
            value.fail()


def conflict(name, why):
    """The value of a name that differs between branches in a way that no tensor can hold."""
    return Unset(name, f"{_what(name)} depends on a tensor here: {why}; give it a tensor of one shape and dtype on "
                       "every path, before the branch or loop")


def shapeless(name, why):
    """What is said where the shape is asked for of a tensor to which branches give different numbers of dimensions."""
    return (f"{_what(name)} has a shape that depends on a tensor: {why}. That can be returned and given to operators of any shape, "
            "but what is done here asks for its shape; do it in the branches, or give it one number of dimensions on every path")


def _what(name):
    return "what the function returns" if name == "__jit_value" else f"the value of {name!r}"
