# forge: `make` builds build/bin, `make help` lists the rest.
CC := gcc
SAN :=
O := build/$(notdir $(firstword $(CC)))$(if $(SAN),-san)
PREFIX := /usr/local

LIB_LAYERS := $(shell sed -n 's/^\([a-z]*\):.*/\1/p' LAYERS)
deps_of = $(shell sed -n 's/^$(1)://p' LAYERS)
dir_of = $(if $(wildcard src/$(1)),src/$(1),$(1))

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes \
	-Wwrite-strings -Wcast-qual -Wvla -Walloca -Wformat=2 -Wundef -Wswitch-enum -Werror
CFLAGS := -O2 -g
BASE_FLAGS := -std=c17 -D_GNU_SOURCE -Isrc -I. -Iinclude -include src/base/banned.h $(WARN) -MMD -MP
HARDEN := -fstack-protector-strong -D_FORTIFY_SOURCE=2 -fPIE
LINK_HARDEN := -pie -Wl,-z,relro,-z,now
COMMA := ,
SAN_FLAGS := $(if $(SAN),-fsanitize=address$(COMMA)undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
ifneq ($(SAN),)
HARDEN := -fPIE
endif
# The worker is copied to bare hosts, so it carries jansson and sodium inside. Static archives serve
# everybody: one set of link flags.
STATIC_LIBS := -l:libjansson.a -l:libsodium.a

PROGRAMS := forge forge-worker forge-runner forge-tuner
MAIN_forge := src/cmd/forge.c
MAIN_forge-worker := worker/forge_worker.c
MAIN_forge-runner := runner/forge_runner.c
MAIN_forge-tuner := tuner/forge_tuner.c
MAINS := $(foreach p,$(PROGRAMS),$(MAIN_$(p)))
LAYER_forge := cmd
LAYER_forge-worker := worker
LAYER_forge-runner := runner
LAYER_forge-tuner := tuner
# The runner installs its own seccomp filter and lends libgomp to candidates. It is never built with
# sanitizers: their runtime needs system calls that the filter forbids.
LIBS_forge-runner := -l:libseccomp.a -lm -ldl
LIBS_forge := $(STATIC_LIBS) -lm
LIBS_forge-worker := $(STATIC_LIBS) -lm
LIBS_forge-tuner := $(STATIC_LIBS) -lm
-include runner/runner.mk

src_of = $(filter-out $(MAINS),$(wildcard $(call dir_of,$(1))/*.c))
obj_of = $(patsubst %.c,$(O)/obj/%.o,$(1))
lib_of = $(O)/lib$(1).a
libs_of = $(call lib_of,$(1)) $(foreach d,$(call deps_of,$(1)),$(call lib_of,$(d)))

.PHONY: all
all: $(PROGRAMS:%=$(O)/bin/%)
	@mkdir -p build/bin && cp -f $(O)/bin/* build/bin/

$(O)/obj/runner/%.o: runner/%.c
	@mkdir -p $(@D)
	@echo "  CC $<"
	@$(CC) $(BASE_FLAGS) $(CFLAGS) -DFORGE_ALLOW_DLOPEN $(RUNNER_CFLAGS) $(HARDEN) -c -o $@ $<
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
	@$$(CC) $$(LINK_HARDEN) $(if $(filter forge-runner,$(1)),,$(SAN_FLAGS)) -o $$@ $(call obj_of,$(MAIN_$(1))) \
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
	@$$(CC) $(BASE_FLAGS) $(CFLAGS) $(HARDEN) $(SAN_FLAGS) -Itests/unit $$(LINK_HARDEN) -o $$@ $$< \
	  -Wl,--start-group $(call libs_of,$(1)) -Wl,--end-group $(STATIC_LIBS) -lm
endef
$(foreach l,$(LIB_LAYERS),$(eval $(call unit_rule,$(l))))

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

-include $(shell find $(O) -name '*.d' 2>/dev/null)
