"""Programs of simpler operators: composite operators and gradients as what they are made of, with the same values."""

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
from paddle import static
from paddle.base import core
from paddle.static.composites import RULES


def batch_norm(x):
    return static.nn.batch_norm(x, momentum=0.7)


CASES = {
    "softmax": F.softmax, "sigmoid": F.sigmoid, "silu": F.silu, "relu": F.relu, "leaky_relu": F.leaky_relu,
    "hard_swish": F.hardswish, "gelu": lambda x: F.gelu(x) + F.gelu(x, approximate=True), "sqrt": lambda x: paddle.sqrt(x * x + 1),
    "rsqrt": lambda x: paddle.rsqrt(x * x + 1), "pow": lambda x: paddle.pow(x, 3), "reduce_mean": lambda x: paddle.mean(x, [0, 2]),
    "sum": lambda x: paddle.add_n([x, x * 2]), "expand_v2": lambda x: paddle.expand(x, [2, -1, -1, -1]),
    "expand_as_v2": lambda x: paddle.expand_as(x, paddle.ones([2, 2, 3, 4])), "stack": lambda x: paddle.stack([x, x * 2], -1),
    "flatten_contiguous_range": lambda x: paddle.flatten(x, 1), "squeeze2": lambda x: paddle.squeeze(x[:, :1], 1),
    "unsqueeze2": lambda x: paddle.unsqueeze(x, [0, -1]),
    "index_select": lambda x: paddle.index_select(x, paddle.to_tensor([2, 0]), 1),
    "fill_any_like": lambda x: x * paddle.full_like(x, 3.0), "meshgrid": lambda x: paddle.meshgrid(x[0, 0], x[1, 1])[0],
    "dropout": lambda x: F.dropout(x, 0.25, training=False, mode="downscale_in_infer"),
    "layer_norm": lambda x: F.layer_norm(x, [3, 4]),
    "instance_norm": F.instance_norm, "group_norm": lambda x: static.nn.group_norm(x, 3), "batch_norm": batch_norm,
}


@pytest.fixture
def simpler(static_mode):
    yield
    core._set_prim_all_enabled(False)


def run(function, decomposed):
    """(types of operators before and after the first of the gradients, values and gradient) of a program, decomposed or not."""
    core._set_prim_all_enabled(decomposed)
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup), paddle.utils.unique_name.guard():
        x = static.data("x", [2, 3, 4])
        x.stop_gradient = False
        y = function(x)
        paddle.incubate.autograd.primapi.to_prim(main.blocks)
        forward = [op.type for op in main.global_block().ops]
        dx, = static.gradients(y, [x], [y * 2])
        executor = static.Executor()
        executor.run(startup)
        values = np.random.default_rng(0).normal(size=[2, 3, 4]).astype("float32")
        backward = {op.type for op in main.global_block().ops[len(forward):]}
        return forward, backward, executor.run(main, {"x": values}, [y, dx])


@pytest.mark.parametrize("kind", sorted(RULES))
def test_composites_become_their_parts(simpler, kind):
    before, _, wanted = run(CASES[kind], False)
    after, gradients, found = run(CASES[kind], True)
    assert kind in before and kind not in after and kind + "_grad" not in gradients
    for a, b in zip(found, wanted):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_what_needs_sizes_stays(simpler):
    core._set_prim_all_enabled(True)
    with static.program_guard(static.Program()):
        x = static.data("x", [-1, 3])
        x.stop_gradient = False
        y = F.softmax(x)
        paddle.incubate.autograd.primapi.to_prim(y.block)
        static.gradients(y, x)
        assert {"softmax", "softmax_grad"} <= {op.type for op in y.block.ops}
    with pytest.raises(TypeError, match=r"to_prim\(\): blocks must be a Block"):
        paddle.incubate.autograd.primapi.to_prim([3])


def test_translated_functions_have_simpler_operators():
    core._set_prim_all_enabled(True)
    try:
        f = paddle.jit.to_static(lambda x: F.softmax(x), full_graph=True)
        x = paddle.to_tensor([[1.0, 2.0]], stop_gradient=False)
        _, runner = f.get_concrete_program(x)
        types = [op.type for op in runner.backward_program.global_block().ops]
        assert "softmax" not in types and not [t for t in types if t.endswith("_grad")]
        np.testing.assert_allclose(f(x).numpy(), [[0.26894142, 0.7310586]], rtol=1e-6)
    finally:
        core._set_prim_all_enabled(False)


def test_files_have_the_operators_as_they_were_called(tmp_path):
    net = paddle.nn.Sequential(paddle.nn.Linear(2, 3), paddle.nn.Softmax())
    core._set_prim_all_enabled(True)
    try:
        static_net = paddle.jit.to_static(net)
        out = static_net(paddle.ones([1, 2]))
        paddle.jit.save(static_net, str(tmp_path / "net"))
    finally:
        core._set_prim_all_enabled(False)
    loaded = paddle.jit.load(str(tmp_path / "net"))
    assert "softmax" in [op.type for op in loaded.program().global_block().ops]
    np.testing.assert_allclose(loaded(paddle.ones([1, 2])).numpy(), out.numpy(), rtol=1e-6)


@pytest.mark.parametrize("mode, kept", [("upscale_in_train", 4 / 3), ("downscale_in_infer", 1.0)])
def test_dropout_while_training(mode, kept, simpler):
    types, _, (out, _) = run(lambda x: F.dropout(x * 0.0 + 1.0, 0.25, mode=mode), True)
    assert "dropout" not in types
    assert 0 < (out == 0).sum() < out.size and np.allclose(out[out != 0], kept)
