"""Readers of the first generations, shared out among ranks."""

from .env import ParallelEnv


def distributed_batch_reader(batch_reader):
    """A reader that yields only this rank's batches of ``batch_reader``.

    Of every ``nranks`` batches in a row each rank takes one, the one at its place. Batches at the end that do not give
    every rank one are left out, so that all ranks make the same number of steps.

    >>> reader = paddle.distributed.distributed_batch_reader(lambda: iter([[1], [2], [3]]))
    >>> list(reader())
    [[1], [2], [3]]
    """
    def of_this_rank():
        env = ParallelEnv()
        mine = None
        for number, batch in enumerate(batch_reader()):
            place = number % env.world_size
            if place == env.rank:
                mine = batch
            if place == env.world_size - 1:
                yield mine

    return of_this_rank
