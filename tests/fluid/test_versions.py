"""What 1.4 to 1.8 and 2.0 alpha did otherwise than each other, version by version (see core/rules.py)."""

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid
from paddle.fluid import layers
from paddle.fluid.dygraph import to_variable

FLUID = ["1.4", "1.5", "1.6", "1.7", "1.8"]
OLDER = [*FLUID, "2.0-alpha"]
ONES = np.ones([3, 2], "float32")


def of(*names):
    return pytest.mark.parametrize("version", names, indirect=True)


def run(fetch, feed=None, **options):
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    return exe.run(feed=feed or {}, fetch_list=fetch, **options)


# ---- tensors -----------------------------------------------------------------------------------------------------------------
@of("1.4", "1.5", "1.6", "1.7")
def test_every_tensor_is_true(version):
    with fluid.dygraph.guard():
        assert to_variable(np.zeros([1], "float32")) and to_variable(np.zeros([2, 2], "float32"))


@of("1.8", "2.0-alpha")
def test_a_positive_element_is_true(version):
    with fluid.dygraph.guard():
        assert to_variable(np.array([2.0], "float32")) and not to_variable(np.array([-1.0], "float32"))
        with pytest.raises(AssertionError, match="ambiguous"):
            bool(to_variable(np.zeros([2], "float32")))


@of(*FLUID)
def test_static_variables_are_true(version, programs):
    assert layers.data("x", [2]) and layers.fill_constant([1], "float32", 0.0)


@of("1.4", "1.5", "1.6")
def test_tensors_take_attributes(version):
    with fluid.dygraph.guard():
        x = to_variable(ONES)
        x.permissions, x._stop_gradient = "all", True
        assert x.permissions == "all" and x._stop_gradient is True
        assert x.stop_gradient is (version == "1.6")  # that one is another
        with pytest.raises(AttributeError, match="never"):
            x.never  # noqa: B018
        with pytest.raises(AttributeError):
            x.ndim = 3


@of("1.7", "1.8", "2.0-alpha")
def test_parameters_alone_take_attributes(version):
    with fluid.dygraph.guard():
        with pytest.raises(AttributeError, match="permissions"):
            to_variable(ONES).permissions = True
        fluid.dygraph.Linear(2, 1).weight.permissions = True


@of(*OLDER)
def test_data_stops_gradients_from_16_on(version):
    with fluid.dygraph.guard():
        assert to_variable(ONES).stop_gradient is (version not in ("1.4", "1.5"))


# ---- gradients ---------------------------------------------------------------------------------------------------------------
@of(*FLUID)
def test_backward_into_a_graph_that_was_used_up(version):
    """1.4 to 1.7: the walk ends there; 1.8: an error."""
    with fluid.dygraph.guard():
        first, second = (layers.create_parameter([2, 2], "float32", name=name) for name in "ab")
        state = layers.matmul(to_variable(ONES), first)
        layers.reduce_sum(state).backward()
        before = first.gradient().copy()
        loss = layers.reduce_sum(layers.matmul(state, second))
        if version == "1.8":
            with pytest.raises(RuntimeError, match="freed"):
                loss.backward()
            return
        loss.backward()
        np.testing.assert_allclose(second.gradient(), np.repeat(state.numpy().sum(0)[:, None], 2, 1), rtol=1e-5)
        np.testing.assert_array_equal(first.gradient(), before)


@of("1.6", "1.7", "1.8")
def test_gradient_of_what_was_cut_off(version):
    """1.6, 1.7: zeros; 1.8: None."""
    with fluid.dygraph.guard():
        w = layers.create_parameter([2], "float32")
        cut = w * 2.0
        cut.stop_gradient = True
        layers.reduce_sum(cut * w).backward()
        found = cut.gradient()
        assert found is None if version == "1.8" else found.tolist() == [0.0, 0.0]


# ---- layers ------------------------------------------------------------------------------------------------------------------
class Outer(fluid.dygraph.Layer):
    def __init__(self):
        super().__init__("outer")
        self.inner = fluid.dygraph.Sequential(fluid.dygraph.Linear(2, 2))


