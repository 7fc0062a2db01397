#include "worker/gpu_bench.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/str.h"
#include "judge/poison.h"
#include "model/language.h"
#include "worker/content.h"
#include "worker/gpu_python.h"
#include "worker/gpu_recorder.h"
#include "worker/outcome.h"
#include "worker/progress.h"

enum { MIN_SHARED_BYTES = 64 << 20 };

/* Jobs of a machine take turns with its device. */
#define LOOK_NS (50 * NS_PER_MS)
#define QUIET_NS NS_PER_S

bool gpu_is_used(const struct worker *w)
{
	return language_find(w->task.language)->is_gpu;
}

/* Who executes a delivery holds the lock for us already. */
static int take_lock(struct worker *w, struct device_lock *l, struct err *e)
{
	AUTO_SPEND(w, wait_ns);
	const char *visible = getenv("CUDA_VISIBLE_DEVICES");
	const struct cpu_list none = { 0 };
	const uint64_t quiet_until_ns = clock_mono_ns() + QUIET_NS;
	bool is_told = false;
	if (getenv("FORGE_DEVICE_HELD"))
		return 0;
	while (device_lock_take(l, &none, visible && *visible ? visible : "0", e) < 0) {
		if (e->kind != ERR_CONFLICT || worker_check_time(w, e) < 0)
			return -1;
		if (!is_told && clock_mono_ns() > quiet_until_ns) {
			progress_wait("device", e->text);
			is_told = true;
		}
		*e = (struct err){ 0 };
		clock_sleep_ns(LOOK_NS);
	}
	return 0;
}

struct gpu_bench *gpu_bench_of(struct worker *w)
{
	if (w->gpu)
		return w->gpu;
	w->gpu = xcalloc(1, sizeof(*w->gpu));
	return w->gpu;
}

int gpu_bench_hold(struct worker *w, struct err *e)
{
	struct gpu_bench *b = gpu_bench_of(w);
	if (b->nr_holds == 0 && take_lock(w, &b->lock, e) < 0)
		return -1;
	b->nr_holds++;
	return 0;
}

void gpu_bench_let_go(struct worker *w)
{
	struct gpu_bench *b = w->gpu;
	if (b->nr_holds == 0)
		BUG("nobody holds the device");
	if (--b->nr_holds == 0)
		device_lock_release(&b->lock);
}

void gpu_bench_lend(struct worker *w)
{
	if (w->gpu->nr_holds == 1)
		device_lock_release(&w->gpu->lock);
}

int gpu_bench_take_back(struct worker *w, struct err *e)
{
	return w->gpu->nr_holds == 1 ? take_lock(w, &w->gpu->lock, e) : 0;
}

void gpu_bench_free(struct gpu_bench **slot)
{
	struct gpu_bench *b = *slot;
	if (!b)
		return;
	gpu_device_free(&b->timing);
	for (unsigned p = 0; p < GPU_PARTIES; p++) {
		gpu_device_free(&b->devices[p]);
		gpu_image_release(&b->images[p]);
	}
	device_lock_release(&b->lock);
	free(b);
	*slot = NULL;
}

int gpu_shared_bytes(const struct worker *w, size_t *out, struct err *e)
{
	*out = MIN_SHARED_BYTES;
	for (size_t i = 0; i < w->task.shapes.nr; i++) {
		struct footprint fp;
		int rc = footprint_init(&fp, &w->task, &w->task.shapes.items[i], e);
		for (size_t k = 0; rc == 0 && k < fp.nr; k++)
			*out = fp.items[k].bytes > *out ? fp.items[k].bytes : *out;
		footprint_release(&fp);
		if (rc < 0)
			return -1;
	}
	return 0;
}

static struct gpu_image *image_of(struct worker *w, enum party p, struct err *e)
{
	struct gpu_bench *b = gpu_bench_of(w);
	if (!b->has_image[p] && gpu_image_take(&b->images[p], w, p, e) < 0)
		return NULL;
	b->has_image[p] = true;
	return &b->images[p];
}

int gpu_side_load(struct worker *w, struct gpu_device *d, enum party p, const char *slot,
		  struct err *e)
{
	if (gpu_python_is(w, p))
		return 0; /* told when it is known for which shape */
	struct gpu_image *im = image_of(w, p, e);
	if (!im || gpu_image_put(im, d, w, slot, e) < 0)
		return -1;
	if (!w->gpu->has_facts[p] && gpu_image_ask(im, d, w, slot, e) < 0)
		return -1;
	w->gpu->has_facts[p] = true;
	return 0;
}

