/*
 * What Nsight Compute (`ncu --csv`) says of the kernels of one call, as flat metrics of a profile.
 * Its output is a program's text: names, order and units vary between versions, and a metric that a
 * device does not have is a word instead of a number. What is not understood is an error, never a
 * number.
 */
#ifndef FORGE_MODEL_NCU_H
#define FORGE_MODEL_NCU_H

#include <jansson.h>

struct err;
struct str;

/* The output of `ncu --version`: ERR_INPUT for a version whose output nobody has read. */
int ncu_check_version(const char *text, struct err *e);
/* The metrics to ask for, with commas, as `--metrics` takes them. */
void ncu_metric_list(struct str *out);
/* Metrics of ncu_metrics.def, kernels put together, as members of `facts`. "ncu_kernels" is their
 * number. A metric that is nan, n/a or missing of a kernel is left out as a whole and named in
 * `facts` "ncu_missing"; so nobody takes a part for the sum. ERR_INPUT: an error of ncu, no table,
 * a row that does not fit its head, an unknown unit, a number twice. */
int ncu_parse(const char *csv, json_t *facts, struct err *e);

#endif
