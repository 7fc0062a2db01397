/*
 * What a probe prints: lines "NAME VALUE UNIT" (docs/format/lesson.md). Pure text.
 */
#ifndef FORGE_KNOW_PROBE_VALUES_H
#define FORGE_KNOW_PROBE_VALUES_H

#include <stddef.h>

struct err;

enum { PROBE_MAX_VALUES = 64, PROBE_MAX_NAME = 48, PROBE_MAX_UNIT = 16 };

struct probe_value {
	char name[PROBE_MAX_NAME];
	char unit[PROBE_MAX_UNIT];
	double value;
};

struct probe_values {
	struct probe_value items[PROBE_MAX_VALUES];
	size_t nr;
};

/* The output of one run. An error names its line. */
int probe_values_parse(struct probe_values *v, const char *output, struct err *e);
/* NULL: it was not printed. */
const struct probe_value *probe_values_find(const struct probe_values *v, const char *name);

#endif
