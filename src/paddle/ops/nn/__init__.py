"""What layers are made of: activations, convolution, pooling, normalisation, attention, recurrence."""
