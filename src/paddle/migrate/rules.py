"""The table of rules (``rules.txt``, where its form is explained) as objects."""

import ast
import functools
import pathlib
import re
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Rule:
    """What one old name becomes."""

    old: str                                      #: full name
    new: str                                      #: name or expression; the reason for "!reason"
    parameters: dict = field(default_factory=dict)  #: name -> default (REQUIRED without one), or {} for a name for a name
    when: dict = field(default_factory=dict)      #: parameter -> value it must have
    is_call: bool = False
    is_refusal: bool = False
    then: str = ""                                #: "act", "layer act", "one", "step" or ""


REQUIRED = object()
_LINE = re.compile(r"(?P<old>[\w.|]+)(?P<parameters>\(.*?\))?(?: if (?P<when>.*?))? -> (?P<new>.*?)(?: ; (?P<then>[a-z ]+))?$")


@functools.lru_cache(maxsize=1)
def table():
    """{full old name, with "@" before one that is old in programs of alpha only: [rules in order]}."""
    found, prefixes, signature = {}, ["paddle."], None
    for line in pathlib.Path(__file__).with_name("rules.txt").read_text(encoding="utf-8").splitlines():
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            prefixes = [f"@paddle.{p[1:]}" if p.startswith("@") else f"paddle.{p}" for p in line[1:-1].split("|")]
            continue
        parts = _LINE.match(line)
        if parts is None:
            raise ValueError(f"rules.txt: not a rule: {line}")
        signature = signature if parts["parameters"] == "(=)" else parts["parameters"]
        for name in [prefix + old for prefix in prefixes for old in parts["old"].split("|")]:
            found.setdefault(name, []).append(_rule(name, signature, parts))
    return found


def _rule(name, signature, parts):
    new, refusal = parts["new"].strip(), parts["new"].startswith("!")
    is_call = signature is not None and not refusal
    return Rule(name, new.lstrip("!") if refusal else new, _parameters(signature or "()"),
                _values(parts["when"]), is_call, refusal, parts["then"] or "")


def _parameters(text):
    args = ast.parse(f"def f{text}: pass").body[0].args
    names = [a.arg for a in args.args]
    defaults = [REQUIRED] * (len(names) - len(args.defaults)) + [ast.literal_eval(d) for d in args.defaults]
    return dict(zip(names, defaults))


def _values(text):
    return {k.arg: ast.literal_eval(k.value) for k in ast.parse(f"f({text})", mode="eval").body.keywords} if text else {}
