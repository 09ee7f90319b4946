"""Calls between the workers of a job: ``rpc_sync("worker1", function, args=(...,))``.

Functions are named by module and name, and looked up by the worker that runs them (in its own program for those of ``__main__``);
arguments and results are plain values, arrays and Tensors. As with every MPI job, the network between the workers is trusted.
"""

import builtins
import os
import socket
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as LateError
from dataclasses import dataclass

from .messages import function_of, name_of, receive, send

__all__ = ["get_all_worker_infos", "get_current_worker_info", "get_worker_info", "init_rpc", "rpc_async", "rpc_sync", "shutdown"]
CONNECT_PAUSE, JOIN_SECONDS, LEAVE_SECONDS = 0.1, 600.0, 10.0
_worker = None  # what init_rpc made


@dataclass(frozen=True)
class WorkerInfo:
    """A worker: its name, rank and address."""

    name: str
    rank: int
    ip: str
    port: int


class FutureWrapper:
    """The result of a call under way."""

    def __init__(self, future, timeout):
        self._future, self._timeout = future, timeout

    def wait(self):
        """The result; what the function raised is raised here."""
        try:
            return self._future.result(self._timeout)
        except LateError:
            raise TimeoutError(f"rpc: no answer within {self._timeout} seconds") from None


class _Worker:
    """This process among the workers."""

    def __init__(self, name, rank, size, master):
        host = master[0] if rank == 0 else _own_address(master)
        self.listener = socket.create_server((host, 0))
        self.infos, self.ready = {}, threading.Event()
        self.pool = ThreadPoolExecutor(max_workers=8, thread_name_prefix="rpc")
        self.me = WorkerInfo(name, rank, host, self.listener.getsockname()[1])
        threading.Thread(target=self._accept, args=(self.listener, self._serve), daemon=True).start()
        self.registry = _Registry(master, size) if rank == 0 else None
        self.master = master
        answer = self.ask_registry({"join": [name, rank, host, self.me.port]})
        if "refused" in answer:
            self.close()
            raise ValueError(f"init_rpc(): {answer['refused']}")
        self.infos = {info[0]: WorkerInfo(*info) for info in answer["workers"]}

    def ask_registry(self, message):
        """What rank 0's list of workers answers, once all have asked."""
        with _connected(self.master, JOIN_SECONDS if "join" in message else 0) as connection:
            send(connection, message)
            return receive(connection)

    @staticmethod
    def _accept(listener, serve):
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:  # closed
                return
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with connection:
            try:
                name, args, kwargs = receive(connection)
                self.ready.wait()  # another worker may be quicker than this one's start
                try:
                    answer = {"result": function_of(name)(*args, **kwargs)}
                    send(connection, answer)
                except Exception as error:  # the caller gets it, whatever it is
                    shown = "".join(traceback.format_exception(error))
                    send(connection, {"error": type(error).__name__, "text": str(error), "trace": shown})
            except (ConnectionError, ValueError):
                return  # a stranger, or a caller that has gone

    def call(self, to, name, args, kwargs):
        """The result of one call."""
        info = self.infos[to]
        with _connected((info.ip, info.port), 0) as connection:
            send(connection, (name, tuple(args), dict(kwargs)))
            answer = receive(connection)
        if "error" not in answer:
            return answer["result"]
        kind = getattr(builtins, answer["error"], None)
        kind = kind if isinstance(kind, type) and issubclass(kind, Exception) else RuntimeError
        raise kind(f"{answer['text']}\n\nOn worker {to}:\n{answer['trace']}")

    def close(self):
        """Stop serving."""
        self.listener.close()
        self.pool.shutdown(wait=True)
        if self.registry is not None:
            self.registry.listener.close()


class _Registry:
    """Rank 0's list of all workers: answers when all have joined, and again when all want to leave."""

    def __init__(self, address, size):
        self.listener, self.size = socket.create_server(address), size
        self.workers, self.leaving, self.answered, self.changed = {}, 0, 0, threading.Condition()
        threading.Thread(target=_Worker._accept, args=(self.listener, self._serve), daemon=True).start()

    def _serve(self, connection):
        with connection:
            try:
                message = receive(connection)
                send(connection, self._join(message["join"]) if "join" in message else self._leave())
            except (ConnectionError, ValueError, KeyError):
                return
            if "leave" in message:
                with self.changed:
                    self.answered += 1
                    self.changed.notify_all()

    def wait_for_all(self):
        """Wait until every worker has been told that all leave."""
        with self.changed:
            self.changed.wait_for(lambda: self.answered == self.size, LEAVE_SECONDS)

    def _join(self, worker):
        with self.changed:
            if worker[0] in self.workers or any(worker[1] == other[1] for other in self.workers.values()):
                return {"refused": f"there is already a worker {worker[0]!r}, or one of rank {worker[1]}"}
            self.workers[worker[0]] = worker
            self.changed.notify_all()
            if not self.changed.wait_for(lambda: len(self.workers) == self.size, JOIN_SECONDS):
                return {"refused": f"only {len(self.workers)} of {self.size} workers came"}
            return {"workers": sorted(self.workers.values(), key=lambda w: w[1])}

    def _leave(self):
        with self.changed:
            self.leaving += 1
            self.changed.notify_all()
            self.changed.wait_for(lambda: self.leaving == self.size)
        return {}


