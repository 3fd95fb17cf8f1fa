# Everything this project does, each with all its own set-up.  `make` lists it.
#
#   PYTHON=...      the Python to make the environment with (3.11 or newer)
#   PYTHON_ENV=...  an environment that is used as it is; nothing is installed in it
#   UPGRADE=--upgrade  with `make lock`: the newest versions that fit, not those pinned

.DEFAULT_GOAL := help
.PHONY: help book serve live test models sweep studies beside check bench bench-kept \
  bench-full lock clean
.DELETE_ON_ERROR:

# The peers of the test-bench are large: they have an environment of their own.
PEERS := $(CURDIR)/.venv-bench
# So have trained models.
MODELS := $(CURDIR)/.venv-pretrained

ifdef PYTHON_ENV
ENV := $(abspath $(PYTHON_ENV))
BENCH := $(ENV)/bin/python -m benchmarks.run
else
ENV := $(CURDIR)/.venv
BOOK_ENV := $(ENV)/book.stamp
TEST_ENV := $(ENV)/test.stamp
BENCH_ENV := $(PEERS)/bench.stamp
BENCH := $(PEERS)/bin/python -m benchmarks.run
endif

BIN := $(ENV)/bin
# What the built book is made from; folders too, so that a file taken away is noticed
# ("book/." because "book" is the name of a target).
SHOWN := $(shell find book/. tfdynlib -not -name '*.pyc' -not -name __pycache__)
RUN := $(BIN)/python -m
PIP := $(RUN) pip --disable-pip-version-check
# Tests run side by side, on at most four processors, so none has threads of its own
# for products of matrices: they would only wait for each other.
BESIDE := --numprocesses auto --maxprocesses 4 --dist worksteal
SAY := @printf '==> %s\n'

help:  ## this list
	@printf 'Transformer dynamics: the book, its package and its figures.\n\n'
	@sed -n 's/^\([a-z-]*\):.*  ## \(.*\)/  make \1	\2/p' Makefile
	@printf '\nEach does its own set-up; the first takes a few minutes.\n'

book: _build/book.stamp  ## run every page and build the site, strictly
	$(SAY) 'The book is in _build/html.  Read it with: make serve'
	$(SAY) 'or open file://$(CURDIR)/_build/html/index.html'

serve: book  ## read the built book at a local address
	@$(BIN)/python book/serve.py _build/html

live: $(BOOK_ENV)  ## open the pages as notebooks in JupyterLab
	$(SAY) 'Starting JupyterLab; pages open as notebooks.  Stop it with Ctrl+C.'
	@JUPYTER_CONFIG_PATH=$(CURDIR)/.binder $(BIN)/jupyter lab book/intro.md \
	  $$([ "$$(id -u)" = 0 ] && echo --allow-root)

test: $(TEST_ENV) book  ## build the book and run every test
	$(SAY) 'Running every test; those that need a browser say so if there is none.'
	@OPENBLAS_NUM_THREADS=1 $(RUN) pytest $(BESIDE)
	$(SAY) 'All tests have passed.'

models: $(MODELS)/models.stamp  ## test trained models (with torch) in their own environment
	@$(MODELS)/bin/python -m pytest tests/test_pretrained_models.py

sweep: $(TEST_ENV)  ## run a study on a local cluster of two processes, as a test
	@OPENBLAS_NUM_THREADS=1 $(RUN) pytest tests/test_sweep.py -k cluster

STUDIES := $(basename $(notdir $(wildcard tfdynlib/studies/*.toml)))

studies: $(BOOK_ENV)  ## run every study of the book anew (ten minutes)
	@set -e; for study in $(STUDIES); do \
	  rm -f tfdynlib/stored/$$study.journal; \
	  $(RUN) tfdynlib.sweep $$study --out tfdynlib/stored/$$study.nc; done

beside:
	@echo '$(BESIDE)'

check: $(TEST_ENV)  ## format, lint and types
	$(SAY) 'Format, lint, types.'
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/mypy --ignore-missing-imports book/serve.py book/_ext/tfdynbook
	$(SAY) 'Nothing to complain about.'

bench: $(BENCH_ENV)  ## measure speed beside others that compute the same (minutes)
	@$(BENCH) --short --out benchmarks/results/here-short.json

bench-kept: $(BENCH_ENV)  ## the short form as the book shows it; refuses a busy machine
	@$(BENCH) --short --keep --out tfdynlib/stored/speed.json

bench-full: $(BENCH_ENV)  ## the same with every size (half an hour)
	@$(BENCH) --full --out benchmarks/results/here-full.json

lock: $(TEST_ENV)  ## make requirements.txt and tests/requirements.txt anew
	@PATH="$(BIN):$$PATH" sh .ci/lock $(UPGRADE)
	$(SAY) 'The locks are requirements.txt and tests/requirements.txt.'

clean:  ## remove what was built; environments stay
	@rm -rf _build dist .pytest_cache .hypothesis .mypy_cache .ruff_cache
	@find . -name __pycache__ -type d -not -path './.venv*' -prune -exec rm -rf {} +
	$(SAY) 'Clean.  (To remove the environments too: rm -r .venv*)'

_build/book.stamp: $(BOOK_ENV) _config.yml _toc.yml $(SHOWN)
	$(SAY) 'Building the book: pages whose code has not changed are not run again.'
	@$(BIN)/jupyter-book build . -W -n --keep-going --all
	@touch $@

$(ENV)/book.stamp: requirements.txt pyproject.toml
	@sh .ci/environment $(ENV) $(PYTHON)
	$(SAY) 'Installing what the book needs (requirements.txt) into $(ENV).'
	@$(PIP) install -r requirements.txt
	@touch $@

$(ENV)/test.stamp: $(ENV)/book.stamp tests/requirements.txt
	$(SAY) 'Installing what the tests need (tests/requirements.txt) into $(ENV).'
	@$(PIP) install -r tests/requirements.txt
	@touch $@

$(MODELS)/models.stamp: tests/pretrained.txt tests/requirements.txt requirements.txt
	@sh .ci/environment $(MODELS) $(PYTHON)
	$(SAY) 'Installing what trained models need (tests/pretrained.txt).'
	@$(MODELS)/bin/python -m pip --disable-pip-version-check install --quiet \
	  -r tests/requirements.txt -r tests/pretrained.txt
	@touch $@

$(PEERS)/bench.stamp: benchmarks/requirements.txt requirements.txt pyproject.toml
	@sh .ci/environment $(PEERS) $(PYTHON)
	$(SAY) 'Installing what the test-bench needs (benchmarks/requirements.txt).'
	@$(PEERS)/bin/python -m pip --disable-pip-version-check install \
	  -r benchmarks/requirements.txt
	@touch $@
