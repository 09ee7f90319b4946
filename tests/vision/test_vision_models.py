"""Vision models compute what real Paddle 2.6.2 computes with the same weights (data/model_outputs.json, recorded there).

Names and shapes of all their parameters are compared by tests/oracle (vision_models.json).
"""

import inspect
import json
import pathlib

import numpy as np
import pytest

import paddle
from paddle.vision import models

RECORDED = json.loads((pathlib.Path(__file__).parent / "data" / "model_outputs.json").read_text())
SIZES = {"LeNet": 28, "squeezenet1_1": 64, "inception_v3": 96}
QUICK = ["LeNet", "resnet18", "mobilenet_v1", "mobilenet_v2", "mobilenet_v3_small", "shufflenet_v2_x0_25", "squeezenet1_1",
         "shufflenet_v2_swish", "densenet121", "inception_v3"]


def fill(model):
    """Give a model weights that depend on nothing but their order and shapes, as the recording did."""
    values = np.random.RandomState(0)
    for key, tensor in model.state_dict().items():
        shape = tuple(tensor.shape)
        if key.endswith("_variance"):
            array = values.uniform(0.5, 1.5, shape)
        elif len(shape) > 1:
            array = values.randn(*shape) / np.sqrt(np.prod(shape[1:]) if len(shape) == 4 else shape[0])
        else:
            array = values.uniform(0.5, 1.5, shape) if key.endswith("weight") else values.uniform(-0.1, 0.1, shape)
        tensor.set_value(array.astype("float32"))
    return values


@pytest.mark.parametrize("name", QUICK)
def test_results_are_those_of_paddle(name):
    model = getattr(models, name)(num_classes=4)
    model.eval()
    values = fill(model)
    size = SIZES.get(name, 32)
    x = paddle.to_tensor(values.rand(1, 1 if name == "LeNet" else 3, size, size).astype("float32"))
    out, expected = model(x).numpy().ravel(), np.array(RECORDED[name])
    np.testing.assert_allclose(out, expected, atol=2e-5 * np.abs(expected).max())


def test_a_model_trains():
    paddle.seed(0)
    model = models.LeNet()
    optimizer = paddle.optimizer.SGD(0.05, parameters=model.parameters())
    x, y = paddle.rand([4, 1, 28, 28]), paddle.to_tensor([0, 1, 2, 3])
    losses = []
    for _ in range(5):
        loss = paddle.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    assert losses[-1] < losses[0]


def test_constructors_show_pretrained_first():
    """help() and tools that read signatures see the argument that the decorator adds."""
    assert str(inspect.signature(models.vgg16)) == "(pretrained=False, batch_norm=False, **kwargs)"
    text = inspect.getdoc(models.vgg16)
    assert text.startswith("VGG with 16 layers.") and "pretrained (bool)" in text and ">>> len(paddle.vision" in text


def test_networks_derived_from_resnet_call_its_stages():
    class Block(models.resnet.BottleneckBlock):
        """Is given what Paddle gives: stride, shortcut, groups, width, dilation and norm."""

        def __init__(self, inplanes, planes, stride=1, downsample=None, groups=1, base_width=64, dilation=1, norm_layer=None):
            super().__init__(inplanes, planes, stride, downsample, groups, base_width, dilation, norm_layer)
            assert norm_layer is paddle.nn.BatchNorm2D

    class Network(models.ResNet):
        def __init__(self):
            super().__init__(Block, 50, num_classes=0, with_pool=False)
            self.inplanes, self.dilation = 64, 1
            self.layer1 = self._make_layer(Block, 64, 1)
            self.layer2 = self._make_layer(Block, 128, 2, stride=2, dilate=True)
            self.layer3 = self._make_layer(Block, 256, 1, stride=2)
            self.layer4 = self._make_layer(Block, 512, 1, 2)

    network = Network()
    assert network.dilation == 2 and network.layer3[0].conv2._dilation == [2, 2]
    assert network(paddle.ones([1, 3, 64, 64])).shape == [1, 2048, 4, 4]
