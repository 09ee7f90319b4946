"""Write what real Paddle draws after a seed: run with its Python, ``python tests/core/record_random.py``."""

import json
import pathlib

import random_cases

import paddle


def main():
    recorded = {"eager": {}, "static": {}, "lenet": random_cases.lenet()}
    for name in random_cases.CALLS:
        recorded["eager"][name] = random_cases.eager(name)
    for seeds in random_cases.SEEDS:
        recorded["static"][str(seeds)] = random_cases.static_run(*seeds)
    path = pathlib.Path(__file__).parent / "data" / f"random_{paddle.__version__}.json"
    lines = [f" {json.dumps(kind)}: {{\n" + ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in values.items()) + "\n }"
             for kind, values in recorded.items()]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
