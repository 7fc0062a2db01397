#include "export/report_copy.h"

/*
 * Made again from the log, for the text can not tell a path from a word: of a run in "run" or "." a
 * replacement would reach into sentences and numbers. What programs said of files below the run
 * holds its whole path, which is long enough to be found.
 */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "report/report.h"

static const char published_name[] = "RUN";

static bool goes_on(char c)
{
	return isalnum((unsigned char)c) || strchr("_-", c);
}

/* `path` where it stands alone or has files below it, and not as the head of a longer name. */
static void hide(const char *text, const char *path, struct str *out)
{
	const size_t len = strlen(path);
	for (const char *at; len > 1 && (at = strstr(text, path)); text = at + len) {
		str_add_len(out, text, (size_t)(at - text));
		str_add(out, at[len] && goes_on(at[len]) ? path : published_name);
	}
	str_add(out, text);
}

int report_copy(const char *run, const char *dir, struct err *e)
{
	AUTO_FREE char *to = path_join(dir, "report.md");
	AUTO_FREE char *real = realpath(run, NULL);
	AUTO_STR struct str text = STR_INIT;
	AUTO_STR struct str bare = STR_INIT;
	if (report_print(run, published_name, &text, e) < 0)
		return -1;
	hide(text.text, real ? real : "", &bare);
	return file_write(to, bare.text, bare.len, e);
}
