"""The workloads on static programs, translated networks and predictors; the same text runs on our package and on the original."""

import os
import tempfile

import numpy as np
from workloads_paddle import RNG, LeNet, classify, tensor, training

import paddle
import paddle.nn.functional as F

IMAGES = [None, 1, 28, 28]


def program(train):
    """(executor, program, fetches) of LeNet."""
    paddle.enable_static()
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup):
        images = paddle.static.data("images", IMAGES, "float32")
        net = LeNet()
        if train:
            fetch = F.cross_entropy(net(images), paddle.static.data("labels", [None], "int64"))
            paddle.optimizer.Adam(1e-3).minimize(fetch)
        else:
            net.eval()
            fetch = net(images)
    executor = paddle.static.Executor(paddle.CPUPlace())
    executor.run(startup)
    return executor, main, [fetch]


def static_step(threads):
    executor, main, fetch = program(True)
    feed = {"images": RNG.rand(64, 1, 28, 28).astype("float32"), "labels": RNG.randint(0, 10, (64,)).astype("int64")}
    return lambda: executor.run(main, feed, fetch), 1, "ms"


def static_infer(batch):
    def workload(threads):
        executor, main, fetch = program(False)
        feed = {"images": RNG.rand(batch, 1, 28, 28).astype("float32")}
        return lambda: executor.run(main, feed, fetch), 1, "ms"
    return workload


def to_static_step(threads):
    return training(paddle.jit.to_static(LeNet()), tensor(64, 1, 28, 28), classify(10, 64)), 1, "ms"


def predictor(batch):
    def workload(threads):
        from paddle import inference
        net = LeNet()
        net.eval()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "lenet")
            paddle.jit.save(net, path, input_spec=[paddle.static.InputSpec(IMAGES, "float32")])
            config = inference.Config(path + ".pdmodel", path + ".pdiparams")
            config.disable_gpu()
            config.enable_mkldnn()
            config.set_cpu_math_library_num_threads(threads)
            run = inference.create_predictor(config)
        feed, fetch = run.get_input_handle(run.get_input_names()[0]), run.get_output_handle(run.get_output_names()[0])
        images = np.asarray(RNG.rand(batch, 1, 28, 28), "float32")

        def call():
            feed.copy_from_cpu(images)
            run.run()
            fetch.copy_to_cpu()
        return call, 1, "ms"
    return workload


WORKLOADS = {"static_step": static_step, "static_infer_64": static_infer(64), "static_infer_1": static_infer(1),
             "to_static_step": to_static_step, "predictor_64": predictor(64), "predictor_1": predictor(1)}
