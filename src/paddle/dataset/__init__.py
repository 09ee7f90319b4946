"""Datasets as readers, as programs of fluid and 2.0 alpha use them. In 2.x: paddle.vision.datasets, paddle.text.

Files are taken from `~/.cache/paddle/dataset`, or downloaded there with their md5 checked. Reading runs no code that a
file brings along.
"""

import importlib

__all__ = ["cifar", "common", "conll05", "flowers", "image", "imdb", "imikolov", "mnist", "movielens", "uci_housing",
           "voc2012", "wmt14", "wmt16"]


_REFUSED = {"sentiment": "it needs the corpora of nltk; use paddle.dataset.imdb",
            "mq2007": "it comes as a rar archive; unpack it and read the text files"}


def __getattr__(name):
    if name in __all__:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _REFUSED:
        raise NotImplementedError(f"paddle.dataset.{name}: {_REFUSED[name]}")
    raise AttributeError(f"module 'paddle.dataset' has no attribute {name!r}; it has {', '.join(__all__)}")


def __dir__():
    return [*globals(), *__all__]
