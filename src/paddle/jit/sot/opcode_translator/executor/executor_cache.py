"""The traced programs of all translated functions."""

from ....static_function import Store


class OpcodeExecutorCache:
    """All that to_static has traced so far in this process."""

    def clear(self):
        """Forget every traced program; functions are traced anew when they are next called."""
        for store in list(Store.alive):
            store.clear()
