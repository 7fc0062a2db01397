#include "worker/progress.h"

#include <jansson.h>
#include <stdio.h>

#include "base/json.h"
#include "base/mem.h"

void progress_print(const char *step, size_t done, size_t total)
{
	AUTO_JSON json_t *line = json_pack("{s:s,s:I,s:I}", "progress", step, "done",
					   (json_int_t)done, "total", (json_int_t)total);
	AUTO_FREE char *text = json_line(line);
	printf("%s\n", text);
	fflush(stdout);
}
