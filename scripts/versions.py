"""Writes src/paddle/core/versions.json: which versions of Paddle had which names and arguments, as far as they differ.

    python scripts/versions.py MIRROR            MIRROR is a git directory of Paddle's sources

The table is what paddle/core/detection.py tells the version of a program from: ``{name: [versions, {argument: versions}]}``, where
versions are the characters of ``VERSIONS`` whose sources have it. A name that all of them have alike is not in the table. Names
and arguments are read from the sources; no entry is written by hand.
"""

import ast
import json
import os
import sys

import addresses

TABLE = os.path.join(os.path.dirname(__file__), "..", "src", "paddle", "core", "versions.json")
VERSIONS = {"4": "v1.4.1", "5": "v1.5.2", "6": "v1.6.3", "7": "v1.7.2", "8": "v1.8.5", "a": "v2.0.0-alpha0", "0": "v2.0.2",
            "2": "v2.2.2", "9": "v2.4.2"}
ROOMS = ("", ".nn", ".nn.functional", ".imperative", ".optimizer", ".static", ".io", ".declarative", ".metric", ".jit")


class Signatures:
    """The argument names of functions and classes of a tagged source tree."""

    def __init__(self, tree):
        self.tree, self.known = tree, {}

    def of(self, key):
        """Argument names of the object that a key of the tree stands for, or None where the source does not tell."""
        module, _, name = key.partition(":")
        if module not in self.known:
            self.known[module] = {node.name: node for node in self.tree.body(module)
                                  if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        node = self.known[module].get(name)
        if isinstance(node, ast.ClassDef):
            node = next((n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"), None)
        if node is None or node.args.kwarg:
            return None
        words = [a.arg for a in node.args.posonlyargs + node.args.args + node.args.kwonlyargs]
        return [word for word in words if word != "self"]


def names(tag):
    """{dotted name: argument names or None} of a tag, and which of these names it exports: programs also take what a module
    defines and does not list, and a later version may list it."""
    tree = addresses.Tree(sys.argv[1], tag)
    signatures, found, public = Signatures(tree), {}, set()
    for module in tree.sources:
        if module.count(".") == 1:
            found[module] = None
        if not _public(module):
            continue
        tree.known.clear()  # of an import cycle only the module that is read first is complete
        entries, exported = tree.names(module)
        chosen = set(exported if exported and module not in tree.packages else entries)
        found[module] = None
        for name in entries:
            if not name.startswith("_") and entries[name].startswith(("paddle", "module paddle")):
                found[f"{module}.{name}"] = signatures.of(entries[name])
                public |= {f"{module}.{name}"} if name in chosen else set()
    return found, public | {name for name, words in found.items() if "." not in name.removeprefix("paddle.")} | set(tree.sources)


def _public(module):
    """Do programs take names from this module, and does the table follow them?"""
    parts = module.split(".")
    older = parts[:2] == ["paddle", "fluid"] and len(parts) < 5 and not set(parts) & {"contrib", "incubate", "transpiler", "tests"}
    return module.removeprefix("paddle") in ROOMS or older and not any(part.startswith("_") for part in parts)


def main():
    """Read the tags and write the table."""
    found = {code: names(tag) for code, tag in VERSIONS.items()}
    records, table = {code: record for code, (record, _) in found.items()}, {}
    for name in sorted(set().union(*records.values()) & set().union(*(public for _, public in found.values()))):
        having = [code for code in VERSIONS if name in records[code]]
        signed = [code for code in having if records[code][name] is not None]
        words = {}
        if len(signed) == len(having):
            every = dict.fromkeys(word for code in signed for word in records[code][name])
            words = {word: "".join(code for code in signed if word in records[code][name]) for word in every if word != "name"}
        words = {word: codes for word, codes in words.items() if codes != "".join(having)}
        if len(having) < len(VERSIONS) or words:
            table[name] = ["".join(having), words] if words else ["".join(having)]
    with open(TABLE, "w", encoding="utf8") as file:
        file.write("{\n" + ",\n".join(f"{json.dumps(n)}: {json.dumps(row)}" for n, row in table.items()) + "\n}\n")
    print(f"{len(table)} names")


if __name__ == "__main__":
    main()
