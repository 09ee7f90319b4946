"""Recurrent stacks: their layers are cells that give the same, constants in place of absent weights, other parameters."""

import copy

import numpy as np
import pytest

import paddle
from paddle import nn

STACKS = [nn.SimpleRNN, nn.LSTM, nn.GRU]


@pytest.fixture(autouse=True)
def seeded():
    paddle.seed(11)


def close(a, b):
    np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("direction", ["forward", "bidirect"])
def test_a_stack_gives_what_its_layers_give_one_after_the_other(stack, direction):
    model, x = stack(3, 4, num_layers=2, direction=direction), paddle.rand([2, 5, 3])
    y = x
    for layer in model:
        y, _ = layer(y)
    close(model(x)[0], y)


@pytest.mark.parametrize("stack", STACKS)
def test_parameters_of_cells_and_stack_are_the_same(stack):
    model = copy.deepcopy(stack(3, 4, direction="bidirect"))
    assert model.weight_hh_l0_reverse is model[0].cell_bw.weight_hh
    assert len(model.parameters()) == 8
    other = stack(3, 4, direction="bidirect")
    assert other.set_state_dict(model.state_dict()) == ([], [])
    x = paddle.rand([2, 5, 3])
    close(other(x)[0], model(x)[0])


@pytest.mark.parametrize("stack", STACKS)
def test_without_biases(stack):
    model = stack(3, 4, num_layers=2, bias_ih_attr=False, bias_hh_attr=False)
    assert [n for n, _ in model.named_parameters() if "_l" in n] == ["weight_ih_l0", "weight_hh_l0", "weight_ih_l1", "weight_hh_l1"]
    biases = [p for n, p in model.named_parameters() if "bias" in n]
    assert len(biases) == 4 and all(p.stop_gradient and not p.numpy().any() for p in biases)
    y, _ = model(paddle.rand([2, 5, 3]))
    y.sum().backward()
    assert all(p.grad is not None for p in model.parameters() if not p.stop_gradient)


@pytest.mark.parametrize("cell", [nn.SimpleRNNCell, nn.LSTMCell, nn.GRUCell])
def test_absent_weights_of_a_cell_are_ones_that_are_not_trained(cell):
    made = cell(3, 4, weight_ih_attr=False)
    assert made.weight_ih.stop_gradient and (made.weight_ih.numpy() == 1).all()
    assert made(paddle.rand([2, 3]))[0].shape == [2, 4]


def test_a_reparametrized_weight_is_the_one_used():
    model, x = nn.LSTM(3, 4), paddle.rand([2, 5, 3])
    before = model(x)[0]
    nn.utils.weight_norm(model, "weight_hh_l0", dim=0)
    close(model(x)[0], before)
    model.weight_hh_l0_g.set_value(model.weight_hh_l0_g * 0)
    hidden = model[0].cell.weight_hh
    hidden.set_value(hidden * 0)
    close(model(x)[0], model[0](x)[0])


def test_projection_is_that_of_its_cells():
    model, x = nn.LSTM(3, 4, num_layers=2, proj_size=2), paddle.rand([2, 5, 3])
    assert model.weight_ho_l1.shape == [4, 2]
    y, (h, c) = model(x)
    assert (y.shape, h.shape, c.shape) == ([2, 5, 2], [2, 2, 2], [2, 2, 4])
    close(y, model[1](model[0](x)[0])[0])
    assert nn.LSTM(3, 4, proj_size=0)(x)[0].shape == [2, 5, 4]  # as 3.x writes none
    with pytest.raises(ValueError, match="proj_size"):
        nn.LSTM(3, 4, proj_size=4)


def test_functions_that_run_cells_are_the_layers():
    from paddle.nn.layer.rnn import birnn, rnn
    paddle.seed(0)
    x, lengths = paddle.rand([2, 5, 3]), paddle.to_tensor([5, 2])
    forward, back = paddle.nn.GRUCell(3, 4), paddle.nn.GRUCell(3, 4)
    for got, expected in ((rnn(forward, x, None, lengths, False, True), nn.RNN(forward, is_reverse=True)(x, None, lengths)),
                          (birnn(forward, back, x, None, lengths), paddle.nn.BiRNN(forward, back)(x, None, lengths))):
        np.testing.assert_array_equal(got[0].numpy(), expected[0].numpy())


