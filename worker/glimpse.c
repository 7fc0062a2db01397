#include "worker/glimpse.h"

/* A kernel that leaves a share s of its lines for later is seen in a sample with probability
 * 1 - (1 - s)^16; a trial has hundreds of samples. Half of the places lie in the last call of the
 * sample and half anywhere, for what is left for later is the end. */

#include <string.h>

static size_t count_outputs(const struct footprint *fp)
{
	size_t nr = 0;
	for (size_t i = 0; i < fp->nr; i++)
		nr += fp->items[i].is_output && fp->items[i].bytes;
	return nr;
}

/* Index of the n-th output that has bytes. */
static size_t output_at(const struct footprint *fp, size_t n)
{
	size_t i = 0;
	for (;; i++)
		if (fp->items[i].is_output && fp->items[i].bytes && n-- == 0)
			return i;
}

static void draw_one(struct side_glimpse *g, unsigned i, const unsigned char *output, size_t bytes,
		     struct rng *rng)
{
	size_t line = rng_below(rng, (bytes + SIDE_GLIMPSE_BYTES - 1) / SIDE_GLIMPSE_BYTES);
	size_t left = bytes - line * SIDE_GLIMPSE_BYTES;
	g->at[i] = output + line * SIDE_GLIMPSE_BYTES;
	g->len[i] = left < SIDE_GLIMPSE_BYTES ? left : SIDE_GLIMPSE_BYTES;
}

void glimpse_draw(struct side_glimpse *g, const struct rotation *r, const struct plan *p,
		  unsigned round, struct rng *rng)
{
	const struct footprint *fp = &p->s->fp;
	const size_t nr = count_outputs(fp);
	g->nr = nr ? SIDE_GLIMPSES : 0;
	for (unsigned i = 0; i < g->nr; i++) {
		bool is_last = i % 2 == 0;
		unsigned call = is_last ? p->nr_calls - 1 : (unsigned)rng_below(rng, p->nr_calls);
		size_t arg = output_at(fp, rng_below(rng, nr));
		draw_one(g, i, rotation_at(r, p, plan_set(p, round, call), arg),
			 fp->items[arg].bytes, rng);
	}
}

const char *glimpse_changed(const struct side_glimpse *g)
{
	for (unsigned i = 0; i < g->nr; i++)
		if (memcmp(g->seen[i], g->at[i], g->len[i]) != 0)
			return i % 2 == 0 ? "that of the sample's last call"
					  : "that of one of the sample's calls";
	return NULL;
}
