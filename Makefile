# Everything sets itself up: a virtual environment in .venv, at the exact versions of constraints.txt.

PYTHON ?= python3
BIN := .venv/bin
export PIP_CONSTRAINT := constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# The tests start hundreds of processes, each of which would compile all of our code again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help install demo demo-kafka serve test check lint chaos chaos-kafka soak bench bench-quick pictures guide trials docs clean

help: ## Say what can be made.
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

install: .venv/with-tools ## Install Mahjic and the tools of its developers into .venv.

demo: .venv/ready ## Run a real service on a temporary folder, play a season, show the ratings.
	@$(BIN)/mahjic demo

demo-kafka: .venv/with-tools ## The same on a real Kafka, with every part a process of its own (Java and Maven).
	@$(BIN)/python -m tests.kafka.prepare
	@$(BIN)/python -m tests.kafka_demo

serve: .venv/ready ## Run the service, with its own database in a folder of yours.
	@$(BIN)/mahjic serve

test: .venv/with-tools ## Run all tests, on a real PostgreSQL and a real Kafka that they start.
	@$(BIN)/python -m tests.kafka.prepare
	@$(BIN)/python -m tests.browser.prepare
	@$(BIN)/python -m tests.verification.stripe.prepare
	@$(BIN)/python -m tests.transparency.judges.prepare
	@$(BIN)/pytest $(or $(PYTEST),--numprocesses=3 --dist=loadfile --no-loadscope-reorder --durations=40 --durations-min=5)

check: lint ## Format, lint, types, import contracts, and every test that needs no database.
	@$(BIN)/pytest -q --numprocesses=2 --dist=loadfile -m 'not starts_servers'

lint: .venv/with-tools ## Format, lint, types and import contracts alone, also of JavaScript (Node and npm).
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python -m tests.javascript

chaos: .venv/with-tools ## Kill the parts at random instants: make chaos N=200 [SEED=1].
	@MAHJIC_CHAOS_ROUNDS=$(or $(N),100) MAHJIC_CHAOS_SEED=$(SEED) $(BIN)/pytest tests/chaos -s --timeout=0

chaos-kafka: .venv/with-tools ## The same on Kafka, with Kafka away for a minute: make chaos-kafka N=200 [SEED=1].
	@$(BIN)/python -m tests.kafka.prepare
	@MAHJIC_CHAOS_ROUNDS=$(or $(N),100) MAHJIC_CHAOS_SEED=$(SEED) MAHJIC_CHAOS_AWAY_S=60 \
		$(BIN)/pytest tests/chaos_kafka -s --timeout=0

soak: .venv/with-tools ## Import a million sessions and prove what is there: make soak [N=1000000] [SEED=1] [OUT=report.md].
	@$(BIN)/python -m tests.soak --sessions $(or $(N),1000000) --seed $(or $(SEED),1) $(if $(OUT),--out $(OUT))

bench: .venv/with-tools ## Measure the speed, as ratios against limits in the same run.
	@$(BIN)/python -m bench

bench-quick: .venv/with-tools ## The same with less of everything, in under two minutes.
	@$(BIN)/python -m bench --quick

pictures: .venv/with-tools ## Write pictures of the site's main pages: make pictures [OUT=folder] (Chromium).
	@$(BIN)/python -m tests.pictures $(or $(OUT),pictures)

guide: .venv/with-tools ## Write the pictures of docs/clubs.md anew (Chromium).
	@$(BIN)/python -m tests.pictures.guide

trials: .venv/with-tools ## Make the made-up history of docs/proposals, and the trials on it, again.
	@$(BIN)/python -m tests.proposals.trying

docs: .venv/with-tools ## Write the documents that are generated (openapi.json and others), and the types of clients/js.
	@$(BIN)/python -m tests.documents

clean: ## Remove what make made.
	rm -rf .venv .kafka .go-tools .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache node_modules

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Mahjic needs Python 3.11 or newer: make PYTHON=python3.12 ..." >&2; exit 1; }
	$(PYTHON) -m venv .venv

.venv/ready: .venv/bin/python pyproject.toml constraints.txt
	$(BIN)/pip install --quiet --editable .
	@touch $@

.venv/with-tools: .venv/ready
	$(BIN)/pip install --quiet --editable '.[dev]'
	@touch $@
