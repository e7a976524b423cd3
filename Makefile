# Every target sets up what it needs in .venv; an install is repeated only when
# pyproject.toml or constraints.txt has changed.

PYTHON ?= python3
FILE ?= sample_sessions/tour.json
ONLY ?= ctxtui.core.*

VENV := .venv
BIN := $(VENV)/bin
APP_STAMP := $(VENV)/.installed-app
STAMP := $(VENV)/.installed
MUTANTS := .venv-mutants
MUTANTS_STAMP := $(MUTANTS)/.installed
PEERS := .venv-peers
PEERS_STAMP := $(PEERS)/.installed
PEERS_PINS := tests/benchmarks/peers/constraints.txt
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check
SOURCES := $(wildcard core ctxtui tests)

# Without bytecode every start would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

.PHONY: run
run: $(APP_STAMP) ## Open the app on the tour (FILE=... opens another file)
	@$(BIN)/ctxtui $(FILE)

# What failed beside many others is tried once more alone: keys and drawing wait for a busy machine.
ALONE := $(BIN)/python -m pytest -n 0 --last-failed --last-failed-no-failures none

.PHONY: test
test: check ## Run every check, then all tests that are not slow
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow" || $(ALONE) -m "not slow"

.PHONY: test-slow
test-slow: $(STAMP) ## Run the slow tests, and the properties on more examples
	HYPOTHESIS_PROFILE=full $(BIN)/python -m pytest -n auto --dist worksteal -m "slow or hypothesis" || \
		HYPOTHESIS_PROFILE=full $(ALONE) -m "slow or hypothesis"

.PHONY: coverage
coverage: $(STAMP) ## Run all tests with branch coverage of core, which takes longer
	$(BIN)/python -m pytest -n auto --cov

.PHONY: check
check: $(STAMP) ## Lint, check format, types and layers (no tests)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/mypy ctxtui tests
	$(BIN)/lint-imports --no-logo

.PHONY: format
format: $(STAMP) ## Format the code and apply the safe lint fixes
	$(BIN)/ruff check --fix-only $(SOURCES)
	$(BIN)/ruff format $(SOURCES)

.PHONY: bench
bench: $(STAMP) ## Run the benchmarks
	$(BIN)/python -m tests.benchmarks

.PHONY: bench-peers
bench-peers: $(PEERS_STAMP) ## Measure other libraries on the same rows, write docs/benchmarks.md
	$(PEERS)/bin/python -m tests.benchmarks.peers

.PHONY: bench-corpus
bench-corpus: $(STAMP) ## Measure a plan over 10,000 and 100,000 conversations, the table of docs/scale.md
	$(BIN)/python -m tests.benchmarks.corpus

.PHONY: torture
torture: $(STAMP) ## Kills, power cuts, sabotage, damaged inputs, random keys: count what is lost
	$(BIN)/python -m tests.torture

.PHONY: mutants
mutants: $(MUTANTS_STAMP) ## Change the engine in thousands of ways; each change must fail a test (ONLY=ctxtui.core.engine.operations*)
	HYPOTHESIS_PROFILE=mutants $(MUTANTS)/bin/mutmut run "$(ONLY)"
	@$(MUTANTS)/bin/python -m tests.mutants

.PHONY: snapshots
snapshots: $(STAMP) ## Redraw the screen snapshots (look at the diff before you commit)
	$(BIN)/python -m pytest tests/snapshots --snapshot-update

.PHONY: screenshots
screenshots: $(STAMP) ## Take the pictures of README and docs from the samples
	$(BIN)/ctxtui screenshot sample_sessions/tour.json --size 140x42 --keys "j j j" -o docs/inspector.svg
	$(BIN)/ctxtui timeline sample_sessions/tour.json -o docs/timeline.svg
	$(BIN)/ctxtui screenshot sample_sessions/refactor-parcel.json --screen over-run --size 140x42 -o docs/over-run.svg

.PHONY: keys
keys: $(STAMP) ## Write the lists of docs/keys.md from the registry of commands
	$(BIN)/python -m tests.docs.keys_page

.PHONY: constraints
constraints: python ## Pin the newest versions that fit pyproject.toml in constraints.txt
	@sh -eu -c ' \
	    scratch=$$(mktemp -d); \
	    trap "rm -rf $$scratch" EXIT; \
	    $(PYTHON) -m venv "$$scratch/venv"; \
	    "$$scratch/venv/bin/python" $(PIP_INSTALL) -e ".[dev,tokens]"; \
	    "$$scratch/venv/bin/python" -m pip freeze --disable-pip-version-check \
	        --exclude-editable > "$$scratch/freeze"; \
	    { sed "/^[^#]/,\$$d" constraints.txt; grep -E "^[A-Za-z0-9._-]+==" "$$scratch/freeze"; } \
	        > "$$scratch/constraints.txt"; \
	    cp "$$scratch/constraints.txt" constraints.txt'
	@echo "constraints.txt is up to date."

.PHONY: clean
clean: ## Remove .venv, .venv-peers, .venv-mutants, caches, reports and build output
	rm -rf $(VENV) $(PEERS) $(MUTANTS) mutants build dist *.egg-info
	rm -rf .coverage .coverage.* htmlcov snapshot_report.html
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .benchmarks
	find $(SOURCES) -type d -name __pycache__ -prune -exec rm -rf {} +

.PHONY: python
python:
	@command -v $(PYTHON) > /dev/null || { echo "'$(PYTHON)' was not found." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "ctxtui needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version 2>&1)." >&2; \
	    echo "Name a newer one, for example: make PYTHON=python3.12 test" >&2; \
	    exit 1; }

$(PEERS_STAMP): pyproject.toml $(PEERS_PINS) | python
	@echo "Setting up $(PEERS) ..."
	@$(PYTHON) -m venv $(PEERS)
	@$(PEERS)/bin/python $(PIP_INSTALL) -c $(PEERS_PINS) -e '.[peers]'
	@touch $(PEERS_STAMP)

# The app alone; what the checks and tests need is added when they are first run.
$(APP_STAMP): pyproject.toml constraints.txt | python
	@echo "Setting up $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python $(PIP_INSTALL) -c constraints.txt -e .
	@touch $(APP_STAMP)

$(STAMP): $(APP_STAMP)
	@echo "Adding what the checks and tests need ..."
	@$(BIN)/python $(PIP_INSTALL) -c constraints.txt -e '.[dev]'
	@touch $(STAMP)

# Mutation testing brings packages of its own, so it has an environment of its own.
$(MUTANTS_STAMP): pyproject.toml constraints.txt tests/mutants.txt | python
	@echo "Setting up $(MUTANTS) ..."
	@$(PYTHON) -m venv $(MUTANTS)
	@$(MUTANTS)/bin/python $(PIP_INSTALL) -c constraints.txt -e '.[dev]' -r tests/mutants.txt
	@touch $(MUTANTS_STAMP)
