"""What is text or names rather than numbers: printed tensors, layers' state and repr, vision models' parameters.

`structure.py` writes the three JSON files with the real Paddle; `checks()` compares ours with them.
"""

import functools
import importlib
import json
import pathlib

import oracle_run
from oracle_table import evaluate

HERE = pathlib.Path(__file__).parent

PRINTED = """
paddle.to_tensor([1.0, 2.0])
paddle.to_tensor([1.5, 2.25, -3.125])
paddle.to_tensor([1, 2, 3])
paddle.to_tensor([-1, 20, 300])
paddle.to_tensor([True, False])
paddle.to_tensor(3.5)
paddle.to_tensor(3.0)
paddle.to_tensor(-7)
paddle.to_tensor(True)
paddle.to_tensor(1 + 2j)
paddle.to_tensor([1 + 2j, -0.5 - 1j])
paddle.to_tensor([[1.0, 2.5], [3.0, 4.0]])
paddle.to_tensor([[1, -2], [30, 4]])
paddle.arange(24).reshape([2, 3, 4])
paddle.arange(24.0).reshape([2, 3, 4]) / 8
paddle.arange(16.0).reshape([2, 2, 2, 2])
paddle.to_tensor([float('nan'), 1.0])
paddle.to_tensor([float('inf'), -float('inf'), 2.5])
paddle.to_tensor([float('nan'), float('inf'), 3.0])
paddle.to_tensor(float('nan'))
paddle.to_tensor(float('inf'))
paddle.to_tensor([])
paddle.zeros([0, 3])
paddle.zeros([2, 0])
paddle.zeros([2, 0], dtype='int64')
paddle.arange(1001)
paddle.arange(2000.0)
paddle.arange(1000)
paddle.arange(10000).reshape([100, 100])
paddle.arange(10000.0).reshape([100, 100]) / 3
paddle.zeros([20, 10, 10])
paddle.zeros([2, 2000])
paddle.arange(30)
paddle.arange(30.0) / 7
paddle.ones([3, 30])
paddle.to_tensor([1e-8, 1.0])
paddle.to_tensor([1e10, 1.0])
paddle.to_tensor([1e20, 1e-20])
paddle.to_tensor([123456.789, 0.001])
paddle.to_tensor([0.1, 0.2, 0.30000001])
paddle.to_tensor([1e5, 2e5])
paddle.to_tensor([1e8, 2.5])
paddle.to_tensor([-0.0, 0.0])
paddle.to_tensor([0.00001])
paddle.to_tensor([12345678.0])
paddle.to_tensor([1.5, 2.5], dtype='float64')
paddle.to_tensor([1.5, 2.5], dtype='float16')
paddle.to_tensor([1.5, 2.5], dtype='bfloat16')
paddle.to_tensor([1, 2], dtype='uint8')
paddle.to_tensor([1, -2], dtype='int8')
paddle.to_tensor([1, -2], dtype='int16')
paddle.to_tensor([1, -2], dtype='int32')
paddle.to_tensor([1 / 3], dtype='float64')
paddle.to_tensor([[True, False], [False, True]])
paddle.to_tensor([1.0, 2.0], stop_gradient=False)
paddle.to_tensor([1.0, 2.0], stop_gradient=False) * 2
paddle.create_parameter([2], 'float32', default_initializer=paddle.nn.initializer.Constant(1.5))
paddle.nn.Linear(2, 2, weight_attr=paddle.nn.initializer.Constant(0.25)).weight
paddle.nn.Linear(2, 2).bias
paddle.to_tensor([9223372036854775807, -9223372036854775807])
paddle.to_tensor([[0.5], [100.0]])
paddle.to_tensor([1.123456789, 100.0])
""".strip().splitlines()

OPTIONS = """
dict(precision=3) -> paddle.to_tensor([1.23456789, 2.0])
dict(precision=2) -> paddle.to_tensor(3.14159)
dict(threshold=5) -> paddle.arange(10)
dict(threshold=5, edgeitems=1) -> paddle.arange(10.0)
dict(edgeitems=2, threshold=10) -> paddle.arange(100).reshape([10, 10])
dict(sci_mode=True) -> paddle.to_tensor([1.5, 200.25])
dict(sci_mode=False) -> paddle.to_tensor([1e-8, 1e10])
dict(sci_mode=True, precision=2) -> paddle.to_tensor([0.001, -5.0])
dict(linewidth=40) -> paddle.arange(30.0)
dict(linewidth=200) -> paddle.arange(40)
""".strip().splitlines()

