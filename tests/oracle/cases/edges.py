"""Branches that few programs enter: tensors without axes, channels last, other ways of saying an argument."""

from oracle_table import d, distinct, f, i, lit, table

table("""
paddle.kron(z, y)
paddle.kron(z, z)
paddle.cumsum(z, 0)
paddle.cumprod(z, 0)
paddle.logcumsumexp(z, 0)
paddle.argmax(z, 0)
paddle.argmin(z, -1)
paddle.nanmedian(z)
paddle.sort(z, 0)
paddle.argsort(z, 0)
paddle.topk(z, 1)
paddle.flip(z, [])
paddle.diff(y)
paddle.logsumexp(z)
paddle.std(y, unbiased=False)
""", z=d(), y=d(3))

table("""
paddle.put_along_axis(x, k, v, 1, 'multiply')
paddle.put_along_axis(x, k, v, 1, 'amax')
paddle.put_along_axis(x, k, v, 1, 'amin')
paddle.put_along_axis(x, k, v, 1, 'mean')
paddle.put_along_axis(x, k, v, 1, 'amax', include_self=False)
paddle.put_along_axis(x, k, v, 1, 'amin', include_self=False)
paddle.put_along_axis(x, k, v, 1, 'mul', include_self=False)
paddle.put_along_axis(x, k, v.detach(), 1, 'amax')
y = x * 1; y[0:2] = w; y
y = x * 1; y[:, 1] = v[0, 0]; y
""", x=distinct(2, 3, dtype="float64"), k=lit([[0, 1], [1, 2]], "int64"), v=d(2, 2), w=d(1, 1, 2, 3))

table("""
paddle.linalg.matrix_rank(x, tol=paddle.to_tensor(0.7, dtype='float64'))
paddle.linalg.matrix_rank(x, tol=paddle.to_tensor([0.1, 1.2], dtype='float64'))
paddle.linalg.matrix_rank(x, tol=0.5)
paddle.linalg.matrix_rank(x @ x.transpose([0, 2, 1]), tol=0.5, hermitian=True)
""", grad=False, x=d(2, 3, 4))

table("""
F.batch_norm(x, m, v, w, b, training=True, data_format='NHWC')
F.batch_norm(x, m, v, w, b, training=False, data_format='NHWC')
F.batch_norm(x, m, v, w, b, training=True, use_global_stats=True, data_format='NHWC')
F.instance_norm(x.transpose([0, 3, 1, 2]), weight=w, bias=b)
F.avg_pool2d(x, 2, divisor_override=3, data_format='NHWC')
F.avg_pool2d(x, 3, 2, 1, exclusive=False, ceil_mode=True, data_format='NHWC')
F.avg_pool2d(x, 3, 2, 1, exclusive=True, ceil_mode=True, data_format='NHWC')
F.max_pool2d(x, 3, 2, 1, ceil_mode=True, data_format='NHWC')
F.interpolate(x, paddle.to_tensor([5, 3], dtype='int32'), mode='bilinear', data_format='NHWC')
F.interpolate(x, [paddle.to_tensor([5], dtype='int32'), 3], mode='nearest', data_format='NHWC')
F.prelu(x, w, data_format='NHWC')
F.local_response_norm(x, 3, data_format='NHWC')
F.pixel_unshuffle(x[:, :, :4], 2, data_format='NHWC')
F.channel_shuffle(x, 3, data_format='NHWC')
F.adaptive_avg_pool2d(x, 3, data_format='NHWC')
""", rtol=1e-5, atol=1e-6, x=d(2, 4, 6, 3), w=d(3), b=d(3), m=lit([.1, -.2, .3], "float64"), v=lit([2., .5, 1.5], "float64"))

