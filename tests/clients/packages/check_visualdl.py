"""VisualDL's writer and the callback."""

import glob
import tempfile

from visualdl import LogReader, LogWriter

import paddle

folder = tempfile.mkdtemp()
with LogWriter(logdir=folder) as writer:
    for step in range(3):
        writer.add_scalar("a", step * 0.5, step)
reader = LogReader(file_path=glob.glob(folder + "/*")[0])
assert [r.value for r in reader.get_data("scalar", "a")] == [0.0, 0.5, 1.0]
net = paddle.nn.Linear(4, 2)
model = paddle.Model(net)
model.prepare(paddle.optimizer.SGD(0.1, parameters=net.parameters()), paddle.nn.CrossEntropyLoss())
data = paddle.io.TensorDataset([paddle.randn([8, 4]), paddle.randint(0, 2, [8, 1])])
model.fit(data, batch_size=4, epochs=1, verbose=0, callbacks=[paddle.callbacks.VisualDL(folder + "/fit")])
assert glob.glob(folder + "/fit/**/*", recursive=True)
print("scalars are read back, the callback writes")
