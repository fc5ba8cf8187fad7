# pbf: position based fluids. `make help` lists the targets.
#
# One file: folders are found by themselves, objects go to build/CONFIG, instruction-set flags sit on the
# files whose names end in _avx2.c and _avx512.c only, so that one binary runs on any x86-64.

config ?= release
PREFIX ?= /usr/local
BUILD  := build/$(config)
CC     ?= gcc

CFLAGS_release  := -O3 -g
CFLAGS_debug    := -O0 -g3
CFLAGS_sanitize := -O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
CFLAGS_tsan     := -O1 -g1 -fsanitize=thread -DPARALLEL_TURNS
CFLAGS_fuzz     := -O1 -g1 -fsanitize=fuzzer-no-link,address,undefined,float-cast-overflow \
                   -fno-sanitize=function -fno-sanitize-recover=all
CFLAGS_syntax   := -fsyntax-only
ifeq ($(CFLAGS_$(config)),)
$(error config=$(config) is unknown (release, debug, sanitize, tsan, fuzz))
endif

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Werror
# -ffp-contract=off: the same bits from every instruction set and compiler.
BASE := -std=c17 -D_GNU_SOURCE $(WARNINGS) -ffp-contract=off -fno-math-errno -fopenmp -pthread -Isrc \
        $(CFLAGS_$(config))

