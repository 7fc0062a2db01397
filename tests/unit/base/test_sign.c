#include "base/sign.h"

#include <sys/stat.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "test.h"

struct keys {
	char dir[32];
	char *path;
	char *public_path;
};

static void keys_open(struct keys *k)
{
	struct err e = { 0 };
	*k = (struct keys){ .dir = "/tmp/forge-sign-XXXXXX" };
	CHECK(mkdtemp(k->dir));
	k->path = path_join(k->dir, "key");
	k->public_path = path_join(k->dir, "key.pub");
	CHECK_OK(sign_make_key(k->path, &e));
}

static void keys_close(struct keys *k)
{
	struct err e = { 0 };
	CHECK_OK(tree_remove(k->dir, &e));
	free(k->path);
	free(k->public_path);
}

TEST(a_signature_holds_for_its_text_and_key_only)
{
	struct keys one, other;
	struct err e = { 0 };
	AUTO_STR struct str signature = STR_INIT;
	AUTO_STR struct str told = STR_INIT;
	AUTO_STR struct str mine = STR_INIT;
	AUTO_STR struct str theirs = STR_INIT;
	keys_open(&one);
	keys_open(&other);
	CHECK_OK(sign_text("3.2 times", one.path, &signature, &told, &e));
	CHECK_OK(sign_load_public(one.public_path, &mine, &e));
	CHECK_OK(sign_load_public(other.public_path, &theirs, &e));
	CHECK_TEXT(told.text, mine.text);
	CHECK(sign_holds("3.2 times", signature.text, mine.text));
	CHECK(!sign_holds("3.3 times", signature.text, mine.text));
	CHECK(!sign_holds("3.2 times", signature.text, theirs.text));
	signature.text[5] = signature.text[5] == '0' ? '1' : '0';
	CHECK(!sign_holds("3.2 times", signature.text, mine.text));
	CHECK(!sign_holds("3.2 times", "zz", mine.text));
	CHECK(!sign_holds("3.2 times", "", ""));
	keys_close(&one);
	keys_close(&other);
}

TEST(a_secret_key_is_for_its_owner_and_is_never_replaced)
{
	struct keys k;
	struct err e = { 0 };
	struct stat st;
	keys_open(&k);
	CHECK_INT(stat(k.path, &st), 0);
	CHECK_INT(st.st_mode & 0777, 0600);
	CHECK(sign_make_key(k.path, &e) < 0);
	CHECK_INT(e.kind, ERR_CONFLICT);
	keys_close(&k);
}

TEST(a_file_that_is_no_key_is_refused_with_its_name)
{
	struct keys k;
	struct err e = { 0 };
	AUTO_STR struct str out = STR_INIT;
	keys_open(&k);
	CHECK(sign_load_public(k.path, &out, &e) < 0);
	CHECK(strstr(e.text, k.path));
	CHECK(!strstr(e.text, "forge-secret-key"));
	keys_close(&k);
}

TEST_MAIN()
