#include "host/queue_wait.h"

#include <jansson.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "base/str.h"
#include "base/untrusted.h"
#include "host/host.h"
#include "host/settings.h"

#define FIRST_PAUSE_NS (10 * NS_PER_S)
#define LAST_PAUSE_NS (600 * NS_PER_S)
#define S_PER_HOUR 3600.0

int queue_wait_begin(struct queue_wait *q, const struct settings *s, struct err *e)
{
	const char *text = setting_or(s, SET_FK_QUEUE_HOURS, "0");
	char *end = NULL;
	double hours = strtod(text, &end);
	*q = (struct queue_wait){ .began_ns = clock_mono_ns(), .pause_ns = FIRST_PAUSE_NS };
	if (end == text || *end || !(hours >= 0) || hours > 24 * 366)
		return err_set(e, ERR_INPUT, "FK_QUEUE_HOURS=%.40s is no number of hours", text);
	q->limit_ns = (uint64_t)(hours * S_PER_HOUR * 1e9);
	return 0;
}

void queue_wait_tell(struct queue_wait *q, const char *reason, const struct host_watch *watch)
{
	const uint64_t now_ns = clock_mono_ns();
	char line[sizeof(q->reason)];
	untrusted_copy(line, sizeof(line), reason);
	bool is_news = !str_equal(line, q->reason);
	if (!is_news && now_ns < q->told_ns + q->pause_ns)
		return;
	if (!is_news && q->pause_ns < LAST_PAUSE_NS)
		q->pause_ns *= 2;
	q->told_ns = now_ns;
	snprintf(q->reason, sizeof(q->reason), "%s", line);
	AUTO_JSON json_t *said = json_pack(
		"{s:s, s:o}", "progress", "queue", "wait",
		json_sprintf("%s, for %.0f s", line, (double)(now_ns - q->began_ns) * 1e-9));
	if (watch && watch->progress)
		watch->progress(said, watch->ctx);
}

bool queue_wait_is_over(const struct queue_wait *q)
{
	return q->limit_ns && !q->work_ns && clock_mono_ns() - q->began_ns > q->limit_ns;
}

double queue_wait_work_s(const struct queue_wait *q)
{
	return q->work_ns ? (double)(clock_mono_ns() - q->work_ns) * 1e-9 : 0;
}
