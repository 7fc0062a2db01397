/*
 * Which ways to run jobs can be used from here, and what is in the way of the others: a section of
 * forge doctor.
 */
#ifndef FORGE_CMD_DOCTOR_HOSTS_H
#define FORGE_CMD_DOCTOR_HOSTS_H

#include <jansson.h>
#include <stdbool.h>

struct str;

/* A row a driver: `name`, `is_chosen` (by FK_DELIVERY), `can_run`, `text`. With `asks` hosts that
 * are set up are asked. */
json_t *doctor_hosts(bool asks);
void doctor_hosts_print(const json_t *rows, struct str *out);

#endif
