# The environment is remade whenever a lock file changes; everything else runs inside it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NEWEST := .venv-newest
READY := $(VENV)/.ready
PLAYABLE := $(VENV)/.playable
COMPILED := .pytest_cache/.compiled
NEW_ENOUGH := $(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Python 3.11 or newer is needed: make PYTHON=python3.11 …")'

# Python's caches spare every process of a run the compiling of all tests and all of the bot.
unexport PYTHONDONTWRITEBYTECODE

# More workers than cores, as tests wait for sockets; each one pays seconds for collection.
WORKERS ?= 4
SEEDS ?= 20
WEEKS ?= 20
SEED ?= 1

# Sets of words have the same order in each run.
export PYTHONHASHSEED := 0
# The tests' PostgreSQL runs as another user and has its own port; pytest names a folder by the user.
unexport PGHOST PGHOSTADDR PGPORT PGSERVICE PGUSER PGPASSWORD PGDATABASE
export LOGNAME := $(shell id -un)

.PHONY: demo test suite oldest seeds life torture bench check facts format lock audit newest image-check release clean

demo: $(PLAYABLE)  ## the bot between a local Slack and a local Domain Tracker, in a browser
	$(BIN)/python -m bot playground

test: $(READY)  ## every check and every test, side by side
	$(MAKE) --no-print-directory --jobs 3 check suite oldest

suite: $(COMPILED)  ## every test, in random order
	$(BIN)/python -m pytest --quiet --numprocesses $(WORKERS) --dist worksteal

oldest: $(COMPILED)  ## the tests of the store and of the queue, on the oldest PostgreSQL
	TEST_POSTGRES=oldest $(BIN)/python -m pytest --quiet --numprocesses 1 \
		tests/store/postgres tests/store/test_documents.py tests/jobs \
		tests/whole/test_operating_postgres.py

seeds: $(COMPILED)  ## the whole bot under other orders and delays and once in real time; new examples for Hypothesis
	$(BIN)/python -m pytest --quiet --numprocesses $(WORKERS) --dist worksteal --show-capture no \
		--seeds 1-$(SEEDS),real -m "not real_time" tests/whole \
		--deselect tests/whole/test_counts.py  # what it counts, a cache that ages adds to
	$(BIN)/python -m pytest --quiet --numprocesses $(WORKERS) --dist worksteal \
		--hypothesis-profile explore -m hypothesis

life: $(READY)  ## weeks of the bot's life in virtual time, each drawn by a seed of its own, one on each core
	seq $(SEED) $$(($(SEED) + $(WEEKS) - 1)) | \
		xargs -P $$(getconf _NPROCESSORS_ONLN) -n 1 $(BIN)/python -m tests.life

torture: $(READY)  ## workers under load and kill -9, on PostgreSQL, for minutes (run it alone)
	$(BIN)/python -m tests.benchmarks.load_and_kill

bench: $(READY)  ## the bot beside a bare Bolt app, in a few minutes; writes docs/performance.md
	$(BIN)/python -m tests.benchmarks.bench

check: $(READY)  ## format, lint and types, without running a test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

facts: $(READY)  ## the code's size and shape in numbers
	$(BIN)/python -m tests.facts

format: $(READY)  ## mend what can be mended by machine
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lock: $(READY)  ## pin every package again, with hashes
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--upgrade --custom-compile-command "make lock" pyproject.toml -o requirements.txt
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--upgrade --custom-compile-command "make lock" --extra playground -c requirements.txt \
		pyproject.toml -o requirements-playground.txt
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--upgrade --custom-compile-command "make lock" --extra dev --extra playground \
		-c requirements-playground.txt pyproject.toml -o requirements-dev.txt
	echo setuptools | $(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --upgrade --custom-compile-command "make lock" - -o requirements-build.txt

audit: $(READY)  ## look up known vulnerabilities of all pinned packages (needs the network)
	$(BIN)/python -m tests.supply

newest: $(READY)  ## the suite with the newest versions that pyproject.toml allows, not those of the lock files
	$(PYTHON) -m venv --clear $(NEWEST)
	VIRTUAL_ENV=$(NEWEST) $(BIN)/uv pip install -q --upgrade -r pyproject.toml --all-extras
	VIRTUAL_ENV=$(NEWEST) $(BIN)/uv pip freeze
	VIRTUAL_ENV=$(NEWEST) $(BIN)/uv pip list --outdated  # what pyproject.toml keeps out
	$(NEWEST)/bin/python -m pytest --quiet --numprocesses $(WORKERS) --dist worksteal

image-check: $(READY)  ## the Dockerfile's steps one by one where there is no Docker, as root
	$(BIN)/python -m tests.image

release: test  ## build what is published, try it from an empty environment; see docs/releasing.md
	$(BIN)/python -m tests.release

clean:
	rm -rf $(VENV) $(NEWEST) .mypy_cache .ruff_cache .pytest_cache .hypothesis

# In a fresh clone each worker would compile all tests for itself: a minute of the processor.
$(COMPILED): $(READY)
	$(BIN)/python -m pytest --quiet --numprocesses 0 --collect-only > /dev/null
	mkdir -p $(@D) && touch $@

$(PLAYABLE): requirements-playground.txt
	$(NEW_ENOUGH)
	$(PYTHON) -m venv $(VENV)
	umask 022; $(BIN)/python -m pip install --quiet --require-hashes -r requirements-playground.txt
	touch $(PLAYABLE)

$(READY): requirements-dev.txt
	$(NEW_ENOUGH)
	$(PYTHON) -m venv $(VENV)
	umask 022; $(BIN)/python -m pip install --quiet --require-hashes -r requirements-dev.txt
	touch $(READY) $(PLAYABLE)
