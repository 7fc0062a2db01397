/*
 * What a turn's data holds (docs/format/agent-wire.md). This is where the border between roles is
 * drawn: only what is put in here leaves the run directory. Held-out shapes never do.
 */
#ifndef FORGE_ENGINE_TURN_DATA_H
#define FORGE_ENGINE_TURN_DATA_H

#include <jansson.h>
#include <stdbool.h>

struct decision;
struct engine;
struct err;
struct milestone;
struct state_estimate;

/* A copy of `data` with task and machine added; yours. */
json_t *turn_data_whole(const struct engine *g, const json_t *data);
/* {"description", "reference", "errors": [], "previous": null, "lab_seconds"} for judge,
 * curriculum, revision. `with_reference` decides whether the text is there at all. */
json_t *turn_data_teacher(const struct engine *g, bool with_reference, struct err *e);
json_t *turn_data_row(const struct milestone *m, const struct decision *d);
/* {"call", "ratio", "low", "high", "replicates"}, or null where there is no estimate. */
json_t *turn_data_speedup(const struct state_estimate *est);
/* Accepted rows of the first `nr_rounds` in the order they were accepted: [{"id", "what",
 * "value"}]; `but` is left out. */
json_t *turn_data_accepted(const struct engine *g, size_t nr_rounds, const char *but);
/* Text of a source file, or null when it can not be read; also for a NULL path. */
json_t *turn_data_source(const char *path);
/* The task's description.md. */
json_t *turn_data_description(const struct engine *g);
/* null, or what the newest closed round measured. */
json_t *turn_data_feedback(const struct engine *g);
/* Times of the reference per visible shape: [{"shape", "ns"}]. */
json_t *turn_data_times(const struct engine *g);

#endif
