"""What lower rooms call in upper ones. An upper room puts its function in when it is imported; nobody changes it afterwards."""

from typing import Any


class _Rooms:
    """The functions by name; one that is not there yet says which room has to be imported."""

    _homes = {"record": "paddle.static", "static_parameter": "paddle.static", "as_array": "paddle.tensor",
              "program_codec": "paddle.static", "overlay": "paddle.tensor", "generation_chosen": "paddle.tensor"}

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._homes or name in self.__dict__:
            raise AttributeError(f"rooms.{name}: {'is filled already' if name in self._homes else 'no such function'}")
        self.__dict__[name] = value

    def has(self, name: str) -> bool:
        """Has the upper room put this one in?"""
        return name in self.__dict__

    def __getattr__(self, name: str) -> Any:
        if name not in self._homes:
            raise AttributeError(f"rooms: no function {name!r}")
        raise RuntimeError(f"rooms.{name}: {self._homes[name]} is not imported")


rooms = _Rooms()
