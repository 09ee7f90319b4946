"""The C modules without memory: ``python -m reliability.refusing [TEXT ...]`` where refusing.c is preloaded.

Every place in paddle._native and paddle.core._engine that asks for memory is refused it once, where a call first comes by: the
call must raise MemoryError or give what it gives otherwise, and give it again afterwards; and no memory may be lost, however often
it is refused. Prints what is wrong and, last, how many places were refused. ``TEXT`` chooses calls by their names.
"""

import ctypes
import gc
import os
import pathlib
import subprocess
import sys
import traceback

import numpy as np

import paddle
from paddle import _native
from paddle.core import _engine

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "ops"))
import opcase
from reliability.scarce_calls import CALLS


class Refusing:
    """The preloaded library."""

    def __init__(self):
        self.library = ctypes.PyDLL(os.environ["LD_PRELOAD"])
        self.library.refusing_disarm.restype = ctypes.c_uint64
        self.library.refusing_in_use.restype = ctypes.c_long
        self.library.refusing_arm.argtypes = [ctypes.c_uint64]
        self.library.refusing_module.argtypes = self.library.refusing_loader.argtypes = [ctypes.c_size_t] * 2
        self.library.refusing_frame.restype = ctypes.c_size_t
        if self.library.refusing_start():
            raise RuntimeError("the loop of the interpreter was not found")
        files = {str(pathlib.Path(module.__file__).resolve()) for module in (_native, _engine)}
        self.bases = {}
        for line in pathlib.Path("/proc/self/maps").read_text().splitlines():
            addresses, mode, _, _, _, *path = line.split(maxsplit=5)
            begin, end = (int(a, 16) for a in addresses.split("-"))
            if path and path[0] in files:
                self.bases.setdefault(path[0], begin)
            if path and "x" in mode and (path[0] in files or "/ld-" in path[0]):
                (self.library.refusing_module if path[0] in files else self.library.refusing_loader)(begin, end)

    def attempt(self, call, place=0):
        """(what a call gives or raises, the place that was refused or 0): at ``place``, or at one that was never refused."""
        self.library.refusing_arm(place)
        try:
            found = call()
        except BaseException as error:
            self.library.refusing_disarm()
            found = error
            error.__traceback__ = None if isinstance(error, MemoryError) else error.__traceback__
        return found, self.library.refusing_disarm()

    def where(self):
        """The functions of the place that was refused last, as far as the modules were not stripped of their names."""
        found = []
        for k in range(8):
            address = self.library.refusing_frame(k)
            if not address:
                break
            file, base = max(((file, base) for file, base in self.bases.items() if base <= address), key=lambda pair: pair[1])
            listed = subprocess.run(["nm", "-n", "--defined-only", file], capture_output=True, text=True).stdout.split("\n")
            known = [(int(words[0], 16), words[2]) for words in map(str.split, listed) if len(words) == 3]
            found.append(max([(0, hex(address - base)), *(entry for entry in known if entry[0] < address - base)])[1])
        return " < ".join(found)

    def growth(self, call, place, times):
        """By how many blocks the memory in use grows while a place is refused so many times; place 1 is none."""
        gc.collect()
        before = self.library.refusing_in_use()
        for _ in range(times):
            self.attempt(call, place)
        gc.collect()
        return self.library.refusing_in_use() - before


def same(found, wanted):
    return len(found) == len(wanted) and all(a.shape == b.shape and np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")
                                             for a, b in zip(found, wanted))


def wrong(found, wanted):
    """What is wrong with the outcome of a call that was refused memory; None: nothing."""
    if isinstance(found, MemoryError):
        return None
    if isinstance(found, BaseException):
        return "".join(traceback.format_exception(found))
    return None if same(found, wanted) else f"gave {found}, not {wanted}"


def attack(name, call, refusing):
    """(places refused, what was wrong) of one call."""
    wanted, count, bad = call(), 0, []
    while True:
        found, place = refusing.attempt(call)
        if not place:
            return count, bad
        count += 1
        complaint = wrong(found, wanted)
        found = None
        if complaint is None and not same(call(), wanted):
            complaint = "another result afterwards"
        keeps = name == "call module_again"  # what a module makes once is not freed
        if complaint is None and not keeps and refusing.growth(call, place, 3) >= 3 and refusing.growth(call, place, 60) >= 0:
            lost = refusing.growth(call, place, 40) - refusing.growth(call, 1, 40)  # caches have been filled by now
            complaint = f"{lost} blocks of memory are lost in 40 calls" if lost >= 40 else None
        if complaint:
            refusing.attempt(call, place)
            bad.append(f"{name}, refused in {refusing.where()}: {complaint}")


def scratch_attack(name, call):
    """The same for the working memory of kernels, whose blocks are kept between calls: each piece that is asked for, in turn."""
    wanted, number, count, bad = call(), 0, 0, []
    while number - count < 3:  # more than two that changed nothing: there are no more
        _native.fail_allocation(number)
        number += 1
        try:
            found = call()
        except BaseException as error:
            found = error
        finally:
            _native.fail_allocation(-1)
        complaint = wrong(found, wanted)
        if not isinstance(found, BaseException) and not complaint:
            continue
        count = number
        if complaint is None and not same(call(), wanted):
            complaint = "another result afterwards"
        if complaint:
            bad.append(f"{name}, working memory: {complaint}")
    return count, bad


def record(case):
    """The call of an operator's record with its gradients, from one seed."""
    arrays, seeds = case.arrays("float32"), []

    def call():
        paddle.seed(3)
        out, leaves = case.call(arrays, bool(case.grad))
        roots = opcase.differentiable_outputs(out)
        found = opcase.numbers(out)
        if roots and leaves:
            seeds.extend([] if seeds else [paddle.to_tensor(w) for w in opcase.weights(opcase.numbers(roots), 3)])
            found += opcase.numbers(g for g in paddle.grad(roots, leaves, seeds, allow_unused=True) if g is not None)
        return found
    return call


def calls(chosen):
    everything = {f"call {name}": call for name, call in CALLS.items()}
    everything.update((f"record {case.id}", record(case)) for case in opcase.load_cases() if not case.name.endswith("_"))
    return {name: call for name, call in everything.items() if not chosen or any(text in name for text in chosen)}


def main(chosen):
    refusing, total, working, bad = Refusing(), 0, 0, []
    todo = calls(chosen)
    for call in todo.values():  # what is made once is there before anything is refused
        call()
    [MemoryError() for _ in range(20)]  # the interpreter keeps 16 of them
    gc.collect()
    gc.freeze()
    gc.disable()
    for name, call in todo.items():
        count, complaints = attack(name, call, refusing)
        total, bad = total + count, bad + complaints
        count, complaints = scratch_attack(name, call)
        working, bad = working + count, bad + complaints
        for complaint in bad:
            print(complaint, flush=True)
        bad = []
    print(f"{total} places and {working} pieces of working memory refused in {len(todo)} calls")


if __name__ == "__main__":
    main(sys.argv[1:])
