"""PaddleClas' backbones."""

import importlib.util
import os
import sys

import numpy as np
from networks import compare

sys.path.insert(0, os.path.dirname(importlib.util.find_spec("paddleclas").origin))
import ppcls.arch.backbone as backbones  # noqa: E402
from ppcls.utils import logger  # noqa: E402

logger.init_logger()
NAMES = ["MobileNetV3_small_x1_0", "PPLCNet_x1_0", "ResNet50_vd", "ShuffleNetV2_x1_0", "HRNet_W18_C", "EfficientNetB0",
         "ConvNeXt_tiny", "GhostNet_x1_0", "DenseNet121", "SqueezeNet1_1"]
x = np.random.RandomState(0).randn(1, 3, 64, 64).astype("float32")
found = [compare(name, lambda name=name: getattr(backbones, name)(class_num=10), x) for name in NAMES]
print(f"{len(NAMES)} networks: values to {max(f[0] for f in found):.0e}, gradients to {max(f[1] for f in found):.0e} of float64")
