import gc
import multiprocessing
import os

import numpy as np
import pytest

from paddle.core.random import default_generator


@pytest.fixture(autouse=True)
def own_streams():
    """Each test starts with unseeded paddle streams and leaves all streams as they were."""
    generator, numpy_state = default_generator(), np.random.get_state()
    before = dict(vars(generator))
    generator.seed()
    yield
    vars(generator).update(before)
    np.random.set_state(numpy_state)


def shared_mappings():
    """How many mappings of loader memory this process has."""
    with open("/proc/self/maps") as maps:
        return sum("paddle_dataloader" in line for line in maps)


def open_files():
    return len(os.listdir("/proc/self/fd"))


@pytest.fixture
def no_leak():
    """After the test: no process, mapping or open file more than before."""
    before = shared_mappings(), open_files()
    yield
    gc.collect()
    assert multiprocessing.active_children() == []
    assert (shared_mappings(), open_files()) == before
