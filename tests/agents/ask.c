/* SPDX-License-Identifier: Apache-2.0
 *
 * Asks an agent for one turn, as the engine does, and prints what came of it as one JSON object:
 * the contract's table (tests/agents/contract) plays every driver through this. Its argument is a
 * JSON object: driver, role, kind, workspace, home, forge, mailbox, record_dir, program,
 * transcript, deadline_s, prompt, data, settings (profile, model), stop_after_s, call_s (what a
 * tool call takes), prices (text of a price table), left (what is left of limits). */

#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

#include "agent/agent.h"
#include "agent/agent_ops.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/untrusted.h"
#include "model/prices.h"
#include "model/task_agents.h"

static volatile sig_atomic_t is_stopped;

struct ask {
	json_t *doc;
	json_t *logs;
	json_t *calls;
	struct agent_settings settings;
	struct prices prices;
};

static void stop(int signo)
{
	(void)signo;
	is_stopped = 1;
}

static void stop_after(double seconds)
{
	const struct sigaction act = { .sa_handler = stop };
	long us = (long)(seconds * 1e6);
	const struct itimerval when = { .it_value = { us / 1000000, us % 1000000 } };
	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &when, NULL);
}

static void keep_log(void *ctx, const char *text)
{
	AUTO_STR struct str line = STR_INIT;
	untrusted_line(&line, text, 0); /* as forge shows it */
	json_array_append_new(((struct ask *)ctx)->logs, json_string(line.text));
}

static json_t *answer_call(void *ctx, const json_t *call)
{
	struct ask *a = ctx;
	json_array_append_new(a->calls, json_deep_copy(call));
	clock_sleep_ns((uint64_t)(json_real_or(a->doc, "call_s", 0) * 1e9));
	return json_pack("{s:s, s:s}", "outcome", "done", "text", "as asked");
}

/* As an engine whose limits are those of the argument. */
static json_t *tell_left(void *ctx)
{
	return json_deep_copy(json_object_get(((struct ask *)ctx)->doc, "left"));
}

static const char *text_of(const struct ask *a, const char *key)
{
	return json_text_or(a->doc, key, NULL);
}

static enum turn_kind kind_of(const char *name)
{
	int kind = TURN_JUDGE;
	while (kind < TURN_GENERATE && !str_equal(turn_kind_name((enum turn_kind)kind), name))
		kind++;
	return (enum turn_kind)kind;
}

static void fill_spec(struct ask *a, struct agent_spec *spec)
{
	const json_t *settings = json_object_get(a->doc, "settings");
	a->settings = (struct agent_settings){ .profile = json_text_or(settings, "profile", NULL),
					       .model = json_text_or(settings, "model", NULL) };
	*spec = (struct agent_spec){
		.ops = agent_driver(json_text_or(a->doc, "driver", "")),
		.role = str_equal(text_of(a, "role"), "teacher") ? AGENT_TEACHER : AGENT_STUDENT,
		.workspace = text_of(a, "workspace"),
		.record_dir = text_of(a, "record_dir"),
		.program = text_of(a, "program"),
		.settings = &a->settings,
		.transcript = text_of(a, "transcript"),
		.run_name = "run",
		.mailbox = text_of(a, "mailbox"),
		.home = text_of(a, "home"),
		.forge = text_of(a, "forge"),
		.deadline_s = json_real_or(a->doc, "deadline_s", 0),
		.stop = &is_stopped,
		.see_log = keep_log,
		.call_tool = answer_call,
		.prices = &a->prices,
		.tell_left = tell_left,
		.ctx = a,
	};
}

static void print(json_t *out)
{
	AUTO_FREE char *line = json_line(out);
	printf("%s\n", line);
	json_decref(out);
}

static void print_answer(const struct ask *a, const struct agent_answer *answer)
{
	json_t *text = json_string(answer->text ? answer->text : "");
	print(json_pack("{s:s, s:o, s:s, s:s, s:s, s:i, s:f, s:O, s:O, s:o, s:s, s:s}", "kind",
			answer_kind_name(answer->kind), "text", text, "note",
			answer->note ? answer->note : "", "name", answer->name, "version",
			answer->version, "repairs", (int)answer->nr_repairs, "seconds",
			answer->seconds, "logs", a->logs, "calls", a->calls, "usage",
			usage_to_json(&answer->usage), "model", answer->model, "provider",
			answer->provider));
}

static int converse(struct ask *a)
{
	struct err e = { 0 };
	struct agent_spec spec;
	AUTO_AGENT_ANSWER struct agent_answer answer = { 0 };
	fill_spec(a, &spec);
	if (!spec.ops) {
		print(json_pack("{s:s}", "absent", json_text_or(a->doc, "driver", "")));
		return 0;
	}
	const struct agent_turn turn = {
		.id = 1,
		.kind = kind_of(json_text_or(a->doc, "kind", "round")),
		.purpose = "round-0001",
		.prompt = text_of(a, "prompt"),
		.data = json_object_get(a->doc, "data"),
	};
	stop_after(json_real_or(a->doc, "stop_after_s", 0));
	if (agent_ask(&spec, &turn, &answer, &e) < 0)
		print(json_pack("{s:s}", "failed", e.text));
	else
		print_answer(a, &answer);
	return 0;
}

int main(int argc, char **argv)
{
	struct err e = { 0 };
	if (argc != 2) {
		fprintf(stderr, "usage: ask JSON\n");
		return 64;
	}
	AUTO_JSON json_t *doc = json_read_text(argv[1], strlen(argv[1]), "the argument", &e);
	AUTO_JSON json_t *logs = json_array();
	AUTO_JSON json_t *calls = json_array();
	struct ask a = { .doc = doc, .logs = logs, .calls = calls };
	const char *prices = doc ? json_text_or(doc, "prices", "# date: 2026-11-30\n") : NULL;
	if (prices && prices_parse(&a.prices, prices, "prices", false, &e) == 0) {
		int code = converse(&a);
		prices_release(&a.prices);
		return code;
	}
	fprintf(stderr, "%s\n", e.text);
	return 64;
}
