"""``paddle.distributed.utils``: what launch scripts ask about this machine."""

import socket


def get_host_name_ip():
    """(name, address) of this machine, or None when the name has no address."""
    try:
        name = socket.gethostname()
        return name, socket.gethostbyname(socket.getfqdn(name))
    except OSError:
        return None


def find_free_ports(num):
    """``num`` different ports that nobody uses at the moment, as a set."""
    sockets = []
    try:
        for _ in range(num):
            sockets.append(socket.socket())
            sockets[-1].bind(("", 0))
        return {s.getsockname()[1] for s in sockets}
    finally:
        for s in sockets:
            s.close()

__path__ = []  # a package in Paddle: the paths below it are addresses
