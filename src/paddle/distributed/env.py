"""Who am I among the ranks: the variables that the launcher, or another MPI starter, sets for every process."""

import os
import warnings

# Rank and size as the usual MPI starters tell them, for programs that run without our launcher.
STARTERS = (("PMI_RANK", "PMI_SIZE"), ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"))


def rank_and_size(environ=None):
    """(rank, number of ranks) of this process."""
    environ = os.environ if environ is None else environ
    if "PADDLE_TRAINERS_NUM" in environ or "PADDLE_TRAINER_ID" in environ:
        return number(environ, "PADDLE_TRAINER_ID", 0), number(environ, "PADDLE_TRAINERS_NUM", 1)
    for rank, size in STARTERS:
        if size in environ and rank in environ:
            return number(environ, rank, 0), number(environ, size, 1)
    return 0, 1


def is_writer():
    """Should this process write files that all ranks share? True for rank 0, and where there is only one."""
    return rank_and_size()[0] == 0


def warn_shared_path(path, function="save"):
    """Warn when a rank other than 0 writes a file under a name that looks the same on every rank.

    ``paddle.save`` calls it. The file itself is safe, because writing replaces it at once; but ranks overwrite each other.
    A path that holds the rank's number (as a word of its own) is taken for one of the rank's own.
    """
    rank, size = rank_and_size()
    if size < 2 or rank == 0:
        return
    words = "".join(c if c.isdigit() else " " for c in os.fspath(path)).split()
    if str(rank) in words:
        return
    warnings.warn(f"{function}(): rank {rank} of {size} writes {os.fspath(path)!r}; every rank that does so overwrites the "
                  "file of the others. Save on one rank (if paddle.distributed.get_rank() == 0) or put the rank into the "
                  "name", stacklevel=3)


def number(environ, name, default):
    """An integer variable; a text that is none is an error that names the variable."""
    text = environ.get(name, "")
    if not text:
        return default
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"the environment variable {name} must be a number, got {text!r}") from None


class ParallelEnv:
    """The environment of this process in a parallel job, read from its variables when made.

    >>> env = paddle.distributed.ParallelEnv()
    >>> env.rank, env.world_size
    (0, 1)
    """

    def __init__(self):
        self._rank, self._size = rank_and_size()
        if not 0 <= self._rank < self._size:
            raise ValueError(f"ParallelEnv(): rank {self._rank} does not fit {self._size} ranks; look at "
                             "PADDLE_TRAINER_ID and PADDLE_TRAINERS_NUM")
        devices = os.environ.get("FLAGS_selected_gpus") or "0"
        self._device = int(devices.split(",")[0])
        self._endpoints = [e for e in os.environ.get("PADDLE_TRAINER_ENDPOINTS", "").split(",") if e]
        self._endpoint = os.environ.get("PADDLE_CURRENT_ENDPOINT", "")

    @property
    def rank(self):
        """Number of this process, from 0."""
        return self._rank

    @property
    def world_size(self):
        """How many processes there are."""
        return self._size

    @property
    def device_id(self):
        """Device number given to this process."""
        return self._device

    @property
    def device_type(self):
        """Kind of device that this process computes on."""
        return "cpu"

    @property
    def current_endpoint(self):
        """``address:port`` of this process."""
        return self._endpoint

    @property
    def trainer_endpoints(self):
        """``address:port`` of every process, in the order of their ranks."""
        return self._endpoints

    @property
    def nrings(self):
        """Number of communication rings; always 1."""
        return 1

    # names of the first generations
    local_rank = rank
    nranks = world_size
    dev_id = device_id


Env = ParallelEnv


def read_timeout(default=1800.0):
    """Seconds that a collective may wait for others: PADDLE_DISTRIBUTED_TIMEOUT, 30 minutes by default."""
    text = os.environ.get("PADDLE_DISTRIBUTED_TIMEOUT", "")
    try:
        value = float(text or default)
    except ValueError:
        value = -1.0
    if value <= 0:
        raise ValueError(f"PADDLE_DISTRIBUTED_TIMEOUT must be a positive number of seconds, got {text!r}")
    return value


def debug_enabled():
    """Do ranks compare whole shapes, not only numbers of elements (PADDLE_DISTRIBUTED_DEBUG)?"""
    return os.environ.get("PADDLE_DISTRIBUTED_DEBUG", "0").lower() not in ("", "0", "false", "off")
