# Two commands from a bare checkout: `make run` and `make test` (`make test-slow`: the long claims). Needs only Python >= 3.11 with venv.
PYTHON ?= python3
BIN := .venv/bin
# Python compiles a module when it is first imported, not now, and keeps it whatever the environment says: tests start many processes.
export PYTHONDONTWRITEBYTECODE :=
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check --prefer-binary --no-compile -c constraints.txt

# A file's tests stay with one worker, which makes its fixtures once; shuffled, each run in another order (-p no:randomly: as written).
PYTEST = MPLBACKEND=Agg OMP_NUM_THREADS=$${OMP_NUM_THREADS:-1} $(BIN)/python -m pytest -q -n auto --dist loadfile --no-loadscope-reorder

.PHONY: run test test-slow lint figures docs pictures notebooks verification bench benchmark clean
.NOTPARALLEL:

# What running needs.
.venv/.run: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(PIP) --upgrade pip  # that of Python 3.11 takes three times as long to choose what to install
	$(PIP) -e .
	find . -path ./.venv -prune -o -name '*.nb[ic]' -exec rm {} +  # compiled kernels of a version before know modules that moved
	touch $@

# What a target needs besides: the extras `test`, `lint`, `docs` of pyproject.toml.
.venv/.%: .venv/.run
	$(PIP) -e '.[$*]'
	touch $@

run: .venv/.run
	$(BIN)/python -m cases run plate_sliding

test: .venv/.test
	$(PYTEST) -m "not slow"

test-slow: .venv/.test .venv/.docs
	$(PYTEST) -m slow

lint: .venv/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The papers' figures into out/, and README's picture into docs/pictures/.
figures: .venv/.run
	MPLBACKEND=Agg $(BIN)/python -m paper_figures
	MPLBACKEND=Agg $(BIN)/python docs/pictures.py

# The site, from what is stored: no test is run, no picture drawn.
docs: .venv/.docs
	$(BIN)/python -m sphinx -b html -W --keep-going docs docs/build/html

# The pictures of the gallery that are not in docs/build/gallery, about 9 minutes of processor for all.
pictures: .venv/.run
	MPLBACKEND=Agg $(BIN)/python docs/generators/gallery.py

# The notebooks of docs/notebooks, executed in place.
notebooks: .venv/.docs
	$(BIN)/python docs/generators/notebooks.py

# The numbers of the verification page, recorded by the tests that assert them.
verification: .venv/.test
	$(PYTEST) tests --verification=docs/verification.json

bench: .venv/.run
	OMP_NUM_THREADS=1 MKL_NUM_THREADS=1 $(BIN)/python benchmarks/ratios.py --json benchmarks/ratios.json --page docs/costs.md \
		--peers $${PEERS:-$(BIN)/python}
	$(BIN)/python benchmarks/coupled_step.py

# The suite's page and pictures; PEERS: an interpreter that has this code's dependencies, and mujoco, drake, ... besides.
benchmark: .venv/.run
	$${PEERS:-$(BIN)/python} -m cases benchmark --out out/benchmark
	cp out/benchmark/benchmark.md docs/benchmark.md
	cp out/benchmark/pictures/suite_*.png docs/pictures

# Fuzz and faults, an hour of them unless TORTURE_MINUTES says otherwise; TORTURE_SEED, TORTURE_WORKERS.
torture: .venv/.test
	$(BIN)/python tests/torture/run.py --json tests/torture/counts.json --page docs/torture.md

clean:
	rm -rf .venv results out docs/build *.egg-info
