"""The random generator behind every random op: the 64-bit Mersenne twister, seeded and read as Paddle does on a CPU."""

from __future__ import annotations

import contextlib
import os
import threading
from typing import Any

import numpy as np

from .context import changed, context, process
from .twister import POSITION, WORDS, next_words, seeded_by_sequence, seeded_plainly


class Generator:
    """A seeded stream of 64-bit words.

    Whoever draws holds ``lock`` and reads from ``state`` (the kernels in C write to that array), so that threads share
    one stream and no word is handed out twice.
    """

    _state: np.ndarray | None

    def __init__(self, seed: int | None = None) -> None:
        self.lock = threading.RLock()
        self._index, self._others = 0, {}  # the state in use among those that were registered
        self.manual_seed(_fresh_seed() if seed is None else seed)

    def manual_seed(self, seed: int) -> Generator:
        """Start again from a seed; returns self."""
        if not isinstance(seed, (int, np.integer)):
            raise TypeError(f"seed(): seed must be an int, got {seed!r}")
        with self.lock:
            self._seed, self._state = int(seed), None
        return self

    @property
    def state(self) -> np.ndarray:
        """The twister's words and position; made when first asked for, since seeding takes a while."""
        if self._state is None:
            self._state = seeded_by_sequence(self._seed).copy()
        return self._state

    def initial_seed(self) -> int:
        """The seed this generator started from."""
        return self._seed

    def seed(self) -> int:
        """Start again from a fresh random seed and return it."""
        return self.manual_seed(_fresh_seed())._seed

    def get_state(self) -> dict[str, Any]:
        """Everything needed to continue the stream bit for bit, as plain picklable data."""
        with self.lock:
            return {"seed": self._seed, "state": self.state.copy()}

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from what ``get_state`` returned."""
        words = np.array(state["state"], np.uint64)
        if words.shape != (WORDS + 1,) or words[POSITION] > WORDS:
            raise ValueError(f"a state has {WORDS + 1} numbers, the last at most {WORDS}; got shape {list(words.shape)}")
        with self.lock:
            self._seed, self._state = int(state["seed"]), words

    def get_state_index(self) -> int:
        """The number of the registered state that is in use; 0 is the one it started with."""
        return self._index

    def register_state_index(self, state: dict[str, Any]) -> int:
        """Add a state beside the others and go on with it; the number under which ``set_state_index`` comes back to it."""
        with self.lock:
            self._others[self._index] = self.get_state()
            self.set_state(state)
            self._index = len(self._others)
            self._others[self._index] = state
        return self._index

    def set_state_index(self, index: int) -> None:
        """Go on with another registered state, where it was left."""
        with self.lock:
            if index != self._index:
                if index not in self._others:
                    raise ValueError(f"set_state_index(): there are states 0 to {max(self._others, default=0)}, got {index!r}")
                self._others[self._index] = self.get_state()
                self.set_state(self._others[index])
                self._index = index

    def random(self) -> int:
        """The next 64-bit word as an integer."""
        word = np.empty(1, np.uint64)
        with self.lock:
            next_words(self.state, word)
        return int(word[0])


def _fresh_seed() -> int:
    return int.from_bytes(os.urandom(7), "little") >> 3  # 53 bits: a float holds it exactly


process.generator = Generator(0 if os.environ.get("PADDLE_DETERMINISTIC_START") else None)


def _free_lock() -> None:
    process.generator.lock = threading.RLock()


if hasattr(os, "register_at_fork"):  # a thread that drew when the process forked does not exist in the child
    os.register_at_fork(after_in_child=_free_lock)


def trial() -> contextlib.AbstractContextManager[Any]:
    """Draws of this thread inside the block come from a generator that is thrown away: shapes are found by running ops."""
    return changed(generator=Generator(1))


def program_seed(program: str) -> int:
    """The seed of the default ``"startup"`` or ``"main"`` program where dynamic code takes it, else 0."""
    if context.guard is None if context.rules.program_seeds else program == "startup":
        return 0  # 1.x takes both, inside its guards; 2.x that of the main program
    found = getattr(context, program) or getattr(process, program)
    return found.random_seed if found is not None else 0


def of_startup() -> contextlib.AbstractContextManager[Any]:
    """What an initializer of dynamic code draws inside the block: with the seed of the default main program, or in 1.x of the
    startup program where that has none, each begins anew."""
    seed = program_seed("main") or program_seed("startup")
    return changed(generator=generator_of(seed)) if seed else contextlib.nullcontext()


def default_generator() -> Generator:
    """The generator that random functions use unless given a seed of their own."""
    return context.generator or process.generator


def generator_of(seed: int) -> Generator:
    """The generator for an op's ``seed`` attribute: the global one for 0, else a new one with the twister's own seeding."""
    if not seed:
        return context.generator or process.generator
    generator = Generator(seed)
    generator._state = seeded_plainly(int(seed)).copy()
    return generator


def seed(seed: Any) -> Generator:
    """Seed the global generator and return it.

    Args:
        seed (int): any integer, or what ``int()`` makes one of, as programs pass ``False`` or a number from a file.
    Returns:
        Generator: the global one.
    Raises:
        TypeError: ``seed`` is not an int.

    >>> _ = paddle.seed(42)
    >>> paddle.randint(0, 100, [4]).tolist()
    [84, 82, 68, 99]
    """
    try:
        number = int(seed)
    except (TypeError, ValueError):
        raise TypeError(f"seed(): seed must be an int, got {seed!r}") from None
    return process.generator.manual_seed(number)


def numpy_generator(seed: int = 0) -> np.random.Generator:
    """NumPy's generator, started from one word of the generator of ``seed``: for draws that real Paddle cannot repeat."""
    return np.random.Generator(np.random.Philox(generator_of(seed).random()))
