"""Pictures of programs."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from paddle import static
from paddle.static import draw

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
SVG = "{http://www.w3.org/2000/svg}"


def overlap(a, b):
    return a.x < b.x + draw._WIDTH and b.x < a.x + draw._WIDTH and a.y < b.y + b.height and b.y < a.y + a.height


@pytest.mark.parametrize("model", ["paddle26/lenet", "paddle26/control_if.pdmodel", "paddle18/saved_infer_model"])
def test_command_line(model, tmp_path, capsys):
    picture = tmp_path / "p.svg"
    assert draw.main([str(FIXTURES / model), "-o", str(picture)]) == 0
    assert capsys.readouterr().out.strip() == str(picture)
    program = draw.read_program(str(FIXTURES / model))
    root = ElementTree.parse(picture).getroot()
    assert len(root.findall(f"{SVG}rect")) == sum(len(b.ops) for b in program.blocks)
    texts = [t.text for t in root.findall(f"{SVG}text")]
    assert {op.type for b in program.blocks for op in b.ops} <= set(texts)
    for block in program.blocks:
        boxes = draw.boxes_of(block)
        width, height = draw.lay_out(boxes)
        for k, box in enumerate(boxes):
            assert 0 <= box.x <= width - draw._WIDTH and box.y + box.height <= height
            assert all(source.y + source.height <= box.y for source, _ in box.sources)
            assert not any(overlap(box, other) for other in boxes[:k])


def test_html_and_errors(tmp_path, capsys):
    page = draw.draw(static.Program(), str(tmp_path / "p.html"))
    assert Path(page).read_text().startswith("<!doctype html>")
    assert draw.main([str(tmp_path / "nothing")]) == 1
    assert "no model" in capsys.readouterr().err
    with pytest.raises(TypeError, match="draw"):
        draw.draw(3, "x.svg")
