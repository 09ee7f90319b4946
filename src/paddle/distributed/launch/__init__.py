"""The launcher: one process per worker, on one machine or many, joined by MPI."""


def launch(arguments=None):
    """Run the launcher with a command line (that of this process for None), as ``python -m paddle.distributed.launch`` does."""
    import sys

    from .main import main  # only the launcher itself needs its modules

    sys.exit(main(arguments))
