"""docs/architecture.md and its picture show the package as it is."""

import re
import subprocess
import sys

import pytest
from project.sources import PACKAGE, ROOT

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
SOURCE = (ROOT / "docs" / "pictures" / "rooms.txt").read_text(encoding="utf-8")
FOLDERS = sorted(p.name for p in PACKAGE.iterdir() if p.is_dir() and not p.name.startswith("__") and any(p.iterdir()))


@pytest.mark.parametrize("folder", FOLDERS)
def test_folder_is_on_the_page_and_in_the_picture(folder):
    assert f"`{folder}/`" in PAGE
    assert folder in SOURCE.split()


def test_picture_is_current():
    done = subprocess.run([sys.executable, str(ROOT / "scripts" / "picture.py"), "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_files_of_the_journeys_exist():
    rows = re.findall(r"^\| .* \| (\S+\.py, .*): \d+ \(\d+\) \|$", PAGE, re.MULTILINE)
    assert len(rows) == 6
    known = {p.name for p in PACKAGE.rglob("*") if p.suffix in (".py", ".c", ".inc")}
    for file in (f.replace("\\", "").strip() for row in rows for f in row.split(",")):
        assert (PACKAGE / file).exists() or file.rpartition("/")[2] in known, f"{file} is no file of the package"


def test_glossary_is_short():
    words = PAGE[PAGE.index("## Words"):].strip().splitlines()
    assert len(words) <= 40


def test_arrows_of_the_picture_pass_between_the_rooms():
    drawing = (ROOT / "docs" / "pictures" / "rooms.svg").read_text(encoding="utf-8")
    rooms = [[float(v) for v in found] for found in
             re.findall(r'class="room" x="(\S+)" y="(\S+)" width="(\S+)" height="(\S+)"', drawing)]
    ways = [[tuple(map(float, corner.split(","))) for corner in found.split()] for found in re.findall(r'points="(.*?)"', drawing)]
    assert len(rooms) > 30 and len(ways) > 20
    for way in ways:
        for (x, y), (to_x, to_y) in zip(way, way[1:]):
            assert x == to_x or y == to_y, "a slanting line"
            for left, top, width, height in rooms:
                assert not (max(x, to_x) > left and min(x, to_x) < left + width and max(y, to_y) > top + 1
                            and min(y, to_y) < top + height - 1), f"the line {way} crosses a room"
