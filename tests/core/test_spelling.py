"""Further spellings of keywords (core/spelling.py): what Paddle 3.3.1 takes besides its own."""

import inspect
import pickle

import numpy as np
import pytest

import paddle
from paddle.core import engine, spelling
from paddle.core.signature import arguments

F = paddle.nn.functional
X = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


def same(a, b):
    np.testing.assert_array_equal(a.numpy(), b.numpy())


@pytest.fixture(params=["C", "Python"])
def kind(request, monkeypatch):
    if request.param == "C" and engine.fast is None:
        pytest.skip("not compiled")
    monkeypatch.setattr(spelling, "Spelled", engine.fast.Spelled if request.param == "C" else spelling.PythonSpelled)


def test_both_builds_translate(kind):
    def add(x, y, name=None):
        """Adds."""
        return x + y
    function = spelling.spelled("add", add)
    assert function(1, 2) == function(1, y=2) == function(input=1, other=2) == function(1, other=2) == 3
    assert function.__name__ == "add" and function.__doc__ == "Adds." and function.__wrapped__ is add
    assert str(inspect.signature(function)) == "(x, y, name=None)"
    with pytest.raises(TypeError, match="unexpected keyword argument 'foo'"):
        function(1, 2, foo=3)
    with pytest.raises(TypeError, match="multiple values"):
        function(1, 2, input=3)
    with pytest.raises(TypeError, match="given twice"):
        function(x=1, input=3, other=2)
    turned = spelling.spelled("exp", lambda input: input)  # it has the further name as its own
    assert turned(x=3) == turned(input=3) == 3

    class Owner:
        total = spelling.spelled("add", lambda self, y: (self, y))
    owner = Owner()
    assert owner.total(5) == owner.total(other=5) == (owner, 5) and Owner.total(owner, 5) == (owner, 5)


def test_functions_and_methods():
    x = paddle.to_tensor(X)
    same(paddle.add(input=x, other=x), x + x)
    same(paddle.sum(input=x, dim=1), x.sum(1))
    same(x.sum(dim=1, keepdim=True), x.sum(1, keepdim=True))
    same(paddle.cat([x, x], dim=1), paddle.concat([x, x], 1))
    same(paddle.fft.fft(input=x, dim=0), paddle.fft.fft(x, axis=0))
    same(F.softmax(input=x, dim=0), F.softmax(x, 0))
    same(x.clamp(min=2.0, max=4.0), x.clip(2.0, 4.0))
    same(paddle.where(x > 2, input=x, other=-x), paddle.where(x > 2, x, -x))
    assert paddle.nn.LayerNorm(3, eps=1e-3)._epsilon == 1e-3
    same(paddle.nn.CrossEntropyLoss()(x, target=paddle.to_tensor([0, 1])), F.cross_entropy(x, paddle.to_tensor([0, 1])))


def test_sizes_one_by_one():
    x = paddle.to_tensor(X)
    assert paddle.ones(2, 3).shape == paddle.zeros(2, 3, dtype="int64").shape == paddle.rand(2, 3).shape == [2, 3]
    assert paddle.ones(size=[2]).shape == paddle.ones(2).shape == [2]
    assert x.reshape(3, 2).shape == [3, 2] and x.reshape(3, -1).shape == [3, 2] and x.view(6, 1).shape == [6, 1]
    assert paddle.ones(1, 3).expand(2, 3).shape == [2, 3]
    assert paddle.ones(2, 3, 4).transpose(0, 2).shape == [4, 3, 2]
    assert paddle.transpose(paddle.ones(2, 3, 4), dim0=1, dim1=2).shape == [2, 4, 3]


def test_what_becomes_of_the_result():
    x, out = paddle.to_tensor(X), paddle.zeros([1])
    paddle.sum(x, dim=0, out=out)
    assert out.tolist() == [5.0, 7.0, 9.0]
    assert not paddle.zeros([2], requires_grad=True).stop_gradient and paddle.zeros([2], requires_grad=False).stop_gradient
    assert paddle.ones([2], device="cpu").tolist() == [1.0, 1.0]
    values, indices = paddle.zeros([1]), paddle.zeros([1], "int64")
    paddle.topk(x, 1, dim=1, out=(values, indices))
    assert values.tolist() == [[3.0], [6.0]] and indices.tolist() == [[2], [2]]
    with pytest.raises(RuntimeError, match="pin_memory"):
        paddle.ones([2], pin_memory=True)
    with pytest.raises(ValueError, match="place"):
        paddle.ones([2], device="nowhere")
    with pytest.raises(TypeError, match="out must be a Tensor"):
        paddle.exp(x, out=[1])


def test_static_programs_take_them():
    paddle.enable_static()
    try:
        main = paddle.static.Program()
        with paddle.static.program_guard(main):
            x = paddle.static.data("x", [2, 3])
            out = paddle.add(input=x, other=x).sum(dim=1)
        got, = paddle.static.Executor().run(main, feed={"x": np.array(X, "float32")}, fetch_list=[out])
    finally:
        paddle.disable_static()
    np.testing.assert_array_equal(got, [12.0, 30.0])


def test_every_row_of_the_table_is_known_to_its_function():
    """A row maps to an argument that the function has (or has the further spelling as its own)."""
    for name, row in spelling.table().items():
        owner = paddle
        for part in name.split("."):
            owner = getattr(owner, part, None) or getattr(paddle.Tensor, part, None) or getattr(paddle.linalg, part)
        own = tuple(arguments(owner))
        if not own or own == ("self",):
            continue  # takes what comes
        for keyword, argument in row.items():
            if argument[0] == "+":  # added by Paddle 3: the function named takes it, and all of the others
                further = tuple(arguments(spelling.find("paddle." + argument[1:])))
                assert keyword in further and set(own) <= {*further, "num_or_sections", "axis1", "axis2"}, (name, keyword)
            elif keyword not in spelling.RESULT and not (argument in own or keyword in own):
                raise AssertionError(f"{name} has neither {argument} nor {keyword}: {own}")


def test_pickles_and_reads_as_its_function():
    assert pickle.loads(pickle.dumps(paddle.add)) is paddle.add and inspect.isfunction(paddle.add)
    assert pickle.loads(pickle.dumps(paddle.Tensor.sum)) is paddle.Tensor.sum
