#include "sys/beneath.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "test.h"

struct scene {
	char root[64];
	int dir;
};

static void scene_open(struct scene *sc)
{
	*sc = (struct scene){ .root = "/tmp/forge-beneath-XXXXXX" };
	CHECK(mkdtemp(sc->root));
	sc->dir = open(sc->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK(sc->dir >= 0);
}

static void scene_close(struct scene *sc)
{
	struct err e = { 0 };
	close(sc->dir);
	CHECK_OK(tree_remove(sc->root, &e));
}

TEST(a_file_below_is_made_with_its_folders)
{
	struct scene sc;
	struct err e = { 0 };
	scene_open(&sc);
	CHECK_OK(beneath_make_parents(sc.dir, "a//b/c", &e));
	AUTO_CLOSE int fd = beneath_open(sc.dir, "a/b/c", O_WRONLY | O_CREAT, 0644, &e);
	CHECK(fd >= 0);
	AUTO_FREE char *path = path_join(sc.root, "a/b/c");
	CHECK(file_exists(path));
	CHECK(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	scene_close(&sc);
}

TEST(links_and_ways_up_are_refused)
{
	static const char *const ways[] = { "..",   "../x",  "/etc/passwd",
					    "link", "dir/x", "/proc/self/root/etc/passwd" };
	struct scene sc;
	scene_open(&sc);
	AUTO_FREE char *link = path_join(sc.root, "link");
	AUTO_FREE char *dir = path_join(sc.root, "dir");
	CHECK(symlink("/etc/passwd", link) == 0);
	CHECK(symlink("/etc", dir) == 0);
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		struct err e = { 0 };
		CHECK(beneath_open(sc.dir, ways[i], O_RDONLY, 0, &e) < 0);
		printf("# %s\n", e.text);
		CHECK_INT(e.kind, ERR_INPUT);
	}
	struct err e = { 0 };
	CHECK(beneath_make_parents(sc.dir, "dir/new/x", &e) < 0);
	scene_close(&sc);
}

TEST_MAIN()
