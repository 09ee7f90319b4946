"""fluid.contrib.trainer: the training loop with events, and checkpoints that it resumes from (1.x; successor: paddle.Model)."""

import contextlib
import os
import re
import shutil
import time

from ...core.addresses import SERVERS
from ...core.addresses import lookup as _lookup
from ...core.errors import check_type, describe
from ...optimizer.optimizer import Optimizer
from ...serialization.atomic import write_bytes
from .. import io
from ..compiler import CompiledProgram
from ..core import CPUPlace, CUDAPlace, Scope
from ..data_feeder import DataFeeder
from ..executor import Executor, scope_guard
from ..framework import Program, program_guard

__all__ = ["Trainer", "BeginEpochEvent", "EndEpochEvent", "BeginStepEvent", "EndStepEvent", "CheckpointConfig"]

SUCCESS_MARK_FILENAME, CHECKPOINT_PREFIX, MODEL_DIR, TRAINER_PREFIX = "_SUCCESS", "checkpoint", "__model__", "trainer"


class BeginEpochEvent:
    """Epoch ``epoch`` begins (1.x; successor: paddle.callbacks.Callback.on_epoch_begin)."""

    def __init__(self, epoch_id):
        self.epoch = epoch_id


class EndEpochEvent:
    """Epoch ``epoch`` has ended (1.x; successor: paddle.callbacks.Callback.on_epoch_end)."""

    def __init__(self, epoch_id):
        self.epoch = epoch_id


class BeginStepEvent:
    """Step ``step`` of an epoch begins; a handler that sets ``fetch_metrics`` to False spares the step's metrics (1.x; successor:
    paddle.callbacks.Callback.on_train_batch_begin)."""

    def __init__(self, epoch_id, step_id):
        self.epoch, self.step, self.fetch_metrics = epoch_id, step_id, True


class EndStepEvent:
    """Step ``step`` of an epoch has ended; ``metrics`` are the values of what ``train_func`` returned (1.x; successor:
    paddle.callbacks.Callback.on_train_batch_end)."""

    def __init__(self, epoch_id, step_id, metrics):
        self.epoch, self.step, self.metrics = epoch_id, step_id, metrics


class CheckpointConfig:
    """Where and how often a Trainer keeps its state (1.x; successor: paddle.callbacks.ModelCheckpoint).

    Args:
        checkpoint_dir: the working directory for None.
        max_num_checkpoints: the newest that many stay.
        epoch_interval, step_interval: one checkpoint at each step, of each epoch, whose number this divides.
    """

    def __init__(self, checkpoint_dir=None, max_num_checkpoints=3, epoch_interval=1, step_interval=10):
        for name, value in (("epoch_interval", epoch_interval), ("step_interval", step_interval)):
            if value < 1:
                raise AssertionError(f"CheckpointConfig(): {name} must be at least 1, got {value}")
        self.checkpoint_dir = os.getcwd() if checkpoint_dir is None else checkpoint_dir
        self.max_num_checkpoints, self.epoch_interval, self.step_interval = max_num_checkpoints, epoch_interval, step_interval
        self.epoch_id, self.step_id, self.load_serial = 0, 0, None


def check_and_get_place(place):
    """A place as it is; the CPU for None (1.x; successor: paddle.set_device)."""
    if place is None:
        return CPUPlace()
    if not isinstance(place, (CPUPlace, CUDAPlace)):
        raise TypeError(f"check_and_get_place(): place must be a CPUPlace or a CUDAPlace, got {describe(place)}")
    return place


