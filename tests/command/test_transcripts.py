"""docs/commands.md: what it quotes of commands whose output does not depend on the machine is what they print."""

import re
from pathlib import Path

import paddle
from paddle import command
from paddle.static import InputSpec

PAGE = Path(__file__).parents[2] / "docs" / "commands.md"


def transcripts():
    """Pairs (arguments, output) of the page's blocks."""
    for block in re.findall(r"^```\n(\$ .*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S):
        for part in re.split(r"^\$ paddle ", block, flags=re.M)[1:]:
            line, _, output = part.partition("\n")
            yield line.split(), output


def test_every_command_has_a_transcript():
    assert {arguments[0] for arguments, _ in transcripts()} == set(command.SUBCOMMANDS)


def test_transcripts_are_what_commands_print(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with paddle.utils.unique_name.guard():
        net = paddle.nn.Sequential(paddle.nn.Linear(4, 3), paddle.nn.ReLU(), paddle.nn.Linear(3, 2))
        paddle.jit.save(net, "model", input_spec=[InputSpec([None, 4], "float32", "x")])
    paddle.save(net.state_dict(), "net.pdparams")
    compared = 0
    for arguments, output in transcripts():
        if arguments[0] in ("show", "convert"):
            assert command.main(arguments) == 0
            assert capsys.readouterr().out == output
            compared += 1
    assert compared == 3
