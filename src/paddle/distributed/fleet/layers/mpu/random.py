"""Random streams by name: what differs between the ranks of the model axis, and what is equal on them."""

import contextlib

import numpy as np

from .....core.addresses import lookup as _lookup
from .....core.random import default_generator
from .....core.random import seed as set_seed
from .....nn.functional.dropout import dropout as modern_dropout
from ...topology import current

MODEL_PARALLEL_RNG = "model_parallel_rng"


class RNGStatesTracker:
    """Streams of random numbers under names; ``rng_state(name)`` lets one take the place of the default stream for a while.

    >>> from paddle.distributed.fleet.meta_parallel import RNGStatesTracker
    >>> tracker = RNGStatesTracker()
    >>> tracker.add("mine", 7)
    >>> with tracker.rng_state("mine"):
    ...     x = paddle.rand([2])
    """

    def __init__(self):
        self.reset()

    def reset(self):
        """Forget all streams."""
        self.states_, self.seeds_ = {}, set()

    def add(self, name, seed):
        """Begin a stream from a seed; neither name nor seed may be in use."""
        if seed in self.seeds_:
            raise ValueError(f"RNGStatesTracker.add(): seed {seed} is in use already")
        if name in self.states_:
            raise ValueError(f"RNGStatesTracker.add(): stream {name!r} is there already")
        self.seeds_.add(seed)
        generator = default_generator()
        before = generator.get_state()
        generator.manual_seed(seed)
        self.states_[name] = generator.get_state()
        generator.set_state(before)

    def get_states_tracker(self):
        """A copy of the states of all streams, by name."""
        return dict(self.states_)

    def set_states_tracker(self, states):
        """Put all streams back to copied states."""
        self.states_ = dict(states)

    @contextlib.contextmanager
    def rng_state(self, name=MODEL_PARALLEL_RNG):
        """Context in which random numbers come from a stream."""
        if name not in self.states_:
            raise ValueError(f"RNGStatesTracker.rng_state(): there is no stream {name!r}; add(name, seed) makes one")
        generator = default_generator()
        before = generator.get_state()
        generator.set_state(self.states_[name])
        try:
            yield
        finally:
            self.states_[name] = generator.get_state()
            generator.set_state(before)


RNG_STATE_TRACKER = RNGStatesTracker()


def get_rng_state_tracker():
    """The streams of this process."""
    return RNG_STATE_TRACKER


def model_parallel_random_seed(seed=None):
    """Seed the default stream equally on all ranks, and the tracker's stream differently for each place on model and pipe."""
    hybrid = current("model_parallel_random_seed()")
    base = seed or int(np.random.randint(0, 10000))
    local = base + 1 + hybrid.get_model_parallel_rank() * hybrid.get_pipe_parallel_world_size() + hybrid.get_stage_id()
    RNG_STATE_TRACKER.reset()
    RNG_STATE_TRACKER.add(MODEL_PARALLEL_RNG, local)
    set_seed(base)


def dropout(x, p=0.5, axis=None, rng_name=None, training=True, mode="upscale_in_train", name=None):
    """``F.dropout`` whose mask comes from the stream ``rng_name``, or from the default one."""
    if rng_name is None:
        return modern_dropout(x, p, axis, training, mode, name)
    with RNG_STATE_TRACKER.rng_state(rng_name):
        return modern_dropout(x, p, axis, training, mode, name)


__getattr__ = _lookup(__name__)
