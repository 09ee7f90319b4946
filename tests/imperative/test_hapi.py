"""paddle.incubate.hapi of 2.0 alpha: Models in both modes, recurrent layers, Transformers, decoders and transforms."""

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid
from paddle.fluid.dygraph import guard, to_variable
from paddle.incubate import hapi
from paddle.incubate.hapi import text
from paddle.incubate.hapi.loss import CrossEntropy
from paddle.incubate.hapi.metrics import Accuracy
from paddle.incubate.hapi.vision import models, transforms
from paddle.incubate.hapi.vision.transforms import functional

RNG = np.random.RandomState(7)


@pytest.fixture(autouse=True)
def alpha():
    before = paddle.get_generation()
    paddle.set_generation("2.0-alpha")
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        yield
    paddle.set_generation(before)


class Softmaxed(hapi.Model):
    def __init__(self):
        super().__init__()
        self.fc = fluid.dygraph.Linear(20, 10, act="softmax")

    def forward(self, x):
        return self.fc(x)


def prepared(train=False, loss=None, metrics=None):
    fluid.default_startup_program().random_seed = fluid.default_main_program().random_seed = 1024
    model = Softmaxed()
    sgd = fluid.optimizer.SGD(0.1, parameter_list=model.parameters()) if train else None
    model.prepare(sgd, loss, metrics, inputs=[hapi.Input([None, 20], "float32", "x")], labels=[hapi.Input([None, 1], "int64", "y")])
    return model


def in_mode(dynamic, function):
    if not dynamic:
        return function()
    with guard():
        return function()


def draw(*shape):
    return RNG.uniform(-1, 1, shape).astype("float32")


@pytest.mark.parametrize("dynamic", [True, False])
def test_a_model_trains_in_both_modes(dynamic):
    """The losses of two steps are those of the formulas, whatever the mode."""
    x, y = draw(4, 20), RNG.randint(0, 10, (4, 1)).astype("int64")

    def run():
        model = prepared(True, CrossEntropy(average=False))
        begin = [p.numpy().astype("float64") for p in model.parameters()]
        return begin, [model.train_batch([x], [y])[0].item() for _ in range(2)]
    (w, b), losses = in_mode(dynamic, run)
    for loss in losses:
        p = np.exp(x @ w + b)
        p /= p.sum(1, keepdims=True)
        assert loss == pytest.approx(-np.log(p[np.arange(4), y[:, 0]]).sum(), rel=1e-5)
        p[np.arange(4), y[:, 0]] -= 1
        w, b = w - 0.1 * x.T @ p, b - 0.1 * p.sum(0)


@pytest.mark.parametrize("dynamic", [True, False])
def test_fit_evaluate_predict_save_and_load(dynamic, tmp_path):
    rows = [(draw(20), np.array([k % 10])) for k in range(12)]

    class Rows(paddle.io.Dataset):
        def __getitem__(self, k):
            return rows[k]

        def __len__(self):
            return len(rows)

    def run():
        model = prepared(True, CrossEntropy(), Accuracy())
        model.fit(Rows(), batch_size=4, epochs=30, verbose=0)
        assert model.evaluate(Rows(), batch_size=4, verbose=0)["acc"] > 0.5
        model.save(str(tmp_path / "net"))
        other = prepared()
        other.load(str(tmp_path / "net.pdparams"))
        x = np.stack([row[0] for row in rows])
        found, = other.predict(Rows(), batch_size=5, stack_outputs=True)
        np.testing.assert_allclose(found, model.test_batch(x)[0], rtol=1e-6)
        return model, x
    model, x = in_mode(dynamic, run)
    if not dynamic:
        model.save_inference_model(str(tmp_path / "out"))
        exe = fluid.Executor(fluid.CPUPlace())
        program, feeds, fetches = fluid.io.load_inference_model(str(tmp_path / "out"), exe)
        np.testing.assert_allclose(exe.run(program, {feeds[0]: x}, fetches)[0], model.test_batch(x)[0], rtol=1e-5)


def test_what_a_model_refuses():
    with pytest.raises(TypeError, match="loss_function must be a Loss"):
        Softmaxed().prepare(loss_function=paddle.nn.MSELoss(), inputs=[hapi.Input([None, 20], "float32", "x")])
    with pytest.raises(TypeError, match="inputs must be"):
        Softmaxed().prepare()
    with pytest.raises(ValueError, match="set_device"):
        hapi.set_device("tpu")
    with pytest.raises(NotImplementedError, match="pretrained"):
        models.resnet18(pretrained=True)
    with guard():
        assert isinstance(hapi.Model(paddle.nn.Linear(2, 2)), paddle.Model)  # as 2.0 beta calls it


def sigmoid(v):
    return 1 / (1 + np.exp(-v))


