#include "base/file.h"

/* A write is a temporary file beside the target, fsync, rename, fsync of the folder: a reader or a
 * crash sees the old content or the new one, never a part. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

enum { COPY_CHUNK_BYTES = 65536, MAX_TREE_DEPTH = 64, MAX_MOVE_TRIES = 1000 };

static int read_fd(int fd, const char *path, size_t max_len, struct str *out, struct err *e)
{
	size_t start = out->len;
	char chunk[8192];
	for (;;) {
		ssize_t n = read(fd, chunk, sizeof(chunk));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_errno(e, ERR_INPUT, "read %s", path);
		if (n == 0)
			return 0;
		if (out->len - start + (size_t)n > max_len)
			return err_set(e, ERR_INPUT, "read %s: larger than %zu bytes", path,
				       max_len);
		str_add_len(out, chunk, (size_t)n);
	}
}

static int open_plain(const char *path, int flags, struct stat *st, struct err *e)
{
	/* Opening a FIFO for reading would wait for a writer. */
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);
	if (fd < 0)
		return err_errno(e, ERR_INPUT, "open %s", path);
	if (fstat(fd, st) < 0)
		return err_errno(e, ERR_INPUT, "stat %s", path);
	if (!S_ISREG(st->st_mode))
		return err_set(e, ERR_INPUT, "open %s: not a plain file", path);
	return take_fd(&fd);
}

int file_open(const char *path, struct err *e)
{
	struct stat st;
	return open_plain(path, 0, &st, e);
}

int file_read(const char *path, size_t max_len, struct str *out, struct err *e)
{
	AUTO_CLOSE int fd = file_open(path, e);
	if (fd < 0)
		return -1;
	return read_fd(fd, path, max_len, out, e);
}

