#include "engine/engine_in.h"

/* Stage 4. Reconnaissance, then the first curriculum. A teacher that has none is an outcome and not
 * an error: the student's loop then has nothing to do, and the report says why. */

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"
#include "engine/control.h"
#include "engine/publish.h"
#include "engine/recon.h"
#include "engine/turn_data.h"

int stage_curriculum(struct engine *g, struct err *e)
{
	if (run_state_curriculum(&g->state) || control_is_goal_only(g))
		return 0;
	AUTO_JSON json_t *data = turn_data_teacher(g, g->task.reference_is_source, e);
	if (!data)
		return -1;
	json_t *profile = json_deep_copy(g->state.reference.profile);
	json_object_set_new(data, "profile", profile ? profile : json_object());
	json_object_set_new(data, "times", turn_data_times(g));
	if (recon_run(g, data, e) < 0)
		return -1;
	AUTO_STR struct str why = STR_INIT;
	const struct publish_spec spec = {
		.kind = TURN_CURRICULUM, .purpose = "curriculum", .reason = "first", .data = data
	};
	int done = publish(g, &spec, &why, e);
	if (done != 0)
		return done < 0 ? -1 : 0;
	return engine_warn_once(g, e, "no curriculum was published: %s", why.text);
}
