"""What programs of 1.4 to 1.8 rely on, found by running them."""

import threading

import numpy as np
import pytest
from fluid.versions import exe, rules_of

import paddle
import paddle.fluid as fluid

L = fluid.layers
D = fluid.dygraph


pytestmark = pytest.mark.usefixtures("own_names")


def test_a_fed_variable_that_the_program_writes_keeps_what_was_written():
    x = fluid.data("x", [1])
    x.persistable = True
    fluid.default_main_program().global_block().append_op(type="scale", inputs={"X": x}, outputs={"Out": x}, attrs={"bias": 1.0})
    values = [exe().run(feed=feed, fetch_list=[x])[0].item() for feed in ({"x": np.array([-1.0], "float32")}, None, None)]
    assert values == [0, 1, 2]


VALUES = np.arange(8.0, dtype="float32").reshape(4, 2)


@rules_of("1.5", "1.8")
def test_a_parameter_takes_the_size_of_a_given_array(version):
    attr = fluid.ParamAttr(name="table", initializer=fluid.initializer.NumpyArrayInitializer(VALUES))
    with D.guard():
        table = D.Embedding("scope", [5, 2], param_attr=attr) if version == "1.5" else D.Embedding([5, 2], param_attr=attr)
        assert table.weight.numpy().tolist() == VALUES.tolist()
        assert table(D.to_variable(np.array([[1], [3]]))).numpy().reshape(2, 2).tolist() == [[2, 3], [6, 7]]
    x = fluid.data("x", [2, 1], dtype="int64")
    y = L.embedding(x, [5, 2], param_attr=attr)
    fluid.optimizer.SGD(1.0).minimize(L.reduce_sum(y))
    exe().run(fluid.default_startup_program())
    got, table = exe().run(feed={"x": np.array([[1], [3]])}, fetch_list=[y, "table"])
    assert got.tolist() == [[2, 3], [6, 7]] and table.tolist() == [[0, 1], [1, 2], [4, 5], [5, 6]]


@rules_of("1.6", "1.7", "1.8")
def test_results_beside_the_one_that_was_used_have_zero_gradients(version):
    with D.guard():
        x = D.to_variable(np.ones([2, 4], "float32"))
        x.stop_gradient = False
        used, beside = L.split(x, 2, dim=1)
        L.reduce_sum(used).backward()
        assert beside.gradient().tolist() == [[0, 0], [0, 0]] and used.gradient().tolist() == [[1, 1], [1, 1]]
        assert x.gradient().tolist() == [[1, 1, 0, 0]] * 2


def made(name):
    data = {"Conv2D": [1, 3, 4, 4], "GroupNorm": [1, 4, 2, 2], "BatchNorm": [1, 3, 2, 2], "LayerNorm": [2, 3]}
    layer = {"FC": lambda: D.FC("s", 2), "Conv2D": lambda: D.Conv2D("s", 2, 3), "Embedding": lambda: D.Embedding("s", [3, 2]),
             "LayerNorm": lambda: D.LayerNorm("s"), "BatchNorm": lambda: D.BatchNorm("s", 3),
             "GroupNorm": lambda: D.GroupNorm("s", groups=2), "PRelu": lambda: D.PRelu("s", "all")}[name]()
    kind = "int64" if name == "Embedding" else "float32"
    layer(D.to_variable(np.ones(data.get(name, [2, 1]), kind)))
    return layer


@rules_of("1.4", "1.5", "1.6")
@pytest.mark.parametrize("layer, names", [
    ("FC", ["_w", "_b"]), ("Conv2D", ["_filter_param", "_bias_param"]), ("Embedding", ["_w"]), ("PRelu", ["_alpha"]),
    ("LayerNorm", ["_scale_w", "_bias_w"]), ("BatchNorm", ["_scale", "_bias"]), ("GroupNorm", ["_scale", "_bias"])])
def test_parameters_have_their_former_names(version, layer, names):
    with D.guard():
        net = made(layer)
        assert [getattr(net, name) is p for name, p in zip(names, net.parameters())] == [True] * len(names)
        other = made(layer)
        setattr(net, names[0], getattr(other, names[0]))  # sharing a weight
        assert net.parameters()[0] is other.parameters()[0] and len(net.parameters()) == len(other.parameters())


