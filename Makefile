# Everything a developer runs. Assumes python3 and make, nothing else: the rest goes into $(VENV).
# `make help` lists the targets.

PYTHON ?= python3
VENV ?= .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip --disable-pip-version-check --quiet
PYTEST := $(PY) -m pytest -q

# The extension is compiled at install, so a changed C file means installing again; changed Python files don't.
C_FILES := $(sort $(shell find src/paddle src/capi -name '*.c' -o -name '*.h' -o -name '*.inc'))
C_LIST := build/.c-files
# written when one comes or goes: a file that is gone is newer than nothing
$(shell mkdir -p build; echo $(C_FILES) | cmp -s - $(C_LIST) || echo $(C_FILES) > $(C_LIST))
BUILD_FILES := pyproject.toml $(wildcard setup.py) $(C_FILES) $(C_LIST)
# To build it and to run it: installed once, where an isolated build would unpack a NumPy of its own.
NEEDED = $(shell sed -n -E 's/^(requires|dependencies) = \[(.*)\]/\2/p' pyproject.toml | sed 's/", "/" "/g')
INSTALLED := $(VENV)/.installed
# The same with kernels for this processor alone, which compile in half the time: enough to look at it.
INSTALLED_HERE := $(VENV)/.installed-here
TEST_READY := $(VENV)/.test-ready
ORACLE := .venv-oracle
ORACLE3 := .venv-oracle3
SITE := .venv-site

ASAN := build/asan
CC ?= cc

.PHONY: help demo install capi fuzz-capi test test-all test-asan test-clients test-oldest test-newest test-references lint outside wheel cross size bench bench-quick bench-growth site test-site test-beside notebooks docs-check clean
.DEFAULT_GOAL := help

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(if $(wildcard $(INSTALLED)),$(INSTALLED),$(INSTALLED_HERE))  ## train the MNIST network for one epoch
	$(PY) examples/mnist.py

install: $(INSTALLED)  ## create .venv with the package in it, editable

capi:  ## the C library alone, into build/capi: cc and make are enough (see docs/deploy.md)
	$(MAKE) --no-print-directory -C src/capi

ASAN_FLAGS := -O1 -g1 -fsanitize=address,undefined -fno-sanitize=null,object-size,pointer-overflow,alignment -fno-sanitize-recover=undefined -DARENA_BLOCK_BYTES=1
MUTATED ?= 20000
fuzz-capi: $(TEST_READY)  ## damage MUTATED=n models for the C library, built with AddressSanitizer into build/capi-asan
	$(MAKE) --no-print-directory -C src/capi BUILD=../../build/capi-asan CFLAGS="$(ASAN_FLAGS)" SANITIZE=1
	$(CC) $(ASAN_FLAGS) -Isrc/paddle/include tests/capi/fuzz.c -Lbuild/capi-asan -ldygraph -Wl,-rpath,'$$ORIGIN' -o build/capi-asan/fuzz
	cd tests && $(abspath $(PY)) -m capi.mutate ../build/capi-asan $(MUTATED)

test: lint outside  ## lint, types from outside, all quick tests, and those of ops and the tape without C
	$(PYTEST)
	$(MAKE) test-references

test-references: $(TEST_READY)  ## the tests of ops and the tape with kernels and engine in C turned off
	FLAGS_use_fast_kernels=0 $(PYTEST) tests/ops tests/core

test-all: test test-site test-beside notebooks $(ORACLE)/.ready $(ORACLE3)/.ready  ## also everything slow, and the tests that run real Paddle
	PADDLE_ORACLE_PYTHON=$(abspath $(ORACLE))/bin/python PADDLE3_ORACLE_PYTHON=$(abspath $(ORACLE3))/bin/python \
	$(PYTEST) -m 'slow or oracle'
	PADDLE_ORACLE_PYTHON=$(abspath $(ORACLE))/bin/python $(PYTEST) tests/inference/test_netron.py

MINUTES ?= 10
fuzz: $(TEST_READY)  ## attack calls, files and writers for MINUTES=n, with another seed each time
	cd tests && $(abspath $(PY)) -m reliability.fuzz $(MINUTES)

NUMBER ?= 500
lines: $(TEST_READY)  ## which lines of core, ops, static, serialization and C the tests run; half an hour, into build/lines
	cd tests && $(abspath $(PY)) -m reliability.lines $(ROOMS)

mutants: $(TEST_READY)  ## put NUMBER=n small faults into the sources, one at a time: do the tests notice? Resumable
	cd tests && $(abspath $(PY)) -m reliability.mutants $(NUMBER)

test-clients: $(TEST_READY)  ## packages written for Paddle, in an environment of their own; writes docs/clients.md
	$(PY) scripts/clients.py

test-oldest:  ## the quick tests with the oldest NumPy supported (Python 3.10 to 3.12)
	$(MAKE) .venv-oldest/.test-ready VENV=.venv-oldest
	.venv-oldest/bin/python -m pip --disable-pip-version-check --quiet install 'numpy==1.26.*'
	.venv-oldest/bin/python -m pytest -q

