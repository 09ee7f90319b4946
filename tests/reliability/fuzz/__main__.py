"""The attack, open-ended: ``python -m reliability.fuzz MINUTES [SEED]`` from the folder tests."""

import json
import sys
import tempfile
import time
import traceback

from . import calls, files, saves

ROUND = 500  # calls between two attacks of files and writers


def attack_files(seed, start, found):
    with tempfile.TemporaryDirectory() as folder:
        sound, done = files.samples(), {}
        for kind in (*files.KINDS, "bytes"):
            for number in range(start, start + 20):
                try:
                    result = files.attack_file(kind, seed, number, folder, sound)
                except Exception:  # every kind of exception is what is looked for
                    result = "finding"
                    found.append(f"files.attack_file({kind!r}, {seed}, {number})\n{traceback.format_exc()}")
                done[result] = done.get(result, 0) + 1
        return done


def attack_saves(seed, number, found):
    with tempfile.TemporaryDirectory() as folder:
        for kind in saves.KINDS:
            try:
                saves.kill_once(kind, seed, number, folder)
            except Exception:  # as above
                found.append(f"saves.kill_once({kind!r}, {seed}, {number})\n{traceback.format_exc()}")


def main(minutes, seed):
    """Attack until the time is over; returns what was found."""
    table, tally, found, start = calls.functions(), calls.Tally(), [], 0
    end, read = time.monotonic() + 60 * minutes, {}
    print(f"seed {seed}, {len(table)} functions", flush=True)
    while time.monotonic() < end:
        calls.attack((calls.make_case(table, seed, n) for n in range(start, start + ROUND)), tally)
        for mode, names in (("static", table), ("layer", calls.layers())):
            calls.attack((calls.make_case(names, seed, n, mode) for n in range(start, start + ROUND // 5)), tally)
        for kind, count in attack_files(seed, start, found).items():
            read[kind] = read.get(kind, 0) + count
        attack_saves(seed, start, found)
        start += ROUND
        kills = len(saves.KINDS) * start // ROUND
        print(f"calls {start} {tally.counts}; files {read}; kills {kills}; found {len(found)}", flush=True)
    for kind, text, case in tally.found:
        if kind != "unnamed":
            found.append(f"{kind}: {text}\n{json.dumps(case)}")
    return found


if __name__ == "__main__":
    findings = main(float(sys.argv[1]) if len(sys.argv) > 1 else 1.0, int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time()))
    print("\n".join(findings))
    sys.exit(bool(findings))