def test_variables_stay_variables_in_translated_code():
    x = fluid.data("x", [2])
    assert D.to_variable(x) is x


def test_the_mean_is_one_operator_of_shape_1():
    x = fluid.data("x", [None, 3])
    x.stop_gradient = False
    loss = L.mean(x)
    block = fluid.default_main_program().global_block()
    assert [op.type for op in block.ops] == ["mean"] and loss.shape == (1,) and loss.name == "mean_0.tmp_0"
    fluid.backward.append_backward(loss)
    assert [op.type for op in block.ops] == ["mean", "fill_constant", "mean_grad"]
    value, gradient = exe().run(feed={"x": np.ones([2, 3], "float32")}, fetch_list=[loss, x.name + "@GRAD"])
    assert value.tolist() == [1] and np.allclose(gradient, np.full([2, 3], 1 / 6))
    with D.guard():
        x = D.to_variable(np.ones([2, 3], "float32"))
        x.stop_gradient = False
        loss = L.mean(x)
        loss.backward()
        assert loss.shape == [1] and np.allclose(x.gradient(), np.full([2, 3], 1 / 6))


@pytest.mark.parametrize(("version", "shape"), [("1.8", (1,)), ("2.6", ())], indirect=["version"])
def test_a_mean_from_a_file_has_the_shape_of_the_release_in_force(version, shape, tmp_path):
    loss = L.mean(L.fc(fluid.data("x", [None, 3]), 2))
    exe().run(fluid.default_startup_program())
    fluid.io.save_inference_model(str(tmp_path), ["x"], [loss], exe())
    program, feeds, fetches = fluid.io.load_inference_model(str(tmp_path), exe())
    assert [op.attr_names for op in program.global_block().ops if op.type == "mean"][0].count("row") == 0
    value, = paddle.static.Executor().run(program, {"x": np.ones([2, 3], "float32")}, fetches)
    assert value.shape == shape


def test_a_variable_that_is_fed_with_itself_has_what_the_program_gives_it():
    x = L.create_tensor("float32", name="x")
    L.assign(np.array([1.0, 2.0], "float32"), x)
    assert exe().run(feed={"x": x}, fetch_list=[L.scale(x, 2.0)])[0].tolist() == [2, 4]
    with pytest.raises(TypeError, match="static Variable"):
        exe().run(feed={"x": L.scale(x, 1.0)}, fetch_list=[x])


@rules_of("1.7")
def test_several_elements_are_true_in_traced_layers(version):
    class Net(D.Layer):
        def forward(self, x, mask):
            if mask:
                x = x + mask
            return x

    with D.guard():
        arrays = [D.to_variable(np.full([2, 2], n, "float32")) for n in (1, 0)]
        out, traced = D.TracedLayer.trace(Net(), arrays)
        assert traced(arrays)[0].tolist() == [[1, 1], [1, 1]]


def test_traced_layers_save_inputs_by_a_range(tmp_path):
    with D.guard():
        net = D.Linear(2, 1)
        _, traced = D.TracedLayer.trace(net, [D.to_variable(np.ones([1, 2], "float32"))])
        traced.save_inference_model(str(tmp_path), feed=range(1), fetch=range(1))
        expected = net(D.to_variable(np.ones([3, 2], "float32"))).numpy()
    program, feeds, fetches = fluid.io.load_inference_model(str(tmp_path), exe())
    np.testing.assert_allclose(exe().run(program, {feeds[0]: np.ones([3, 2], "float32")}, fetches)[0], expected, rtol=1e-6)


@rules_of("1.8")
def test_rows_of_sequences_are_no_batch(version):
    x = fluid.data("x", [2, 3])
    with pytest.raises(ValueError, match="'x' has shape"):
        exe().run(feed={"x": np.ones([5, 3], "float32")}, fetch_list=[x])
    rows = fluid.create_lod_tensor(np.ones([5, 3], "float32"), [[2, 3]], fluid.CPUPlace())
    assert exe().run(feed={"x": rows}, fetch_list=[x])[0].shape == (5, 3)


