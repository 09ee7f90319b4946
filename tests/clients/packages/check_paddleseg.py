"""PaddleSeg's networks, and one of them as a predictor."""

import os
import tempfile

import numpy as np
from networks import compare, distance
from paddleseg import models
from paddleseg.models import backbones

import paddle
from paddle import inference, jit, static

BUILDERS = {
    "BiSeNetV2": lambda: models.BiSeNetV2(4),
    "DeepLabV3P": lambda: models.DeepLabV3P(4, backbones.ResNet18_vd(output_stride=8), backbone_indices=(0, 3)),
    "MobileSeg": lambda: models.MobileSeg(4, backbones.MobileNetV3_large_x1_0()),
    "PPLiteSeg": lambda: models.PPLiteSeg(4, backbones.STDC1()),
    "SegFormer": lambda: models.SegFormer(4, backbones.MixVisionTransformer_B0(), 64),
}
x = np.random.RandomState(0).randn(2, 3, 64, 64).astype("float32")
found = [compare(name, build, x) for name, build in BUILDERS.items()]
net = BUILDERS["MobileSeg"]()
net.eval()
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "net")
    jit.save(net, path, input_spec=[static.InputSpec([None, 3, None, None])])
    predictor = inference.create_predictor(inference.Config(path + ".pdmodel", path + ".pdiparams"))
    predicted, = predictor.run([paddle.to_tensor(x)])
apart = distance(predicted.numpy(), net(paddle.to_tensor(x))[0].numpy())
assert apart < 1e-5, apart
ahead, back = (max(column) for column in zip(*found))
print(f"{len(BUILDERS)} networks: values to {ahead:.0e}, gradients to {back:.0e} of float64; a predictor to {apart:.0e}")
