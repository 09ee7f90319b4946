"""The families of ops, one file each: what their ops have in common, their shape rule, their arithmetic.

An op names its family where it is declared; ``core.facts.FAMILIES`` holds them all. A shape rule works on Specs, in which -1 is
a size that is not known yet, and returns None where it can't tell or where the op itself says better what is wrong.
"""

from . import concat, conv, create, elementwise, index, matmul, other, pool, reduce, reshape  # noqa: F401  (they enter themselves)