def _connected(address, patience=JOIN_SECONDS):
    """A connection to an address; one that does not answer yet is tried again for so many seconds."""
    deadline = time.monotonic() + patience
    while True:
        try:
            connection = socket.create_connection(address, timeout=JOIN_SECONDS)
            connection.settimeout(None)
            return connection
        except OSError as error:
            if time.monotonic() > deadline:
                raise ConnectionError(f"rpc: {address[0]}:{address[1]} does not answer: {error}") from None
            time.sleep(CONNECT_PAUSE)


def _own_address(master):
    """The address of this machine that reaches rank 0."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(master)
        return probe.getsockname()[0]


def init_rpc(name, rank=None, world_size=None, master_endpoint=None):
    """Become a worker of this name; returns when all are there.

    Args:
        rank, world_size: by default those of the launcher.
        master_endpoint: ``ip:port`` where rank 0 listens; by default the variable PADDLE_MASTER_ENDPOINT, or PADDLE_MASTER.

    >>> import paddle.distributed.rpc as rpc
    >>> rpc.init_rpc("alone", rank=0, world_size=1, master_endpoint="127.0.0.1:0")
    >>> rpc.rpc_sync("alone", paddle.add, args=(paddle.ones([2]), paddle.ones([2]))).tolist()
    [2.0, 2.0]
    >>> rpc.shutdown()
    """
    global _worker
    if _worker is not None:
        raise RuntimeError("init_rpc(): this process is a worker already")
    rank = int(os.environ.get("PADDLE_TRAINER_ID", "0")) if rank is None else int(rank)
    size = int(os.environ.get("PADDLE_TRAINERS_NUM", "1")) if world_size is None else int(world_size)
    text = master_endpoint or os.environ.get("PADDLE_MASTER_ENDPOINT") or os.environ.get("PADDLE_MASTER") or ""
    host, _, port = text.rpartition(":")
    if not host or not port.isdigit() or not 0 <= rank < size:
        raise ValueError(f"init_rpc(): rank {rank} of {size} at {text!r}; expected a rank below world_size and ip:port")
    if port == "0" and size == 1:  # nobody else has to find it
        with socket.create_server((host, 0)) as free:
            port = free.getsockname()[1]
    _worker = _Worker(str(name), rank, size, (host, int(port)))
    _worker.ready.set()


def _ready(function):
    if _worker is None:
        raise RuntimeError(f"{function}(): call init_rpc first")
    return _worker


def rpc_async(to, fn, args=None, kwargs=None, timeout=-1):
    """Start a call on the worker ``to``; the ``wait()`` of what it gives is the result. ``timeout`` in seconds, none if not
    positive."""
    worker = _ready("rpc_async")
    if to not in worker.infos:
        raise ValueError(f"rpc: there is no worker {to!r}; known: {', '.join(worker.infos)}")
    future = worker.pool.submit(worker.call, to, name_of(fn), args or (), kwargs or {})
    return FutureWrapper(future, timeout if timeout > 0 else None)


def rpc_sync(to, fn, args=None, kwargs=None, timeout=-1):
    """The result of a call on the worker ``to``."""
    return rpc_async(to, fn, args, kwargs, timeout).wait()


def shutdown():
    """Wait until all workers want to stop, and stop."""
    global _worker
    worker = _ready("shutdown")
    worker.ask_registry({"leave": True})
    if worker.registry is not None:
        worker.registry.wait_for_all()
    worker.close()
    _worker = None


def get_worker_info(name):
    """Name, rank and address of a worker."""
    infos = _ready("get_worker_info").infos
    if name not in infos:
        raise ValueError(f"get_worker_info(): there is no worker {name!r}; known: {', '.join(infos)}")
    return infos[name]


def get_all_worker_infos():
    """All workers, by rank."""
    return list(_ready("get_all_worker_infos").infos.values())


def get_current_worker_info():
    """This worker."""
    return _ready("get_current_worker_info").me