def test_cells_are_their_formulas():
    x, h, c = draw(3, 4), draw(3, 5), draw(3, 5)
    with guard():
        lstm, gru = text.BasicLSTMCell(4, 5, forget_bias=0.5), text.BasicGRUCell(4, 5)
        (w, b), (gw, cw, gb, cb) = ([p.numpy() for p in cell.parameters()] for cell in (lstm, gru))
        hidden, (_, cell) = lstm(to_variable(x), [to_variable(h), to_variable(c)])
        out, state = gru(to_variable(x), to_variable(h))
        hidden, cell, out, same = hidden.numpy(), cell.numpy(), out.numpy(), out is state
    i, j, f, o = np.split(np.concatenate([x, h], 1) @ w + b, 4, 1)
    wanted = c * sigmoid(f + 0.5) + sigmoid(i) * np.tanh(j)
    np.testing.assert_allclose(cell, wanted, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(hidden, np.tanh(wanted) * sigmoid(o), rtol=1e-4, atol=1e-6)
    r, u = np.split(sigmoid(np.concatenate([x, h], 1) @ gw + gb), 2, 1)
    wanted = u * h + (1 - u) * np.tanh(np.concatenate([x, r * h], 1) @ cw + cb)
    np.testing.assert_allclose(out, wanted, rtol=1e-4, atol=1e-6)
    assert same


@pytest.mark.parametrize("merge_each_layer", [False, True])
def test_both_ways(merge_each_layer):
    """Outputs of the two directions stand side by side; the backward one is the stack run over the reversed input."""
    with guard():
        net, x = text.BidirectionalLSTM(4, 5, num_layers=2, merge_each_layer=merge_each_layer), to_variable(draw(2, 3, 4))
        y, states = net(x)
        assert list(y.shape) == [2, 3, 10] and len(states) == 2
        if not merge_each_layer:
            backward, _ = text.RNN(net.lstm.rnn_bw.cell)(fluid.layers.reverse(x, 1))
            np.testing.assert_allclose(y.numpy()[:, ::-1, 5:], backward.numpy(), rtol=1e-5)
        with pytest.raises(ValueError, match="merge_mode"):
            text.BidirectionalRNN(text.BasicGRUCell(2, 2), text.BasicGRUCell(2, 2), merge_mode="max")


def test_attention_is_its_formula():
    x, bias = draw(2, 4, 6), draw(2, 3, 4, 4)
    with guard():
        layer = text.MultiHeadAttention(5, 7, 6, 3, dropout_rate=0.0)
        q, k, v, o = (p.numpy().astype("float64") for p in layer.parameters())
        found = layer(to_variable(x), attn_bias=to_variable(bias)).numpy()
    heads = [(x @ w).reshape(2, 4, 3, -1).transpose(0, 2, 1, 3) for w in (q, k, v)]
    e = np.exp(heads[0] @ heads[1].transpose(0, 1, 3, 2) / np.sqrt(5) + bias)
    wanted = (e / e.sum(-1, keepdims=True) @ heads[2]).transpose(0, 2, 1, 3).reshape(2, 4, 21) @ o
    np.testing.assert_allclose(found, wanted, rtol=2e-4, atol=1e-5)


def test_a_decoder_with_caches_gives_what_it_gives_at_once():
    with guard():
        decoder = text.TransformerDecoder(2, 2, 4, 4, 8, 16, 0.0, 0.0, 0.0)
        x, encoded = to_variable(draw(2, 3, 8)), to_variable(draw(2, 5, 8))
        later = np.triu(np.full((3, 3), -1e9, "float32"), 1)[None, None]
        whole = decoder(x, encoded, to_variable(np.tile(later, (2, 2, 1, 1)))).numpy()
        caches = [{**a, **b} for a, b in zip(decoder.prepare_incremental_cache(encoded), decoder.prepare_static_cache(encoded))]
        steps = [decoder(x[:, t:t + 1], encoded, caches=caches).numpy() for t in range(3)]
        np.testing.assert_allclose(np.concatenate(steps, 1), whole, rtol=1e-4, atol=1e-5)


def test_beam_search_over_a_transformer():
    """With one beam it is the greedy choice, made step by step."""
    with guard():
        decoder, words = text.TransformerDecoder(1, 2, 4, 4, 8, 16, 0.0, 0.0, 0.0), fluid.dygraph.Embedding([11, 8])
        project, encoded = fluid.dygraph.Linear(8, 11), to_variable(draw(3, 5, 8))
        cell = text.TransformerCell(decoder, lambda word, pos: words(word), project)
        search = text.TransformerBeamSearchDecoder(cell, 0, 1, 1, var_dim_in_state=2)
        found, _ = text.DynamicDecode(search, max_step_num=4, is_test=True)(
            decoder.prepare_incremental_cache(encoded), enc_output=encoded, static_caches=decoder.prepare_static_cache(encoded))
        for n in range(3):
            caches, token = decoder.prepare_incremental_cache(encoded[n:n + 1]), 0
            for step in range(found.shape[1]):
                out = project(decoder(words(to_variable(np.array([[token]]))), encoded[n:n + 1], caches=caches))
                token = int(out.numpy().argmax()) if token != 1 else 1
                assert found.numpy()[n, step, 0] == token


def test_tagging():
    """Costs are -log of the labels' share of all paths, and transitions train."""
    emission = draw(1, 2, 3)
    with guard():
        tagger = text.SequenceTagging(30, 5, 8, 8)
        word, label = (to_variable(RNG.randint(0, 5, (2, 6)).astype("int64")) for _ in range(2))
        path, cost, _ = tagger(word, to_variable(np.array([6, 4])), label)
        cost.backward()
        assert path.numpy().max() < 5 and np.abs(tagger.linear_chain_crf.weight.gradient()).sum() > 0
        crf = text.LinearChainCRF(3)
        w = crf.weight.numpy().astype("float64")
        found = crf(to_variable(emission), to_variable(np.array([[2, 0]])), to_variable(np.array([2]))).numpy().item()
    score = {(a, b): w[0, a] + emission[0, 0, a] + w[a + 2, b] + emission[0, 1, b] + w[1, b] for a in range(3) for b in range(3)}
    assert found == pytest.approx(np.log(sum(np.exp(s) for s in score.values())) - score[2, 0], rel=1e-4)


def test_networks():
    with guard():
        for net in (models.resnet18(num_classes=7), models.resnet50(num_classes=7), models.mobilenet_v1(num_classes=7),
                    models.mobilenet_v2(num_classes=7)):
            net.eval()
            np.testing.assert_allclose(net(to_variable(draw(1, 3, 32, 32))).numpy().sum(), 1, rtol=1e-5)
        assert list(models.LeNet()(to_variable(draw(2, 1, 28, 28))).shape) == [2, 10]
        assert list(text.CNNEncoder(4, 3, [2, 3], [5, 4], 2)(to_variable(draw(2, 4, 6))).shape) == [2, 6, 1]


def test_transforms():
    picture = RNG.randint(0, 256, (40, 30, 3)).astype("uint8")
    assert functional.resize(picture, 15).shape == (20, 15, 3) and functional.resize(picture, (8, 9), [0, 1]).shape == (8, 9, 3)
    np.testing.assert_array_equal(functional.flip(picture, 1), picture[:, ::-1])
    np.testing.assert_array_equal(transforms.CenterCrop(20)(picture), picture[10:30, 5:25])
    np.testing.assert_array_equal(transforms.Permute()(picture), picture[..., ::-1].transpose(2, 0, 1))
    np.testing.assert_allclose(transforms.Normalize(127.5, 2)(np.ones((3, 2, 2), "float32")), np.full((3, 2, 2), -63.25))
    for change in (transforms.RandomResizedCrop(12), transforms.CenterCropResize(12)):
        assert change(picture).shape == (12, 12, 3)
    gray = picture.astype("float64") @ [0.114, 0.587, 0.299]
    for kind, towards in ((transforms.BrightnessTransform, 0), (transforms.ContrastTransform, gray.mean()),
                          (transforms.SaturationTransform, gray[..., None])):
        np.random.seed(5)
        found = kind(0.4)(picture).astype("float64")
        np.random.seed(5)
        share = np.random.uniform(0.6, 1.4)
        assert np.abs(found - (picture * share + towards * (1 - share)).clip(0, 255)).max() <= 1
        with pytest.raises(ValueError, match="negative"):
            kind(-1.0)
    with pytest.raises(ValueError, match=r"0\.5"):
        transforms.HueTransform(0.7)
    with pytest.raises(ValueError, match="positive"):
        transforms.Compose([transforms.Resize(-1)])(picture)
    assert transforms.ColorJitter(0.1, 0.1, 0.1, 0.1)(picture).shape == picture.shape
    assert transforms.BatchCompose()([(1, 2), (3, 4)]) == [(1, 3), (2, 4)]


def test_values_of_another_network_under_the_same_name_are_not_taken():
    model = Softmaxed()
    name, scope = model.fc.weight.name, fluid.global_scope()
    scope.var(name).get_tensor().set(np.full((3, 5), 7, "float32"), fluid.CPUPlace())
    try:
        model.prepare(inputs=[hapi.Input([None, 20], "float32", "x")])
        assert model.parameters()[0].shape == [20, 10]
    finally:
        scope.values.pop(name)
