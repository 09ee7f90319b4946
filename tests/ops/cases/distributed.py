"""Ops of paddle.distributed, in a world of one."""

from opcase import OpCase, f

import paddle.distributed.ops  # noqa: F401  (declares them)

CASES = [OpCase("c_allreduce_sum", [f(3, 4)], ref=lambda x: x),
         OpCase("c_broadcast", [f(3, 4)], grad=(), ref=lambda x: x)]