@of(*OLDER)
def test_sublayers_never_hold_the_layer_itself(version):
    with fluid.dygraph.guard():
        net = Outer()
        assert net.sublayers(True) == net.sublayers(include_sublayers=True) == [net.inner, net.inner["0"]]
        assert net.sublayers(False) == [net.inner]
        assert [name for name, _ in net.named_sublayers()] == ["inner", "inner.0"]
        assert [name for name, _ in net.named_sublayers("net", False, True)] == ["net", "net.inner"]


@of("1.4", "1.5", "1.8")
def test_missing_attributes_of_layers(version):
    with fluid.dygraph.guard():
        if version == "1.4":
            assert Outer().never is None
        else:
            with pytest.raises(AttributeError):
                Outer().never  # noqa: B018


@of(*FLUID)
def test_decays_give_tensors(version):
    with fluid.dygraph.guard():
        rate = fluid.dygraph.PiecewiseDecay([1], [0.5, 0.25], 0)()
        assert rate.shape == [1] and rate.numpy().dtype == np.float32 and float(rate) == 0.5


@of("1.4", "1.5")
def test_load_persistables_of_a_folder(version, tmp_path):
    with fluid.dygraph.guard():
        net = fluid.dygraph.Linear(2, 1)
        fluid.dygraph.save_persistables(net.state_dict(), str(tmp_path))
        found = fluid.dygraph.load_persistables(str(tmp_path))
        parameters = found if version == "1.4" else found[0]
        assert set(parameters) == {p.name for p in net.parameters()} and (version == "1.4" or found[1] == {})


@of(*OLDER)
def test_seeded_initializers_and_dropout_begin_anew(version, programs):
    """With a seed, parameters of one shape are equal, masks repeat, and dynamic and static programs have the same values."""
    def make():
        fluid.default_startup_program().random_seed = fluid.default_main_program().random_seed = 33
        spread = fluid.initializer.UniformInitializer(-1.0, 1.0)
        ws = [layers.create_parameter([3, 4], "float32", default_initializer=spread) for _ in range(2)]
        return [*ws, *(layers.dropout(layers.ones([4, 8], "float32"), 0.5) for _ in range(2))]
    static = run(make())
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.dygraph.guard():
        dynamic = [value.numpy() for value in make()]
    for found in (static, dynamic):
        np.testing.assert_array_equal(found[0], found[1])
        np.testing.assert_array_equal(found[2], found[3])
    for a, b in zip(static, dynamic):
        np.testing.assert_array_equal(a, b)
    assert 0 < dynamic[2].sum() < 32


# ---- programs ----------------------------------------------------------------------------------------------------------------
@of(*OLDER)
def test_fetched_arrays_convert(version, programs):
    x = layers.data("x", [2])
    loss, = run([layers.mean(x)], {"x": ONES})
    assert float(loss) == 1.0 and "%f".__mod__(loss) == "1.000000" and f"{loss:.2f}" == "1.00" and int(loss) == 1
    assert loss.shape == (1,) and repr(loss) == "array([1.], dtype=float32)"


@of(*OLDER)
def test_what_is_fed_is_not_checked(version, programs):
    """1.4, 1.5: nothing is; later what fluid.data declared is, what layers.data declared is not."""
    y = layers.scale(layers.data("x", [4]), 2.0)
    wide, = run([y], {"x": np.ones([3, 4], "float64")})
    flat, = run([y], {"x": np.ones([4], "float32")})
    assert wide.dtype == np.float64 and flat.shape == (4,)
    z = layers.scale(fluid.data("z", [None, 4]), 2.0)
    if version in ("1.4", "1.5"):
        assert run([z], {"x": ONES, "z": np.ones([3, 4], "float64")})[0].dtype == np.float64
    else:
        with pytest.raises(ValueError, match="float32"):
            run([z], {"x": ONES, "z": np.ones([3, 4], "float64")})


