/*
 * A campaign for unit tests: the task of tests/crash with recorded agents of the test's own, and
 * tests/fake/fake-worker in place of the worker. Everything else is the real code path.
 */
#ifndef FORGE_TEST_SCENE_H
#define FORGE_TEST_SCENE_H

#include <jansson.h>
#include <signal.h>

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "engine/engine.h"
#include "store/eventlog.h"
#include "store/fold.h"
#include "store/rundir.h"
#include "test.h"

struct scene {
	char dir[48];
	char *task;
	char *run;
	char *count; /* one line per job that the worker really ran */
	struct engine_host host;
	struct engine_hooks hooks;
	enum engine_outcome outcome;
	struct err e;
};

static inline void scene_write(const struct scene *sc, const char *name, const char *text)
{
	struct err e = { 0 };
	AUTO_FREE char *path = path_join(sc->task, name);
	CHECK_OK(file_write_text(path, text, &e));
}

static inline int scene_report(void *ctx, const char *run_dir, struct strv *paths, struct err *e)
{
	(void)ctx;
	AUTO_FREE char *path = path_join(run_dir, "report.md");
	strv_add(paths, "report.md");
	return file_write_text(path, "reported\n", e);
}

static inline void scene_open(struct scene *sc)
{
	struct err e = { 0 };
	*sc = (struct scene){ .dir = "/tmp/forge-engine-XXXXXX",
			      .host = { .worker_path = "tests/fake/fake-worker" },
			      .hooks = { .write_report = scene_report } };
	CHECK(mkdtemp(sc->dir));
	AUTO_FREE char *keys = path_join(sc->dir, "keys");
	setenv("FORGE_KEYS", keys, 1);
	sc->task = path_join(sc->dir, "task");
	sc->run = path_join(sc->dir, "run");
	sc->count = path_join(sc->dir, "count");
	CHECK_OK(tree_copy("tests/crash/task", sc->task, &e));
}

static inline void scene_close(struct scene *sc)
{
	struct err e = { 0 };
	CHECK_OK(tree_remove(sc->dir, &e));
	free(sc->task);
	free(sc->run);
	free(sc->count);
}

/* The student's answers, in order: each the markers of one candidate; "handback" and "give_up" are
 * answers of their own. NULL ends the list. */
static inline void scene_student(const struct scene *sc, const char *const *marks)
{
	AUTO_STR struct str lines = STR_INIT;
	for (; *marks; marks++) {
		bool is_word = str_equal(*marks, "handback") || str_equal(*marks, "give_up");
		AUTO_JSON json_t *row =
			is_word ? json_pack("{s:s, s:s}", "type", *marks, "reason", "as told")
				: json_pack("{s:s, s:s}", "type", "submit", "source", *marks);
		AUTO_FREE char *line = json_line(row);
		str_addf(&lines, "%s\n", line);
	}
	scene_write(sc, "replay/student.jsonl", lines.text);
}

static inline void scene_read(const struct scene *sc, const char *name, struct str *text)
{
	struct err e = { 0 };
	AUTO_FREE char *path = path_join(sc->task, name);
	CHECK_OK(file_read(path, 1 << 20, text, &e));
}

/* Replace the first `from` in a file of the task. */
static inline void scene_edit(const struct scene *sc, const char *name, const char *from,
			      const char *to)
{
	AUTO_STR struct str text = STR_INIT;
	scene_read(sc, name, &text);
	const char *at = strstr(text.text, from);
	CHECK(at);
	AUTO_FREE char *changed =
		xasprintf("%.*s%s%s", (int)(at - text.text), text.text, to, at + strlen(from));
	scene_write(sc, name, changed);
}

static const char *const scene_tools[] = { "FAKE speedup=1.5", "FAKE speedup=2 FAKE metric=256",
					   "FAKE speedup=1.9", "FAKE speedup=1.4 without",
					   "give_up",          NULL };

/* A teacher that asks for things in its first turn and in its first entry, and comes back. */
static inline void scene_asking_teacher(const struct scene *sc)
{
	AUTO_FREE char *probe = xasprintf("{\"type\":\"tool\",\"id\":1,\"tool\":\"probe\","
					  "\"source\":\"FAKE speedup=%d\"}",
					  2);
	AUTO_FREE char *text = xasprintf(
		"{\"lines\":[%s,{\"type\":\"curriculum\",\"toml_file\":\"course.toml\"},"
		"{\"type\":\"done\"}]}\n"
		"{\"lines\":[%s,{\"type\":\"tool\",\"id\":2,\"tool\":\"ablate\","
		"\"decision\":\"D1.1\",\"how\":\"drop\"},"
		"{\"type\":\"curriculum\",\"toml_file\":\"course.toml\"},{\"type\":\"done\"}]}\n"
		"{\"type\":\"give_up\",\"reason\":\"enough\"}\n",
		probe, probe);
	scene_write(sc, "replay/teacher.jsonl", text);
	scene_edit(sc, "task.toml", "max_meta = 1", "max_meta = 2");
	scene_edit(sc, "task.toml", "stall = 50", "stall = 1");
	scene_student(sc, scene_tools);
}

