#include "model/diagnosis.h"

/* One table, read by everybody: the engine that finds, the log that keeps, the pages that show. */

#include <stddef.h>

#include "base/str.h"

struct row {
	const char *name;
	enum diagnosis_side side;
	const char *text;
};

static const struct row rows[DIAGNOSIS_NR] = {
	[DIAGNOSIS_none] = { "none", SIDE_NONE, "" },
#define DIAGNOSIS(name, side, text) [DIAGNOSIS_##name] = { #name, SIDE_##side, text },
#include "model/diagnoses.def"
#undef DIAGNOSIS
};

const char *diagnosis_name(enum diagnosis d)
{
	return rows[d].name;
}

enum diagnosis diagnosis_parse(const char *name)
{
	for (int d = DIAGNOSIS_none; d < DIAGNOSIS_NR; d++)
		if (str_equal(rows[d].name, name))
			return (enum diagnosis)d;
	return DIAGNOSIS_none;
}

enum diagnosis_side diagnosis_side(enum diagnosis d)
{
	return rows[d].side;
}

const char *diagnosis_side_name(enum diagnosis d)
{
	static const char *const names[] = { "none", "curriculum", "student", "measurement" };
	return names[rows[d].side];
}

const char *diagnosis_text(enum diagnosis d)
{
	return rows[d].text;
}
