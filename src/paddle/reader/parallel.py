"""Readers that work in several threads or processes."""

import heapq
import itertools
import multiprocessing
import multiprocessing.connection
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence

from .pump import Pump
from .simple import _positive

__all__ = ["multiprocess_reader", "xmap_readers"]


def xmap_readers(mapper: Callable, reader: Callable, process_num: int, buffer_size: int,
                 order: bool = False) -> Callable:
    """A reader of mapper(sample), with `process_num` threads at work on the samples of `reader`.

    Args:
        mapper: called with one sample.
        reader: the source. It is read by one thread at a time.
        process_num: the number of threads.
        buffer_size: how many mapped samples may wait.
        order: True keeps the order of `reader`; otherwise samples come as they get ready.
    """
    _positive("xmap_readers", "process_num", process_num)
    _positive("xmap_readers", "buffer_size", buffer_size)

    def mapped():
        source = enumerate(reader())
        lock = threading.Lock()

        def take():
            with lock:
                return next(source, None)

        with Pump(int(buffer_size), workers=int(process_num)) as pump:

            def work():
                while (numbered := take()) is not None:
                    pump.put((numbered[0], mapper(numbered[1])))

            for _ in range(int(process_num)):
                pump.start(work)
            yield from (_in_order(pump) if order else (sample for _, sample in pump))

    return mapped


def _in_order(numbered) -> Iterator:
    """Samples by their number, holding back those that come too early."""
    waiting: list = []
    ties = itertools.count()  # keeps samples themselves out of comparisons
    expected = 0
    for number, sample in numbered:
        heapq.heappush(waiting, (number, next(ties), sample))
        while waiting and waiting[0][0] == expected:
            yield heapq.heappop(waiting)[2]
            expected += 1


def multiprocess_reader(readers: Sequence[Callable], use_pipe: bool = True, queue_size: int = 1000) -> Callable:
    """A reader of the samples of several readers, each read in a process of its own; they come as they get ready.

    Args:
        readers: a list or tuple of readers. Where processes are spawned (not forked) they must be picklable.
        use_pipe: True gives every process a pipe of its own; False lets them share one queue.
        queue_size: how many samples may wait in the queue (`use_pipe=False`).

    Raises:
        ValueError: a reader gave None, or failed: then its traceback is part of the message.
    """
    if not isinstance(readers, (list, tuple)) or not readers:
        raise TypeError(f"multiprocess_reader(): readers must be a non-empty list or tuple, got {readers!r}")
    _positive("multiprocess_reader", "queue_size", queue_size)
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("fork" if "fork" in methods else "spawn")

    def through_pipes():
        receivers, workers = [], []
        for reader in readers:
            receiver, sender = context.Pipe(duplex=False)
            workers.append(_started(context, _send_to_pipe, (reader, sender)))
            sender.close()
            receivers.append(receiver)
        try:
            while receivers:
                for receiver in multiprocessing.connection.wait(receivers):
                    try:
                        kind, value = receiver.recv()
                    except EOFError:
                        kind, value = "error", "its process ended without a word"
                    if kind == "end":
                        receivers.remove(receiver)
                        receiver.close()
                    else:
                        yield _checked(kind, value)
        finally:
            _end(workers)
            for receiver in receivers:
                receiver.close()

    def through_queue():
        shared = context.Queue(int(queue_size))
        workers = [_started(context, _send_to_queue, (reader, shared)) for reader in readers]
        running = len(workers)
        try:
            while running:
                kind, value = _patient_get(shared, workers)
                if kind == "end":
                    running -= 1
                else:
                    yield _checked(kind, value)
        finally:
            _end(workers)
            shared.close()
            shared.join_thread()

    return through_pipes if use_pipe else through_queue


def _started(context, target: Callable, args: tuple):
    worker = context.Process(target=target, args=args, daemon=True)
    with warnings.catch_warnings():
        # A forked reader runs Python code only, which holds none of the locks this warning is about.
        warnings.filterwarnings("ignore", message=".*fork.*", category=DeprecationWarning)
        worker.start()
    return worker


def _end(workers) -> None:
    for worker in workers:
        if worker.is_alive():
            worker.terminate()
    for worker in workers:
        worker.join()
        worker.close()


def _checked(kind: str, value):
    if kind == "none":
        raise ValueError("multiprocess_reader(): a reader gave None, which is not a sample")
    if kind == "error":
        raise ValueError(f"multiprocess_reader(): a reader failed: {value}")
    return value


def _patient_get(shared, workers):
    """The next message; an error when nobody is left to send one."""
    import queue

    while True:
        alive = any(worker.is_alive() for worker in workers)
        try:
            return shared.get(timeout=1.0)
        except queue.Empty:
            if not alive:
                return "error", "its process ended without a word"


def _messages(reader: Callable) -> Iterator[tuple]:
    try:
        for sample in reader():
            if sample is None:
                yield "none", None
                return
            yield "sample", sample
        yield "end", None
    except Exception:
        yield "error", "\n" + traceback.format_exc()


def _send_to_pipe(reader: Callable, sender) -> None:
    for message in _messages(reader):
        sender.send(message)
    sender.close()


def _send_to_queue(reader: Callable, shared) -> None:
    for message in _messages(reader):
        shared.put(message)
