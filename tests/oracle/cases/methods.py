"""Tensor attributes and methods that are not another function's twin, and autograd's behaviour."""

from oracle_table import b, c, d, distinct, f, i, program, table

table("""
x.shape, x.ndim, x.size, x.dtype, x.stop_gradient, x.is_leaf, str(x.place), x.persistable
x.dim(), x.ndimension(), x.element_size()
x.numel()
x.rank()
x.strides, x.is_contiguous(), x.contiguous()
x.T.shape, x.t().shape
x.item(3), x.item(1, 2)
x.numpy()
x.tolist()
x.detach().stop_gradient
x.clone().stop_gradient, x.clone().is_leaf
x.cpu()
x.astype('int64').dtype
x.detach().to('float64')
x.to('cpu', 'float64').dtype
x.to(paddle.float16).dtype
x.is_dense(), x.is_dist(), x.is_sparse(), x.is_sparse_coo(), x.is_sparse_csr(), x.is_selected_rows()
x.get_strides()
len(x)
[r.shape for r in x]
x.expand([2, 3, 4])
x.flatten()
x.unbind()
x.split(2, 1)
x.gather(paddle.to_tensor([1]))
x.scale(2.0, 1.0)
x.unsqueeze(0).squeeze(0)
x.inner(x)
x.outer(x)
x.lerp(x * 2, 0.5)
x.dist(x * 2)
x.sgn()
x.trunc()
x.diff()
x.kron(x[:1])
x.rot90()
x.moveaxis(0, 1)
x.repeat_interleave(2)
x.put_along_axis(paddle.to_tensor([[0], [1], [2]]), 1.0, 1)
x.index_add(paddle.to_tensor([0]), 0, paddle.ones([1, 4]))
x.quantile(0.5)
x.nansum()
x.frac()
x.tensordot(x, 2)
x.unflatten(1, [2, 2])
x.count_nonzero()
x.bucketize(paddle.to_tensor([-1.0, 0.0, 1.0]))
x.vsplit(3)
x.unstack()
x.atleast_3d()
x.cummax()
x.histogram(4)
x.unfold(1, 2, 2)
x.as_strided([2, 2], [2, 1])
x.cdist(x + 1)
x.addmm(x[:, :2], x[:2])
x.detach().trapezoid()
x.renorm(2.0, 0, 1.0)
x.nan_to_num()
x.heaviside(x)
x.frexp()
x.logit(0.2)
x.index_fill(paddle.to_tensor([0]), 0, 1.0)
x.stanh()
x.sigmoid()
x.is_same_shape(x)
x.is_tensor()
x.is_empty()
x.broadcast_to([2, 3, 4])
x.value() is not None
x.inplace_version
x.data
x.grad
x.strided_slice([0], [0], [2], [1])
x.slice([0], [0], [2])
x.index_sample(paddle.to_tensor([[0], [1], [2]]))
x.view_as(paddle.zeros([4, 3])).shape
x.fill_diagonal_tensor(paddle.zeros([3]))
hash(x) == id(x)
x is x, x in [x]
format(x[0, 0].item(), '.3f')
x.name.startswith('generated_tensor')
""", x=distinct(3, 4), rtol=3e-5)
table("""
x.set_value(np.ones([3, 4], dtype='float32')); x
x.copy_(paddle.ones([3, 4]), True); x
x.fill_(2.0); x
x.zero_(); x
x.fill_diagonal_(5.0); x
x.fill_diagonal_(5.0, 1); x
x.fill_diagonal_(5.0, wrap=True); x
x.detach_().stop_gradient
x.stop_gradient = False; x.stop_gradient
x.persistable = True; x.persistable
x.name = 'given'; x.name
import copy; y = copy.deepcopy(x); y is x, y
np.asarray(x)
np.array(x, dtype='float64')
paddle.to_tensor(x) is x
""", x=f(3, 4), grad=False)
table("y = x.t().contiguous(); y.strides, y", x=f(2, 3))
table("import pickle; pickle.loads(pickle.dumps(x.numpy()))", x=f(2))


@program(x=f(3))
def backward_accumulates(ns, x):
    (x * x).sum().backward()
    first = x.grad.numpy().copy()
    (x * 3).sum().backward()
    return first, x.grad.numpy(), x.gradient()


@program(x=f(3))
def backward_seeds_ones(ns, x):
    (x ** 3).backward()
    return x.grad


@program(x=f(3))
def backward_with_grad_tensor(ns, x):
    (x ** 2).backward(ns["paddle"].to_tensor([1.0, 2.0, 3.0]))
    return x.grad


@program(x=f(3))
def backward_retain_graph(ns, x):
    y = (x ** 2).sum()
    y.backward(retain_graph=True)
    y.backward()
    return x.grad


