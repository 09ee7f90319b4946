"""Launchers of several machines meet at one address, so that no machine needs a login on another.

Every machine runs the same command with ``--nnodes N --master IP:PORT``. The one that owns the address listens; the
others connect and say who they are, one line of JSON each. mpiexec then names one proxy per machine (its ``manual``
launcher) and each machine starts its own. What travels is the proxy's numbers, never a command: the receiver checks
them and runs the proxy of its own installation. As with every MPI job, the network between the machines is trusted.
"""

import errno
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import time

from .mpiexec import find_mpiexec
from .plan import Node
from .tether import tethered

LINE_LIMIT = 65536
CONNECT_PAUSE = 0.2
HELLO_SECONDS = 10  # after which a connection that has not said who it is goes
MOST_STRANGERS, MOST_RANKS = 64, 1 << 16
PROXY_ARGUMENT = re.compile(r"[A-Za-z0-9_.:\-]+")
PROXY_FLAGS = {"--control-port", "--rmk", "--launcher", "--demux", "--iface", "--pgid", "--retries", "--usize",
               "--pmi-port", "--gpus-per-proc", "--gpu-subdevs-per-proc", "--proxy-id", "--debug"}


class Line:
    """A connection that carries JSON objects, one per line."""

    def __init__(self, connection, name):
        self.connection, self.name = connection, name
        self._buffer = b""

    def fileno(self):
        """For select."""
        return self.connection.fileno()

    def send(self, message):
        """Send one object; a closed connection is noticed by ``receive`` and ``closed``."""
        try:
            self.connection.sendall(json.dumps(message).encode() + b"\n")
        except OSError:
            pass

    def receive(self, timeout=None):
        """The next object; None when nothing came in time. Raises ConnectionError at the end of the connection."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while b"\n" not in self._buffer:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            if not select.select([self.connection], [], [], left)[0]:
                return None
            self._fill()
        line, self._buffer = self._buffer.split(b"\n", 1)
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            raise ConnectionError(f"{self.name} sent something else than an object of JSON")
        return message

    def _fill(self):
        try:
            chunk = self.connection.recv(4096)
        except TimeoutError as error:  # of the network: the machine on the other side does not answer any more
            raise ConnectionError(f"{self.name} is gone: {error}") from error
        if not chunk:
            raise ConnectionError(f"{self.name} closed the connection")
        self._buffer += chunk
        if len(self._buffer) > LINE_LIMIT:
            raise ConnectionError(f"{self.name} sent more than {LINE_LIMIT} bytes without an end of line")

    def closed(self):
        """True once the other side has gone."""
        try:
            while select.select([self.connection], [], [], 0)[0]:
                self._fill()
        except OSError:
            return True
        return False


def split_master(text):
    """Host and port of --master."""
    host, _, port = (text or "").rpartition(":")
    if not host or not port.isdigit():
        raise ValueError(f"--master: expected IP:PORT, got {text!r}; --nnodes above 1 needs it")
    return host, int(port)


def proxy_arguments(words):
    """The proxy's arguments if each is one that mpiexec gives it; raises ValueError otherwise."""
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ValueError(f"the MPI proxy's arguments are no list of words: {str(words)[:200]}")
    for flag, value in zip(words[::2], words[1::2]):
        if flag not in PROXY_FLAGS or not PROXY_ARGUMENT.fullmatch(value):
            raise ValueError(f"unexpected argument for the MPI proxy: {flag} {value}")
    if len(words) % 2:
        raise ValueError("the MPI proxy's arguments do not come in pairs")
    return list(words)


def whole(code):
    """An exit code that another machine sent; 1 if it is none."""
    return code if type(code) is int and -255 <= code <= 255 else 1


def start_proxy(words):
    """Start this machine's MPI proxy with checked arguments; it ends with this process."""
    proxy = os.path.join(os.path.dirname(find_mpiexec()), "hydra_pmi_proxy")
    return subprocess.Popen(tethered([proxy, *proxy_arguments(words)]), stdin=subprocess.DEVNULL)


def join(options, ranks):
    """("leader", Meeting) on the machine that owns --master, ("follower", Follower) on the others."""
    least, most = machine_range(options.nnodes)
    address, deadline = split_master(options.master), time.monotonic() + options.join_timeout
    hello = {"job": options.job_id, "nnodes": options.nnodes, "rank": options.rank, "ranks": ranks}
    if options.rank <= 0:
        listener = socket.socket(socket.AF_INET6 if ":" in address[0] else socket.AF_INET)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(address)
            listener.listen(most)
            return "leader", Meeting(listener, options.host or address[0], hello, options.sort_ip, (least, most), deadline,
                                     options.elastic_timeout)
        except OSError as error:
            listener.close()
            # Another machine owns the address, or another launcher on this one was quicker: join it.
            if options.rank == 0 or error.errno not in (errno.EADDRNOTAVAIL, errno.EADDRINUSE):
                raise
    return "follower", Follower(address, dict(hello, address=options.host), deadline)


