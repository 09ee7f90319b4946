"""Refuses to be imported where another distribution owns files of ``paddle``: each would have overwritten the other's.

It is the first import of the package, before one of a file that the other left here, and needs the standard library only.
"""

import os


def check(packages):
    """Raise ImportError if another distribution owns files of ``paddle`` in a folder of packages."""
    found = intruders(packages)
    if found:
        name, version = found[0]
        raise ImportError(
            f"{name} {version} and dygraph are installed in one environment, where each has overwritten files of the other's "
            f"package 'paddle'; to use dygraph run `pip uninstall -y {name} dygraph` and `pip install dygraph`, to use {name} run "
            f"`pip uninstall -y dygraph` and `pip install --force-reinstall --no-deps {name}=={version}`")


def intruders(packages):
    """(name, version) of the other distributions with files of ``paddle`` in a folder of packages."""
    try:
        names = os.listdir(packages)
    except OSError:  # not a folder: an archive
        return []
    names = [n for n in names if n.lower().startswith("paddle") and n.endswith(".dist-info")]
    suspects = [n for n in names if _owns_package(os.path.join(packages, n, "RECORD"))]
    if not suspects:
        return []
    from importlib import metadata  # takes longer than all of the above
    found = [metadata.Distribution.at(os.path.join(packages, n)) for n in suspects]
    return sorted((d.metadata["Name"], d.version) for d in found)


def _owns_package(record):
    try:
        with open(record, encoding="utf-8") as file:
            return any(line.startswith("paddle/") for line in file)
    except OSError:
        return False


check(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
