"""Addresses of 2.6's bytecode translator."""
