#include "know/queue.h"

/* The probe is written first: a lesson in the queue always has one. */

#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"

static const char *const names[] = {
	[REVIEW_WAITING] = "waiting",
	[REVIEW_ACCEPTED] = "accepted",
	[REVIEW_REJECTED] = "rejected",
};

const char *review_name(enum review r)
{
	return names[r];
}

static bool has_other_text(const char *path, const char *text)
{
	AUTO_STR struct str old = STR_INIT;
	struct err ignored = { 0 };
	return file_exists(path) && (file_read(path, LESSON_MAX_BYTES, &old, &ignored) < 0 ||
				     !str_equal(old.text, text));
}

/* Names that become paths. */
static bool has_good_names(const struct lesson *l, struct str *refused)
{
	AUTO_FREE char *c = xasprintf("%s.probe.c", l->id);
	AUTO_FREE char *cu = xasprintf("%s.probe.cu", l->id);
	if (!lesson_is_id(l->id))
		str_addf(refused, "\"%.60s\" is no id: lower-case letters, digits and -", l->id);
	else if (!lesson_is_family(l->family))
		str_addf(refused, "there is no device family \"%.60s\"", l->family);
	else if (!str_equal(l->probe, c) && !str_equal(l->probe, cu))
		str_addf(refused, "probe must be \"%s\" or \"%s\"", c, cu);
	else
		return true;
	return false;
}

static int write_both(const char *folder, const struct lesson *l, const char *probe,
		      struct str *refused, struct err *e)
{
	AUTO_FREE char *path = xasprintf("%s/%s.md", folder, l->id);
	AUTO_FREE char *probe_path = path_join(folder, l->probe);
	if (has_other_text(path, l->text)) {
		str_addf(refused, "a lesson %s was proposed already; give this one another id",
			 l->id);
		return 0;
	}
	if (dir_make(folder, e) < 0 || file_write_text(probe_path, probe, e) < 0)
		return -1;
	return file_write_text(path, l->text, e);
}

int queue_put(const char *dir, const char *text, const char *probe, struct str *id,
	      struct str *refused, struct err *e)
{
	AUTO_LESSON struct lesson l = { 0 };
	struct err why = { 0 };
	if (strlen(text) > LESSON_MAX_BYTES || strlen(probe) > PROBE_MAX_BYTES) {
		str_addf(refused, "a lesson has at most %d bytes, a probe %d", LESSON_MAX_BYTES,
			 PROBE_MAX_BYTES);
		return 0;
	}
	if (lesson_parse(&l, text, "lesson", &why) < 0) {
		str_add(refused, why.text);
		return 0;
	}
	if (!has_good_names(&l, refused))
		return 0;
	AUTO_FREE char *folder = path_join(dir, l.family);
	str_add(id, l.id);
	return write_both(folder, &l, probe, refused, e);
}

int queue_drop(const struct lesson *l, struct err *e)
{
	AUTO_FREE char *probe = lesson_probe_path(l);
	if (unlink(l->path) < 0 || unlink(probe) < 0)
		return err_errno(e, ERR_SYSTEM, "remove %s", l->path);
	return 0;
}

static char *review_path(const struct lesson *l)
{
	AUTO_FREE char *dir = path_dir(l->path);
	return xasprintf("%s/%s.review.json", dir, l->id);
}

int queue_review(const struct lesson *l, enum review *out, struct str *why, struct err *e)
{
	AUTO_FREE char *path = review_path(l);
	*out = REVIEW_WAITING;
	if (!file_exists(path))
		return 0;
	AUTO_JSON json_t *doc = json_read_file(path, e);
	if (!doc)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (str_equal(names[i], json_text_or(doc, "decision", "")))
			*out = (enum review)i;
	if (why)
		str_add(why, json_text_or(doc, "why", ""));
	return 0;
}

int queue_decide(const struct lesson *l, enum review decision, const char *why, const char *date,
		 struct err *e)
{
	AUTO_FREE char *path = review_path(l);
	AUTO_JSON json_t *doc =
		json_pack("{s:i, s:s, s:s, s:s, s:s}", "version", 1, "id", l->id, "decision",
			  review_name(decision), "why", why, "date", date);
	if (!doc)
		return err_set(e, ERR_USAGE, "--why is not UTF-8");
	return json_write_file(path, doc, e);
}
