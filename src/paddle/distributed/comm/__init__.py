"""Communicators over NumPy arrays: a contract, a world of one, and MPI."""

from .base import Communicator, ReduceOp, Work
from .errors import CollectiveMismatch, CollectiveTimeout, PeerLost
from .single import SingleCommunicator
