"""``python -m reliability.mutants NUMBER [SEED]``; ``--again`` asks about those that were not killed again, with today's tests."""

import collections
import json
import os
import sys
from dataclasses import asdict

from . import faults, reach, tree, trial

RESULTS = faults.ROOT / "build" / "mutants" / "results.jsonl"
EQUIVALENT = faults.ROOT / "tests" / "reliability" / "mutants" / "equivalent.jsonl"
ROOMS = ("serialization", "kernels", "ops", "oracle")  # whose tests are asked
FEW, QUICK = 400, 12  # lines that a test runs, and seconds, for the first attempt


def results():
    """{mutant: its last result}."""
    found = {}
    for line in RESULTS.read_text().splitlines() if RESULTS.exists() else ():
        row = json.loads(line)
        found[faults.Mutant(**{k: row[k] for k in faults.Mutant.__dataclass_fields__})] = row
    return found


def note(mutant, result, by):
    with RESULTS.open("a") as file:
        file.write(json.dumps({**asdict(mutant), "result": result, "by": by}) + "\n")
    if result not in ("killed", "undecided"):
        print(f"{result}: {mutant.path}:{mutant.line}: {mutant.old}  ->  {mutant.new}", flush=True)


def equivalents():
    """{place of a mutant: why no test can tell it from the sound one}."""
    rows = [json.loads(line) for line in EQUIVALENT.read_text(encoding="utf-8").splitlines()]
    return {(r["path"], r["text"], r["old"], r["new"]): r["why"] for r in rows}


def report(chosen):
    """The table: of each room how many were killed, are equivalent, and survive."""
    known, same = results(), equivalents()
    total = collections.Counter()
    for room, (mutants, wanted) in chosen.items():
        rows = [(m, known[m]["result"]) for m in mutants if m in known and known[m]["result"] != "unbuilt"][:wanted]
        counts = collections.Counter("equivalent" if r != "killed" and m.place in same else r for m, r in rows)
        total.update(counts)
        print(room, dict(counts))
    tried = sum(total.values()) - total["equivalent"]
    print(f"{total['killed']} of {tried} killed ({100 * total['killed'] / max(tried, 1):.1f} %), {total['equivalent']} equivalent")


def confirm():
    """Tests that have killed are run without a fault: one that fails then has killed nothing, and is asked no more."""
    left = sorted({row["by"] for row in results().values() if row["result"] == "killed" and "::" in row["by"]})
    while left:
        result, last = trial.run_child(left)
        if result == "survived":
            return
        print(f"{last} fails without a fault")
        for mutant, row in results().items():
            if row["by"] == last:
                note(mutant, "undecided", "")
        left = left[left.index(last) + 1:] if last in left else []


def open_of(mutants, wanted, again):
    """Mutants that are not decided, as many as are still wanted."""
    known = results()
    decided = {"killed"} if again else {"killed", "survived", "not reached", "slow"}
    for mutant in mutants:
        result = known[mutant]["result"] if mutant in known else "undecided"
        if wanted > 0 and result not in decided and result != "unbuilt":
            yield mutant
            result = results().get(mutant, {"result": "undecided"})["result"]
        wanted -= result != "unbuilt"


def by_functions(chosen, notes):
    """A first attempt at the mutants of Python, in a process that has imported the package."""
    server = os.fork()
    if server:
        os.waitpid(server, 0)
        return
    trial.SECONDS = QUICK
    trial.import_once()
    known = results()
    for room, (mutants, wanted) in chosen.items():
        for mutant in mutants[:wanted] if room != "kernels" else ():
            if mutant not in known:
                tests = [t for t in notes.tests(mutant) if trial.is_direct(t) or notes.broad[t] < FEW]
                note(mutant, *(tests and trial.attempt_functions(mutant, tests) or ("undecided", "")))
    os._exit(0)


def main(number, seed, again):
    tree.copy()
    compiler = tree.Compiler()
    compiler.compile_all()
    for room in ROOMS:
        reach.run(room)
    compiled = collections.defaultdict(set)
    for path, line in set().union(*tree.blocks().values()):
        compiled[path].add(line)
    chosen = faults.draw(number, seed, tree.SOURCES, compiled)
    notes = reach.Reach(ROOMS)
    notes.count({m.path for mutants, _ in chosen.values() for m in mutants})
    by_functions(chosen, notes)
    try:
        for mutants, wanted in chosen.values():
            for mutant in open_of(mutants, wanted, again):
                note(mutant, *trial.attempt(mutant, notes.tests(mutant), compiler))
    finally:
        compiler.link()
    confirm()
    report(chosen)


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    main(numbers[0] if numbers else 500, numbers[1] if len(numbers) > 1 else 1, "--again" in sys.argv)
