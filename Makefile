# Two commands do everything on a fresh machine: `make diagnose` (offline main job) and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check install --constraint constraints.txt
# The folders whose import name differs from the folder's, for the type checker.
NAMES := build/names
PACKAGES := dnc_datasets dnc_trainers

.PHONY: diagnose test lint types format clean

diagnose: $(VENV)/.base
	$(BIN)/dnc diagnose

test: $(VENV)/.test lint types
	$(BIN)/python -m pytest -n 2

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.test
	mkdir -p $(NAMES)
	ln -sfn ../../metrics $(NAMES)/dnc_metrics
	ln -sfn ../../harness_tasks $(NAMES)/dnc_harness
	ln -sfn ../../trainers $(NAMES)/dnc_trainers
	ln -sfn ../../leaderboard $(NAMES)/dnc_leaderboard
	$(BIN)/mypy $(foreach package,$(PACKAGES),--package $(package))

format: $(VENV)/.test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.base: $(VENV)/bin/python setup.cfg constraints.txt
	$(PIP) --editable '.[train,report]'
	touch $@

$(VENV)/.test: $(VENV)/bin/python setup.cfg constraints.txt
	$(PIP) --editable '.[all,test]'
	touch $@ $(VENV)/.base

clean:
	rm -rf $(VENV) build dnc report *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
