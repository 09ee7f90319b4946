"""paddle.Model: fitting, callbacks, checkpoints, summary and flops."""

import os

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.callbacks import Callback, EarlyStopping, LRScheduler, ReduceLROnPlateau, VisualDL


def data(n=12):
    values = np.random.RandomState(0)
    x = values.rand(n, 4).astype("float32")
    return paddle.io.TensorDataset([paddle.to_tensor(x), paddle.to_tensor((x.sum(1) > 2).astype("int64").reshape(-1, 1))])


def made(rate=0.1, metrics=True):
    paddle.seed(1)
    np.random.seed(1)  # the order of samples
    model = paddle.Model(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)))
    model.prepare(paddle.optimizer.SGD(rate, parameters=model.parameters()), nn.CrossEntropyLoss(),
                  paddle.metric.Accuracy() if metrics else None)
    return model


def test_fit_learns_and_predict_keeps_order():
    model = made(0.5)
    before = model.evaluate(data(), batch_size=12, verbose=0)
    model.fit(data(), batch_size=4, epochs=15, verbose=0)
    after = model.evaluate(data(), batch_size=12, verbose=0)
    assert after["loss"][0] < before["loss"][0] and after["acc"] >= before["acc"]
    out, = model.predict(data(), batch_size=5, stack_outputs=True, verbose=0)
    x = np.stack([np.asarray(data()[i][0]) for i in range(12)])
    np.testing.assert_allclose(out, model.network(paddle.to_tensor(x)).numpy(), rtol=1e-5, atol=1e-6)


def test_accumulated_gradients_equal_one_large_batch():
    a, b = made(metrics=False), made(metrics=False)
    a.fit(data(), batch_size=12, shuffle=False, verbose=0)
    b.prepare(paddle.optimizer.SGD(0.1 / 3, parameters=b.parameters()), nn.CrossEntropyLoss())
    b.fit(data(), batch_size=4, shuffle=False, verbose=0, accumulate_grad_batches=3)
    for p, q in zip(a.parameters(), b.parameters()):
        np.testing.assert_allclose(p.numpy(), q.numpy(), rtol=1e-5, atol=1e-6)


def test_what_has_run_can_be_saved_for_inference(tmp_path):
    model, path = made(), str(tmp_path / "model")
    with pytest.raises(RuntimeError, match="a batch to have run"):
        model.save(path, training=False)
    model.fit(data(), batch_size=4, verbose=0)
    model.save(path, training=False)
    x = paddle.rand([3, 4])  # batches of another size too
    np.testing.assert_allclose(paddle.jit.load(path)(x), model.network(x), rtol=1e-5, atol=1e-6)


def test_save_and_load_continue(tmp_path):
    model = made()
    model.fit(data(), batch_size=4, epochs=2, verbose=0, save_dir=str(tmp_path))
    assert sorted(os.listdir(tmp_path)) == ["0.pdparams", "1.pdparams", "final.pdparams"]  # SGD has no state
    other = made()
    other.load(str(tmp_path / "final"))
    np.testing.assert_array_equal(other.parameters()[0].numpy(), model.parameters()[0].numpy())
    wrong = paddle.Model(nn.Sequential(nn.Linear(4, 3)))
    with pytest.raises(ValueError, match="0.weight"):
        wrong.load(str(tmp_path / "final"))
    wrong.load(str(tmp_path / "final"), skip_mismatch=True)


def test_events_come_in_order():
    seen = []

    class Watch(Callback):
        def on_train_begin(self, logs=None):
            seen.append("begin")

        def on_epoch_begin(self, epoch, logs=None):
            seen.append(epoch)

        def on_train_batch_end(self, step, logs=None):
            seen.append(("batch", step, sorted(logs)))

        def on_eval_end(self, logs=None):
            seen.append("eval")

    made().fit(data(4), data(4), batch_size=2, epochs=2, verbose=0, callbacks=[Watch()])
    batch = [("batch", k, ["acc", "batch_size", "loss", "step"]) for k in range(2)]
    assert seen == ["begin", 0, *batch, "eval", 1, *batch, "eval"]


def test_early_stopping_and_plateau(tmp_path):
    model = made(rate=0.0)
    stop = EarlyStopping("loss", patience=1, verbose=0)
    model.fit(data(4), data(4), batch_size=4, epochs=10, verbose=0, callbacks=[stop], save_dir=str(tmp_path))
    assert model.stop_training and stop.stopped_epoch == 2
    assert (tmp_path / "best_model.pdparams").exists()
    model = made(rate=1e-9)
    model.fit(data(4), data(4), batch_size=4, epochs=4, verbose=0,
              callbacks=[ReduceLROnPlateau(factor=0.5, patience=2, verbose=0)])
    assert model._optimizer.get_lr() == pytest.approx(5e-10)


def test_scheduler_steps_by_batch_or_epoch():
    for callback, rate in ((None, 0.1 * 0.5 ** 4), (LRScheduler(False, True), 0.1 * 0.5 ** 2)):
        model = made()
        decay = paddle.optimizer.lr.ExponentialDecay(0.1, 0.5)
        model.prepare(paddle.optimizer.SGD(decay, parameters=model.parameters()), nn.CrossEntropyLoss())
        model.fit(data(4), batch_size=2, epochs=2, verbose=0, callbacks=callback)
        assert model._optimizer.get_lr() == pytest.approx(rate)


