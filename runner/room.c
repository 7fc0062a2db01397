#include "runner/room.h"

/* The guards are wide, so that also a stride of some hundred KiB beyond the end hits one. They cost
 * address space only. Regions are populated here: the first call must not pay for page faults. */

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runner/faults.h"

enum { EXIT_NO_DOORBELL = 112 };

static void *map_doorbell(int fd, size_t len, int protection)
{
	void *at = mmap(NULL, len, protection, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		_exit(EXIT_NO_DOORBELL);
	close(fd);
	return at;
}

static unsigned char *map_region(const struct doorbell_region *region, int fd)
{
	size_t len = region->len;
	int protection = region->writable ? PROT_READ | PROT_WRITE : PROT_READ;
	unsigned char *space = mmap(NULL, len + 2 * (size_t)DOORBELL_GUARD_BYTES, PROT_NONE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (space == MAP_FAILED)
		return NULL;
	void *at = mmap(space + DOORBELL_GUARD_BYTES, len, protection,
			MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd, 0);
	return at == MAP_FAILED ? NULL : at;
}

static void open_regions(struct room *r)
{
	for (unsigned i = 0; i < r->orders->nr_regions; i++) {
		int fd = DOORBELL_FD_REGIONS + (int)i;
		r->regions[i] = map_region(&r->orders->regions[i], fd);
		if (!r->regions[i])
			faults_give_up(r->reply, END_SETUP, "a region could not be mapped");
		r->reply->region_at[i] = (uint64_t)(uintptr_t)r->regions[i];
		close(fd);
	}
}

void room_open(struct room *r)
{
	memset(r, 0, sizeof(*r));
	r->orders = map_doorbell(DOORBELL_FD_ORDERS, sizeof(*r->orders), PROT_READ);
	r->reply = map_doorbell(DOORBELL_FD_REPLY, sizeof(*r->reply), PROT_READ | PROT_WRITE);
	if (r->orders->version != DOORBELL_VERSION || r->orders->nr_regions > DOORBELL_MAX_REGIONS)
		faults_give_up(r->reply, END_SETUP, "worker and runner are of different builds");
	faults_catch(r->reply);
	open_regions(r);
}
