"""Losses with operators of their own."""
