"""Masks of n:m patterns, pruning, and training that keeps the zeros; values of Paddle 2.6.2."""

import numpy as np
import pytest

import paddle
from paddle.incubate import asp
from paddle.incubate.asp import pruning


@pytest.fixture(autouse=True)
def fresh_notes(monkeypatch):
    """What was pruned is noted with the default program, layers of eager code too, and further layers by name: each test has its
    own."""
    monkeypatch.setattr(pruning, "supported_layers_and_prune_func_map", dict(pruning.supported_layers_and_prune_func_map))
    with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
        yield


MATRIX = np.array([[2, 8, 9, 9], [9, 1, 3, 9], [5, 6, 3, 9], [2, 4, 6, 9]])


@pytest.mark.parametrize("algorithm, expected", [
    ("MASK_1D", [[0, 0, 1, 1], [1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1]]),
    ("MASK_2D_BEST", [[0, 1, 1, 0], [1, 0, 0, 1], [1, 1, 0, 0], [0, 0, 1, 1]]),
])
def test_masks(algorithm, expected):
    mask = asp.create_mask(MATRIX, asp.MaskAlgo[algorithm])
    assert mask.tolist() == expected and mask.dtype == MATRIX.dtype
    check = asp.CheckMethod.get_checking_method(asp.MaskAlgo[algorithm])
    assert asp.check_sparsity(mask, check) and not asp.check_sparsity(np.ones([4, 4]), check)


def test_best_is_better_than_greedy():
    greedy, best = (float((MATRIX * make(MATRIX, 2, 4)).sum()) for make in (asp.get_mask_2d_greedy, asp.get_mask_2d_best))
    assert (greedy, best) == (56, 61)


def test_padding():
    weight = np.random.RandomState(0).randn(6, 9)
    assert asp.get_mask_1d(weight, 2, 4).astype(int).tolist()[:2] == [[1, 0, 0, 1, 1, 1, 0, 0, 1], [0, 0, 1, 1, 0, 1, 0, 1, 1]]
    assert asp.get_mask_2d_greedy(weight, 2, 4).astype(int).tolist() == [
        [1, 0, 0, 1, 1, 1, 0, 0, 0], [1, 0, 0, 1, 1, 0, 0, 1, 1], [0, 1, 1, 0, 0, 0, 1, 1, 0], [0, 1, 1, 0, 0, 1, 1, 0, 1],
        [1, 1, 0, 0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 0, 1, 0, 1, 1]]
    assert asp.check_mask_1d(np.array([[0, 1, 0, 4, 6], [1, 0, 0, 1, 7]]), 2, 4)


SUMS = {"mask_1d": [(72, 5094), (64, 4048)], "mask_2d_greedy": [(71, 5011), (64, 4064)],
        "mask_2d_best": [(72, 5148), (64, 4064)]}  # of masks, and of the places of their ones


def test_prune_model():
    paddle.seed(1)
    net = paddle.nn.Sequential(paddle.nn.Conv2D(4, 4, 3), paddle.nn.Flatten(), paddle.nn.Linear(16, 8))
    for algorithm, sums in SUMS.items():
        masks = asp.prune_model(net, mask_algo=algorithm, with_mask=False)
        found = [masks[layer.weight.name] for layer in (net[0], net[2])]
        assert [(m.sum(), (m.reshape(-1) * np.arange(m.size)).sum()) for m in found] == sums
    assert list(masks) == [layer.weight.name for layer in (net[0], net[2])]


def test_training_keeps_zeros():
    paddle.seed(1)
    net = paddle.nn.Sequential(paddle.nn.Linear(16, 8), paddle.nn.Linear(8, 8), paddle.nn.Linear(8, 2))
    asp.set_excluded_layers([net[1].full_name()])
    try:
        optimizer = asp.decorate(paddle.optimizer.Momentum(0.01, parameters=net.parameters()))
        asp.prune_model(net)
        before = [p.numpy().copy() for p in net.parameters()]
        for _ in range(3):
            net(paddle.randn([4, 16])).pow(2).sum().backward()
            optimizer.step()
            optimizer.clear_grad()
    finally:
        asp.reset_excluded_layers()
    assert [asp.calculate_density(layer.weight.numpy()) for layer in net] == [0.5, 1, 0.5]
    assert all((p.numpy() != old).any() for p, old in zip(net.parameters(), before))
    state = optimizer.state_dict()
    assert net[0].weight.name + ".asp_mask" in state
    net[0].weight.set_value(np.ones([16, 8], "float32"))
    optimizer.set_state_dict(state)
    net(paddle.randn([4, 16])).sum().backward()
    optimizer.step()
    assert asp.calculate_density(net[0].weight.numpy()) == 0.5


@pytest.fixture
def static_mode():
    paddle.enable_static()
    yield
    paddle.disable_static()


def test_in_a_program(static_mode):
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup):
        x = paddle.static.data("x", [None, 8])
        loss = (paddle.static.nn.fc(paddle.static.nn.fc(x, 8), 4) ** 2).mean()
        first, _, second, _ = [p.name for p in main.all_parameters()]
        asp.set_excluded_layers([second.partition(".")[0]], main)
        asp.decorate(paddle.optimizer.SGD(0.1)).minimize(loss, startup)
    assert main.global_block().ops[-1].type == "elementwise_mul"
    executor = paddle.static.Executor()
    executor.run(startup)
    assert list(asp.prune_model(main)) == [first]
    values = [executor.run(main, {"x": np.ones([2, 8], "float32")}, [loss, first])[1] for _ in range(2)]
    assert all(asp.calculate_density(v) == 0.5 for v in values) and (values[0] != values[1]).any()


def test_further_layers_and_small_ones():
    net = paddle.nn.Linear(2, 8)
    assert asp.prune_model(net, with_mask=False)[net.weight.name].all()  # its first axis is smaller than 4
    def drop_all(weight, m, n, algorithm, name):
        return weight * 0, np.zeros_like(weight)
    asp.add_supported_layer(net.full_name(), drop_all)
    asp.prune_model(net, with_mask=False)
    assert not net.weight.numpy().any()


@pytest.mark.parametrize("call, message", [
    (lambda: asp.create_mask(MATRIX, "mask_1d"), "MaskAlgo"), (lambda: asp.create_mask(np.ones([1] * 5)), "one to four axes"),
    (lambda: asp.get_mask_1d(MATRIX, 5, 4), "at most m"), (lambda: asp.prune_model(paddle.nn.Linear(8, 8)), "asp.decorate"),
    (lambda: asp.prune_model(3), "Layer or a Program"), (lambda: asp.prune_model(paddle.nn.Linear(8, 8), mask_algo="x"), "mask_1d"),
    (lambda: asp.calculate_density(np.ones([0])), "must have elements"), (lambda: asp.add_supported_layer(3), "name, a layer")])
def test_bad_arguments(call, message):
    with pytest.raises((TypeError, ValueError, RuntimeError), match=message):
        call()


def test_the_program_may_come_first():
    program = paddle.static.Program()
    asp.set_excluded_layers(program, ["first"])
    asp.set_excluded_layers(["second"], program)
    assert asp.ASPHelper._get_program_asp_info(program).excluded_layers == ["first", "second"]
