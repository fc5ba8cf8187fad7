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

CFLAGS_release   = -O3 $(or $(DEBUG_INFO),-g1)
CFLAGS_debug    := -O0 -g3 -DPBF_POISON
CFLAGS_sanitize := -O1 -g1 -DPBF_POISON -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
CFLAGS_tsan     := -O1 -g1 -fsanitize=thread -DPARALLEL_TURNS
CFLAGS_msan     := -O1 -g1 -fsanitize=memory -fsanitize-memory-track-origins -fno-sanitize-recover=all \
                   -fno-omit-frame-pointer
CFLAGS_fuzz     := -O1 -g1 -fsanitize=fuzzer-no-link,address,undefined,float-cast-overflow \
                   -fno-sanitize=function -fno-sanitize-recover=all
CFLAGS_syntax   := -fsyntax-only
CFLAGS_coverage := -O1 --coverage
CFLAGS_mutants  := -O2 -fsanitize=bounds-strict -fsanitize-undefined-trap-on-error
# Position-independent, what sanitizers note of each global takes a third of a million relocations per start.
LDFLAGS_sanitize := -no-pie
ifeq ($(CFLAGS_$(config)),)
$(error config=$(config) is unknown (release, debug, sanitize, tsan, msan, fuzz, coverage))
endif
ifneq ($(filter -Ofast -ffast-math -funsafe-math-optimizations,$(CFLAGS) $(CXXFLAGS) $(LDFLAGS)),)
$(error pbf computes by the rules of IEEE 754: leave out -Ofast, -ffast-math and -funsafe-math-optimizations)
endif

# Our flags, then the user's, which win, then what results depend on: no contraction to fused multiply-adds
# gives the same bits from every instruction set and compiler. The same objects make program and libraries.
COMMON    = -Wall -Wextra -Wpedantic -Wshadow $(CFLAGS_$(config)) -fPIC -fvisibility=hidden -fopenmp -pthread \
            -D_GNU_SOURCE -Isrc \
            -DPBF_VERSION='"$(VERSION)"' $(CPPFLAGS)
EXACT    := -ffp-contract=off -fno-math-errno
C_FLAGS   = -std=c17 -Wstrict-prototypes -Wmissing-prototypes $(COMMON) $(CFLAGS) $(EXACT)
# The door to Dear ImGui is C++ without exceptions, RTTI and standard library.
CXX_FLAGS = -std=c++17 -fno-exceptions -fno-rtti $(COMMON) $(CXXFLAGS) $(EXACT) \
            $(patsubst -I%,-isystem%,$(shell pkg-config --cflags imgui))
PACKAGES := libfyaml libpng libzstd zlib glew egl glfw3 imgui
# stdc++ is for Dear ImGui alone.
LIBS      = $(shell pkg-config --libs $(PACKAGES)) -lstdc++ -ldl -lm
# The path tracer of --style photo, where the headers of Embree 3 are installed; EMBREE= leaves it out.
EMBREE   := $(shell $(CC) $(CPPFLAGS) -include embree3/rtcore.h -E -x c /dev/null >/dev/null 2>&1 && echo yes)
VDB      := $(if $(wildcard src/export/openvdb/door.cpp),$(shell $(CC) $(CPPFLAGS) -include openvdb/version.h -E \
                -x c++ /dev/null >/dev/null 2>&1 && echo $(BUILD)/libpbf-vdb.so))
# CI and tests set WERROR. Objects are the same with it: it is not among the flags that rebuild them.
STRICT   := $(if $(WERROR),-Werror)

X86    := $(filter x86_64%,$(shell $(CC) -dumpmachine 2>/dev/null))
AVX2   := $(if $(X86),-mavx2 -mfma)
AVX512 := $(if $(X86),-mavx512f -mavx512dq -mavx512bw -mavx512vl)
# gcc 12 puts vectors of 64 bytes into frames that use-after-return checks align to less (its bug 110027).
ifeq ($(config)$(findstring clang,$(shell $(CC) --version 2>/dev/null)),sanitize)
AVX512 += --param asan-use-after-return=0
# Sanitized passes are so large that gcc spends most of its time on registers of nested loops.
CFLAGS_sanitize += -fira-region=one
endif
SCALAR := -fno-tree-vectorize -fno-tree-slp-vectorize

