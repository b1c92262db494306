# What the recipes of layers and functions share. `sam build` runs them where they stand and says
# where to put things (ARTIFACTS_DIR), but not for which processor: ARCHITECTURE in the environment
# does, and must be the same word as the template's parameter.

ROOT := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))/..)
UV := $(firstword $(wildcard $(ROOT)/.tools/uv/bin/uv) uv)
PYTHON := $(firstword $(wildcard $(ROOT)/.venv/bin/python) python3.13)

ARCHITECTURE ?= arm64
platform_arm64 := aarch64-manylinux_2_34
platform_x86_64 := x86_64-manylinux_2_34
PLATFORM := $(or $(platform_$(ARCHITECTURE)),$(error ARCHITECTURE is arm64 or x86_64, not "$(ARCHITECTURE)"))

# Wheels for Lambda's own system, exactly those that the lock names.
INSTALL := "$(UV)" pip install --quiet --python "$(PYTHON)" --python-version 3.13 \
	--python-platform $(PLATFORM) --only-binary :all: --no-deps --require-hashes --target

# Lambda's folders are read-only, so what is not compiled here is compiled at every cold start; no
# time of a file is looked at, since packing changes it.
COMPILE := "$(PYTHON)" -m compileall -q --invalidation-mode unchecked-hash
