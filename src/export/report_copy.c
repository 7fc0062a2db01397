#include "export/report_copy.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "store/rundir.h"

enum { MAX_REPORT_BYTES = 16 << 20 };

static void replace_all(const char *text, const char *from, const char *to, struct str *out)
{
	for (const char *at; *from && (at = strstr(text, from)); text = at + strlen(from)) {
		str_add_len(out, text, (size_t)(at - text));
		str_add(out, to);
	}
	str_add(out, text);
}

int report_copy(const char *run, const char *dir, struct err *e)
{
	AUTO_FREE char *from = rundir_path(run, RUNDIR_REPORT_MD);
	AUTO_FREE char *to = path_join(dir, "report.md");
	AUTO_FREE char *real = realpath(run, NULL);
	AUTO_STR struct str text = STR_INIT;
	AUTO_STR struct str named = STR_INIT;
	AUTO_STR struct str bare = STR_INIT;
	if (file_read(from, MAX_REPORT_BYTES, &text, e) < 0)
		return -1;
	replace_all(text.text, real ? real : run, "RUN", &named);
	replace_all(named.text, run, "RUN", &bare);
	return file_write(to, bare.text, bare.len, e);
}
