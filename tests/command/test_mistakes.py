"""What the command says to those who mistype."""

import pytest

import paddle
from paddle.command import main


def test_without_a_subcommand_it_lists_them(capsys):
    assert main([]) == 2
    out = capsys.readouterr().out
    assert "doctor" in out and "launch" in out and "--version" in out


def test_version(capsys):
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"dygraph {paddle.version.dygraph_version} (API of Paddle 2.6.2)\n"


@pytest.mark.parametrize("arguments, said", [
    (["migrate", "none.py"], "paddle migrate: there is no file 'none.py'\n"),
    (["show", "none"], "paddle show: there is no file 'none', and no model of that prefix\n"),
    (["convert", "a.txt", "b.json"],
     "paddle convert: a.txt is no program file: its name must end in .pdmodel or .json, or be __model__\n"),
])
def test_wrong_files(arguments, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("hello\n")
    assert main(arguments) == 1
    assert capsys.readouterr().err == said


def test_a_program_of_today_has_nothing_to_rewrite(tmp_path, capsys):
    (tmp_path / "new.py").write_text("import paddle\n")
    assert main(["migrate", str(tmp_path / "new.py")]) == 0
    out, err = capsys.readouterr()
    assert out == "import paddle\n" and "nothing to rewrite" in err
