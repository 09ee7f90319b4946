"""Programs to and from the form of Paddle 3's ``.json`` files (`paddle.serialization.pir`)."""

from .load import to_program
from .save import from_program
