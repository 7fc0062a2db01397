#include "worker/put_back.h"

/*
 * Before a worker begins it leaves the list of the bundle beside it. Nobody has to believe that
 * note: its digest is that of the order, or it is none.
 */

#include <unistd.h>

#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/order.h"

enum { MAX_NOTE_BYTES = 16 << 20 };

static bool is_list_of(const struct str *list, const char *want)
{
	return str_equal(digest_bytes(list->text, list->len).hex, want);
}

static bool read_note(const char *dir, const char *want, struct str *note)
{
	AUTO_FREE char *path = path_join(dir, DELIVERY_BEGUN);
	struct err ignored = { 0 };
	return file_exists(path) && file_read(path, MAX_NOTE_BYTES, note, &ignored) == 0 &&
	       is_list_of(note, want);
}

/* A line of the list: "<hex>  <path>". */
static bool is_there(const char *bundle, const char *line)
{
	AUTO_FREE char *path = path_join(bundle, line + DIGEST_LIST_PATH);
	struct err ignored = { 0 };
	struct digest d;
	return digest_file(path, &d, &ignored) == 0 &&
	       strncmp(d.hex, line, DIGEST_LIST_PATH - 2) == 0;
}

bool put_back_can(const char *dir, const char *want)
{
	AUTO_FREE char *bundle = path_join(dir, DELIVERY_BUNDLE);
	AUTO_STR struct str note = STR_INIT;
	AUTO_STRV struct strv lines = { 0 };
	if (!read_note(dir, want, &note))
		return false;
	strv_split(&lines, note.text, "\n");
	for (size_t i = 0; i < lines.nr; i++)
		if (strlen(lines.items[i]) > DIGEST_LIST_PATH && !is_there(bundle, lines.items[i]))
			return false;
	return true;
}

/* What the note does not have. A file that was changed is gone then, too, and the digest tells. */
static int remove_new(const char *bundle, const struct str *list, const struct str *note,
		      struct err *e)
{
	AUTO_STRV struct strv lines = { 0 };
	AUTO_STRV struct strv sent = { 0 };
	strv_split(&lines, list->text, "\n");
	strv_split(&sent, note->text, "\n");
	for (size_t i = 0; i < lines.nr; i++) {
		if (strlen(lines.items[i]) <= DIGEST_LIST_PATH || strv_has(&sent, lines.items[i]))
			continue;
		AUTO_FREE char *path = path_join(bundle, lines.items[i] + DIGEST_LIST_PATH);
		if (unlink(path) < 0)
			return err_errno(e, ERR_SYSTEM, "remove %s", path);
	}
	return 0;
}

int put_back(const char *dir, const char *want, struct str *list, struct err *e)
{
	AUTO_FREE char *bundle = path_join(dir, DELIVERY_BUNDLE);
	AUTO_FREE char *scratch = path_join(bundle, "work");
	AUTO_FREE char *path = path_join(dir, DELIVERY_BEGUN);
	AUTO_STR struct str note = STR_INIT;
	/* Scratch of a job may be large, and has what no list names. */
	const bool was_begun = read_note(dir, want, &note);
	if ((was_begun && tree_remove(scratch, e) < 0) || digest_list(bundle, list, e) < 0)
		return -1;
	if (is_list_of(list, want)) {
		/* Where there is no room for it there is none for the job, which says so. */
		struct err ignored = { 0 };
		file_write(path, list->text, list->len, &ignored);
		return 0;
	}
	if (!was_begun)
		return 0;
	if (remove_new(bundle, list, &note, e) < 0)
		return -1;
	str_clear(list);
	return digest_list(bundle, list, e);
}
