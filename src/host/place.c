#include "host/place.h"

/*
 * Scripts are one line for a POSIX shell. By ssh they are given to `sh -c`, quoted once more, since
 * the user's own shell there may be none. Words of programs are in the C locale, because some are
 * looked for (said.def).
 */

#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "host/settings.h"
#include "sys/proc.h"

#define COMMAND_DEADLINE_NS (120 * NS_PER_S)
#define TRAVEL_DEADLINE_NS (600 * NS_PER_S)
enum { MAX_TRAVEL_BYTES = 512 << 20, EXIT_OF_SSH = 255, MAX_WHY_BYTES = 300 };

static const char default_workdir[] = "~/.forge-jobs";

void place_quote(struct str *out, const char *text)
{
	str_add_char(out, '\'');
	for (; *text; text++) {
		if (*text == '\'')
			str_add(out, "'\\''");
		else
			str_add_char(out, *text);
	}
	str_add_char(out, '\'');
}

static char *quoted_folder(const char *path)
{
	struct str out = STR_INIT;
	if (str_starts(path, "~/")) {
		str_add(&out, "\"$HOME\"/");
		path += 2;
	}
	place_quote(&out, path);
	return str_take(&out);
}

static int add_ssh(struct place *p, const struct settings *s, struct err *e)
{
	static const char *const fixed[] = {
		"ssh", "-T",
		"-o",  "BatchMode=yes",
		"-o",  "ConnectTimeout=15",
		"-o",  "ServerAliveInterval=15",
		"-o",  "ServerAliveCountMax=4",
	};
	const char *host = setting_or(s, SET_REMOTE_HOST, "");
	if (setting_need(s, SET_REMOTE_HOST, "ssh", e) < 0)
		return -1;
	if (host[0] == '-' || strpbrk(host, " \t'\""))
		return err_set(e, ERR_INPUT, "REMOTE_HOST=%.80s is no [user@]host", host);
	for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
		strv_add(&p->prefix, fixed[i]);
	strv_split(&p->prefix, setting_or(s, SET_REMOTE_SSH_OPTIONS, ""), " \t");
	strv_add(&p->prefix, "--");
	strv_add(&p->prefix, host);
	return 0;
}

int place_open(struct place *p, const struct settings *s, bool is_remote, struct err *e)
{
	*p = (struct place){ .is_remote = is_remote };
	p->workdir = quoted_folder(setting_or(s, SET_REMOTE_WORKDIR, default_workdir));
	if (is_remote)
		return add_ssh(p, s, e);
	strv_add(&p->prefix, "sh");
	strv_add(&p->prefix, "-c");
	return 0;
}

void place_release(struct place *p)
{
	strv_release(&p->prefix);
	free(p->workdir);
	*p = (struct place){ 0 };
}

void place_argv(const struct place *p, const char *script, struct strv *argv)
{
	AUTO_STR struct str whole = STR_INIT;
	AUTO_STR struct str command = STR_INIT;
	str_addf(&whole, "LC_ALL=C; export LC_ALL; %s", script);
	if (p->is_remote) {
		str_add(&command, "exec sh -c ");
		place_quote(&command, whole.text);
	} else {
		str_add(&command, whole.text);
	}
	strv_add_all(argv, &p->prefix);
	strv_add(argv, command.text);
}

/* The last words are the reason; what came before is of how it came to it. */
static void add_said(struct str *why, const char *said)
{
	AUTO_STRV struct strv lines = { 0 };
	strv_split(&lines, said, "\r\n");
	if (lines.nr)
		str_addf(why, "%.*s", MAX_WHY_BYTES, lines.items[lines.nr - 1]);
}

static enum trouble judge(const struct place *p, const struct place_call *call,
			  const struct proc_result *r, struct str *why)
{
	if (proc_result_is_ok(r))
		return TROUBLE_NONE;
	str_clear(why);
	add_said(why, r->err.text);
	if (!why->len)
		proc_result_describe(r, why);
	if (r->timed_out || r->stopped || r->signal)
		return TROUBLE_lost;
	if (p->is_remote && r->exit_code == EXIT_OF_SSH)
		return trouble_of_ssh(r->err.text);
	return trouble_of_command(r->exit_code, r->err.text, call->otherwise);
}

