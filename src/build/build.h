/*
 * From one source to loadable objects: directive -> compile in a jail -> screens -> shim -> link
 * with several layouts; a Python module is screened and loaded as it is. The worker calls it for
 * both sides and for the oracle. A source that may not run is a verdict in `build.verdict`, never
 * an err; err is for our own failures (no compiler, no disk). VERDICT_NONE means "no objection":
 * only the judge says PASS.
 */
#ifndef FORGE_BUILD_BUILD_H
#define FORGE_BUILD_BUILD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/mem.h"
#include "model/verdict.h"

struct err;
struct task;

/* At most so many copies of a kernel in one object: one for each value of the three lowest address
 * bits above a cache line. */
enum { BUILD_MAX_COPIES = 8 };

/* The oracle's entry takes double wherever the task says float (docs/format/kernel.md). */
enum build_role { BUILD_REFERENCE, BUILD_CANDIDATE, BUILD_ORACLE };

struct build_spec {
	const struct task *task;
	enum build_role role;
	const char *language; /* NULL: the task's for this role */
	const char *source_path;
	const char *out_dir;       /* made if missing; leaf.o, layout0.so, layout1.so ... */
	unsigned nr_layouts;       /* >= 1: how many .so files with different padding */
	unsigned nr_copies;        /* of the kernel in each .so, at different places; 0: one */
	uint64_t layout_seed;      /* the paddings follow from it */
	const char *default_build; /* for a source without directive; NULL: "gcc -O2" */
	const char *kit_dir;       /* the folder that holds forge/kernel.h */
	const char *cache_dir;     /* or NULL: no cache */
	bool takes_object;         /* the source may be a relocatable object (build/given.h) */
	const char *symbol;        /* that object's name of the entry; NULL: the same */
	bool hides_text;           /* the source is sealed: see compile_log_places */
	bool accept_weak;          /* compile even where no jail can be made; facts say "jail": 0 */
};

struct build {
	struct arena arena;
	struct verdict verdict;
	/* Of a script: the module itself. Else each exports void forge_entry(void *const *args),
	 * and with more than one copy also forge_entry1, forge_entry2 ... */
	char **so_paths;
	size_t nr_so;
	unsigned nr_copies; /* in each */
	char *log;          /* compiler output, bounded, paths taken out; "" if none */
	json_t *facts;      /* flat metrics of the object: {"vector_bits": 256, ...}; owned */
	struct digest source;
	struct digest object; /* of the leaf object */
	const char *lack; /* why the compiler ran without a jail (facts say "jail": 0), else "" */
	char *compiler_version;
	char *flags; /* "gcc -O3 -march=native" as used, harness flags left out */
	double seconds;
	bool from_cache; /* nothing was compiled; missing layouts were linked */
};

/* 0 with a filled build (look at `verdict`), or -1. Release in both cases. */
int build_run(struct build *b, const struct build_spec *s, struct err *e);
void build_release(struct build *b);
#define AUTO_BUILD __attribute__((cleanup(build_release)))
const char *build_role_name(enum build_role role);
/* Cores that this side of a task may use. */
unsigned build_threads(const struct task *t, enum build_role role);

#endif
