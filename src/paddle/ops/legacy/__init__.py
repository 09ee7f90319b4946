"""Operators that only programs and files of older generations name."""
