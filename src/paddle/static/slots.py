"""Datasets of text files with slots: what Executor.train_from_dataset trains on.

A line is one instance: for every variable, in order, how many values it has, and the values ("2 13 4 1 0.5").
"""

from __future__ import annotations

import concurrent.futures
import datetime
import shlex
import subprocess
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..core.addresses import lookup as _lookup
from ..core.errors import describe
from ..core.op import Symbolic
from .lod_tensor import LoDTensor

__all__ = ["DatasetBase", "DatasetFactory", "InMemoryDataset", "QueueDataset"]

_SHELL = set("|<>;&$`")  # what only a shell understands


def _count(value: Any, function: str, argument: str, least: int = 1) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{function}(): {argument} must be an int, got {describe(value)}")
    if value < least:
        raise ValueError(f"{function}(): {argument} must be at least {least}, got {value}")
    return value


def _flag(value: Any, function: str, argument: str) -> bool:
    if not isinstance(value, (bool, int)):
        raise TypeError(f"{function}(): {argument} must be a bool, got {describe(value)}")
    return bool(value)


def _text(value: Any, function: str, argument: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{function}(): {argument} must be a string, got {describe(value)}")
    return value


class DatasetBase:
    """Files, how they are read, and the variables that their slots are fed to."""

    feed = "MultiSlotDataFeed"

    def __init__(self) -> None:
        self.batch_size, self.thread_num, self.filelist, self.use_var = 1, 1, [], []
        self.pipe_command, self.hdfs, self.download_cmd = "cat", ("", ""), "cat"
        self.leading: list[str] = []  # texts that lines begin with, before the slots
        self.refused: list[str] = []  # settings that reading would need, and that are not supported

    def init(self, batch_size=1, thread_num=1, use_var=(), pipe_command="cat", input_type=0, fs_name="", fs_ugi="",
             download_cmd="cat", **rest):
        """Set all at once (2.x): see the single functions; ``input_type`` 1 says that a line is a whole batch."""
        self.set_batch_size(batch_size)
        self.set_thread(thread_num)
        self.set_use_var(use_var)
        self.set_pipe_command(pipe_command)
        self.set_hdfs_config(fs_name, fs_ugi)
        self.set_download_cmd(download_cmd)
        if input_type not in (0, 1):
            raise ValueError(f"init(): input_type must be 0 or 1, got {input_type!r}")
        if input_type == 1 and batch_size != 1:
            raise ValueError(f"init(): a line is a batch with input_type=1, so batch_size must be 1, got {batch_size}")
        self.update_settings(**rest)

    def update_settings(self, **settings):
        """Change settings by name, those of ``init`` and the further ones of the class."""
        for name, value in settings.items():
            setter = {"thread_num": "set_thread", "data_feed_type": "set_feed_type"}.get(name, f"set_{name}")
            if name in ("fs_name", "fs_ugi"):
                self.set_hdfs_config(**{"fs_name": self.hdfs[0], "fs_ugi": self.hdfs[1], name: value})
            elif name == "use_var" or hasattr(type(self), setter):
                getattr(self, setter)(value)
            else:
                raise ValueError(f"{type(self).__name__}: there is no setting {name!r}")

    # ---- settings ----
    def set_pipe_command(self, pipe_command):
        """The command that every file goes through; it gets the file as its input and prints lines of slots."""
        command = _text(pipe_command, "set_pipe_command", "pipe_command")
        if _SHELL & set(command):
            raise ValueError(f"set_pipe_command(): one command with its arguments, no shell: {command!r}")
        self.pipe_command = command

    def set_batch_size(self, batch_size):
        """How many instances are fed at once."""
        self.batch_size = _count(batch_size, "set_batch_size", "batch_size")

    def set_thread(self, thread_num):
        """How many files are read at the same time."""
        self.thread_num = _count(thread_num, "set_thread", "thread_num")

    def set_filelist(self, filelist):
        """The files' names."""
        if not isinstance(filelist, (list, tuple)):
            raise TypeError(f"set_filelist(): filelist must be a list of names, got {describe(filelist)}")
        self.filelist = [_text(name, "set_filelist", "every name") for name in filelist]

    def set_use_var(self, var_list):
        """The Variables that the slots of a line are for, in order: of float32 or int64."""
        for var in var_list:
            if not isinstance(var, Symbolic):
                raise TypeError(f"set_use_var(): var_list must hold static Variables, got {describe(var)}")
            if var.dtype.name not in ("float32", "int64"):
                raise ValueError(f"set_use_var(): slots hold float32 or int64, {var.name!r} is of {var.dtype.name}")
        self.use_var = list(var_list)

    def set_hdfs_config(self, fs_name, fs_ugi):
        """The name and account of a Hadoop file system. Files of one can't be read: reading says so."""
        self.hdfs = _text(fs_name, "set_hdfs_config", "fs_name"), _text(fs_ugi, "set_hdfs_config", "fs_ugi")

    def set_download_cmd(self, download_cmd):
        """The command that fetches a file of a Hadoop file system (see set_hdfs_config)."""
        self.download_cmd = _text(download_cmd, "set_download_cmd", "download_cmd")

    def set_rank_offset(self, rank_offset):
        """Positions in a search result as a further input. Reading refuses it."""
        self._refuse("rank_offset", _text(rank_offset, "set_rank_offset", "rank_offset"))

    def set_pv_batch_size(self, pv_batch_size):
        """How many page views are fed at once. Reading refuses it."""
        self._refuse("pv_batch_size", _count(pv_batch_size, "set_pv_batch_size", "pv_batch_size"))

    def _refuse(self, name, on):
        self.refused = [n for n in self.refused if n != name] + ([name] if on else [])

    def desc(self):
        """The settings as the text of Paddle's DataFeedDesc.

        >>> print(paddle.distributed.QueueDataset().desc())
        name: "MultiSlotDataFeed"
        batch_size: 1
        multi_slot_desc {
        }
        pipe_command: "cat"
        """
        lines = [f'name: "{self.feed}"', f"batch_size: {self.batch_size}", "multi_slot_desc {"]
        for var in self.use_var:
            dense = var.lod_level == 0
            lines += ["  slots {", f'    name: "{var.name}"', f'    type: "{_kind(var)}"',
                      f"    is_dense: {str(dense).lower()}", "    is_used: true"]
            lines += [f"    shape: {n}" for n in var.shape if dense] + ["  }"]
        return "\n".join([*lines, "}", f'pipe_command: "{self.pipe_command}"'])

    # ---- reading ----
    def _lines(self, name: str) -> Iterator[str]:
        if self.hdfs[0] or name.startswith(("hdfs:", "afs:")):
            raise NotImplementedError(f"{type(self).__name__}: {name!r} lies in a Hadoop file system, which can't be read here")
        command = shlex.split(self.pipe_command)
        if command == ["cat"]:
            with open(name, encoding="utf-8") as file:
                yield from file
            return
        with open(name, "rb") as file:
            done = subprocess.run(command, stdin=file, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{type(self).__name__}: {self.pipe_command!r} failed for {name}: {done.stderr.strip()[-300:]}")
        yield from done.stdout.splitlines()

    def _instances(self, name: str) -> Iterator[list[np.ndarray]]:
        """The instances of a file, each a list with one array per variable."""
        for number, line in enumerate(self._lines(name), 1):
            words = line.split()
            if words:
                yield self._parse(words, f"{type(self).__name__}: {name}, line {number}")

    def _parse(self, words, where):
        at, values = 0, []
        for kind in [*self.leading, *self.use_var]:
            try:
                n = int(words[at])
                part = words[at + 1:at + 1 + n]
                array = part if isinstance(kind, str) else np.array(part, np.float32 if _kind(kind) == "float" else np.int64)
            except (IndexError, ValueError) as error:
                raise ValueError(f"{where}: no slot for {getattr(kind, 'name', kind)!r} at word {at + 1}: {error}") from None
            if n < 1 or len(part) < n:
                raise ValueError(f"{where}: the slot of {getattr(kind, 'name', kind)!r} announces {n} values and has {len(part)}")
            at += 1 + n
            if not isinstance(kind, str):
                values.append(array)
        return values

    def _check(self):
        if not self.use_var:
            raise ValueError(f"{type(self).__name__}: set_use_var() must name the variables first")
        if self.refused:
            raise NotImplementedError(f"{type(self).__name__}: set_{self.refused[0]}() is for parameter servers of Paddle and not "
                                      "supported")

    def _all(self) -> Iterator[list[np.ndarray]]:
        self._check()
        for name in self.filelist:
            yield from self._instances(name)

    def batches(self, drop_last: bool = False) -> Iterator[dict[str, Any]]:
        """Feeds for Executor.run, one after the other."""
        held: list[list[np.ndarray]] = []
        for instance in self._all():
            held.append(instance)
            if len(held) == self.batch_size:
                yield self._fed(held)
                held = []
        if held and not drop_last:
            yield self._fed(held)

    def _fed(self, instances):
        return {var.name: _joined(var, [instance[k] for instance in instances]) for k, var in enumerate(self.use_var)}


def _kind(var):
    return "float" if var.dtype.name == "float32" else "uint64"


def _joined(var, arrays):
    """One variable's values of a batch: with their lengths, or dense."""
    flat = np.concatenate(arrays)
    if var.lod_level:
        return LoDTensor(flat.reshape(-1, 1), [[len(a) for a in arrays]])
    sizes = [n if n > 0 else -1 for n in var.shape[1:]]
    if sizes.count(-1) > 1 or {len(a) for a in arrays} != {len(arrays[0])}:
        raise ValueError(f"{var.name!r} has shape {list(var.shape)}: its slots of {sorted({len(a) for a in arrays})} values do not "
                         "fit; lod_level=1 is for slots of different lengths")
    try:
        return LoDTensor(flat.reshape(len(arrays), *sizes))
    except ValueError:
        raise ValueError(f"{var.name!r} has shape {list(var.shape)}, a slot of it {len(arrays[0])} values") from None


class QueueDataset(DatasetBase):
    """Files that are read while the program trains on them.

    >>> dataset = paddle.distributed.QueueDataset()
    >>> dataset.init(batch_size=32, thread_num=2)
    >>> dataset.batch_size
    32
    """

    def local_shuffle(self):
        """Not possible: nothing is held in memory."""
        raise NotImplementedError("QueueDataset.local_shuffle(): it reads files as they are; use InMemoryDataset")

    def global_shuffle(self, fleet=None):
        """Not possible: nothing is held in memory."""
        raise NotImplementedError("QueueDataset.global_shuffle(): it reads files as they are; use InMemoryDataset")


class InMemoryDataset(DatasetBase):
    """Files that are read at once, to be shuffled and gone through several times.

    >>> dataset = paddle.distributed.InMemoryDataset()
    >>> dataset.init(batch_size=1, thread_num=2, pipe_command="cat", use_var=[])
    >>> dataset.get_memory_data_size()
    0
    """

    feed = "MultiSlotInMemoryDataFeed"

    def __init__(self) -> None:
        super().__init__()
        self.records: list[list[np.ndarray]] = []
        self.loading: concurrent.futures.Future | None = None
        self.evaluates = False
        self.pass_id = 0

    # ---- settings ----
    def update_settings(self, merge_size=-1, fea_eval=False, candidate_size=10000, **settings):
        """Change settings by name: those of ``init``, of the single functions, and those of both at once."""
        super().update_settings(**settings)
        if merge_size > 0:
            self.set_merge_by_lineid(merge_size)
        if fea_eval:
            self.set_fea_eval(candidate_size)

    _init_distributed_settings = update_settings  # 2.x names it apart

    def set_date(self, date):
        """The day of the data, as "20211111"; checked only: it is for the tables of parameter servers on GPUs."""
        datetime.date(int(date[:4]), int(date[4:6]), int(date[6:]))

    def set_pass_id(self, pass_id):
        """Number the pass over the data."""
        self.pass_id = _count(pass_id, "set_pass_id", "pass_id", 0)

    def get_pass_id(self):
        """The number of the pass over the data."""
        return self.pass_id

    def set_feed_type(self, data_feed_type):
        """How Paddle's C++ names what reads the lines."""
        if data_feed_type not in ("MultiSlotInMemoryDataFeed", "MultiSlotDataFeed"):
            raise NotImplementedError(f"InMemoryDataset.set_feed_type(): lines hold slots here, got {data_feed_type!r}")
        self.feed = data_feed_type

    def set_queue_num(self, queue_num):
        """Into how many queues instances are put; checked only: there is one."""
        _count(queue_num, "set_queue_num", "queue_num")

    def set_fleet_send_batch_size(self, fleet_send_batch_size=1024):
        """How many instances ranks exchange at once in global_shuffle; checked only: ranks exchange none."""
        _count(fleet_send_batch_size, "set_fleet_send_batch_size", "fleet_send_batch_size")

    def set_fleet_send_sleep_seconds(self, fleet_send_sleep_seconds=0):
        """How long ranks wait between exchanges in global_shuffle; checked only: ranks exchange none."""
        _count(fleet_send_sleep_seconds, "set_fleet_send_sleep_seconds", "fleet_send_sleep_seconds", 0)

    def set_parse_ins_id(self, parse_ins_id):
        """Do lines begin with "1" and the instance's name?"""
        self._begin("the instance's name", _flag(parse_ins_id, "set_parse_ins_id", "parse_ins_id"))

    def set_parse_content(self, parse_content):
        """Do lines hold "1" and a text, before the slots?"""
        self._begin("the text", _flag(parse_content, "set_parse_content", "parse_content"))

    def _begin(self, what, on):
        self.leading = [w for w in self.leading if w != what] + ([what] if on else [])
        self.leading.sort()  # the name comes before the text

    def set_parse_logkey(self, parse_logkey):
        """Do lines hold the key of a log? Reading refuses it."""
        self._refuse("parse_logkey", _flag(parse_logkey, "set_parse_logkey", "parse_logkey"))

    def set_merge_by_sid(self, merge_by_sid):
        """Join the instances of a search? Reading refuses it."""
        self._refuse("merge_by_sid", _flag(merge_by_sid, "set_merge_by_sid", "merge_by_sid"))

    def set_enable_pv_merge(self, enable_pv_merge):
        """Join the instances of a page view? Reading refuses it."""
        self._refuse("enable_pv_merge", _flag(enable_pv_merge, "set_enable_pv_merge", "enable_pv_merge"))

    def set_merge_by_lineid(self, merge_size=2):
        """Join instances of one name. Reading refuses it."""
        self._refuse("merge_by_lineid", _count(merge_size, "set_merge_by_lineid", "merge_size"))

    def set_fea_eval(self, record_candidate_size, fea_eval=True):
        """Let slots_shuffle() be called; ``record_candidate_size`` instances at most lend their values."""
        self.evaluates = _count(record_candidate_size, "set_fea_eval", "record_candidate_size") if fea_eval else False

    # ---- records ----
    def _read(self):
        self._check()
        with concurrent.futures.ThreadPoolExecutor(self.thread_num) as readers:
            return [r for part in readers.map(lambda name: list(self._instances(name)), self.filelist) for r in part]

    def load_into_memory(self, is_shuffle=False):
        """Read the files."""
        self.records = self._read()
        if is_shuffle:
            self.local_shuffle()

    def preload_into_memory(self, thread_num=None):
        """Read the files in the background, until wait_preload_done()."""
        if thread_num is not None:
            self.set_thread(thread_num)
        self._check()
        worker = concurrent.futures.ThreadPoolExecutor(1)
        self.loading = worker.submit(self._read)
        worker.shutdown(wait=False)

    def wait_preload_done(self):
        """Wait for what preload_into_memory() reads."""
        if self.loading is not None:
            self.records, self.loading = self.loading.result(), None

    def local_shuffle(self):
        """Bring the instances into a random order, by NumPy's generator."""
        self.wait_preload_done()
        self.records = [self.records[k] for k in np.random.permutation(len(self.records))]

    def global_shuffle(self, fleet=None, thread_num=12):
        """Bring the instances of all ranks into a random order; with one rank it is local_shuffle()."""
        _count(thread_num, "global_shuffle", "thread_num")
        if fleet is not None and fleet.worker_num() > 1:
            raise NotImplementedError("InMemoryDataset.global_shuffle(): ranks exchange no instances; shuffle the files")
        self.local_shuffle()

    def slots_shuffle(self, slots):
        """Exchange the values of some slots, by name, between instances (how much does a program depend on them?)."""
        if not self.evaluates:
            raise RuntimeError("InMemoryDataset.slots_shuffle(): set_fea_eval() must be called first")
        names = [var.name for var in self.use_var]
        for slot in slots:
            if slot not in names:
                raise ValueError(f"slots_shuffle(): there is no slot {slot!r}; known: {', '.join(names)}")
            k = names.index(slot)
            lenders = np.random.permutation(len(self.records))[:self.evaluates]
            for record, lender in zip(self.records, [self.records[i][k] for i in np.resize(lenders, len(self.records))]):
                record[k] = lender

    def release_memory(self):
        """Forget the instances."""
        self.records, self.loading = [], None

    def get_memory_data_size(self, fleet=None):
        """How many instances are held; with fleet, by all ranks."""
        return self._sum(fleet)

    def get_shuffle_data_size(self, fleet=None):
        """How many instances are held after global_shuffle(); with fleet, by all ranks."""
        return self._sum(fleet)

    def _sum(self, fleet):
        self.wait_preload_done()
        if fleet is None or fleet.worker_num() == 1:
            return len(self.records)
        return int(fleet.util.all_reduce(np.array([len(self.records)]), "sum")[0])

    def _all(self):
        self.wait_preload_done()
        return iter(self.records)


class DatasetFactory:
    """Makes datasets by the names of their classes (1.x)."""

    def create_dataset(self, datafeed_class="QueueDataset"):
        """A dataset of the class with that name."""
        made = {"QueueDataset": QueueDataset, "InMemoryDataset": InMemoryDataset}.get(datafeed_class)
        if datafeed_class == "BoxPSDataset":
            raise NotImplementedError("DatasetFactory.create_dataset(): BoxPSDataset feeds parameter servers on GPUs, which are "
                                      "not supported; use InMemoryDataset")
        if made is None:
            raise ValueError(f"DatasetFactory.create_dataset(): there are QueueDataset and InMemoryDataset, got {datafeed_class!r}")
        return made()


__getattr__ = _lookup(__name__)
