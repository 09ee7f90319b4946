"""paddle.utils.plot: curves of costs, as the chapters of the book draw them."""

import os

from .compat import try_import

__all__ = ["PlotData", "Ploter"]


class PlotData:
    """The points of one curve (1.x; successor: matplotlib)."""

    def __init__(self):
        self.step, self.value = [], []

    def append(self, step, value):
        """Add a point."""
        self.step.append(step)
        self.value.append(value)

    def reset(self):
        """Forget all points."""
        self.step, self.value = [], []


class Ploter:
    """Curves by title, drawn with matplotlib unless the environment says ``DISABLE_PLOT=True`` (1.x; successor: matplotlib).

    >>> import os
    >>> os.environ['DISABLE_PLOT'] = 'True'
    >>> curves = paddle.utils.Ploter('train', 'test')
    >>> curves.append('train', 0, 2.3)
    >>> curves.plot()
    """

    def __init__(self, *args):
        self.__plot_data__ = {title: PlotData() for title in args}

    def append(self, title, step, value):
        """Add a point to the curve of a title."""
        if title not in self.__plot_data__:
            raise ValueError(f"Ploter.append(): title must be one of {list(self.__plot_data__)}, got {title!r}")
        self.__plot_data__[title].append(step, value)

    def plot(self, path=None):
        """Draw the curves that have points, into a file or (None) onto the screen."""
        if os.environ.get("DISABLE_PLOT") == "True":
            return
        plot = try_import("matplotlib.pyplot")
        drawn = [title for title, curve in self.__plot_data__.items() if curve.step]
        for title in drawn:
            plot.plot(self.__plot_data__[title].step, self.__plot_data__[title].value)
        plot.legend(drawn, loc="upper left")
        if path is None:
            plot.show()
        else:
            plot.savefig(path)
        plot.gcf().clear()

    def reset(self):
        """Forget the points of all curves."""
        for curve in self.__plot_data__.values():
            curve.reset()
