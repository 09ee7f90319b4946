"""The program files of Paddle 3.x (``.json``): `read(bytes)`, `write(program)`, and which operators they have (`operators`)."""

from .model import Attr, Block, Op, Program, Type
from .reader import read
from .writer import write
