"""A copy of the repository whose C was not compiled again says so when it is imported."""

import types

import pytest

from paddle.core import built, engine


def test_a_module_of_other_sources_is_refused(tmp_path):
    (tmp_path / "a.c").write_text("int a;\n")
    module = types.ModuleType("paddle._made")
    module.__file__, module.built_from = "made.so", built.sources(tmp_path)
    built.check(module, tmp_path)
    (tmp_path / "note.txt").write_text("no source")
    built.check(module, tmp_path)
    (tmp_path / "a.c").write_text("long a;\n")
    with pytest.raises(ImportError, match=r"paddle\._made was built from other C sources .* make install"):
        built.check(module, tmp_path)


def test_a_module_that_does_not_say_is_refused_beside_sources_only(tmp_path):
    module = types.ModuleType("paddle._older")
    module.__file__ = "older.so"
    built.check(module, tmp_path)
    built.check(module, tmp_path / "missing")
    (tmp_path / "a.h").write_text("int a;\n")
    with pytest.raises(ImportError, match="make install"):
        built.check(module, tmp_path)


@pytest.mark.skipif(engine.fast is None, reason="the engine in C is not in use")
def test_the_build_notes_what_it_was_made_from():
    assert len(engine.fast.built_from) == 8
