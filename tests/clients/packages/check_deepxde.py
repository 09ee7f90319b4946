"""-u'' = pi^2 sin(pi x), whose solution is sin(pi x)."""

import os

os.environ["DDE_BACKEND"] = "paddle"
import deepxde as dde  # noqa: E402
import numpy as np  # noqa: E402

dde.config.set_random_seed(0)
line = dde.geometry.Interval(-1, 1)
edge = dde.icbc.DirichletBC(line, lambda x: np.sin(np.pi * x), lambda x, on: on)
data = dde.data.PDE(line, lambda x, y: -dde.grad.hessian(y, x) - np.pi ** 2 * dde.backend.sin(np.pi * x), edge, 16, 2,
                    solution=lambda x: np.sin(np.pi * x), num_test=100)
model = dde.Model(data, dde.nn.FNN([1, 50, 50, 50, 1], "tanh", "Glorot uniform"))
model.compile("adam", lr=1e-3, metrics=["l2 relative error"])
_, state = model.train(iterations=1500, display_every=500, verbose=0)
error = float(state.best_metrics[0])
assert error < 2e-3, error
print(f"relative error {error:.0e}")
