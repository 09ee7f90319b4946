"""Notes the losses of the program that a Python process runs, whatever ``paddle`` it imports; see scripts/migration.py.

Python imports a module of this name by itself when it starts. Variables of the environment: LOSSES_NOTES, the file of the notes;
LOSSES_FIRST, after how many the process ends (0: never); with LOSSES_NOISE, parameters begin in another last bit. The module stays
valid for the Python and NumPy of every Paddle.
"""

import importlib.util
import os
import random
import sys

SEED = 7


def note(value):
    """Write the value down if it is a loss: a single floating number."""
    import numpy as np

    array = np.asarray(value)
    if array.size != 1 or array.dtype.kind != "f":
        return
    with open(os.environ["LOSSES_NOTES"], "a") as file:
        file.write(f"{float(array.reshape(-1)[0])!r}\n")
    note.number += 1
    if note.number == int(os.environ["LOSSES_FIRST"]):
        sys.stdout.flush()
        os._exit(0)


note.number = 0


def trust_cache():
    """Take data files that are in the cache for what they should be: their checksums may be of another compression."""
    import paddle.dataset.common as common

    download = common.download

    def cached(url, module_name, md5sum, save_name=None):
        path = os.path.join(common.DATA_HOME, module_name, save_name or url.split("/")[-1])
        return path if os.path.exists(path) else download(url, module_name, md5sum, save_name)
    common.download = cached


def add_noise(run):
    """Let parameters begin with another last bit; gives Executor.run with the same for programs."""
    import numpy as np

    import paddle

    create = paddle.nn.Layer.create_parameter
    streams = np.random.RandomState(0)

    def another(array):
        factors = 1 + np.float32(2.0 ** -23) * streams.choice(np.array([-1, 1], "float32"), array.shape)
        return array * factors if array.dtype == np.float32 else array

    def created(self, *args, **settings):
        parameter = create(self, *args, **settings)
        if parameter is not None and paddle.in_dynamic_mode():
            parameter.set_value(another(parameter.numpy()))
        return parameter

    def executed(self, program=None, *args, **settings):
        results = run(self, program, *args, **settings)
        if not results and program is not None and hasattr(program, "list_vars"):
            for variable in program.list_vars():
                found = paddle.static.global_scope().find_var(variable.name)
                if variable.persistable and found is not None:
                    array = np.array(found.get_tensor())
                    if array.dtype == np.float32 and array.ndim > 0 and array.size > 1:
                        found.get_tensor().set(another(array), paddle.CPUPlace())
        return results
    paddle.nn.Layer.create_parameter = created
    return executed


class AtImport:
    """Begins when the program has imported paddle, so that what it sets before that has its effect."""

    def find_spec(self, name, path=None, target=None):
        if name != "paddle":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        execute = spec.loader.exec_module

        def executed(module):
            execute(module)
            begin()
        spec.loader.exec_module = executed
        return spec


def begin():
    import numpy as np

    import paddle

    paddle.seed(SEED)
    trust_cache()
    if os.environ.get("PADDLE_GENERATION"):  # an old program, here
        from paddle.migrate.trial import draw_alike

        draw_alike()
    backward, run = paddle.Tensor.backward, paddle.static.Executor.run

    if os.environ.get("LOSSES_NOISE"):
        run = add_noise(run)

    def noted_backward(self, *args, **settings):
        note(self.numpy())
        return backward(self, *args, **settings)

    def noted_run(self, *args, **settings):
        results = run(self, *args, **settings)
        for value in results or ():
            if isinstance(value, np.ndarray) or np.isscalar(value):
                note(value)
        return results
    paddle.Tensor.backward, paddle.static.Executor.run = noted_backward, noted_run


if os.environ.get("LOSSES_NOTES"):
    import numpy

    random.seed(SEED)
    numpy.random.seed(SEED)
    sys.meta_path.insert(0, AtImport())
