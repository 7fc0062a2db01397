/*
 * What a contest found of a released kernel, as comparison.json in its folder
 * (docs/format/comparison.md): the plain builds of the reference by gcc and clang, the best of all
 * compiler builds, the best parallel one, and the best library. Only a folder that holds the very
 * kernel, measured on this very kind of machine, gets one.
 */
#ifndef FORGE_BENCH_COMPARISON_H
#define FORGE_BENCH_COMPARISON_H

#include "base/digest.h"
#include "bench/contest.h"
#include "bench/ratio.h"

struct comparison {
	const struct contest *contest;
	const struct party *kernel;
	const char *kernels; /* folder of released kernels */
	const char *source;  /* text of the kernel */
	const char *command; /* that measures it again */
	uint64_t seed;
};

static inline json_t *comparison_shapes(const struct comparison *cmp, const struct party *other)
{
	const struct contest *c = cmp->contest;
	json_t *list = json_array();
	for (size_t i = 0; i < c->nr_beds; i++) {
		const size_t at = i * c->nr_rounds;
		json_array_append_new(
			list,
			json_pack("{s:s, s:f, s:f}", "name", c->beds[i].shape->name, "other_ns",
				  summary_median(other->ns + at, c->nr_rounds), "kernel_ns",
				  summary_median(cmp->kernel->ns + at, c->nr_rounds)));
	}
	return list;
}

static inline json_t *comparison_row(const struct comparison *cmp, const struct party *other,
				     const char *label)
{
	static const char *const kinds[] = { [PARTY_NAIVE] = "reference",
					     [PARTY_COMPILER] = "compiler",
					     [PARTY_PARALLEL] = "parallel",
					     [PARTY_TUNER] = "kernel",
					     [PARTY_LIBRARY] = "library" };
	const struct contest *c = cmp->contest;
	const struct ratio_spec spec = { .a = other->ns,
					 .b = cmp->kernel->ns,
					 .nr_shapes = c->nr_beds,
					 .nr_rounds = c->nr_rounds,
					 .seed = cmp->seed };
	const struct ratio r = ratio_make(&spec);
	AUTO_FREE char *name = xasprintf("%s%s", label, other->name);
	return json_pack("{s:s, s:s, s:s, s:s, s:f, s:f, s:f, s:o}", "kind", kinds[other->kind],
			 "name", name, "flags", other->flags ? other->flags : "", "version",
			 other->version ? other->version : "", "speedup", r.value, "low", r.low,
			 "high", r.high, "shapes", comparison_shapes(cmp, other));
}

static inline const struct party *comparison_named(const struct contest *c, const char *name)
{
	for (size_t i = 0; i < c->nr_parties; i++)
		if (c->parties[i].child && str_equal(c->parties[i].name, name))
			return &c->parties[i];
	return NULL;
}

static inline const struct party *comparison_best(const struct contest *c, enum party_kind kind)
{
	const struct party *best = NULL;
	double best_ns = INFINITY;
	for (size_t i = 0; i < c->nr_parties; i++) {
		const struct party *p = &c->parties[i];
		if (p->kind != kind || !p->child)
			continue;
		const double ns = ratio_typical_ns(p->ns, c->nr_beds, c->nr_rounds);
		if (ns < best_ns) {
			best_ns = ns;
			best = p;
		}
	}
	return best;
}

/* Each contestant once, under the first label that it earns. */
static inline json_t *comparison_rows(const struct comparison *cmp)
{
	const struct contest *c = cmp->contest;
	const struct {
		const struct party *party;
		const char *label;
	} rows[] = {
		{ comparison_named(c, "gcc"), "reference by " },
		{ comparison_named(c, "clang"), "reference by " },
		{ comparison_best(c, PARTY_COMPILER), "best compiler build: " },
		{ comparison_best(c, PARTY_PARALLEL), "best parallel build: " },
		{ comparison_best(c, PARTY_LIBRARY), "" },
	};
	json_t *list = json_array();
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		bool is_new = rows[i].party != NULL;
		for (size_t k = 0; k < i; k++)
			is_new = is_new && rows[k].party != rows[i].party;
		if (is_new)
			json_array_append_new(list,
					      comparison_row(cmp, rows[i].party, rows[i].label));
	}
	return list;
}

static inline json_t *comparison_make(const struct comparison *cmp, const char *source,
				      const struct cpu_info *cpu)
{
	char date[32];
	clock_format_wall(clock_wall_ns(), date);
	return json_pack("{s:i, s:s, s:s, s:s, s:s, s:i, s:i, s:s, s:o}", "version", 1, "date",
			 date, "source", source, "cpu", cpu->model, "isa", cpu->isa, "rounds",
			 (int)cmp->contest->nr_rounds, "threads", (int)cmp->contest->task.threads,
			 "command", cmp->command, "rows", comparison_rows(cmp));
}

/* Is the folder's claim about this kernel, on this kind of machine? */
static inline bool comparison_fits(const char *dir, const char *source, const struct cpu_info *cpu)
{
	struct err ignored = { 0 };
	AUTO_FREE char *path = path_join(dir, "evidence.json");
	if (!file_exists(path))
		return false;
	AUTO_JSON json_t *doc = json_read_file(path, &ignored);
	const json_t *digests = json_object_get(doc, "digests");
	const json_t *machine = json_object_get(doc, "machine");
	return str_equal(json_text_or(digests, "source", ""), source) &&
	       str_equal(json_text_or(machine, "cpu", ""), cpu->model) &&
	       str_equal(json_text_or(machine, "isa", ""), cpu->isa);
}

/* Into kernels/cpu/MODEL/TASK; how many folders got one. */
static inline unsigned comparison_write(const struct comparison *cmp)
{
	struct err e = { 0 };
	struct cpu_info cpu;
	AUTO_STRV struct strv models = { 0 };
	AUTO_FREE char *root = path_join(cmp->kernels, "cpu");
	const struct digest source = digest_text(cmp->source);
	unsigned nr = 0;
	cpu_read(&cpu);
	if (dir_list(root, &models, &e) < 0)
		return 0;
	AUTO_JSON json_t *doc = comparison_make(cmp, source.hex, &cpu);
	for (size_t i = 0; doc && i < models.nr; i++) {
		AUTO_FREE char *dir =
			xasprintf("%s/%s/%s", root, models.items[i], cmp->contest->task.name);
		AUTO_FREE char *path = path_join(dir, "comparison.json");
		if (!comparison_fits(dir, source.hex, &cpu))
			continue;
		kit_check(json_write_file(path, doc, &e), &e);
		nr++;
	}
	return nr;
}

#endif
