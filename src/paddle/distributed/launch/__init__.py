"""The launcher: one process per worker, on one machine or many, joined by MPI."""


def launch():
    """Run the launcher with the arguments of this process, as ``python -m paddle.distributed.launch`` does."""
    import sys

    from .main import main

    sys.exit(main())