def test_flags_of_1x_are_known():
    flags = fluid.core.globals()
    assert flags["FLAGS_enable_parallel_graph"] is False
    flags["FLAGS_enable_parallel_graph"] = True
    assert fluid.get_flags("FLAGS_enable_parallel_graph") == {"FLAGS_enable_parallel_graph": True}
    flags["FLAGS_enable_parallel_graph"] = False


def test_numbers_of_global_variables_may_be_text():
    x = L.create_global_var([2], "1.5", "float32", persistable=True)
    exe().run(fluid.default_startup_program())
    assert exe().run(fetch_list=[x])[0].tolist() == [1.5, 1.5]


def test_lod_append_refuses_a_number():
    with pytest.raises(ValueError, match="level must be a Variable or a list"):
        L.lod_append(L.data("x", [4]), 2)


def test_datasets_give_a_batch_to_every_place(tmp_path):
    file = tmp_path / "part"
    file.write_text("".join(f"1 {k}.5\n" for k in range(5)))
    x = L.data("x", [1])
    dataset = fluid.DatasetFactory().create_dataset("QueueDataset")
    dataset.set_batch_size(1)
    dataset.set_use_var([x])
    dataset.set_filelist([str(file)])
    places = [fluid.CPUPlace()] * 2
    loader = fluid.io.DataLoader.from_dataset(dataset, places, drop_last=True)
    assert [[np.array(feed["x"]).item() for feed in feeds] for feeds in loader()] == [[0.5, 1.5], [2.5, 3.5]]
    program = fluid.CompiledProgram(fluid.default_main_program()).with_data_parallel(places=places)
    assert [exe().run(program, feeds, [x])[0].ravel().tolist() for feeds in loader()] == [[0.5, 1.5], [2.5, 3.5]]
    assert len(list(fluid.io.DataLoader.from_dataset(dataset, places, drop_last=False)())) == 2  # the fifth has no partner


def test_parts_of_a_tensor_give_the_same_bits_in_programs_and_in_dynamic_code():
    array = np.random.RandomState(0).randn(4, 40).astype("float32")

    def gates(x):
        i, j, f, o = L.split(x, 4, dim=-1)
        return L.tanh(L.sigmoid(f) + L.sigmoid(i) * L.tanh(j)) * L.sigmoid(o) + L.sqrt(L.exp(o))

    with D.guard():
        x = D.to_variable(array)
        x.stop_gradient = False
        y = gates(x)
        L.reduce_sum(y).backward()
        expected = [y.numpy(), x.gradient()]
    x = fluid.data("x", [4, 40])
    x.stop_gradient = False
    y = gates(x)
    fluid.backward.append_backward(L.reduce_sum(y))
    for found, wanted in zip(exe().run(feed={"x": array}, fetch_list=[y, "x@GRAD"]), expected):
        np.testing.assert_array_equal(found, wanted)


def test_transposed_convolutions_take_channels_last():
    array = np.random.RandomState(0).randn(2, 3, 4, 5).astype("float32")
    attr = fluid.ParamAttr(name="w")
    with D.guard():
        x = D.to_variable(array)
        first = L.conv2d_transpose(x, 4, filter_size=3, stride=2, param_attr=fluid.initializer.Constant(0.1))
        last = L.conv2d_transpose(L.transpose(x, [0, 2, 3, 1]), 4, filter_size=3, stride=2, data_format="NHWC",
                                  param_attr=fluid.initializer.Constant(0.1))
        np.testing.assert_allclose(last.numpy().transpose(0, 3, 1, 2), first.numpy(), rtol=1e-5)
    x = fluid.data("x", [None, 4, 5, 3])
    assert L.conv2d_transpose(x, 4, output_size=[9, 11], stride=2, param_attr=attr, data_format="NHWC").shape == (-1, 9, 11, 4)


def test_a_missing_gradient_is_zero_where_nothing_tells_the_version():
    with D.guard():
        net, other = D.Linear(3, 2), D.Linear(3, 2)
        x = D.to_variable(np.ones([1, 3], "float32"))
        cut = net(x)
        cut.stop_gradient = True
        L.concat([cut, other(x)], axis=1).backward()
        assert (net.weight.gradient() == 0).all() and (cut.gradient() == 0).all() and (other.weight.gradient() == 1).all()