class Trainer:
    """Builds a program, and runs it over the batches of a reader while a handler is told of every epoch and step (1.x; successor:
    paddle.Model).

    Args:
        train_func: builds the network; returns the loss, or a list of the loss and further metrics.
        optimizer_func: returns the optimizer.
        param_path: a folder of ``save_params`` to begin with; one that does not exist is passed over.
        place: a place.
        parallel: divide batches over as many places as the environment variable CPU_NUM says.
        checkpoint_config: a CheckpointConfig; the newest checkpoint of its folder is resumed.
    """

    def __init__(self, train_func, optimizer_func, param_path=None, place=None, parallel=False, checkpoint_config=None):
        for name in ("PADDLE_TRAINING_ROLE", "PADDLE_TRAINER_IPS"):
            if name in os.environ:
                raise NotImplementedError(f"Trainer(): the environment variable {name} is set: {SERVERS}")
        if checkpoint_config is not None:
            check_type(checkpoint_config, CheckpointConfig, "Trainer", "checkpoint_config")
        self.place, self.parallel, self.checkpoint_cfg = check_and_get_place(place), parallel, checkpoint_config
        self.trainer_id, self.scope, self.__stop = 0, Scope(), False
        self.startup_program, self.train_program = Program(), Program()
        with program_guard(self.train_program, self.startup_program):
            outputs = train_func()
            self.train_func_outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
            self.test_program = self.train_program.clone(for_test=True)
            optimizer = optimizer_func()
            if not isinstance(optimizer, Optimizer):
                raise TypeError(f"Trainer(): optimizer_func must return an Optimizer, got {describe(optimizer)}")
            optimizer.minimize(self.train_func_outputs[0])
        self._executor, self._runs = Executor(self.place), self.train_program
        if parallel:
            self._runs = CompiledProgram(self.train_program).with_data_parallel(self.train_func_outputs[0].name)
        with self._prog_and_scope_guard():
            self._executor.run(self.startup_program)
            self._resume()
            if param_path and os.path.isdir(param_path):
                io.load_persistables(self._executor, param_path, self.startup_program)

    def stop(self):
        """End the training before its next step; for good, and its checkpoints are removed."""
        self.__stop = True

    def train(self, num_epochs, event_handler, reader=None, feed_order=None):
        """Train for some epochs, or those of them that a checkpoint has not.

        Args:
            num_epochs: how many.
            event_handler: called with each event, with the trainer's program and scope as the default ones.
            reader: returns an iterator of batches of samples.
            feed_order: names of the variables that a sample's fields are for, or {name: number of the field}; the order in which
                the program declares its data for None.
        """
        if not callable(reader):
            raise TypeError(f"Trainer.train(): reader must be callable, got {describe(reader)}")
        with self._prog_and_scope_guard():
            feeder = DataFeeder(build_feed_var_list(self.train_program, feed_order), self.place)
            self._train(num_epochs, event_handler, feeder.decorate_reader(reader, multi_devices=self.parallel))
            if self.checkpoint_cfg:
                clean_checkpoint(self.checkpoint_cfg.checkpoint_dir)

    def _train(self, num_epochs, event_handler, batches):
        config = self.checkpoint_cfg
        resumed = None if config is None or config.load_serial is None else (config.epoch_id, config.step_id)
        for epoch in range(resumed[0] if resumed else 0, num_epochs):
            event_handler(BeginEpochEvent(epoch))
            for step, batch in enumerate(batches()):
                if self.__stop:
                    return
                if resumed and (epoch, step) <= resumed:
                    continue
                begin = BeginStepEvent(epoch, step)
                event_handler(begin)
                metrics = self._executor.run(self._runs, batch, self.train_func_outputs if begin.fetch_metrics else [])
                if config and epoch % config.epoch_interval == 0 and step % config.step_interval == 0:
                    save_checkpoint(self._executor, config.checkpoint_dir, self.trainer_id, self.train_program,
                                    {"epoch_id": epoch, "step_id": step}, config.max_num_checkpoints)
                event_handler(EndStepEvent(epoch, step, metrics))
            event_handler(EndEpochEvent(epoch))

    def test(self, reader, feed_order):
        """The mean over the batches of a reader of the first element of each metric, computed as for inference."""
        sums, count = [0] * len(self.train_func_outputs), 0
        with scope_guard(self.scope):
            feeder = DataFeeder(build_feed_var_list(self.test_program, feed_order), self.place)
            for batch in reader():
                values = self._executor.run(self.test_program, feeder.feed(batch), self.train_func_outputs)
                sums, count = [total + value[0] for total, value in zip(sums, values)], count + 1
        if not count:
            raise ValueError("Trainer.test(): the reader has no batch")
        return [total / count for total in sums]

    def save_params(self, param_path):
        """Write all persistable variables to a folder."""
        with self._prog_and_scope_guard():
            io.save_persistables(self._executor, param_path)

    def save_inference_model(self, param_path, feeded_var_names, target_var_indexes):
        """Write what some of the outputs of ``train_func``, given by their numbers, need to a folder."""
        with self._prog_and_scope_guard():
            io.save_inference_model(param_path, feeded_var_names, [self.train_func_outputs[k] for k in target_var_indexes],
                                    self._executor)

    @contextlib.contextmanager
    def _prog_and_scope_guard(self):
        with program_guard(self.train_program, self.startup_program), scope_guard(self.scope):
            yield

    def _resume(self):
        config = self.checkpoint_cfg
        serials = _complete(config.checkpoint_dir) if config else []
        if serials:
            config.load_serial = serials[-1]
            load_checkpoint(self._executor, config.checkpoint_dir, self.train_program)
            config.epoch_id, config.step_id = map(int, load_checkpoint(
                self._executor, config.checkpoint_dir, self.train_program, self.trainer_id,
                load_trainer_args=["epoch_id", "step_id"]))


def build_feed_var_list(program, feed_order):
    """The variables of a program that ``feed_order`` names: a list of names, or {name: number} (see Trainer.train)."""
    check_type(program, Program, "build_feed_var_list", "program")
    if feed_order is None:
        return [var for var in program.global_block().vars.values() if var.is_data]
    check_type(feed_order, (list, dict), "build_feed_var_list", "feed_order")
    if isinstance(feed_order, dict) and sorted(feed_order.values()) != list(range(len(feed_order))):
        raise ValueError(f"build_feed_var_list(): feed_order must number its {len(feed_order)} names from 0 on, got {feed_order}")
    names = sorted(feed_order, key=feed_order.get) if isinstance(feed_order, dict) else feed_order
    return [program.global_block().var(name) for name in names]


