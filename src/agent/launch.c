#include "agent/launch.h"

/* Files of the user come first, so that an installation is never edited. A task can not bring one:
 * it would name programs to run. */

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/share.h"
#include "base/toml.h"
#include "base/toml_fields.h"
#include "model/task_agents.h"
#include "sys/proc.h"

static const struct toml_field launch_fields[] = {
	TOML_NEEDED("driver", TEXT, launch, driver),
	TOML_NEEDED("program", TEXT, launch, program),
	TOML_LIST("arguments", launch, arguments),
	TOML_LIST("more_arguments", launch, more_arguments),
	TOML_LIST("version_arguments", launch, version_arguments),
	TOML_OPTION("min_version", TEXT, launch, min_version),
	TOML_LIST("env", launch, env),
	TOML_LIST("set", launch, set),
	TOML_LIST("folders", launch, folders),
	TOML_LIST("allow", launch, allow),
	TOML_LIST("model_arguments", launch, model_arguments),
	TOML_LIST("effort_arguments", launch, effort_arguments),
	TOML_OPTION("model", TEXT, launch, model),
	TOML_OPTION("effort", TEXT, launch, effort),
	TOML_OPTION("auth", TEXT, launch, auth),
	TOML_OPTION("provider", TEXT, launch, provider),
	TOML_NESTED("file"),
};
static const struct toml_field file_fields[] = {
	TOML_NEEDED("path", TEXT, launch_file, path),
	TOML_NEEDED("text", TEXT, launch_file, text),
};
static const struct toml_section launch_section = TOML_SECTION("an agent's file", launch_fields);
static const struct toml_section file_section = TOML_SECTION("[[file]]", file_fields);

static bool is_name(const char *name)
{
	for (const char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("-_", *c))
			return false;
	return name[0];
}

static void add_places(struct strv *out)
{
	const char *own = getenv("FORGE_AGENTS");
	const char *config = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");
	if (own && own[0])
		strv_add(out, own);
	if (config && config[0] == '/')
		strv_addf(out, "%s/forge/agents", config);
	else if (home && home[0] == '/')
		strv_addf(out, "%s/.config/forge/agents", home);
}

char *launch_find(const char *name, struct err *e)
{
	AUTO_STRV struct strv places = { 0 };
	AUTO_FREE char *file = xasprintf("%s.toml", name);
	if (!is_name(name)) {
		err_set(e, ERR_INPUT, "\"%s\" is no name of an agent", name);
		return NULL;
	}
	add_places(&places);
	for (size_t i = 0; i < places.nr; i++) {
		char *path = path_join(places.items[i], file);
		if (file_exists(path))
			return path;
		free(path);
	}
	AUTO_FREE char *shared = path_join("agents", file);
	char *path = share_path(shared, e);
	if (!path)
		err_set(e, ERR_INPUT,
			"no agent %s: write %s into ~/.config/forge/agents (docs/agents.md) or "
			"into a "
			"folder that FORGE_AGENTS names",
			name, file);
	return path;
}

static int add_names(struct strv *names, const char *dir, struct err *e)
{
	AUTO_STRV struct strv files = { 0 };
	if (!file_is_dir(dir))
		return 0;
	if (dir_list(dir, &files, e) < 0)
		return -1;
	for (size_t i = 0; i < files.nr; i++) {
		size_t len = strlen(files.items[i]);
		if (!str_ends(files.items[i], ".toml"))
			continue;
		AUTO_FREE char *name = xstrndup(files.items[i], len - strlen(".toml"));
		if (!strv_has(names, name))
			strv_add(names, name);
	}
	return 0;
}

int launch_names(struct strv *names, struct err *e)
{
	AUTO_STRV struct strv places = { 0 };
	AUTO_FREE char *shared = share_path("agents", e);
	if (!shared)
		return -1;
	add_places(&places);
	strv_add(&places, shared);
	for (size_t i = 0; i < places.nr; i++)
		if (add_names(names, places.items[i], e) < 0)
			return -1;
	return 0;
}

static int read_files(struct toml_loader *l, struct launch *out, const struct toml *list)
{
	if (!list)
		return 0;
	if (list->type != TOML_ARRAY)
		return toml_fail_at(l, list, "write [[file]]");
	out->files = arena_array(&out->arena, list->nr_items, sizeof(*out->files));
	for (size_t i = 0; i < list->nr_items; i++) {
		struct launch_file *f = &out->files[out->nr_files++];
		if (toml_read_fields(l, &file_section, list->items[i], f) < 0)
			return -1;
		/* A folder in between could be swapped for a link by the agent. */
		if (strchr(f->path, '/') || str_starts(f->path, "..") || !f->path[0])
			return toml_fail_at(l, list->items[i],
					    "\"%s\" is no name of a file in the agent's folder",
					    f->path);
	}
	return 0;
}

static int check(struct toml_loader *l, const struct launch *out, const struct toml *root)
{
	for (size_t i = 0; i < out->nr_env; i++)
		if (strchr(out->env[i], '='))
			return toml_fail_at(
				l, toml_get(root, "env"),
				"env lists names only; values come from the environment");
	for (size_t i = 0; i < out->nr_set; i++)
		if (!strchr(out->set[i], '='))
			return toml_fail_at(l, toml_get(root, "set"), "\"%s\": write NAME=value",
					    out->set[i]);
	return 0;
}

static char *stem_of(const char *path)
{
	const char *base = path_base(path);
	size_t len = strlen(base);
	return xstrndup(base, str_ends(base, ".toml") ? len - strlen(".toml") : len);
}

