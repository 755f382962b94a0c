# Every target sets itself up: a machine needs python3 (3.11+), make and a C++ compiler, nothing else.
PYTHON ?= python3
BIN := .venv/bin
COMPILING := Installing packages into .venv and compiling the C++ core: 2 to 4 minutes without output, again only when the core changes.
CORE := CMakeLists.txt pyproject.toml $(wildcard core/*.hpp core/*.cpp core/*/*.hpp core/*/*/*.hpp core/*/*.cpp checker/*.hpp checker/*.cpp)

.PHONY: demo test test-slow test-all lint bench bench-evaluate bench-step bench-returns bench-sizes bench-evaluations bench-timing bench-peers bench-published fuzz sanitize sanitize-quick core clean bench-proofs bench-rules-agree bench-random bench-simulation bench-kills bench-against bench-scale bench-large

demo: .venv/stamp-run          ## the main job on a shipped model
	$(BIN)/spotree solve tiger_vs_antelope --depth 3 --time 10

test: .venv/stamp-dev lint     ## lint and the quick tests, in minutes
	$(BIN)/pytest -n 2 -m "not slow and not cluster and not browser"

test-slow: .venv/stamp-dev     ## the tests that `make test` leaves out: slow, cluster, browser
	$(BIN)/pytest -n 2 -m "slow or cluster or browser"

test-all: test test-slow       ## every test

lint: .venv/stamp-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $(filter %.hpp %.cpp,$(CORE))

bench: .venv/stamp-dev          ## the quick tables; the long ones are bench-... in benchmarks/README.md
	$(BIN)/python benchmarks/step.py --quick
	$(BIN)/python benchmarks/evaluations.py

bench-evaluate: .venv/stamp-dev ## policy evaluation on 345,000 states, compared with scipy's splu
	$(BIN)/python benchmarks/evaluate.py $(ARGS)

bench-large: .venv/stamp-dev    ## first trees on models of 300,000 and 10^6 states with one component; ARGS="--models grid_300k --limits 5"
	$(BIN)/python benchmarks/large.py $(ARGS)

bench-step: .venv/stamp-dev     ## the improvement step compared with pystreed; options through ARGS="--quick"
	$(BIN)/python benchmarks/step.py $(ARGS)

bench-returns: .venv/stamp-dev  ## returns of the default search and published ones; ARGS="--seeds 0 1 2 3 4"
	$(BIN)/python benchmarks/returns.py $(ARGS)

bench-sizes: .venv/stamp-dev    ## fewest inner nodes of nearly optimal trees, compared with dtControl; ARGS="--deep" or "--frontier"
	$(BIN)/python benchmarks/sizes.py $(ARGS)

bench-evaluations: .venv/stamp-dev   ## candidate trees evaluated per second and core
	$(BIN)/python benchmarks/evaluations.py $(ARGS)

bench-proofs: .venv/stamp-dev   ## proofs over all trees with checked certificates; ARGS="--time 60 --depths 1 2"
	$(BIN)/python benchmarks/proofs.py $(ARGS)

bench-rules-agree: .venv/stamp-dev ## both branching rules with each proof option off in turn: the same optimum; ARGS="--time 20"
	$(BIN)/python benchmarks/rules_agree.py $(ARGS)

bench-random: .venv/stamp-dev   ## claims about 10,000 random models against all trees, both checkers; ARGS="--count 500 --seed 3"
	$(BIN)/python benchmarks/random_models.py $(ARGS)

bench-simulation: .venv/stamp-dev ## coverage of the 99 % interval of simulated episodes; ARGS="--runs 20"
	$(BIN)/python benchmarks/simulation.py $(ARGS)

bench-scale: .venv/stamp-dev    ## speed-up of two workers: search, rsbb and proof; ARGS="--seconds 10 --repeats 1 --tcp"
	$(BIN)/python benchmarks/stress/scale.py $(ARGS)

bench-kills: .venv/stamp-dev    ## kill -9 of driver and workers at random instants: same value, at most one period lost; ARGS="--kills 5 --cluster local:2"
	$(BIN)/python benchmarks/stress/kills.py $(ARGS)

bench-against: .venv/stamp-dev  ## CPU time compared with another commit, in alternation; BASE=<commit> ARGS="--only step"
	$(BIN)/python benchmarks/against.py --base $(BASE) $(ARGS)

bench-timing: .venv/stamp-dev   ## the paper's timing study: HiGHS, rsbb, exact; options through ARGS="--time-limit 10"
	@mkdir -p build
	$(BIN)/python benchmarks/timing.py --plot build/timing.png $(ARGS)

bench-peers: .venv/stamp-dev    ## dtPAYNT live, in its own environment, in one table with spotree; ARGS="--models blackjack --depths 2"
	@test -x .venv-paynt/bin/python || $(BIN)/python benchmarks/peers.py --setup
	$(BIN)/python benchmarks/peers.py $(ARGS)

bench-published: .venv/stamp-dev ## spotree and the published returns of dtPAYNT and OMDT, D = 1 to 4
	$(BIN)/python benchmarks/peers.py --published $(ARGS)

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/stamp-run: .venv/bin/python $(CORE)
	@echo "$(COMPILING)"
	$(BIN)/pip install --quiet -c constraints.txt -e .
	@touch $@

.venv/stamp-dev: .venv/bin/python $(CORE)
	@echo "$(COMPILING)"
	SKBUILD_CMAKE_ARGS=-DSPOTREE_STRICT=ON $(BIN)/pip install --quiet -c constraints.txt -e '.[dev]'
	@touch $@ .venv/stamp-run

fuzz: .venv/stamp-dev           ## broken files for every reader; ARGS="--target umb --seconds 600", findings in build/fuzz
	PYTHONPATH=tests $(BIN)/python -m fuzz.run $(ARGS)

# One binary for each part of the core and sanitizer: `build/asan-proof 1 17` repeats trial 17 of the proofs.
SANITIZED := runtime values exact rsbb neighbourhood leaf_search proof checker
CHECKED := $(SANITIZED:%=build/asan-%) $(SANITIZED:%=build/tsan-%)
CHECK_FLAGS := -std=c++20 -O0 -g1 -march=native -fno-sanitize-recover=all -Icore -pthread

build/asan-%: tests/sanitize/%.cpp tests/sanitize/random_models.hpp $(CORE)
	@mkdir -p build
	$(CXX) $(CHECK_FLAGS) -fsanitize=address,undefined,float-cast-overflow $< -o $@

build/tsan-%: tests/sanitize/%.cpp tests/sanitize/random_models.hpp $(CORE)
	@mkdir -p build
	$(CXX) $(CHECK_FLAGS) -fsanitize=thread $< -o $@

sanitize: $(CHECKED)           ## every part of the core under AddressSanitizer + UBSan, and under ThreadSanitizer
	for binary in $(CHECKED); do TSAN_OPTIONS=halt_on_error=1 $$binary $(TRIALS) || exit 1; done

sanitize-quick: $(CHECKED)     ## the same with a few trials each; what CI runs
	for binary in $(CHECKED); do TSAN_OPTIONS=halt_on_error=1 $$binary 12 || exit 1; done

core:                          ## rebuild only the extensions of .venv after a change in core/ or checker/
	@test -e .venv/stamp-dev || $(MAKE) .venv/stamp-dev
	$(BIN)/pip install --quiet --no-deps --no-build-isolation -C build-dir=build/core -C cmake.define.SPOTREE_STRICT=ON -e .
	@touch .venv/stamp-run .venv/stamp-dev

clean:
	rm -rf .venv build
