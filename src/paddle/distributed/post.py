"""Arrays between single ranks, without waiting for the receiver."""

import numpy as np


class Post:
    """What a rank sends to and receives from others of a group. Sends go on in the background; receives wait."""

    def __init__(self, group):
        self.group, self.under_way = group, []

    def send(self, array, rank, tag):
        """Send an array, which must not change from now on."""
        self.under_way = [(work, kept) for work, kept in self.under_way if not work.test()]
        self.under_way.append((self.group.comm.send(array, rank, tag), array))

    def receive(self, shape, dtype, rank, tag):
        """The next array that a rank sent under a tag."""
        array = np.empty(shape, dtype)
        self.group.comm.recv(array, rank, tag).wait()
        return array

    def finish(self):
        """Wait until everything sent has gone."""
        for work, _ in self.under_way:
            work.wait()
        self.under_way = []