enum trouble place_run(const struct place *p, const struct place_call *call, struct str *said,
		       struct str *why)
{
	AUTO_STRV struct strv argv = { 0 };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	struct err e = { 0 };
	place_argv(p, call->script, &argv);
	const struct proc_spec spec = {
		.argv = (const char *const *)argv.items,
		.stdin_text = call->input ? call->input->text : NULL,
		.stdin_len = call->input ? call->input->len : 0,
		.deadline_ns = call->deadline_ns ? call->deadline_ns : COMMAND_DEADLINE_NS,
		.max_output = MAX_TRAVEL_BYTES,
		.stop = p->stop,
	};
	if (proc_run(&r, &spec, &e) < 0) {
		str_clear(why);
		str_add(why, e.text);
		return TROUBLE_no_program;
	}
	if (said)
		str_add_len(said, r.out.text, r.out.len);
	return judge(p, call, &r, why);
}

static enum trouble pack(const char *dir, struct str *out, struct str *why)
{
	const char *const argv[] = { "tar", "-cf", "-", "-C", dir, ".", NULL };
	const struct proc_spec spec = { .argv = argv,
					.deadline_ns = TRAVEL_DEADLINE_NS,
					.max_output = MAX_TRAVEL_BYTES };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	struct err e = { 0 };
	str_clear(why);
	if (proc_run(&r, &spec, &e) < 0) {
		str_add(why, e.text);
		return TROUBLE_no_program;
	}
	if (!proc_result_is_ok(&r) || r.truncated) {
		str_addf(why, "tar %s: ", dir);
		add_said(why, r.err.text);
		return TROUBLE_damaged_bundle;
	}
	str_add_len(out, r.out.text, r.out.len);
	return TROUBLE_NONE;
}

enum trouble place_put(const struct place *p, const char *name, const char *dir, struct str *why)
{
	AUTO_STR struct str packed = STR_INIT;
	enum trouble t = pack(dir, &packed, why);
	if (t != TROUBLE_NONE)
		return t;
	AUTO_FREE char *script =
		xasprintf("umask 022; mkdir -p -m 711 %s && cd %s && rm -rf %s %s.new && mkdir "
			  "%s.new && { tar -xf - -C %s.new && mv %s.new %s || { s=$?; rm -rf "
			  "%s.new; exit $s; }; }",
			  p->workdir, p->workdir, name, name, name, name, name, name, name);
	const struct place_call call = { .script = script,
					 .input = &packed,
					 .deadline_ns = TRAVEL_DEADLINE_NS,
					 .otherwise = TROUBLE_no_workdir };
	return place_run(p, &call, NULL, why);
}

static enum trouble unpack(const struct str *packed, const char *dir, struct str *why)
{
	const char *const argv[] = { "tar", "-xf", "-", "--no-same-owner", "--no-same-permissions",
				     "-C",  dir,   NULL };
	const struct proc_spec spec = { .argv = argv,
					.stdin_text = packed->text,
					.stdin_len = packed->len,
					.deadline_ns = TRAVEL_DEADLINE_NS };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	struct err e = { 0 };
	str_clear(why);
	if (tree_remove(dir, &e) < 0 || dir_make(dir, &e) < 0 || proc_run(&r, &spec, &e) < 0) {
		str_add(why, e.text);
		return TROUBLE_damaged_answer;
	}
	if (proc_result_is_ok(&r))
		return TROUBLE_NONE;
	add_said(why, r.err.text);
	return TROUBLE_damaged_answer;
}

enum trouble place_get(const struct place *p, const char *name, const char *dir, struct str *why)
{
	AUTO_STR struct str packed = STR_INIT;
	AUTO_FREE char *script = xasprintf(
		"cd %s/%s && tar -cf - $(ls -d answer.json bundle/result.json bundle/samples.csv "
		"bundle/log bundle/check bundle/probe.json 2>/dev/null) && cd .. && rm -rf %s",
		p->workdir, name, name);
	const struct place_call call = { .script = script,
					 .deadline_ns = TRAVEL_DEADLINE_NS,
					 .otherwise = TROUBLE_lost };
	enum trouble t = place_run(p, &call, &packed, why);
	return t == TROUBLE_NONE ? unpack(&packed, dir, why) : t;
}

enum trouble place_remove(const struct place *p, const char *name, struct str *why)
{
	/* A worker that is just being ended may still write: once more. */
	AUTO_FREE char *script =
		xasprintf("r() { rm -rf %s/%s %s/%s.new; }; r 2>/dev/null || { sleep 1; r; }",
			  p->workdir, name, p->workdir, name);
	/* Also after a stop: what lies there is ours. */
	const struct place unstopped = { .prefix = p->prefix,
					 .is_remote = p->is_remote,
					 .workdir = p->workdir };
	const struct place_call call = { .script = script, .otherwise = TROUBLE_no_workdir };
	return place_run(&unstopped, &call, NULL, why);
}
