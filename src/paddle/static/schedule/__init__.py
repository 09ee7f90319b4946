"""Graphs made ready to run: liveness, buffers, binding to shapes, routines."""
