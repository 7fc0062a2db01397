#include "agent/cli_box.h"

/* The program is mounted with the folder it stands in, as its libraries and further programs lie
 * there: for one that npm installed that is the folder above node_modules, which holds node, too.
 * What lies below /usr is there already. Nothing else of the user's home is. Of a program that a
 * task names only its file is there: a task is somebody else's word. */

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/agent_ops.h"
#include "agent/key.h"
#include "agent/launch.h"
#include "agent/network_env.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/share.h"
#include "base/untrusted.h"
#include "sys/proc.h"

#define VERSION_DEADLINE_NS (20 * NS_PER_S)
#define VERSION_STEP_NS (20 * NS_PER_MS)

enum { MAX_VERSION_BYTES = 200, MAX_PRINTED_BYTES = 64 << 10 };

static const char inside_workspace[] = "/workspace";
static const char inside_config[] = "/agent/config";
static const char inside_program[] = "/agent/program";
static const char inside_forge[] = "/agent/bin/forge";
static const char inside_share[] = "/agent/share/forge";
static const char inside_passwd[] = "/etc/passwd";

static void add_mount(struct cli_box *b, const char *from, const char *to, bool is_writable)
{
	if (b->nr_mounts == CLI_BOX_MOUNTS)
		return;
	b->mounts[b->nr_mounts++] =
		(struct agent_mount){ arena_strdup(&b->arena, from), arena_strdup(&b->arena, to),
				      is_writable };
}

static const char *keep(struct cli_box *b, char *owned)
{
	AUTO_FREE char *text = owned;
	return arena_strdup(&b->arena, text);
}

static bool is_of_system(const char *path)
{
	static const char *const roots[] = { "/usr/", "/bin/", "/lib/", "/lib64/" };
	for (size_t i = 0; i < ARRAY_LEN(roots); i++)
		if (str_starts(path, roots[i]))
			return true;
	return false;
}

/* The folder that holds all of the program; yours. */
static char *root_of(const char *program)
{
	const char *modules = strstr(program, "/lib/node_modules/");
	if (!modules)
		modules = strstr(program, "/node_modules/");
	if (modules && modules > program)
		return xstrndup(program, (size_t)(modules - program));
	return path_dir(program);
}

static void place_program(struct cli_box *b, const char *program)
{
	b->program_outside = arena_strdup(&b->arena, program);
	if (!b->is_boxed || is_of_system(program)) {
		b->program = arena_strdup(&b->arena, program);
		return;
	}
	if (b->launch->is_of_task) {
		b->program = arena_printf(&b->arena, "%s/%s", inside_program, path_base(program));
		add_mount(b, program, b->program, false);
		return;
	}
	AUTO_FREE char *root = root_of(program);
	add_mount(b, root, inside_program, false);
	b->program = arena_printf(&b->arena, "%s%s", inside_program, program + strlen(root));
}

static int place_forge(struct cli_box *b, struct err *e)
{
	struct err ignored = { 0 };
	AUTO_FREE char *bin = path_of_program();
	AUTO_FREE char *found = b->spec->forge ? xstrdup(b->spec->forge) : path_join(bin, "forge");
	AUTO_FREE char *forge = realpath(found, NULL);
	AUTO_FREE char *prompts = share_path("agents", &ignored);
	if (!forge)
		return err_set(e, ERR_INPUT, "%s: not there; is forge installed whole?", found);
	b->forge = b->is_boxed ? inside_forge : arena_strdup(&b->arena, forge);
	if (!b->is_boxed)
		return 0;
	add_mount(b, forge, inside_forge, false);
	AUTO_FREE char *share = prompts ? path_dir(prompts) : NULL;
	if (share)
		add_mount(b, share, inside_share, false);
	return 0;
}

/* Programs ask for the name of who runs them; the machine's own list is not the agent's business.
 */
