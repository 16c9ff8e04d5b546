# Each command sets itself up in .venv, and needs only Python 3.11 with venv, make and a registry.

.DEFAULT_GOAL := help
.PHONY: help sheet demo test check types style audit bench lab docs generate size lock clean
.DELETE_ON_ERROR:

# Whoever starts Python hundreds of times, as the tests do, wants what it compiled kept.
unexport PYTHONDONTWRITEBYTECODE

bin := .venv/bin
pip := $(bin)/python -m pip -qq --disable-pip-version-check --no-input
compile := $(bin)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-header $(if $(upgrade),--upgrade)

help:
	@echo "make demo     draw every chart of a synthetic city, on one page"
	@echo "make test     run the tests and every example (all=1: those too that repeat others in depth)"
	@echo "make check    run the linters, the types, the import rules and the house rules"
	@echo "make audit    try to break it (fast=1: as the tests do; part=planted: one attack)"
	@echo "make bench    measure speed, memory and import time"
	@echo "make lab      repeat the experiments of the papers"
	@echo "make docs     build the site into site/"
	@echo "make generate write functions, methods and commands from the definitions of the charts"
	@echo "make sheet    draw the pictures that are hardest to draw well, on one sheet"
	@echo "make size     count files, functions and declarations (path=...: of another checkout)"
	@echo "make lock     lock the versions pyproject.toml asks for (upgrade=1: the newest)"
	@echo "make clean    remove .venv and all that was built"

demo: .venv/run.stamp
	$(bin)/sfumato demo

# Two workers suit two cores; tests/scheduling.py says who runs what.
test: .venv/dev.stamp
	$(bin)/pytest -n $(or $(workers),2) --durations 10 \
		$(if $(all),--hypothesis-profile deep,-m "not slow")

check: types style

types: .venv/dev.stamp
	$(bin)/pyright --pythonpath $(bin)/python

style: .venv/dev.stamp
	$(bin)/ruff check
	$(bin)/ruff format --check
	$(bin)/lint-imports
	$(bin)/pytest -q tests/test_house.py tests/audit/test_planted.py::test_every_bug_can_be_planted

audit: .venv/dev.stamp .venv/audit.stamp
	$(bin)/python audit/run.py $(if $(fast),--fast) $(if $(write),--write) $(part)

bench: .venv/dev.stamp
	@missed=""; for script in $(sort $(wildcard bench/*.py)); do \
		echo "== $$script"; $(bin)/python $$script || missed="$$missed $$script"; done; \
	if [ -n "$$missed" ]; then echo "Not all was met:$$missed" >&2; exit 1; fi

# Every experiment runs, also after one that misses what is demanded of it.
lab: .venv/dev.stamp .venv/lab.stamp
	@missed=""; for script in $(sort $(wildcard lab/*.py)); do \
		echo "== $$script"; $(bin)/python $$script || missed="$$missed $$script"; done; \
	if [ -n "$$missed" ]; then echo "Not all was met:$$missed" >&2; exit 1; fi

# The site must open without a network, so nothing it loads may come from one.
docs: .venv/run.stamp .venv/docs.stamp
	NO_MKDOCS_2_WARNING=1 $(bin)/mkdocs build --strict --quiet
	@! grep -rnE '<(script|link|img|iframe)[^>]*(src|href)="?(https?:)?//' site --include='*.html'
	@echo "Open site/index.html"

generate: .venv/dev.stamp
	$(bin)/python tools/generate.py
	$(bin)/python tools/schema.py

sheet: .venv/dev.stamp
	$(bin)/python tools/contact_sheet.py contact-sheet.png

size: .venv/dev.stamp
	$(bin)/python tools/size.py $(path)

lock: .venv/lock.stamp
	$(compile) pyproject.toml --group dev -o requirements/dev.txt
	$(compile) pyproject.toml --group build -c requirements/dev.txt -o requirements/run.txt
	$(compile) --group audit -c requirements/dev.txt -o requirements/audit.txt
	$(compile) --group docs -c requirements/dev.txt -o requirements/docs.txt
	$(compile) --group lab -c requirements/dev.txt -o requirements/lab.txt
	$(compile) --group lock -o requirements/lock.txt

clean:
	rm -rf .venv build dist site demo .pytest_cache .ruff_cache .hypothesis .import_linter_cache

.venv/made.stamp:
	@python=$$(for candidate in $(PYTHON) python3.11 python3 python3.12 python3.13 python3.14; do \
		if $$candidate -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' \
			2>/dev/null; then echo $$candidate; break; fi; done); \
	if [ -z "$$python" ]; then \
		echo "sfumato needs Python 3.11 or newer, with its venv module. Install python3.11 and" >&2; \
		echo "python3.11-venv, or name yours: make PYTHON=/path/to/python" >&2; exit 1; fi; \
	echo "Making .venv with $$python"; $$python -m venv --clear .venv
	@touch $@

# What the tests need holds what the demo needs, at the same versions.
.venv/dev.stamp: requirements/dev.txt pyproject.toml .venv/made.stamp
	@echo "Installing requirements/dev.txt (once)"
	@$(pip) install --require-hashes -r requirements/dev.txt
	@$(pip) install --no-deps --no-build-isolation --editable .
	@touch .venv/run.stamp $@

.venv/run.stamp: requirements/run.txt pyproject.toml .venv/made.stamp
	@echo "Installing requirements/run.txt (once)"
	@$(pip) install --require-hashes -r requirements/run.txt
	@$(pip) install --no-deps --no-build-isolation --editable .
	@touch $@

.venv/audit.stamp .venv/docs.stamp .venv/lab.stamp .venv/lock.stamp: .venv/%.stamp: requirements/%.txt .venv/made.stamp
	@echo "Installing $< (once)"
	@$(pip) install --require-hashes -r $<
	@touch $@
