"""The attack, open-ended: ``python -m reliability.fuzz MINUTES [SEED]`` from the folder tests."""

import importlib.util
import json
import sys
import tempfile
import time
import traceback

from . import calls, deaths, files, interrupts, places, programs, saves

ROUND = 500  # calls between two attacks of the other kinds


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


def attack_programs(seed, start, found):
    for number in range(start, start + 40):
        try:
            programs.attack(seed, number)
        except Exception:  # as above
            found.append(f"programs.attack({seed}, {number})\n{traceback.format_exc()}")
    return 40


def attack_processes(seed, number, found):
    """Writers, disks, interruptions, workers, ranks and names of downloads; returns how many of them."""
    # two folders: what a killed writer left stays until somebody saves there
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as full:
        tries = [(saves.kill_once, kind, seed, number, folder) for kind in saves.KINDS]
        tries += [(saves.fill_once, kind, seed, number, full) for kind in saves.KINDS]
        tries += [(interrupts.interrupt, state, seed, number) for state in interrupts.STATES]
        tries += [(interrupts.interrupt_import, seed, number), (deaths.worker_dies, seed, number)]
        tries += [(deaths.job_dies, seed, number // ROUND)] if importlib.util.find_spec("mpi4py") else []
        tries += [(places.attack, seed, number + k) for k in range(100)]
        for function, *arguments in tries:
            try:
                function(*arguments)
            except Exception:  # as above
                found.append(f"{function.__name__}{tuple(arguments)}\n{traceback.format_exc()}")
    return len(tries)


def main(minutes, seed):
    """Attack until the time is over; returns what was found."""
    table, tally, found, start, processes, ran = calls.functions(), calls.Tally(), [], 0, 0, 0
    end, read = time.monotonic() + 60 * minutes, {}
    print(f"seed {seed}, {len(table)} functions", flush=True)
    while time.monotonic() < end:
        calls.attack((calls.make_case(table, seed, n) for n in range(start, start + ROUND)), tally)
        for mode, names in (("static", table), ("layer", calls.layers())):
            calls.attack((calls.make_case(names, seed, n, mode) for n in range(start, start + ROUND // 5)), tally)
        for kind, count in attack_files(seed, start, found).items():
            read[kind] = read.get(kind, 0) + count
        ran += attack_programs(seed, start, found)
        processes += attack_processes(seed, start, found)
        start += ROUND
        print(f"calls {start} {tally.counts}; files {read}; programs {ran}; processes and places {processes}; "
              f"found {len(found)}", flush=True)
    for kind, text, case in tally.found:
        if kind != "unnamed":
            found.append(f"{kind}: {text}\n{json.dumps(case)}")
    return found


if __name__ == "__main__":
    findings = main(float(sys.argv[1]) if len(sys.argv) > 1 else 1.0, int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time()))
    print("\n".join(findings))
    sys.exit(bool(findings))
