# What people type. Each target makes its own .venv when it is missing and is quick the second time.
#   make run | test | check | fuzz | bench | vendor | schema | picture | format | clean

SHELL := /bin/sh
BIN := .venv/bin
FOLDER ?= .
TESTS ?= tests
WORKERS ?= 2

.PHONY: run test check fuzz bench vendor schema picture format clean

run: .venv/stamp-all
	$(BIN)/anyide $(FOLDER)

test: .venv/stamp-dev .venv/stamp-browser
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(TESTS)

check: .venv/stamp-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python tools/hygiene.py
	$(BIN)/python tools/acp_schema.py --check
	$(BIN)/python tools/vendor.py --types

fuzz: .venv/stamp-dev
	$(BIN)/python tools/fuzz.py --count 200000

bench: .venv/stamp-dev
	$(BIN)/python -m bench

vendor: .venv/stamp-dev
	$(BIN)/python tools/vendor.py

schema: .venv/stamp-dev
	$(BIN)/python tools/acp_schema.py

picture: .venv/stamp-dev .venv/stamp-browser
	$(BIN)/python tools/screenshot.py

format: .venv/stamp-dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf .venv build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis bench/results
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# `run` needs only what users need; the development tools bring the same and more.
.venv/stamp-all: pyproject.toml constraints.txt tools/venv.sh
	@test -e .venv/stamp-dev || sh tools/venv.sh all $@
	@touch $@

.venv/stamp-browser: .venv/stamp-dev tools/browser.sh
	sh tools/browser.sh $@

.venv/stamp-dev: pyproject.toml constraints.txt tools/venv.sh
	sh tools/venv.sh dev $@
