"""Names that published packages take from inside Paddle: each does its work."""

import numpy as np
import pytest

import paddle
from paddle import nn


def test_initializers_by_one_rule_with_a_switch():
    class Normal(nn.initializer.MSRAInitializer):
        def __init__(self):
            super().__init__(uniform=False, fan_in=None, seed=0, negative_slope=0.0, nonlinearity="relu")

    glorot = nn.initializer.XavierInitializer(False, gain=2.0)
    for initializer, deviation in ((Normal(), (2 / 400) ** 0.5), (glorot, 2 * (2 / 700) ** 0.5)):
        weight = nn.Linear(400, 300, weight_attr=paddle.ParamAttr(initializer=initializer)).weight
        assert abs(weight.numpy().std() / deviation - 1) < 0.02


def test_attention_prepares_heads_with_and_without_a_cache():
    layer = nn.MultiHeadAttention(8, 2)
    x = paddle.randn([1, 3, 8])
    q, k, v = layer._prepare_qkv(x, x, x)
    assert q.shape == k.shape == v.shape == [1, 2, 3, 4]
    out, cache = layer(x, x, x, None, layer.Cache(k, v))
    *_, grown = layer._prepare_qkv(x, x, x, layer.Cache(k, v))
    assert cache.k.shape == grown.k.shape == [1, 2, 6, 4] and out.shape == [1, 3, 8]
    np.testing.assert_array_equal(cache.v.numpy(), grown.v.numpy())


def test_batches_come_from_an_iterator_of_a_known_class():
    from paddle.io.dataloader.dataloader_iter import _DataLoaderIterBase
    loader = paddle.io.DataLoader(paddle.io.TensorDataset([paddle.arange(6)]), batch_size=2)
    batches = iter(loader)
    assert isinstance(batches, _DataLoaderIterBase) and len(batches) == 3 and iter(batches) is batches
    assert [b[0].tolist() for b in batches] == [[0, 1], [2, 3], [4, 5]]


def test_a_saved_model_as_functions(tmp_path):
    from paddle.jit.layer import Layer
    layer = nn.Linear(2, 1)
    paddle.jit.save(layer, str(tmp_path / "m"), input_spec=[paddle.static.InputSpec([None, 2])])
    loaded = Layer()
    loaded.load(str(tmp_path / "m"), paddle.CPUPlace())
    x = paddle.ones([1, 2])
    assert loaded.forward(x)[0].item() == layer(x).item() and list(loaded.functions) == ["forward"]


def test_objects_of_files_are_converted_in_place():
    from paddle.framework.io import _parse_every_object, _to_LodTensor, _transformed_from_lodtensor
    parts = {"a": np.ones(2), "b": [np.zeros(1), "text"], "c": (np.ones(1), 3)}
    found = _parse_every_object(parts, _transformed_from_lodtensor, _to_LodTensor)
    assert found is parts
    assert {type(t).__name__ for t in (parts["a"], parts["b"][0], parts["c"][0])} == {"LoDTensor"}
    assert parts["b"][1] == "text" and parts["c"][1] == 3
    with pytest.raises(TypeError, match="needs an array"):
        _to_LodTensor([1])


def test_modes_and_states():
    from paddle.amp.auto_cast import amp_state
    assert amp_state() is None
    main, startup = paddle.static.Program(), paddle.static.Program()
    paddle.seed(7)
    expected = paddle.rand([2]).tolist()
    paddle.seed(7)
    with paddle.static.program_guard(main, startup):  # it seeds the default programs and those made later, but no generator
        paddle.framework.random._manual_program_seed(5)
        seeds = [program.random_seed for program in (main, startup, paddle.static.Program())]
        paddle.framework.random._manual_program_seed(0)
    assert seeds == [5, 5, 5] and paddle.static.Program().random_seed == 0 and paddle.rand([2]).tolist() == expected
    with paddle.base.dygraph.base._to_static_mode_guard_(is_to_static=True), paddle.framework._no_check_dy2st_diff():
        pass
    with pytest.raises(NotImplementedError, match="always take"), paddle.base.dygraph.base._to_static_mode_guard_(False):
        pass
    assert paddle.ones([2])._to(dtype="float64").dtype == paddle.float64
    assert paddle.paddle is paddle and paddle.version.commit == paddle.__git_commit__ == "Unknown"


