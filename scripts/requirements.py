"""Prints what an extra of the installed package needs, one requirement a line.

For `make`: installing the requirements alone spares compiling the extension again, which `pip install -e .[test]` does.
"""

import re
import sys
from importlib.metadata import requires


def requirements(extra: str) -> list[str]:
    """The requirements of an extra, those of the extras it names included, with their other markers."""
    found = []
    for line in requires("dygraph") or []:
        requirement, _, marker = line.partition(";")
        condition = re.fullmatch(r"\s*(?:(.*) and )?extra == ['\"](.+)['\"]", marker)
        if condition is None or condition[2] != extra:
            continue
        own = re.fullmatch(r"dygraph\[(.*)\]", requirement.strip())
        if own:
            found += [r for name in own[1].split(",") for r in requirements(name.strip())]
        else:
            found.append(requirement.strip() + (f"; {condition[1]}" if condition[1] else ""))
    return found


if __name__ == "__main__":
    print("\n".join(requirements(sys.argv[1])))
