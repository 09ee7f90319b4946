"""Draws from distributions."""