static int place_passwd(struct cli_box *b, struct err *e)
{
	AUTO_FREE char *path = path_join(b->config_outside, ".passwd");
	AUTO_FREE char *text = xasprintf("agent:x:%u:%u:agent:%s:/bin/sh\n", (unsigned)getuid(),
					 (unsigned)getgid(), inside_config);
	if (file_write_text(path, text, e) < 0)
		return -1;
	add_mount(b, path, inside_passwd, false);
	return 0;
}

static int place_folders(struct cli_box *b, struct err *e)
{
	const struct launch *l = b->launch;
	const struct agent_spec *spec = b->spec;
	AUTO_FREE char *workspace = realpath(spec->workspace, NULL);
	if (!workspace)
		return err_errno(e, ERR_SYSTEM, "find %s", spec->workspace);
	b->config_outside = spec->home ? arena_strdup(&b->arena, spec->home)
				       : keep(b, path_join(workspace, ".home"));
	if (dir_make(b->config_outside, e) < 0)
		return -1;
	/* A program keeps what it likes there. */
	if (chmod(b->config_outside, 0700) < 0)
		return err_errno(e, ERR_SYSTEM, "close %s to others", b->config_outside);
	b->workspace = b->is_boxed ? inside_workspace : arena_strdup(&b->arena, workspace);
	b->config = b->is_boxed ? inside_config : keep(b, realpath(b->config_outside, NULL));
	b->mailbox = keep(b, path_join(b->workspace, ".forge"));
	b->prompt = keep(b, path_join(b->workspace, ".prompt.md"));
	b->mailbox_outside = keep(b, path_join(workspace, ".forge"));
	b->prompt_outside = keep(b, path_join(workspace, ".prompt.md"));
	if (b->is_boxed)
		add_mount(b, b->config_outside, inside_config, true);
	for (size_t i = 0; b->is_boxed && i < l->nr_folders; i++)
		add_mount(b, l->folders[i], l->folders[i], false);
	return b->is_boxed ? place_passwd(b, e) : 0;
}

static int fill(struct cli_box *b, struct str *out, const char *text, const char *session,
		struct err *e)
{
	const struct launch *l = b->launch;
	const struct launch_slot slots[] = {
		{ "model", l->model ? l->model : "" },
		{ "effort", l->effort ? l->effort : "" },
		{ "workspace", b->workspace },
		{ "config", b->config },
		{ "forge", b->forge },
		{ "mailbox", b->mailbox },
		{ "prompt", b->prompt },
		{ "session", session ? session : "" },
	};
	return launch_fill(out, text, slots, ARRAY_LEN(slots), e);
}

static int write_files(struct cli_box *b, struct err *e)
{
	for (size_t i = 0; i < b->launch->nr_files; i++) {
		const struct launch_file *f = &b->launch->files[i];
		AUTO_STR struct str text = STR_INIT;
		AUTO_FREE char *path = path_join(b->config_outside, f->path);
		if (fill(b, &text, f->text, NULL, e) < 0)
			return err_wrap(e, "%s: file %s", b->launch->path, f->path);
		if (file_write(path, text.text, text.len, e) < 0)
			return -1;
	}
	return 0;
}

/* Addresses and names of models are no secrets, and masking them would spoil every record. */
static bool is_secret(const char *name)
{
	return !str_ends(name, "_URL") && !str_ends(name, "_MODEL") && !str_ends(name, "_PROVIDER");
}

static void add_allowed(struct cli_box *b)
{
	for (size_t i = 0; i < b->launch->nr_env; i++) {
		const char *name = b->launch->env[i];
		struct err ignored = { 0 };
		if (network_env_has(name)) /* all agents with the network get them */
			continue;
		AUTO_FREE char *value = key_find(name, &ignored);
		if (!value || !value[0])
			continue;
		strv_addf(&b->env, "%s=%s", name, value);
		if (is_secret(name))
			mask_learn(&b->mask, value);
	}
}