def machine_range(text):
    """(least, most) numbers of machines of --nnodes: ``4``, or ``2:4``."""
    least, _, most = text.partition(":")
    if not least.isdigit() or not (most or least).isdigit() or not 1 <= int(least) <= int(most or least):
        raise ValueError(f"--nnodes: expected a number of machines, or the least and the most of them as in 2:4, got {text!r}")
    return int(least), int(most or least)


def keep_alive(connection):
    """Notice within seconds that the machine on the other side is gone without a word."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", 3), ("TCP_KEEPINTVL", 2), ("TCP_KEEPCNT", 3)):
        if hasattr(socket, name):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


class Meeting:
    """The listening side: waits for every machine, then hands out proxies and the end of the job.

    Where the number of machines may vary it goes on listening: a machine that comes later takes part when the job starts again.
    """

    def __init__(self, listener, address, hello, sort_ip, machines, deadline, patience):
        self.hello, self.address, self.sort_ip, self.listener = hello, address, sort_ip, listener
        self.least, self.most = machines
        self.patience = patience  # seconds to wait for more machines when there are enough
        self.members = [(hello["rank"], address, hello["ranks"], None)]  # rank, address, ranks, connection (none to itself)
        self.strangers = {}  # connections that have not said who they are, with the time when they must have; the oldest first
        listener.setblocking(False)  # what connected may be gone again when it is let in
        try:
            self._gather(deadline)
        except BaseException:
            self.__exit__()
            raise
        if self.least == self.most:
            listener.close()

    def _gather(self, deadline):
        """Let machines in until there are as many as may be, or enough of them and nobody came for a while.

        Whoever connects has some seconds to say who it is, and keeps nobody else waiting meanwhile.
        """
        patient, now = None, time.monotonic()
        for line in self.strangers:
            self.strangers[line] = now + HELLO_SECONDS
        while len(self.members) < self.most:
            if len(self.members) >= self.least and patient is None:
                patient = min(time.monotonic() + self.patience, deadline)
            until = deadline if patient is None else patient
            next_end = min([until, *self.strangers.values()])
            ready = select.select([self.listener, *self.strangers], [], [], max(0.0, next_end - time.monotonic()))[0]
            for one in ready:
                if one is self.listener:
                    self._let_in()
                elif one in self.strangers and len(self.members) < self.most:
                    self._hear(one)
            now = time.monotonic()
            for line in [line for line, end in self.strangers.items() if end <= now]:
                self._turn_away(line, "no word of who this is")
            if now >= until and not ready:
                if patient is not None:
                    break
                raise OSError(f"--nnodes {self.hello['nnodes']}: only {len(self.members)} machines came to {self.address} in time")
        # Machines that name no rank come last, in the order of their coming; this one is first among them.
        unnamed = 1 << 30
        self.members.sort(key=lambda member: (
            [int(p) if p.isdigit() else 0 for p in re.split("[.:]", member[1])] if self.sort_ip else
            member[0] if member[0] >= 0 else unnamed))

    def renew(self, timeout):
        """Before the job starts again: leave out machines that are gone, let others in; their addresses, and whether any
        changed."""
        before = [member[1] for member in self.members]
        gone = set(self.lost())
        for *_, line in (member for member in self.members if member[1] in gone):
            line.connection.close()
        self.members = [member for member in self.members if member[1] not in gone]
        if self.least < self.most:
            self.members.sort(key=lambda member: member[3] is not None)  # this machine first, as _gather takes it
            self._gather(time.monotonic() + timeout)
        return sorted(gone), [member[1] for member in self.members] != before

    def _let_in(self):
        """A new connection, which has yet to say who it is; the oldest of too many goes."""
        try:
            connection, (peer, *_) = self.listener.accept()
            keep_alive(connection)
        except OSError:  # it is gone already
            return
        if len(self.strangers) == MOST_STRANGERS:
            self._turn_away(next(iter(self.strangers)), "too many came")
        self.strangers[Line(connection, peer)] = time.monotonic() + HELLO_SECONDS

    def _turn_away(self, line, reason):
        del self.strangers[line]
        line.send({"refused": reason[:1000]})
        line.connection.close()

    def _hear(self, line):
        """Take a stranger's words; it becomes a member, goes, or has more to say."""
        try:
            hello = line.receive(0)
            member = hello and self._member(hello, line)
        except (ValueError, ConnectionError) as error:
            self._turn_away(line, str(error))
            return
        if member:
            del self.strangers[line]
            self.members.append(member)

    def _member(self, hello, line):
        """Rank, address, ranks and connection of a machine of this job; raises ValueError for another."""
        fits = hello.get("job") == self.hello["job"] and hello.get("nnodes") == self.hello["nnodes"]
        ranks, rank, given = hello.get("ranks"), hello.get("rank", -1), hello.get("address") or line.name
        if not fits or type(ranks) is not int or type(rank) is not int or not 1 <= ranks <= MOST_RANKS or rank >= MOST_RANKS:
            raise ValueError(f"job {self.hello['job']!r} has {self.hello['nnodes']} machines, yours says {hello}")
        if not isinstance(given, str) or not PROXY_ARGUMENT.fullmatch(given):
            raise ValueError(f"not an address: {given!r}")
        if rank >= 0 and rank in [member[0] for member in self.members]:
            raise ValueError(f"--rank {rank} is taken")
        if given in [member[1] for member in self.members]:
            raise ValueError(f"there is already a machine {given}; --host tells machines apart")
        return rank, given, ranks, line

    def nodes(self):
        """The machines in rank order."""
        return [Node(address, ranks) for _, address, ranks, _ in self.members]

    def dispatcher(self, count):
        """A filter for mpiexec's output that takes out the proxies' command lines and hands them out."""
        waiting = {"lines": [], "text": b""}

        def intercept(chunk):
            if waiting["lines"] is None:
                return chunk
            *lines, waiting["text"] = (waiting["text"] + chunk).split(b"\n")
            kept = []
            for at, raw in enumerate(lines):
                line = raw.decode("utf-8", "replace")
                if line.startswith("HYDRA_LAUNCH: "):
                    waiting["lines"].append(line.split()[2:])
                elif line.startswith("HYDRA_LAUNCH_END"):
                    self._hand_out(waiting["lines"][:count])
                    waiting["lines"] = None
                    return b"\n".join([*kept, *lines[at + 1:], waiting["text"]])
                else:
                    kept.append(raw)
            return b"\n".join(kept)

        return intercept

    def _hand_out(self, proxies):
        for words, (_, _, _, line) in zip(proxies, self.members):
            if line is None:
                # In a thread that lives as long as the proxy, because the death signal follows the starting thread.
                threading.Thread(target=lambda words=words: start_proxy(words).wait(), daemon=True).start()
            else:
                line.send({"proxy": words})

    def lost(self):
        """Addresses of machines whose launcher has gone."""
        return [address for _, address, _, line in self.members if line is not None and line.closed()]

    def close(self, code):
        """Tell every machine how the job ended."""
        for *_, line in self.members:
            if line is not None:
                line.send({"exit": code})

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.listener.close()
        for line in [*self.strangers, *(member[3] for member in self.members if member[3] is not None)]:
            line.connection.close()


