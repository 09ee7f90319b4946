"""The layer classes, one file per family."""