/* A process that loads PyTorch takes seconds to start, and the reference's own does no harm to the
 * reference. */
static bool shares_timing(const struct worker *w, enum party p)
{
	return gpu_python_is(w, p) && !(p == PARTY_CANDIDATE && gpu_python_is_apart(w));
}

/* One that was lost with a fault is started again. */
struct gpu_device *gpu_bench_alone(struct worker *w, enum party p, struct err *e)
{
	struct gpu_device *shared_device = NULL;
	if (shares_timing(w, p))
		return gpu_bench_timing(w, &shared_device, e) < 0 ? NULL : shared_device;
	struct gpu_bench *b = gpu_bench_of(w);
	size_t shared = 0;
	if (gpu_shared_bytes(w, &shared, e) < 0)
		return NULL;
	if (b->devices[p] && !b->devices[p]->is_lost)
		return b->devices[p];
	gpu_device_free(&b->devices[p]);
	const struct gpu_device_wish wish = { .shared_bytes = shared,
					      .has_modules = gpu_python_is(w, p),
					      .party = p };
	if (gpu_device_start(&b->devices[p], w, &wish, e) < 0)
		return NULL;
	if (gpu_side_load(w, b->devices[p], p, party_name(p), e) == 0)
		return b->devices[p];
	gpu_device_free(&b->devices[p]);
	return NULL;
}

static bool has_modules(const struct worker *w)
{
	return gpu_python_is(w, PARTY_REFERENCE) ||
	       (gpu_python_is(w, PARTY_CANDIDATE) && !gpu_python_is_apart(w));
}

static int measure_copies(struct worker *w, struct gpu_bench *b, struct err *e)
{
	if (gpu_bench_hold(w, e) < 0)
		return -1;
	int rc = gpu_device_ask(b->timing, w, NULL, e, "ceilings");
	if (rc == OUTCOME_DONE)
		rc = gpu_device_number(b->timing, "copy_bytes_per_s", &b->copy_bytes_per_s, e);
	gpu_bench_let_go(w);
	return rc;
}

/* A candidate that is a module is not loaded there. */
static enum party timed_party(const struct worker *w)
{
	return gpu_python_is_apart(w) ? PARTY_REFERENCE : PARTY_NR;
}

int gpu_bench_timing(struct worker *w, struct gpu_device **out, struct err *e)
{
	struct gpu_bench *b = gpu_bench_of(w);
	size_t shared = 0;
	*out = NULL;
	if (gpu_shared_bytes(w, &shared, e) < 0)
		return -1;
	if (b->timing && b->timing->is_lost)
		gpu_device_free(&b->timing);
	if (!b->timing) {
		const struct gpu_device_wish wish = { .shared_bytes = shared,
						      .has_modules = has_modules(w),
						      .party = timed_party(w) };
		b->is_warm = false;
		if (gpu_device_start(&b->timing, w, &wish, e) < 0 || measure_copies(w, b, e) < 0)
			return -1;
	}
	*out = b->timing;
	return 0;
}

struct gpu_rates gpu_bench_rates(struct worker *w)
{
	struct gpu_bench *b = w->gpu;
	if (!b)
		return gpu_rates_take(w);
	if (!b->has_rates)
		b->rates = gpu_rates_take(w);
	b->has_rates = true;
	return b->rates;
}

int gpu_side_record(struct worker *w, const struct gpu_side_spec *s, struct gpu_recorded *out,
		    struct verdict *v, struct err *e)
{
	if (gpu_python_is(w, s->party))
		return OUTCOME_DONE;
	struct gpu_image *im = image_of(w, s->party, e);
	if (!im)
		return -1;
	const struct gpu_recorder_spec spec = { .party = s->party,
						.image = im,
						.device = s->device,
						.fp = s->fp,
						.call_deadline_ns = s->call_deadline_ns };
	return gpu_recorder_run(w, &spec, out, v, e);
}

/* Addresses of arguments, set by set. */
static int addresses_of(struct worker *w, const struct gpu_side_spec *s, unsigned first,
			unsigned sets, uint64_t *at, struct err *e)
{
	size_t len = 0;
	if (gpu_device_ask(s->device, w, NULL, e, "addresses set=%u sets=%u", first, sets) < 0)
		return -1;
	const char *list = gpu_device_word(s->device, "at", &len);
	for (size_t i = 0; i < s->fp->nr * sets; i++)
		if (!gpu_device_hex(&list, &at[i]))
			return err_set(e, ERR_CHILD, "forge-gpu gives too few addresses");
	return 0;
}

