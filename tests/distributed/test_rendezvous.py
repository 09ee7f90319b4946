"""The socket of --master is fed with garbage: what is no machine of the job is turned away and keeps nobody waiting."""

import json
import random
import socket
import threading
import time

import pytest

from paddle.distributed.launch import rendezvous
from paddle.distributed.launch.rendezvous import Follower, Meeting

HELLO = {"job": "default", "nnodes": "2", "rank": -1, "ranks": 2}
RIGHT = {**HELLO, "address": "second"}


def garbage(draw):
    """Bytes of the kinds that scanners, other programs and attackers send."""
    kind = draw.randrange(8)
    if kind == 0:
        return draw.randbytes(draw.randrange(2000))
    if kind == 1:
        return b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    if kind == 2:
        return b"[" * draw.choice((10, 60000)) + b"\n"
    if kind == 3:
        return b'{"a":' * 10000 + b"\n"
    if kind == 4:
        return b"x" * 200_000
    if kind == 5:
        return draw.choice((b"", b"\n", b"\0\n", b"\xff\xfe\n", b"null\n", b"3\n", b"1" * 5000 + b"\n", b'{"job"'))
    wrong = draw.choice(({}, [], None, -1, 0, True, 1.5, "x", "../..", 10**30, "a b", float("nan")))
    key = draw.choice(("address", "job", "nnodes", "rank", "ranks"))
    hello = {**RIGHT, key: wrong}
    if key == "address" or (key == "rank" and wrong in (-1, 0)):  # this may well be a machine, of another job
        hello["job"] = "another"
    return json.dumps(hello).encode() + b"\n"


def meeting_in_thread(results, deadline=20, machines=(2, 2)):
    """A Meeting that waits in a thread; its port."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(100)

    def meet():
        try:
            results.append(Meeting(listener, "127.0.0.1", HELLO, False, machines, time.monotonic() + deadline, 0.5))
        except Exception as error:
            results.append(error)
    thread = threading.Thread(target=meet, daemon=True)
    thread.start()
    return listener.getsockname()[1], thread


@pytest.mark.parametrize("seed", range(4))
def test_garbage_is_turned_away(seed):
    draw, results, open_ones = random.Random(seed), [], []
    port, thread = meeting_in_thread(results)
    for _ in range(60):
        connection = socket.create_connection(("127.0.0.1", port))
        open_ones.append(connection)
        try:
            connection.sendall(garbage(draw))
            if draw.randrange(2):
                connection.close()
        except OSError:  # turned away before all was sent
            pass
    right = socket.create_connection(("127.0.0.1", port))
    right.sendall(json.dumps(RIGHT).encode() + b"\n")
    thread.join(15)
    for connection in (*open_ones, right):
        connection.close()
    (meeting,) = results
    with meeting:
        assert [(address, ranks) for _, address, ranks, _ in meeting.members] == [("127.0.0.1", 2), ("second", 2)]


def test_silent_connections_keep_nobody_waiting():
    results = []
    port, thread = meeting_in_thread(results)
    silent = [socket.create_connection(("127.0.0.1", port)) for _ in range(rendezvous.MOST_STRANGERS + 10)]
    began = time.monotonic()
    right = socket.create_connection(("127.0.0.1", port))
    for piece in (b'{"job": "default", "nnodes": "2", ', b'"rank": 1, "ranks": 3, "address": "b"}\n'):
        right.sendall(piece)
        time.sleep(0.05)
    thread.join(10)
    assert time.monotonic() - began < 5
    assert b"too many" in silent[0].recv(1000)  # the oldest made place
    for connection in (*silent, right):
        connection.close()
    with results[0] as meeting:
        assert [node.ranks for node in meeting.nodes()] == [3, 2]  # the leader, which names no rank, comes last


def test_who_says_nothing_goes_and_the_deadline_holds(monkeypatch):
    monkeypatch.setattr(rendezvous, "HELLO_SECONDS", 0.2)
    results = []
    port, thread = meeting_in_thread(results, deadline=0.6)
    silent = socket.create_connection(("127.0.0.1", port))
    assert b"no word" in silent.recv(1000)
    thread.join(5)
    silent.close()
    assert "only 1 machines came" in str(results[0])


@pytest.mark.parametrize("answer, says", [
    (b"[" * 60000 + b"\n", None), (b"x" * 100_000, None), (b"\xff\n", None), (b"", None),
    (b'{"proxy": 3}\n', "no list of words"), (b"{}\n", "no list of words"),
    (b'{"proxy": ["--control-port", 5]}\n', "no list of words"),
    (b'{"proxy": ["-c", "id"]}\n', "unexpected argument"), (b'{"refused": ["a"]}\n', "turned away"), (b'{"exit": "now"}\n', None),
])
def test_a_follower_of_a_strange_leader_ends(answer, says, capsys):
    with socket.create_server(("127.0.0.1", 0)) as server:
        def lead():
            connection, _ = server.accept()
            with connection:
                connection.sendall(answer)
        thread = threading.Thread(target=lead, daemon=True)
        thread.start()
        follower = Follower(server.getsockname(), HELLO, time.monotonic() + 5)
        if says:
            with pytest.raises(ValueError, match=says):
                follower.follow(1)
        else:
            assert follower.follow(1) == 1
        thread.join(5)
