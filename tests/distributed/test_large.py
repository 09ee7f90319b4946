"""Messages above 2 GB, where 32-bit counts end."""

import os

import pytest

PROGRAM = """
    import numpy as np
    import paddle.distributed as dist
    from paddle.core.tensor import wrap

    dist.init_parallel_env()
    rank, count = dist.get_rank(), (1 << 31) + 1000
    array = np.zeros(count, np.uint8)
    if rank == 0:
        array[0], array[-3:] = 9, 7
    tensor = wrap(array)
    dist.broadcast(tensor, 0)
    assert tensor._data[0] == 9 and (tensor._data[-3:] == 7).all() and tensor._data[1000:-3].max() == 0
    if rank == 0:
        dist.send(tensor, 1)
    else:
        array[:] = 0
        dist.recv(tensor, 0)
        assert tensor._data[0] == 9 and (tensor._data[-3:] == 7).all()
    del tensor, array
    tensor = wrap(np.ones((1 << 29) + 10, np.float32))
    dist.all_reduce(tensor)
    assert tensor._data[0] == tensor._data[-1] == 2 and tensor._data.min() == 2
"""


@pytest.mark.slow
def test_messages_above_2_gb(launch):
    if os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES") < 12e9:
        pytest.skip("needs 12 GB of free memory")
    launch(PROGRAM, 2)
