"""Arguments that were easily overlooked: each has its meaning, or is refused."""

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
from paddle import nn


def test_order_of_groups_and_dilation():
    assert nn.Conv2DTranspose(4, 4, 3, 1, 0, 0, 2, 1)._dilation == [2, 2]
    assert nn.Conv3DTranspose(4, 4, 3, 1, 0, 0, 1, 2)._groups == 2
    assert nn.Conv1DTranspose(4, 4, 3, 1, 0, 0, 2, 1)._groups == 2  # as Paddle has it


def test_instance_norm_knows_channels_first_only():
    x = paddle.rand([2, 3, 4, 4])
    assert nn.InstanceNorm2D(3, data_format="NCHW")(x).shape == [2, 3, 4, 4]
    with pytest.raises(ValueError, match="instance_norm.*data_format"):
        F.instance_norm(x, data_format="NHWC")
    with pytest.raises(ValueError, match="InstanceNorm2D.*data_format"):
        nn.InstanceNorm2D(3, data_format="NHWC")


def test_batch_norm_of_older_programs():
    norm = nn.BatchNorm(3, dtype="float64", moving_mean_name="m", do_model_average_for_mean_and_var=False)
    assert {p.dtype.name for p in norm.parameters()} == {"float64"}
    assert norm._mean.name == "m" and not norm._mean.do_model_average and nn.BatchNorm(3)._mean.do_model_average


def test_names_of_statistics():
    norm = nn.BatchNorm2D(3, name="given")
    assert (norm._mean.name, norm._variance.name) == ("given_mean", "given_variance")


def test_metrics_refuse_what_they_do_not_know():
    for metric in (paddle.metric.Accuracy, paddle.metric.Precision, paddle.metric.Recall, paddle.metric.Auc):
        with pytest.raises(TypeError, match=rf"{metric.__name__}\(\): it does not take the argument top_k="):
            metric(top_k=3)


def test_a_cell_without_shapes_of_states_says_so():
    class Cell(nn.RNNCellBase):
        def forward(self, inputs, states=None):
            return inputs, states
    with pytest.raises(NotImplementedError, match="Cell must define state_shape"):
        nn.RNN(Cell())(paddle.ones([2, 3, 4]))


def test_decoding_for_inference_keeps_nothing_for_backward():
    def decoded(is_test):
        decoder = nn.BeamSearchDecoder(nn.GRUCell(4, 4), 0, 1, 2, nn.Embedding(6, 4), nn.Linear(4, 6))
        _, states, lengths = nn.dynamic_decode(decoder, paddle.ones([2, 4]), 3, is_test=is_test, return_length=True)
        return states.log_probs.stop_gradient, lengths.shape
    assert decoded(False) == (False, [2, 2]) and decoded(True) == (True, [2, 2])


@pytest.mark.parametrize("skip", [False, True])
def test_clips_that_skip_give_the_same(skip):
    p = paddle.create_parameter([2], "float32")
    clip = nn.ClipGradByGlobalNorm(1.0, auto_skip_clip=skip)
    for given, expected in (([0.3, 0.4], [0.3, 0.4]), ([3.0, 4.0], [0.6, 0.8])):
        g = paddle.to_tensor(given)
        (_, clipped), = clip([(p, g)])
        np.testing.assert_allclose(clipped.numpy(), expected, rtol=1e-6)
        assert (clipped is g) == (skip and given == expected)


def test_gradients_of_mixed_types_are_clipped_together():
    p, q = paddle.create_parameter([1], "float16"), paddle.create_parameter([1], "float64")
    pairs = [(p, paddle.to_tensor([300.0], "float16")), (q, paddle.to_tensor([400.0], "float64"))]  # 300 ** 2 is no float16
    clipped = nn.ClipGradByGlobalNorm(5.0)(pairs)
    assert [g.dtype.name for _, g in clipped] == ["float16", "float64"]
    np.testing.assert_allclose([float(g) for _, g in clipped], [3.0, 4.0], rtol=1e-3)
    (_, one), = nn.ClipGradByNorm(3.0)(pairs[:1])
    assert one.dtype == paddle.float16 and float(one) == pytest.approx(3.0, rel=1e-3)