@program(x=f(3))
def clear_grad(ns, x):
    (x ** 2).sum().backward()
    x.clear_gradient()
    after = x.grad
    (x ** 2).sum().backward()
    x.clear_grad()
    return after, x.grad


@program(x=f(2, 3))
def stop_gradient_prunes(ns, x):
    y = x * 2
    z = y.detach() * x
    z.sum().backward()
    return x.grad, y.stop_gradient, z.stop_gradient, (y > 0).stop_gradient


@program(x=f(3))
def hook_changes_gradient(ns, x):
    seen = []
    y = x * 2
    handle = y.register_hook(lambda g: (seen.append(g.numpy().copy()), g * 10)[1])
    (y * y).sum().backward()
    first = x.grad.numpy().copy()
    handle.remove()
    x.clear_grad()
    (y.detach() * x).sum().backward()
    return seen, first, x.grad


@program(x=f(3))
def leaf_hook(ns, x):
    x.register_hook(lambda g: g + 1)
    (x * 2).sum().backward()
    return x.grad


@program(x=f(3))
def retain_grads(ns, x):
    y = x * 2
    y.retain_grads()
    (y ** 2).sum().backward()
    return y.grad, y.is_leaf, x.is_leaf


@program(x=f(3), y=f(3))
def grad_function(ns, x, y):
    paddle = ns["paddle"]
    z = (x ** 2 * y).sum()
    return paddle.grad(z, [x, y], retain_graph=True), paddle.grad([z], x, paddle.to_tensor(2.0)), x.grad


@program(x=f(3), y=f(3))
def grad_unused(ns, x, y):
    return ns["paddle"].grad([(x * 2).sum()], [x, y], allow_unused=True)


@program(x=f(3))
def second_order(ns, x):
    paddle = ns["paddle"]
    (first,) = paddle.grad([(x ** 3).sum()], [x], create_graph=True)
    (second,) = paddle.grad([first.sum()], [x])
    return first.detach(), second


@program(x=f(3))
def second_order_tanh_matmul(ns, x):
    paddle = ns["paddle"]
    y = paddle.matmul(paddle.tanh(x.unsqueeze(0)), x.unsqueeze(1)).sum()
    (first,) = paddle.grad([y], [x], create_graph=True)
    (first ** 2).sum().backward()
    return first.detach(), x.grad


@program(x=f(3))
def no_grad_region(ns, x):
    paddle = ns["paddle"]
    with paddle.no_grad():
        y = x * 2
    with paddle.set_grad_enabled(False):
        z = x * 3
        inside = paddle.is_grad_enabled()
        with paddle.enable_grad():
            w = x * 4

    @paddle.no_grad()
    def function(v):
        return v * 2
    stopped = [t.stop_gradient for t in (y, z, w, function(x))]
    return stopped, inside, paddle.is_grad_enabled()


@program(x=f(2, 3))
def pylayer(ns, x):
    paddle = ns["paddle"]

    class Tanh(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x, scale):
            y = paddle.tanh(x) * scale
            ctx.save_for_backward(y)
            ctx.scale = scale
            return y

        @staticmethod
        def backward(ctx, dy):
            (y,) = ctx.saved_tensor()
            return dy * (1 - (y / ctx.scale) ** 2) * 5
    y = Tanh.apply(x, 2.0)
    y.sum().backward()
    return y.detach(), x.grad


@program(x=f(2), y=f(2))
def pylayer_two_outputs(ns, x, y):
    paddle = ns["paddle"]

    class Pair(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, a, b):
            ctx.save_for_backward(a, b)
            return a * b, a + b

        @staticmethod
        def backward(ctx, dprod, dsum):
            a, b = ctx.saved_tensor()
            return dprod * b + dsum, dprod * a + dsum
    p, s = Pair.apply(x, y)
    (p * 2 + s * 3).sum().backward()
    return p.detach(), s.detach(), x.grad, y.grad


@program(x=f(3), grad=False)
def jacobian_and_hessian(ns, x):
    paddle = ns["paddle"]
    x.stop_gradient = False
    y = x ** 3
    jacobian = paddle.autograd.jacobian(y, x)
    hessian = paddle.autograd.hessian((x ** 3).sum(), x)
    return jacobian[:], hessian[:]


@program(x=f(3), v=f(3), grad=False)
def vjp(ns, x, v):
    x.stop_gradient = False
    return ns["paddle"].incubate.autograd.vjp(lambda t: (t ** 2) * 3, x, v)


@program(k=i(3), m=b(3), z=c(2), h=d(2), grad=False)
def attributes_of_other_dtypes(ns, k, m, z, h):
    return [[t.dtype, t.shape, t.element_size(), t.stop_gradient] for t in (k, m, z, h)]
