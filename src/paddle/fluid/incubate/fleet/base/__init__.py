"""What the modes of fleet 1.x have in common."""