def test_modern_programs_check_all_and_give_plain_arrays():
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        y = paddle.static.data("x", [None, 2]).sum().reshape([1])
    found, = paddle.static.Executor().run(main, {"x": ONES}, [y])
    assert type(found) is np.ndarray
    with pytest.raises(ValueError, match="float64"):
        paddle.static.Executor().run(main, {"x": ONES.astype("float64")}, [y])


# ---- LoDTensor ---------------------------------------------------------------------------------------------------------------
def test_fetches_without_numpy_are_lod_tensors(programs):
    x = layers.data("x", [2])
    array = layers.array_write(x, layers.fill_constant([1], "int64", 0))
    found, several = run([layers.scale(x, 2.0), array], {"x": ONES}, return_numpy=False)
    assert isinstance(found, fluid.LoDTensor) and found.shape() == [3, 2] and found.recursive_sequence_lengths() == []
    assert isinstance(several, fluid.LoDTensorArray) and len(several) == 1 and several[0].shape() == [3, 2]
    np.testing.assert_array_equal(np.array(several[0]), ONES)


def test_lod_tensors_have_the_whole_surface():
    t = fluid.Tensor()
    assert t.shape() == [0] and not t._is_initialized()
    with pytest.raises(RuntimeError, match="no array"):
        np.array(t)
    t.set(np.arange(6, dtype="float32").reshape(3, 2), fluid.CPUPlace())
    t.set_lod([[0, 1, 3]])
    assert t.recursive_sequence_lengths() == [[1, 2]] and t._dtype() == paddle.float32 and len(t) == 3
    assert t[1:].shape() == [2, 2] and t._get_float_element(3) == 3.0 and t._as_type("int64")._dtype() == paddle.int64
    other = t._copy()
    other._set_float_element(0, 7.0)
    assert np.array(t)[0, 0] == 0.0 and np.array(other)[0, 0] == 7.0 and other.lod() == [[0, 1, 3]]
    assert "shape: [3, 2]" in str(t) and "lod: {{0, 1, 3}}" in str(t) and "data: [0 1 2 3 4 5]" in str(t)
    other._set_dims([2, 2])
    assert other.shape() == [2, 2]
    array = fluid.LoDTensorArray()
    array.append(t)
    array.append(ONES)
    assert [part.shape() for part in array] == [[3, 2], [3, 2]] and len(array._move_to_list()) == 2 and not array


def test_loaders_give_one_dict_of_lod_tensors_per_place(programs):
    x = layers.data("x", [2])
    loader = fluid.io.DataLoader.from_generator(feed_list=[x], capacity=2)
    loader.set_batch_generator(lambda: iter([[ONES], [ONES * 2]]), places=fluid.CPUPlace())
    assert loader.iterable
    batches = list(loader())
    assert [len(batch) for batch in batches] == [1, 1] and batches[0][0]["x"].shape() == [3, 2]
    assert [float(run([layers.mean(x)], batch)[0]) for batch in batches] == [1.0, 2.0]
    with pytest.raises(RuntimeError, match="iterable"):
        loader.start()


@pytest.mark.parametrize("version", ["1.8", "2.0-alpha"])
def test_groups_of_transposed_convolutions_are_checked_when_they_run(version):
    """1.x builds the program, and its run refuses 3 channels in 2 groups (by the operator's InferShape of 1.8.5)."""
    before = paddle.get_generation()
    paddle.set_generation(version)
    try:
        with fluid.program_guard(fluid.Program(), fluid.Program()):
            y = fluid.layers.conv2d_transpose(fluid.data("x", [None, 3, 8, 8]), 2, filter_size=4, padding=1, stride=2, groups=2)
            exe = fluid.Executor(fluid.CPUPlace())
            exe.run(fluid.default_startup_program())
            assert tuple(y.shape) == (-1, 2, 16, 16)
            with pytest.raises(ValueError, match="groups"):
                exe.run(fluid.default_main_program(), {"x": np.ones([1, 3, 8, 8], "float32")}, [y])
    finally:
        paddle.set_generation(before)