# The source list of the program; main.c is kept apart so that tests can link everything else.
SOURCES := $(filter-out src/library/examples/% src/mpi/%,$(sort $(wildcard src/*/*.c src/*/*/*.c src/*/*.cpp)))
OBJECTS := $(patsubst %,$(BUILD)/%.o,$(basename $(SOURCES))) $(BUILD)/shaders.o
COMMA   := ,
ifeq ($(config),msan)
OBJECTS += $(BUILD)/tests/memory/one_member.o $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/memory/outside*.c))
# Calls that these take notice of.
LIBS    += $(patsubst __real_%,-Wl$(COMMA)--wrap=%,$(sort $(shell grep -oh '__real_[A-Za-z0-9_]*' tests/memory/outside*.c)))
endif
TESTS   := $(patsubst tests/%.c,$(BUILD)/tests/%,$(sort $(wildcard tests/test_*.c)))
HELPERS := $(patsubst %.c,$(BUILD)/%.o,$(filter-out $(wildcard tests/test_*.c),$(wildcard tests/*.c)))
CEILINGS := $(patsubst %.c,$(BUILD)/%.o,$(sort $(wildcard tools/bench/ceiling*.c)))
BENCHES := $(patsubst %,$(BUILD)/bench_%,broad_phase contours library neighbors scale sector shapes solver strands surface)
SHADERS := $(sort $(wildcard shaders/*))

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: FORCE

.PHONY: all
all: setup ## build build/pbf (installs missing Debian packages first); it is what `make` alone does. MPI=1: and build/pbf-mpi
	@$(MAKE) --no-print-directory $(ALL_CORES) build/pbf $(if $(MPI),build/pbf-mpi)

# Unless the caller chose how many jobs run at once.
ALL_CORES = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))

# Installs what is missing from Debian's packages, or says how: what building needs, what tests need besides.
.PHONY: setup setup-tests
setup:
	@LIBRARIES="$(PACKAGES)$(if $(MPI), ompi-c)" tools/setup $(if $(MPI),mpi,build)
setup-tests:
	@LIBRARIES="$(PACKAGES)" tools/setup test
	@LIBRARIES="$(PACKAGES) ompi-c" tools/setup mpi || echo "pbf: without these packages pbf-mpi is not tested" >&2

# Linked again for whichever configuration was asked for last.
.PHONY: build/pbf build/pbf-mpi
build/pbf-mpi: $(BUILD)/pbf-mpi
build/pbf: $(BUILD)/pbf $(VDB)
build/pbf build/pbf-mpi:
	@for file in $^; do ln -f $$file build/ 2>/dev/null || cp -f $$file build/; done

# The door to OpenVDB, which the program loads when it needs it, where libopenvdb-dev is installed. Not with
# hidden symbols: OpenVDB and the door share variables of its templates.
$(BUILD)/libpbf-vdb.so: src/export/openvdb/door.cpp src/export/openvdb/door.h $(BUILD)/flags
	@$(CXX) -std=c++17 -O1 -fPIC -shared -Isrc $(CPPFLAGS) $(CXXFLAGS) $< -o $@ $(LDFLAGS) \
	    -lopenvdb -ltbb -lstdc++ -lm
	@echo "  LINK $@"

# What objects were compiled with, and what programs were linked from: rewritten only when it changes.
FACTS_flags = $(shell $(CC) --version) $(CC) $(C_FLAGS) $(CXX) $(CXX_FLAGS) $(AVX2) $(AVX512) $(SCALAR) $(TEST_LEVEL)
FACTS_files = $(OBJECTS) $(HELPERS) $(SHADERS) $(LDFLAGS_$(config)) $(LDFLAGS) $(LIBS) $(if $(EMBREE),embree)
$(BUILD)/flags $(BUILD)/files: FORCE
	@$(shell mkdir -p $(@D))$(file >$@.now,$(FACTS_$(@F)))cmp -s $@.now $@ && rm $@.now || mv $@.now $@

# Made again where Embree has come or gone since.
USES_EMBREE := $(addprefix $(BUILD)/,src/photo/ray_scene.o src/photo/embree.o tests/memory/outside_pictures.o)
$(USES_EMBREE): C_FLAGS += $(if $(EMBREE),-DPBF_EMBREE)
$(USES_EMBREE): $(BUILD)/files
$(BUILD)/%_avx2.o: ISA := $(AVX2)
$(BUILD)/%_avx512.o: ISA := $(AVX512)
$(BUILD)/%_scalar.o: ISA := $(SCALAR)
# Tests run once: more would take longer to compile than it saves.
TEST_LEVEL := $(if $(filter release,$(config)),-O1)
$(BUILD)/tests/test_%.o: private CFLAGS_$(config) += $(TEST_LEVEL)
define compile
@mkdir -p $(@D)
@echo "  CC   $<"
@$(CC) $(C_FLAGS) $(STRICT) $(ISA) $(1) -MMD -MP -c $< -o $@
endef

$(BUILD)/%.o: %.c $(BUILD)/flags
	$(call compile)

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
@$(CC) $(C_FLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(1) $(LDFLAGS_$(config)) $(LDFLAGS) $(LIBS) $(2)
@echo "  LINK $@"
endef

$(BUILD)/pbf: $(BUILD)/src/main.o $(OBJECTS) $(BUILD)/files
	$(call link,-Wl$(COMMA)--export-dynamic-symbol=setpriority)
# The same program on several processes, with Debian's libopenmpi-dev.
MPI_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(sort $(wildcard src/mpi/*.c)))
MPI_LIBS    := $(shell pkg-config --libs ompi-c 2>/dev/null)
$(MPI_OBJECTS): C_FLAGS += $(patsubst -I%,-isystem%,$(shell pkg-config --cflags ompi-c))
$(BUILD)/pbf-mpi: $(MPI_OBJECTS) $(OBJECTS) $(BUILD)/files
	$(call link,,$(MPI_LIBS))
# And on a simulated network, with Debian's libsimgrid-dev (tools/scale).
$(BUILD)/smpi/%.o: src/mpi/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	@smpicc $(C_FLAGS) -fvisibility=default -MMD -MP -c $< -o $@
$(BUILD)/pbf-smpi: $(patsubst src/mpi/%.c,$(BUILD)/smpi/%.o,$(sort $(wildcard src/mpi/*.c))) $(OBJECTS) $(BUILD)/files
	@smpicc $(C_FLAGS) -o $@ $(filter %.o,$^) $(LDFLAGS) $(LIBS)
	@echo "  LINK $@"
# Tests and experiments take what they use: a fifth of the time and of the bytes of all objects. They are
# many, and gold, where it is installed, links them in half the time.
GOLD := $(shell $(CC) -fuse-ld=gold -Wl$(COMMA)--version >/dev/null 2>&1 && echo -fuse-ld=gold)
$(BUILD)/parts.a: $(OBJECTS) $(HELPERS) $(BUILD)/files
	@rm -f $@ && $(AR) rcs --thin $@ $(filter %.o,$^)
$(BUILD)/tests/test_%: $(BUILD)/tests/test_%.o $(BUILD)/parts.a
	$(call link,$(GOLD),-lcmocka -lX11)
# test_golden with a solver that is compiled with -O2, as many packages are: how far it is optimized changes no bit.
O2_OBJECTS := $(patsubst %.c,$(BUILD)/o2/%.o,$(foreach part,core fluid neighbor obstacle scene strand surface, \
                $(wildcard src/$(part)/*.c src/$(part)/*/*.c)))
