#include "cmd/event_json.h"

#include "store/eventlog.h"

json_t *event_json(const struct event *event)
{
	json_t *obj = json_object();
	json_object_set_new(obj, "seq", json_integer((json_int_t)event->seq));
	json_object_set_new(obj, "wall", json_string(event->wall));
	json_object_set_new(obj, "type", json_string(event->type_name));
	json_object_set_new(obj, "version", json_integer((json_int_t)event->version));
	json_object_set_new(obj, "where", json_string(event->where));
	json_object_set_new(obj, "digest", json_string(event->digest.hex));
	json_object_set_new(obj, "body", json_deep_copy(event->body));
	return obj;
}
