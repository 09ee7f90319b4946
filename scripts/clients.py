"""Tries packages written for Paddle, as they come from the index, with this one; writes docs/clients.md.

    python scripts/clients.py            into build/clients, an environment of its own (make test-clients)
    python scripts/clients.py NAME...    only these

Each client has a line below: what is installed (without its own paddlepaddle) and the check, a file of tests/clients/packages that
prints what it found in one line and fails with an exception. Checks compare with something that is not ours
where there is such a thing.
"""

import os
import subprocess
import sys
import venv

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CHECKS = os.path.join(ROOT, "tests", "clients", "packages")
FOLDER = os.path.join(ROOT, "build", "clients")
PYTHON = os.path.join(FOLDER, "bin", "python")
PAGE = os.path.join(ROOT, "docs", "clients.md")

SHARED = """numpy ml-dtypes pytest iniconfig pluggy setuptools>=77,<81 wheel six scipy pillow pyyaml requests urllib3 idna certifi
    charset-normalizer tqdm packaging matplotlib contourpy cycler fonttools kiwisolver pyparsing python-dateutil scikit-learn joblib
    narwhals threadpoolctl cloudpickle protobuf pandas pytz tzdata decorator psutil pygments""".split()
SERVED = """visualdl bce-python-sdk pycryptodome future flask flask-babel babel werkzeug jinja2 markupsafe itsdangerous click
    blinker rarfile rich markdown-it-py mdurl""".split()
NLP = """colorlog colorama seqeval dill<0.3.9 multiprocess datasets<3 fsspec<2024.6 pyarrow aiohttp multidict yarl propcache
    aiohappyeyeballs aiosignal frozenlist attrs huggingface_hub<0.30 filelock sentencepiece uvicorn fastapi<0.116 starlette<0.47
    typer<0.16 pydantic pydantic_core annotated-types typing_inspection typing_extensions anyio sniffio h11 shellingham aistudio-sdk
    httpx httpcore xxhash jieba paddle2onnx<1.3 onnx<1.17 lxml regex sacremoses""".split()
ONNX = "onnx<1.17 onnxruntime flatbuffers coloredlogs humanfriendly sympy mpmath".split()
CLIENTS = {  # name: (requirements besides the shared ones, what is tried)
    "jieba": (["jieba"], "`cut(use_paddle=True)` on the model in the wheel: words of a computation in NumPy"),
    "LAC": (["LAC"], "modes seg, lac and rank on the models in the wheel"),
    "einops": (["einops"], "its own tests, backends NumPy and paddle"),
    "tensorly": (["tensorly"], "its own tests of tensors, paddle backend"),
    "safetensors": (["safetensors<0.7"], "seven element types there and back"),
    "deepxde": (["deepxde", "scikit-optimize", "pyaml"], "a differential equation with the paddle backend"),
    "visualdl": (SERVED, "LogWriter and the callback of `Model.fit`"),
    "paddle2onnx": (["paddle2onnx<1.3", *ONNX], "a saved model to ONNX: onnxruntime's result"),
    "x2paddle": (["x2paddle", *ONNX], "an exported model to Python code: equal result"),
    "paddleclas": (["paddleclas", *SERVED, "opencv-python-headless", "easydict", "prettytable", "wcwidth"],
                   "ten backbones: values and gradients equal in float32 and float64"),
    "paddleseg": (["paddleseg", *SERVED, "opencv-python-headless", "filelock", "colorlog", "prettytable", "wcwidth"],
                  "five networks: values and gradients equal in float32 and float64; a saved one in a predictor"),
    "paddlenlp": (["paddlenlp==2.6.1", *SERVED, *NLP],
                  "bert, ernie, gpt, llama and roberta: values and gradients equal in float32 and float64"),
    "paddlenlp_parallel": (["paddlenlp==2.6.1", *SERVED, *NLP, "mpi4py", "mpich"],
                           "gpt and llama, tensor_parallel_degree=2 on two ranks: losses and gradients of degree 1"),
}


def prepare():
    """The environment, with this package in it."""
    if not os.path.exists(PYTHON):
        venv.create(FOLDER, with_pip=True)
    install("--no-deps", *SHARED)
    install("--no-deps", "--no-build-isolation", ROOT)


def install(*arguments):
    """Install something, or CalledProcessError."""
    subprocess.run([PYTHON, "-m", "pip", "--disable-pip-version-check", "--quiet", "install", *arguments], check=True)


def version(name):
    """The version that is installed."""
    code = "import importlib.metadata, sys; print(importlib.metadata.version(sys.argv[1]))"
    return subprocess.run([PYTHON, "-c", code, name], capture_output=True, text=True, check=False).stdout.strip() or "?"


def attempt(name):
    """(version, whether it works, what its check says)."""
    try:
        install("--no-deps", "--no-build-isolation", *CLIENTS[name][0])
    except subprocess.CalledProcessError:
        return "?", False, "cannot be installed"
    done = subprocess.run([PYTHON, os.path.join(CHECKS, f"check_{name.lower()}.py")], capture_output=True, text=True, check=False,
                          cwd=FOLDER, env={**os.environ, "GLOG_minloglevel": "3"})
    lines = (done.stdout if not done.returncode else done.stderr).strip().splitlines() or [""]
    return version(name.partition("_")[0]), not done.returncode, lines[-1][:160]


def write(rows):
    """The page of the documentation."""
    with open(PAGE, "w", encoding="utf8") as file:
        file.write("# Libraries that work with it\n\nPackages written for Paddle, installed from the index without their "
                   "paddlepaddle and used unchanged. `scripts/clients.py`\n(`make test-clients`) wrote this page.\n\n"
                   "| package | version | tried | result |\n|---|---|---|---|\n")
        for name, (number, works, text) in rows.items():
            file.write(f"| {name} | {number} | {CLIENTS[name][1]} | {text if works else 'fails: ' + text} |\n")
        file.write("\nNames of Paddle that packages use but that are missing here are in [differences.md](differences.md).\n")


def main(names):
    """Try the clients, write the page if all were tried; the number of failures."""
    prepare()
    rows = {}
    for name in names or CLIENTS:
        rows[name] = attempt(name)
        print(name, *rows[name], flush=True)
    if not names:
        write(rows)
    return sum(not works for _, works, _ in rows.values())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
