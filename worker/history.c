#include "worker/history.h"

int history_load(struct history *h, struct err *e)
{
	struct cpu_info cpu;
	char fingerprint[CPU_FINGERPRINT_LEN + 1];
	*h = (struct history){ 0 };
	cpu_read(&cpu);
	cpu_fingerprint(&cpu, fingerprint);
	h->caches = noise_caches_of(cpu.l1d_bytes, cpu.l2_bytes, cpu.l3_bytes);
	return noise_load(&h->noise, fingerprint, &h->arena, &h->is_there, e);
}

void history_release(struct history *h)
{
	arena_release(&h->arena);
	*h = (struct history){ 0 };
}

double history_floor(const struct history *h, size_t bytes, unsigned threads)
{
	if (!h->is_there)
		return 0;
	return noise_floor(&h->noise, noise_class_of(bytes, &h->caches), threads);
}
