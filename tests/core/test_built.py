"""A copy of the repository whose C was not compiled again says so when it is imported."""

import os
import types

import pytest

from paddle.core import built, engine


@pytest.fixture
def checkout(tmp_path):
    """A module, as new as its two sources in the folder that is returned."""
    source = tmp_path / "paddle" / "kernels" / "native"
    source.mkdir(parents=True)
    (tmp_path / "capi" / "ops").mkdir(parents=True)
    (source / "a.c").write_text("int a;\n")
    (tmp_path / "capi" / "ops" / "b.c").write_text("int b;\n")
    module = types.ModuleType("paddle._native")
    module.__file__ = str(tmp_path / "made.so")
    (tmp_path / "made.so").write_bytes(b"")
    module.built_from = built.sources([str(tmp_path / folder) for folder in built.FOLDERS["paddle._native"]])
    return tmp_path, module


def edit(path, text):
    """Write a source anew, a minute after the module was made."""
    path.write_text(text)
    os.utime(path, (path.stat().st_atime, path.stat().st_mtime + 60))


def test_the_same_sources_are_taken(checkout):
    root, module = checkout
    built.check(module, root)
    (root / "capi" / "note.txt").write_text("no source")
    edit(root / "paddle" / "kernels" / "native" / "a.c", "int a;\n")  # newer, with the same content
    built.check(module, root)


@pytest.mark.parametrize("path", ["paddle/kernels/native/a.c", "capi/ops/b.c"])
@pytest.mark.parametrize("text", ["long c;\n", "int c;\n", None])
def test_a_module_of_other_sources_is_refused(checkout, path, text):
    root, module = checkout
    if text is None:
        (root / "capi" / "c.h").write_text("")
    else:
        edit(root / path, text)
    with pytest.raises(ImportError, match=r"paddle\._native was built from other C sources .* make install"):
        built.check(module, root)


def test_a_source_that_is_gone_is_missed(checkout):
    root, module = checkout
    (root / "capi" / "ops" / "b.c").unlink()
    with pytest.raises(ImportError, match="make install"):
        built.check(module, root)


def test_an_installed_copy_has_no_sources(tmp_path):
    built.check(types.ModuleType("paddle._native"), tmp_path)


def test_a_module_that_does_not_say_is_refused_beside_sources(checkout):
    root, module = checkout
    del module.built_from
    with pytest.raises(ImportError, match="make install"):
        built.check(module, root)


@pytest.mark.skipif(engine.fast is None, reason="the engine in C is not in use")
def test_the_build_notes_what_it_was_made_from():
    assert [len(part) for part in engine.fast.built_from.split()] == [8, 8]
