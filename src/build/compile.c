#include "build/compile.h"
/*
 * The harness' flags stand after the author's, so that layout, position independence and debug
 * data are never the author's choice; -msse3 stands before them (it keeps long double conversions
 * from changing the floating-point mode, which a screen refuses). What was included is taken from
 * the compiler's own dependency list, not from the text of the source; the assembler (GNU as for
 * both compilers, because it can) lists what .include and .incbin took in. Messages quote what they
 * speak of, so those about a file that the source may not read are not kept.
 */

#include <ctype.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/file.h"
#include "build/directive.h"
#include "build/toolbox.h"
#include "sys/proc.h"

enum { COMPILE_LOG_BYTES = 16 << 10, COMPILE_DEPS_BYTES = 1 << 20 };

/* Dependency lists of the compiler and of the assembler. */
static const char deps_name[] = "leaf.d";
static const char as_deps_name[] = "leaf.as.d";
static const char log_cut[] = "\n... (cut)\n";

void compile_flags(const struct directive *d, struct strv *argv)
{
	static const char *const before[] = { "-msse3", "-std=gnu17" };
	static const char *const after[] = {
		"-fPIC",
		"-fno-semantic-interposition",
		"-fvisibility=default",
		"-falign-functions=64",
		"-falign-loops=64",
		"-fno-stack-protector",
		"-fcf-protection=none",
		"-fno-common",
		"-fno-lto",
		"-U_FORTIFY_SOURCE",
		"-g0",
		"-fdiagnostics-color=never",
	};
	strv_add(argv, compiler_name(d->compiler));
	for (size_t i = 0; i < ARRAY_LEN(before); i++)
		strv_add(argv, before[i]);
	strv_add_all(argv, &d->flags);
	for (size_t i = 0; i < ARRAY_LEN(after); i++)
		strv_add(argv, after[i]);
}

static void argv_fill(struct strv *argv, const struct toolbox *t, const struct directive *d)
{
	compile_flags(d, argv);
	strv_addf(argv, "-I%s", t->kit);
	strv_add(argv, "-MD");
	strv_add(argv, "-MF");
	strv_addf(argv, "%s/%s", t->out, deps_name);
	strv_addf(argv, "-Wa,--MD,%s/%s", t->out, as_deps_name);
	strv_add(argv, d->compiler == COMPILER_CLANG ? "-fno-integrated-as" : "-pipe");
	strv_add(argv, "-c");
	strv_add(argv, "-o");
	strv_addf(argv, "%s/%s", t->out, COMPILE_OBJECT_NAME);
	strv_add(argv, COMPILE_SOURCE_NAME);
}

static size_t skip_path(const char *at, const char *dir)
{
	size_t len = strlen(dir);
	return str_starts(at, dir) && at[len] == '/' ? len + 1 : 0;
}

void compile_log_add(const struct toolbox *t, struct str *log, const char *text)
{
	const char *const hidden[] = { t->src, t->out, t->kit };
	for (const char *p = text; *p && log->len < COMPILE_LOG_BYTES; p++) {
		size_t skip = 0;
		for (size_t i = 0; i < ARRAY_LEN(hidden) && !skip; i++)
			skip = skip_path(p, hidden[i]);
		if (skip) {
			p += skip - 1;
			continue;
		}
		bool is_plain = isprint((unsigned char)*p) || *p == '\n' || *p == '\t';
		str_add_char(log, is_plain ? *p : '?');
	}
	if (log->len >= COMPILE_LOG_BYTES && !str_ends(log->text, log_cut))
		str_add(log, log_cut);
}

static size_t skip_number(const char *at)
{
	size_t len = strspn(at, "0123456789");
	return len && at[len] == ':' ? len + 1 : 0;
}

/* Length of "kernel.c:12:5: " at the start of a line, 0 when it does not start like that. */
static size_t skip_place(const char *line)
{
	size_t at = strlen(COMPILE_SOURCE_NAME ":");
	if (!str_starts(line, COMPILE_SOURCE_NAME ":") || !skip_number(line + at))
		return 0;
	at += skip_number(line + at);
	at += skip_number(line + at);
	return line[at] == ' ' ? at + 1 : 0;
}

void compile_log_places(const char *log, struct str *out)
{
	/* GNU as begins them with a capital. */
	static const char *const words[] = { "fatal error:", "error:", "warning:",
					     "note:",        "Error:", "Warning:" };
	for (const char *line = log; *line;) {
		const char *eol = line + strcspn(line, "\n");
		size_t place = skip_place(line);
		for (size_t i = 0; place && i < ARRAY_LEN(words); i++)
			if (str_starts(line + place, words[i]))
				str_addf(out, "%.*s%.*s\n", (int)place, line,
					 (int)strlen(words[i]) - 1, words[i]);
		line = *eol ? eol + 1 : eol;
	}
}

/* What clang hands to the assembler: /tmp/kernel-b91382.s. */
static bool is_between_steps(const char *path)
{
	const char *const start = "/tmp/kernel-";
	return str_starts(path, start) &&
	       strspn(path + strlen(start), "0123456789abcdef") + 2 ==
		       strlen(path + strlen(start)) &&
	       str_ends(path, ".s");
}

bool compile_include_is_fine(const char *path, const char *kit)
{
	static const char *const folders[] = { "/usr/include/", "/usr/lib/gcc/", "/usr/lib/llvm-",
					       "/usr/lib/clang/", "/usr/local/include/" };
	if (str_equal(path, COMPILE_SOURCE_NAME) || is_between_steps(path))
		return true;
	if (strstr(path, "/../"))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
		if (str_starts(path, folders[i]))
			return true;
	}
	return skip_path(path, kit) > 0;
}