def test_progress_in_a_pipe_has_no_control_characters(capsys):
    made().fit(data(4), data(4), batch_size=2, epochs=1, verbose=1)
    text = capsys.readouterr().out
    assert "Epoch 1/1" in text and "step 2/2" in text and "loss:" in text and "acc:" in text and "Eval samples: 4" in text
    assert "\r" not in text and "\b" not in text


def test_visualdl_writes_event_files(tmp_path):
    made().fit(data(4), data(4), batch_size=2, verbose=0, callbacks=VisualDL(str(tmp_path)))
    written = b"".join(p.read_bytes() for p in tmp_path.iterdir())
    assert b"train/loss" in written and b"eval/acc" in written


def test_summary_of_sizes_of_all_kinds(capsys):
    net = paddle.nn.LSTM(16, 32, 2)
    count = paddle.summary(net, [(-1, 23, 16), ((2, None, 32), (2, -1, 32))])["total_params"]
    assert count == sum(p.size for p in net.parameters())
    assert paddle.summary(paddle.nn.Linear(20, 2), 20)["total_params"] == 42
    with pytest.raises(TypeError, match=r"summary\(\): sizes must be ints.*'2'"):
        paddle.summary(net, (1, 1, "2"))


def test_summary_in_static_mode(capsys):
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
            assert paddle.summary(paddle.nn.Linear(20, 2), (4, 20))["trainable_params"] == 42
    finally:
        paddle.disable_static()
    assert "[4, 20]" in capsys.readouterr().out


def test_summary_counts_nested_layers_once(capsys):
    counts = paddle.summary(paddle.vision.models.LeNet(), (1, 1, 28, 28))
    assert int(counts["total_params"]) == 61610 and "Conv2D" in capsys.readouterr().out


def doubled(layer, given, result):
    layer.total_ops += 2 * int(given[0].numel())


@pytest.mark.parametrize("custom, total", [(None, 347560), ({nn.ReLU: doubled, nn.MaxPool2D: doubled}, 372776)])
@pytest.mark.parametrize("translated", [False, True])
def test_flops_of_layers_are_those_of_paddle(custom, total, translated, capsys):  # recorded from 2.6.2, as the next two
    network = paddle.vision.models.LeNet()
    if translated:
        network = paddle.jit.to_static(network)
    assert paddle.flops(network, [1, 1, 28, 28], custom_ops=custom, print_detail=True) == total
    text = capsys.readouterr().out
    assert f"Total Flops: {total}     Total Params: 61610" in text
    assert "|  [1, 6, 14, 14] | [1, 16, 10, 10] |  2416  | 241600 |" in text
    assert network.training and not [name for name in network.state_dict() if "total" in name]


def test_flops_leave_out_layers_that_did_not_run_and_functions(capsys):
    class Network(nn.Layer):
        def __init__(self):
            super().__init__()
            self.conv, self.norm, self.act = nn.Conv1D(2, 4, 3, groups=2), nn.BatchNorm1D(4), nn.LeakyReLU()
            self.pool = nn.AdaptiveAvgPool1D(3)
            self.linear, self.unused, self.last, self.rnn = nn.Linear(3, 5), nn.Linear(9, 9), nn.GELU(), nn.LSTM(5, 7)

        def forward(self, x):
            return self.rnn(self.last(self.linear(self.act(self.pool(self.act(self.norm(self.conv(x))))))))[0] @ paddle.ones([7, 2])

    assert paddle.flops(Network(), [1, 2, 12]) == 320
    assert paddle.flops(paddle.vision.models.mobilenet_v2(), [1, 3, 64, 64]) == 26825216
    assert "Total Params: 52" in capsys.readouterr().out


def test_flops_of_a_program(capsys):
    from paddle import static
    paddle.enable_static()
    try:
        with static.program_guard(static.Program()):
            x = static.data("x", [None, 3, 32, 32])
            layers = [nn.Conv2D(3, 8, 3), nn.BatchNorm2D(8), nn.AvgPool2D(2), nn.AdaptiveAvgPool2D(3)]
            y = nn.Sequential(*layers, nn.Conv2D(8, 8, 3, groups=8, bias_attr=False), nn.Flatten(), nn.Linear(8, 4))(x)
            static.nn.fc(y, 5)
            program = static.default_main_program()
        assert paddle.flops(program, [1], print_detail=True) == 194400 + 7200 + 14400 + 9000 + 1872 + 72 + 4 + 20 + 5
    finally:
        paddle.disable_static()
    assert "| depthwise_conv2d |" in capsys.readouterr().out
    with pytest.warns(UserWarning, match="a Layer or a Program"):
        assert paddle.flops(3, [1]) == -1


def test_mistakes_are_named():
    with pytest.raises(TypeError, match="network must be a Layer"):
        paddle.Model(3)
    with pytest.raises(RuntimeError, match="prepare"):
        paddle.Model(nn.Linear(1, 1)).train_batch([paddle.ones([1, 1])])
    with pytest.raises(TypeError, match="metrics must be"):
        made().prepare(metrics=[3])
    with pytest.raises(TypeError, match="write paddle.io.TensorDataset"):
        made().fit(np.ones((4, 2), "float32"), np.ones((4, 1), "float32"))
