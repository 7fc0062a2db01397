# forge: `make` builds build/bin, `make help` lists the rest.
SHELL := /bin/sh
.DEFAULT_GOAL := all
CC := gcc
SAN :=
O := build/$(notdir $(firstword $(CC)))$(if $(SAN),-san)
PREFIX := /usr/local

LIB_LAYERS := $(shell sed -n 's/^\([a-z]*\):.*/\1/p' LAYERS)
deps_of = $(shell sed -n 's/^$(1)://p' LAYERS)
dir_of = $(if $(wildcard src/$(1)),src/$(1),$(1))

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes \
	-Wwrite-strings -Wcast-qual -Wvla -Walloca -Wformat=2 -Wundef -Wswitch-enum -Werror
CFLAGS := $(if $(SAN),-O1,-O2) -g
# A folder with include/ and lib/ that is looked at before the system's.
DEPS :=
BASE_FLAGS := -std=c17 -D_GNU_SOURCE -Isrc -I. -Iinclude $(if $(DEPS),-isystem $(DEPS)/include) -include src/base/banned.h $(WARN) -MMD -MP
HARDEN := -fstack-protector-strong -D_FORTIFY_SOURCE=2 -fPIE
LINK_HARDEN := -pie -Wl,-z,relro,-z,now $(if $(DEPS),-L$(DEPS)/lib)
COMMA := ,
SAN_FLAGS := $(if $(SAN),-fsanitize=address$(COMMA)undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
ifneq ($(SAN),)
HARDEN := -fPIE
endif
# The worker is copied to bare hosts, so it carries jansson and sodium inside. Static archives serve
# everybody: one set of link flags.
STATIC_LIBS := -l:libjansson.a -l:libsodium.a

WORKER_PROGRAMS := forge-worker forge-runner forge-runner-cuda forge-gpu forge-gpu.py libforge-gpu.so
PROGRAMS := forge forge-worker forge-runner forge-runner-cuda forge-tuner forge-llm
MAIN_forge := src/cmd/forge.c
MAIN_forge-worker := worker/forge_worker.c
MAIN_forge-runner := runner/forge_runner.c
MAIN_forge-runner-cuda := runner/forge_runner_cuda.c
MAIN_forge-tuner := tuner/forge_tuner.c
MAIN_forge-llm := llm/forge_llm.c
MAINS := $(foreach p,$(PROGRAMS),$(MAIN_$(p)))
LAYER_forge := cmd
LAYER_forge-worker := worker
LAYER_forge-runner := runner
LAYER_forge-runner-cuda := runner
LAYER_forge-tuner := tuner
LAYER_forge-llm := llm
# The runner installs its own seccomp filter and lends libgomp to candidates. It is never built with
# sanitizers: their runtime needs system calls that the filter forbids.
LIBS_forge-runner := -l:libseccomp.a -lm -ldl
LIBS_forge-runner-cuda := $(LIBS_forge-runner)
LIBS_forge := $(STATIC_LIBS) -lsqlite3 -lm
LIBS_forge-worker := $(STATIC_LIBS) -lm
LIBS_forge-tuner := $(STATIC_LIBS) -lm
LIBS_forge-llm := $(STATIC_LIBS) -lcurl -lm
-include runner/runner.mk
-include runner/gpu/gpu.mk

src_of = $(filter-out $(MAINS),$(wildcard $(call dir_of,$(1))/*.c))
obj_of = $(patsubst %.c,$(O)/obj/%.o,$(1))
lib_of = $(O)/lib$(1).a
libs_of = $(call lib_of,$(1)) $(foreach d,$(call deps_of,$(1)),$(call lib_of,$(d)))

.PHONY: all
all: $(PROGRAMS:%=$(O)/bin/%) $(O)/bin/forge-gpu $(O)/bin/forge-gpu.py $(O)/bin/libforge-gpu.so
	@mkdir -p build/bin && cp -f $(O)/bin/* build/bin/

$(O)/obj/runner/%.o: runner/%.c
	@mkdir -p $(@D)
	@echo "  CC $<"
	@$(CC) $(BASE_FLAGS) $(CFLAGS) -DFORGE_ALLOW_DLOPEN $(RUNNER_CFLAGS) $(HARDEN) -c -o $@ $<
# The tuner's lab loads what it compiled; the kernel headers are its kit.
$(O)/obj/tuner/lab_run.o: BASE_FLAGS += -DFORGE_ALLOW_DLOPEN
$(O)/obj/tuner/lab_build.o: include/forge/kernel.h include/forge/small_float.h
# Screens of Python are a program of Python, a part of ours.
$(O)/obj/src/build/screen_python.o: src/build/screen_python.py
$(O)/obj/worker/gpu_kernels.o: runner/gpu/device.cu
# The driver of a GPU is asked by a child that loads it.
$(O)/obj/src/sys/gpu.o $(O)/obj/src/sys/nvml.o: BASE_FLAGS += -DFORGE_ALLOW_DLOPEN
# What measures the ceilings of a GPU is compiled where it is.
$(O)/obj/src/build/gpu_measure.o: src/build/gpu_measure.cu
$(O)/obj/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC $<"
	@$(CC) $(BASE_FLAGS) $(CFLAGS) $(HARDEN) $(SAN_FLAGS) -c -o $@ $<

define layer_rule
$(call lib_of,$(1)): $(call obj_of,$(call src_of,$(1)))
	@rm -f $$@ && ar rcsD $$@ $$^
endef
$(foreach l,$(LIB_LAYERS),$(eval $(call layer_rule,$(l))))

define program_rule
$(O)/bin/$(1): $(call obj_of,$(MAIN_$(1))) $(call libs_of,$(LAYER_$(1)))
	@mkdir -p $$(@D)
	@echo "  LD $$@"
	@$$(CC) $$(LINK_HARDEN) $(if $(filter forge-runner%,$(1)),,$(SAN_FLAGS)) -o $$@ $(call obj_of,$(MAIN_$(1))) \
	  -Wl,--start-group $(call libs_of,$(LAYER_$(1))) -Wl,--end-group $$(LIBS_$(1)) $$(LINK_$(1))
endef
$(foreach p,$(PROGRAMS),$(eval $(call program_rule,$(p))))

# Unit tests: tests/unit/LAYER/test_x.c is linked with that layer and what it may include.
UNIT_SRC := $(sort $(wildcard tests/unit/*/test_*.c))
UNIT_BIN := $(UNIT_SRC:tests/unit/%.c=$(O)/unit/%)
define unit_rule
$(O)/unit/$(1)/%: tests/unit/$(1)/%.c $(call libs_of,$(1))
	@mkdir -p $$(@D)
	@echo "  TEST $$@"
	@$$(CC) $(BASE_FLAGS) $(CFLAGS:-O2=-O1) $(HARDEN) $(SAN_FLAGS) -Itests/unit $$(LINK_HARDEN) -o $$@ $$< \
	  -Wl,--start-group $(call libs_of,$(1)) -Wl,--end-group $(STATIC_LIBS) $(if $(filter know,$(1) $(call deps_of,$(1))),-lsqlite3) -lm
endef
$(foreach l,$(LIB_LAYERS),$(eval $(call unit_rule,$(l))))
# Tests of sys start real runners, those of host real workers.
$(filter $(O)/unit/sys/%,$(UNIT_BIN)): | $(O)/bin/forge-runner
$(filter $(O)/unit/host/%,$(UNIT_BIN)): | $(O)/bin/forge-worker

.PHONY: unit unit-%
unit: $(UNIT_BIN)
# One layer's unit tests: make unit-model
unit-%: ;
define unit_layer_rule
.PHONY: unit-$(1)
unit-$(1): $(patsubst tests/unit/%.c,$(O)/unit/%,$(wildcard tests/unit/$(1)/test_*.c))
	@for t in $$^; do $$$$t || exit 1; done
endef
$(foreach l,$(LIB_LAYERS),$(eval $(call unit_layer_rule,$(l))))

# Tests. `make check` is everything short; slower tiers have their own targets and a short form here.
.PHONY: campaign campaign-gpu kernels verify-kernels check-export check-kernels check check-unit check-pure check-cli check-escape check-crash check-agents check-acp check-mcp check-kb check-probes check-probes-cuda check-cheats check-hosts check-llm-real check-cuda check-gpu-python check-gpu check-gpu-fake check-gpu-chain lint format fuzz bench bench-null bench-power nightly bench-cost bench-tuner cover \
	compile_commands.json install clean help
check: lint all check-unit check-cli  ## every test in its short form, with lint
check-unit: all unit  ## unit tests
	@tools/run-unit $(UNIT_BIN)
# Warnings of a compiler, without what it would make.
SYNTAX_SRC = $(sort $(wildcard $(addsuffix /*.c,src/* worker runner runner/* tuner llm bench)))
SYNTAX_FLAGS = $(filter-out -MMD -MP,$(BASE_FLAGS)) $(CFLAGS) $(HARDEN) $(RUNNER_CFLAGS) -DFORGE_ALLOW_DLOPEN
syntax:  ## warnings of CC=clang in all that is built or measures; nothing is made
	@printf '%s\n' $(SYNTAX_SRC) | xargs -P 2 -n 16 $(CC) -fsyntax-only $(SYNTAX_FLAGS)
PURE_LAYERS := base model stats judge sys store agent know mcp report cmd tuner llm
PURE_LONG := agent/test_cli_drivers report/test_report $(addprefix tuner/test_,illegal proof plan origin lab)
PURE_BIN := $(filter-out $(if $(SHORT),$(PURE_LONG:%=$(O)/unit/%)),$(foreach l,$(filter-out $(NOT_PURE),$(PURE_LAYERS)),$(filter $(O)/unit/$(l)/%,$(UNIT_BIN))))
check-pure: $(if $(NOT_PURE)$(SHORT),,all) $(PURE_BIN)  ## unit tests of the layers that start few compilers; SHORT=1: without the longest, and without compiling what the tuner makes
	@$(if $(SHORT),FORGE_UNIT_TEXT=1) tools/run-unit $(PURE_BIN)
check-cli: all  ## command line tests on the real programs; SLOW=1: also the slow ones
	@FORGE_BIN=$(abspath $(O)/bin) tests/cli/run
ESCAPE_LIBS := $(foreach l,agent store sys model base,$(call lib_of,$(l)))
ESCAPE_DEPS := $(wildcard tests/escape/*.[ch] tests/escape/*.def)
ESCAPE_TRY = $(CC) -std=gnu17 -D_GNU_SOURCE -O1 -g -Wall -Wextra -Werror
$(O)/escape/attempts.o: $(ESCAPE_DEPS)
	@mkdir -p $(@D) && echo "  TEST $@"
	@$(ESCAPE_TRY) -fPIC -r -nostdlib -o $@ $(wildcard tests/escape/attempts*.c)
$(O)/escape/attacker: $(O)/escape/attempts.o
	@$(ESCAPE_TRY) -o $@ tests/escape/attacker.c $<
$(O)/escape/attempts.so: $(O)/escape/attempts.o
	@$(ESCAPE_TRY) -fPIC -shared -nostdlib -o $@ tests/escape/object.c $<
$(O)/escape/check-escape: $(O)/escape/attempts.o $(ESCAPE_LIBS)
	@echo "  TEST $@"
	@$(CC) $(filter-out -MMD -MP,$(BASE_FLAGS)) $(CFLAGS) $(HARDEN) $(SAN_FLAGS) $(LINK_HARDEN) -o $@ \
	  $(addprefix tests/escape/,check_escape.c world.c places.c device.c) $< \
	  -Wl,--start-group $(ESCAPE_LIBS) -Wl,--end-group $(STATIC_LIBS) -lm
$(O)/escape/forge-runner: $(O)/bin/forge-runner
	@mkdir -p $(@D) && cp -f $< $@
$(O)/escape/libgpu.so: tests/gpu/fake/libgpu.c
	@mkdir -p $(@D)
	@$(ESCAPE_TRY) -fPIC -shared -o $@ $<
$(O)/escape/torch.py: tests/gpu/fake/torch/__init__.py
	@mkdir -p $(@D) && cp -f $< $@
$(O)/escape/forge-gpu.py: runner/gpu/runner.py
	@mkdir -p $(@D) && cp -f $< $@
$(O)/escape/escape.py: tests/escape/escape.py
	@mkdir -p $(@D) && cp -f $< $@
check-escape: all $(addprefix $(O)/escape/,attacker attempts.so check-escape forge-runner libgpu.so torch.py forge-gpu.py escape.py)  ## tries to get out of the sandboxes of kernels and agents
	@$(O)/escape/check-escape $(O)/escape
check-crash: all  ## kill -9 at every event boundary and at N=50 random instants; SHORT=1: every 6th boundary
	@FORGE_BIN=$(abspath $(O)/bin) N=$(N) SHORT=$(SHORT) tests/crash/all
check-acp: all  ## lines between forge and an agent of the Agent Client Protocol against its schema (FORGE_SHARED=dir)
	@FORGE_BIN=$(abspath $(O)/bin) tests/acp/run
check-mcp: all  ## forge mcp: mutated lines (LINES=100000), schemas (FORGE_SHARED=dir), Python SDKs of both majors (VENVS=dir)
	@FORGE_BIN=$(abspath $(O)/bin) LINES=$(or $(LINES),100000) tests/mcp/run
AGENT_ASK_LIBS := $(foreach l,agent store sys model base,$(call lib_of,$(l)))
$(O)/agents/ask: tests/agents/ask.c $(AGENT_ASK_LIBS)
	@mkdir -p $(@D)
	@echo "  TEST $@"
	@$(CC) $(BASE_FLAGS) $(CFLAGS) $(HARDEN) $(SAN_FLAGS) $(LINK_HARDEN) -o $@ $< \
	  -Wl,--start-group $(AGENT_ASK_LIBS) -Wl,--end-group $(STATIC_LIBS) -lm
check-agents: all $(O)/agents/ask  ## the contract of agent drivers, whole runs, canaries, recipes of README; SHORT=1
	@FORGE_BIN=$(abspath $(O)/bin) FORGE_ASK=$(abspath $(O)/agents/ask) tests/agents/check
check-llm-real: all  ## forge-llm with a real server and a small model from PyPI; skipped where these can not be had
	@FORGE_BIN=$(abspath $(O)/bin) tests/cli/check-llm-real
check-kb: all  ## lint of the knowledge base and every probe on a copy of it; SHORT=1: one probe
	@FORGE_BIN=$(abspath $(O)/bin) SHORT=$(SHORT) tests/cli/check-kb
check-probes: all  ## each CPU probe of hw_kb: warnings, sanitizers, what it prints; a false claim is refuted; SHORT=1: one probe
	@FORGE_BIN=$(abspath $(O)/bin) SHORT=$(SHORT) tests/know/probes
check-probes-cuda:  ## each CUDA probe of hw_kb: what its text prints, warnings of nvcc, and with a GPU its run; SHORT=1: its text only
	@SHORT=$(SHORT) tests/know/probes-cuda
CUDA_LIBS := $(foreach l,build sys model base,$(call lib_of,$(l)))
$(O)/cuda/check_cuda: tests/cuda/check_cuda.c $(CUDA_LIBS)
	@mkdir -p $(@D)
	@echo "  TEST $@"
	@$(CC) $(BASE_FLAGS) $(CFLAGS) $(HARDEN) $(SAN_FLAGS) $(LINK_HARDEN) -o $@ $< \
	  -Wl,--start-group $(CUDA_LIBS) -Wl,--end-group $(STATIC_LIBS) -lm
check-gpu-python:  ## the device process for Python sides, with a fake PyTorch and a fake library
	@tests/gpu/test_screens.py > /dev/null || tests/gpu/test_screens.py
	@tests/gpu/test_runner.py
check-cuda: $(O)/cuda/check_cuda  ## compile CUDA kernels, good and refused ones, without a GPU; SHORT=1: two of them; skipped without nvcc
	@$(O)/cuda/check_cuda $(if $(SHORT),ok_scale no_malloc)
	@$(if $(SHORT),true,tests/cuda/check_measure)
$(O)/fake/libcuda.so: tests/gpu/fake_driver.c
	@mkdir -p $(@D)
	@echo "  TEST $@"
	@$(CC) -std=gnu17 -D_GNU_SOURCE -O1 -g -Wall -Wextra -Werror -fPIC -shared -o $@ $<
check-gpu-fake: all $(O)/fake/libcuda.so  ## the device side on a driver without a device; KERNELS="ok_plain no_over" SHORT=1: the lines only
	@tests/gpu/protocol $(abspath $(O)/bin) $(O)/fake/libcuda.so
	@$(if $(SHORT),:,FORGE_BIN=$(abspath $(O)/bin) tests/gpu/check --fake $(abspath $(O)/fake/libcuda.so) $(KERNELS))
check-gpu-chain: all $(O)/fake/libcuda.so  ## generations of a CUDA kernel through a spool, on a driver without a device (2 min)
	@FORGE_BIN=$(abspath $(O)/bin) tests/gpu/chain $(O)/fake/libcuda.so
check-gpu: all  ## kernels on the NVIDIA device of this machine, from bundle to result, as a table; skipped where there is none
	@FORGE_BIN=$(abspath $(O)/bin) tests/gpu/check $(KERNELS)
	@if nvidia-smi -L > /dev/null 2>&1; then FORGE_BIN=$(abspath $(O)/bin) tests/cheats/check --device $(ROWS); fi
check-hosts: all  ## jobs by a real sshd and a real Slurm on loopback, and the faults of hosts; CELLS="ssh slurm-judges"
	@FORGE_BIN=$(abspath $(O)/bin) tests/hosts/check $(CELLS)
check-cheats: all  ## kernels that cheat and honest look-alikes, N=3 times in random order; USERS="root other" SHORT=1 ROWS="T C06"
	@FORGE_BIN=$(abspath $(O)/bin) tests/cheats/check -n $(or $(N),3) $(ROWS)

lint:  ## layers, headers, function sizes, format, words, shell, static analysis; then what needs the programs, which are built
	@tools/check-layers && CC=$(CC) tools/check-headers && tools/check-functions && tools/check-format \
	  && tools/lint-words && tools/lint-prompts && tools/lint-scripts && tools/lint-probes && tests/cheats/to-md --check
	@$(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j2) $(O)/bin/forge $(WORKER_PROGRAMS:%=$(O)/bin/%)
	@$(if $(SAN),:,tools/lint-needed $(WORKER_PROGRAMS:%=$(O)/bin/%)) && FORGE_BIN=$(abspath $(O)/bin) tools/lint-kernels && FORGE_BIN=$(abspath $(O)/bin) tools/lint-answers
lint-deep: compile_commands.json  ## clang-tidy and cppcheck (slow)
	@tools/lint-deep
format:  ## rewrite all C files by clang-format
	@clang-format -i $$(find src worker runner tuner llm include bench tests/unit tests/fuzz tests/escape tests/agents tests/cuda -name '*.[ch]' -not -path '*/corpus/*')

# Fuzzing: make fuzz T=toml S=60
T := toml
S := 30
FUZZ_SRC := $(wildcard tests/fuzz/fuzz_*.c)
FUZZ_BIN := $(FUZZ_SRC:tests/fuzz/%.c=$(O)/fuzz/%)
FUZZ_LIBS := $(call libs_of,tuner) $(foreach l,build llm mcp agent store,$(call lib_of,$(l)))
$(O)/fuzz/%: tests/fuzz/%.c $(FUZZ_LIBS)
	@mkdir -p $(@D)
	@echo "  FUZZ $@"
	@$(CC) $(BASE_FLAGS) $(CFLAGS) $(HARDEN) $(SAN_FLAGS) -Itests/fuzz $(LINK_HARDEN) -o $@ $< \
	  -Wl,--start-group $(FUZZ_LIBS) -Wl,--end-group $(STATIC_LIBS) -lm
.PHONY: fuzz-bin
fuzz-bin: $(FUZZ_BIN)
fuzz: $(O)/fuzz/fuzz_$(T)  ## mutate one parser's corpus: T=toml S=60
	$(O)/fuzz/fuzz_$(T) -s $(S) tests/fuzz/corpus/$(T)

# Benchmarks print their own figures; none of them is a test.
BENCH_LIBS := $(foreach l,host build judge stats sys model base,$(call lib_of,$(l)))
$(O)/bench/%: bench/%.c $(BENCH_LIBS)
	@mkdir -p $(@D)
	@echo "  BENCH $@"
	@$(CC) $(BASE_FLAGS) $(CFLAGS) $(HARDEN) $(SAN_FLAGS) $(LINK_HARDEN) -o $@ $< \
	  -Wl,--start-group $(BENCH_LIBS) -Wl,--end-group $(STATIC_LIBS) -lm
# What a machine needs that only executes jobs. Where the development packages can not be installed, DEPS is a folder
# with their include/ and lib/ (libjansson.a, libsodium.a, libseccomp.a) from a machine that has them.
.PHONY: worker
worker: $(WORKER_PROGRAMS:%=$(O)/bin/%)  ## what a target machine needs, alone: forge-worker, the runners, the device side; DEPS=dir
	@mkdir -p build/bin && cp -f $^ build/bin/
.PHONY: gpu
gpu: $(O)/bin/forge-gpu $(O)/bin/forge-gpu.py $(O)/bin/libforge-gpu.so  ## the device side alone: gcc is enough
BENCH_GPU_LIBS := $(call libs_of,worker)
$(O)/bench/gpu_null: bench/gpu_null.c $(BENCH_GPU_LIBS)
	@mkdir -p $(@D)
	@echo "  BENCH $@"
	@$(CC) $(BASE_FLAGS) $(CFLAGS) $(HARDEN) $(SAN_FLAGS) $(LINK_HARDEN) -o $@ $< \
	  -Wl,--start-group $(BENCH_GPU_LIBS) -Wl,--end-group $(STATIC_LIBS) -lm
BENCH_GPU_PROGRAMS := $(addprefix $(O)/bench/,forge-runner forge-runner-cuda forge-gpu)
$(BENCH_GPU_PROGRAMS): $(O)/bench/%: $(O)/bin/%
	@mkdir -p $(@D) && cp -f $< $@
bench-gpu-null: all $(O)/bench/gpu_null $(BENCH_GPU_PROGRAMS)  ## null and planted 5 % comparisons on the NVIDIA device, four sizes: N=30 (a size) P=12 SEED=
	@$(O)/bench/gpu_null -n $(or $(N),30) -p $(or $(P),12) $(if $(SEED),-s $(SEED))
bench: bench-cost bench-null  ## the benchmarks of the measurement
bench-null: all $(O)/bench/null  ## null and planted 5 % comparisons: N=400 (a class) P=100 CLASSES="l1 llc-2" SHARDS=1 SEED= STORE=1
	@bench/spread $(O)/bench/null $(or $(SHARDS),1) $(if $(STORE),-w) -- -n $(or $(N),400) -p $(or $(P),100) \
	  $(if $(SEED),-s $(SEED)) $(if $(CLASSES),-c "$(CLASSES)")
bench-power: all $(O)/bench/power  ## how often planted work of 2, 3, 5, 10 % is seen: N=100 (a class and effect) CLASSES= SHARDS= SEED=
	@bench/spread $(O)/bench/power $(or $(SHARDS),1) -- -n $(or $(N),100) \
	  $(if $(SEED),-s $(SEED)) $(if $(CLASSES),-c "$(CLASSES)")
nightly:  ## null trials of every class (hours); stores the noise floor of this machine: N=400 CLASSES= SHARDS=
	@$(MAKE) -s bench-null P=$(or $(P),0) STORE=1
bench-cost: all $(O)/bench/cost  ## seconds per K=8 verdict, split
	@FORGE_BIN=$(abspath $(O)/bin) $(O)/bench/cost
# All twelve tasks, or TASKS="a b"; OPERATORS=1 adds those of bench/operators.
BENCH_TASKS = $(sort $(if $(TASKS),$(foreach t,$(TASKS),$(firstword $(wildcard tasks/$(t) bench/operators/$(t)) tasks/$(t))), \
	$(patsubst %/task.toml,%,$(wildcard tasks/*/task.toml))) $(if $(OPERATORS),$(wildcard bench/operators/*)))
bench-tuner: all $(O)/bench/tuner  ## optimiser against compilers and libraries: TASKS= R=31 RUNS=dir OUT=f.md KERNELS=dir OPERATORS=1
	@FORGE_BIN=$(abspath $(O)/bin) $(O)/bench/tuner -r $(or $(R),15) $(if $(RUNS),-d $(RUNS)) $(if $(OUT),-o $(OUT)) \
	  $(if $(KERNELS),-k $(KERNELS)) $(BENCH_TASKS)
campaign: all $(O)/bench/tuner  ## runs, releases and compares all CPU tasks, one after the other: TASKS= (quiet machine; ~3 min a task)
	@FORGE_BIN=$(abspath $(O)/bin) FORGE_BENCH=$(abspath $(O)/bench) bench/campaign $(TASKS)
campaign-gpu: all  ## runs operators of tasks/gpu by recorded answers (bench/answers), all at once, on the GPU of this machine: OPERATORS=
	@FORGE_BIN=$(abspath $(O)/bin) bench/campaign-gpu $(OPERATORS)
kernels: all  ## write kernels/README.md from the evidence there
	@$(O)/bin/forge kernels kernels
check-export: all $(O)/unit/export/test_torch $(O)/unit/export/test_export $(O)/unit/cmd/test_library  ## exports of every kind; bindings of all GPU tasks, the CUDA kernel where there is nvcc, released kernels called from PyTorch where there is a GPU (CLAIMS="folder...")
	@EXPORT_ALL=1 tools/run-unit $(filter-out all,$^)
	@tests/export/torch_judged.py --forge $(abspath $(O)/bin/forge) $(CLAIMS)
verify-kernels: all  ## released kernels drawn at random and measured again: N=3 SEED= KIND=cpu|gpu|all
	@FORGE_BIN=$(abspath $(O)/bin) bench/verify -n $(or $(N),3) $(if $(SEED),-s $(SEED)) $(if $(KIND),-w $(KIND))
check-kernels: all  ## every released claim holds and kernels/README.md is what they give
	@FORGE_BIN=$(abspath $(O)/bin) tools/lint-kernels && FORGE_BIN=$(abspath $(O)/bin) tools/lint-answers

cover:  ## line and branch coverage of the unit tests (gcov)
	@$(MAKE) O=build/cover CC=gcc CFLAGS="-O0 -g --coverage" check-unit
	@tools/cover build/cover

compile_commands.json:  ## for clangd and clang-tidy
	@tools/compile-commands "$(BASE_FLAGS) $(CFLAGS)" > $@

install: all  ## PREFIX=/usr/local
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/forge $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 755 $(PROGRAMS:%=$(O)/bin/%) $(O)/bin/forge-gpu $(O)/bin/forge-gpu.py $(O)/bin/libforge-gpu.so $(DESTDIR)$(PREFIX)/bin/
	cp -R share/. $(DESTDIR)$(PREFIX)/share/forge/
	cp -R include $(DESTDIR)$(PREFIX)/share/forge/
	[ ! -d hw_kb ] || cp -R hw_kb $(DESTDIR)$(PREFIX)/share/forge/
	install -m 644 docs/man/*.1 $(DESTDIR)$(PREFIX)/share/man/man1/
clean:  ## remove build/
	rm -rf build

help:  ## this list
	@sed -n 's/^\([a-z_.-]*\):.*##  *\(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | awk -F'\t' '{printf "  make %-24s %s\n", $$1, $$2}'
	@echo "  variables: CC=gcc|clang SAN=1 O=build/dir PREFIX=/usr/local"

-include $(shell find $(O) -name '*.d' 2>/dev/null)
