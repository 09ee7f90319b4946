"""fluid.evaluator, and the decay of 1.8 that looks at losses."""

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid import layers
from paddle.fluid.dygraph import to_variable


@pytest.fixture
def executor():
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.scope_guard(fluid.Scope()):
        yield fluid.Executor(fluid.CPUPlace())


def rows(values, lengths):
    return fluid.create_lod_tensor(np.array(values, "int64").reshape(-1, 1), [lengths], fluid.CPUPlace())


def test_edit_distances_add_up(executor):
    x, y = layers.data("x", [1], dtype="int64", lod_level=1), layers.data("y", [1], dtype="int64", lod_level=1)
    evaluator = fluid.evaluator.EditDistance(x, y)
    executor.run(fluid.default_startup_program())
    evaluator.reset(executor)
    executor.run(feed={"x": rows([1, 2, 3, 4], [2, 2]), "y": rows([1, 2, 3, 5], [2, 2])}, fetch_list=evaluator.metrics)
    found = executor.run(feed={"x": rows([1, 1], [2]), "y": rows([2, 2, 1, 1], [4])}, fetch_list=evaluator.metrics)
    assert [np.asarray(f).tolist() for f in found] == [[0.5], [1]]
    distance, errors = evaluator.eval(executor)
    np.testing.assert_allclose([distance[0], errors[0]], [(0.0 + 0.5 + 0.5) / 3, 2 / 3], rtol=1e-6)
    evaluator.reset(executor)
    with pytest.raises(ValueError, match="since the last reset"):
        evaluator.eval(executor)


def test_nothing_decoded_is_as_far_as_the_label_is_long(executor):
    x, y = layers.data("x", [3], lod_level=1), layers.data("y", [1], dtype="int64", lod_level=1)
    decoded = layers.ctc_greedy_decoder(x, blank=2)
    found = [*layers.edit_distance(decoded, y, normalized=False), *layers.edit_distance(decoded, y, True, ignored_tokens=[7])]
    values = fluid.create_lod_tensor(np.tile(np.float32([0.1, 0.2, 0.7]), (4, 1)), [[3, 1]], fluid.CPUPlace())  # blanks only
    distance, count, erased, _ = executor.run(feed={"x": values, "y": rows([1, 7, 0], [2, 1])}, fetch_list=found)
    assert distance.tolist() == [[2.0], [1.0]] and count.tolist() == [2] and erased.tolist() == [[1.0], [1.0]]


def test_chunks_add_up(executor):
    x, y = layers.data("x", [1], dtype="int64", lod_level=1), layers.data("y", [1], dtype="int64", lod_level=1)
    evaluator = fluid.evaluator.ChunkEvaluator(x, y, "IOB", 2)
    executor.run(fluid.default_startup_program())
    for _ in range(2):
        evaluator.reset(executor)
        # tags: 2 * type for the beginning of a chunk, + 1 inside it, 4 outside
        executor.run(feed={"x": rows([0, 1, 4, 2], [4]), "y": rows([0, 1, 4, 0], [4])}, fetch_list=evaluator.metrics)
        executor.run(feed={"x": rows([4, 4], [2]), "y": rows([2, 0], [2])}, fetch_list=evaluator.metrics)
        precision, recall, f1 = evaluator.eval(executor)
        np.testing.assert_allclose([precision[0], recall[0], f1[0]], [1 / 2, 1 / 4, 1 / 3], rtol=1e-6)


def test_evaluators_are_of_the_whole_program(executor):
    x = layers.data("x", [1], dtype="int64", lod_level=1)
    assert issubclass(fluid.evaluator.DetectionMAP, fluid.metrics.DetectionMAP)
    with pytest.raises(ValueError, match="outside of loops"), fluid.layers.Switch() as switch, \
            switch.case(layers.less_than(layers.zeros([1], "float32"), layers.ones([1], "float32"))):
        fluid.evaluator.EditDistance(x, x)


@pytest.mark.parametrize("mode, kind, losses, expected", [
    ("min", "rel", [1.0, 0.5, 0.49999, 0.6, 0.7, 0.8, 0.7, 0.7], [1, 1, 1, 1, 0.5, 0.5, 0.5, 0.5]),
    ("max", "abs", [1.0, 1.1, 1.1, 1.0, 1.1, 5.0, 1.0, 6.0], [1, 1, 1, 1, 0.5, 0.5, 0.5, 0.5]),
    ("min", "abs", [1.0] * 8, [1, 1, 1, 0.5, 0.5, 0.5, 0.5, 0.25])])
