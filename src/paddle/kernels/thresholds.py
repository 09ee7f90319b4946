"""Sizes at which the choice among kernels changes on the Python side; native/thresholds.h has those inside them.

``python benchmarks/thresholds.py`` measures both again.
"""

BATCH_PRODUCT = 100_000  # multiplications below which NumPy's own product of a batch is as fast as the kernel's
NARROW_COLUMNS = 16  # columns, and
NARROW_PRODUCT = 200_000  # multiplications from which a tall transposed matrix times a few columns is computed as (yᵀ x)ᵀ
SPREAD_ELEMENTS = 65_536  # elements from which a gradient is repeated, and whole numbers are added up, by all threads
CHAIN_ELEMENTS = 32  # elements below which elementwise operators one by one are quicker than as one chain
PACKED_ROWS = 4  # a product of so many rows reads a constant matrix where it lies instead of packing it
PACKED_USES = 3  # calls without gradients after which a weight is packed, of at least
PACKED_MATRIX = 65_536  # elements, of a linear layer, or
PACKED_FILTERS = 16_384  # of a convolution,
PACKED_BYTES = 1 << 29  # while no more than this is packed
ATTENTION_WEIGHTS = 65_536  # weights of one head up to which they are kept for the gradient; more are computed again from blocks
