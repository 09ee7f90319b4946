"""Where the files written by real Paddle are."""

from pathlib import Path

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
PROGRAMS = sorted([*FIXTURES.glob("*.pdmodel"), *FIXTURES.glob("paddle26/*.pdmodel"),
                   *FIXTURES.glob("paddle18/*/__model__")])
PICKLES = sorted([*FIXTURES.glob("paddle26/*.pdparams"), *FIXTURES.glob("paddle26/*.pdopt"),
                  *FIXTURES.glob("paddle26/*.info"), *FIXTURES.glob("paddle18/*.pd*"),
                  *FIXTURES.glob("nested_*.pdparams")])


def label(path):
    """Short test id of a fixture."""
    return "/".join(path.parts[-2:])
