"""Real networks, training and inference, side by side with PyTorch and ONNX Runtime: interleaved rounds, a Markdown table.

    python benchmarks/networks.py [--rounds 3] [--threads 2] [--only unet_step,...] [--against DIR]

BENCH_TORCH_PYTHON, BENCH_ONNX_PYTHON, BENCH_OPENVINO_PYTHON and BENCH_PADDLE_PYTHON name interpreters with PyTorch, onnxruntime,
OpenVINO and real Paddle. Processes stay and are asked in turn, as in single_ops.py; the quickest call counts, with ``--threads 1``
by the processor's time. ``*_predictor`` is a saved model in our predictor, in our C library, in Paddle's predictor, as
``torch.jit``'s frozen module and as ONNX in the two others; ``*_eager`` a call at batch 1, ``*_step`` forward, backward and Adam,
``image_loader`` an epoch of a DataLoader.
Networks are written once, with the few words in which the two frameworks differ taken from a kit.
"""

import argparse
import json
import math
import os
import sys
import tempfile
from functools import partial

import numpy as np
import other_networks
import single_ops

RNG = np.random.RandomState(0)


class PaddleKit:
    """What networks are made of, in our words."""

    def __init__(self):
        import paddle
        self.module, nn = paddle, paddle.nn
        self.functional, self.base, self.sequence = nn.functional, nn.Layer, nn.Sequential
        self.conv = lambda i, o, k, s=1, p=0, d=1, g=1, bias=True: nn.Conv2D(i, o, k, s, p, d, g, bias_attr=None if bias else False)
        self.conv1d = lambda i, o, k, d=1: nn.Conv1D(i, o, k, padding=d * (k - 1) // 2, dilation=d)
        self.up = lambda i, o, k, s, p: nn.Conv2DTranspose(i, o, k, s, p)
        self.norm, self.pool, self.average = nn.BatchNorm2D, nn.MaxPool2D, nn.AdaptiveAvgPool2D
        self.linear, self.embed, self.layer_norm, self.flatten = nn.Linear, nn.Embedding, nn.LayerNorm, nn.Flatten
        self.relu, self.relu6, self.tanh, self.leaky, self.none = nn.ReLU, nn.ReLU6, nn.Tanh, lambda: nn.LeakyReLU(0.2), nn.Identity
        self.encoder = lambda d, heads, wide, n: nn.TransformerEncoder(
            nn.TransformerEncoderLayer(d, heads, wide, dropout=0.0, activation="gelu"), n)
        self.adam = lambda net: paddle.optimizer.Adam(1e-3, parameters=net.parameters())
        self.clear = lambda optimizer: optimizer.clear_grad()
        self.join = lambda parts: paddle.concat(parts, axis=1)
        self.tensor, self.resting = paddle.to_tensor, paddle.no_grad
        self.hard_swish, self.swish, self.swapped = nn.Hardswish, nn.Swish, lambda x: x.transpose([0, 2, 1])
        self.halves, self.reordered = lambda x: paddle.split(x, 2, axis=1), lambda x, order: x.transpose(order)
        self.dataset, self.loader = paddle.io.Dataset, paddle.io.DataLoader
        self.conv3d, self.norm3d, self.pool3d = nn.Conv3D, nn.BatchNorm3D, nn.MaxPool3D
        self.attend = partial(nn.functional.scaled_dot_product_attention, is_causal=True)  # of [batch, length, heads, size]

    def derivative(self, y, x):
        return self.module.grad(y.sum(), x, create_graph=True)[0]

    def wanted(self, x):
        x.stop_gradient = False
        return x


class TorchKit:
    """The same in PyTorch's."""

    def __init__(self):
        import torch
        self.module, nn = torch, torch.nn
        self.functional, self.base, self.sequence = nn.functional, nn.Module, nn.Sequential
        self.conv = lambda i, o, k, s=1, p=0, d=1, g=1, bias=True: nn.Conv2d(i, o, k, s, p, d, g, bias)
        self.conv1d = lambda i, o, k, d=1: nn.Conv1d(i, o, k, padding=d * (k - 1) // 2, dilation=d)
        self.up = lambda i, o, k, s, p: nn.ConvTranspose2d(i, o, k, s, p)
        self.norm, self.pool, self.average = nn.BatchNorm2d, nn.MaxPool2d, nn.AdaptiveAvgPool2d
        self.linear, self.embed, self.layer_norm, self.flatten = nn.Linear, nn.Embedding, nn.LayerNorm, nn.Flatten
        self.relu, self.relu6, self.tanh, self.leaky, self.none = nn.ReLU, nn.ReLU6, nn.Tanh, lambda: nn.LeakyReLU(0.2), nn.Identity
        self.encoder = lambda d, heads, wide, n: nn.TransformerEncoder(
            nn.TransformerEncoderLayer(d, heads, wide, dropout=0.0, activation="gelu", batch_first=True), n)
        self.adam = lambda net: torch.optim.Adam(net.parameters(), 1e-3)
        self.clear = lambda optimizer: optimizer.zero_grad()
        self.join = lambda parts: torch.cat(parts, dim=1)
        self.tensor, self.resting = torch.from_numpy, torch.no_grad
        self.hard_swish, self.swish, self.swapped = nn.Hardswish, nn.SiLU, lambda x: x.transpose(1, 2)
        self.halves, self.reordered = lambda x: torch.chunk(x, 2, 1), lambda x, order: x.permute(order)
        self.dataset, self.loader = torch.utils.data.Dataset, torch.utils.data.DataLoader
        self.conv3d, self.norm3d, self.pool3d = nn.Conv3d, nn.BatchNorm3d, nn.MaxPool3d
        causal = partial(nn.functional.scaled_dot_product_attention, is_causal=True)
        self.attend = lambda *parts: causal(*(x.transpose(1, 2) for x in parts)).transpose(1, 2)

    def derivative(self, y, x):
        return self.module.autograd.grad(y.sum(), x, create_graph=True)[0]

    def wanted(self, x):
        return x.requires_grad_()


# ---- networks ----
def unit(kit, i, o, k=3, s=1, g=1, act=None):
    """Convolution, batch norm and an activation."""
    parts = [kit.conv(i, o, k, s, k // 2, 1, g, bias=False), kit.norm(o)]
    return kit.sequence(*parts, *([act()] if act else []))


def both(kit, body, side, after):
    """A block whose two branches are added."""
    class Both(kit.base):
        def __init__(self):
            super().__init__()
            self.body, self.side = body, side

        def forward(self, x):
            return after(self.body(x) + self.side(x))
    return Both()


def resnet50(kit):
    parts, i = [unit(kit, 3, 64, 7, 2, act=kit.relu), kit.pool(3, 2, 1)], 64
    for width, count, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for n in range(count):
            s, o = stride if n == 0 else 1, width * 4
            body = kit.sequence(unit(kit, i, width, 1, act=kit.relu), unit(kit, width, width, 3, s, act=kit.relu),
                                unit(kit, width, o, 1))
            parts.append(both(kit, body, unit(kit, i, o, 1, s) if n == 0 else kit.none(), kit.functional.relu))
            i = o
    return kit.sequence(*parts, kit.average(1), kit.flatten(), kit.linear(2048, 1000))


def lenet(kit):
    return kit.sequence(kit.conv(1, 6, 3, 1, 1), kit.relu(), kit.pool(2, 2), kit.conv(6, 16, 5), kit.relu(), kit.pool(2, 2),
                        kit.flatten(), kit.linear(400, 120), kit.linear(120, 84), kit.linear(84, 10))


MOBILE = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))


def mobilenet(kit, blocks=MOBILE, classes=1000):
    parts, i = [unit(kit, 3, 32, 3, 2, act=kit.relu6)], 32
    for factor, o, count, stride in blocks:
        for n in range(count):
            s, wide = stride if n == 0 else 1, i * factor
            body = kit.sequence(*([unit(kit, i, wide, 1, act=kit.relu6)] if factor > 1 else []),
                                unit(kit, wide, wide, 3, s, wide, kit.relu6), unit(kit, wide, o, 1))
            parts.append(both(kit, body, kit.none(), lambda y: y) if s == 1 and i == o else body)
            i = o
    return kit.sequence(*parts, unit(kit, i, 4 * i, 1, act=kit.relu6), kit.average(1), kit.flatten(), kit.linear(4 * i, classes))


def bert(kit, layers=12, d=768, heads=12, words=30522):
    class Bert(kit.base):
        def __init__(self):
            super().__init__()
            self.words, self.norm = kit.embed(words, d), kit.layer_norm(d)
            self.encoder, self.last = kit.encoder(d, heads, 4 * d, layers), kit.linear(d, 2)

        def forward(self, ids):
            return self.last(self.encoder(self.norm(self.words(ids)))[:, 0])
    return Bert()


def unet(kit):
    def pair(i, o):
        return kit.sequence(unit(kit, i, o, act=kit.relu), unit(kit, o, o, act=kit.relu))

    class Unet(kit.base):
        def __init__(self):
            super().__init__()
            self.first, self.second, self.bottom = pair(3, 32), pair(32, 64), pair(64, 128)
            self.pool, self.up2, self.up1 = kit.pool(2, 2), kit.up(128, 64, 2, 2, 0), kit.up(64, 32, 2, 2, 0)
            self.second_back, self.first_back, self.last = pair(128, 64), pair(64, 32), kit.conv(32, 2, 1)

        def forward(self, x):
            a = self.first(x)
            b = self.second(self.pool(a))
            b = self.second_back(kit.join([self.up2(self.bottom(self.pool(b))), b]))
            return self.last(self.first_back(kit.join([self.up1(b), a])))
    return Unet()


def wavenet(kit):
    class Wavenet(kit.base):
        def __init__(self):
            super().__init__()
            self.first, self.last = kit.conv1d(1, 32, 1), kit.conv1d(32, 1, 1)
            self.layers = kit.sequence(*[kit.sequence(kit.conv1d(32, 32, 3, 2 ** n), kit.tanh()) for n in range(8)])

        def forward(self, x):
            x = self.first(x)
            for layer in self.layers:
                x = x + layer(x)
            return self.last(x)
    return Wavenet()


def recogniser(kit):
    """Text lines of any width: separable convolutions that keep the width, gates of channels, attention over the columns."""
    def gate(c):
        class Gate(kit.base):
            def __init__(self):
                super().__init__()
                self.pool, self.down, self.up = kit.average(1), kit.conv(c, c // 4, 1), kit.conv(c // 4, c, 1)

            def forward(self, x):
                return x * kit.functional.hardsigmoid(self.up(kit.functional.relu(self.down(self.pool(x)))))
        return Gate()

    parts, i = [unit(kit, 3, 32, 3, 2, act=kit.hard_swish)], 32
    for o, k, s, gated in ((32, 3, 1, 0), (64, 3, 1, 0), (64, 3, (2, 1), 0), (128, 3, 1, 0), (128, 3, (2, 1), 0), (256, 5, 1, 0),
                           (256, 5, 1, 0), (256, 5, (2, 1), 1), (512, 5, 1, 1), (512, 5, 1, 1)):
        parts += [unit(kit, i, i, k, s, i, kit.hard_swish), *([gate(i)] if gated else []), unit(kit, i, o, 1, act=kit.hard_swish)]
        i = o

    class Recogniser(kit.base):
        def __init__(self):
            super().__init__()
            self.body, self.narrow = kit.sequence(*parts), unit(kit, 512, 120, 1, act=kit.swish)
            self.encoder, self.last = kit.encoder(120, 8, 240, 2), kit.linear(120, 6625)

        def forward(self, x):
            columns = kit.swapped(self.narrow(self.body(x)).mean(2))
            return kit.functional.softmax(self.last(self.encoder(columns)), -1)
    return Recogniser()


# ---- workloads: each gives a call without arguments ----
def step(kit, net, x, loss):
    optimizer = kit.adam(net)

    def call():
        loss(net(x)).backward()
        optimizer.step()
        kit.clear(optimizer)
    return call


def floats(*shape):
    return RNG.rand(*shape).astype("float32")


def eager(kit, net, x):
    net.eval()

    def call():
        with kit.resting():
            return net(x)
    return call


def squares(y):
    return (y * y).mean()


def classify(kit, classes, batch):
    labels = kit.tensor(RNG.randint(0, classes, (batch,)).astype("int64"))
    return lambda y: kit.functional.cross_entropy(y, labels)


def dcgan(kit):
    widths = (64, 128, 64, 32)
    made = [kit.up(widths[0], widths[1], 4, 1, 0), kit.norm(widths[1]), kit.relu()]
    for i, o in zip(widths[1:], widths[2:]):
        made += [kit.up(i, o, 4, 2, 1), kit.norm(o), kit.relu()]
    maker = kit.sequence(*made, kit.up(32, 3, 4, 2, 1), kit.tanh())
    judge = kit.sequence(kit.conv(3, 32, 4, 2, 1), kit.leaky(), kit.conv(32, 64, 4, 2, 1), kit.norm(64), kit.leaky(),
                         kit.conv(64, 128, 4, 2, 1), kit.norm(128), kit.leaky(), kit.conv(128, 1, 4))
    makes, judges = kit.adam(maker), kit.adam(judge)
    noise, images = kit.tensor(floats(32, 64, 1, 1)), kit.tensor(floats(32, 3, 32, 32))

    def call():
        made = maker(noise)
        (squares(judge(images) - 1) + squares(judge(made.detach()))).backward()
        judges.step()
        kit.clear(judges)
        squares(judge(made) - 1).backward()
        makes.step()
        kit.clear(makes)
        kit.clear(judges)
    return call


def pinn(kit):
    """u'' of a small network at 1000 points, and its gradient."""
    net = kit.sequence(kit.linear(1, 32), kit.tanh(), kit.linear(32, 32), kit.tanh(), kit.linear(32, 1))
    optimizer, points = kit.adam(net), floats(1000, 1)

    def call():
        x = kit.wanted(kit.tensor(points))
        first = kit.derivative(net(x), x)
        squares(kit.derivative(first, x) + 1).backward()
        optimizer.step()
        kit.clear(optimizer)
    return call


def mlp(kit):
    return kit.sequence(kit.linear(784, 1024), kit.relu(), kit.linear(1024, 1024), kit.relu(), kit.linear(1024, 10))


def loading(kit):
    """256 pictures of 96x96 in batches of 32, without workers; the program cuts, mirrors and normalizes them with NumPy."""
    pictures, mean, deviation = RNG.randint(0, 256, (256, 96, 96, 3)).astype("uint8"), floats(3), floats(3) + 0.5

    class Pictures(kit.dataset):
        def __len__(self):
            return len(pictures)

        def __getitem__(self, i):
            top, left, mirrored = RNG.randint(0, 9), RNG.randint(0, 9), RNG.rand() < 0.5
            cut = pictures[i, top:top + 88, left:left + 88]
            scaled = (cut[:, ::-1] if mirrored else cut).astype("float32") / 255
            return np.ascontiguousarray(((scaled - mean) / deviation).transpose(2, 0, 1)), np.int64(i % 10)
    loader = kit.loader(Pictures(), batch_size=32, shuffle=True)

    def call():
        for _ in loader:
            pass
    return call


def ids(kit, batch, length, words):
    return kit.tensor(RNG.randint(0, words, (batch, length)).astype("int64"))


IMAGE, WORDS = [1, 3, 224, 224], [1, 128]
SERVED = {"lenet_predictor": (lenet, [1, 1, 28, 28]), "resnet50_predictor": (resnet50, IMAGE),
          "mobilenet_predictor": (mobilenet, IMAGE), "bert_predictor": (bert, WORDS),
          "recogniser_predictor": (recogniser, [1, 3, 48, None])}
LINES = [160 + 8 * (7 * n % 20) for n in range(20)]  # widths of the images of a call, in pixels
WORKLOADS = {
    "resnet50_eager": lambda kit: eager(kit, resnet50(kit), kit.tensor(floats(*IMAGE))),
    "mobilenet_eager": lambda kit: eager(kit, mobilenet(kit), kit.tensor(floats(*IMAGE))),
    "bert_eager": lambda kit: eager(kit, bert(kit), ids(kit, 1, 128, 30000)),
    "unet_step": lambda kit: step(kit, unet(kit), kit.tensor(floats(8, 3, 64, 64)), squares),
    "dcgan_step": dcgan,
    "mlp_step": lambda kit: step(kit, mlp(kit), kit.tensor(floats(128, 784)), classify(kit, 10, 128)),
    "wavenet_step": lambda kit: step(kit, wavenet(kit), kit.tensor(floats(4, 1, 4096)), squares),
    "pinn_step": pinn,
    "image_loader": loading,
    "bert_tiny_step": lambda kit: step(kit, bert(kit, 2, 128, 2, 8000), ids(kit, 16, 128, 8000), classify(kit, 2, 16)),
    "mobilenet_step": lambda kit: step(kit, mobilenet(kit, MOBILE[:4], 10), kit.tensor(floats(16, 3, 64, 64)),
                                       classify(kit, 10, 16)),
    "gpt_step": lambda kit: step(kit, other_networks.gpt(kit), ids(kit, 2, 1024, 1000), squares),
    "video_step": lambda kit: step(kit, other_networks.video(kit), kit.tensor(floats(2, 3, 16, 32, 32)), squares),
}

for _name, _make in other_networks.NETWORKS.items():
    SERVED[_name + "_predictor"] = (_make, IMAGE)
    WORKLOADS[_name + "_step"] = lambda kit, make=_make: step(kit, make(kit), kit.tensor(floats(8, 3, 96, 96)), squares)


# ---- predictors ----
def examples(sizes):
    """The inputs of one call, one after the other."""
    if len(sizes) == 2:
        return [RNG.randint(0, 30000, sizes).astype("int64")]
    return [floats(*sizes[:3], width) for width in ([sizes[3]] if sizes[3] else LINES)]


def each(run, inputs):
    """A call that runs on one input after the other."""
    def call():
        for x in inputs:
            run(x)
    return call


def saved_predictor(paddle, name, folder, threads):
    """The saved network in the predictor of whichever package is named paddle."""
    path = os.path.join(folder, name)
    config = paddle.inference.Config(path + ".pdmodel", path + ".pdiparams")
    config.disable_glog_info()
    config.set_cpu_math_library_num_threads(threads)
    predictor = paddle.inference.create_predictor(config)
    given = predictor.get_input_handle(predictor.get_input_names()[0])
    found = predictor.get_output_handle(predictor.get_output_names()[0])

    def run(x):
        given.copy_from_cpu(x)
        predictor.run()
        return found.copy_to_cpu()
    return each(run, examples(SERVED[name][1]))


def our_predictor(kit, name, folder, threads):
    """Save the network, also as ONNX, for the others to find; then as above."""
    make, sizes = SERVED[name]
    net, x = make(kit), examples(sizes)[0]
    net.eval()
    path, spec = os.path.join(folder, name), [kit.module.static.InputSpec(sizes, str(x.dtype), "x")]
    kit.module.jit.save(net, path, input_spec=spec)
    kit.module.onnx.export(net, path, input_spec=spec)
    return saved_predictor(kit.module, name, folder, threads)


def library_call(name, folder, threads):
    """The C library, by ctypes."""
    import ctypes

    import paddle
    library = ctypes.CDLL(os.path.join(paddle.sysconfig.get_lib(), "libdygraph.so"))
    pointer, text = ctypes.c_void_p, ctypes.c_char_p

    class Names(ctypes.Structure):
        _fields_ = [("size", ctypes.c_size_t), ("data", ctypes.POINTER(text))]
    for function, result, given in (("ConfigCreate", pointer, []), ("ConfigSetModel", None, [pointer, text, text]),
                                    ("ConfigSetCpuMathLibraryNumThreads", None, [pointer, ctypes.c_int32]),
                                    ("PredictorCreate", pointer, [pointer]), ("PredictorRun", ctypes.c_int8, [pointer]),
                                    ("PredictorGetInputNames", ctypes.POINTER(Names), [pointer]),
                                    ("PredictorGetInputHandle", pointer, [pointer, text]),
                                    ("TensorReshape", None, [pointer, ctypes.c_size_t, ctypes.POINTER(ctypes.c_int32)]),
                                    ("TensorCopyFromCpuFloat", None, [pointer, pointer]),
                                    ("TensorCopyFromCpuInt64", None, [pointer, pointer])):
        found = getattr(library, "PD_" + function)
        found.restype, found.argtypes = result, given
    path, config = os.path.join(folder, name).encode(), library.PD_ConfigCreate()
    library.PD_ConfigSetModel(config, path + b".pdmodel", path + b".pdiparams")
    library.PD_ConfigSetCpuMathLibraryNumThreads(config, threads)
    predictor = library.PD_PredictorCreate(config)
    given = library.PD_PredictorGetInputHandle(predictor, library.PD_PredictorGetInputNames(predictor)[0].data[0])

    def run(x):
        library.PD_TensorReshape(given, x.ndim, (ctypes.c_int32 * x.ndim)(*x.shape))
        (library.PD_TensorCopyFromCpuFloat if x.dtype == np.float32 else library.PD_TensorCopyFromCpuInt64)(given, x.ctypes.data)
        if not library.PD_PredictorRun(predictor):
            raise RuntimeError("the C library failed")
    return each(run, examples(SERVED[name][1]))


def torch_predictor(kit, name, folder):
    make, sizes = SERVED[name]
    torch, inputs = kit.module, [kit.tensor(x) for x in examples(sizes)]
    net = make(kit).eval()
    with torch.no_grad():
        frozen = torch.jit.optimize_for_inference(torch.jit.freeze(torch.jit.trace(net, inputs[0])))

    def call():
        with torch.no_grad():
            for x in inputs:
                frozen(x)
    return call


def onnx_call(name, folder, threads):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(os.path.join(folder, name + ".onnx"), options, providers=["CPUExecutionProvider"])
    given = session.get_inputs()[0].name
    return each(lambda x: session.run(None, {given: x}), examples(SERVED[name][1]))


def openvino_call(name, folder, threads):
    import openvino
    settings = {"INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"}
    made = openvino.compile_model(os.path.join(folder, name + ".onnx"), "CPU", settings)
    request = made.create_infer_request()
    return each(lambda x: request.infer([x]), examples(SERVED[name][1]))


def real_call(name, folder, threads):
    import paddle
    return saved_predictor(paddle, name, folder, threads)


SERVERS = {"onnx": onnx_call, "openvino": openvino_call, "real": real_call, "library": library_call}


def prepare(framework, kit, name, folder, threads):
    """The call of a workload, or None where the framework has none."""
    if framework in SERVERS:
        return SERVERS[framework](name, folder, threads) if name in SERVED else None
    if name in SERVED:
        return our_predictor(kit, name, folder, threads) if framework == "paddle" else torch_predictor(kit, name, folder)
    return WORKLOADS[name](kit)


def worker(framework, threads, folder):
    """Answer every line ``[name, _, seconds]`` with the milliseconds of the quickest call, or infinity."""
    kit = {"paddle": PaddleKit, "torch": TorchKit}.get(framework, lambda: None)()
    if framework == "torch":
        kit.module.set_num_threads(threads)
    calls = {}
    for line in sys.stdin:
        name, _, seconds = json.loads(line)
        if name not in calls:
            calls.clear()
            calls[name] = prepare(framework, kit, name, folder, threads)
        print(json.dumps(timed(calls[name], seconds, threads)), flush=True)


def timed(call, seconds, threads):
    return call and single_ops.quickest(None, lambda _: call(), (), False, seconds, threads == 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--only", default="")
    parser.add_argument("--against", default="", metavar="DIR", help="another checkout of ours, compiled in place")
    parser.add_argument("--worker", nargs=2, help=argparse.SUPPRESS)
    a = parser.parse_args()
    if a.worker:
        return worker(a.worker[0], a.threads, a.worker[1])
    names = a.only.split(",") if a.only else [*SERVED, *WORKLOADS]
    with tempfile.TemporaryDirectory() as folder:
        sides = {"ours": (sys.executable, "paddle", {}, folder)}
        if a.against:
            sides["before"] = (sys.executable, "paddle", {"PYTHONPATH": os.path.join(os.path.abspath(a.against), "src")},
                               tempfile.mkdtemp(dir=folder))
        sides["C library"] = (sys.executable, "library", {}, folder)
        for column, framework, variable in (("PyTorch", "torch", "TORCH"), ("ONNX Runtime", "onnx", "ONNX"),
                                            ("OpenVINO", "openvino", "OPENVINO"), ("Paddle 2.6", "real", "PADDLE")):
            python = os.environ.get(f"BENCH_{variable}_PYTHON")
            if python:
                sides[column] = (python, framework, {}, folder)
        processes = {column: single_ops.start(python, framework, a.threads, extra, os.path.abspath(__file__), [framework, place])
                     for column, (python, framework, extra, place) in sides.items()}
        print("| workload | " + " | ".join([f"{c} (ms)" for c in sides] + [f"ours / {c}" for c in [*sides][1:]]) + " |")
        print("|---|" + "---|" * (2 * len(sides) - 1))
        for name in names:
            print(row(name, processes, a.rounds, a.seconds), flush=True)
        for process in processes.values():
            process.stdin.close()
            process.wait()
    return 0


def row(name, processes, rounds, seconds):
    """A line of the table: the quickest call of all rounds."""
    best = dict.fromkeys(processes, math.inf)
    for _ in range(rounds):
        for column, process in processes.items():
            best[column] = min(best[column], single_ops.ask(process, name, False, seconds) or math.inf)
    times = " | ".join(f"{t:.4g}" if t < math.inf else "-" for t in best.values())
    ratios = " | ".join(f"{best['ours'] / t:.2f}" if t < math.inf else "-" for t in [*best.values()][1:])
    return f"| {name} | {times} | {ratios} |"


if __name__ == "__main__":
    sys.exit(main())
