"""Families that say how little is known beforehand. Their ops have a shape rule of their own, or are run on stand-ins."""

from __future__ import annotations

from ...core.facts import Family

Family("dynamic", "the output's shape depends on the data")
Family("sequence", "packed sequences: inputs <slot>LoD hold their offsets, first sizes depend on the data")
Family("own", "each op is a kind of its own")
