"""Protocol buffers as text: ``name: value`` and ``name { ... }``, read into plain values and written from them."""

import re

_TOKEN = re.compile(r"""\s*(?:\#[^\n]*|(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?P<mark>[{}<>:;,\[\]])|"""
                    r"""(?P<word>[^\s{}<>:;,\[\]"'#]+))""")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


def _tokens(text):
    """[(kind, what it says)] of a text; ValueError where it is none."""
    at, found = 0, []
    while text[at:].strip():
        match = _TOKEN.match(text, at)
        if match is None:
            raise ValueError(f"the text of a protocol buffer ends or goes wrong at {text[at:at + 20].strip()!r}")
        at = match.end()
        if match.lastgroup:
            found.append((match.lastgroup, match.group(match.lastgroup)))
    return found


def _scalar(kind, said):
    """The value of a token: text, number, bool, or the name of an enumerated value as text."""
    if kind == "text":
        return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m.group(1), m.group(1)), said[1:-1])
    if said in ("true", "false"):
        return said == "true"
    for number in (int, float):
        try:
            return number(said)
        except ValueError:
            continue
    return said


def _message(tokens, close):
    """Fields up to a closing mark, or the end."""
    fields = []
    while tokens:
        kind, name = tokens.pop(0)
        if name == close:
            return fields
        if kind == "mark":
            if name in ";,":
                continue
            raise ValueError(f"a field's name is missing before {name!r} in the text of a protocol buffer")
        kind, said = tokens.pop(0) if tokens else ("mark", "")
        if (kind, said) == ("mark", ":"):
            kind, said = tokens.pop(0) if tokens else ("mark", "")
        if kind == "mark" and said in "{<" and said:
            fields.append((name, _message(tokens, "}" if said == "{" else ">")))
        elif kind == "mark":
            raise ValueError(f"field {name!r} has no value in the text of a protocol buffer")
        else:
            fields.append((name, _scalar(kind, said)))
    if close:
        raise ValueError(f"{close!r} is missing in the text of a protocol buffer")
    return fields


def parse(text):
    """[(field, value)] in the order of the text; the value of a message is such a list.

    >>> from paddle.serialization import text_format
    >>> text_format.parse('a: 3 b { c: "x" }')
    [('a', 3), ('b', [('c', 'x')])]
    """
    return _message(_tokens(text), None)


def render(fields, indent=""):
    """The text of [(field, value)], a line for each field."""
    lines = []
    for name, value in fields:
        if isinstance(value, list):
            lines += [f"{indent}{name} {{", *filter(None, [render(value, indent + "  ")]), f"{indent}}}"]
        elif isinstance(value, bool):
            lines.append(f"{indent}{name}: {str(value).lower()}")
        elif isinstance(value, str):
            quoted = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
            lines.append(f'{indent}{name}: "{quoted}"')
        else:
            lines.append(f"{indent}{name}: {value}")
    return "\n".join(lines)
