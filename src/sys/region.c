#include "sys/side.h"

/* A memory file that can not change its size. A region that runners may only read is sealed against
 * new writable mappings while ours stays, and runners get a descriptor without write access:
 * neither mmap nor mprotect makes it writable for them. */

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "sys/side_inner.h"

static size_t round_to_pages(size_t len)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	return len ? (len + page - 1) / page * page : page;
}

static int seal(int fd, bool writable)
{
	int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
	return fcntl(fd, F_ADD_SEALS, writable ? seals : seals | F_SEAL_FUTURE_WRITE);
}

/* The same file without write access. */
static int reopen_read_only(int fd, struct err *e)
{
	AUTO_FREE char *path = xasprintf("/proc/self/fd/%d", fd);
	int reopened = open(path, O_RDONLY | O_CLOEXEC);
	return reopened < 0 ? err_errno(e, ERR_SYSTEM, "reopen shared memory") : reopened;
}

static int make(struct region *r, size_t len, bool writable, int flags, struct err *e)
{
	*r = (struct region){ .fd = -1, .len = round_to_pages(len), .writable = writable };
	AUTO_CLOSE int fd = memfd_create("region", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0 || ftruncate(fd, (off_t)r->len) < 0)
		return err_errno(e, ERR_SYSTEM, "make %zu bytes of shared memory", r->len);
	void *at = mmap(NULL, r->len, PROT_READ | PROT_WRITE, MAP_SHARED | flags, fd, 0);
	if (at == MAP_FAILED)
		return err_errno(e, ERR_SYSTEM, "map %zu bytes of shared memory", r->len);
	r->addr = at;
	/* A runner maps it from its descriptor; copying our page tables for each start costs ms. */
	madvise(at, r->len, MADV_DONTFORK);
	if (seal(fd, writable) < 0) {
		err_errno(e, ERR_SYSTEM, "seal shared memory");
		region_release(r);
		return -1;
	}
	r->fd = writable ? take_fd(&fd) : reopen_read_only(fd, e);
	if (r->fd >= 0)
		return 0;
	region_release(r);
	return -1;
}

/* Populated at once, so that the pages count as ours and not as the memory of the first runner that
 * touches them. */
int region_make(struct region *r, size_t len, bool writable, struct err *e)
{
	return make(r, len, writable, MAP_POPULATE, e);
}

int region_make_sparse(struct region *r, size_t len, bool writable, struct err *e)
{
	return make(r, len, writable, 0, e);
}

void region_release(struct region *r)
{
	if (r->addr)
		munmap(r->addr, r->len);
	if (r->fd >= 0 && r->len)
		close(r->fd);
	*r = (struct region){ .fd = -1 };
}
