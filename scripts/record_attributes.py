"""Record the attributes that layers and optimizers of real Paddle keep: run with an interpreter that has paddlepaddle 2.6.2.

    python scripts/record_attributes.py      writes tests/nn/recorded_attributes.json
"""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent.parent / "tests"
sys.path.insert(0, str(HERE / "nn"))


def main():
    """Make every object of tests/nn/attribute_cases.py and write down its attributes."""
    import attribute_cases

    import paddle
    found = {text: attribute_cases.attributes(make()) for text, make in attribute_cases.CASES.items()}
    rows = ",\n".join(f"{json.dumps(text)}: {json.dumps(value)}" for text, value in found.items())
    (HERE / "nn" / "recorded_attributes.json").write_text("{\n" + rows + "\n}\n")
    print(len(found), "objects of Paddle", paddle.__version__)


if __name__ == "__main__":
    main()
