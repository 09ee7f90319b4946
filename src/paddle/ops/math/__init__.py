"""Arithmetic and functions, element by element; running results; reductions."""
