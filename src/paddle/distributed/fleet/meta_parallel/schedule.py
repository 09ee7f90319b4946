"""In which order a stage of a pipeline computes its micro batches.

A schedule is a list of steps (forward?, chunk, micro batch). Sends never wait and receives are told apart by chunk, so an order
is sound as soon as no stage waits for what another one has behind a wait for it.
"""


def forward_then_backward(stage, stages, micros, chunks=1):
    """All forward passes, then all backward passes: the simplest order, which keeps the activations of every micro batch."""
    forward = [(True, chunk, micro) for chunk in range(chunks) for micro in range(micros)]
    return forward + [(False, chunk, micro) for chunk in reversed(range(chunks)) for micro in range(micros)]


def one_forward_one_backward(stage, stages, micros):
    """1F1B: a stage begins with as many forward passes as there are stages behind it, then alternates.

    >>> from paddle.distributed.fleet.meta_parallel.schedule import one_forward_one_backward
    >>> ["FB"[not forward] + str(micro) for forward, _, micro in one_forward_one_backward(0, 2, 3)]
    ['F0', 'F1', 'B0', 'F2', 'B1', 'B2']
    """
    ahead = min(stages - stage - 1, micros)
    return _alternate([(True, 0, m) for m in range(micros)], [(False, 0, m) for m in range(micros)], ahead)


def interleaved(stage, stages, micros, chunks):
    """1F1B of stages that have several chunks of the model each, which cuts the idle time at both ends by their number."""
    if micros % stages:
        raise ValueError(f"interleaved pipeline: accumulate_steps must be a multiple of the {stages} stages, got {micros}")
    total, turn = micros * chunks, stages * chunks

    def place(step):  # stages micro batches go through one chunk before the next chunk has its turn
        return step % turn // stages, step // turn * stages + step % stages

    forward = [(True, *place(k)) for k in range(total)]
    backward = [(False, chunks - 1 - place(k)[0], place(k)[1]) for k in range(total)]
    ahead = total if micros == stages else min((stages - stage - 1) * 2 + (chunks - 1) * stages, total)
    return _alternate(forward, backward, ahead)


def _alternate(forward, backward, ahead):
    steps = forward[:ahead]
    for f, b in zip(forward[ahead:], backward):
        steps += [f, b]
    return steps + backward[len(forward) - ahead:]
