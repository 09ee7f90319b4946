"""paddle.incubate and paddle.geometric: what the tables of vision_ops leave out."""
# ruff: noqa: E501, a line of the table is a case's name

from oracle_table import f, lit, program, table

GRAPH = "row = paddle.to_tensor([3, 7, 0, 9, 1, 4, 2, 9, 3, 9, 1, 9, 7]); ptr = paddle.to_tensor([0, 2, 4, 5, 6, 7, 9, 11, 11, 13, 13]); "
table(f"""
{GRAPH}paddle.geometric.sample_neighbors(row, ptr, paddle.to_tensor([0, 8, 1, 2]), 10)
{GRAPH}paddle.geometric.sample_neighbors(row, ptr, paddle.to_tensor([0, 8, 1, 7]), 10, paddle.arange(13), True)
{GRAPH}paddle.geometric.sample_neighbors(row.astype('int32'), ptr.astype('int32'), paddle.to_tensor([2, 3], dtype='int32'), 3)
{GRAPH}paddle.geometric.weighted_sample_neighbors(row, ptr, paddle.ones([13]), paddle.to_tensor([0, 8]), 2)
{GRAPH}paddle.incubate.graph_khop_sampler(row, ptr, paddle.to_tensor([0, 8, 1, 2]), [9, 9], paddle.arange(13), True)
{GRAPH}paddle.incubate.graph_khop_sampler(row, ptr, paddle.to_tensor([2, 0]), [9])
paddle.geometric.reindex_heter_graph(paddle.to_tensor([0, 1, 2]), [paddle.to_tensor([8, 9, 0, 4, 7, 6, 7]), paddle.to_tensor([0, 2, 3, 5, 1])], [paddle.to_tensor([2, 3, 2], dtype='int32'), paddle.to_tensor([1, 3, 1], dtype='int32')])
paddle.incubate.graph_reindex(paddle.to_tensor([0, 1, 2]), paddle.to_tensor([8, 9, 0, 4, 7, 6, 7]), paddle.to_tensor([2, 3, 2], dtype='int32'))
""", grad=False)
table("""
paddle.geometric.segment_max(x, s)
paddle.geometric.segment_mean(x, s)
paddle.geometric.send_ue_recv(x, e, a, b, 'sub', 'max')
paddle.geometric.send_ue_recv(x, e, a, b, 'div', 'min', out_size=3)
paddle.geometric.send_uv(x, x + 3, a, b, 'div')
paddle.incubate.graph_send_recv(x, a, b, 'max')
paddle.incubate.segment_min(x, s)
paddle.incubate.identity_loss(x, 'sum')
paddle.incubate.identity_loss(x, 1)
paddle.incubate.identity_loss(x)
paddle.incubate.softmax_mask_fuse(x.reshape([1, 2, 2, 3]), y)
""", x=lit([[1.0, 2.0, 0.5], [1.0, 5.0, 0.5], [3.0, 0.25, -1.0], [2.0, -2.0, 4.0]]), s=lit([0, 0, 2, 2], "int64"),
      a=lit([0, 1, 2, 0, 3], "int64"), b=lit([1, 2, 1, 0, 0], "int64"), e=f(5, 1, low=0.5, high=2.0), y=f(1, 1, 2, 3), rtol=3e-5)


def steps(ns, w, optimizer, average=None, count=7):
    """Values of a parameter while a bowl is walked down."""
    found = []
    for _ in range(count):
        (w * w * w).sum().backward()
        optimizer.step()
        if average is not None:
            average.step()
        optimizer.clear_grad()
        found.append(w.numpy().copy())
    return [ns["paddle"].to_tensor(v) for v in found]


def parameter(ns, x):
    return ns["paddle"].create_parameter([4], "float32", default_initializer=ns["paddle"].nn.initializer.Assign(x.numpy()))


@program(x=lit([1.0, 0.8, 0.5, 0.2]), grad=False)
def look_ahead(ns, x):
    w = parameter(ns, x)
    return steps(ns, w, ns["paddle"].incubate.LookAhead(ns["paddle"].optimizer.SGD(0.1, parameters=[w]), 0.3, 3))


@program(x=lit([1.0, 0.8, 0.5, 0.2]), grad=False)
def model_average(ns, x):
    paddle, w = ns["paddle"], parameter(ns, x)
    average = paddle.incubate.ModelAverage(0.5, parameters=[w], min_average_window=2, max_average_window=4)
    found = steps(ns, w, paddle.optimizer.SGD(0.1, parameters=[w]), average)
    with average.apply():
        found.append(w.clone())
    found.append(w.clone())
    with average.apply(need_restore=False):
        pass
    found.append(w.clone())
    average.restore()
    return [*found, w.clone()]


@program(x=f(3), y=f(2, 2), grad=False)
def jacobians(ns, x, y):
    paddle, autograd = ns["paddle"], ns["paddle"].incubate.autograd
    one = autograd.Jacobian(lambda a: paddle.matmul(a, a) * a, y)
    two = autograd.Jacobian(lambda a, b: [a * b.sum(), (a * a).sum()], [x, y])
    batch = autograd.Jacobian(lambda a: (a * a) * a.sum(1, keepdim=True), y, is_batched=True)
    return [one[:], one.shape, two[:], two[0, :], batch[:], batch.shape]


@program(x=f(3), y=f(2, 2), grad=False)
def hessians(ns, x, y):
    autograd = ns["paddle"].incubate.autograd
    one = autograd.Hessian(lambda a: (a * a * a).sum() * a[0], x)
    two = autograd.Hessian(lambda a, b: (a.sum() * b).sum() ** 2, [x, y])
    batch = autograd.Hessian(lambda a: (a * a * a).sum(1, keepdim=True), y, is_batched=True)
    return [one[:], two[:], batch[:]]


@program(x=f(3), grad=False)
def products(ns, x):
    autograd = ns["paddle"].incubate.autograd
    return [autograd.vjp(lambda a: a * a, x), autograd.jvp(lambda a: a * a.sum(), x, x * 2)]