static int write_all(int fd, const char *bytes, size_t len, const char *path, struct err *e)
{
	while (len) {
		ssize_t n = write(fd, bytes, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_errno(e, ERR_SYSTEM, "write %s", path);
		bytes += n;
		len -= (size_t)n;
	}
	return 0;
}

static int write_and_sync(const char *path, const void *bytes, size_t len, struct err *e)
{
	AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_errno(e, ERR_SYSTEM, "create %s", path);
	if (write_all(fd, bytes, len, path, e) < 0)
		return -1;
	if (fsync(fd) < 0)
		return err_errno(e, ERR_SYSTEM, "sync %s", path);
	return 0;
}

int file_write(const char *path, const void *bytes, size_t len, struct err *e)
{
	AUTO_FREE char *temp = xasprintf("%s.tmp%ld", path, (long)getpid());
	if (write_and_sync(temp, bytes, len, e) < 0) {
		unlink(temp);
		return -1;
	}
	if (rename(temp, path) < 0) {
		err_errno(e, ERR_SYSTEM, "rename %s to %s", temp, path);
		unlink(temp);
		return -1;
	}
	AUTO_FREE char *dir = path_dir(path);
	return dir_sync(dir, e);
}

int file_write_text(const char *path, const char *text, struct err *e)
{
	return file_write(path, text, strlen(text), e);
}

int dir_sync(const char *path, struct err *e)
{
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return err_errno(e, ERR_SYSTEM, "open folder %s", path);
	if (fsync(fd) < 0)
		return err_errno(e, ERR_SYSTEM, "sync folder %s", path);
	return 0;
}

int dir_check_room(const char *path, size_t bytes, struct err *e)
{
	AUTO_FREE char *trial = xasprintf("%s/.room%ld", path, (long)getpid());
	AUTO_CLOSE int fd = open(trial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_errno(e, ERR_SYSTEM, "create %s", trial);
	errno = posix_fallocate(fd, 0, (off_t)bytes);
	int rc = errno ? err_errno(e, ERR_SYSTEM, "write %zu bytes below %s", bytes, path) : 0;
	unlink(trial);
	return rc;
}

bool file_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

bool file_is_dir(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int dir_make(const char *path, struct err *e)
{
	if (file_is_dir(path))
		return 0;
	AUTO_FREE char *parent = path_dir(path);
	if (!str_equal(parent, path) && !file_is_dir(parent) && dir_make(parent, e) < 0)
		return -1;
	if (mkdir(path, 0755) < 0 && errno != EEXIST)
		return err_errno(e, ERR_SYSTEM, "create folder %s", path);
	return 0;
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int dir_list(const char *path, struct strv *names, struct err *e)
{
	DIR *dir = opendir(path);
	if (!dir)
		return err_errno(e, ERR_INPUT, "open folder %s", path);
	size_t first = names->nr;
	for (struct dirent *d = readdir(dir); d; d = readdir(dir))
		if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
			strv_add(names, d->d_name);
	closedir(dir);
	if (names->nr > first)
		qsort(names->items + first, names->nr - first, sizeof(*names->items), by_bytes);
	return 0;
}

int file_copy(const char *from, const char *to, struct err *e)
{
	struct stat st;
	AUTO_CLOSE int in = open_plain(from, O_NOFOLLOW, &st, e);
	if (in < 0)
		return -1;
	AUTO_CLOSE int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, st.st_mode & 0777);
	if (out < 0)
		return err_errno(e, ERR_SYSTEM, "create %s", to);
	AUTO_FREE char *chunk = xmalloc(COPY_CHUNK_BYTES);
	for (;;) {
		ssize_t n = read(in, chunk, COPY_CHUNK_BYTES);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_errno(e, ERR_INPUT, "read %s", from);
		if (n == 0)
			return 0;
		if (write_all(out, chunk, (size_t)n, to, e) < 0)
			return -1;
	}
}

static int copy_below(const char *from, const char *to, int depth, struct err *e);

static int copy_any(const char *from, const char *to, int depth, struct err *e)
{
	struct stat st;
	if (lstat(from, &st) < 0)
		return err_errno(e, ERR_INPUT, "stat %s", from);
	if (S_ISDIR(st.st_mode))
		return copy_below(from, to, depth, e);
	if (!S_ISREG(st.st_mode))
		return err_set(e, ERR_INPUT, "copy %s: not a plain file or folder", from);
	return file_copy(from, to, e);
}

static int copy_below(const char *from, const char *to, int depth, struct err *e)
{
	if (depth > MAX_TREE_DEPTH)
		return err_set(e, ERR_INPUT, "copy %s: folders nested too deep", from);
	AUTO_STRV struct strv names = { 0 };
	if (dir_make(to, e) < 0 || dir_list(from, &names, e) < 0)
		return -1;
	for (size_t i = 0; i < names.nr; i++) {
		AUTO_FREE char *src = path_join(from, names.items[i]);
		AUTO_FREE char *dst = path_join(to, names.items[i]);
		if (copy_any(src, dst, depth + 1, e) < 0)
			return -1;
	}
	return 0;
}

/* What is copied into itself never ends. */
static bool is_inside(const char *path, const char *folder)
{
	AUTO_FREE char *parent = path_dir(path);
	AUTO_FREE char *real_parent = realpath(parent, NULL);
	AUTO_FREE char *real_folder = realpath(folder, NULL);
	size_t len = real_folder ? strlen(real_folder) : 0;
	return len && real_parent && strncmp(real_parent, real_folder, len) == 0 &&
	       (real_parent[len] == '/' || !real_parent[len]);
}

int tree_copy(const char *from, const char *to, struct err *e)
{
	if (is_inside(to, from))
		return err_set(e, ERR_INPUT,
			       "copy %s to %s: that is inside of it; choose a place beside it",
			       from, to);
	return copy_any(from, to, 0, e);
}

/* A folder, whatever its mode bits, and never through a link. */
static int open_folder(int at, const char *name)
{
	struct stat st;
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == EACCES) {
		AUTO_CLOSE int locked =
			openat(at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		AUTO_FREE char *link = xasprintf("/proc/self/fd/%d", locked);
		if (locked < 0 || chmod(link, S_IRWXU) < 0)
			return -1;
		fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	}
	if (fd >= 0 && fstat(fd, &st) == 0 && (st.st_mode & S_IRWXU) != S_IRWXU)
		fchmod(fd, S_IRWXU);
	return fd;
}

/* A tree is removed without recursion, for who made it may have made it deep: folders found in a
 * folder of the top are moved up into the top, whose own turn comes in the next pass. */
struct removal {
	const char *path;
	int top;
	unsigned nr_moved;
	bool found_folder;
};

static int move_up(struct removal *r, int at, const char *name)
{
	AUTO_CLOSE int unlocked = open_folder(at, name);
	for (unsigned i = 0; unlocked >= 0 && i < MAX_MOVE_TRIES; i++) {
		AUTO_FREE char *fresh = xasprintf(".removed-%u", r->nr_moved++);
		if (renameat(at, name, r->top, fresh) == 0)
			return 0;
		if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR)
			return -1;
	}
	return -1;
}

static int remove_entry(struct removal *r, int at, const char *name);

static int remove_entries(struct removal *r, int at, struct err *e)
{
	int copy = fcntl(at, F_DUPFD_CLOEXEC, 0);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	int status = 0;
	if (!dir)
		return err_errno(e, ERR_SYSTEM, "list %s", r->path);
	rewinddir(dir);
	for (struct dirent *d = readdir(dir); d && status == 0; d = readdir(dir)) {
		if (str_equal(d->d_name, ".") || str_equal(d->d_name, ".."))
			continue;
		status = remove_entry(r, at, d->d_name);
		if (status < 0)
			err_errno(e, ERR_SYSTEM, "remove %s: %s", r->path, d->d_name);
	}
	closedir(dir);
	return status;
}

/* -1 with errno. */
static int remove_entry(struct removal *r, int at, const char *name)
{
	struct err ignored = { 0 };
	if (unlinkat(at, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return -1;
	r->found_folder = true;
	if (at != r->top)
		return move_up(r, at, name);
	AUTO_CLOSE int below = open_folder(at, name);
	if (below < 0 || remove_entries(r, below, &ignored) < 0)
		return -1;
	return unlinkat(at, name, AT_REMOVEDIR);
}

static int remove_folder(const char *path, struct err *e)
{
	AUTO_CLOSE int top = open_folder(AT_FDCWD, path);
	struct removal r = { .path = path, .top = top, .found_folder = true };
	if (top < 0)
		return err_errno(e, ERR_SYSTEM, "open folder %s", path);
	while (r.found_folder) {
		r.found_folder = false;
		if (remove_entries(&r, top, e) < 0)
			return -1;
	}
	return rmdir(path) < 0 ? err_errno(e, ERR_SYSTEM, "remove folder %s", path) : 0;
}

int tree_remove(const char *path, struct err *e)
{
	struct stat st;
	if (lstat(path, &st) < 0)
		return errno == ENOENT ? 0 : err_errno(e, ERR_SYSTEM, "stat %s", path);
	if (S_ISDIR(st.st_mode))
		return remove_folder(path, e);
	return unlink(path) < 0 ? err_errno(e, ERR_SYSTEM, "remove %s", path) : 0;
}

int dir_make_whole(const char *path, dir_fill_fn fill, const void *ctx, struct err *e)
{
	AUTO_FREE char *draft = xasprintf("%s.new%ld", path, (long)getpid());
	AUTO_FREE char *parent = path_dir(path);
	int rc = fill(ctx, draft, e);
	if (rc == 0 && rename(draft, path) < 0)
		rc = err_errno(e, ERR_SYSTEM, "rename %s to %s", draft, path);
	if (rc < 0) {
		struct err ignored = { 0 };
		tree_remove(draft, &ignored);
		return -1;
	}
	return dir_sync(parent, e);
}

char *path_join(const char *dir, const char *name)
{
	if (name[0] == '/')
		return xstrdup(name);
	const char *slash = str_ends(dir, "/") ? "" : "/";
	return xasprintf("%s%s%s", dir, slash, name);
}

const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

char *path_dir(const char *path)
{
	const char *slash = strrchr(path, '/');
	if (!slash)
		return xstrdup(".");
	return xstrndup(path, slash == path ? 1 : (size_t)(slash - path));
}

char *path_of_program(void)
{
	AUTO_FREE char *self = xcalloc(1, 4096);
	if (readlink("/proc/self/exe", self, 4095) < 0)
		return xstrdup(".");
	return path_dir(self);
}
