"""paddle.autograd.backward_utils: dicts and sets of Variables, and gradients with the arguments of paddle.grad."""

import pytest

import paddle
from paddle.autograd.backward_utils import ValueDict, ValueSet
from paddle.autograd.ir_backward import grad


@pytest.fixture
def three():
    with paddle.static.program_guard(paddle.static.Program()):
        paddle.enable_static()
        yield [paddle.static.data(name, [2]) for name in "abc"]
        paddle.disable_static()


def test_dict_of_variables(three):
    a, b, c = three
    d = ValueDict({a: 1})
    d[b] = 2
    assert d[a] == 1 and b in d and c not in d and len(d) == 2 and list(d) == [a, b] and d.pop(a) == 1
    assert d.get(a) is None and d.setdefault(c, 5) == 5 and dict(zip("bc", d.values())) == {"b": 2, "c": 5}
    with pytest.raises(KeyError):
        d[a]
    lists = ValueDict(default_factory=list)
    lists[a].append(3)
    assert lists[a] == [3] and lists.copy()[b] == [] and b not in lists
    assert not a.block.ops, "comparing keys must add no operators"


def test_set_of_variables(three):
    a, b, c = three
    s = ValueSet([a, b])
    s.add(a)
    assert len(s) == 2 and a in s and c not in s and [v.name for v in s | ValueSet([c])] == ["a", "b", "c"]
    assert [v.name for v in s - ValueSet([a])] == ["b"] and [v.name for v in s & ValueSet([b, c])] == ["b"]
    s.update([c])
    s.discard(a)
    s.remove(b)
    assert [v.name for v in s.copy()] == ["c"] and s and not ValueSet()
    assert not a.block.ops


def test_grad_of_what_is_stopped(three):
    a, b, c = three
    a.stop_gradient = c.stop_gradient = False
    first, second = grad((a * b).sum(), [a, b])
    assert first is not None and second is None  # b is stopped, so nobody expects its gradient
    with pytest.raises(ValueError, match="c is not used"):
        grad(a * 2.0, [a, c])


def test_constants_that_receive_gradients():
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        paddle.enable_static()
        leaf, stopped = paddle.to_tensor([1.0, 3.0], stop_gradient=False), paddle.to_tensor([1.0, 3.0])
        found = paddle.static.gradients(leaf * leaf * stopped, [leaf, stopped])
        paddle.disable_static()
    assert found[1] is None
    assert paddle.static.Executor().run(main, fetch_list=[found[0]])[0].tolist() == [2.0, 18.0]
