"""paddle.incubate.hapi of 2.0 alpha: Model, a network that trains itself, and the networks, layers and transforms beside it."""
