"""Arrays that somebody else holds are never written over, whatever the interpreter adds to a reference count."""

import subprocess
import sys
from operator import getitem

import numpy as np
import pytest

import paddle
from paddle.core.references import references

PROGRAM = """
import sys
count, shift = sys.getrefcount, int(sys.argv[1])
sys.getrefcount = lambda held: count(held) - 1 + shift  # the lambda's own argument is one of the references

import numpy as np
import paddle

x = paddle.to_tensor(np.ones(3, "float32"))
alone = x._data.__array_interface__["data"][0]
assert x.writable().__array_interface__["data"][0] == alone, "copied, though nobody else holds it"
held = x._data
x.writable()[:] = 5.0
assert held.tolist() == [1.0, 1.0, 1.0], "somebody's array was written over"

w = paddle.create_parameter([3], "float32", default_initializer=paddle.nn.initializer.Constant(1.0))
before = w.numpy()
(w * 2).sum().backward()
paddle.optimizer.SGD(0.5, parameters=[w]).step()
assert before.tolist() == [1.0, 1.0, 1.0] and w.tolist() == [0.0, 0.0, 0.0]
print("done")
"""


@pytest.mark.parametrize("shift", [-1, 0, 1])
def test_counts_of_other_interpreters(shift):
    """From Python 3.14 on a local variable is passed without a reference of its own: one less than before."""
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(shift)], capture_output=True, text=True)
    assert done.stdout == "done\n", done.stderr[-600:]


def test_references_count_those_who_hold():
    x = paddle.to_tensor(np.ones(3, "float32"))
    assert references(getattr, x, "_data") == 1
    held = x._data
    assert references(getattr, x, "_data") == 2
    table = {"a": held}
    assert references(getitem, table, "a") == 3
