# pbf: position based fluids. `make help` lists the targets.
#
# One file: folders are found by themselves, objects go to build/CONFIG, instruction-set flags sit on the
# files whose names end in _avx2.c and _avx512.c only, so that one binary runs on any x86-64.

VERSION := 0.1.0
config  ?= release
PREFIX  ?= /usr/local
BUILD   := build/$(config)
ifeq ($(origin CC),default)
CC := gcc
endif
# One compiler for all files, as sanitizers need it (gcc and clang go by the suffix), unless CXX is given.
ifeq ($(origin CXX),default)
CXX = $(CC)
endif

CFLAGS_release  := -O3 -g
CFLAGS_debug    := -O0 -g3 -DPBF_POISON
CFLAGS_sanitize := -O1 -g1 -DPBF_POISON -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
CFLAGS_tsan     := -O1 -g1 -fsanitize=thread -DPARALLEL_TURNS
CFLAGS_fuzz     := -O1 -g1 -fsanitize=fuzzer-no-link,address,undefined,float-cast-overflow \
                   -fno-sanitize=function -fno-sanitize-recover=all
CFLAGS_syntax   := -fsyntax-only
CFLAGS_mutants  := -O2 -fsanitize=bounds -fsanitize-undefined-trap-on-error
ifeq ($(CFLAGS_$(config)),)
$(error config=$(config) is unknown (release, debug, sanitize, tsan, fuzz))
endif
ifneq ($(filter -Ofast -ffast-math -funsafe-math-optimizations,$(CFLAGS) $(CXXFLAGS) $(LDFLAGS)),)
$(error pbf computes by the rules of IEEE 754: leave out -Ofast, -ffast-math and -funsafe-math-optimizations)
endif

# Our flags, then the user's, which win, then what results depend on: no contraction to fused multiply-adds
# gives the same bits from every instruction set and compiler.
COMMON    = -Wall -Wextra -Wpedantic -Wshadow $(CFLAGS_$(config)) -fopenmp -pthread -D_GNU_SOURCE -Isrc \
            -DPBF_VERSION='"$(VERSION)"' $(CPPFLAGS)
EXACT    := -ffp-contract=off -fno-math-errno
C_FLAGS   = -std=c17 -Wstrict-prototypes -Wmissing-prototypes $(COMMON) $(CFLAGS) $(EXACT)
# The door to Dear ImGui is C++ without exceptions, RTTI and standard library.
CXX_FLAGS = -std=c++17 -fno-exceptions -fno-rtti $(COMMON) $(CXXFLAGS) $(EXACT) \
            $(patsubst -I%,-isystem%,$(shell pkg-config --cflags imgui))
PACKAGES := libfyaml libpng libzstd zlib glew egl glfw3 imgui
# stdc++ is for Dear ImGui alone.
LIBS      = $(shell pkg-config --libs $(PACKAGES)) $(EMBREE) -lstdc++ -ldl -lm
# The path tracer of --style photo, where Embree 3 is installed; EMBREE= leaves it out.
EMBREE   := $(shell $(CC) $(CPPFLAGS) -include embree3/rtcore.h -E -x c /dev/null >/dev/null 2>&1 && echo -lembree3)
# CI and tests set WERROR. Objects are the same with it: it is not among the flags that rebuild them.
STRICT   := $(if $(WERROR),-Werror)

X86    := $(filter x86_64%,$(shell $(CC) -dumpmachine 2>/dev/null))
AVX2   := $(if $(X86),-mavx2 -mfma)
AVX512 := $(if $(X86),-mavx512f -mavx512dq -mavx512bw -mavx512vl)
SCALAR := -fno-tree-vectorize -fno-tree-slp-vectorize