def test_a_tensor_set_as_an_attribute_is_a_buffer_that_is_not_saved():
    layer = nn.Linear(2, 2)
    layer.scale = paddle.to_tensor([2.0])
    assert dict(layer.named_buffers())["scale"] is layer.scale and "scale" not in layer.state_dict()
    layer.to(dtype="float64")
    assert layer.scale.dtype == paddle.float64
    layer.scale = None
    assert layer.buffers() == [] and layer.scale is None
    layer.scale = paddle.to_tensor([3.0])
    assert float(layer.scale) == 3.0
    with pytest.raises(TypeError, match="scale is a buffer"):
        layer.scale = 5
    layer.register_buffer("kept", paddle.ones([1]))
    layer.kept = paddle.zeros([1])
    assert "kept" in layer.state_dict()


def test_a_property_decides_what_setting_means():
    class Doubled(nn.Layer):
        @property
        def value(self):
            return self.stored

        @value.setter
        def value(self, tensor):
            self.stored = tensor * 2
    layer = Doubled()
    layer.value = paddle.ones([1])
    assert float(layer.value) == 2.0 and [name for name, _ in layer.named_buffers()] == ["stored"]


def test_a_list_of_layers_by_name():
    layers = paddle.nn.LayerList([paddle.nn.ReLU(), paddle.nn.Tanh()])
    assert layers["1"] is layers[1]
    layers["1"] = paddle.nn.Sigmoid()
    assert isinstance(layers[-1], paddle.nn.Sigmoid)
    with pytest.raises(TypeError, match="index must be an int or a str"):
        layers["2"]


def test_batch_norm_of_further_ranks_by_a_derived_class():
    class Norm(paddle.nn.BatchNorm2D):
        def _check_input_dim(self, input):
            assert input.ndim == 2

    x = paddle.to_tensor([[1.0], [3.0]])
    np.testing.assert_allclose(Norm(1)(input=x).numpy(), [[-1.0], [1.0]], atol=1e-4)
    with pytest.raises(ValueError, match="4 dimensions"):
        paddle.nn.BatchNorm2D(1)(x)


def test_dropout_with_training_false_gives_a_copy():
    x = paddle.to_tensor(np.arange(6, dtype="float32"), stop_gradient=False)
    y = paddle.nn.functional.dropout(x, 0.5, training=False)
    np.testing.assert_array_equal(y.numpy(), x.numpy())
    np.testing.assert_array_equal(paddle.grad((y * y).sum(), x)[0].numpy(), 2 * x.numpy())
    with paddle.no_grad():
        y.add_(paddle.ones([6]))
    np.testing.assert_array_equal(x.numpy(), np.arange(6))


def test_sizes_of_adaptive_pools_may_be_a_tensor():
    x = paddle.arange(36, dtype="float32").reshape([1, 1, 6, 6])
    size = paddle.to_tensor([3, 2], dtype="int32")
    assert F.adaptive_avg_pool2d(x, size).tolist() == [[[[4, 7], [16, 19], [28, 31]]]]  # of Paddle 2.6.2
    assert F.adaptive_max_pool2d(x, size).tolist() == [[[[8, 11], [20, 23], [32, 35]]]]
    assert nn.AdaptiveAvgPool3D(paddle.to_tensor([2, 2, 1]))(paddle.ones([1, 1, 4, 4, 4])).shape == [1, 1, 2, 2, 1]
    with pytest.raises(ValueError, match="adaptive_avg_pool2d.*2 ints"):
        F.adaptive_avg_pool2d(x, paddle.to_tensor([3, 2, 1]))


@pytest.mark.parametrize("call, error", [  # the kinds that Paddle 2.6.2 raises
    (lambda x: F.alpha_dropout(x, "1"), TypeError),
    (lambda x: F.dropout(x, "1"), TypeError),
    (lambda x: F.dropout(x, 1.5), ValueError),
    (lambda x: nn.ClipGradByValue(-1.0), AssertionError),
    (lambda x: paddle.optimizer.lr.LinearWarmup(0.1, 0, 0.0, 0.1), AssertionError),
])
def test_kinds_of_errors(call, error):
    with pytest.raises(error, match=r"\(\): (p|max|warmup_steps) must be .*got"):
        call(paddle.ones([2]))


def test_hardswish_of_large_numbers_is_the_number():
    x = np.random.RandomState(0).uniform(3, 100, 1000).astype("float32")
    assert (F.hardswish(paddle.to_tensor(x)).numpy() == x).all()


