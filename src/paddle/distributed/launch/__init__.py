"""The launcher: one process per worker, on one machine or many, joined by MPI."""


def launch(arguments=None):
    """Run the launcher with a command line (that of this process for None), as ``python -m paddle.distributed.launch`` does.

    Args:
        arguments (list of str or None): the command line; that of this process for None.
    Returns:
        The exit code of the job: 0 if every process ended well.

    >>> paddle.distributed.launch(["--nproc_per_node", "2", "train.py"])  # doctest: +SKIP
    """
    import sys

    from .main import main  # only the launcher itself needs its modules

    sys.exit(main(arguments))
