import warnings

import pytest

import paddle
from paddle.utils import deprecated, require_version, try_import


def test_try_import():
    import math

    assert try_import("math") is math
    with pytest.raises(ImportError, match="pip install opencv-python-headless"):
        try_import("cv2.no_such_part_of_it")
    with pytest.raises(ImportError, match="^my words$"):
        try_import("no_such_module_at_all", "my words")


@pytest.mark.parametrize(("low", "high"), [("2.0", None), ("2.6.2", None), ("2.6.2", "2.6.2"), ("1", "3.0.0.0")])
def test_require_version_passes(low, high):
    require_version(low, high)


@pytest.mark.parametrize(("low", "high", "message"), [
    ("2.6.3", None, "at least 2.6.3"), ("1.0", "2.6.1", "from 1.0 to 2.6.1"), ("99", None, "at least 99"),
])
def test_require_version_refuses(low, high, message):
    with pytest.raises(Exception, match=f"{paddle.__version__} is in use, {message}"):
        require_version(low, high)


def test_require_version_arguments():
    with pytest.raises(TypeError, match="min_version must be a str, got float"):
        require_version(2.0)
    with pytest.raises(ValueError, match="max_version must look like"):
        require_version("2.0", "2.x")


def make(level):
    @deprecated(update_to="paddle.new", since="2.0.0", reason="it was slow", level=level)
    def old(a, b=2):
        """Adds."""
        return a + b

    return old


@pytest.mark.parametrize("level", [0, 1, 2])
def test_deprecated_documents(level):
    old = make(level)
    assert old.__name__ == "old"
    assert old.__doc__.startswith("Adds.")
    assert "deprecated since 2.0.0; use paddle.new (it was slow)" in old.__doc__


def test_deprecated_levels():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert make(0)(1) == 3
    with pytest.warns(DeprecationWarning, match="use paddle.new"):
        assert make(1)(1, b=5) == 6
    with pytest.raises(RuntimeError, match="use paddle.new"):
        make(2)(1)
    with pytest.raises(ValueError, match="level"):
        deprecated(level=3)


def test_versions_agree():
    from importlib.metadata import PackageNotFoundError, version

    assert paddle.__version__ == paddle.version.full_version == "2.6.2"
    assert ".".join([paddle.version.major, paddle.version.minor, paddle.version.patch]) == paddle.version.full_version
    try:
        installed = version("dygraph")
    except PackageNotFoundError:
        pytest.skip("the package is on the path but not installed")
    assert installed == paddle.version.dygraph_version
