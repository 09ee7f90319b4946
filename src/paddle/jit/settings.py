"""Switches of paddle.jit."""

enabled = True  # enable_to_static
LIBRARIES = {"numpy", "scipy", "PIL", "cv2", "matplotlib", "pytest", "_pytest", "pdb", "tqdm", "six", "setuptools", "pandas",
             "sklearn"}  # never translated
NOT_TRANSLATED = "__jst_not_to_static"  # attribute of functions that not_to_static was called with
ignored_modules = []  # modules, or their names, whose functions are never translated
latest = None  # weak reference to the traced program that ran last


def latest_entry():
    """The traced program that ran last, or None."""
    return None if latest is None else latest()
