# Two commands are all that a newcomer needs: `make demo` and `make test`.
# Each makes its own .venv, is quick the second time and may be interrupted at any moment.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test test-slow test-gpu test-spark test-peers lint format samples screenshots bench clean

demo: .venv/.core-installed
	@$(BIN)/tacit demo

test: lint
	@sh tools/install_browser.sh
	@$(BIN)/python -m pytest -n auto --dist loadfile -m "not slow and not gpu"

test-slow: .venv/.dev-installed
	@$(BIN)/python -m pytest -m slow

test-gpu: .venv/.dev-installed
	@$(BIN)/python -m pytest -m gpu

test-spark: .venv/.dev-installed
	@PYTHON="$(PYTHON)" sh tools/install.sh spark
	@$(BIN)/python -m pytest tests/grounding_spark tests/test_docs.py

test-peers: .venv/.dev-installed
	@PYTHON="$(PYTHON)" sh tools/install.sh peers
	@$(BIN)/python -m pytest tests/logic tests/app/test_export.py -k snorkel

bench: .venv/.dev-installed
	@$(BIN)/python -m benchmarks.grounding
	@$(BIN)/python -m benchmarks.inference
	@$(BIN)/python -m benchmarks.label_model

lint: .venv/.dev-installed
	@$(BIN)/ruff format --check --quiet . || { echo "not formatted: run 'make format'"; exit 1; }
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy --no-error-summary

format: .venv/.dev-installed
	@$(BIN)/ruff check --fix --quiet . ; $(BIN)/ruff format --quiet .

screenshots: .venv/.dev-installed
	@sh tools/install_browser.sh
	@$(BIN)/python -m tools.screenshots

samples: .venv/.dev-installed
	@$(BIN)/python -m tools.make_samples

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis dist

.venv/.core-installed: pyproject.toml constraints.txt tools/install.sh
	@PYTHON="$(PYTHON)" sh tools/install.sh core

.venv/.dev-installed: .venv/.core-installed
	@PYTHON="$(PYTHON)" sh tools/install.sh dev
