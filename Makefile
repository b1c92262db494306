# `make` lists what can be done here. Everything is installed into this checkout (.venv, .tools)
# on first use; the only things that must be there are Python 3.8 or later, git and make.

SHELL := /bin/bash
.DEFAULT_GOAL := help

# The first Python that answers: a version manager's stand-in may be there and name a missing one.
PYTHON := $(shell for python in python3 python /usr/bin/python3; do \
	"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2>/dev/null && echo "$$python" && break; done)
BOOTSTRAP = @$(if $(PYTHON),"$(PYTHON)",echo "Python 3.8 or later is needed, and none answers."; false) setup/bootstrap.py
IN_VENV := .venv/bin/

.PHONY: help setup run emulator test check faults mutate bench lock clean

help: ## list what can be done
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

run: ## start the demo agent and Threadline on this machine
	$(BOOTSTRAP) run
	@exec $(IN_VENV)threadline serve

emulator: ## start an AWS emulator with what the functions need, to try one of them (CONFIG=, BIND=)
	$(BOOTSTRAP) emulator
	@exec $(IN_VENV)python -m setup.emulator $(if $(CONFIG),--config "$(CONFIG)") $(if $(BIND),--bind "$(BIND)")

setup: ## install everything that running and testing need
	$(BOOTSTRAP) test

test: ## check everything, then run every test
	$(BOOTSTRAP) test
	@$(IN_VENV)python setup/parts.py test

check: ## lint, formatting, types and the direction of imports
	$(BOOTSTRAP) check
	@$(IN_VENV)python setup/parts.py

faults: ## let everything go wrong that can, in every kind of turn (5 minutes)
	$(BOOTSTRAP) test
	@$(IN_VENV)python -m tests.faults --kills 50 --messages 10000 --aws 50

mutate: ## see that the fault harness finds wrong changes (2 minutes)
	$(BOOTSTRAP) dev
	@$(IN_VENV)python -m tests.faults.mutate

bench: ## measure side by side with the vendors' libraries what was promised (20 minutes)
	$(BOOTSTRAP) measure
	@$(IN_VENV)python -m tests.bench

lock: ## resolve requirements/*.in anew into pinned and hashed sets
	$(BOOTSTRAP) dev
	@$(IN_VENV)python setup/lock.py

clean: ## remove what was installed here and what the tools left (.threadline, your data, stays)
	@rm -rf .venv .tools .aws-sam .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