def test_functions_of_fluid_take_the_names_that_2x_gave_them():
    zero = L.zeros([2], "float32", name="zero")
    made = [zero, L.eye(2, name="eye"), L.stack([zero, zero], name="rows"), L.range(0, 3, 1, "int32", name="steps"),
            L.linspace(0, 1, 3, None, name="line"), L.gaussian_random([2], name="noise"),
            L.multiplex([zero, zero], L.zeros([2, 1], "int32"), name="chosen")]
    assert [v.name.split(".")[0] for v in made] == ["zero", "eye", "rows", "steps", "line", "noise", "chosen"]
    values = exe().run(fetch_list=made[1:5])
    assert [v.tolist() for v in values] == [[[1, 0], [0, 1]], [[0, 0], [0, 0]], [0, 1, 2], [0.0, 0.5, 1.0]]
    frames = np.arange(8.0, dtype="float32").reshape(2, 1, 1, 4)  # channels last: a quarter of the channels comes from each side
    with D.guard():
        found = L.temporal_shift(D.to_variable(frames), 2, 0.25, data_format="NHWC").numpy().reshape(2, 4)
    assert found.tolist() == [[0, 5, 2, 3], [0, 0, 6, 7]]


def test_aligned_nearest_resizing_to_a_size_that_the_program_computes():
    """As YOLOv3 of the model zoo doubles its maps; by hand, cell i of 6 is taken from round(i * 2 / 5) of 3."""
    x = fluid.data("x", [None, 1, None, 3])
    size = L.cast(L.slice(L.shape(x), axes=[0], starts=[2], ends=[4]), "int32") * 2
    made = L.resize_nearest(x, scale=2.0, actual_shape=size)
    rows, taken = np.arange(6.0, dtype="float32").reshape(1, 1, 2, 3), [0, 0, 1, 1, 2, 2]
    found, = exe().run(feed={"x": rows}, fetch_list=[made])
    assert found.tolist() == rows[:, :, [0, 0, 1, 1]][..., taken].tolist()
    with D.guard():
        assert L.resize_nearest(D.to_variable(rows), out_shape=[2, 6]).numpy().tolist() == rows[..., taken].tolist()


@pytest.mark.parametrize("dynamic", [False, True])
def test_attributes_that_are_none_have_their_defaults_in_append_op(dynamic):
    """As conv2d_with_filter of the model zoo's SPADE gives groups; a kernel of ones sums each window."""
    attrs = {"strides": [1, 1], "paddings": [0, 0], "dilations": [1, 1], "groups": None, "use_cudnn": False}
    given = np.arange(9.0, dtype="float32").reshape(1, 1, 3, 3)

    def convolved(x, w):
        helper = fluid.layer_helper.LayerHelper("conv")
        out = helper.create_variable_for_type_inference("float32")
        helper.append_op(type="conv2d", inputs={"Input": x, "Filter": w}, outputs={"Output": out}, attrs=attrs)
        return out
    if dynamic:
        with D.guard():
            found = convolved(D.to_variable(given), D.to_variable(np.ones([1, 1, 2, 2], "float32"))).numpy()
    else:
        made = convolved(fluid.data("x", [1, 1, 3, 3]), L.fill_constant([1, 1, 2, 2], "float32", 1.0))
        found, = exe().run(feed={"x": given}, fetch_list=[made])
    assert found.tolist() == [[[[8.0, 12.0], [20.0, 24.0]]]]


@rules_of("1.6", "1.8", "2.0-alpha", "2.0", "2.2")
def test_only_what_is_fed_to_variables_of_fluid_data_is_checked(version):
    """fluid.layers.data and py_reader declare sizes and types that bind nobody, in every release."""
    named, plain = fluid.data("named", [None, 2]), L.data("plain", [2])
    doubled, given = [L.scale(v, 2.0) for v in (named, plain)], np.arange(6.0).reshape(2, 3)
    with pytest.raises(ValueError, match="the fed value"):
        exe().run(feed={"named": given, "plain": given}, fetch_list=doubled[:1])
    found, = exe().run(feed={"plain": given}, fetch_list=doubled[1:])
    assert found.dtype == np.float64 and found.tolist() == (2 * given).tolist()
    reader = L.py_reader(2, shapes=[[-1, 1]], dtypes=["float32"])
    doubled = L.scale(L.read_file(reader), 2.0)
    reader.decorate_tensor_provider(lambda: iter([[np.full([3, 1, 1], 5.0)]]))
    reader.start()
    found, = exe().run(fetch_list=[doubled])
    assert found.dtype == np.float64 and found.tolist() == [[[10.0]]] * 3


