/*
 * A lesson of the knowledge base (docs/format/lesson.md): one fact about hardware, what follows
 * from it, and the probe that measures it. hw_kb/FAMILY/ID.md is read whole into the lesson's
 * arena; what only a lint cares for (names, units, prose) is not checked here.
 */
#ifndef FORGE_KNOW_LESSON_H
#define FORGE_KNOW_LESSON_H

#include <stdbool.h>
#include <stddef.h>

#include "base/digest.h"
#include "base/mem.h"

struct err;
struct kb_device;

struct claim {
	const char *value; /* name of what the probe prints */
	double low;        /* NaN: no bound */
	double high;
	const char *unit;
	const char *means;
	unsigned line;
};

struct lesson {
	struct arena arena;
	const char *path;
	const char *id;
	const char *title;
	const char *family;
	const char **languages;
	size_t nr_languages;
	const char **topics;
	size_t nr_topics;
	const char *applies_when;
	bool is_negative;
	const char *probe; /* name of the file beside it */
	const char **sources;
	size_t nr_sources;
	const char **devices;
	size_t nr_devices;
	const char **features;
	size_t nr_features;
	struct claim *claims;
	size_t nr_claims;
	const char *text; /* the whole file */
	const char *body; /* what stands behind the table */
	unsigned body_line;
	struct digest digest; /* of the whole file */
};

/* The most that a lesson, and a probe, may have. */
enum { LESSON_MAX_BYTES = 16 << 10, PROBE_MAX_BYTES = 64 << 10 };

/* An error names file and line. Released in both cases. */
int lesson_load(struct lesson *l, const char *path, struct err *e);
int lesson_parse(struct lesson *l, const char *text, const char *path, struct err *e);
void lesson_release(struct lesson *l);
#define AUTO_LESSON __attribute__((cleanup(lesson_release)))
/* Path of its probe; yours. */
char *lesson_probe_path(const struct lesson *l);
/* Is it about a device of this machine: family, [scope] devices and features? */
bool lesson_is_about(const struct lesson *l, const struct kb_device *machine);
bool lesson_has_language(const struct lesson *l, const char *language);
bool lesson_has_topic(const struct lesson *l, const char *topic);
bool claim_holds(const struct claim *c, double value);

/* Closed sets of the format. */
bool lesson_is_topic(const char *name);
bool lesson_is_language(const char *name);
bool lesson_is_family(const char *name);
/* Letters, digits and '-', a letter first. */
bool lesson_is_id(const char *text);
/* What a probe may print behind a value; with `is_prose` also what is counted in words. */
bool lesson_is_unit(const char *unit, size_t len, bool is_prose);

#endif
