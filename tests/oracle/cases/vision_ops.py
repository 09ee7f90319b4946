"""paddle.vision.ops, metric, geometric, audio.functional, text: small fixed inputs."""
# ruff: noqa: E501, a line of the table is a case's name

from oracle_table import distinct, f, i, lit, pos, program, table, unit

BOXES = lit([[0.0, 0.0, 3.0, 3.0], [1.0, 1.0, 4.5, 5.0], [0.5, 0.2, 3.2, 2.9], [2.0, 2.0, 6.0, 6.5]])
table("""
vops.nms(b)
vops.nms(b, 0.6)
vops.nms(b, 0.3, s)
vops.nms(b, 0.3, s, paddle.to_tensor([0, 1, 0, 1]), [0, 1])
vops.nms(b, 0.3, s, paddle.to_tensor([0, 1, 0, 1]), [0, 1], top_k=2)
vops.box_coder(b, [0.1, 0.1, 0.2, 0.2], b + 0.5)
vops.box_coder(b, b * 0 + 0.1, b + 0.5, 'encode_center_size', False)
vops.box_coder(b, [0.1, 0.1, 0.2, 0.2], t, 'decode_center_size')
vops.box_coder(b, [0.1, 0.1, 0.2, 0.2], t, 'decode_center_size', False, axis=0)
vops.distribute_fpn_proposals(b * 40, 2, 5, 4, 224, True, paddle.to_tensor([1, 3], dtype='int32'))
""", b=BOXES, s=lit([0.3, 0.9, 0.6, 0.5]), t=f(3, 4, 4, low=-0.5, high=0.5), grad=False, rtol=3e-5)
N = "n = paddle.to_tensor([3, 1], dtype='int32'); "
table(f"""
{N}vops.roi_align(x, b, n, 2)
{N}vops.roi_align(x, b, n, [2, 3], spatial_scale=0.5, sampling_ratio=2)
{N}vops.roi_align(x, b, n, 2, aligned=False)
{N}vops.roi_pool(x, b, n, 2)
{N}vops.roi_pool(x, b, n, [2, 1], spatial_scale=0.5)
{N}vops.psroi_pool(x, b, n, 2)
{N}vops.psroi_pool(x, b, n, 2, 0.5)
{N}layer(vops.RoIAlign(2), x, b, n)
{N}layer(vops.RoIPool(2), x, b, n)
{N}layer(vops.PSRoIPool(2), x, b, n)
""", x=distinct(2, 8, 8, 8), b=BOXES, rtol=5e-5, atol=1e-5)
table("""
vops.deform_conv2d(x, o, w)
vops.deform_conv2d(x, o, w, b, mask=m)
vops.deform_conv2d(x, o, w[:, :1], groups=2)
layer(vops.DeformConv2D(2, 3, 3), x, o)
layer(vops.DeformConv2D(2, 3, 3), x, o, m)
""", x=f(1, 2, 6, 6), o=f(1, 18, 4, 4), w=f(4, 2, 3, 3), b=f(4), m=unit(1, 9, 4, 4), rtol=1e-4, atol=3e-5)
table("""
vops.prior_box(x, y, [4.0, 8.0])
vops.prior_box(x, y, [4.0], [9.0], [1.0, 2.0], flip=True, clip=True)
vops.prior_box(x, y, [4.0], [9.0], [2.0], steps=[3.0, 4.0], offset=0.3, min_max_aspect_ratios_order=True)
vops.yolo_box(g, z, [10, 13, 16, 30], 3, 0.01, 32)
vops.yolo_box(g, z, [10, 13, 16, 30], 3, 0.3, 32, clip_bbox=False, scale_x_y=1.1)
vops.matrix_nms(p, q, 0.1, 0.05, 4, 3)
vops.matrix_nms(p, q, 0.1, 0.0, 4, 3, use_gaussian=True, return_index=True)
vops.matrix_nms(paddle.concat([p, p + q.transpose([0, 2, 1]).sum(-1, keepdim=True)], -1)[:, :, 2:6], q, 0.2, 0.1, -1, -1, background_label=-1, normalized=False, return_index=True)
""", x=f(1, 2, 3, 3), y=f(1, 3, 12, 12), g=f(1, 16, 2, 2), z=lit([[64, 64]], "int32"), p=pos(1, 4, 4), q=unit(1, 3, 4),
      grad=False, rtol=5e-5, atol=1e-5)


