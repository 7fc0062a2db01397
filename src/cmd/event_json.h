/* An event as one JSON object, for `forge log --json` and `forge run --json`. */
#ifndef FORGE_CMD_EVENT_JSON_H
#define FORGE_CMD_EVENT_JSON_H

#include <jansson.h>

struct event;

json_t *event_json(const struct event *event);

#endif