test-newest:  ## the quick tests with the newest NumPy, beyond what the package asks for
	$(MAKE) .venv-newest/.test-ready VENV=.venv-newest
	.venv-newest/bin/python -m pip --disable-pip-version-check --quiet install 'numpy>=2.4'
	.venv-newest/bin/python -m pytest -q

test-asan: $(TEST_READY)  ## the C modules under AddressSanitizer and UBSan
	PADDLE_NATIVE_SANITIZE=1 $(PY) setup.py -q build --build-base $(ASAN) --build-lib $(ASAN)/lib
	PYTHONPATH=$(abspath $(ASAN))/lib LD_PRELOAD=$$($(CC) -print-file-name=libasan.so) PYTHONMALLOC=malloc \
	ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
	$(PYTEST) --capture=sys tests/kernels tests/core tests/ops

lint: $(TEST_READY)  ## ruff, whether the type stubs are current, and mypy, strict, on the rooms that are typed
	$(PY) -m ruff check .
	$(PY) scripts/stubs.py --check
	$(PY) -m mypy

outside: $(TEST_READY)  ## install without a compiler outside the repository; type-check a user's program there
	$(PY) scripts/outside.py

cross: $(TEST_READY)  ## compile the C sources for ARM, musl and macOS, and link the C library there (RELEASING.md)
	$(PIP) install ziglang
	$(PY) scripts/cross.py --run

wheel: $(TEST_READY)  ## build a wheel into dist/ and try it in a clean environment outside the repository
	$(PIP) install auditwheel
	$(PY) scripts/wheel.py

size: $(TEST_READY)  ## installed size with dependencies, at most 100 MB
	$(PY) scripts/size.py

bench: $(TEST_READY)  ## all workloads side by side with Paddle and PyTorch
	$(PY) benchmarks/run.py

bench-quick: $(TEST_READY)  ## a few workloads, two minutes
	$(PY) benchmarks/run.py --quick

bench-growth: $(TEST_READY)  ## how cost grows with batch, depth, tensors and graphs: pictures in docs/pictures
	$(PY) benchmarks/run.py growth

site: $(TEST_READY) $(SITE)/.ready  ## the documentation as a site in build/site, English and Chinese
	$(PY) scripts/site.py $(SITE)/bin/mkdocs
	@echo "open build/site/index.html, or: python3 -m http.server --directory build/site"

notebooks: $(TEST_READY)  ## execute the notebooks without a browser
	$(PIP) install nbclient ipykernel tqdm
	$(PY) scripts/notebooks.py

test-beside: $(INSTALLED)  ## real Paddle 2.6.2 and this package in one environment, in both orders (downloads Paddle)
	$(PY) scripts/beside.py

test-site: site  ## open the site in headless Chromium: search, language, every internal link; pictures in build/site-pictures
	$(SITE)/bin/python scripts/browse.py

docs-check: $(TEST_READY)  ## code and links in README and docs, examples in docstrings
	$(PYTEST) tests/project

clean:  ## remove what was built; .venv stays
	rm -rf build dist src/*.egg-info .pytest_cache .ruff_cache .mypy_cache
	find src tests examples scripts benchmarks -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
	find src -name '*.so' -delete
	rm -f $(INSTALLED) $(INSTALLED_HERE) $(TEST_READY)

$(PY):
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "Python 3.10 or newer is needed, this is " + sys.version)'
	$(PYTHON) -m venv $(VENV)

$(INSTALLED_HERE): export DYGRAPH_HOST = 1
$(INSTALLED) $(INSTALLED_HERE): $(BUILD_FILES) | $(PY)
	@echo "installing the package into $(VENV) and compiling its C kernels, about $(if $(DYGRAPH_HOST),half )a minute ..."
	$(PIP) install --no-compile $(NEEDED)
	@rm -f build/not-built.txt
	$(PIP) install --no-build-isolation --no-deps --editable .
	@if [ -s build/not-built.txt ]; then cat build/not-built.txt; echo "what the compiler says: $(PY) setup.py build_ext --inplace"; fi
	@touch $@

$(TEST_READY): $(INSTALLED)
	$(PY) scripts/requirements.py test > $@.txt
	$(PIP) install --requirement $@.txt
	@touch $@

# The generator of the site, and a driver of the browser that the system has (Debian: apt install chromium).
$(SITE)/.ready:
	$(PYTHON) -m venv $(SITE)
	$(SITE)/bin/python -m pip --disable-pip-version-check --quiet install 'mkdocs-material==9.*' 'mkdocs-static-i18n>=1.3' jieba playwright
	@touch $@

# Real Paddle, for the tests that exchange files with it. Its own environment: its name is `paddle` too.
$(ORACLE3)/.ready:
	$(PYTHON) -m venv $(ORACLE3)
	$(ORACLE3)/bin/python -m pip --disable-pip-version-check --quiet install 'paddlepaddle==3.3.1' setuptools
	@touch $@

$(ORACLE)/.ready:
	$(PYTHON) -m venv $(ORACLE)
	$(ORACLE)/bin/python -m pip --disable-pip-version-check --quiet install 'paddlepaddle==2.6.2' 'numpy<2' setuptools netron
	@touch $@
