/*
 * What `forge doctor` finds out, as one JSON document (docs/man/forge-doctor.1): the text of the
 * command is only a view of it. Nothing here changes the machine.
 */
#ifndef FORGE_CMD_DOCTOR_FACTS_H
#define FORGE_CMD_DOCTOR_FACTS_H

#include <jansson.h>
#include <stdbool.h>

struct err;

/* Processor, memory, governor, how busy it is now. */
json_t *doctor_machine(void);
/* [{"name", "path", "version"}]; path null when it is not installed. */
json_t *doctor_programs(void);
/* [{"mechanism", "what", "is_there", "is_essential", "cost"}] */
json_t *doctor_sandbox(void);
/* [{"name", "text", "is_there"}] */
json_t *doctor_counters(void);
/* A short comparison of a small kernel with itself, by a real job. */
int doctor_noise(json_t **out, struct err *e);
/* What null trials stored for this kind of machine (docs/format/noise.md); null: nothing. */
json_t *doctor_stored_noise(void);
/* {"base", "lessons", "certified", "open"}: what the knowledge base is worth where jobs run, or
 * {"error"}. No other machine is asked without `asks`; then the last two may be null. */
json_t *doctor_knowledge(bool asks);

#endif
