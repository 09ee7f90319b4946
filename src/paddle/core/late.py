"""Attributes whose values only a run of the program knows: axes and sizes that are given as Variables.

To Python code they are numbers that stand in for the real ones, so only what hands them to an op as they are may ask for them
(``axis_arg(..., late=True)``). Recording (static/program/record.py) writes the Variables in their place.
"""

from __future__ import annotations

from typing import Any


class LateInts(tuple[int, ...]):
    """Axes: as many as the Variables have elements; 0, 1, ... stand in for them. ``listed``: they were given as a list."""

    variables: list[Any]
    listed: bool

    def shifted(self, by: int) -> tuple[int, ...]:
        """Other numbers in their place."""
        return tuple([n + by for n in self])


class LateSizes(LateInts):
    """Sizes: as many as axes of the result. Numbers among the Variables are constants."""


class LateInt(int):
    """A number: 0 stands in for it."""

    variables: list[Any]

    def shifted(self, by: int) -> int:
        """Another number in its place."""
        return int(self) + by


def late_ints(variables: list[Any], count: int, listed: bool) -> LateInts:
    """Axes given by Variables of ``count`` elements together."""
    made = LateInts(range(count))
    made.variables, made.listed = variables, listed
    return made


def late_sizes(given: list[Any], count: int, listed: bool) -> LateSizes:
    """``count`` sizes given by Variables, and numbers among them."""
    made = LateSizes(range(count))
    made.variables, made.listed = given, listed
    return made


def late_int(variable: Any) -> LateInt:
    """A number given by a Variable of one element."""
    made = LateInt(0)
    made.variables = [variable]
    return made
