"""Run by real Paddle 3: models of a folder by jit.load and by a predictor, compared with the outputs recorded beside them."""

import glob
import os
import sys

import numpy as np

import paddle


def numbered(npz, start):
    return [npz[k] for k in sorted((k for k in npz.files if k.startswith(start)), key=lambda k: int(k.rsplit("_", 1)[1]))]


def check(prefix):
    layer = paddle.jit.load(prefix)
    params = prefix + ".pdiparams"
    config = paddle.inference.Config(prefix + ".json", params if os.path.exists(params) else "")
    config.disable_mkldnn()  # 3.3.1 refuses arrays of doubles with it
    predictor = paddle.inference.create_predictor(config)
    for path in glob.glob(prefix + ".*.npz"):
        npz = np.load(path)
        inputs, outputs = [paddle.to_tensor(v) for v in numbered(npz, "in_")], numbered(npz, "out_")
        got = layer(*inputs)
        for found in (got if isinstance(got, (list, tuple)) else [got], predictor.run(inputs)):
            assert len(found) == len(outputs)
            for a, b in zip(found, outputs):
                assert list(a.shape) == list(b.shape), (prefix, a.shape, b.shape)
                np.testing.assert_allclose(a.numpy(), b, rtol=1e-5, atol=1e-5)


for name in sys.argv[2:]:
    check(os.path.join(sys.argv[1], name))
print(len(sys.argv) - 2, "equal")
