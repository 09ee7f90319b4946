"""Draw docs/pictures/rooms.svg, the picture of docs/architecture.md, from docs/pictures/rooms.txt.

    python scripts/picture.py            write it
    python scripts/picture.py --check    exit 1 if it is not current
"""

import html
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "pictures"
WIDTH, LEFT, ROW, BOX = 1230, 245, 66, 26
STYLE = "text{font:12px sans-serif}.floor{fill:#666}.room{fill:#fff;stroke:#888}.band{fill:#f4f4f4}"


def read(text):
    """([(floor, rooms)], [(journey, colour, rooms)]) of the source."""
    floors, journeys = [], []
    for line in text.splitlines():
        kind, _, rest = line.partition(":")
        if not line.strip() or line.startswith("#"):
            continue
        if kind == "floor":
            floors.append((rest.strip(), []))
        elif kind == "journey":
            name, colour, rooms = (part.strip() for part in rest.split("|"))
            journeys.append((name, colour, rooms.split()))
        else:
            floors[-1][1].extend(line.split())
    return floors, journeys


def boxes(floors):
    """{room: (level, x and y of the middle, width)}."""
    found = {}
    for level, (_, rooms) in enumerate(floors):
        width = (WIDTH - LEFT - 10) / len(rooms)
        for k, room in enumerate(rooms):
            found[room] = level, LEFT + (k + 0.5) * width, 10 + level * ROW + (ROW - 6) / 2, min(width - 6, 90)
    return found


def hop(start, end, lane):
    """The corners of a way from one box to another that goes between the rows, and from row to row at their left ends.

    ``lane``: the journey's number, from -2 to 2, by which ways that lie side by side are told apart.
    """
    (level, x, y, box), (goal, to_x, to_y, to_box) = start, end
    x, to_x = x + lane * box / 7, to_x + lane * to_box / 7
    down, above = goal >= level, goal > level
    out = y + (ROW / 2 if down else -ROW / 2) + 4 * lane
    into = to_y + (-ROW / 2 if above else ROW / 2) + 4 * lane
    side = LEFT - 14 + 5 * lane
    between = [] if abs(goal - level) < 2 else [(side, out), (side, into)]
    return [(x, y + (BOX / 2 if down else -BOX / 2)), (x, out), *between, (to_x, into),
            (to_x, to_y + (-BOX / 2 - 1 if above else BOX / 2 + 1))]


def draw(floors, journeys):
    """The picture as SVG."""
    out, where = [], boxes(floors)
    for level, (floor, rooms) in enumerate(floors):
        top = 10 + level * ROW
        out.append(f'<rect class="band" x="5" y="{top}" width="{WIDTH - 10}" height="{ROW - 6}"/>')
        out.append(f'<text class="floor" x="12" y="{top + ROW / 2}">{html.escape(floor)}</text>')
        for room in rooms:
            _, x, y, box = where[room]
            out.append(f'<rect class="room" x="{x - box / 2:.0f}" y="{y - BOX / 2:.0f}" width="{box:.0f}" height="{BOX}" rx="4"/>')
            size = min(12, 1.6 * box / max(len(room), 1))
            out.append(f'<text x="{x:.0f}" y="{y + 4:.0f}" text-anchor="middle" style="font-size:{size:.1f}px">{room}</text>')
    bottom = 16 + len(floors) * ROW
    for k, (name, colour, rooms) in enumerate(journeys):
        line = f'fill="none" stroke="{colour}" stroke-width="1.5"'
        for here, there in zip(rooms, rooms[1:]):
            points = " ".join(f"{x:.0f},{y:.0f}" for x, y in hop(where[here], where[there], k - 2))
            out.append(f'<polyline points="{points}" {line} marker-end="url(#a{k})"/>')
        out.append(f'<marker id="a{k}" markerWidth="8" markerHeight="8" refX="6" refY="3" orient="auto">'
                   f'<path d="M0,0 L6,3 L0,6 z" fill="{colour}"/></marker>')
        x = 12 + k * (WIDTH - 20) / len(journeys)
        out.append(f'<polyline points="{x:.0f},{bottom + 12} {x + 22:.0f},{bottom + 12}" {line}/>')
        out.append(f'<text x="{x + 28:.0f}" y="{bottom + 16}">{html.escape(name)}</text>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + 28}"><style>{STYLE}</style>\n'
            + "\n".join(out) + "\n</svg>\n")


def main():
    """Write the picture, or say that it is not current."""
    made, target = draw(*read((FOLDER / "rooms.txt").read_text(encoding="utf-8"))), FOLDER / "rooms.svg"
    if "--check" in sys.argv:
        if not target.exists() or target.read_text(encoding="utf-8") != made:
            sys.exit("docs/pictures/rooms.svg is not current: run python scripts/picture.py")
    else:
        target.write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main()