def test_one_rank_needs_no_exchange():
    from paddle.distributed.parallel import sync_params_buffers
    from paddle.utils.download import _get_unique_endpoints
    layer = nn.Linear(2, 2)
    before = layer.weight.numpy().copy()
    sync_params_buffers(layer)
    assert (layer.weight.numpy() == before).all()
    assert _get_unique_endpoints(["b:2", "a:2", "a:1"]) == {"a:1", "b:2"}
    assert paddle.distributed.parallel.parallel_helper._is_data_parallel_mode() is False


def test_norm_without_an_order_is_the_root_of_squares():
    assert paddle.linalg.norm(paddle.to_tensor([3.0, 4.0]), None).item() == 5.0


def test_the_side_in_c_is_one_module_under_its_names():
    from paddle.base import core
    from paddle.fluid.core_avx import AnalysisConfig, VarDesc
    assert paddle.core.AmpLevel.O2 == 2 and paddle.core.eager.Tensor is paddle.Tensor
    assert paddle.fluid.core.op_proto_and_checker_maker is core.op_proto_and_checker_maker and core.is_compiled_with_dist()
    assert VarDesc.VarType.DENSE_TENSOR == VarDesc.VarType.LOD_TENSOR and AnalysisConfig("m").model_dir() == "m"
    assert [core.size_of_dtype(d) for d in (paddle.float32, "bfloat16", "int8")] == [4, 2, 1]
    with pytest.raises(AttributeError, match="no_such_name"):
        paddle.core.no_such_name  # noqa: B018
    with pytest.raises(RuntimeError, match="no XPU"):
        core.default_xpu_generator(0)


def test_parts_of_loaders_that_patches_are_made_of():
    from paddle.fluid.dataloader.batch_sampler import RandomSampler, Sampler
    from paddle.fluid.reader import (
        _convert_places,
        _DatasetKind,
        _get_paddle_place_list,
        _InfiniteIterableSampler,
        use_pinned_memory,
    )

    class Stream(paddle.io.IterableDataset):
        def __iter__(self):
            yield from range(3)

    assert issubclass(RandomSampler, Sampler) and use_pinned_memory() is None
    assert paddle.io.DataLoader(Stream()).dataset_kind == _DatasetKind.ITER
    assert paddle.io.DataLoader([1]).dataset_kind == _DatasetKind.MAP
    assert next(iter(_InfiniteIterableSampler(Stream(), 2))) == [None, None]
    assert _convert_places("cpu") == _get_paddle_place_list(["cpu"]) == [paddle.CPUPlace()]
    with pytest.raises(TypeError, match="IterableDataset"):
        _InfiniteIterableSampler([1])


def test_counters_grids_and_guards_as_objects():
    from paddle.distributed.fleet.base import topology
    from paddle.distributed.fleet.meta_parallel.sharding.group_sharded_optimizer_stage2 import GroupShardedOptimizerStage2
    from paddle.nn.initializer.lazy_init import lazy_init_helper
    from paddle.vision.transforms.transforms import _check_input
    with paddle.utils.unique_name.guard():
        assert paddle.utils.unique_name.generator("fc") == "fc_0" == paddle.fluid.unique_name.UniqueNameGenerator()("fc")
    assert topology._HYBRID_PARALLEL_GROUP.get_model_parallel_world_size() == 1
    assert not lazy_init_helper()._state
    with paddle.LazyGuard():
        assert lazy_init_helper()._state
    assert _check_input(0.5, "brightness") == [0.5, 1.5] and _check_input(0, "brightness") is None
    layer = nn.Linear(2, 1)
    optimizer = paddle.optimizer.SGD(0.1, parameters=layer.parameters())
    model, wrapped, _ = paddle.distributed.sharding.group_sharded_parallel(layer, optimizer, "os_g")
    assert isinstance(wrapped, GroupShardedOptimizerStage2) and not wrapped._broadcast_overlap
    model(paddle.ones([1, 2])).sum().backward()
    before = layer.bias.item()
    wrapped.step()
    assert abs(layer.bias.item() - before + 0.1) < 1e-6
    with pytest.raises(ValueError, match="all of them"):
        GroupShardedOptimizerStage2([layer.weight], optimizer)


