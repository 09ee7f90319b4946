"""Which rows of a table of a parameter server come into being, as ``static.nn.sparse_embedding`` is told."""

from ..core.errors import describe

__all__ = ["CountFilterEntry", "ProbabilityEntry", "ShowClickEntry"]


class EntryAttr:
    """Base of the conditions."""

    _name, _settings = None, ()

    def _to_attr(self):
        """The condition as programs hold it."""
        if self._name is None:
            raise NotImplementedError("EntryAttr._to_attr(): a subclass says what the condition is")
        return ":".join(map(str, (self._name, *self._settings)))


class ProbabilityEntry(EntryAttr):
    """A row comes into being with a probability.

    Args:
        probability (float): between 0 and 1.

    >>> paddle.distributed.ProbabilityEntry(0.1)._to_attr()
    'probability_entry:0.1'
    """

    _name = "probability_entry"

    def __init__(self, probability):
        if not isinstance(probability, float) or not 0 < probability < 1:
            raise ValueError(f"ProbabilityEntry(): probability must be a float between 0 and 1, got {describe(probability)}")
        self._settings = (probability,)


class CountFilterEntry(EntryAttr):
    """A row comes into being when it was looked up so many times.

    Args:
        count_filter (int): at least 0.

    >>> paddle.distributed.CountFilterEntry(10)._to_attr()
    'count_filter_entry:10'
    """

    _name = "count_filter_entry"

    def __init__(self, count_filter):
        if not isinstance(count_filter, int) or count_filter < 0:
            raise ValueError(f"CountFilterEntry(): count_filter must be an int of at least 0, got {describe(count_filter)}")
        self._settings = (count_filter,)


class ShowClickEntry(EntryAttr):
    """Rows are kept by how often they were shown and clicked.

    Args:
        show_name, click_name (str): names of the variables with these numbers.

    >>> paddle.distributed.ShowClickEntry("show", "click")._to_attr()
    'show_click_entry:show:click'
    """

    _name = "show_click_entry"

    def __init__(self, show_name, click_name):
        if not isinstance(show_name, str) or not isinstance(click_name, str):
            raise ValueError(f"ShowClickEntry(): show_name and click_name must be str, got {describe((show_name, click_name))}")
        self._settings = (show_name, click_name)