# ---------------------------------------------------------------- checkpoints: checkpoint_N/{__model__, trainer_0}

def save_checkpoint(executor, checkpoint_dir, trainer_id, main_program, trainer_args=None, max_num_checkpoints=3,
                    lookup_table=None, pserver_endpoints=None):
    """Write the next checkpoint of a folder, and remove the oldest (1.x; successor: paddle.save). Trainer 0 writes the variables;
    the mark that they are complete comes last, and what does not have it is not resumed."""
    if lookup_table is not None or pserver_endpoints is not None:
        raise NotImplementedError(f"save_checkpoint(lookup_table=, pserver_endpoints=): {SERVERS}")
    _check_folder("save_checkpoint", checkpoint_dir)
    check_type(main_program, Program, "save_checkpoint", "main_program")
    folder = _folder(checkpoint_dir, max(_complete(checkpoint_dir), default=-1) + 1)
    own, model = os.path.join(folder, f"{TRAINER_PREFIX}_{trainer_id}"), os.path.join(folder, MODEL_DIR)
    os.makedirs(own, exist_ok=True)
    for name, value in (trainer_args or {}).items():
        write_bytes(os.path.join(own, name), str(value).encode())
    _mark(own)
    if trainer_id == 0:
        io.save_vars(executor, model, main_program, predicate=_is_checkpoint_var)
        _mark(model)
    for serial in _serials(checkpoint_dir)[:-max_num_checkpoints or None]:
        _remove(checkpoint_dir, serial)


def load_checkpoint(executor, checkpoint_dir, main_program, role_id=0, is_trainer=True, load_trainer_args=None,
                    load_lookup_table=None):
    """Read the variables of the newest complete checkpoint of a folder, if there is one, into the global scope; or, for
    ``load_trainer_args``, return the texts that a trainer wrote under these names (1.x; successor: paddle.load)."""
    if not is_trainer or load_lookup_table is not None:
        raise NotImplementedError(f"load_checkpoint(is_trainer=False, load_lookup_table=): {SERVERS}")
    _check_folder("load_checkpoint", checkpoint_dir)
    check_type(main_program, Program, "load_checkpoint", "main_program")
    serials = _complete(checkpoint_dir)
    if not serials:
        return None
    folder = _folder(checkpoint_dir, serials[-1])
    if not load_trainer_args:
        return io.load_vars(executor, os.path.join(folder, MODEL_DIR), main_program, predicate=_is_checkpoint_var)
    texts = []
    for name in load_trainer_args:
        with open(os.path.join(folder, f"{TRAINER_PREFIX}_{role_id}", name), encoding="utf8") as file:
            texts.append(file.read().strip())
    return texts


def clean_checkpoint(checkpoint_dir, delete_dir=False):
    """Remove the checkpoints of a folder, and with ``delete_dir`` the folder, if nothing else is in it (1.x; successor: none)."""
    _check_folder("clean_checkpoint", checkpoint_dir)
    for serial in _serials(checkpoint_dir):
        _remove(checkpoint_dir, serial)
    if delete_dir and os.path.isdir(checkpoint_dir) and not os.listdir(checkpoint_dir):
        os.rmdir(checkpoint_dir)


def _check_folder(function, checkpoint_dir):
    if checkpoint_dir is None:
        raise ValueError(f"{function}(): checkpoint_dir must be a path, got None")


def _is_checkpoint_var(var):
    return io.is_persistable(var) and not any(part in var.name for part in ("@GRAD", ".trainer_", ".block"))


def _folder(checkpoint_dir, serial):
    return os.path.join(checkpoint_dir, f"{CHECKPOINT_PREFIX}_{serial}")


def _serials(checkpoint_dir):
    """The numbers of the checkpoints of a folder, complete or not, ascending."""
    names = os.listdir(checkpoint_dir) if os.path.isdir(checkpoint_dir) else []
    return sorted(int(name.rpartition("_")[2]) for name in names if re.fullmatch(CHECKPOINT_PREFIX + "_(0|[1-9][0-9]*)", name))


def _complete(checkpoint_dir):
    return [serial for serial in _serials(checkpoint_dir)
            if os.path.isfile(os.path.join(_folder(checkpoint_dir, serial), MODEL_DIR, SUCCESS_MARK_FILENAME))]


def _mark(folder):
    write_bytes(os.path.join(folder, SUCCESS_MARK_FILENAME), time.ctime().encode())


def _remove(checkpoint_dir, serial):
    folder = _folder(checkpoint_dir, serial)
    with contextlib.suppress(FileNotFoundError):  # first, so that half a checkpoint is never taken for a whole one
        os.unlink(os.path.join(folder, MODEL_DIR, SUCCESS_MARK_FILENAME))
    shutil.rmtree(folder)


__getattr__ = _lookup(__name__)