def test_variables_by_name_and_quantization_of_older_releases():
    from paddle.fluid.contrib.slim.quantization import ImperativeQuantAware, QuantizationTransformPass
    from paddle.fluid.framework import _get_var
    assert QuantizationTransformPass is paddle.static.quantization.QuantizationTransformPass
    assert ImperativeQuantAware is paddle.quantization.ImperativeQuantAware
    program = paddle.static.Program()
    with paddle.static.program_guard(program, paddle.static.Program()):
        x = paddle.static.data("x", [1])
        assert _get_var("x") is x and _get_var("x", program) is x


def test_a_product_whose_gradients_overlap():
    from paddle.distributed.fleet.layers.mpu.mp_layers import InnerOverlapLinear, MPScale
    group = paddle.distributed.get_group()
    layer = nn.Linear(3, 2)
    inputs = [paddle.randn([2, 4, 3]) for _ in range(2)]
    inputs[1].set_value(inputs[0])
    slopes = []
    for x, call in zip(inputs, (layer, lambda x: InnerOverlapLinear.apply(
            x, layer.weight, layer.bias, False, True, False, False, group))):
        x.stop_gradient = False
        call(x).square().sum().backward()
        slopes.append([x.grad.numpy(), layer.weight.grad.numpy(), layer.bias.grad.numpy()])
        layer.clear_gradients()
    for mine, expected in zip(*slopes):
        np.testing.assert_allclose(mine, expected, rtol=1e-5)
    x = paddle.to_tensor([4.0], stop_gradient=False)
    y = MPScale.apply(x, 2)
    y.backward()
    assert (y.item(), x.grad.item()) == (2.0, 1.0)


def test_timers_that_nobody_set_fail_an_assertion(monkeypatch):
    from paddle.distributed.fleet.utils import timer_helper
    monkeypatch.setattr(timer_helper, "_timers", None)
    with pytest.raises(AssertionError, match="set_timers"):  # trainers catch this one
        timer_helper.get_timers()


def test_gradients_by_statistics_of_the_batch_while_testing():
    layer = nn.BatchNorm(2, trainable_statistics=True)
    layer.eval()
    x, w = (np.random.RandomState(seed).randn(1, 2, 3, 3).astype("float32") for seed in (0, 1))
    given = paddle.to_tensor(x, stop_gradient=False)
    (layer(given) * paddle.to_tensor(w)).sum().backward()

    def loss(a):
        a = a.reshape(2, 9)
        return float(((a - a.mean(1, keepdims=True)) / np.sqrt(a.var(1, keepdims=True) + 1e-5) * w.reshape(2, 9)).sum())
    steps = np.eye(18).reshape(18, 1, 2, 3, 3) * 1e-6
    expected = [(loss(x + h) - loss(x - h)) / 2e-6 for h in steps.astype("float64")]
    np.testing.assert_allclose(given.grad.numpy().ravel(), expected, rtol=1e-3, atol=1e-4)


def test_guards_and_names_of_3():
    from paddle.decomposition.decomp import prim_guard
    from paddle.distributed.fleet.meta_parallel import LocalSharedLayerDesc, PipelineLayer, SharedLayerDesc
    from paddle.framework import recall_error
    with prim_guard():
        assert paddle.base.core._is_all_prim_enabled()
    assert not paddle.base.core._is_all_prim_enabled()
    with paddle.pir_utils.OldIrGuard():
        assert not paddle.in_dynamic_mode()
    assert paddle.in_dynamic_mode() and paddle.nn.functional.flash_attention._select_sdp(64) == "math"
    found = [recall_error.check_naninf(paddle.to_tensor([1.0, v])) for v in (2.0, float("inf"), float("nan"))]
    assert found == [None, recall_error.LOSS_INF_ERROR, recall_error.LOSS_NAN_ERROR]
    shared = LocalSharedLayerDesc("key", nn.Linear, None, "weight", 2, 2)
    assert not isinstance(shared, SharedLayerDesc) and shared.build_layer().weight.shape == [2, 2]
    with pytest.raises(NotImplementedError, match="two directions"):
        PipelineLayer([shared], num_stages=1)


