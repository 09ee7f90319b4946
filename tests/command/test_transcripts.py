"""docs/commands.md: what it quotes of commands whose output does not depend on the machine is what they print."""

import re
from pathlib import Path

import paddle
from paddle import command
from paddle.static import InputSpec

DOCS = Path(__file__).parents[2] / "docs"
TEXTS = [(DOCS / page).read_text(encoding="utf-8") for page in ("commands.md", "zh/commands.md")]
BLOCKS = r"^```\w*\n(.*?)^```"


def transcripts():
    """Pairs (arguments, output) of the page's blocks."""
    for block in re.findall(r"^```\n(\$ .*?)^```", TEXTS[0], re.M | re.S):
        for part in re.split(r"^\$ paddle ", block, flags=re.M)[1:]:
            line, _, output = part.partition("\n")
            yield line.split(), output


def test_both_languages_have_the_same_blocks():
    first, second = (re.findall(BLOCKS, text, re.M | re.S) for text in TEXTS)
    assert first == second


def test_every_command_has_a_transcript():
    assert {arguments[0] for arguments, _ in transcripts()} == set(command.SUBCOMMANDS)


def test_transcripts_are_what_commands_print(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with paddle.utils.unique_name.guard():
        net = paddle.nn.Sequential(paddle.nn.Linear(4, 3), paddle.nn.ReLU(), paddle.nn.Linear(3, 2))
        paddle.jit.save(net, "model", input_spec=[InputSpec([None, 4], "float32", "x")])
    paddle.save(net.state_dict(), "net.pdparams")
    Path("old.py").write_text(re.search(r"in `old.py`\n\n```python\n(.*?)```", TEXTS[0], re.S)[1])
    compared = 0
    for arguments, output in transcripts():
        if arguments[0] in ("show", "convert", "migrate"):
            assert command.main(arguments) == 0
            printed = capsys.readouterr().out
            numbers = r"(?<=losses are equal, ).*" if "--check" in arguments else "$^"  # they depend on the processor
            assert re.sub(numbers, "", printed) == re.sub(numbers, "", output)
            compared += 1
    assert compared == 6
