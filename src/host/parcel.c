#include "host/parcel.h"

#include "base/err.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "host/delivery.h"
#include "model/order.h"

int parcel_open(struct parcel *p, const struct host_spec *spec, enum setting remote_if,
		struct err *e)
{
	*p = (struct parcel){ .spec = *spec, .bundle = xstrdup(spec->bundle_dir), .why = STR_INIT };
	p->spec.bundle_dir = p->bundle;
	if (settings_load(&p->settings, e) < 0)
		return -1;
	bool is_remote = remote_if == SET_NR || p->settings.value[remote_if];
	if (place_open(&p->place, &p->settings, is_remote, e) < 0)
		return -1;
	p->place.stop = spec->stop;
	p->name = delivery_name(&p->spec);
	p->sent = xasprintf("%s.sent", p->bundle);
	p->back = xasprintf("%s.back", p->bundle);
	const struct delivery_spec delivery = { .host = &p->spec,
						.settings = &p->settings,
						.has_kit = true };
	return delivery_make(p->sent, &delivery, e);
}

void parcel_release(struct parcel *p)
{
	struct err ignored = { 0 };
	if (p->sent)
		tree_remove(p->sent, &ignored);
	if (p->back)
		tree_remove(p->back, &ignored);
	place_release(&p->place);
	settings_release(&p->settings);
	str_release(&p->why);
	free(p->name);
	free(p->bundle);
	free(p->sent);
	free(p->back);
}

bool parcel_put(struct parcel *p, struct host_status *st)
{
	enum trouble t = place_put(&p->place, p->name, p->sent, &p->why);
	/* A put that fails by itself cleans up. */
	p->is_there = t == TROUBLE_NONE || t == TROUBLE_lost;
	if (t != TROUBLE_NONE)
		host_status_trouble(st, t, p->why.text);
	return t == TROUBLE_NONE;
}

static bool is_known(const struct parcel *p, const struct digest *answer, struct host_status *st)
{
	AUTO_FREE char *path = path_join(p->back, DELIVERY_ANSWER);
	struct digest found;
	struct err e = { 0 };
	if (digest_file(path, &found, &e) < 0)
		host_status_trouble(st, TROUBLE_damaged_answer, e.text);
	else if (!str_equal(found.hex, answer->hex))
		host_status_trouble(st, TROUBLE_damaged_answer,
				    "answer.json is not the one that the worker wrote");
	return st->end == HOST_RUNNING;
}

bool parcel_get(struct parcel *p, const struct digest *answer, struct host_status *st)
{
	enum trouble t = place_get(&p->place, p->name, p->back, &p->why);
	if (t != TROUBLE_NONE) {
		host_status_trouble(st, t, p->why.text);
		return false;
	}
	p->is_there = false;
	if (answer && !is_known(p, answer, st))
		return false;
	if (delivery_take(p->back, &p->spec, st, &p->why))
		return true;
	host_status_trouble(st, TROUBLE_damaged_answer, p->why.text);
	return false;
}

void parcel_remove(struct parcel *p)
{
	enum trouble t = TROUBLE_NONE;
	if (p->is_there)
		t = place_remove(&p->place, p->name, &p->why);
	if (t != TROUBLE_NONE)
		log_warn("%s may be left in the work folder of the host: %s (%s)", p->name,
			 trouble_text(t), p->why.text);
}

bool parcel_is_stopped(const struct parcel *p)
{
	return p->spec.stop && *p->spec.stop;
}