@pytest.mark.parametrize("switch", [paddle.fluid.framework.switch_main_program, paddle.fluid.framework.switch_startup_program])
def test_only_programs_become_the_default_one(switch):
    with pytest.raises(TypeError, match="must be a Program"):
        switch(paddle.ones([1]))


def test_layers_as_programs_for_inference():
    from paddle.incubate.jit import inference, is_inference_mode

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(2, 2)

        @inference
        def forward(self, x):
            return self.fc(x) if x.sum() > 0 else -self.fc(x)

    net = Net()
    for sign in (1.0, -1.0):
        x = paddle.full([1, 2], sign)
        found = net(x)
        np.testing.assert_allclose(found.numpy(), sign * net.fc(x).numpy(), rtol=1e-6)
        assert found.stop_gradient
    assert is_inference_mode(net) and not is_inference_mode(net.fc)
    layer = inference(nn.Linear(2, 1))
    assert is_inference_mode(layer) and layer(paddle.ones([1, 2])).stop_gradient
    with pytest.raises(NotImplementedError, match="with_trt"):
        inference(nn.Linear(2, 1), with_trt=True)


def test_the_helper_of_a_layer_knows_the_default_type():
    helper = nn.Linear(2, 2)._helper
    assert helper.get_default_dtype() == "float32"
    paddle.set_default_dtype("float64")
    try:
        assert helper.get_default_dtype() == "float64"
    finally:
        helper.set_default_dtype("float32")
    assert paddle.get_default_dtype() == "float32"


class _Sevens(nn.initializer.Initializer):  # as Paddle's own are written
    def __call__(self, var, block=None):
        return block.append_op(type="fill_constant", outputs={"Out": var}, stop_gradient=True,
                               attrs={"shape": var.shape, "dtype": var.dtype, "value": 7.0})


class _Threes:  # no Initializer at all: hands the variable on
    def __call__(self, var, block=None):
        return nn.initializer.Constant(3.0)(var)


class _Twos(nn.initializer.Constant):  # its call is the more derived
    def __call__(self, var, block=None):
        return nn.initializer.Constant(2.0)(var, block)


def test_initializers_of_the_programs_own_fill_parameters_of_programs():
    main, startup = paddle.static.Program(), paddle.static.Program()
    paddle.enable_static()
    try:
        with paddle.static.program_guard(main, startup):
            x = paddle.static.data("x", [None, 2])
            made = [paddle.create_parameter([2], "float32", default_initializer=kind()) for kind in (_Sevens, _Twos)]
            out = nn.Linear(2, 1, weight_attr=paddle.ParamAttr(initializer=_Threes()),
                            bias_attr=paddle.ParamAttr(initializer=_Sevens()))(x)
        executor = paddle.static.Executor()
        executor.run(startup)
        found = executor.run(main, feed={"x": np.ones((1, 2), "float32")}, fetch_list=[*made, out])
    finally:
        paddle.disable_static()
    assert [f.ravel().tolist() for f in found] == [[7.0, 7.0], [2.0, 2.0], [13.0]]
    assert all(op.type == "fill_constant" for op in startup.global_block().ops)
    assert nn.Linear(1, 1, weight_attr=paddle.ParamAttr(initializer=_Threes())).weight.item() == 3.0


def test_nothing_is_recorded_in_the_guard_of_tracers():
    from paddle.fluid.dygraph.base import program_desc_tracing_guard
    with program_desc_tracing_guard(False):
        assert paddle.ones([1]).item() == 1.0
    with pytest.raises(NotImplementedError, match="TracedLayer.trace"), program_desc_tracing_guard(True):
        pass


def test_there_is_no_architecture_of_a_gpu():
    from paddle.nn.quant.quantized_linear import _get_arch_info
    with pytest.raises(ValueError, match="without CUDA"):
        _get_arch_info()
