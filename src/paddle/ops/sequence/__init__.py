"""Packed sequences (LoD): rows behind rows and the offsets between them."""
