"""Record the names that real Paddle gives variables of static programs: run with an interpreter that has paddlepaddle 2.6.2.

    python scripts/record_names.py      writes tests/static/recorded_names.json
"""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent.parent / "tests" / "static"
sys.path.insert(0, str(HERE))


def main():
    """Build every program of tests/static/name_cases.py and write down its names."""
    import name_cases

    import paddle
    paddle.enable_static()
    found = {name: name_cases.names_of(build) for name, build in name_cases.programs()}
    rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in found.items())
    (HERE / "recorded_names.json").write_text("{\n" + rows + "\n}\n")
    print(len(found), "programs of Paddle", paddle.__version__)


if __name__ == "__main__":
    main()
