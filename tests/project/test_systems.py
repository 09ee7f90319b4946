"""The package works where POSIX's names are missing, as on Windows."""

import subprocess
import sys

PROGRAM = '''
import importlib, importlib.abc, importlib.metadata, multiprocessing, os, pkgutil, signal, subprocess, sys, tempfile, uuid
import numpy as np

HIDDEN = {
    os: """fork geteuid getuid getpgid killpg setsid register_at_fork sched_getaffinity fchmod chown mkfifo posix_spawn statvfs
    sysconf uname wait4 pread pwrite nice getloadavg O_CLOEXEC O_NOFOLLOW WNOHANG WIFEXITED WEXITSTATUS WTERMSIG""",
    signal: "SIGKILL SIGALRM SIGHUP SIGUSR1 SIGUSR2 SIGCHLD SIGPIPE SIGQUIT SIGCONT alarm setitimer pthread_sigmask sigwait",
}
MODULES = {"fcntl", "resource", "termios", "pwd", "grp", "pty"}


class Missing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


for module, names in HIDDEN.items():
    for name in names.split():
        delattr(module, name)
sys.meta_path.insert(0, Missing())
for name in MODULES:
    sys.modules.pop(name, None)

import paddle

for info in pkgutil.walk_packages(paddle.__path__, "paddle."):
    if not info.name.endswith("__main__"):
        importlib.import_module(info.name)
net = paddle.nn.Linear(4, 2)
optimizer = paddle.optimizer.Adam(parameters=net.parameters())
net(paddle.rand([3, 4])).sum().backward()
optimizer.step()
path = os.path.join(tempfile.mkdtemp(), "net")
for _ in range(2):
    paddle.save(net.state_dict(), path + ".pdparams")
assert paddle.load(path + ".pdparams").keys() == {"weight", "bias"}
paddle.jit.save(net, path, input_spec=[paddle.static.InputSpec([None, 4], "float32", "x")])
assert paddle.jit.load(path)(paddle.ones([1, 4])).shape == [1, 2]
for batch, in paddle.io.DataLoader(paddle.io.TensorDataset([np.ones((4, 2), "float32")]), batch_size=2):
    assert batch.shape == [2, 2]
try:
    paddle.distributed.spawn(print, nprocs=2)
except NotImplementedError as error:
    assert "spawn(): ranks are processes of Linux or macOS" in str(error)
else:
    sys.exit("spawn() raised nothing")
from paddle.distributed.launch.main import main
sys.exit(main(["no_such_program.py"]) - 1)
'''


def test_every_module_imports_and_a_network_trains_without_posix(tmp_path):
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=tmp_path, capture_output=True, text=True,
                          env={"PATH": "", "PADDLE_NATIVE": "0"})
    assert done.returncode == 0, done.stderr
    assert "ranks are processes of Linux or macOS" in done.stderr