# The source list of the program; main.c is kept apart so that tests can link everything else.
SOURCES := $(sort $(wildcard src/*/*.c src/*/*/*.c src/*/*.cpp))
OBJECTS := $(patsubst %,$(BUILD)/%.o,$(basename $(SOURCES))) $(BUILD)/shaders.o
TESTS   := $(patsubst tests/%.c,$(BUILD)/tests/%,$(sort $(wildcard tests/test_*.c)))
HELPERS := $(patsubst %.c,$(BUILD)/%.o,$(filter-out $(wildcard tests/test_*.c),$(wildcard tests/*.c)))
CEILINGS := $(patsubst %.c,$(BUILD)/%.o,$(sort $(wildcard tools/bench/ceiling*.c)))
BENCHES := $(patsubst %,$(BUILD)/bench_%,broad_phase contours neighbors sector shapes solver)
SHADERS := $(sort $(wildcard shaders/*))

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: FORCE

.PHONY: all
all: setup ## build build/pbf (installs missing Debian packages first); it is what `make` alone does
	@$(MAKE) --no-print-directory $(ALL_CORES) build/pbf

# Unless the caller chose how many jobs run at once.
ALL_CORES = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))

# Installs what is missing from Debian's packages, or says how: what building needs, what tests need besides.
.PHONY: setup setup-tests
setup:
	@LIBRARIES="$(PACKAGES)" tools/setup build
setup-tests:
	@LIBRARIES="$(PACKAGES)" tools/setup test

# Linked again for whichever configuration was asked for last.
.PHONY: build/pbf
build/pbf: $(BUILD)/pbf
	@ln -f $< $@ 2>/dev/null || cp -f $< $@

# What objects were compiled with, and what programs were linked from: rewritten only when it changes.
FACTS_flags = $(shell $(CC) --version) $(CC) $(C_FLAGS) $(CXX) $(CXX_FLAGS) $(AVX2) $(AVX512) $(SCALAR)
FACTS_files = $(OBJECTS) $(HELPERS) $(SHADERS) $(LDFLAGS) $(LIBS)
$(BUILD)/flags $(BUILD)/files: FORCE
	@$(shell mkdir -p $(@D))$(file >$@.now,$(FACTS_$(@F)))cmp -s $@.now $@ && rm $@.now || mv $@.now $@

$(BUILD)/src/photo/ray_scene.o: C_FLAGS += $(if $(EMBREE),-DPBF_EMBREE)
$(BUILD)/src/photo/ray_scene.o: $(BUILD)/files
$(BUILD)/%_avx2.o: ISA := $(AVX2)
$(BUILD)/%_avx512.o: ISA := $(AVX512)
$(BUILD)/%_scalar.o: ISA := $(SCALAR)
$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "  CC   $<"
	@$(CC) $(C_FLAGS) $(STRICT) $(ISA) -MMD -MP -c $< -o $@

$(BUILD)/%.o: %.cpp $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "  CXX  $<"
	@$(CXX) $(CXX_FLAGS) $(STRICT) -MMD -MP -c $< -o $@

# Shaders travel inside the program.
$(BUILD)/shaders.c: $(SHADERS) tools/embed $(BUILD)/files
	@tools/embed $(SHADERS) > $@
$(BUILD)/shaders.o: $(BUILD)/shaders.c $(BUILD)/flags
	@$(CC) $(C_FLAGS) -Wno-overlength-strings -c $< -o $@

define link
@$(CC) $(C_FLAGS) -o $@ $(filter %.o,$^) $(1) $(LDFLAGS) $(LIBS) $(2)
@echo "  LINK $@"
endef

$(BUILD)/pbf: $(BUILD)/src/main.o $(OBJECTS) $(BUILD)/files
	$(link)
$(BUILD)/tests/test_%: $(BUILD)/tests/test_%.o $(HELPERS) $(OBJECTS) $(BUILD)/files
	$(call link,,-lcmocka -lX11)
# Preloaded by the test, below the program that it runs.
$(BUILD)/tests/test_file_faults: | $(BUILD)/tests/faulty_files.so
$(BUILD)/tests/faulty_files.so: tests/faults/faulty_files.c $(BUILD)/flags
	@mkdir -p $(@D)
	@$(CC) $(filter-out -fsanitize%,$(C_FLAGS)) $(STRICT) -shared -fPIC $< -o $@ -ldl
$(BUILD)/soak: $(BUILD)/tests/soak/soak.o $(OBJECTS) $(BUILD)/files
	$(link)
$(BUILD)/race: $(BUILD)/tests/threads/race.o $(OBJECTS) $(BUILD)/files
	$(link)
# The fuzz targets without libFuzzer, each under its own name.
FUZZED := $(filter-out input,$(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c)))
$(BUILD)/tests/fuzz/replay_%.o: tests/fuzz/fuzz_%.c $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "  CC   $<"
	@$(CC) $(C_FLAGS) $(STRICT) -DLLVMFuzzerTestOneInput=fuzz_$* -MMD -MP -c $< -o $@
$(BUILD)/tests/test_fuzz_corpus: $(FUZZED:%=$(BUILD)/tests/fuzz/replay_%.o) $(BUILD)/tests/fuzz/fuzz_input.o
$(BUILD)/fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o $(BUILD)/tests/fuzz/fuzz_input.o $(OBJECTS) $(BUILD)/files
	$(call link,-fsanitize=fuzzer)
# Experiments that are not tests: tools/bench/NAME.c becomes bench_NAME.
$(BUILD)/bench_%: $(BUILD)/tools/bench/%.o $(OBJECTS) $(BUILD)/files
	$(link)
$(BUILD)/tools/bench/measure: $(BUILD)/tools/bench/measure.o $(CEILINGS) $(OBJECTS) $(BUILD)/files
	$(link)

# What `make test` does not run, built by it all the same, so that it cannot rot unnoticed.
.PHONY: tools
tools: $(BUILD)/soak $(BUILD)/race $(BUILD)/tools/bench/measure $(BENCHES) \
       $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/fuzz/*.c))

# With config=syntax nothing is made: `make test` has clang read all sources so, where it is installed.
.PHONY: objects
objects: $(OBJECTS) $(BUILD)/src/main.o

.PHONY: demo
demo: ## simulate the dam break: PNG frames and a film in build/demo; goes on where it was stopped
	@LIBRARIES="$(PACKAGES)" tools/setup demo
	@$(MAKE) --no-print-directory $(ALL_CORES) build/pbf
	@tools/demo

.PHONY: check
check: setup-tests ## the quick tests, under a minute on two cores; ends in 'N passed, N failed'
	@tests/run quick

.PHONY: test
test: setup-tests ## every test, twice: as released and with sanitizers; ends in 'N passed, N failed'
	@tests/run

GOLDEN := $(filter %golden,$(TESTS))
.PHONY: golden
golden: setup-tests ## rewrite tests/golden, the recorded states, meshes and searches, where they changed on purpose
	@$(MAKE) --no-print-directory $(GOLDEN)
	@set -e; for program in $(GOLDEN); do $$program --rewrite; done
	@git --no-pager diff --stat -- tests/golden 2>/dev/null || true

.PHONY: test-arm
test-arm: ## cross compile for 64-bit Arm and run quick tests there by emulation: golden hashes, too
	@tests/arm/run

MUTANTS ?= src/fluid src/neighbor src/surface
.PHONY: mutants
mutants: setup-tests ## small faults in the sources, one at a time: prints those that tests do not notice; SAMPLE=200 SEED=1 of them in minutes, all in hours
	@nice -n 5 tools/mutants $(MUTANTS) $(if $(SAMPLE),--sample $(SAMPLE)) $(if $(SEED),--seed $(SEED)) $(if $(JOBS),--jobs $(JOBS))

.PHONY: test-threads
test-threads: setup-tests ## look for data races with the thread sanitizer: every scene and method; needs clang
	@tests/threads/run

.PHONY: fuzz
fuzz: setup-tests ## malformed scenes, meshes, particle files and checkpoints for FUZZ_SECONDS (60) each; needs clang
	@tests/fuzz/run

.PHONY: torture
torture: all ## 100 runs killed and 30 stopped at random moments, each resumed and compared
	@$(MAKE) --no-print-directory $(BUILD)/tests/test_command_resume
	PBF_BINARY=$(BUILD)/pbf PBF_KILLS=100 PBF_STOPS=30 $(BUILD)/tests/test_command_resume

.PHONY: soak
soak: setup ## 100,000 steps of a small scene, 20,000 of one with an emitter and a drain: nothing may grow
	@$(MAKE) --no-print-directory $(BUILD)/soak
	$(BUILD)/soak scenes/still_water.yaml 100000 spacing=0.25
	$(BUILD)/soak scenes/fountain.yaml 20000 spacing=0.06

.PHONY: validation
validation: all ## cases of the literature beside theory and measurements: build/validation/index.html
	@tools/validation/run $(VALIDATION)

.PHONY: bench
bench: all ## steps against the machine's ceilings, by phase, thread and size: build/bench/steps.csv and .png
	@$(MAKE) --no-print-directory $(BUILD)/tools/bench/measure
	@tools/bench/run

.PHONY: bench-contours
bench-contours: setup ## marching cubes alone against VTK's; needs python3-vtk9
	@$(MAKE) --no-print-directory $(BUILD)/bench_contours
	@tools/bench/contours $(BUILD)/bench_contours

.PHONY: bench-collision
bench-collision: setup ## the broad phases of obstacles against each other
	@$(MAKE) --no-print-directory $(BUILD)/bench_broad_phase
	@$(BUILD)/bench_broad_phase

.PHONY: bench-neighbors
bench-neighbors: setup ## the neighbor searches on 1,000,000 points: order, instruction set, a stray
	@$(MAKE) --no-print-directory $(BUILD)/bench_neighbors
	@$(BUILD)/bench_neighbors

.PHONY: bench-solver
bench-solver: setup ## density error against time of iterations, warm starts and small steps: build/bench/solver.csv
	@$(MAKE) --no-print-directory $(BUILD)/bench_solver
	@tools/bench/solver $(BUILD)/bench_solver

SECTOR ?= quick
.PHONY: bench-sector
bench-sector: setup ## the adaptive disk sector of Kim and Lee in its protocol and beyond; SECTOR=full takes longer
	@$(MAKE) --no-print-directory $(BUILD)/bench_sector $(BUILD)/bench_shapes
	@tools/bench/sector $(BUILD)/bench_sector $(BUILD)/bench_shapes $(SECTOR)

PAPERS ?= quick
.PHONY: papers
papers: all ## the tables and figures of the papers, measured again: build/papers/index.html; PAPERS=full takes hours
	@$(MAKE) --no-print-directory $(BUILD)/bench_sector $(BUILD)/bench_shapes $(BUILD)/bench_broad_phase
	@tools/papers/run $(BUILD) $(PAPERS)

# What the program says of itself.
$(BUILD)/pbf.1: $(BUILD)/pbf
	@$< help --man > $@
$(BUILD)/pbf.bash: $(BUILD)/pbf
	@$< help --completion bash > $@

share := $(DESTDIR)$(PREFIX)/share
FOLDERS := pbf doc/pbf man/man1 bash-completion/completions

.PHONY: install
install: $(BUILD)/pbf $(BUILD)/pbf.1 $(BUILD)/pbf.bash ## what `make` built to PREFIX (/usr/local) below DESTDIR, with manual page and completion
	install -d $(DESTDIR)$(PREFIX)/bin $(FOLDERS:%=$(share)/%)
	install $(BUILD)/pbf $(DESTDIR)$(PREFIX)/bin/pbf
	cp -r scenes $(share)/pbf/
	install -d $(share)/pbf/blender
	install -m 644 tools/blender/pbf_run.py $(share)/pbf/blender
	install -m 644 README.md LICENSE $(wildcard CHANGELOG.md) $(share)/doc/pbf
	install -m 644 $(BUILD)/pbf.1 $(share)/man/man1/pbf.1
	install -m 644 $(BUILD)/pbf.bash $(share)/bash-completion/completions/pbf

.PHONY: uninstall
uninstall: ## remove what `make install` put there
	rm -f $(DESTDIR)$(PREFIX)/bin/pbf
	rm -rf $(share)/pbf $(share)/doc/pbf
	rm -f $(share)/man/man1/pbf.1 $(share)/bash-completion/completions/pbf

.PHONY: clean
clean: ## remove build
	rm -rf build

.PHONY: docs
docs: all ## writes the tables of keys and of the log's columns in the pages, from those of the sources
	@tools/docs

.PHONY: format
format: ## clang-format over all sources
	clang-format -i $$(git ls-files '*.c' '*.h' '*.cpp')

.PHONY: help
help: ## this text
	@sed -n 's/^\([a-z-]*\):.* ## \(.*\)/make \1#\2/p' Makefile | awk -F'#' '{ printf "%-21s %s\n", $$1, $$2 }'
	@echo
	@echo "config=release|debug|sanitize|tsan picks the build, CC=clang the compiler, WERROR=1 stops at warnings."
	@echo "CPPFLAGS, CFLAGS, CXXFLAGS and LDFLAGS, from the environment too, come after ours and win: an -O2 of"
	@echo "yours replaces -O3. $(EXACT) always hold: results depend on them."

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
