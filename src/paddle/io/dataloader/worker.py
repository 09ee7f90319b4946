"""The program of a worker process."""

import os
import queue
import signal
import sys
import threading
import traceback
from multiprocessing import reduction

from ...kernels import threads
from .fetcher import EndOfStream, Fetcher
from .streams import STREAMS, batch_seed, seed_streams, stream_states
from .transfer import SlotWriter

__all__ = ["WorkerInfo", "get_worker_info"]

_info = None


class WorkerInfo:
    """What a worker process knows of itself: ``id`` (from 0), ``num_workers``, its copy of ``dataset``, ``seed``."""

    def __init__(self, id, num_workers, dataset, seed):
        self.id, self.num_workers, self.dataset, self.seed = id, num_workers, dataset, seed

    def __repr__(self):
        return f"WorkerInfo(id={self.id}, num_workers={self.num_workers}, seed={self.seed})"


def get_worker_info():
    """In a worker process of a DataLoader its WorkerInfo, elsewhere None.

    An IterableDataset uses it to give each worker a part of its own.

    >>> paddle.io.get_worker_info() is None
    True
    """
    return _info


class Plan:
    """What a worker does, as its parent hands it over."""

    def __init__(self, id, num_workers, dataset, collate_fn, drop_last, worker_init_fn, shared, seed):
        self.id, self.num_workers, self.seed, self.shared = id, num_workers, seed, shared
        self.dataset, self.collate_fn, self.drop_last = dataset, collate_fn, drop_last
        self.worker_init_fn = worker_init_fn


class Failure:
    """An exception of a worker in a form that survives the way to the parent."""

    def __init__(self):
        kind, self.text = sys.exc_info()[0], traceback.format_exc()
        self.name = kind.__name__
        try:
            reduction.ForkingPickler.dumps(kind)
            # In the parent, StopIteration would just look like the end of the data.
            self.kind = kind if issubclass(kind, Exception) and not issubclass(kind, StopIteration) else None
        except Exception:  # a class that only this process can find
            self.kind = None

    def raised_in(self, worker):
        """The exception to raise in the parent: of the same class where it can be made from a message alone."""
        message = _Verbatim(f"DataLoader {worker} failed with {self.name}; its traceback:\n\n{self.text}")
        try:
            error = (self.kind or RuntimeError)(message)
            return error if message in str(error) else RuntimeError(message)
        except Exception:
            return RuntimeError(message)


class _Verbatim(str):
    """Text that KeyError, which shows the repr of its argument, shows as it is."""

    def __repr__(self):
        return str(self)


class _Inbox(threading.Thread):
    """Takes the parent's messages, so that it never waits to write; ends the process when the parent is gone."""

    def __init__(self, connection):
        super().__init__(daemon=True, name="dataloader-inbox")
        self.connection, self.parent = connection, os.getppid()
        self.messages = queue.SimpleQueue()
        self.epoch = 0

    def run(self):
        try:
            while True:
                while not self.connection.poll(1.0):
                    if os.getppid() != self.parent:
                        os._exit(1)
                kind, epoch, *rest = self.connection.recv()
                self.epoch = epoch
                self.messages.put((kind, epoch, *rest))
        except (EOFError, OSError):
            os._exit(1)


def work(plan, connection, inherited):
    """Serve batches until told to stop."""
    for end in inherited:  # the parent's ends of pipes: kept open here they would hide its death from other workers
        end.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent decides what it means
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threads.set_num_threads(1)  # the processes share the cores already
    inbox = _Inbox(connection)
    inbox.start()
    try:
        _serve(plan, connection, inbox)
    except (BrokenPipeError, ConnectionResetError):
        os._exit(1)


def _serve(plan, connection, inbox):
    failure, streams = None, ()
    try:
        streams = _prepare(plan)
    except BaseException:
        failure = Failure()
    writer = SlotWriter(plan.shared)
    fetcher, of_epoch, seed = None, None, 0
    while True:
        kind, epoch, *rest = inbox.messages.get()
        if kind == "stop":
            return
        if epoch != inbox.epoch:
            if kind == "job":
                writer.release(rest[2])
            continue  # the parent has begun a new epoch since
        if kind == "epoch":
            fetcher, of_epoch, seed = None, epoch, rest[0]
            continue
        number, request, returned = rest
        writer.release(returned)
        head = (of_epoch, number)
        try:
            if failure is None:
                seed_streams(batch_seed(seed, number), streams)
                if fetcher is None:
                    fetcher = Fetcher(plan.dataset, plan.collate_fn, plan.drop_last)
                writer.send(connection, head, fetcher.fetch(request))
            else:
                connection.send((*head, failure))
        except EndOfStream:
            connection.send((*head, None))
        except (BrokenPipeError, ConnectionResetError):
            raise
        except BaseException:
            connection.send((*head, Failure()))


def _prepare(plan):
    """Set the process up; returns the random streams that ``worker_init_fn`` left to the loader."""
    global _info
    seed = batch_seed(plan.seed, -2 - plan.id)
    _info = WorkerInfo(plan.id, plan.num_workers, plan.dataset, seed)
    seed_streams(seed)
    if plan.worker_init_fn is None:
        return tuple(STREAMS)
    before = stream_states()
    plan.worker_init_fn(plan.id)
    after = stream_states()
    return tuple(name for name in STREAMS if before[name] == after[name])


class _DatasetKind:
    """The two kinds of datasets: samples with numbers, and streams."""

    MAP, ITER = 0, 1
