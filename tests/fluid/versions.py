"""What tests of several versions share."""

import pytest

import paddle.fluid as fluid


def rules_of(*names):
    """Run a test under the rules of each of these versions (the fixture ``version``)."""
    return pytest.mark.parametrize("version", names, indirect=True)


def exe():
    """An executor of the CPU."""
    return fluid.Executor(fluid.CPUPlace())
