"""What a PyLayer's forward returns besides fresh tensors, and what its backward may return, as 2.6.2 has it."""

import pytest

import paddle
from paddle.autograd import PyLayer


class Same(PyLayer):
    """Returns its input, as if changed in place."""

    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, dy):
        return dy * 3


class Mixed(PyLayer):
    """Returns other things beside tensors."""

    @staticmethod
    def forward(ctx, a, b):
        return 1, None, a * 2, b * 5, ""

    @staticmethod
    def backward(ctx, da, db):
        return da * 2, db * 5


def leaf():
    return paddle.to_tensor([1.0, 2.0], stop_gradient=False)


def test_what_is_no_tensor_has_no_gradient():
    a, b = leaf(), leaf()
    one, none, x, y, text = Mixed.apply(a, b)
    (x + y).sum().backward()
    assert (one, none, text) == (1, None, "") and a.grad.tolist() == [2, 2] and b.grad.tolist() == [5, 5]


def test_a_returned_input_was_changed_in_place():
    x = leaf()
    middle = x * 2
    out = Same.apply(middle)
    assert out is middle and middle.inplace_version == 1
    out.sum().backward()
    assert x.grad.tolist() == [6, 6]
    with pytest.raises(ValueError, match="leaf"):
        Same.apply(leaf())
    x = leaf()
    middle = x * x
    later = middle ** 2
    Same.apply(middle)
    with pytest.raises(RuntimeError, match="tensor_version:1 != wrapper_version_snapshot:0"):
        later.sum().backward()


@pytest.mark.parametrize("result, error", [(1, ValueError), (None, None)])
def test_results_of_backward(result, error):
    class Layer(PyLayer):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, dy):
            return result

    x = leaf()
    loss = Layer.apply(x).sum()
    if error is None:
        loss.backward()
        assert x.grad is None
    else:
        with pytest.raises(error):
            loss.backward()


def test_methods_that_are_not_there():
    class NoBackward(PyLayer):
        @staticmethod
        def forward(ctx, x):
            return x * 2

    class Nothing(PyLayer):
        @staticmethod
        def forward(ctx, x):
            return None

    with pytest.raises(OSError):
        NoBackward.apply(leaf()).sum().backward()
    with pytest.raises(ValueError):
        Nothing.apply(leaf())