class Follower:
    """The connecting side: starts the proxies it is told to and ends with the job."""

    def __init__(self, address, hello, deadline):
        while True:
            try:
                connection = socket.create_connection(address, timeout=5)
                break
            except OSError as error:
                if time.monotonic() > deadline:
                    raise OSError(f"--master {address[0]}:{address[1]} does not answer: {error}") from None
                time.sleep(CONNECT_PAUSE)
        connection.settimeout(None)
        keep_alive(connection)
        self.line = Line(connection, f"{address[0]}:{address[1]}")
        self.line.send(hello)

    def follow(self, grace):
        """Run this machine's share until the job ends; return the job's exit code."""
        proxies, stopped = [], []  # one proxy for each time the job is started
        handlers = {s: signal.signal(s, lambda signum, _: stopped.append(signum)) for s in
                    (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
        try:
            while not stopped:
                message = self.line.receive(0.2)
                if message is None:
                    continue
                if "refused" in message:
                    raise ValueError(f"turned away by {self.line.name}: {message['refused']}")
                if "exit" in message:
                    return whole(message["exit"])
                proxies.append(start_proxy(message.get("proxy")))
            return 128 + stopped[0]
        except ConnectionError as error:
            print(f"launch: {error}; ending this machine's ranks", file=sys.stderr)
            return 1
        finally:
            self.line.connection.close()  # the leader ends the job everywhere when this machine was stopped
            for signum, handler in handlers.items():
                signal.signal(signum, handler)
            for proxy in proxies:
                try:
                    proxy.wait(grace)
                except subprocess.TimeoutExpired:
                    proxy.kill()
                    proxy.wait()
