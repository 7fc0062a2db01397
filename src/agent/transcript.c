#include "agent/transcript.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"

void transcript_open(struct transcript *t, const char *path, bool goes_on)
{
	*t = (struct transcript){ .start_ns = clock_mono_ns() };
	if (!path)
		return;
	t->file = fopen(path, goes_on ? "ae" : "we");
	if (!t->file)
		log_warn("no transcript: can not create %s", path);
}

void transcript_add(struct transcript *t, const char *direction, const char *line)
{
	if (!t->file)
		return;
	/* A line of an agent may be no UTF-8; then only its place is kept. */
	json_t *text = json_string(line);
	double seconds = (double)(clock_mono_ns() - t->start_ns) * 1e-9;
	AUTO_JSON json_t *row = json_pack("{s:s, s:f, s:o}", "dir", direction, "t", seconds, "line",
					  text ? text : json_string("(not UTF-8)"));
	AUTO_FREE char *out = json_line(row);
	fprintf(t->file, "%s\n", out);
	fflush(t->file);
}

void transcript_close(struct transcript *t)
{
	if (t->file)
		fclose(t->file);
	t->file = NULL;
}
