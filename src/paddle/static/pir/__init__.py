"""Programs to and from the form of Paddle 3's ``.json`` files (`paddle.serialization.pir`)."""

from ...serialization import pir as files
from .load import to_program
from .save import from_program


def program_of(data):
    """The Program in the bytes of a ``.json`` file."""
    return to_program(files.read(data))


def bytes_of(program):
    """The bytes of a ``.json`` file."""
    return files.write(from_program(program))