def test_sizes_of_layers_may_be_numpys_numbers():
    sizes = np.array([3, 5])
    assert nn.Conv2D(2, 4, tuple(sizes), stride=np.int64(2), padding=tuple(sizes // 2)).weight.shape == [4, 2, 3, 5]
    assert nn.Conv2DTranspose(2, 4, np.int32(3), dilation=[np.int64(1), 2])._dilation == [1, 2]
    assert nn.LayerNorm(np.int64(4)).weight.shape == [4] and nn.LayerList([nn.ReLU()])[np.int64(0)].__class__ is nn.ReLU
    assert nn.ZeroPad2D(np.int64(1))(paddle.ones([1, 1, 2, 2])).shape == [1, 1, 4, 4]
    assert nn.ClipGradByGlobalNorm(np.float32(2)).clip_norm == 2 and nn.initializer.Constant(np.float32(0.5)).value == 0.5
    with pytest.raises(TypeError, match="Conv2D.*kernel_size must be an int, got 3.5"):
        nn.Conv2D(2, 4, 3.5)


@pytest.mark.parametrize("call", [
    lambda x, bad: F.one_hot(bad, 4), lambda x, bad: F.embedding(bad, x), lambda x, bad: paddle.index_select(x, bad),
    lambda x, bad: paddle.gather_nd(x, bad.unsqueeze(1)), lambda x, bad: F.cross_entropy(x[:2], bad),
    lambda x, bad: F.nll_loss(x[:2], bad),
])
def test_ids_that_are_not_there(call):
    for kind in (IndexError, ValueError):  # Paddle raises one or the other
        with pytest.raises(kind, match=r"\(\): .* 9 .*(range|outside)"):
            call(paddle.ones([4, 3]), paddle.to_tensor([1, 9]))


def test_instance_norm_of_single_elements_is_the_bias():  # as Paddle 2.6.2 has it: [N, C] has one element to normalise
    layer = nn.InstanceNorm1D(3, bias_attr=nn.initializer.Constant(0.5))
    x = paddle.to_tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], stop_gradient=False)
    out = layer(x)
    out.sum().backward()
    assert (out.tolist(), x.grad.tolist()) == ([[0.5] * 3] * 2, [[0.0] * 3] * 2)
    with pytest.raises(ValueError, match="at least 2 dimensions"):
        paddle.nn.functional.instance_norm(paddle.ones([3]))


def test_lengths_with_a_fraction_take_the_position_that_they_begin():  # as Paddle 2.6.2 has it
    mask = paddle.nn.functional.sequence_mask(paddle.to_tensor([0.5, 2.0, 2.5, -0.5]), 4)
    assert mask.tolist() == [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [0, 0, 0, 0]]


def test_attention_needs_a_kernel():
    with pytest.raises(AssertionError, match="must be True"), nn.functional.sdp_kernel(False, False, False):
        pass


def test_margins_and_distances_that_can_not_be():  # refused by Paddle 2.6.2, too
    x = paddle.ones([2, 3])
    with pytest.raises(ValueError, match="margin must be in"):
        F.cosine_embedding_loss(x, x, paddle.to_tensor([1, -1]), margin=2)
    with pytest.raises(ValueError, match="must not give negative numbers"):
        F.triplet_margin_with_distance_loss(x, x, x, lambda a, b: (a - b).sum(-1) - 1)


@pytest.mark.parametrize("padding", [[[2]], [[1, 2, 3]]])
@pytest.mark.parametrize("run", [
    lambda p: F.max_pool1d(paddle.ones([1, 1, 8]), 2, 2, p), lambda p: F.avg_pool1d(paddle.ones([1, 1, 8]), 2, 2, p),
    lambda p: F.conv1d(paddle.ones([1, 1, 8]), paddle.ones([1, 1, 2]), padding=p)])
def test_padding_in_pairs_is_in_pairs(run, padding):
    with pytest.raises(ValueError, match="a pair for each"):
        run(padding)


def test_other_paddings_than_zeros_need_numbers():
    with pytest.raises(TypeError, match=r"Conv1D\(\): padding_mode 'reflect' needs padding given in numbers"):
        paddle.nn.Conv1D(3, 3, 3, padding="valid", padding_mode="reflect")