@program(x=f(1, 16, 2, 2), rtol=1e-4, atol=1e-5)
def yolo_loss(ns, x):
    paddle = ns["paddle"]
    boxes = paddle.to_tensor([[[0.3, 0.4, 0.2, 0.3], [0.7, 0.6, 0.4, 0.2]]])
    labels = paddle.to_tensor([[0, 2]], dtype="int32")
    return ns["vops"].yolo_loss(x, boxes, labels, [10, 13, 16, 30], [0, 1], 3, 0.7, 32)


@program(x=f(2, 24, 3, 3), s=unit(2, 3), rtol=1e-4, atol=1e-5)
def yolo_loss_scored(ns, x, s):
    paddle = ns["paddle"]
    boxes = paddle.to_tensor([[[0.3, 0.4, 0.2, 0.3], [0.7, 0.6, 0.4, 0.2], [0.0, 0.0, 0.0, 0.0]],
                              [[0.5, 0.5, 0.6, 0.7], [0.1, 0.9, 0.1, 0.1], [0.8, 0.2, 0.3, 0.05]]])
    labels = paddle.to_tensor([[0, 2, 1], [2, 1, 0]], dtype="int32")
    return ns["vops"].yolo_loss(x, boxes, labels, [10, 13, 16, 30, 33, 23, 60, 61], [0, 1, 3], 3, 0.2, 32, s, False,
                                scale_x_y=1.2)


@program(s=unit(2, 3, 4, 4), d=f(2, 12, 4, 4, low=-0.4, high=0.4), grad=False, rtol=1e-4, atol=1e-5)
def generate_proposals_pixels(ns, s, d):
    paddle, np = ns["paddle"], ns["np"]
    anchors = np.stack(np.meshgrid(np.arange(4), np.arange(4), np.arange(3), indexing="ij"), -1).astype("float32")
    boxes = np.concatenate([anchors[..., :2] * 4, anchors[..., :2] * 4 + 6 + anchors[..., 2:] * 2], -1)
    return ns["vops"].generate_proposals(s, d, paddle.to_tensor([[20.0, 18.0], [14.0, 30.0]]), paddle.to_tensor(boxes),
                                         paddle.ones([4, 4, 3, 4]) * 0.7, 30, 8, 0.7, 6.0, 0.9, True, return_rois_num=True)


@program(s=unit(1, 3, 4, 4), d=f(1, 12, 4, 4, low=-0.2, high=0.2), grad=False, rtol=1e-4)
def generate_proposals(ns, s, d):
    paddle, np = ns["paddle"], ns["np"]
    anchors = np.stack(np.meshgrid(np.arange(4), np.arange(4), np.arange(3), indexing="ij"), -1).astype("float32")
    boxes = np.concatenate([anchors[..., :2] * 4, anchors[..., :2] * 4 + 6 + anchors[..., 2:] * 2], -1)
    return ns["vops"].generate_proposals(s, d, paddle.to_tensor([[20.0, 20.0]]), paddle.to_tensor(boxes),
                                         paddle.ones([4, 4, 3, 4]), 10, 5, 0.5, 0.1, return_rois_num=True)


