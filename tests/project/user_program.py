"""A user's program, type-checked with mypy --strict against the installed package.

The ignored lines hold errors on purpose: mypy runs with --warn-unused-ignores, so it must see every one of them.
"""

from typing import assert_type

import paddle

x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
assert_type(x, paddle.Tensor)
assert_type(x.shape, list[int])
assert_type(x.stop_gradient, bool)

paddle.seed("not a number")  # type: ignore[arg-type]
paddle.no_such_name_at_all  # type: ignore[attr-defined]
