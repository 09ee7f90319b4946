"""Does the installation work? And which engine is in use?"""

import numpy as np

from ..kernels import describe
from ..version import dygraph_version, full_version

__all__ = ["run_check"]


def run_check() -> None:
    """Prints the version and the engine in use, trains one step and compares it with the result by hand.

    Returns:
        None.
    Raises:
        RuntimeError: the step gave a wrong result.

    >>> paddle.utils.run_check()  # doctest: +SKIP
    """
    import paddle

    print(f"dygraph {dygraph_version} (API of Paddle {full_version}), NumPy {np.__version__}")
    print(f"engine: {describe()}")
    rows = np.linspace(-1, 1, 12, dtype="float32").reshape(4, 3)
    layer = paddle.nn.Linear(3, 2)
    optimizer = paddle.optimizer.SGD(learning_rate=0.1, parameters=layer.parameters())
    before = layer.weight.numpy().copy()
    loss = (layer(paddle.to_tensor(rows)) ** 2).mean()
    loss.backward()
    optimizer.step()
    outputs = rows @ before  # the bias starts at zero
    by_hand = before - 0.1 * (rows.T @ outputs) * (2 / outputs.size)
    if not np.allclose(layer.weight.numpy(), by_hand, atol=1e-5):
        raise RuntimeError("run_check(): one training step gave wrong weights; please report this with the lines above")
    print("one training step: right. The installation works.")
