#include "worker/progress.h"

#include <jansson.h>
#include <stdio.h>

#include "base/json.h"
#include "base/mem.h"

static void print_line(const json_t *line)
{
	AUTO_FREE char *text = json_line(line);
	printf("%s\n", text);
	fflush(stdout);
}

void progress_print(const char *step, size_t done, size_t total)
{
	AUTO_JSON json_t *line = json_pack("{s:s,s:I,s:I}", "progress", step, "done",
					   (json_int_t)done, "total", (json_int_t)total);
	print_line(line);
}

void progress_wait(const char *step, const char *why)
{
	AUTO_JSON json_t *line = json_pack("{s:s,s:s}", "progress", step, "wait", why);
	print_line(line);
}
