"""Fourier transforms, window functions, audio features."""