@pytest.mark.parametrize("is_reverse", [False, True])
def test_a_cell_runs_on_past_the_lengths(is_reverse):
    """RNN(cell) keeps the state there and gives what the cell makes of it; only LSTM, GRU and SimpleRNN give 0 (2.6.2's values)."""
    constant = [paddle.ParamAttr(initializer=paddle.nn.initializer.Constant(0.3)) for _ in range(4)]
    net = paddle.nn.RNN(paddle.nn.GRUCell(3, 2, *constant), is_reverse)
    outputs, state = net(paddle.ones([2, 4, 3]), None, paddle.to_tensor([2, 4]))
    expected = [0.28898537, 0.16322601, 0.16322601, 0.16322601] if is_reverse else [0.16322601, 0.28898537, 0.3888988, 0.3888988]
    np.testing.assert_allclose(outputs.numpy()[0, :, 0], expected, rtol=1e-6)
    np.testing.assert_allclose(state.numpy()[:, 0], [0.28898537, 0.47004634], rtol=1e-6)


@pytest.mark.parametrize(("make", "lengths"), [
    (lambda: nn.RNN(nn.SimpleRNNCell(2, 3)), False), (lambda: nn.RNN(nn.LSTMCell(2, 3), is_reverse=True), True),
    (lambda: nn.RNN(nn.GRUCell(2, 3), time_major=True), True),
    (lambda: nn.BiRNN(nn.GRUCell(2, 3), nn.GRUCell(2, 3)), True)], ids=["plain", "reverse", "time major", "both"])
def test_cells_over_a_number_of_steps_that_only_a_run_knows(make, lengths):
    x = np.random.default_rng(0).random((4, 4, 2), np.float32)

    def run(sizes):
        paddle.enable_static()
        try:
            main, startup = paddle.static.Program(), paddle.static.Program()
            startup.random_seed = 5
            with paddle.static.program_guard(main, startup), paddle.utils.unique_name.guard():
                given = paddle.static.data("x", sizes)
                given.stop_gradient = False
                ends = paddle.static.data("ends", [None], "int64") if lengths else None
                y, states = make()(given, sequence_length=ends)
                states = paddle.utils.flatten(states)
                loss = (y * y).sum() + sum((s * s).sum() for s in states)
                grads = paddle.static.gradients(loss, [given, main.all_parameters()[0]])
            executor = paddle.static.Executor()
            executor.run(startup)
            feed = {"x": x, "ends": np.array([2, 4, 1, 3])} if lengths else {"x": x}
            return executor.run(main, feed=feed, fetch_list=[y, *states, *grads])
        finally:
            paddle.disable_static()
    for found, expected in zip(run([None, None, 2]), run([4, 4, 2])):
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)


def test_states_for_the_batch_of_several_tensors():
    cell, x = paddle.nn.LSTMCell(3, 4), paddle.ones([5, 3])
    for given in ((x, x), [{"a": x}], x):
        assert [s.shape for s in cell.get_initial_states(given)] == [[5, 4], [5, 4]]


def test_beams_of_a_known_batch_are_searched_in_a_program():
    paddle.seed(4)
    cell, embed, head = paddle.nn.LSTMCell(4, 4), paddle.nn.Embedding(7, 4), paddle.nn.Linear(4, 7)
    decoder = paddle.nn.BeamSearchDecoder(cell, 0, 1, 3, embed, head)
    draw = np.random.default_rng(0)
    states = [paddle.to_tensor(draw.normal(size=[2, 4]).astype("float32")) for _ in range(2)]

    def search(hidden, memory):
        return paddle.nn.dynamic_decode(decoder, [hidden, memory], max_step_num=5, is_test=True)[0]
    np.testing.assert_array_equal(paddle.jit.to_static(search, full_graph=True)(*states).numpy(), search(*states).numpy())


def test_decoders_of_ones_own_have_a_base():
    from paddle.nn.decode import Decoder
    assert Decoder is paddle.fluid.layers.Decoder
