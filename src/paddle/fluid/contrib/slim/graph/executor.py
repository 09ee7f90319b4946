"""An executor of GraphWrappers (fluid.contrib.slim of 1.x)."""

from typing import Any

from ....data_feeder import DataFeeder
from ....executor import Executor
from .graph_wrapper import GraphWrapper

__all__ = ["SlimGraphExecutor"]


class SlimGraphExecutor:
    """Runs graphs: ``in_nodes`` are fed, ``out_nodes`` fetched (1.x; successor: none)."""

    def __init__(self, place: Any):
        self.exe, self.place = Executor(place), place

    def run(self, graph: GraphWrapper, scope: Any, data: list | None = None) -> list:
        """The values of ``out_nodes``, in their order.

        Args:
            data: samples, each a tuple in the order of ``in_nodes``; or feeds, one dict for every place.
        """
        feed: Any = data
        if data is not None and not isinstance(data[0], dict):
            feed = DataFeeder(feed_list=list(graph.in_nodes.values()), place=self.place, program=graph.program).feed(data)
        return self.exe.run(graph.compiled_graph or graph.program, feed=feed, fetch_list=list(graph.out_nodes.values()),
                            scope=scope)
