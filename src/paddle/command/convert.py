"""Rewrite a model between the program files of Paddle 2 (.pdmodel) and Paddle 3 (.json), with its parameters beside it."""

import os

from ..static.inference_io import read_inference, set_values, write_inference
from ..static.model_files import ENDINGS, split_ending
from ..static.scope import Scope

HELP = "rewrite a model as .pdmodel (Paddle 2) or .json (Paddle 3)"


def arguments(parser):
    """What the subcommand takes."""
    parser.add_argument("source", help="program file (.pdmodel, .json, __model__), prefix of one, or folder of a model")
    parser.add_argument("target", help="program file to write: its ending says how; the parameters become a .pdiparams beside it")


def run(given):
    """Read the model and write it."""
    prefix, ending = split_ending(given.target)
    if not ending or not os.path.basename(prefix):
        raise ValueError(f"the target {given.target!r} must be a file name that ends in {' or '.join(ENDINGS)}")
    source = given.source
    if os.path.basename(source) == "__model__" and os.path.isfile(source):
        source = os.path.dirname(source) or "."  # its parameters lie beside it
    elif os.path.isfile(source) and not split_ending(source)[1]:
        raise ValueError(f"{source} is no program file: its name must end in {' or '.join(ENDINGS)}, or be __model__")
    program, arrays = read_inference(source)
    scope = Scope()
    set_values(program, arrays, scope)
    write_inference(program, given.target, prefix + ".pdiparams", scope)
    print(given.target)
