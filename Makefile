# Each target makes the environment that it needs; `make run` and `make test` are all a newcomer has to know.
PYTHON ?= python3
SANDBOX ?= --sandbox
BIN := .venv/bin

.PHONY: run site test test-all prove lint weeks bench trust constraints
run: .venv/ready
	@[ "$(SANDBOX)" = --no-sandbox ] || sh ci/apt.sh bubblewrap fonts-nanum
	$(BIN)/grader demo $(SANDBOX)

# A site of what is there: lessons whose reference was run (make run, or grader costs) with its plots, the others without.
site: .venv/ready
	$(BIN)/grader site

# Lessons that have not changed since they were audited are not audited and run again, nor the tests of the grading path while it
# is as it was proved. prove runs that path and records that everything passed; test-all takes all lessons too.
# Files side by side on two workers, the slow ones first.
PYTEST := $(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder --durations=20 --junitxml=build/tests/durations.xml
test: .venv/ready lint
	sh ci/apt.sh
	$(PYTEST)

prove: .venv/ready lint
	sh ci/apt.sh
	$(PYTEST) --prove

test-all: .venv/ready lint
	sh ci/apt.sh
	$(PYTEST) --prove --every-lesson

lint: .venv/ready
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/ruff format --check grader etude benchmarks tools tests
	$(BIN)/lint-imports --no-cache --no-logo

weeks: .venv/ready
	$(BIN)/grader build

bench: .venv/ready
	$(BIN)/python benchmarks/bench_run.py
	$(BIN)/python benchmarks/bench_embeddings.py
	$(BIN)/python benchmarks/bench_tokenizers.py
	$(BIN)/python benchmarks/bench_models.py
	$(BIN)/python benchmarks/bench_gpt.py
	$(BIN)/python benchmarks/bench_electra.py
	$(BIN)/python benchmarks/bench_grading.py
	$(BIN)/python benchmarks/bench_cluster.py
	$(BIN)/python tools/simulate_class.py

# How far the grader can be trusted. Audits are made anew whatever their stamps say, an hour or more; error rates of a lesson in
# which something has changed that decides them, some minutes each: whole experiments are run, right ones and wrong ones.
# A step that finds something does not keep the others from running (-k): it is named at the end, and the page stays as it was.
TRUST := benchmarks/results/trust
STEPS := $(addprefix trust-,audits headroom errors attacks faults fuzz)
.PHONY: trust-page $(STEPS)
trust: .venv/ready
	sh ci/apt.sh
	$(BIN)/pip install -q -c constraints.txt -e ".[dev,fuzz]"
	mkdir -p $(TRUST)
	@$(MAKE) -k --no-print-directory trust-page

trust-page: $(STEPS)
	$(BIN)/python tools/render_trust.py

trust-audits:
	$(BIN)/grader audit

trust-headroom:
	$(BIN)/grader headroom --out $(TRUST)/headroom.json

trust-errors:
	failed=0; for lesson in solutions/*/*/; do $(BIN)/grader calibrate $$(basename $$lesson) --errors || failed=1; done; exit $$failed

trust-attacks:
	ETUDE_ATTACKS=$(CURDIR)/$(TRUST)/attacks.json $(BIN)/pytest tests/grader/quality/test_attacks.py

trust-faults:
	$(BIN)/pytest tests/grader/grading/test_faults.py tests/grader/classes/test_batch.py --junitxml=$(TRUST)/faults.xml
	sed -i 's/ hostname="[^"]*"//' $(TRUST)/faults.xml

trust-fuzz:
	$(BIN)/python tools/fuzz_codec.py --seconds 120 --out $(TRUST)/fuzz.json

# The CPU and CUDA builds of torch have one version: the pin serves both.
.venv/ready: pyproject.toml constraints.txt
	@echo "Setting up .venv with pinned versions; a few minutes the first time."
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(v < (3, 11) and f"Python 3.11 or newer is needed, this is {v[0]}.{v[1]}: make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --progress-bar on -c constraints.txt "torch==$$(sed -n 's/^torch==//p' constraints.txt)"
	$(BIN)/pip install --progress-bar on -c constraints.txt -e ".[dev]"
	touch .venv/ready

# By name and version alone, as the registry has them: pip freeze would write down the file that a package came from.
constraints: .venv/ready
	$(BIN)/pip install -q -c constraints.txt -e ".[dev,fuzz]"
	{ sed -n 1p constraints.txt; \
	  $(BIN)/pip list --format=freeze --exclude-editable --exclude pip --exclude wheel | sed 's/+.*//'; \
	} > constraints.new && mv constraints.new constraints.txt
