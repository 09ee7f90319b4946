"""A seeded part of the attack (``make fuzz MINUTES=n`` runs it open-ended), and every case that it ever found."""

import json
from pathlib import Path

import pytest

import paddle

from .fuzz import calls, deaths, files, interrupts, places, programs, saves

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
    if mode == "layer":
        assert tally.counts.get("unnamed", 0) < 0.02 * tally.counts["refused"], "exceptions that name neither layer nor function"


def test_programs_agree_however_they_are_run():
    outcomes = [programs.attack(7, number) for number in range(50)]
    assert outcomes.count("run") > 40, "hardly a program has finite numbers"


def test_what_was_found_stays_mended():
    cases = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]
    assert cases
    tally = calls.attack(cases)
    assert not tally.found, "\n".join(f"{kind}: {text}\n{json.dumps(case)}" for kind, text, case in tally.found)


def test_a_crash_and_a_hang_would_be_seen(monkeypatch):
    ends = {"function": "os.abort", "args": [], "kwargs": {}}
    sleeps = {"function": "time.sleep", "args": [60], "kwargs": {}}
    counts = {"function": "math.perm", "args": [3_000_000, 1_000_000], "kwargs": {}}
    fine = {"function": "paddle.abs", "args": [{"tensor": [2], "dtype": "float32", "fill": "ones", "grad": True}], "kwargs": {}}
    monkeypatch.setattr(calls, "SECONDS", 1)
    tally = calls.attack([fine, ends, fine, sleeps, fine, counts, fine])
    assert tally.counts == {"value": 4, "crash": 1, "hang": 2}


@pytest.fixture(scope="module")
def sound():
    return files.samples()


@pytest.mark.parametrize("kind", files.KINDS)
def test_damaged_files(kind, sound, tmp_path):
    results = [files.attack_file(kind, 1, number, tmp_path, sound) for number in range(60)]
    assert "refused" in results


@pytest.mark.parametrize("kind", saves.KINDS)
def test_killed_writers_leave_whole_files(kind, tmp_path):
    saves.kill_once(kind, 1, 0, str(tmp_path))


@pytest.mark.parametrize("kind", saves.KINDS)
def test_full_disks_leave_the_old_files(kind, tmp_path):
    assert "refused" in [saves.fill_once(kind, 1, number, str(tmp_path)) for number in range(3)]


@pytest.mark.parametrize("state", interrupts.STATES)
def test_interrupted_work_can_be_done_again(state, monkeypatch):
    monkeypatch.setattr(interrupts, "ROUNDS", 5)
    interrupts.interrupt(state, 1, 0)


def test_an_interrupted_import_ends_the_program():
    interrupts.interrupt_import(1, 0)


def test_what_an_interruption_leaves_would_be_seen(monkeypatch):
    def forgetful(folder):
        def act():
            paddle.enable_static()
            paddle.disable_static()
            return 0
        return act
    monkeypatch.setitem(interrupts.STATES, "forgetful", forgetful)
    with pytest.raises(AssertionError, match="'static': True"):
        interrupts.interrupt("forgetful", 1, 0)


def test_workers_that_die_are_told_of():
    deaths.worker_dies(1, 0)


@pytest.mark.parametrize("number", range(3))
def test_jobs_that_die_leave_nothing(number):
    pytest.importorskip("mpi4py", reason="needs the extra 'distributed'")
    deaths.job_dies(1, number)


def test_names_of_downloads_stay_inside_the_cache():
    results = [places.attack(1, number) for number in range(150)]
    assert {"kept", "refused"} == set(results)