static inline void scene_new(struct scene *sc)
{
	struct err e = { 0 };
	AUTO_STR struct str made = STR_INIT;
	const struct engine_new spec = { .task_dir = sc->task, .run_dir = sc->run, .seed = 42 };
	CHECK_OK(engine_new_run(&spec, &made, &e));
	CHECK_TEXT(made.text, sc->run);
}

static inline int scene_run(struct scene *sc)
{
	sc->e = (struct err){ 0 };
	return engine_run(sc->run, &sc->host, &sc->hooks, &sc->outcome, &sc->e);
}

static inline void scene_run_ok(struct scene *sc)
{
	if (scene_run(sc) == 0)
		return;
	printf("# run: %s\n", sc->e.text);
	CHECK(false);
}

/* Dies like by kill -9 after this many events of a session; the event is durable by then. */
struct scene_bomb {
	unsigned left;
};

static inline void scene_die_at_event(void *ctx, const struct event *ev, const struct run_state *s)
{
	struct scene_bomb *bomb = ctx;
	(void)ev;
	(void)s;
	if (--bomb->left == 0)
		_exit(99);
}

/* One session in a child that dies after `events` events. True: it ended by itself. */
static inline bool scene_session(struct scene *sc, unsigned events)
{
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		struct scene_bomb bomb = { events };
		sc->hooks.see_event = scene_die_at_event;
		sc->hooks.ctx = &bomb;
		_exit(scene_run(sc) == 0 ? 0 : 1);
	}
	int status = 0;
	waitpid(pid, &status, 0);
	CHECK(WIFEXITED(status));
	if (WEXITSTATUS(status) == 1)
		scene_run_ok(sc); /* shows the message */
	return WEXITSTATUS(status) == 0;
}

static inline void scene_state(const struct scene *sc, struct run_state *s)
{
	struct err e = { 0 };
	CHECK_OK(run_state_load(s, sc->run, &e));
}

/* Jobs that the worker ran, one name a line. */
static inline void scene_jobs(const struct scene *sc, struct str *out)
{
	struct err e = { 0 };
	CHECK_OK(file_read(sc->count, 1 << 20, out, &e));
}

static inline void scene_print_verdicts(const struct run_state *s, struct str *out)
{
	for (size_t i = 0; i < s->nr_rounds; i++) {
		const struct state_round *r = &s->rounds[i];
		const char *reason = r->source ? reason_name(r->verdict.reason) : r->absent;
		str_addf(out, "%u %s base %u %s %s%s\n", r->number, r->decision, r->base, reason,
			 round_outcome_name(r->outcome), r->is_best ? " best" : "");
	}
}

/* "1 D0.1 base 0 ok kept best\n" per round. */
static inline void scene_verdicts(const struct scene *sc, struct str *out)
{
	AUTO_RUN_STATE struct run_state s;
	scene_state(sc, &s);
	scene_print_verdicts(&s, out);
}

#define CHECK_VERDICTS(sc, want)                                                                   \
	do {                                                                                       \
		AUTO_STR struct str got_verdicts_ = STR_INIT;                                      \
		scene_verdicts((sc), &got_verdicts_);                                              \
		CHECK_TEXT(got_verdicts_.text, want);                                              \
	} while (0)

/* "r0001-decide r0005-decide best 1 best 5 ": jobs of K=8, then promotions, in order. */
static inline void scene_print_decisions(const struct run_state *s, struct str *out)
{
	for (size_t i = 0; i < s->nr_jobs; i++)
		if (str_equal(s->jobs[i].purpose, "decide"))
			str_addf(out, "%s ", s->jobs[i].id);
	for (size_t i = 0; i < s->nr_bests; i++)
		str_addf(out, "best %u ", s->bests[i].round);
}

#define CHECK_DECISIONS(sc, want)                                                                  \
	do {                                                                                       \
		AUTO_RUN_STATE struct run_state got_state_;                                        \
		AUTO_STR struct str got_decisions_ = STR_INIT;                                     \
		scene_state((sc), &got_state_);                                                    \
		scene_print_decisions(&got_state_, &got_decisions_);                               \
		CHECK_TEXT(got_decisions_.text, want);                                             \
	} while (0)

static const char *const scene_usual[] = { "FAKE speedup=2",
					   "FAKE reason=wrong_value",
					   "FAKE speedup=0.5",
					   "FAKE reason=crashed",
					   "FAKE speedup=4 FAKE metric=256",
					   "handback",
					   "FAKE reason=forbidden_import",
					   NULL };

static const char scene_usual_verdicts[] = "1 D0.1 base 0 ok kept best\n"
					   "2 D1.1 base 1 wrong_value rolled_back\n"
					   "3 D1.2 base 1 ok kept\n"
					   "4 D1.3 base 3 crashed rolled_back\n"
					   "5 D1.4 base 3 ok kept best\n"
					   "6 D1.5 base 5 handback no_candidate\n"
					   "7 D1.6 base 5 forbidden_import rolled_back\n";

#endif