table("""
F.avg_pool1d(x[:, :, 0], 3, 2, 1, exclusive=False, ceil_mode=True)
F.avg_pool2d(x, 3, 2, 1, exclusive=False, ceil_mode=True)
F.avg_pool2d(x, [4, 3], [3, 2], [0, 1], exclusive=False, ceil_mode=True)
F.avg_pool3d(x.unsqueeze(2), [1, 3, 3], [1, 2, 2], [0, 1, 1], exclusive=False, ceil_mode=True)
F.unfold(x, [2, 2], 1, [1, 0, 2, 1])
F.unfold(x, 2, 2, 1, 2)
F.fold(F.unfold(x, 2, 1, [1, 0]), [6, 6], 2, 1, [1, 0])
F.grid_sample(x, g, padding_mode='reflection', align_corners=True)
F.grid_sample(x, g, padding_mode='border', align_corners=False)
F.grid_sample(x[:, :, :1], g, padding_mode='reflection', align_corners=True)
""", rtol=1e-5, atol=1e-6, x=d(2, 2, 6, 6), g=d(2, 2, 3, 2))  # 2.6.2 divides in float32

table("""
paddle.geometric.segment_max(k, s)
paddle.geometric.segment_min(k, s)
paddle.geometric.send_u_recv(x, a, e, 'min')
paddle.geometric.send_u_recv(x, a, e, 'max', out_size=5)
paddle.geometric.send_ue_recv(x, x, e, e, 'mul', 'max')
paddle.histogram(x, 4, 0, 0)
paddle.histogram(paddle.full([5], 2.0), 4, 0, 0)
paddle.histogram(k, 4, 0, 0)
""", x=f(3, 2), k=i(3, 2, low=-5, high=5, dtype="int32"), s=lit([0, 0, 2], "int64"), a=lit([0, 1, 2], "int64"),
      e=lit([1, 2, 1], "int64"))

table("""
paddle.polygamma(x, 0)
paddle.polygamma(x, 1)
paddle.polygamma(x, 3)
""", x=d(6, low=0.1, high=4.0))

# height and width told apart everywhere
table("""
F.conv2d(x, w, None, [2, 1], [1, 0], [1, 2])
F.conv2d(x, w, None, [1, 3], [[0, 0], [0, 0], [2, 0], [1, 3]])
F.conv2d_transpose(x, t, None, [2, 1], [1, 0], [1, 0], dilation=[1, 2])
F.conv2d_transpose(x, t, None, [1, 2], [0, 1], dilation=[2, 1])
F.max_pool2d(x, [3, 2], [2, 1], [1, 0])
F.avg_pool2d(x, [3, 2], [1, 2], [0, 1])
F.max_pool2d(x, [2, 3], [1, 2], return_mask=True)
F.unfold(x, [3, 2], [1, 2], [1, 0], [2, 1])
F.interpolate(x, [3, 11], mode='bicubic')
F.interpolate(x, [9, 4], mode='bilinear', align_corners=True)
F.interpolate(x, scale_factor=[1.5, 0.6], mode='bilinear', align_mode=1)
F.pad(x, [1, 2, 3, 0], mode='reflect')
F.pad(x, [1, 2, 3, 0], mode='replicate')
F.zeropad2d(x, [1, 2, 3, 0])
F.adaptive_avg_pool2d(x, [2, 5])
F.adaptive_max_pool2d(x, [3, 2], True)
F.pixel_shuffle(x.reshape([1, 4, 3, 7]), 2)
F.affine_grid(a, [1, 2, 3, 5], align_corners=True)
paddle.vision.ops.deform_conv2d(x, o[:, :, :4], w, None, [2, 1], [1, 0], [1, 2])
paddle.vision.ops.deform_conv2d(x, o[:, :, :5, :3], w, None, [1, 3], [0, 1], [1, 1], mask=m)
""", rtol=1e-5, atol=1e-6, x=d(1, 2, 6, 7), w=d(3, 2, 2, 3), t=d(2, 3, 2, 3), a=d(1, 2, 3), o=d(1, 12, 7, 3, low=-0.9, high=0.9),
      m=d(1, 6, 5, 3))

table("""
paddle.linalg.lu(x, get_infos=True)
paddle.linalg.lu(y, get_infos=True)
""", grad=False, x=lit([[1., 2., 3.], [2., 4., 6.], [1., 0., 1.]], "float64"),
      y=lit([[0., 0., 1.], [0., 0., 2.], [0., 0., 0.]], "float64"))
