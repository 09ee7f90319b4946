"""The names of what layers are called with, as inspect.signature of real 2.6.2's forward has them: programs pass them by name."""

import inspect

import pytest

import paddle

NAMES = {  # recorded from real Paddle 2.6.2
    "input": ["MaxPool1D", "AdaptiveAvgPool1D", "AdaptiveMaxPool1D", "Dropout", "Flatten", "Fold", "Unfold"],
    "x": ["AvgPool1D", "MaxPool2D", "MaxPool3D", "AvgPool2D", "AdaptiveAvgPool2D", "AdaptiveMaxPool2D", "AdaptiveMaxPool3D",
          "ChannelShuffle", "PixelShuffle", "PixelUnshuffle", "ReLU", "Upsample", "Conv2D"],
    "input, label": ["BCELoss", "CrossEntropyLoss", "HingeEmbeddingLoss", "KLDivLoss", "L1Loss", "MSELoss", "MultiMarginLoss",
                     "MultiLabelSoftMarginLoss", "NLLLoss", "PoissonNLLLoss", "SmoothL1Loss", "SoftMarginLoss"],
    "logit, label": ["BCEWithLogitsLoss"],
    "input, other, label": ["MarginRankingLoss"],
    "input1, input2, label": ["CosineEmbeddingLoss"],
    "input, label, variance": ["GaussianNLLLoss"],
    "input, positive, negative": ["TripletMarginLoss", "TripletMarginWithDistanceLoss"],
    "x, indices": ["MaxUnPool1D", "MaxUnPool2D", "MaxUnPool3D"],
}


@pytest.mark.parametrize("names", NAMES)
def test_names(names):
    for layer in NAMES[names]:
        assert ", ".join(inspect.signature(getattr(paddle.nn, layer).forward).parameters) == f"self, {names}", layer


def test_calls_by_name():
    x, y = paddle.to_tensor([[1.0, 3.0]]), paddle.to_tensor([[2.0, 3.0]])
    assert float(paddle.nn.L1Loss(reduction="sum")(input=x, label=y)) == 1.0
    assert paddle.nn.MaxPool1D(2)(input=x[None]).tolist() == [[[3.0]]]