LAYERS = """
nn.Linear(3, 4)
nn.Linear(3, 4, bias_attr=False)
nn.Linear(3, 4, name='given')
nn.Bilinear(2, 3, 4)
nn.Embedding(5, 3)
nn.Embedding(5, 3, padding_idx=2, sparse=True)
nn.Conv1D(3, 4, 3)
nn.Conv2D(3, 4, 3)
nn.Conv2D(4, 6, [3, 5], stride=2, padding=1, dilation=2, groups=2, bias_attr=False, padding_mode='reflect')
nn.Conv2D(3, 4, 3, data_format='NHWC', padding='SAME')
nn.Conv3D(3, 4, 3, stride=[1, 2, 1])
nn.Conv1DTranspose(3, 4, 3)
nn.Conv2DTranspose(3, 4, 3, stride=2, output_padding=1)
nn.Conv3DTranspose(3, 4, 3)
nn.BatchNorm(3)
nn.BatchNorm1D(3)
nn.BatchNorm2D(3, momentum=0.8, epsilon=1e-3)
nn.BatchNorm2D(3, weight_attr=False, bias_attr=False)
nn.BatchNorm3D(3)
nn.SyncBatchNorm(3)
nn.LayerNorm(4)
nn.LayerNorm([2, 3], epsilon=1e-6)
nn.GroupNorm(2, 4)
nn.InstanceNorm1D(3)
nn.InstanceNorm2D(3)
nn.InstanceNorm3D(3, weight_attr=False, bias_attr=False)
nn.SpectralNorm([3, 4])
nn.LocalResponseNorm(5)
nn.PReLU()
nn.PReLU(4, 0.1)
nn.ReLU()
nn.ReLU6()
nn.LeakyReLU(0.2)
nn.ELU(0.5)
nn.CELU()
nn.GELU()
nn.GELU(True)
nn.GLU()
nn.SELU()
nn.Silu()
nn.Swish()
nn.Mish()
nn.Sigmoid()
nn.LogSigmoid()
nn.Hardsigmoid()
nn.Hardswish()
nn.Hardtanh()
nn.Hardshrink()
nn.Softshrink(0.3)
nn.Tanh()
nn.Tanhshrink()
nn.ThresholdedReLU()
nn.Softplus()
nn.Softsign()
nn.Softmax()
nn.Softmax(0)
nn.Softmax2D()
nn.LogSoftmax()
nn.Maxout(2)
nn.RReLU()
nn.Dropout(0.3)
nn.Dropout2D(0.3)
nn.Dropout3D()
nn.AlphaDropout(0.2)
nn.MaxPool1D(2)
nn.MaxPool2D(3, 2, 1)
nn.MaxPool3D(2)
nn.AvgPool1D(2)
nn.AvgPool2D(2)
nn.AvgPool3D(2)
nn.AdaptiveAvgPool1D(2)
nn.AdaptiveAvgPool2D((2, 3))
nn.AdaptiveAvgPool3D(2)
nn.AdaptiveMaxPool1D(2)
nn.AdaptiveMaxPool2D(2, return_mask=True)
nn.AdaptiveMaxPool3D(2)
nn.MaxUnPool1D(2)
nn.MaxUnPool2D(2)
nn.MaxUnPool3D(2)
nn.Pad1D(1)
nn.Pad2D([1, 2, 0, 1], mode='reflect')
nn.Pad3D(1)
nn.ZeroPad2D(1)
nn.Upsample(scale_factor=2)
nn.UpsamplingNearest2D(size=[4, 4])
nn.UpsamplingBilinear2D(scale_factor=2)
nn.PixelShuffle(2)
nn.PixelUnshuffle(2)
nn.ChannelShuffle(2)
nn.Unfold(2)
nn.Fold([4, 4], 2)
nn.Flatten()
nn.Unflatten(1, [2, 2])
nn.Identity()
nn.CosineSimilarity()
nn.PairwiseDistance()
nn.SimpleRNNCell(3, 4)
nn.LSTMCell(3, 4)
nn.GRUCell(3, 4)
nn.RNN(nn.GRUCell(3, 4))
nn.BiRNN(nn.GRUCell(3, 4), nn.GRUCell(3, 4))
nn.SimpleRNN(3, 4)
nn.LSTM(3, 4)
nn.LSTM(3, 4, num_layers=2, direction='bidirect', dropout=0.1, time_major=True)
nn.GRU(3, 4, num_layers=2)
nn.MultiHeadAttention(4, 2)
nn.TransformerEncoderLayer(4, 2, 8)
nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8), 2)
nn.TransformerDecoderLayer(4, 2, 8)
nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 8), 1)
nn.Transformer(4, 2, 1, 1, 8)
nn.HSigmoidLoss(4, 6)
nn.CrossEntropyLoss()
nn.MSELoss()
nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Sequential(nn.Linear(3, 1)))
nn.Sequential(('first', nn.Linear(2, 3)), ('second', nn.BatchNorm1D(3)))
nn.LayerList([nn.Linear(2, 2), nn.Linear(2, 2)])
nn.LayerDict({'a': nn.Linear(2, 2), 'b': nn.ReLU()})
nn.utils.weight_norm(nn.Linear(2, 3))
nn.utils.spectral_norm(nn.Linear(2, 3))
""".strip().splitlines()

