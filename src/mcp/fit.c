#include "mcp/fit.h"

/* Long texts are cut first, the longest most: a listing of 24 KiB loses its middle, the numbers
 * beside it stay. Only an object that is long without long texts is shown as cut text. */

#include <stdlib.h>
#include <string.h>

#include "agent/clip.h"
#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/untrusted.h"

/* Texts are cut to FIRST_CUT bytes, then to half of it and so on; below LAST_CUT nothing readable
 * is left of them. MEMBER_BYTES: for the members that fit_result adds. */
enum { FIRST_CUT = 16384, LAST_CUT = 256, MEMBER_BYTES = 1024 };

json_t *fit_text(const char *text)
{
	AUTO_STR struct str shown = STR_INIT;
	untrusted_block(&shown, text, 0);
	return json_string(shown.text);
}

static json_t *cut_text(const char *text, size_t len, size_t keep)
{
	AUTO_STR struct str out = STR_INIT;
	clip_text(&out, text, len, keep);
	return json_string(out.text);
}

static json_t *cut(const json_t *value, size_t keep);

static json_t *cut_object(const json_t *obj, size_t keep)
{
	json_t *copy = json_object();
	const char *key;
	json_t *value;
	json_object_foreach((json_t *)(uintptr_t)obj, key, value)
	{
		json_object_set_new(copy, key, cut(value, keep));
	}
	return copy;
}

/* The depth is that of what frame_data made, or of forge's own. */
static json_t *cut(const json_t *value, size_t keep)
{
	if (json_is_string(value) && json_string_length(value) > keep)
		return cut_text(json_string_value(value), json_string_length(value), keep);
	if (json_is_object(value))
		return cut_object(value, keep);
	if (!json_is_array(value))
		return json_incref((json_t *)(uintptr_t)value);
	json_t *copy = json_array();
	for (size_t i = 0; i < json_array_size(value); i++)
		json_array_append_new(copy, cut(json_array_get(value, i), keep));
	return copy;
}

static size_t line_len(const json_t *value)
{
	AUTO_FREE char *line = json_line(value);
	return strlen(line);
}

/* As few bytes less as it takes. */
static json_t *shortened(const json_t *whole, const char *text)
{
	const size_t room = FIT_BYTES - MEMBER_BYTES;
	for (size_t keep = FIRST_CUT; keep >= LAST_CUT; keep /= 2) {
		json_t *copy = cut(whole, keep);
		if (line_len(copy) <= room)
			return copy;
		json_decref(copy);
	}
	/* Every quote of the text is escaped once more. */
	return json_pack("{s:o}", "text", cut_text(text, strlen(text), room / 3));
}

/* NULL: it could not be written; then there is only what is shown. */
static char *keep_whole(const char *text, const char *dir)
{
	struct err ignored = { 0 };
	struct digest digest = digest_text(text);
	AUTO_FREE char *folder = path_join(dir, "whole");
	AUTO_FREE char *path = xasprintf("%s/%.16s.json", folder, digest.hex);
	if (dir_make(folder, &ignored) < 0 || file_write_text(path, text, &ignored) < 0)
		return NULL;
	return realpath(path, NULL);
}

json_t *fit_result(const json_t *whole, const char *dir)
{
	AUTO_FREE char *text = json_line(whole);
	size_t len = strlen(text);
	if (len <= FIT_BYTES)
		return json_deep_copy(whole);
	AUTO_FREE char *path = keep_whole(text, dir);
	json_t *copy = shortened(whole, text);
	json_object_set_new(copy, "left_out_bytes",
			    json_integer((json_int_t)(len - line_len(copy))));
	if (path)
		json_object_set_new(copy, "whole", fit_text(path));
	return copy;
}
