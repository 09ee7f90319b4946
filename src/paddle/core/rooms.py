"""Functions of higher packages ("rooms") that lower ones call: every upward dependency of the package is a line of this table.

A lower package calls ``rooms.record(...)``; the higher one is imported on the first call.
"""

import importlib
import sys
from typing import Any

_HOMES = {
    "declare": "paddle.ops.homes.declare",
    "as_array": "paddle.tensor.creation.as_array",
    "to_dlpack": "paddle.utils.dlpack.to_dlpack",
    "overlay": "paddle.tensor.aliasing.overlay",
    "choose_generation": "paddle.tensor.single_elements.choose_generation",
    "new_parameter": "paddle.nn.layer.layers.new_parameter",
    "activate": "paddle.nn.activations.activate",
    "record": "paddle.static.program.record.record",
    "as_variable": "paddle.static.program.record.as_variable",
    "static_parameter": "paddle.static.program.record.static_parameter",
    "assign_to": "paddle.static.program.record.assign_to",
    "write_over": "paddle.static.program.record.write_over",
    "initialize": "paddle.static.program.record.initialize",
    "initialize_once": "paddle.static.program.record.initialize_once",
    "default_main_program": "paddle.static.program.program.default_main_program",
    "default_startup_program": "paddle.static.program.program.default_startup_program",
    "program_codec": "paddle.static.io.program_codec",
    "add_state": "paddle.static.optimize.add_state",
    "append_group": "paddle.static.optimize.append_group",
    "append_decays": "paddle.static.optimize.append_decays",
    "append_update": "paddle.static.optimize.append_update",
    "program_states": "paddle.static.optimize.states",
    "append_gradients": "paddle.static.optimize.append_gradients",
    "append_updates": "paddle.static.optimize.append_updates",
    "append_minimize": "paddle.static.optimize.minimize",
    "static_accuracy": "paddle.static.metric.accuracy",
    "record_layer": "paddle.static.nn.pylayer.record_layer",
    "is_array": "paddle.static.array.is_array",
    "joined_array": "paddle.static.array.tensor_array_to_tensor",
    "decode_loop": "paddle.static.nn.decode.decode_loop",
    "steps_loop": "paddle.static.nn.decode.steps_loop",
    "run_on_sequences": "paddle.static.on_sequences.run",
    "lod_tensor": "paddle.static.lod_tensor.LoDTensor",
    "rows_values": "paddle.static.lod_tensor.RowsValues",
    "tensor_values": "paddle.static.lod_tensor.TensorValues",
    "older_name": "paddle.imperative.names.find",
    "enter_fluid": "paddle.fluid.state.enter",
    "leave_fluid": "paddle.fluid.state.disable_dygraph",
}


class _Rooms:
    """The functions by name, each found where the table says at its first use."""

    def has(self, name: str) -> bool:
        """Is the room of this one imported?"""
        return _HOMES[name].rpartition(".")[0] in sys.modules

    def __getattr__(self, name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"rooms: no function {name!r}")
        module, _, function = _HOMES[name].rpartition(".")
        found = self.__dict__[name] = getattr(importlib.import_module(module), function)
        return found


rooms = _Rooms()
