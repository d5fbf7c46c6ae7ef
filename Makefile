# Everything below sets up what it needs: Python 3.11 (or newer) and make are enough.
#   make demo    referees the sample recording and leaves a report
#   make test    runs every test
# Two environments, so that playing never installs what testing needs: .venv and .venv-test
# (and .venv-train, made only by `make train`, and .venv-path with the path tracer, by `make eval` and `make data` of
# a set named real-...; it also needs LLVM: `make llvm` installs the deb libllvm19). Versions are pinned in requirements/.

PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
PIP = bin/python -m pip --disable-pip-version-check --quiet

RUN = .venv/bin/python -m referee.commands
TEST = .venv-test/bin/python
TRAIN = .venv-train/bin/python
TRACE = .venv-path/bin/python

# What is drawn beside the art that is fetched: `make eval` measures on pictures made with so much.
DRAWN ?= --decks 150 --backs 400 --printed 600 --surfaces 320

OUT ?= out
SET ?= tables
# who builds a set: path-traced ones need their own environment
BUILDER = $(if $(filter real-%,$(SET)),.venv-path,.venv-test)
TRACER = $(if $(filter real-%,$(SET)),llvm)
HANDS ?= 2000
TURN_HANDS ?= 500
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help demo serve test lint format bench bench-eye bench-table art data train eval eval-umpire eval-layouts gate wheel lock clean

help:  ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 18

demo: .venv/.ready  ## referee the sample recording, print the score, leave a report in out/
	$(RUN) demo --out $(OUT) $(ARGS)

serve: .venv/.ready  ## the web page
	$(RUN) serve $(ARGS)

# A process for each core, four at most, and each takes whole files of tests, so that these share what they set up.
test: .venv-test/.ready  ## every test
	OPENBLAS_NUM_THREADS=1 $(TEST) -m pytest --numprocesses auto --maxprocesses 4 --dist loadfile $(ARGS)

lint: .venv-test/.ready  ## ruff and the type checker
	$(TEST) -m ruff check .
	$(TEST) -m ruff format --check .
	$(TEST) -m mypy

format: .venv-test/.ready  ## let ruff put the sources in order
	$(TEST) -m ruff check --fix .
	$(TEST) -m ruff format .

bench: .venv-test/.ready  ## how fast eye and rules are; six programs at one match; 20,000 broken files; the rules on HANDS careless hands a game (long)
	$(TEST) -m scripts.measure.bench $(ARGS)
	$(TEST) -m scripts.measure.bench.robust --cases 20000
	$(TEST) -m scripts.measure.bench.match --rounds 200
	$(TEST) -m scripts.measure.bench.speed --out docs/bench/speed.json
	$(TEST) -m scripts.measure.bench.rules --hands $(HANDS) --turn-hands $(TURN_HANDS) --out docs/bench/rules

bench-eye: art  ## how fast the eye is: a table of 60 cards, a photo of 12 megapixels, see from its start
	OPENBLAS_NUM_THREADS=1 $(TEST) -m scripts.measure.bench.eye --out docs/bench/eye.json $(ARGS)

bench-table: art  ## how fast the digital table is
	$(TEST) -m scripts.measure.bench.table --out docs/bench/table.json $(ARGS)

art: .venv-test/.ready  ## fetch deck art and textures, build the decks, draw more (once, into cache/)
	$(TEST) -m scripts.build.assets $(DRAWN) $(if $(filter art,$(MAKECMDGOALS)),$(ARGS))

data: art $(BUILDER)/.ready $(TRACER)  ## build a named set of rendered pictures with their truth: SET=tables (see --list), ARGS="--pictures 20"
	$(BUILDER)/bin/python -m scripts.build.dataset $(SET) --out $(OUT)/$(SET) $(ARGS)

# What `make train` trains: everything that models/ holds, one network of it (NET=rows), or one for a first look
# (NET=quick), which stays in runs/quick. The steps stand in scripts/train/recipes.
NET ?= all
train: art .venv-train/.ready  ## train what models/ holds, by scripts/train/recipes: NET=rows for one, MINUTES=100 each, ARGS=--dry-run; or NET=quick
	$(TRAIN) -m scripts.train.recipe $(NET) $(if $(MINUTES),--minutes $(MINUTES)) $(ARGS)

# What the path tracer needs beside its environment.
LLVM = ldconfig -p | grep -qE 'libLLVM(-|\.so\.)(17|18|19)' || test -n "$$DRJIT_LIBLLVM_PATH"
ROOT = $$(test "$$(id -u)" = 0 || echo sudo)

.PHONY: llvm
llvm:
	@$(LLVM) || { $(ROOT) apt-get update -qq && $(ROOT) apt-get install -y -qq --no-install-recommends libllvm19; }

eval: art .venv-path/.ready llvm  ## measure the eye, write docs/eyes.md: ARGS="--real DIR --pictures 200"
	NERTS_PATH_TRACER=required $(TRACE) -m pytest tests/datasets/test_renderers.py
	$(TEST) -m scripts.measure.eyes --out docs/eyes.md $(ARGS)

# Every film hangs on SEED: a report takes one that nobody has looked at.
SEED ?= 1
eval-umpire: art  ## measure replays film by film, write docs/umpire.md (hours; a stopped run goes on): SEED=2 ARGS="--only two --minutes 30"
	OPENBLAS_NUM_THREADS=1 $(TEST) -m scripts.measure.umpire --seed $(SEED) $(ARGS)

# so many hands of each preset
LAYOUTS ?= 300
eval-layouts: .venv-test/.ready  ## measure hands without a picture, write docs/layouts.md (a stopped run goes on): SEED=2 LAYOUTS=300 ARGS="--jobs 2"
	mkdir -p $(OUT)
	OPENBLAS_NUM_THREADS=1 $(TEST) -m scripts.measure.layouts --seed $(SEED) --preset every --seats 2 --hands $(LAYOUTS) \
	  --rows $(OUT)/layouts.jsonl --page docs/layouts.md $(ARGS)

gate: art  ## measure replays of hands filmed by scripts.build.film.hand --gate: ARGS=out/gate
	$(TEST) -m scripts.measure.hands $(ARGS)

wheel: .venv-test/.ready  ## build the wheel into dist/
	$(TEST) -m pip --disable-pip-version-check wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .

lock:  ## pin the newest allowed versions anew
	sh requirements/lock.sh $(PYTHON)

clean:  ## forget the environments and everything built
	rm -rf .venv .venv-test .venv-train .venv-path dist build $(OUT)

.venv/.ready: requirements/runtime.txt
.venv-test/.ready: requirements/test.txt
.venv-train/.ready: requirements/train.txt
.venv-path/.ready: requirements/path.txt

%/.ready: pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: install it, or name it with make PYTHON=..." >&2; exit 2; }
	@echo "setting up $* (once)"
	@$(PYTHON) -m venv --clear $*
	@$*/$(PIP) install -r $(filter requirements/%,$^)
	@$*/$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@