# metrics
table("""
metric.accuracy(p, k)
metric.accuracy(p, k, 2)
metric.accuracy(p, k.astype('int32'), k=3)
m = metric.Accuracy(); m.update(m.compute(p, k)), m.accumulate(), m.name()
m = metric.Accuracy(topk=(1, 3)); m.update(m.compute(p, k)), m.accumulate(), m.name()
m = metric.Accuracy(); m.update(m.compute(p, k)); m.update(m.compute(p * -1, k)); m.accumulate()
m = metric.Accuracy(); m.update(m.compute(p, k[:, 0])); m.accumulate()
m = metric.Accuracy(); m.update(m.compute(p, paddle.nn.functional.one_hot(k[:, 0], 4))); m.accumulate()
m = metric.Precision(); m.update(u.numpy(), l.numpy()); m.accumulate()
m = metric.Recall(); m.update(u.numpy(), l.numpy()); m.accumulate()
m = metric.Precision(); m.update(u, l); m.update(l.astype('float32'), l); m.accumulate(), m.name()
m = metric.Recall(); m.update(u, l); m.reset(); m.accumulate()
m = metric.Auc(); m.update(paddle.stack([1 - u, u], 1).numpy(), l.unsqueeze(1).numpy()); m.accumulate()
m = metric.Auc(num_thresholds=20); m.update(paddle.stack([1 - u, u], 1), l.unsqueeze(1)); m.accumulate()
""", p=distinct(6, 4), k=i(6, 1, high=4), u=unit(8), l=i(8, high=2), grad=False)

# message passing
table("""
paddle.geometric.segment_sum(x, s)
paddle.geometric.segment_mean(x, s)
paddle.geometric.segment_max(x, s)
paddle.geometric.segment_min(x, s)
paddle.geometric.send_u_recv(x, a, b)
paddle.geometric.send_u_recv(x, a, b, 'mean')
paddle.geometric.send_u_recv(x, a, b, 'max')
paddle.geometric.send_u_recv(x, a, b, 'min', out_size=6)
paddle.geometric.send_ue_recv(x, e, a, b)
paddle.geometric.send_ue_recv(x, e, a, b, 'mul', 'mean')
paddle.geometric.send_uv(x, x * 2, a, b)
paddle.geometric.send_uv(x, x * 2, a, b, 'mul')
paddle.incubate.segment_sum(x, s)
paddle.incubate.softmax_mask_fuse(x.reshape([1, 1, 4, 3]), x.reshape([1, 1, 4, 3])).shape
""", x=distinct(4, 3), s=lit([0, 0, 1, 2], "int64"), a=lit([0, 1, 2, 0, 3], "int64"), b=lit([1, 2, 1, 0, 0], "int64"),
      e=f(5, 3), rtol=3e-5)
table("""
paddle.geometric.reindex_graph(paddle.to_tensor([0, 1, 2]), paddle.to_tensor([8, 9, 0, 4, 7, 6, 7]), paddle.to_tensor([2, 3, 2], dtype='int32'))
paddle.text.viterbi_decode(paddle.to_tensor([[[0.1, 0.9, 0.3], [0.7, 0.2, 0.4]]]), paddle.to_tensor([[0.1, 0.5, 0.2], [0.3, 0.1, 0.6], [0.2, 0.2, 0.4]]), paddle.to_tensor([2]), False)
paddle.text.viterbi_decode(paddle.to_tensor([[[0.1, 0.9, 0.3, 0.2], [0.7, 0.2, 0.4, 0.1]]]), paddle.ones([4, 4]) * 0.1, paddle.to_tensor([2]), True)
paddle.audio.functional.hz_to_mel(440.0)
paddle.audio.functional.hz_to_mel(440.0, htk=True)
paddle.audio.functional.mel_to_hz(15.0)
paddle.audio.functional.mel_to_hz(paddle.to_tensor([5.0, 25.0]))
paddle.audio.functional.mel_frequencies(6, 0.0, 4000.0)
paddle.audio.functional.fft_frequencies(8000, 16)
paddle.audio.functional.compute_fbank_matrix(8000, 16, 4)
paddle.audio.functional.power_to_db(paddle.to_tensor([1.0, 10.0, 1e-3]))
paddle.audio.functional.create_dct(3, 5)
paddle.audio.functional.get_window('hann', 6)
paddle.audio.functional.get_window('hamming', 6)
paddle.audio.functional.get_window('blackman', 7, fftbins=False)
paddle.audio.functional.get_window(('gaussian', 2.0), 6)
""", rtol=1e-4, atol=1e-5)
