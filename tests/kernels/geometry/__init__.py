"""Random geometries for every native kernel, on arrays with forbidden pages at their ends, against NumPy.

    python -m tests.kernels.geometry FAMILY [CASES [SEED]]

Each case prints its number and instruction set before it runs, so that a crash (a forbidden page, or AddressSanitizer)
names what it was doing. test_geometry.py runs every family in a process of its own.
"""

import sys

from ..engine import BEST, ISAS, engine
from .draw import Draw
from .images import blocked, brain, convolution, pictures, pixels, pooling, ready_weights, volumes, winograd
from .moves import copies, embedding, moves, order
from .public import functions
from .rows import chains, elementwise, norms, product, reductions, scans, softmax, whole_products
from .sequences import attention, optimizers, paths, recurrence

FAMILIES = {f.__name__: f for f in (
    convolution, brain, winograd, volumes, ready_weights, blocked, pooling, pictures, pixels, product, recurrence, attention,
    embedding, moves, order, copies, optimizers, reductions, scans, softmax, paths, norms, elementwise, chains,
    whole_products, functions)}


def run(family, cases, seed=0):
    """Run `cases` random cases of one family on each instruction set the machine has."""
    for isa in ISAS[:ISAS.index(BEST) + 1]:
        for case in range(cases):
            draw = Draw([seed, case])
            threads = draw.pick((1, 1, 3))
            print(f"{family} case {case} of seed {seed}: {isa}, {threads} threads, {draw.dtype}", file=sys.stderr, flush=True)
            with engine(isa, threads):
                FAMILIES[family](draw)