def test_batches_can_be_pushed_to_a_reader():
    reader = L.py_reader(2, shapes=[[-1, 1], [-1, 1]], dtypes=["float32", "int64"])
    x, y = L.read_file(reader)
    queue = reader.queue
    assert (queue.size(), queue.capacity(), queue.is_closed()) == (0, 2, False)

    def push():
        for k in range(5):
            queue.push([np.full([1, 1], k, "float32"), np.full([1, 1], 10 * k, "int64")])
        queue.close()

    thread = threading.Thread(target=push)
    thread.start()
    total, values = L.cast(x, "int64") + y, []
    with pytest.raises(fluid.core.EOFException):
        while True:
            values.append(exe().run(fetch_list=[total])[0].item())
    thread.join()
    assert values == [0, 11, 22, 33, 44] and not queue.push([]) and queue.is_closed()


def test_functions_are_in_the_modules_that_defined_them():
    for name in ("floor", "exp", "tanh_shrink", "logsigmoid", "sigmoid"):
        assert getattr(L.ops, name) is getattr(L, name)
    with pytest.raises(AttributeError):
        L.ops.nothing


def test_labels_fed_without_their_last_axis_are_counted_alike():
    scores = np.random.RandomState(0).rand(20, 5).astype("float32")
    labels = np.random.RandomState(1).randint(0, 5, 20)
    pred, label = paddle.static.data("pred", [None, 5]), paddle.static.data("label", [None, 1], "int64")
    metric = paddle.metric.Accuracy()
    state = metric.compute(pred, label)
    for fed in (labels, labels[:, None]):
        found = paddle.static.Executor().run(feed={"pred": scores, "label": fed}, fetch_list=[state])
        assert metric.update(*found) == pytest.approx((scores.argmax(1) == labels).mean())


def test_a_sparse_table_may_be_used_as_a_matrix_too():
    def gradient(is_sparse):
        with D.guard():
            table = D.Embedding([5, 2], is_sparse=is_sparse, param_attr=fluid.initializer.Constant(0.5))
            x = table(D.to_variable(np.array([[1], [3]])))
            logits = L.matmul(x, table.weight, transpose_y=True)
            L.reduce_sum(logits * L.reduce_sum(table.weight) + L.reduce_sum(L.matmul(x, table.weight, transpose_y=True))).backward()
            rows = table.weight.gradient()
            if not isinstance(rows, tuple):
                return rows
            dense = np.zeros([5, 2], "float32")
            np.add.at(dense, rows[1], rows[0])
            return dense

    np.testing.assert_allclose(gradient(True), gradient(False), rtol=1e-6)


def test_negative_sizes_of_data_are_unknown_ones():
    assert L.data("x", [-4, 3]).shape == (-1, 3) and L.data("y", [4, 3]).shape == (-1, 4, 3)


def test_a_probability_is_never_0_so_that_its_logarithm_is_finite():
    """softmax, then cross_entropy, as every classifier of 1.x has it: real Paddle's loss is at most 64."""
    x = fluid.data("x", [2, 3])
    x.stop_gradient = False
    loss = L.cross_entropy(L.softmax(x), fluid.data("label", [2, 1], "int64"))
    fluid.backward.append_backward(L.mean(loss))
    value, gradient = exe().run(feed={"x": np.float32([[0, -300, 0], [500, 0, 0]]), "label": np.int64([[1], [0]])},
                                fetch_list=[loss, "x@GRAD"])
    np.testing.assert_allclose(value, [[64 + np.log(2)], [0]], rtol=1e-6)
    assert np.isfinite(gradient).all() and abs(gradient[0, 1] + 0.5) < 1e-6
