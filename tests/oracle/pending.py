"""Bring pending.txt up to date: take off it what ours now does.

    python tests/oracle/pending.py            # shrink
    python tests/oracle/pending.py --why      # shrink, and print what is wrong with the rest
    python tests/oracle/pending.py --add      # after recording new cases: also put the failing ones on it
"""

import contextlib
import io
import pathlib
import sys
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import oracle_check  # noqa: E402
import oracle_structure  # noqa: E402


def main(options):
    warnings.simplefilter("error")
    listed = oracle_check.pending()
    checks = {**dict.fromkeys(oracle_check.recorded(), oracle_check.replay), **oracle_structure.checks()}
    failing = {}
    for key, check in checks.items():
        if oracle_check.needs_missing_extra(key):
            continue
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                check(key)
        except Exception as error:
            failing[key] = f"{type(error).__name__}: {error}"
    new = [key for key in failing if key not in listed]
    kept = [key for key in checks if key in failing and (key in listed or "--add" in options)]
    oracle_check.PENDING.write_text("".join(f"{key}\n" for key in kept))
    if "--why" in options:
        for key, text in failing.items():
            print(f"{key}\n    " + "\n    ".join(text.splitlines()[:8]))
    print(f"{len(checks)} checks, {len(checks) - len(failing)} agree, {len(kept)} pending "
          f"({len(listed) - len(listed & set(kept))} taken off)")
    if new and "--add" not in options:
        print("failing but not pending:", *new, sep="\n  ")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
