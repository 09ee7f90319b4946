"""A seeded part of the attack (``make fuzz MINUTES=n`` runs it open-ended), and every case that it ever found."""

import json
from pathlib import Path

import pytest

from .fuzz import calls, files, saves

CORPUS = Path(__file__).parent / "fuzz" / "corpus.jsonl"


def serious(tally):
    return [f"{kind}: {text}\n{json.dumps(case)}" for kind, text, case in tally.found if kind != "unnamed"]


def test_calls_with_awkward_arguments():
    table = calls.functions()
    assert len(table) > 700
    tally = calls.attack(calls.make_case(table, 7, n) for n in range(2000))
    assert not serious(tally), "\n".join(serious(tally)[:10])
    assert tally.counts["value"] > 400, "hardly a call succeeds: the arguments are too awkward to reach anything"
    refused, unnamed = tally.counts["refused"], tally.counts.get("unnamed", 0)
    assert unnamed < 0.02 * (refused + unnamed), "exceptions that do not name the function"


@pytest.mark.parametrize("mode", ["static", "layer"])
def test_programs_and_layers_of_awkward_arguments(mode):
    table = calls.layers() if mode == "layer" else calls.functions()
    tally = calls.attack(calls.make_case(table, 7, n, mode) for n in range(300))
    assert not serious(tally), "\n".join(serious(tally)[:10])
    assert tally.counts["value"] > 30


def test_what_was_found_stays_mended():
    cases = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]
    assert cases
    tally = calls.attack(cases)
    assert not tally.found, "\n".join(f"{kind}: {text}\n{json.dumps(case)}" for kind, text, case in tally.found)


def test_a_crash_and_a_hang_would_be_seen(monkeypatch):
    ends = {"function": "os.abort", "args": [], "kwargs": {}}
    sleeps = {"function": "time.sleep", "args": [60], "kwargs": {}}
    fine = {"function": "paddle.abs", "args": [{"tensor": [2], "dtype": "float32", "fill": "ones", "grad": True}], "kwargs": {}}
    monkeypatch.setattr(calls, "SECONDS", 1)
    tally = calls.attack([fine, ends, fine, sleeps, fine])
    assert tally.counts == {"value": 3, "crash": 1, "hang": 1}


@pytest.fixture(scope="module")
def sound():
    return files.samples()


@pytest.mark.parametrize("kind", files.KINDS)
def test_damaged_files(kind, sound, tmp_path):
    results = [files.attack_file(kind, 1, number, tmp_path, sound) for number in range(60)]
    assert "refused" in results


@pytest.mark.parametrize("kind", saves.KINDS)
def test_killed_writers_leave_whole_files(kind, tmp_path):
    for number in range(3):
        saves.kill_once(kind, 1, number, str(tmp_path))