/* All calls one behind the other, each at the addresses of its set. */
static int write_launches(struct worker *w, const struct gpu_side_spec *s,
			  const struct gpu_binding *b, struct str *out, struct err *e)
{
	AUTO_FREE uint64_t *at = xcalloc(s->fp->nr * b->calls + 1, sizeof(*at));
	struct gpu_launches head = b->recorded->head;
	if (addresses_of(w, s, b->first, b->calls, at, e) < 0)
		return -1;
	head.nr *= b->calls;
	head.bytes *= b->calls;
	str_add_len(out, &head, sizeof(head));
	for (unsigned i = 0; i < b->calls; i++)
		gpu_recorded_write(b->recorded, at + i * s->fp->nr, i, out);
	return 0;
}

int gpu_side_bind(struct worker *w, const struct gpu_side_spec *s, const struct gpu_binding *b,
		  struct verdict *v, struct err *e)
{
	AUTO_STR struct str bytes = STR_INIT;
	if (gpu_python_is(w, s->party))
		return gpu_python_put(w, s, v, e);
	if (write_launches(w, s, b, &bytes, e) < 0)
		return -1;
	if (bytes.len > s->device->shared.len)
		return err_set(e, ERR_INPUT, "%u calls of %u launches are more than fit", b->calls,
			       b->recorded->head.nr);
	memcpy(s->device->shared.addr, bytes.text, bytes.len);
	return gpu_device_ask(s->device, w, v, e,
			      "launches slot=%s first=%u calls=%u from=0 bytes=%zu", s->slot,
			      b->first, b->calls, bytes.len);
}

static const char *kind_of(const struct operand *o)
{
	switch (o->arg->role) {
	case ARG_IN:
		return "in";
	case ARG_OUT:
		return "out";
	case ARG_INOUT:
		return "inout";
	case ARG_WORKSPACE:
		return "workspace";
	case ARG_SCALAR:
		return "scalar";
	}
	BUG("argument of role %d", (int)o->arg->role);
}

/* A number for a shape; what does not fit the device process finds by itself. */
static unsigned store_of(const struct gpu_shape_spec *s)
{
	return s->is_kept ? (unsigned)rng_derive(1, s->fp->shape->name) | 1U : 0;
}

int gpu_shape_put(struct worker *w, struct gpu_device *d, const struct gpu_shape_spec *s,
		  bool *has_contents, struct err *e)
{
	AUTO_STR struct str args = STR_INIT;
	double kept = 0;
	for (size_t i = 0; i < s->fp->nr; i++)
		str_addf(&args, "%s%s:%zu", i ? "," : "", kind_of(&s->fp->items[i]),
			 s->fp->items[i].bytes);
	if (gpu_device_ask(d, w, NULL, e, "shape args=%s sets=%u contents=%u seed=%llu store=%u",
			   args.text, s->sets, s->contents, (unsigned long long)s->seed,
			   store_of(s)) < 0 ||
	    gpu_device_number(d, "kept", &kept, e) < 0)
		return -1;
	*has_contents = kept > 0;
	return 0;
}

int gpu_content_put(struct worker *w, struct gpu_device *d, const struct content *c, unsigned nr,
		    struct err *e)
{
	for (size_t i = 0; i < c->fp->nr; i++) {
		if (!c->in[i])
			continue;
		memcpy(d->shared.addr, c->in[i], c->fp->items[i].bytes);
		if (gpu_device_ask(d, w, NULL, e, "content nr=%u arg=%zu from=0", nr, i) < 0)
			return -1;
	}
	return 0;
}

int gpu_operand_read(struct worker *w, const struct gpu_side_spec *s, unsigned set, size_t arg,
		     void *to, struct err *e)
{
	if (gpu_device_ask(s->device, w, NULL, e, "read slot=%s set=%u arg=%zu to=0", s->slot, set,
			   arg) < 0)
		return -1;
	memcpy(to, s->device->shared.addr, s->fp->items[arg].bytes);
	return 0;
}

int gpu_stray_write(struct worker *w, struct gpu_device *d, const struct footprint *fp,
		    const char **out, struct err *e)
{
	double stray = 0;
	*out = NULL;
	if (gpu_device_ask(d, w, NULL, e, "gaps") < 0 ||
	    gpu_device_number(d, "stray", &stray, e) < 0)
		return -1;
	if (stray >= 0 && stray < (double)fp->nr)
		*out = fp->items[(size_t)stray].arg->name;
	return 0;
}

uint64_t gpu_poison(uint64_t salt)
{
	unsigned char pattern[POISON_PERIOD];
	uint64_t word = 0;
	poison_pattern(salt, pattern);
	memcpy(&word, pattern, sizeof(word));
	return word;
}
