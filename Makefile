# make demo, make test and make docs include the setup; see README.md.
SHELL := /bin/bash
ENTER := . standalone/setup.bash &&

.PHONY: help setup demo test lint docs clean

help:
	@echo "make setup   build everything: .venv and install/ in this folder"
	@echo "make demo    a guided tour at http://localhost:8080 (ONCE=1: end by itself)"
	@echo "make test    run all tests (PACKAGE=rigid_tree_nao: those of one package)"
	@echo "make lint    check format, style and types"
	@echo "make docs    build the manual: build/docs/index.html"
	@echo "make clean   remove what was built"

setup:
	@scripts/setup.sh

demo: setup
	@$(ENTER) exec ros2 launch rigid_tree_demos demo.launch.py \
	  once:=$(if $(ONCE),true,false) open_browser:=$(if $(ONCE),false,true)

# Two files with nodes at a time: with more, on two cores, they stall and tests that watch motions
# fail. Beside them, files that only compute: see conftest.py.
TESTS := $(if $(PACKAGE),$(if $(filter rigid_tree_kinematics,$(PACKAGE)),test,packages/$(PACKAGE)/test))
test:
	@scripts/setup.sh test
	@$(ENTER) exec python -m pytest -n 3 --max-worker-restart 3 --dist loadfile --no-loadscope-reorder -r fE $(TESTS) $(ARGS)

lint:
	@scripts/setup.sh test
	@$(ENTER) ruff check . && ruff format --check . && codespell && mypy

docs:
	@scripts/setup.sh docs
	@$(ENTER) exec python -m sphinx -W --keep-going -q docs build/docs
	@echo "the manual is in build/docs/index.html"

clean:
	rm -rf .venv build install log docs/reference .pytest_cache .mypy_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
