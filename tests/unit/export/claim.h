/*
 * Claims for tests of exports: the run of a scene, whose numbers are the fake worker's, chained
 * anew after its files became what a test wants.
 */
#ifndef FORGE_TEST_EXPORT_CLAIM_H
#define FORGE_TEST_EXPORT_CLAIM_H

#include "base/digest.h"
#include "engine/scene.h"
#include "export/export.h"
#include "model/chain.h"

#define POWERS "void powers(const float *x, const float *c, float *y, int64_t n, int64_t m)"
#define EMPTY_POWERS                                                                               \
	"#include <stdint.h>\n" POWERS "\n{\n\t(void)x, (void)c, (void)y, (void)n, (void)m;\n}\n"

/* A run that ended with the last of these kernels as its confirmed best. */
static inline void claim_run(struct scene *sc, const char *const *student)
{
	scene_open(sc);
	setenv("FORGE_SHARE", "share", 1);
	scene_student(sc, student);
	scene_new(sc);
	scene_run_ok(sc);
}

/* A scene with a copy of another one's run: a run takes a second, a copy does not. */
static inline void claim_copy(struct scene *sc, const struct scene *from)
{
	struct err e = { 0 };
	scene_open(sc);
	CHECK_OK(tree_copy(from->run, sc->run, &e));
}

static inline char *claim_best(const struct scene *sc)
{
	return path_join(sc->run, "best");
}

static inline char *claim_place(const struct scene *sc, const char *name)
{
	return path_join(sc->dir, name);
}

static inline struct digest claim_digest(const char *best, const char *name)
{
	struct err e = { 0 };
	struct digest d;
	AUTO_FREE char *path = path_join(best, name);
	if (str_ends(name, "/"))
		CHECK_OK(digest_tree(path, &d, &e));
	else
		CHECK_OK(digest_file(path, &d, &e));
	return d;
}

static inline void claim_set_all(struct chain *c, const enum link_kind *kinds, size_t nr,
				 const char *digest)
{
	for (size_t i = 0; i < nr; i++)
		chain_set(c, kinds[i], digest);
}

/* Chain what lies there; objects as named, or as they were. */
static inline void claim_rechain(const char *best, const char *object, const char *reference_object)
{
	static const enum link_kind sources[] = { CHAIN_source, CHAIN_judged, CHAIN_timed,
						  CHAIN_exported };
	static const enum link_kind objects[] = { CHAIN_object, CHAIN_judged_object,
						  CHAIN_timed_object };
	struct err e = { 0 };
	AUTO_CHAIN struct chain c = { 0 };
	AUTO_FREE char *chain_path = path_join(best, "chain.json");
	AUTO_FREE char *path = path_join(best, "evidence.json");
	AUTO_JSON json_t *links = json_read_file(chain_path, &e);
	AUTO_JSON json_t *doc = json_read_file(path, &e);
	CHECK(links && doc);
	CHECK_OK(chain_from_json(&c, links, "chain", &e));
	for (int i = 0; i < CHAIN_NR; i++)
		if (chain_link_path((enum link_kind)i))
			chain_set(&c, (enum link_kind)i,
				  claim_digest(best, chain_link_path((enum link_kind)i)).hex);
	claim_set_all(&c, sources, ARRAY_LEN(sources), claim_digest(best, "kernel.c").hex);
	if (object)
		claim_set_all(&c, objects, ARRAY_LEN(objects), object);
	json_object_del(doc, "chain");
	json_t *digests = json_object_get(doc, "digests");
	json_object_set_new(digests, "source", json_string(claim_digest(best, "kernel.c").hex));
	if (reference_object)
		json_object_set_new(digests, "reference_object", json_string(reference_object));
	AUTO_FREE char *line = json_line(doc);
	chain_set(&c, CHAIN_claim, digest_text(line).hex);
	chain_close(&c);
	json_object_set_new(doc, "chain", json_string(chain_head(&c)));
	AUTO_JSON json_t *again = chain_to_json(&c);
	CHECK_OK(json_write_file(path, doc, &e));
	CHECK_OK(json_write_file(chain_path, again, &e));
}

static inline void claim_put(const char *dir, const char *name, const char *text)
{
	struct err e = { 0 };
	AUTO_FREE char *path = path_join(dir, name);
	CHECK_OK(file_write_text(path, text, &e));
}

static inline void claim_read(const char *dir, const char *name, struct str *out)
{
	struct err e = { 0 };
	AUTO_FREE char *path = path_join(dir, name);
	str_clear(out);
	CHECK_OK(file_read(path, 1 << 24, out, &e));
}

static inline bool claim_has(const char *dir, const char *name, const char *text)
{
	AUTO_STR struct str all = STR_INIT;
	claim_read(dir, name, &all);
	return strstr(all.text, text) != NULL;
}

/* Ends the test, showing the file, when the text is not in it. */
static inline void claim_says(const char *dir, const char *name, const char *text)
{
	AUTO_STR struct str all = STR_INIT;
	claim_read(dir, name, &all);
	if (strstr(all.text, text))
		return;
	printf("# %s does not say: %s\n# it says:\n%s\n", name, text, all.text);
	CHECK(false);
}

#define CHECK_HAS(dir, name, text) claim_says(dir, name, text)

/* The error of an export that is refused; it must leave nothing behind. */
static inline void claim_refused(const struct export_spec *spec, enum err_kind kind,
				 const char *text)
{
	struct err e = { 0 };
	AUTO_STRV struct strv made = { 0 };
	CHECK(export_write(spec, &made, &e) < 0);
	printf("# %s\n", e.text);
	CHECK_INT(e.kind, kind);
	CHECK(strstr(e.text, text));
	CHECK_INT(made.nr, 0);
}

static inline void claim_exported(const struct export_spec *spec)
{
	struct err e = { 0 };
	AUTO_STRV struct strv made = { 0 };
	CHECK_OK(export_write(spec, &made, &e));
	CHECK(made.nr >= 1);
}

#endif