$(BUILD)/o2/%.o: %.c $(BUILD)/flags
	$(call compile,-O2)
$(BUILD)/tests/test_golden_o2: $(BUILD)/tests/test_golden.o $(O2_OBJECTS) $(BUILD)/parts.a
	$(call link,$(GOLD),-lcmocka -lX11)
# The library: what src/library/pbf.h names, and of everything else what that needs. All other symbols are
# hidden, in the static one, too.
LIBRARY := $(patsubst %.c,$(BUILD)/%.o,$(sort $(wildcard src/library/*.c)))
# The ABI is compared by what these tell of their types.
$(LIBRARY): private DEBUG_INFO := -g
LIBRARY_PACKAGES := $(filter-out glfw3 imgui,$(PACKAGES))
LIBRARY_LIBS = $(shell pkg-config --libs $(LIBRARY_PACKAGES)) -ldl -lm
.PHONY: library
library: $(BUILD)/libpbf.so.0 $(BUILD)/libpbf.a ## build build/release/libpbf.so.0 and libpbf.a
# What draws windows and reads command lines is no part of it.
LIBRARY_PARTS := $(filter-out $(LIBRARY) $(foreach part,viewer/% command/% render/gui.o render/gui_panels.o render/window.o, \
                   $(BUILD)/src/$(part)),$(OBJECTS))
$(BUILD)/libpbf_parts.a: $(LIBRARY_PARTS) $(BUILD)/files
	@rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)
$(BUILD)/libpbf.so.0: $(LIBRARY) $(BUILD)/libpbf_parts.a src/library/libpbf.map
	@$(CC) $(C_FLAGS) -shared -o $@ $(filter %.o %.a,$^) -Wl,-soname,$(@F) -Wl,-z,nodelete \
	    -Wl,--version-script=src/library/libpbf.map $(LDFLAGS) -Wl,--as-needed $(LIBRARY_LIBS)
	@ln -sf $(@F) $(BUILD)/libpbf.so
	@echo "  LINK $@"
$(BUILD)/libpbf.a: $(LIBRARY) $(BUILD)/libpbf_parts.a
	@$(CC) -r -nostdlib -o $(BUILD)/libpbf.o $(filter %.o %.a,$^)
	@objcopy --localize-hidden $(BUILD)/libpbf.o
	@rm -f $@ && $(AR) rcs $@ $(BUILD)/libpbf.o
	@echo "  AR   $@"

$(BUILD)/tests/test_mpi: | $(if $(MPI_LIBS),$(if $(filter release debug,$(config)),$(BUILD)/pbf-mpi))
$(BUILD)/tests/test_library_shared: | $(if $(filter release debug,$(config)),$(BUILD)/libpbf.so.0 $(BUILD)/libpbf.a)

# Preloaded by the test, below the program that it runs.
$(BUILD)/tests/test_file_faults: | $(BUILD)/tests/faulty_files.so
$(BUILD)/tests/faulty_files.so: tests/faults/faulty_files.c $(BUILD)/flags
	@mkdir -p $(@D)
	@$(CC) $(filter-out -fsanitize% -fvisibility%,$(C_FLAGS)) $(STRICT) -shared $< -o $@ -ldl
$(BUILD)/soak: $(BUILD)/tests/soak/soak.o $(OBJECTS) $(BUILD)/files
	$(link)
$(BUILD)/race: $(BUILD)/tests/threads/race.o $(OBJECTS) $(BUILD)/files
	$(link)
$(BUILD)/unset: $(BUILD)/tests/memory/unset.o $(OBJECTS) $(BUILD)/files
	$(link)
# The fuzz targets without libFuzzer, each under its own name.
FUZZED := $(filter-out input,$(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c)))
$(BUILD)/tests/fuzz/replay_%.o: tests/fuzz/fuzz_%.c $(BUILD)/flags
	$(call compile,-DLLVMFuzzerTestOneInput=fuzz_$*)
$(BUILD)/tests/test_fuzz_corpus: $(FUZZED:%=$(BUILD)/tests/fuzz/replay_%.o) $(BUILD)/tests/fuzz/fuzz_input.o
$(BUILD)/fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o $(BUILD)/tests/fuzz/fuzz_input.o $(OBJECTS) $(BUILD)/files
	$(call link,-fsanitize=fuzzer)
# Experiments that are not tests: tools/bench/NAME.c becomes bench_NAME.
$(BUILD)/bench_%: $(BUILD)/tools/bench/%.o $(BUILD)/parts.a
	$(call link,$(GOLD))
$(BUILD)/tools/bench/measure: $(BUILD)/tools/bench/measure.o $(CEILINGS) $(OBJECTS) $(BUILD)/files
	$(link)

# What `make test` does not run, built by it all the same, so that it cannot rot unnoticed.
.PHONY: tools
tools: $(BUILD)/soak $(BUILD)/race $(BUILD)/unset $(BUILD)/tools/bench/measure $(BENCHES) \
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

BUILDS ?=
.PHONY: test-builds
test-builds: ## the shared library by gcc and clang, released, for debugging and for 64-bit Arm: hello water has the same hash; BUILDS=arm-release one of them
	@tests/builds/run $(BUILDS)

MUTANTS ?= src/fluid src/neighbor src/surface
.PHONY: mutants
mutants: setup-tests ## small faults in the sources, one at a time: prints those that tests do not notice; SAMPLE=200 SEED=1 of them in minutes, all in hours
	@nice -n 5 tools/mutants $(MUTANTS) $(if $(SAMPLE),--sample $(SAMPLE)) $(if $(SEED),--seed $(SEED)) $(if $(JOBS),--jobs $(JOBS))

.PHONY: coverage
coverage: setup-tests ## lines of the solver, the search and the surface that no test runs
	@nice -n 5 tools/coverage

.PHONY: test-threads
test-threads: setup-tests ## look for data races with the thread sanitizer: every scene and method; needs clang
	@tests/threads/run

.PHONY: test-memory
test-memory: setup-tests ## look for reads of unset memory with the memory sanitizer: searches, steps, surfaces, library; needs clang
	@tests/memory/run

.PHONY: fuzz
fuzz: setup-tests ## malformed scenes, meshes, particle files and checkpoints for FUZZ_SECONDS (60) each; needs clang
	@tests/fuzz/run

.PHONY: torture
torture: all ## 100 runs killed and 30 stopped at random moments, each resumed and compared
	@$(MAKE) --no-print-directory $(BUILD)/tests/test_command_resume
	PBF_BINARY=$(BUILD)/pbf PBF_KILLS=100 PBF_STOPS=30 $(BUILD)/tests/test_command_resume

.PHONY: strain
strain: setup-tests ## random keys, mouse and sizes in a sanitized window for STRAIN_SECONDS (7200); needs Xvfb, xdotool, xprop, setxkbmap
	@$(MAKE) --no-print-directory config=sanitize build/sanitize/pbf
	tests/strain/run build/sanitize/pbf $(or $(STRAIN_SECONDS),7200) $(or $(SEED),1)

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

.PHONY: bench-surface
bench-surface: setup ## the surface of a million particles at 20 random places on its grid: time and memory
	@$(MAKE) --no-print-directory $(BUILD)/bench_surface
	@$(BUILD)/bench_surface

.PHONY: bench-collision
bench-collision: setup ## the broad phases of obstacles against each other
	@$(MAKE) --no-print-directory $(BUILD)/bench_broad_phase
	@$(BUILD)/bench_broad_phase

.PHONY: bench-neighbors
bench-neighbors: setup ## the neighbor searches on 1,000,000 points: order, instruction set, a stray
	@$(MAKE) --no-print-directory $(BUILD)/bench_neighbors
	@$(BUILD)/bench_neighbors

.PHONY: bench-library
bench-library: setup ## what calls through pbf.h, and those of Python, cost beside the functions behind them
	@$(MAKE) --no-print-directory $(BUILD)/bench_library $(BUILD)/libpbf.so.0
	@$(BUILD)/bench_library
	@PBF_LIBRARY=$(BUILD)/libpbf.so.0 PYTHONPATH=src/python PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 tools/bench/library.py 40 $(BUILD)/bench_library

.PHONY: bench-solver
bench-solver: setup ## density error against time of iterations, warm starts and small steps: build/bench/solver.csv
	@$(MAKE) --no-print-directory $(BUILD)/bench_solver
	@tools/bench/solver $(BUILD)/bench_solver

.PHONY: bench-waves
bench-waves: setup ## what each part of the solver does to waves: build/bench/waves.csv and waves.png
	@$(MAKE) --no-print-directory $(BUILD)/pbf
	@PBF_BINARY=$(BUILD)/pbf tools/bench/waves

.PHONY: bench-strands
bench-strands: setup ## a step of 210,000 particles of hair, with and without contacts of hair with hair
	@$(MAKE) --no-print-directory $(BUILD)/bench_strands
	@$(BUILD)/bench_strands

.PHONY: scale
scale: ## steps of pbf-mpi on up to 4,096 machines, modeled: a table, build/scale.csv and build/scale.png
	@tools/scale/model build/scale

SECTOR ?= quick
.PHONY: bench-sector
bench-sector: setup ## the adaptive disk sector of Kim and Lee in its protocol and beyond; SECTOR=full takes longer
	@$(MAKE) --no-print-directory $(BUILD)/bench_sector $(BUILD)/bench_shapes
	@tools/bench/sector $(BUILD)/bench_sector $(BUILD)/bench_shapes $(SECTOR)

PAPERS ?= quick
.PHONY: papers
papers: all ## the tables and figures of the papers, measured again: build/papers/index.html; PAPERS=full takes an hour
	@$(MAKE) --no-print-directory $(BUILD)/bench_sector $(BUILD)/bench_shapes $(BUILD)/bench_broad_phase
	@tools/papers/run $(BUILD) $(PAPERS)

# What the program says of itself.
$(BUILD)/pbf.1: $(BUILD)/pbf
	@$< help --man > $@
$(BUILD)/pbf.bash: $(BUILD)/pbf
	@$< help --completion bash > $@

LIBDIR    ?= $(PREFIX)/lib
PYTHONDIR ?= $(PREFIX)/lib/python3/dist-packages
FOLDERS := pbf doc/pbf man/man1 bash-completion/completions
SONAME  := libpbf.so.0
# As seen from the folder of pbf.pc: PREFIX itself, or the way there in a folder that may be moved.
PC_PREFIX ?= $(PREFIX)

# A text as one word of the shell, and as what sed puts in place of another: paths may have spaces, quotes and |.
quoted = '$(subst ','\'',$1)'
sed_s  = '$(subst ','\'',s|$1|$(subst |,\|,$(subst &,\&,$(subst \,\\,$2)))|)'
to        := $(call quoted,$(DESTDIR)$(PREFIX))
to_lib    := $(call quoted,$(DESTDIR)$(LIBDIR))
to_python := $(call quoted,$(DESTDIR)$(PYTHONDIR))/pbf
share     := $(to)/share
# LIBDIR from PREFIX on; the mark tells where it begins, in names of several words.
PC_LIBDIR = $(subst <begin>,,$(subst <begin>$(PREFIX)/,$${prefix}/,<begin>$(LIBDIR)))

.PHONY: install install-program install-library install-python
install: install-program install-library install-python ## program, library and Python package to PREFIX (/usr/local) below DESTDIR
install-program: $(BUILD)/pbf $(if $(MPI),$(BUILD)/pbf-mpi) $(VDB) $(BUILD)/pbf.1 $(BUILD)/pbf.bash
	install -d $(to)/bin $(addprefix $(share)/,$(FOLDERS))
	$(if $(VDB),install -D -m 644 $(VDB) $(to)/lib/pbf/libpbf-vdb.so)
	install $(BUILD)/pbf $(to)/bin/pbf
	$(if $(MPI),install $(BUILD)/pbf-mpi $(to)/bin/pbf-mpi)
	cp -r scenes $(share)/pbf/
	install -d $(share)/pbf/blender
	install -m 644 tools/blender/pbf_run.py $(share)/pbf/blender
	install -m 644 README.md LICENSE $(wildcard CHANGELOG.md) $(share)/doc/pbf
	install -m 644 $(BUILD)/pbf.1 $(share)/man/man1/pbf.1
	install -m 644 $(BUILD)/pbf.bash $(share)/bash-completion/completions/pbf
install-library: $(BUILD)/$(SONAME) $(BUILD)/libpbf.a
	install -d $(to)/include $(to_lib)/pkgconfig
	install -m 644 src/library/pbf.h src/library/pbf_output.h $(to)/include
	install -m 644 $(BUILD)/$(SONAME) $(to_lib)/$(SONAME).$(VERSION)
	ln -sf $(SONAME).$(VERSION) $(to_lib)/$(SONAME)
	ln -sf $(SONAME) $(to_lib)/libpbf.so
	install -m 644 $(BUILD)/libpbf.a $(to_lib)/libpbf.a
	sed -e $(call sed_s,@PREFIX@,$(PC_PREFIX)) -e $(call sed_s,@LIBDIR@,$(PC_LIBDIR)) \
	    -e 's|@VERSION@|$(VERSION)|' -e 's|@PRIVATE@|$(LIBRARY_LIBS) -fopenmp|' \
	    src/library/pbf.pc.in > $(to_lib)/pkgconfig/pbf.pc
install-python:
	install -d $(to_python)
	install -m 644 src/python/pbf/*.py src/python/pbf/py.typed src/library/pbf.h src/library/pbf_output.h $(to_python)

.PHONY: uninstall
uninstall: ## remove what `make install` put there
	rm -f $(addprefix $(to)/,bin/pbf bin/pbf-mpi include/pbf.h include/pbf_output.h)
	rm -f $(addprefix $(to_lib)/,$(SONAME).$(VERSION) $(SONAME) libpbf.so libpbf.a pkgconfig/pbf.pc)
	rm -rf $(share)/pbf $(share)/doc/pbf $(to)/lib/pbf $(to_python)
	rm -f $(share)/man/man1/pbf.1 $(share)/bash-completion/completions/pbf

.PHONY: deb
deb: ## Debian packages pbf, libpbf0, libpbf-dev and python3-pbf in build/deb, looked at by lintian
	@tools/deb $(VERSION)

TARBALL := pbf-$(VERSION)-$(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
.PHONY: tarball
tarball: ## build/pbf-VERSION-MACHINE.tar.gz: what is installed, for any folder
	@rm -rf build/$(TARBALL)
	@$(MAKE) --no-print-directory -s install PREFIX= DESTDIR=$(call quoted,$(subst $$,$$$$,$(CURDIR))/build/$(TARBALL)) PC_PREFIX='$$$${pcfiledir}/../..'
	@tar -C build --owner=0 --group=0 -czf build/$(TARBALL).tar.gz $(TARBALL) && rm -rf build/$(TARBALL)
	@echo build/$(TARBALL).tar.gz

.PHONY: clean
clean: ## remove build
	rm -rf build

.PHONY: abi
abi: library ## store the library's interface for the test that compares it, where it changed on purpose
	@mkdir -p src/library/abi
	@abidw --exported-interfaces-only --drop-private-types --headers-dir src/library --no-corpus-path \
	    --no-comp-dir-path --no-show-locs --no-write-default-sizes --drop-undefined-syms --no-elf-needed \
	    --out-file src/library/abi/$(shell uname -m).xml $(BUILD)/libpbf.so.0

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
	@echo "config=release|debug|sanitize|tsan|msan picks the build, CC=clang the compiler, WERROR=1 stops at warnings."
	@echo "CPPFLAGS, CFLAGS, CXXFLAGS and LDFLAGS, from the environment too, come after ours and win: an -O2 of"
	@echo "yours replaces -O3. $(EXACT) always hold: results depend on them."

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
