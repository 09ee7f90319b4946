"""Record what the real PaddlePaddle 2.6.2 gives for every case of the table.

    python tests/oracle/record.py            # with an interpreter that has that release
    python tests/oracle/record.py math fft   # only these case files

Writes recorded/<case file>.npz; the replay (test_replay.py) compares ours with it. Some calls end the real one's
process, so each case file runs in a process of its own, which is started again without the part that died.
"""

import json
import pathlib
import subprocess
import sys
import warnings

import numpy as np

HERE = pathlib.Path(__file__).parent
RUNNING = HERE / "recorded" / ".running"
sys.path.insert(0, str(HERE))

import oracle_run  # noqa: E402
import oracle_table  # noqa: E402

import paddle  # noqa: E402


def record(case, deadly):
    """The case's outcome: frozen tree, leaves, and gradients (None where the real one has none to give)."""
    RUNNING.write_text(json.dumps([case.id, "value"]))
    paddle.seed(0)
    run = oracle_run.Run(case)
    tree, leaves = run()
    # Copies first: in 2.6.2 some gradients write into their forward's results.
    values = [(oracle_run.dtype_name(leaf), np.array(oracle_run.to_array(leaf))) for leaf in leaves]
    grads = {}
    if case.grad:
        RUNNING.write_text(json.dumps([case.id, "gradient"]))
        try:
            grads = None if [case.id, "gradient"] in deadly else run.gradients(leaves)
        except Exception as error:
            print(f"  no gradient: {case.id}: {str(error).strip().splitlines()[-1][:150]}")
            grads = None
    if grads is not None:
        grads = {name: None if grad is None else (oracle_run.dtype_name(grad), np.array(oracle_run.to_array(grad)))
                 for name, grad in grads.items()}
    return {"tree": tree, "leaves": values, "grads": grads}


def record_file(stem, deadly):
    """Record one case file in this process."""
    warnings.simplefilter("ignore")
    paddle.set_device("cpu")
    records, failed = {}, 0
    for key, case in oracle_table.load_cases([stem])[stem].items():
        try:
            if [key, "value"] not in deadly:
                records[key] = record(case, deadly)
        except Exception as error:
            lines = [line for line in str(error).strip().splitlines() if line.strip()] or ["?"]
            print(f"  FAILED {key}: {type(error).__name__}: {lines[-1][:200]}")
            failed += 1
    path = HERE / "recorded" / f"{stem}.npz"
    np.savez_compressed(path, **oracle_run.pack(records))
    print(f"{stem:16} {len(records)} cases, {failed} failed, {path.stat().st_size} bytes", flush=True)


def main(only):
    if paddle.__version__ != "2.6.2":
        raise SystemExit(f"this records PaddlePaddle 2.6.2, not {paddle.__version__}")
    RUNNING.parent.mkdir(exist_ok=True)
    for stem in oracle_table.load_cases(only):
        deadly = []
        while True:
            child = subprocess.run([sys.executable, __file__, "--file", stem, json.dumps(deadly)],
                                   stderr=subprocess.DEVNULL, text=True, stdout=subprocess.PIPE)
            if child.returncode == 0:
                print(child.stdout, end="", flush=True)
                break
            deadly.append(json.loads(RUNNING.read_text()))
            print(f"  DIED   {deadly[-1]}", flush=True)
    RUNNING.unlink(missing_ok=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--file"]:
        record_file(sys.argv[2], json.loads(sys.argv[3]))
    else:
        main(sys.argv[1:])