/* Next word of a make rule; a backslash joins lines or quotes a blank. */
static bool deps_word(const char **p, struct str *word)
{
	str_clear(word);
	while (isspace((unsigned char)**p) || (**p == '\\' && (*p)[1] == '\n'))
		*p += 1;
	while (**p && !isspace((unsigned char)**p)) {
		if (**p == '\\' && (*p)[1] == '\n')
			break;
		if (**p == '\\' && (*p)[1])
			*p += 1;
		str_add_char(word, **p);
		*p += 1;
	}
	return word->len > 0;
}

char *compile_foreign_include(const char *deps, const char *kit)
{
	AUTO_STR struct str word = STR_INIT;
	const char *p = deps;
	deps_word(&p, &word); /* the target */
	while (deps_word(&p, &word)) {
		if (!compile_include_is_fine(word.text, kit))
			return str_take(&word);
	}
	return NULL;
}

/* Length of PATH in "PATH:12:" at the start of a line, 0 when it does not start like that. Names in
 * brackets are no files: <built-in>, {standard input}; and how a file came to be included stands in
 * lines of their own, over the one that quotes it. */
static size_t place_len(const char *line)
{
	size_t len = strcspn(line, ":\n");
	bool is_file = len && line[len] == ':' && !strchr("<{ ", *line) &&
		       !str_starts(line, "In file included from ");
	return is_file && skip_number(line + len + 1) ? len : 0;
}

char *compile_foreign_place(const char *log, const char *kit)
{
	for (const char *line = log; *line;) {
		AUTO_FREE char *path = xstrndup(line, place_len(line));
		if (*path && !compile_include_is_fine(path, kit))
			return take_ptr(&path);
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	return NULL;
}

/* All compilers say "fatal error: ...", gcc (and nvcc by it) "X: No such file or directory", clang
 * "'X' file not found". */
char *compile_missing_include(const char *log)
{
	const char *fatal = strstr(log, "fatal error: ");
	if (!fatal)
		return NULL;
	fatal += strlen("fatal error: ");
	size_t len = strcspn(fatal, "\n");
	const char *end = memmem(fatal, len, ": No such file or directory", 27);
	if (end)
		return xstrndup(fatal, (size_t)(end - fatal));
	end = memmem(fatal, len, "' file not found", 16);
	return end && *fatal == '\'' ? xstrndup(fatal + 1, (size_t)(end - fatal - 1)) : NULL;
}

void compile_first_error(const char *log, char *out, size_t len)
{
	const char *at = strstr(log, "rror: "); /* the assembler writes Error: */
	const char *line = at ? at : log;
	while (line > log && line[-1] != '\n')
		line--;
	snprintf(out, len, "%.*s", (int)strcspn(line, "\n"), line);
}

static struct verdict compile_failure(const struct toolbox *t, const struct proc_result *r,
				      const char *log)
{
	AUTO_FREE char *foreign = compile_foreign_place(r->err.text, t->kit);
	if (foreign)
		return verdict_make(REASON_forbidden_include,
				    "messages about %.120s (an include, or #line), which is not in "
				    "the kit or the system, are withheld",
				    foreign);
	AUTO_FREE char *missing = compile_missing_include(log);
	if (missing)
		return verdict_make(REASON_forbidden_include,
				    "include %.150s: not in the kit or the system", missing);
	AUTO_STR struct str how = STR_INIT;
	proc_result_describe(r, &how);
	char first[200];
	compile_first_error(log, first, sizeof(first));
	return verdict_make(REASON_compile_failed, "%s", first[0] ? first : how.text);
}

/* Also after a failure, when the tool got far enough to write its list. */
static int includes_check(const struct toolbox *t, const char *name, struct verdict *v,
			  struct err *e)
{
	AUTO_FREE char *path = path_join(t->out_dir, name);
	AUTO_STR struct str deps = STR_INIT;
	struct stat st;
	if (v->state != VERDICT_NONE && !file_exists(path))
		return 0;
	if (stat(path, &st) == 0 && st.st_size > COMPILE_DEPS_BYTES) {
		*v = verdict_make(REASON_compile_failed, "more includes than %d bytes can name",
				  COMPILE_DEPS_BYTES);
		return 0;
	}
	if (file_read(path, COMPILE_DEPS_BYTES, &deps, e) < 0)
		return -1;
	AUTO_FREE char *foreign = compile_foreign_include(deps.text, t->kit);
	if (foreign)
		*v = verdict_make(REASON_forbidden_include,
				  "include %.150s: not in the kit or the system", foreign);
	return 0;
}

int compile_run(const struct toolbox *t, const struct directive *d, struct verdict *v,
		struct str *log, struct err *e)
{
	*v = (struct verdict){ 0 };
	AUTO_STRV struct strv argv = { 0 };
	argv_fill(&argv, t, d);
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	if (toolbox_run(t, &argv, 2 * COMPILE_LOG_BYTES, &r, e) < 0)
		return err_wrap(e, "compile");
	compile_log_add(t, log, r.err.text);
	if (!proc_result_is_ok(&r))
		*v = compile_failure(t, &r, log->text);
	if (includes_check(t, deps_name, v, e) < 0 || includes_check(t, as_deps_name, v, e) < 0)
		return -1;
	if (v->reason == REASON_forbidden_include)
		str_clear(log);
	return 0;
}