def test_reduce_lr_on_plateau(mode, kind, losses, expected):
    with fluid.dygraph.guard():
        decay = fluid.dygraph.ReduceLROnPlateau(1.0, mode, 0.5, patience=2, threshold_mode=kind, cooldown=1, min_lr=0.25)
        rates = []
        for loss in losses:
            decay.step(to_variable(np.array([loss], "float32")))
            rates.append(float(decay()))
        assert rates == expected
        again = fluid.dygraph.ReduceLROnPlateau(1.0, mode, 0.5)
        again.set_dict(decay.state_dict())
        assert again.state_dict() == decay.state_dict() and again.epoch_num == 8 and again.value() == expected[-1]


def test_an_optimizer_follows_the_plateau(capsys):
    with fluid.dygraph.guard():
        layer = fluid.dygraph.Linear(1, 1, bias_attr=False)
        decay = fluid.dygraph.ReduceLROnPlateau(1.0, decay_rate=0.5, patience=0, verbose=True)
        optimizer = fluid.optimizer.SGD(decay, parameter_list=layer.parameters())
        moved = []
        for _ in range(3):
            before = layer.weight.numpy().item()
            layers.reduce_sum(layer(to_variable(np.ones([1, 1], "float32")))).backward()
            optimizer.minimize(layers.reduce_sum(layer.weight))
            layer.clear_gradients()
            moved.append(round(before - layer.weight.numpy().item(), 5))
            decay.step(to_variable(np.array([1.0], "float32")))
        assert moved == [1.0, 1.0, 0.5] and optimizer.current_step_lr() == 0.25
        assert capsys.readouterr().out.splitlines()[0] == "Epoch 2: reducing learning rate from 1.0 to 0.5."


@pytest.mark.parametrize("given", [{"decay_rate": 2.0}, {"mode": "test"}, {"threshold_mode": "test"}, {"learning_rate": "a"}])
def test_what_reduce_lr_on_plateau_refuses(given):
    with pytest.raises((TypeError, ValueError), match="ReduceLROnPlateau"):
        fluid.dygraph.ReduceLROnPlateau(**{"learning_rate": 1.0, **given})
    with fluid.dygraph.guard(), pytest.raises(ValueError, match="shape"):
        fluid.dygraph.ReduceLROnPlateau(1.0).step(to_variable(np.ones([2], "float32")))


@pytest.mark.parametrize("make, state", [
    (lambda: fluid.dygraph.StepDecay(1.0, 2), {"epoch_num": 3}),
    (lambda: fluid.dygraph.ReduceLROnPlateau(1.0, decay_rate=0.5, patience=1),
     {"cooldown_counter": 0, "best_loss": 1.0, "num_bad_epochs": 0, "epoch_num": 3, "learning_rate": 0.5}),
    (lambda: fluid.dygraph.ExponentialDecay(1.0, 10, 0.5), {"step_num": 3})])
def test_files_of_optimizers_keep_their_decays(tmp_path, make, state):
    with fluid.dygraph.guard():
        layer, decay = fluid.dygraph.Linear(1, 1), make()
        optimizer = fluid.optimizer.Adam(decay, parameter_list=layer.parameters())
        for _ in range(3):
            loss = layers.reduce_sum(layer(to_variable(np.ones([1, 1], "float32"))))
            loss.backward()
            optimizer.minimize(loss)
            if hasattr(decay, "epoch"):
                decay.epoch()
            elif isinstance(decay, fluid.dygraph.ReduceLROnPlateau):
                decay.step(to_variable(np.ones([1], "float32")))
        assert decay.state_dict() == state
        fluid.dygraph.save_dygraph(layer.state_dict(), str(tmp_path / "saved"))
        fluid.dygraph.save_dygraph(optimizer.state_dict(), str(tmp_path / "saved"))
        again, (_, loaded) = make(), fluid.dygraph.load_dygraph(str(tmp_path / "saved"))
        fluid.optimizer.Adam(again, parameter_list=layer.parameters()).set_dict(loaded)
        assert again.state_dict() == state and again.value() == decay.value()


def test_what_decays_refuse():
    with fluid.dygraph.guard():
        with pytest.raises(ValueError, match="negative"):
            fluid.dygraph.MultiStepDecay(-1, [20, 30])
        with pytest.raises(TypeError, match="learning_rate"):
            layers.linear_lr_warmup("fake", 2, 0.0, 1.0)
