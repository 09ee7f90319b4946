"""paddle.incubate.autotune: whether kernels, layouts and data loaders are tuned while a program runs."""

import json
import os

from ..core.errors import describe, suggest

__all__ = ["set_config"]
_PARTS = {"kernel": {"enable", "tuning_range"}, "layout": {"enable"}, "dataloader": {"enable", "tuning_steps"}}


def set_config(config=None):
    """Choose what is tuned: a dict, the path of a JSON file with one, or None for everything.

    The kernels of a CPU are chosen by sizes alone and have one layout, so that there is nothing to try out: a choice is checked,
    and results and speed are unchanged. It refuses to tune data loaders, whose number of workers stays what the program says.

    >>> paddle.incubate.autotune.set_config({"kernel": {"enable": True, "tuning_range": [1, 3]}})
    """
    if config is None:
        return
    if isinstance(config, (str, os.PathLike)):
        with open(config, encoding="utf8") as file:
            config = json.load(file)
    if not isinstance(config, dict):
        raise TypeError(f"autotune.set_config(): config must be a dict or the path of a JSON file, got {describe(config)}")
    for part, choice in config.items():
        if part not in _PARTS:
            raise ValueError(f"autotune.set_config(): there is no part {part!r}{suggest(str(part), _PARTS)}")
        if not isinstance(choice, dict) or not _PARTS[part].issuperset(choice):
            raise ValueError(f"autotune.set_config(): {part} must be a dict of {sorted(_PARTS[part])}, got {describe(choice)}")
        if not isinstance(choice.get("enable", False), bool):
            raise TypeError(f"autotune.set_config(): {part}'s enable must be a bool, got {describe(choice['enable'])}")
