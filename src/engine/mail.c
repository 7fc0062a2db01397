#include "engine/mail.h"

#include <jansson.h>

#include "agent/agent.h"
#include "agent/agent_ops.h"
#include "agent/frame.h"
#include "agent/mailbox.h"
#include "agent/mailbox_link.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "engine/engine_in.h"
#include "engine/turn_data.h"

/* The newest turn of the role, as state.json knows it: {"id", "purpose"}. */
static json_t *newest_turn(const struct run_state *s, const char *role)
{
	json_int_t id = 0;
	const char *purpose = "";
	for (size_t i = 0; i < s->nr_turns; i++) {
		if (!str_equal(s->turns[i].role, role))
			continue;
		id++;
		purpose = s->turns[i].purpose;
	}
	return json_pack("{s:I, s:s}", "id", id, "purpose", purpose);
}

static int tell(const struct engine *g, const char *role, const char *dir, struct err *e)
{
	AUTO_MAILBOX struct mailbox box = MAILBOX_INIT;
	AUTO_JSON json_t *turn = newest_turn(&g->state, role);
	AUTO_JSON json_t *measured = turn_data_feedback(g);
	AUTO_JSON json_t *last = frame_data(measured);
	const struct mailbox_state now = { .run_name = path_base(g->run_dir),
					   .role = role,
					   .turn = turn,
					   .state = g->state.is_ended ? "ended" : "between",
					   .last = last };
	AUTO_JSON json_t *doc = mailbox_state_doc(&now);
	if (mailbox_open(&box, dir, e) < 0 || mailbox_tell(&box, doc, e) < 0)
		return -1;
	if (!g->state.is_ended)
		return 0;
	if (mailbox_offer(&box, NULL, e) < 0)
		return -1;
	return mailbox_refuse_all(&box, "the run has ended", e);
}

void mail_tell(const struct engine *g)
{
	const struct {
		enum agent_role role;
		const char *driver;
	} rows[] = { { AGENT_TEACHER, g->task.teacher }, { AGENT_STUDENT, g->task.student } };
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct agent_ops *ops = agent_driver(rows[i].driver);
		const char *role = agent_role_name(rows[i].role);
		AUTO_FREE char *dir = rundir_mailbox(g->run_dir, role);
		struct err why = { 0 };
		if (ops && ops->is_patient && tell(g, role, dir, &why) < 0)
			log_warn("%s", why.text);
	}
}
