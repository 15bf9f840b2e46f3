# The two commands of the README, and the rest of a developer's day. All of them install what they need.
JOBS ?= $(shell nproc)
MINUTES ?= 5
PYTHON = build/venv/bin/python
LATTICE = build/dev/tools/lattice/lattice

.PHONY: help demo test plain build deps asan tsan fuzz bench bench-peers wheel format clean
.NOTPARALLEL:

help:
	@echo "make demo            build, find the ground in an aerial survey with a trained network"
	@echo "make test            build, run every test; then the fast ones under the sanitizers"
	@echo "make plain           build, run every test"
	@echo "make build           build only: $(LATTICE)"
	@echo "make asan, make tsan fast tests under AddressSanitizer, tests with threads under ThreadSanitizer"
	@echo "make fuzz MINUTES=n  fuzz every reader for n minutes each"
	@echo "make bench           build with benchmarks and run them"
	@echo "make bench-peers     compare with PyTorch-side peers (5.5 GB by pip); ARGS='--rounds 3 --layers'"
	@echo "make wheel           build and check the Python wheel in dist/ (PYTHONS=... for several versions)"
	@echo "make format          clang-format over our sources"

deps:
	@scripts/install_deps.sh

build: deps
	cmake --preset dev
	cmake --build --preset dev --parallel $(JOBS)

demo: deps
	cmake --preset dev
	cmake --build --preset dev --parallel $(JOBS) --target lattice_cli ground_demo
	scripts/demo.sh build/dev

test: plain asan tsan

plain: deps
	cmake --preset dev -DLATTICE_PYTHON=ON
	cmake --build --preset dev --parallel $(JOBS)
	ctest --preset dev --parallel $(JOBS)
	LATTICE_BIN=$(CURDIR)/$(LATTICE) $(PYTHON) -m pytest -q -p no:cacheprovider tests/cli
	PYTHONPATH=build/dev/python $(PYTHON) -m pytest -q -p no:cacheprovider tests/python

asan tsan: deps
	cmake --preset $@
	cmake --build --preset $@ --parallel $(JOBS)
	ctest --preset $@ --parallel $(JOBS)

fuzz:
	scripts/install_deps.sh fuzz
	cmake --preset fuzz
	cmake --build --preset fuzz --parallel $(JOBS)
	scripts/fuzz.sh build/fuzz $(MINUTES)

bench: deps
	cmake --preset release -DLATTICE_BENCH=ON
	cmake --build --preset release --parallel $(JOBS)
	scripts/bench.sh build/release

bench-peers: deps
	cmake --preset release -DLATTICE_BENCH=ON
	cmake --build --preset release --parallel $(JOBS) --target lattice_cli scene_file
	scripts/bench_peers.sh build/release $(ARGS)

wheel: deps
	scripts/build_wheel.sh $(PYTHONS)

format:
	git ls-files -co --exclude-standard '*.cpp' '*.h' '*.hpp' '*.inl' | xargs clang-format -i

clean:
	rm -rf build