# The source list of the program; main.c is kept apart so that tests can link everything else.
SOURCES := $(sort $(wildcard src/*/*.c src/*/*/*.c src/*/*.cpp))
OBJECTS := $(patsubst %,$(BUILD)/%.o,$(basename $(SOURCES))) $(BUILD)/shaders.o
TESTS   := $(patsubst tests/%.c,$(BUILD)/tests/%,$(sort $(wildcard tests/test_*.c)))
HELPERS := $(patsubst %.c,$(BUILD)/%.o,$(filter-out $(wildcard tests/test_*.c),$(wildcard tests/*.c)))
CEILINGS := $(patsubst %.c,$(BUILD)/%.o,$(sort $(wildcard tools/bench/ceiling*.c)))
BENCHES := $(patsubst %,$(BUILD)/bench_%,broad_phase contours neighbors)
SHADERS := $(sort $(wildcard shaders/*))

PACKAGES := libfyaml libpng libzstd zlib glew egl glfw3 imgui
# stdc++ is for Dear ImGui alone.
LIBS      = $(shell pkg-config --libs $(PACKAGES)) -lstdc++ -ldl -lm
VERSION  := 0.1.0

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all demo golden test test-threads fuzz torture soak check-includes bench bench-collision bench-contours bench-neighbors bench-solver install uninstall clean help setup format
all: setup
	@$(MAKE) --no-print-directory build/pbf

# Installs what is missing from Debian's packages, or says how.
setup:
	@tools/setup

build/pbf: $(BUILD)/pbf
	@ln -f $< $@ 2>/dev/null || cp -f $< $@
# Rebuilt for whichever configuration was asked for last.
.PHONY: build/pbf

$(BUILD)/pbf: $(BUILD)/src/main.o $(OBJECTS)
	@$(CC) $(BASE) -o $@ $^ $(LIBS)
	@echo "  LINK $@"

$(BUILD)/tests/test_%: $(BUILD)/tests/test_%.o $(HELPERS) $(OBJECTS)
	@$(CC) $(BASE) -o $@ $^ $(LIBS) -lcmocka -lX11
	@echo "  LINK $@"

$(BUILD)/soak: $(BUILD)/tests/soak/soak.o $(OBJECTS)
	@$(CC) $(BASE) -o $@ $^ $(LIBS)
	@echo "  LINK $@"

$(BUILD)/race: $(BUILD)/tests/threads/race.o $(OBJECTS)
	@$(CC) $(BASE) -o $@ $^ $(LIBS)
	@echo "  LINK $@"

$(BUILD)/fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o $(BUILD)/tests/fuzz/fuzz_input.o $(OBJECTS)
	@$(CC) $(BASE) -fsanitize=fuzzer -o $@ $^ $(LIBS)
	@echo "  LINK $@"

# What `make test` does not run, built by it all the same, so that it cannot rot unnoticed.
.PHONY: tools
tools: $(BUILD)/soak $(BUILD)/race $(BUILD)/tools/bench/measure $(BENCHES) \
       $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/fuzz/*.c))

# With config=syntax nothing is made: `make test` has clang read all sources so, where it is installed.
.PHONY: objects
objects: $(OBJECTS) $(BUILD)/src/main.o

# Experiments that are no tests: tools/bench/NAME.c becomes bench_NAME.
$(BUILD)/bench_%: $(BUILD)/tools/bench/%.o $(OBJECTS)
	@$(CC) $(BASE) -o $@ $^ $(LIBS)
	@echo "  LINK $@"

$(BUILD)/%_avx2.o: ISA := $(if $(filter x86_64%,$(shell $(CC) -dumpmachine)),-mavx2 -mfma)
$(BUILD)/%_avx512.o: ISA := $(if $(filter x86_64%,$(shell $(CC) -dumpmachine)),-mavx512f -mavx512dq -mavx512bw -mavx512vl)

$(BUILD)/%_scalar.o: ISA := -fno-tree-vectorize -fno-tree-slp-vectorize

$(BUILD)/%.o: %.c Makefile
	@mkdir -p $(@D)
	@echo "  CC   $<"
	@$(CC) $(BASE) $(ISA) -DPBF_VERSION='"$(VERSION)"' -MMD -MP -c $< -o $@

# Dear ImGui's door is C++ without exceptions, RTTI and standard library. gcc and clang compile it by the file's
# suffix; the warnings that C++ does not know are left out.
CXX_OUT := -std=c17 -Wstrict-prototypes -Wmissing-prototypes
$(BUILD)/%.o: %.cpp Makefile
	@mkdir -p $(@D)
	@echo "  CXX  $<"
	@$(CC) $(filter-out $(CXX_OUT),$(BASE)) -std=c++17 -fno-exceptions -fno-rtti \
		$(patsubst -I%,-isystem%,$(shell pkg-config --cflags imgui)) -MMD -MP -c $< -o $@

# Shaders travel inside the program.
$(BUILD)/shaders.c: $(SHADERS) tools/embed
	@mkdir -p $(@D)
	@tools/embed $(SHADERS) > $@
$(BUILD)/shaders.o: $(BUILD)/shaders.c
	@$(CC) $(BASE) -Wno-overlength-strings -c $< -o $@

demo: all
	@tools/demo

test: setup
	@tests/run

# Rewrites the recorded states and meshes: only where the physics changed on purpose.
golden: setup
	@$(MAKE) --no-print-directory $(BUILD)/tests/test_golden
	@$(BUILD)/tests/test_golden --rewrite
	@git --no-pager diff --stat -- tests/golden 2>/dev/null || true

# Data races, with clang's thread sanitizer.
test-threads: setup
	@tests/threads/run

fuzz: setup
	@tests/fuzz/run

# 100 runs killed, 30 stopped at random moments: whole files, and the same last frame in the end.
torture: all
	@$(MAKE) --no-print-directory $(BUILD)/tests/test_command_resume
	PBF_BINARY=$(BUILD)/pbf PBF_KILLS=100 PBF_STOPS=30 $(BUILD)/tests/test_command_resume

# Long runs: memory, volume and speeds must not grow.
soak: setup
	@$(MAKE) --no-print-directory $(BUILD)/soak
	$(BUILD)/soak scenes/still_water.yaml 100000 spacing=0.25
	$(BUILD)/soak scenes/fountain.yaml 20000 spacing=0.06

bench: all
	@$(MAKE) --no-print-directory $(BUILD)/tools/bench/measure
	@tools/bench/run

# Against VTK, which is not needed otherwise: apt-get install python3-vtk9
bench-contours: setup
	@$(MAKE) --no-print-directory $(BUILD)/bench_contours
	@tools/bench/contours $(BUILD)/bench_contours

bench-collision: setup
	@$(MAKE) --no-print-directory $(BUILD)/bench_broad_phase
	@$(BUILD)/bench_broad_phase

bench-neighbors: setup
	@$(MAKE) --no-print-directory $(BUILD)/bench_neighbors
	@$(BUILD)/bench_neighbors

bench-solver: setup
	@$(MAKE) --no-print-directory $(BUILD)/bench_solver
	@tools/bench/solver $(BUILD)/bench_solver

$(BUILD)/tools/bench/measure: $(BUILD)/tools/bench/measure.o $(CEILINGS) $(OBJECTS)
	@$(CC) $(BASE) -o $@ $^ $(LIBS)
	@echo "  LINK $@"

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/pbf
	install -m 755 build/pbf $(DESTDIR)$(PREFIX)/bin/pbf
	cp -r scenes assets $(DESTDIR)$(PREFIX)/share/pbf/

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/pbf
	rm -rf $(DESTDIR)$(PREFIX)/share/pbf

clean:
	rm -rf build

format:
	clang-format -i $$(git ls-files '*.c' '*.h')

help:
	@echo "make            build build/pbf (installs missing Debian packages first)"
	@echo "make demo       simulate the dam break: PNG frames and a video in build/demo"
	@echo "make test       every test; ends in 'N passed, N failed'"
	@echo "make golden     rewrites tests/golden: the recorded states and meshes, where physics changed on purpose"
	@echo "make test-threads  looks for data races with the thread sanitizer: every scene and method; needs clang"
	@echo "make fuzz       malformed scenes, meshes, particle files and checkpoints for FUZZ_SECONDS (60) each; needs clang"
	@echo "make torture    100 runs killed and 30 stopped at random moments, each resumed and compared"
	@echo "make soak       100,000 steps of a small scene, 20,000 of one with an emitter and a drain"
	@echo "make bench      steps against the machine's ceilings, by phase, thread and size: build/bench/steps.csv and .png"
	@echo "make bench-contours   marching cubes alone against VTK's; needs python3-vtk9"
	@echo "make bench-collision  the broad phases of obstacles against each other"
	@echo "make bench-neighbors  the neighbor searches on 1,000,000 points: order, instruction set, a stray"
	@echo "make bench-solver  density error against time of iterations, warm starts and small steps: build/bench/solver.csv and .png"
	@echo "make install    to PREFIX (/usr/local); DESTDIR is honoured. make uninstall undoes it"
	@echo "make format     clang-format over all sources"
	@echo "make clean      remove build"
	@echo "make help       this text"
	@echo "config=release|debug|sanitize|tsan picks the build, CC=clang the compiler"

-include $(OBJECTS:.o=.d) $(HELPERS:.o=.d) $(BUILD)/src/main.d $(TESTS:%=%.d)
