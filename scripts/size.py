"""Prints the installed size of the package with its dependencies; fails above 100 MB."""

import sys

from sandbox import PIP, build_wheel, folder, run, size

LIMIT_MB = 100


def main() -> None:
    with folder() as work:
        target = work / "installed"
        run([*PIP, "install", "--no-compile", "--target", target, build_wheel(work, work / "wheel")])
        rows = sorted(((size(path) / 1e6, path.name) for path in target.iterdir()), reverse=True)
        total = sum(megabytes for megabytes, _ in rows)
        for megabytes, name in rows:
            if megabytes >= 0.1:
                print(f"{megabytes:8.1f} MB  {name}")
        print(f"{total:8.1f} MB  together (limit {LIMIT_MB})")
        if total > LIMIT_MB:
            sys.exit(1)


if __name__ == "__main__":
    main()
