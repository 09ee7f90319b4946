"""Threads that fill a queue, and the iterator that empties it."""

import queue
import threading
from collections.abc import Callable, Iterable

_DONE = object()


class _Failure:
    def __init__(self, error: BaseException):
        self.error = error


class _Stopped(Exception):
    """The consumer has gone; raised inside a worker to end it."""


class Pump:
    """A bounded queue between worker threads and one consumer that iterates over it.

    An exception in a worker reaches the consumer. A consumer that stops early ends the workers: leaving the `with`
    block waits for them, so that none is left behind.
    """

    def __init__(self, size: int, workers: int):
        self._queue: queue.Queue = queue.Queue(size)
        self._running = workers
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []

    def start(self, work: Callable[[], None]) -> None:
        """Runs `work` in a thread; it calls `put`."""
        thread = threading.Thread(target=self._guarded, args=(work,), daemon=True)
        self._threads.append(thread)
        thread.start()

    def put(self, item) -> None:
        """Called by a worker; waits while the queue is full."""
        while not self._stop.is_set():
            try:
                self._queue.put(item, timeout=0.05)
                return
            except queue.Full:
                continue
        raise _Stopped

    def put_all(self, items: Iterable) -> None:
        """Puts every item of an iterable."""
        for item in items:
            self.put(item)

    def __iter__(self):
        while self._running:
            item = self._queue.get()
            if item is _DONE:
                self._running -= 1
            elif isinstance(item, _Failure):
                raise item.error
            else:
                yield item

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            try:
                work()
                self.put(_DONE)
            except _Stopped:
                raise
            except BaseException as error:
                self.put(_Failure(error))
        except _Stopped:
            return


class Batches:
    """A bounded queue that a program pushes batches to by hand, until it closes it."""

    def __init__(self, size: int):
        self._queue: queue.Queue = queue.Queue(size)
        self._closed = threading.Event()

    def push(self, batch) -> bool:
        """Wait for room and put a batch in; False if the queue was closed."""
        while not self._closed.is_set():
            try:
                self._queue.put(batch, timeout=0.05)
                return True
            except queue.Full:
                continue
        return False

    def pop(self):
        """Wait for the next batch; None when the queue is closed and has no more."""
        while True:
            ended = self._closed.is_set()  # asked before the queue: what was pushed until then is still given out
            try:
                return self._queue.get(not ended, 0.05)
            except queue.Empty:
                if ended:
                    return None

    def close(self) -> None:
        """No more batches come."""
        self._closed.set()

    kill = close

    def is_closed(self) -> bool:
        """Was it closed?"""
        return self._closed.is_set()

    def size(self) -> int:
        """How many batches wait."""
        return self._queue.qsize()

    def capacity(self) -> int:
        """How many may wait."""
        return self._queue.maxsize