static int make_env(struct cli_box *b, struct err *e)
{
	AUTO_FREE char *forge_dir = path_dir(b->forge);
	AUTO_FREE char *program_dir = path_dir(b->program);
	strv_addf(&b->env, "PATH=%s:%s:%s/bin:/usr/local/bin:/usr/bin:/bin", forge_dir, program_dir,
		  inside_program);
	strv_add(&b->env, "LC_ALL=C.UTF-8");
	strv_addf(&b->env, "FORGE_MAILBOX=%s", b->mailbox);
	add_allowed(b);
	network_env_learn(&b->mask);
	for (size_t i = 0; i < b->launch->nr_set; i++) {
		AUTO_STR struct str text = STR_INIT;
		if (fill(b, &text, b->launch->set[i], NULL, e) < 0)
			return -1;
		strv_add(&b->env, text.text);
	}
	return 0;
}

int cli_box_open(struct cli_box *b, const struct agent_spec *spec, const struct launch *launch,
		 struct err *e)
{
	*b = (struct cli_box){ .spec = spec, .launch = launch };
	AUTO_FREE char *program =
		spec->program ? realpath(spec->program, NULL) : launch_program(launch, e);
	if (!program)
		return spec->program ? err_set(e, ERR_INPUT, "%s: not there", spec->program) : -1;
	b->is_boxed = agent_sandbox_works();
	if (place_folders(b, e) < 0 || place_forge(b, e) < 0)
		return -1;
	place_program(b, program);
	return make_env(b, e) < 0 ? -1 : write_files(b, e);
}

void cli_box_release(struct cli_box *b)
{
	strv_release(&b->env);
	mask_release(&b->mask);
	arena_release(&b->arena);
	*b = (struct cli_box){ 0 };
}

int cli_box_start(struct cli_box *b, const char *const *arguments, size_t nr, const char *session,
		  struct child **out, struct err *e)
{
	AUTO_STRV struct strv filled = { 0 };
	struct agent_box box = { 0 };
	for (size_t i = 0; i < nr; i++) {
		AUTO_STR struct str text = STR_INIT;
		if (fill(b, &text, arguments[i], session, e) < 0)
			return -1;
		strv_add(&filled, text.text);
	}
	const struct agent_start start = { .program = b->program_outside,
					   .inside = b->program,
					   .arguments = (const char *const *)filled.items,
					   .env = (const char *const *)b->env.items,
					   .mounts = b->mounts,
					   .nr_mounts = b->nr_mounts };
	int rc = agent_box_start(&box, b->spec, &start, e);
	*out = box.child;
	return rc;
}

/* All that it prints until it ends. */
static int read_all(struct child *c, struct str *out, struct err *e)
{
	uint64_t until_ns = clock_mono_ns() + VERSION_DEADLINE_NS;
	child_close_stdin(c);
	while (clock_mono_ns() < until_ns && out->len < MAX_PRINTED_BYTES) {
		int got = child_take_output(c, out);
		if (got == 0)
			return 0;
		if (got == 2)
			clock_sleep_ns(VERSION_STEP_NS);
	}
	return err_set(e, ERR_TIMEOUT, "it does not print its version");
}

int cli_box_version(struct cli_box *b, struct str *out, struct err *e)
{
	const struct launch *l = b->launch;
	AUTO_CHILD struct child *c = NULL;
	AUTO_STR struct str text = STR_INIT;
	if (!l->nr_version_arguments)
		return str_add(out, "?"), 0;
	if (cli_box_start(b, l->version_arguments, l->nr_version_arguments, NULL, &c, e) < 0 ||
	    read_all(c, &text, e) < 0)
		return err_wrap(e, "%s", l->program);
	text.text[strcspn(text.text, "\n")] = 0;
	untrusted_line(out, text.text, MAX_VERSION_BYTES);
	if (!out->len)
		return err_set(e, ERR_CHILD, "%s does not print its version: %.200s", l->program,
			       child_stderr(c));
	if (launch_version_fits(out->text, l->min_version))
		return 0;
	return err_set(e, ERR_INPUT,
		       "%s is version %s and %s or later is needed: update it (or change "
		       "min_version in a copy of %s)",
		       l->program, out->text, l->min_version, l->path);
}

void cli_box_mask(const struct cli_box *b, struct str *text)
{
	mask_text(&b->mask, text);
}