MODELS = """
LeNet() LeNet(num_classes=7) alexnet() vgg11() vgg13() vgg16() vgg16(batch_norm=True) vgg19(num_classes=10)
resnet18() resnet18(num_classes=0) resnet18(with_pool=False,num_classes=0) resnet34() resnet50() resnet101() resnet152()
resnext50_32x4d() resnext50_64x4d() resnext101_32x4d() resnext101_64x4d() resnext152_32x4d() resnext152_64x4d()
wide_resnet50_2() wide_resnet101_2()
mobilenet_v1() mobilenet_v1(scale=0.5) mobilenet_v2() mobilenet_v2(scale=0.5,num_classes=10)
mobilenet_v3_small() mobilenet_v3_large() mobilenet_v3_large(scale=0.75)
densenet121() densenet161() densenet169() densenet201() densenet264() squeezenet1_0() squeezenet1_1()
shufflenet_v2_x0_25() shufflenet_v2_x0_33() shufflenet_v2_x0_5() shufflenet_v2_x1_0() shufflenet_v2_x1_5()
shufflenet_v2_x2_0() shufflenet_v2_swish() googlenet() inception_v3()
""".split()


def namespace():
    import paddle
    return {"paddle": paddle, "nn": oracle_run.Lazy("paddle.nn")}


def printed(text):
    """The text of one tensor, where `OPTIONS ->` may come first."""
    import paddle
    options, arrow, expression = text.rpartition(" -> ")
    if not arrow:
        return str(evaluate(expression, namespace()))
    try:
        paddle.set_printoptions(**evaluate(options, {}))
        return str(evaluate(expression, namespace()))
    finally:
        paddle.set_printoptions(precision=8, threshold=1000, edgeitems=3, sci_mode=False, linewidth=80)


def layer_facts(text):
    """Names, shapes and text of a layer built with fresh name counters."""
    import paddle
    with paddle.utils.unique_name.guard():
        layer = evaluate(text, namespace())
        return {"repr": repr(layer), "full_name": layer.full_name(),
                "state": {key: list(value.shape) for key, value in layer.state_dict().items()},
                "names": {key: value.name for key, value in layer.named_parameters()},
                "sublayers": [name for name, _ in layer.named_sublayers()]}


def model_facts(text):
    """state_dict of a vision model, in order: 'key 64x3x7x7'. Constant weights, because nobody looks at them."""
    initializer = importlib.import_module("paddle.nn.initializer")
    models = importlib.import_module("paddle.vision.models")
    initializer.set_global_initializer(initializer.Constant(0.0), initializer.Constant(0.0))
    try:
        model = evaluate(text, vars(models))
    finally:
        initializer.set_global_initializer(None)
    return [f"{key} {'x'.join(map(str, value.shape))}" for key, value in model.state_dict().items()]


KINDS = {"print": ("printing.json", PRINTED + OPTIONS, printed), "layer": ("layers.json", LAYERS, layer_facts),
         "model": ("vision_models.json", MODELS, model_facts)}


@functools.cache
def load(name):
    return json.loads((HERE / name).read_text())


def checks():
    """{id: check} for every recorded fact."""
    return {f"{kind} {text}": functools.partial(check, kind, text)
            for kind, (_, texts, _) in KINDS.items() for text in texts}


def check(kind, text, key):
    import oracle_check
    name, _, facts = KINDS[kind]
    oracle_check.compare_tree(key, facts(text), load(name)[text])
