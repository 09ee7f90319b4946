"""Switches of paddle.jit."""

enabled = True  # enable_to_static
LIBRARIES = {"numpy", "scipy", "PIL", "cv2", "matplotlib", "pytest", "_pytest", "pdb", "tqdm", "six", "setuptools", "pandas",
             "sklearn"}  # never translated
ignored_modules = set()  # names of modules whose functions are never translated
code_level, verbosity = 0, 0  # set_code_level, set_verbosity
also_to_stdout = False
latest = None  # weak reference to the traced program that ran last


def latest_entry():
    """The traced program that ran last, or None."""
    return None if latest is None else latest()
