/*
 * The closed set of diagnoses (diagnoses.def): names of classes and sides.
 */
#ifndef FORGE_MODEL_DIAGNOSIS_H
#define FORGE_MODEL_DIAGNOSIS_H

enum diagnosis {
	DIAGNOSIS_none,
#define DIAGNOSIS(name, side, text) DIAGNOSIS_##name,
#include "model/diagnoses.def"
#undef DIAGNOSIS
	DIAGNOSIS_NR
};

enum diagnosis_side { SIDE_NONE, SIDE_CURRICULUM, SIDE_STUDENT, SIDE_MEASUREMENT };

/* "misordered"; "none" for DIAGNOSIS_none. */
const char *diagnosis_name(enum diagnosis d);
/* DIAGNOSIS_none for a name that is none. */
enum diagnosis diagnosis_parse(const char *name);
enum diagnosis_side diagnosis_side(enum diagnosis d);
/* "curriculum", "student", "measurement". */
const char *diagnosis_side_name(enum diagnosis d);
const char *diagnosis_text(enum diagnosis d);

#endif
