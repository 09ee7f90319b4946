"""Runs the examples in full and draws what they print, "step N  loss X", into docs/pictures/examples."""

import pathlib
import re
import subprocess
import sys

from paddle.command import curves

ROOT = pathlib.Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures" / "examples"
SHOWN = re.compile(r"(?:step|update|epoch) +(\d+) +(loss|mean reward) ([-+]?[\d.]+)")


def main(names):
    PICTURES.mkdir(parents=True, exist_ok=True)
    for path in sorted((ROOT / "examples").glob("*.py")):
        if names and path.stem not in names:
            continue
        done = subprocess.run([sys.executable, path], capture_output=True, text=True, check=True)
        found = SHOWN.findall(done.stdout)
        last = done.stdout.strip().splitlines()[-1]
        if len(found) < 3:
            print(f"{path.stem}: no curve in what it prints; {last}")
            continue
        steps = [int(step) for step, _, _ in found]
        if steps != sorted(set(steps)):  # several runs, one after the other
            steps = range(len(found))
        points = list(zip(steps, (float(value) for _, _, value in found)))
        (PICTURES / f"{path.stem}.svg").write_text(curves.picture(points, f"{found[0][1]} of {path.stem}", last), encoding="utf-8")
        print(f"{path.stem}: {last}")


if __name__ == "__main__":
    main(sys.argv[1:])
