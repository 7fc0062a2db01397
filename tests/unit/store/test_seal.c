#include "store/seal.h"

#include <sys/stat.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "test.h"

static const char secret[] = "/* only the owner reads this */\nvoid f(void) { }\n";

struct place {
	char dir[48];
	char *file;
};

static void place_open(struct place *p)
{
	struct err e = { 0 };
	*p = (struct place){ .dir = "/tmp/forge-seal-XXXXXX" };
	CHECK(mkdtemp(p->dir));
	AUTO_FREE char *keys = path_join(p->dir, "keys");
	setenv("FORGE_KEYS", keys, 1);
	p->file = path_join(p->dir, "kernel.c");
	CHECK_OK(file_write_text(p->file, secret, &e));
}

static void place_close(struct place *p)
{
	struct err e = { 0 };
	CHECK_OK(tree_remove(p->dir, &e));
	free(p->file);
}

TEST(what_is_sealed_is_unreadable_and_opens_to_the_same_bytes)
{
	struct place p;
	struct err e = { 0 };
	AUTO_STR struct str sealed = STR_INIT;
	AUTO_STR struct str plain = STR_INIT;
	place_open(&p);
	CHECK_OK(seal_file(p.file, &e));
	CHECK_OK(file_read(p.file, 1 << 20, &sealed, &e));
	CHECK(seal_is_sealed(sealed.text, sealed.len));
	CHECK(!strstr(sealed.text, "owner"));
	CHECK(!strstr(sealed.text, "void"));
	CHECK_OK(seal_read(p.file, 1 << 20, &plain, &e));
	CHECK_TEXT(plain.text, secret);
	place_close(&p);
}

TEST(a_sealed_file_is_not_sealed_twice_and_a_plain_one_reads_as_it_is)
{
	struct place p;
	struct err e = { 0 };
	AUTO_STR struct str once = STR_INIT;
	AUTO_STR struct str twice = STR_INIT;
	AUTO_STR struct str plain = STR_INIT;
	place_open(&p);
	CHECK_OK(seal_read(p.file, 1 << 20, &plain, &e));
	CHECK_TEXT(plain.text, secret);
	CHECK_OK(seal_file(p.file, &e));
	CHECK_OK(file_read(p.file, 1 << 20, &once, &e));
	CHECK_OK(seal_file(p.file, &e));
	CHECK_OK(file_read(p.file, 1 << 20, &twice, &e));
	CHECK_TEXT(twice.text, once.text);
	place_close(&p);
}

TEST(the_key_and_an_opened_copy_are_for_their_owner_only)
{
	struct place p;
	struct err e = { 0 };
	struct stat st;
	place_open(&p);
	CHECK_OK(seal_file(p.file, &e));
	AUTO_FREE char *key = seal_key_path(&e);
	AUTO_FREE char *copy = path_join(p.dir, "copy.c");
	CHECK_INT(stat(key, &st), 0);
	CHECK_INT(st.st_mode & 0777, 0600);
	CHECK_OK(seal_copy(p.file, copy, &e));
	CHECK_INT(stat(copy, &st), 0);
	CHECK_INT(st.st_mode & 0777, 0600);
	place_close(&p);
}

TEST(a_changed_byte_is_found)
{
	struct place p;
	struct err e = { 0 };
	AUTO_STR struct str text = STR_INIT;
	AUTO_STR struct str plain = STR_INIT;
	place_open(&p);
	CHECK_OK(seal_file(p.file, &e));
	CHECK_OK(file_read(p.file, 1 << 20, &text, &e));
	char *body = strchr(text.text, '\n') + 20;
	*body = *body == 'A' ? 'B' : 'A';
	CHECK_OK(file_write(p.file, text.text, text.len, &e));
	CHECK(seal_read(p.file, 1 << 20, &plain, &e) < 0);
	CHECK_INT(e.kind, ERR_CONFLICT);
	CHECK(strstr(e.text, "changed after it was sealed"));
	CHECK_INT(plain.len, 0);
	place_close(&p);
}

TEST(without_its_key_or_by_another_one_nothing_opens)
{
	struct place p;
	struct err e = { 0 };
	AUTO_STR struct str plain = STR_INIT;
	AUTO_STR struct str other = STR_INIT;
	place_open(&p);
	CHECK_OK(seal_file(p.file, &e));
	AUTO_FREE char *elsewhere = path_join(p.dir, "elsewhere");
	setenv("FORGE_KEYS", elsewhere, 1);
	CHECK(seal_read(p.file, 1 << 20, &plain, &e) < 0);
	CHECK(strstr(e.text, "there is no key"));
	CHECK_OK(seal_text("x", 1, &other, &e));
	e = (struct err){ 0 };
	CHECK(seal_read(p.file, 1 << 20, &plain, &e) < 0);
	CHECK(strstr(e.text, "sealed with key"));
	CHECK_INT(plain.len, 0);
	place_close(&p);
}

TEST_MAIN()
