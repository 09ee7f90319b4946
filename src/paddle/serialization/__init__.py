"""Paddle's file formats: NumPy arrays, bytes and plain objects in and out; nothing here knows of Tensors.

Reading never runs code from a file and never reserves more memory than the file can justify; writing is atomic.
"""
