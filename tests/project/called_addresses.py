"""Calls every public function of the table of addresses with made-up arguments, in child processes; prints what is wrong by line.

Arguments are guesses, so errors about them are expected: they show that something reads them. What is wrong: a function that does
nothing with what it is given, one that breaks on a name of its own, and one that refuses but is not in docs/differences.md.
"""

import dis
import inspect
import os
import re
import signal
import sys
import tempfile
import warnings
from importlib import import_module

import numpy as np

import paddle
from paddle.core import addresses

DIFFERENCES = open(sys.argv[1], encoding="utf8").read()
IDLE = {"RESUME", "NOP", "CACHE", "LOAD_CONST", "LOAD_FAST", "RETURN_VALUE", "RETURN_CONST", "POP_TOP", "RETURN_GENERATOR",
        "YIELD_VALUE", "BUILD_TUPLE", "BUILD_LIST", "BUILD_MAP"}
CONSTANT = {  # functions that a build for the CPU answers always alike, and guards for what is never otherwise here
    "current_device", "device_count", "is_available", "get_cuda_device_count", "is_compiled_with_cuda", "is_compiled_with_mkldnn",
    "get_cudnn_version", "get_all_custom_device_type", "get_trt_compile_version", "get_trt_runtime_version", "in_pir_mode",
    "get_current_backend", "list_available_backends", "disable_signal_handler", "exclude_ops_in_recompute", "force_init_on_cpu",
    "grad_var_suffix", "loaded_var_suffix", "double_buffer", "param_guard"}
LONG = ("paddle.vision.models.", "paddle.distributed.spawned")  # large networks, new processes: tests of their own call them
SECONDS = 300


def functions():
    """(address, function) of every public address, each function once."""
    found = {}
    for module, names in addresses.table().items():
        for name, (home, there) in names.items():
            value = None if name.startswith("_") or there is None else getattr(import_module(home), there)
            if callable(value) and not inspect.isclass(value):
                found.setdefault(id(value), (f"{module}.{name}", value))
    return list(found.values())


def does_nothing(function):
    """Does its code only give back constants or what it was given?"""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return code is not None and all(step.opname in IDLE for step in dis.get_instructions(code))


def guesses():
    """Values for the arguments that a function needs, one kind after another."""
    return [paddle.ones([2, 3]), paddle.ones([2, 2], "int64"), [paddle.ones([2, 2])] * 2, 2, 0.5, [1, 2], "a", {}, lambda *a: None,
            paddle.nn.Linear(2, 2), np.ones([2, 2], "float32"), paddle.static.Program(), paddle.optimizer.SGD(parameters=[]), None]


def trouble(function):
    """What is wrong with it, or None."""
    if does_nothing(function):
        return None if function.__name__ in CONSTANT else "does nothing"
    if function.__module__.startswith(LONG):
        return None
    needed = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty and p.kind not in (
        p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    refused = set()
    for value in guesses():
        try:
            function(*[value for p in needed if p.kind != p.KEYWORD_ONLY],
                     **{p.name: value for p in needed if p.kind == p.KEYWORD_ONLY})
            return None
        except (Exception, SystemExit) as error:
            own = str(getattr(error, "name", "")).startswith("paddle") or str(error).startswith("module 'paddle")
            if isinstance(error, NameError) or own and isinstance(error, (ImportError, AttributeError)):
                return f"breaks: {error!r}"
            refused.add(isinstance(error, NotImplementedError))
    known = re.search(rf"\b{function.__name__}\b", DIFFERENCES)
    return "refuses, and docs/differences.md does not say so" if refused == {True} and not known else None


def child(pairs, out):
    """Look at these functions; what goes wrong is written to a file of the parent."""
    warnings.simplefilter("ignore")
    os.chdir(tempfile.mkdtemp())
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    for address, function in pairs:
        signal.alarm(SECONDS)
        os.write(out, f"{address}: does not come back\n".encode())
        said = trouble(function)
        os.write(out, f"{address}: {said or 'fine'}\n".encode())


def main():
    """Look at all functions, some in each child: what one of them leaves behind does not reach the others."""
    pairs = functions()
    for start in range(0, len(pairs), 20):
        read, write = os.pipe()
        if not (pid := os.fork()):
            child(pairs[start:start + 20], write)
            os._exit(0)
        os.close(write)
        said = dict(line.split(": ", 1) for line in open(read).read().splitlines())
        os.waitpid(pid, 0)
        for address, _ in pairs[start:start + 20]:
            if said.get(address, "not reached") != "fine":
                print(f"{address}: {said.get(address, 'not reached')}", flush=True)
    print(len(pairs), "functions")


if __name__ == "__main__":
    main()
