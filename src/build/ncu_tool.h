/*
 * Nsight Compute as a program: where it is, whether its output can be read, how it is called around
 * another program and what its complaints mean. What it prints is read by model/ncu.h. Clocks are
 * never touched.
 */
#ifndef FORGE_BUILD_NCU_TOOL_H
#define FORGE_BUILD_NCU_TOOL_H

#include <stdbool.h>

struct err;
struct str;
struct strv;

/* $FORGE_NCU, that on PATH, that of the CUDA toolkit, or the newest below /opt/nvidia; yours. NULL:
 * there is none (ERR_SYSTEM, with the cure). */
char *ncu_tool_find(struct err *e);
/* Its version, appended to `out`. ERR_INPUT: one whose output nobody has read (model/ncu.h). */
int ncu_tool_version(const char *path, struct str *out, struct err *e);

struct ncu_call {
	const char *path;
	const char *log; /* file for the table; the program keeps its own streams */
	bool is_cold;    /* caches are emptied before each pass */
};
/* Words to put in front of a program's own. Only what lies between the profiler's start and stop in
 * the program is measured. */
void ncu_tool_command(const struct ncu_call *c, struct strv *argv);

/* Name of ncu_troubles.def; "unknown" for words that it does not have. */
const char *ncu_tool_trouble(const char *said);
/* In words, with ncu's own first complaint. */
void ncu_tool_explain(const char *said, struct str *out);

#endif