int launch_read(struct launch *l, const char *path, struct err *e)
{
	*l = (struct launch){ 0 };
	AUTO_FREE char *name = stem_of(path);
	l->path = arena_strdup(&l->arena, path);
	l->name = arena_strdup(&l->arena, name);
	const struct toml *root = toml_read_file(path, &l->arena, e);
	struct toml_loader loader = { .path = l->path, .arena = &l->arena, .e = e };
	if (!root || toml_read_fields(&loader, &launch_section, root, l) < 0)
		return -1;
	if (read_files(&loader, l, toml_get(root, "file")) < 0)
		return -1;
	return check(&loader, l, root);
}

int launch_load(struct launch *l, const char *name, const char *driver, struct err *e)
{
	*l = (struct launch){ 0 };
	AUTO_FREE char *path = launch_find(name, e);
	if (!path || launch_read(l, path, e) < 0)
		return -1;
	if (str_equal(l->driver, driver))
		return 0;
	return err_set(e, ERR_INPUT, "%s: it is for driver %s, not %s", path, l->driver, driver);
}

/* `more` behind the first of the arguments, where there are any. */
static void insert(struct launch *l, const char ***arguments, size_t *nr_arguments,
		   const char *const *more, size_t nr_more)
{
	size_t nr = *nr_arguments + nr_more;
	const char **all = arena_array(&l->arena, nr + 1, sizeof(*all));
	size_t first = *nr_arguments ? 1 : 0;
	for (size_t i = 0; i < first; i++)
		all[i] = (*arguments)[i];
	for (size_t i = 0; i < nr_more; i++)
		all[first + i] = more[i];
	for (size_t i = first; i < *nr_arguments; i++)
		all[nr_more + i] = (*arguments)[i];
	*arguments = all;
	*nr_arguments = nr;
}

/* A further prompt, or one that goes on, asks for the same. */
static void insert_both(struct launch *l, const char *const *more, size_t nr_more)
{
	insert(l, &l->arguments, &l->nr_arguments, more, nr_more);
	if (l->nr_more_arguments)
		insert(l, &l->more_arguments, &l->nr_more_arguments, more, nr_more);
}

static int take_command(struct launch *l, const struct agent_settings *task, struct err *e)
{
	if (!task->nr_command)
		return 0;
	if (!str_equal(l->driver, "cmd"))
		return err_set(e, ERR_INPUT,
			       "[agents.%s] command: only agent cmd is a command of the "
			       "task; others are named in share/agents",
			       l->driver);
	l->program = task->command[0];
	l->arguments = task->command + 1;
	l->nr_arguments = task->nr_command - 1;
	l->is_of_task = true;
	return 0;
}

int launch_adapt(struct launch *l, const struct agent_settings *task, struct err *e)
{
	if (task && take_command(l, task, e) < 0)
		return -1;
	if (task && task->model)
		l->model = task->model;
	if (task && task->effort)
		l->effort = task->effort;
	if (l->model)
		insert_both(l, l->model_arguments, l->nr_model_arguments);
	if (l->effort)
		insert_both(l, l->effort_arguments, l->nr_effort_arguments);
	return 0;
}

void launch_release(struct launch *l)
{
	arena_release(&l->arena);
	*l = (struct launch){ 0 };
}

char *launch_program(const struct launch *l, struct err *e)
{
	AUTO_FREE char *found = l->program[0] ? proc_find(l->program) : NULL;
	char *real = found ? realpath(found, NULL) : NULL;
	if (real)
		return real;
	if (l->program[0])
		err_set(e, ERR_INPUT,
			"%s is not installed (nothing of that name on PATH); install it, or name "
			"its "
			"place as `program` in a copy of %s",
			l->program, l->path);
	else
		err_set(e, ERR_INPUT,
			"%s names no program: copy it to ~/.config/forge/agents and fill in "
			"`program`",
			l->path);
	return NULL;
}

/* The first number with a dot in it, or NULL. */
static const char *number_in(const char *text)
{
	for (const char *c = text; *c; c++)
		if (isdigit((unsigned char)*c) && strspn(c, "0123456789.") > 2)
			return c;
	return NULL;
}

bool launch_version_fits(const char *text, const char *least)
{
	const char *have = number_in(text ? text : "");
	const char *want = number_in(least ? least : "");
	while (have && want && isdigit((unsigned char)*have) && isdigit((unsigned char)*want)) {
		char *have_end;
		char *want_end;
		unsigned long a = strtoul(have, &have_end, 10);
		unsigned long b = strtoul(want, &want_end, 10);
		if (a != b)
			return a > b;
		have = *have_end == '.' ? have_end + 1 : have_end;
		want = *want_end == '.' ? want_end + 1 : want_end;
	}
	return true;
}

static const struct launch_slot *slot_at(const char *text, const struct launch_slot *slots,
					 size_t nr)
{
	for (size_t i = 0; text[0] == '{' && i < nr; i++) {
		size_t len = strlen(slots[i].name);
		if (strncmp(text + 1, slots[i].name, len) == 0 && text[1 + len] == '}')
			return &slots[i];
	}
	return NULL;
}

int launch_fill(struct str *out, const char *text, const struct launch_slot *slots, size_t nr_slots,
		struct err *e)
{
	while (*text) {
		const struct launch_slot *slot = slot_at(text, slots, nr_slots);
		if (!slot) {
			str_add_char(out, *text++);
			continue;
		}
		if (strpbrk(slot->value, "\"'\\\n"))
			return err_set(e, ERR_INPUT,
				       "{%s} is %s: no agent is started by a path with "
				       "quotes or backslashes",
				       slot->name, slot->value);
		str_add(out, slot->value);
		text += strlen(slot->name) + 2;
	}
	return 0;
}
