"""Encoders of which only some tokens are read: slices are taken early, and the results stay what they were."""

import numpy as np
import pytest
from capi.library import Failed, Model
from capi.test_models import export

import paddle
from paddle import nn
from paddle.nn import functional as F
from paddle.serialization import program_desc
from paddle.static import InputSpec


class Encoder(nn.Layer):
    """Two layers of attention; ``read`` says what is taken of the tokens."""

    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(9, 8), self.create_parameter([1, 5, 8])
        layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1, activation="gelu")
        self.layers, self.last, self.gain = nn.TransformerEncoder(layer, 2), nn.Linear(8, 3), self.create_parameter([5, 1])

    def forward(self, ids):
        return self.read(self.layers(self.words(ids) + self.places) * self.gain)

    def read(self, x):
        return self.last(x[:, 0])


class Last(Encoder):
    """The last token."""

    def read(self, x):
        return F.softmax(self.last(x[:, -1]), -1)


class Several(Encoder):
    """Two tokens."""

    def read(self, x):
        return F.relu(self.last(x[:, 1:3])).mean(1)


class Differing(Encoder):
    """Readers that want different tokens, and one that wants all."""

    def read(self, x):
        return self.last(x[:, 0]) + self.last(x)[:, 1], x.sum(1)


class Turned(Encoder):
    """Columns of a transposed, reshaped and multiplied value; a softmax along the axis that is cut."""

    def read(self, x):
        y = paddle.reshape(paddle.transpose(self.last(x), [0, 2, 1]), [0, 0, 5, 1])
        return y[:, 1], F.softmax(self.last(x), 1)[:, 2], paddle.matmul(self.last(x), x, transpose_x=True)[:, 0]


ENCODERS = (Encoder, Last, Several, Differing, Turned)


@pytest.mark.parametrize("sizes", [[2, 5], [None, 5]])
@pytest.mark.parametrize("make", ENCODERS)
def test_encoders(tmp_path, make, sizes):
    paddle.seed(5)
    net = make()
    net.eval()
    files = export(net, tmp_path, InputSpec(sizes, "int64"))
    for optimize in (True, False):
        model = Model(*files, optimize=optimize)
        for batch in (2,) if sizes[0] else (1, 4):
            ids = np.random.RandomState(batch).randint(0, 9, (batch, 5))
            wanted = net(paddle.to_tensor(ids))
            for got, one in zip(model(ids), wanted if isinstance(wanted, tuple) else [wanted], strict=True):
                assert got.shape == tuple(one.shape)
                np.testing.assert_allclose(got, one.numpy(), rtol=2e-5, atol=2e-6)


def edited(files, change):
    """The program with its slices changed, as bytes, and the parameters."""
    desc = program_desc.read(files[0])
    for op in desc.blocks[0].ops:
        if op.type == "slice":
            change({attr.name: attr for attr in op.attrs})
    return program_desc.write(desc), files[1]


@pytest.mark.parametrize("decrease", [[1], [-2], [0], []])
def test_from_the_last_place_to_the_first(tmp_path, decrease):
    """-1:0 is the last place where the axis disappears, and nothing elsewhere; with passes, without them, and in Python."""
    def change(attrs):
        attrs["ends"].ints, attrs["decrease_axis"].ints = [0], decrease

    class Read(Encoder):
        def read(self, x):
            return F.relu(self.last(x)[:, -1])

    paddle.seed(2)
    files = export(Read(), tmp_path, InputSpec([2, 5], "int64"))
    ids = np.random.RandomState(1).randint(0, 9, (2, 5))
    program, parameters = edited(files, change)
    outcomes = []
    for optimize in (True, False):
        try:
            outcomes.append(Model(program, parameters, optimize=optimize)(ids)[0])
        except Failed:
            outcomes.append(None)
    if decrease in ([1], [-2]):
        wanted = Model(*files)(ids)[0]
        np.testing.assert_allclose(outcomes[0], wanted, atol=1e-6)
        np.testing.assert_allclose(outcomes[1], wanted, atol=1e-6)
    elif decrease == [0]:
        assert outcomes == [None, None]  # two rows can't disappear
    else:
        assert [found.shape for found in outcomes] == [(2, 0, 3)] * 2
