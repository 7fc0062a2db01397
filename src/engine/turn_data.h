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
struct state_round;

/* A copy of `data` with task and machine added; yours. */
json_t *turn_data_whole(const struct engine *g, const json_t *data);
/* {"description", "reference", "errors": [], "previous": null, "lab_seconds"} for judge,
 * curriculum, revision. `with_reference` decides whether the text is there at all. */
json_t *turn_data_teacher(const struct engine *g, bool with_reference, struct err *e);
json_t *turn_data_row(const struct milestone *m, const struct decision *d);
/* null, or what the newest closed round measured. */
json_t *turn_data_feedback(const struct engine *g);
/* Times of the reference per visible shape: [{"shape", "ns"}]. */
json_t *turn_data_times(const struct engine *g);

#endif
