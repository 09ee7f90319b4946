"""Write printing.json, layers.json and vision_models.json with the real PaddlePaddle 2.6.2.

    python tests/oracle/structure.py [print] [layer] [model]
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import oracle_structure  # noqa: E402

import paddle  # noqa: E402


def main(only):
    if paddle.__version__ != "2.6.2":
        raise SystemExit(f"this records PaddlePaddle 2.6.2, not {paddle.__version__}")
    for kind, (name, texts, facts) in oracle_structure.KINDS.items():
        if not only or kind in only:
            result = {}
            for text in texts:
                try:
                    result[text] = facts(text)
                except Exception as error:
                    print(f"FAILED {text}: {type(error).__name__}: {str(error).strip().splitlines()[-1:]}")
            (oracle_structure.HERE / name).write_text(json.dumps(result, indent=0) + "\n")
            print(f"{name}: {len(result)}")


if __name__ == "__main__":
    main(sys.argv[1:])
