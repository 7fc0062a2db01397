#include "engine/engine_in.h"

/* Stage 7. The report layer stands above the engine, so the caller brings the function that writes.
 * Reports are derived: writing one again changes nothing that was measured. */

#include "base/err.h"
#include "base/str.h"

int stage_report(struct engine *g, struct err *e)
{
	AUTO_STRV struct strv paths = { 0 };
	if (g->state.has_report)
		return 0;
	if (g->hooks.write_report && g->hooks.write_report(g->hooks.ctx, g->run_dir, &paths, e) < 0)
		return -1;
	json_t *list = json_array();
	for (size_t i = 0; i < paths.nr; i++)
		json_array_append_new(list, json_string(paths.items[i]));
	return engine_event(g, EVENT_report_written, e, "{s:o}", "paths", list);
}
